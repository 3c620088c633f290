//! Who is told of pushes and pops: after they are stored, and without being waited for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use briefing::view::swarm::SwarmEvent;

/// How many events wait for a slow subscriber before the next are lost to it.
const WAITING: usize = 1_024;

/// The subscribers in this process.
#[derive(Debug, Default)]
pub(super) struct Bus {
    subscribers: Mutex<Vec<Subscriber>>,
}

#[derive(Debug)]
struct Subscriber {
    /// None: every client.
    client: Option<String>,
    events: SyncSender<Arc<SwarmEvent>>,
    missed: Arc<AtomicU64>,
}

/// The events of one client, or of all, since it was made. Whoever drops it is told no more.
///
/// At most 1,024 events wait in it; what comes while it is full is lost to this subscriber alone, and counted
/// ([`missed`](Self::missed)). Nobody waits for a subscriber, and no fault of one reaches anybody else.
#[derive(Debug)]
pub struct Subscription {
    events: Receiver<Arc<SwarmEvent>>,
    missed: Arc<AtomicU64>,
}

impl Bus {
    pub(super) fn subscribe(&self, client: Option<&str>) -> Subscription {
        let (sender, events) = sync_channel(WAITING);
        let missed = Arc::<AtomicU64>::default();
        let subscriber = Subscriber { client: client.map(str::to_owned), events: sender, missed: Arc::clone(&missed) };
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner).push(subscriber);
        Subscription { events, missed }
    }

    /// Tells everybody who wants to know.
    pub(super) fn tell(&self, client: &str, event: SwarmEvent) {
        let event = Arc::new(event);
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        subscribers.retain(|subscriber| {
            if subscriber.client.as_deref().is_some_and(|wanted| wanted != client) {
                return true;
            }
            match subscriber.events.try_send(Arc::clone(&event)) {
                Ok(()) => true,
                Err(TrySendError::Full(_)) => {
                    subscriber.missed.fetch_add(1, Ordering::Relaxed);
                    true
                }
                Err(TrySendError::Disconnected(_)) => false,
            }
        });
    }
}

impl Subscription {
    /// The next event; none if there is none within that time.
    #[must_use]
    pub fn next_within(&self, time: Duration) -> Option<Arc<SwarmEvent>> {
        self.events.recv_timeout(time).ok()
    }

    /// The events that wait now.
    pub fn waiting(&self) -> impl Iterator<Item = Arc<SwarmEvent>> {
        self.events.try_iter()
    }

    /// How many events were lost because too many waited.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}
