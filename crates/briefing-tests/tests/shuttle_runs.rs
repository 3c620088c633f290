//! Processes that work in one thread at once, under schedulers that try many orders (shuttle): leases that lapse while their run works,
//! runs that are taken up, stops, cards that two confirm. Every write of the store, request and effect is a point where another goes on.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs, reason = "a test stops at the first surprise")]

#[path = "killed/log.rs"]
mod log;

use std::cell::Cell;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use briefing::Wire;
use briefing::log::{Body, Settled};
use briefing::message::{EntryId, ThreadId};
use briefing_agent::{Agent, AgentError};
use briefing_store::{Durability, Fault, Fence, RunEnd, Settings, SqliteStore, Store, StoreError};
use briefing_tests::watched::{Desk, FIRST, Hook, PAY, Point, Question, SetClock, Unwatched, Watched, owner};
use shuttle::rand::Rng;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::thread;

use log::{Effects, answers, calls, entries};

/// How many orders each scheduler tries of each story.
const ORDERS: usize = 100;
/// The same orders at every run; set another seed by `BRIEFING_SHUTTLE_SEED` to look further.
const SEED: u64 = 20_261_130;
/// How often a scheduler that works by priorities changes them.
const CHANGES: usize = 3;
/// SQLite and the checkers of schemas take more than a thread of shuttle has.
const STACK: usize = 8 << 20;
/// Whoever finds a thread taken looks again so much later.
const LATER: Duration = Duration::from_secs(25);

/// An empty database, copied for each order.
static EMPTY: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("briefing.db");
    drop(SqliteStore::create(&path, Settings::default()).unwrap());
    (folder, path)
});

thread_local! {
    /// How often somebody found the thread taken, and how often somebody lost it while it worked: each test has a thread of its own.
    static MET: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Tries a story in many orders. How often the thread was found taken, and lost.
fn orders(story: fn()) -> (usize, usize) {
    fn run(scheduler: impl Scheduler + 'static, story: fn()) {
        let mut config = shuttle::Config::default();
        config.stack_size = STACK;
        shuttle::Runner::new(scheduler, config).run(story);
    }
    let seed = std::env::var("BRIEFING_SHUTTLE_SEED").map_or(SEED, |seed| seed.parse().unwrap());
    run(RandomScheduler::new_from_seed(seed, ORDERS), story);
    run(PctScheduler::new_from_seed(seed, CHANGES, ORDERS), story);
    let (busy, fenced) = MET.get();
    eprintln!("{} orders: {busy} times a thread was found taken, {fenced} times it was lost", 2 * ORDERS);
    (busy, fenced)
}

/// Polls in a thread of shuttle.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    polled(future, usize::MAX).unwrap()
}

/// Polls that often, and then drops it: its process has died.
fn polled<T>(future: impl Future<Output = T>, most: usize) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..most {
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => return Some(done),
            Poll::Pending => thread::yield_now(),
        }
    }
    None
}

/// Lets others go on at each point, and keeps who wrote.
struct Yielding {
    points: AtomicUsize,
    /// The newest fence that wrote.
    fence: Mutex<Option<Fence>>,
}

impl Hook for Yielding {
    fn before(&self, _: &Point<'_>) -> Result<(), StoreError> {
        self.points.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn after(&self, point: &Point<'_>, done: bool) {
        // Who tells that a run is lost, which never had the thread, has no fence.
        if let (true, Some(writer), Some(fence)) = (done, point.writer, point.writer.and_then(|writer| writer.fence)) {
            let mut newest = self.fence.lock().unwrap();
            assert!(Some(fence) >= *newest, "{:?} of {} by fence {fence} after {newest:?}", point.what, writer.run);
            *newest = Some(fence);
        }
        self.points.fetch_add(1, Ordering::SeqCst);
    }
}

/// What the processes of one order share.
struct World {
    _folder: tempfile::TempDir,
    store: Arc<SqliteStore>,
    clock: Arc<SetClock>,
    hook: Arc<dyn Hook>,
    effects: Arc<Mutex<String>>,
    chat: ThreadId,
}

impl World {
    fn new() -> Arc<Self> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("briefing.db");
        std::fs::copy(&EMPTY.1, &path).unwrap();
        let settings = Settings { durability: Durability::Process, ..Settings::default() };
        let store = Arc::new(SqliteStore::open(&path, settings).unwrap());
        let chat = block_on(store.named_thread(&owner(), FIRST)).unwrap();
        Arc::new(Self {
            _folder: folder,
            store,
            clock: Arc::new(SetClock::new(1_700_000_000, Duration::from_secs(7))),
            hook: Arc::new(Yielding { points: AtomicUsize::new(0), fence: Mutex::default() }),
            effects: Arc::default(),
            chat,
        })
    }

    /// A process of its own over the same database.
    fn process(&self) -> Desk {
        let effects = Arc::clone(&self.effects);
        Desk {
            store: Arc::new(Watched::new(Arc::clone(&self.store), Arc::clone(&self.hook))),
            clock: Arc::clone(&self.clock),
            hook: Arc::clone(&self.hook),
            effects: Arc::new(move |tool, key| effects.lock().unwrap().push_str(&format!("{tool} {key}\n"))),
            waits: 3,
        }
    }

    /// The same, where nobody else goes on meanwhile.
    fn alone(&self) -> Desk {
        let hook: Arc<dyn Hook> = Arc::new(Unwatched);
        Desk { store: Arc::clone(&self.store) as Arc<dyn Store>, hook, ..self.process() }
    }

    fn ask(&self, question: Question) -> EntryId {
        block_on(self.alone().ask(self.chat, question, question.asks())).unwrap().unwrap()
    }

    /// Answers in a process of its own, which may die, again and again until the message is answered.
    fn answer(self: &Arc<Self>, entry: EntryId, dies_after: Option<usize>) -> thread::JoinHandle<Option<RunEnd>> {
        let world = Arc::clone(self);
        thread::spawn(move || {
            let desk = world.process();
            let agent = desk.agent(Wire::OpenAiChat).unwrap();
            loop {
                match polled(Desk::answer(&agent, world.chat, entry), dies_after.unwrap_or(usize::MAX)) {
                    None => return None,
                    Some(Ok(ended)) => return Some(ended.how),
                    Some(Err(error @ (AgentError::Busy { .. } | AgentError::Fenced { .. }))) => {
                        let (busy, fenced) = MET.get();
                        let lost = matches!(error, AgentError::Fenced { .. });
                        MET.set((busy + usize::from(!lost), fenced + usize::from(lost)));
                        desk.clock.advance(LATER);
                        thread::yield_now();
                    }
                    Some(Err(error)) => panic!("{error}"),
                }
            }
        })
    }

    /// Whatever the order: every call has one outcome, nothing that writes was done twice, and the store is sound.
    fn look(&self, said: &[&str]) {
        let store = &*self.store;
        let mut answers = answers(store, self.chat);
        answers.sort();
        assert_eq!(answers, said);
        let effects = self.effects.lock().unwrap();
        let effects = Effects::of(&effects);
        let held = calls(store, self.chat, &effects).held;
        assert_eq!(self.settled().0, held);
        assert_eq!(block_on(store.verify()).unwrap().faults, Vec::<Fault>::new());
    }

    /// How its cards were settled.
    fn settled(&self) -> (usize, Vec<Settled>) {
        let (mut cards, mut settled) = (0, Vec::new());
        for entry in entries(&*self.store, self.chat) {
            match &entry.body {
                Body::Card(_) => cards += 1,
                Body::Notice(notice) => settled.push(notice.settled),
                _ => {}
            }
        }
        (cards, settled)
    }
}

/// Some number of polls after which a process dies.
fn some() -> Option<usize> {
    Some(shuttle::rand::thread_rng().gen_range(1..20))
}

#[test]
fn two_processes_answer_one_message() {
    let (busy, fenced) = orders(|| {
        let world = World::new();
        let entry = world.ask(Question::First);
        let processes = [world.answer(entry, None), world.answer(entry, None)];
        let how = processes.map(|process| process.join().unwrap());
        assert_eq!(how, [Some(RunEnd::Answered); 2]);
        world.look(&[Question::First.answer()]);
        assert_eq!(world.settled(), (1, vec![]));
    });
    assert!(busy > 0 && fenced > 0);
}

#[test]
fn two_messages_of_one_thread_are_answered_at_once() {
    let (busy, fenced) = orders(|| {
        let world = World::new();
        let (first, second) = (world.ask(Question::First), world.ask(Question::Second));
        let processes = [world.answer(first, None), world.answer(second, None), world.answer(second, None)];
        let how = processes.map(|process| process.join().unwrap());
        assert_eq!(how, [Some(RunEnd::Answered); 3]);
        world.look(&[Question::First.answer(), Question::Second.answer()]);
    });
    assert!(busy > 0 && fenced > 0);
}

#[test]
fn processes_die_and_others_go_on() {
    let (busy, fenced) = orders(|| {
        let world = World::new();
        let entry = world.ask(Question::First);
        let processes = [world.answer(entry, some()), world.answer(entry, some()), world.answer(entry, None)];
        let how = processes.map(|process| process.join().unwrap());
        assert_eq!(how[2], Some(RunEnd::Answered));
        world.look(&[Question::First.answer()]);
        assert_eq!(world.settled(), (1, vec![]));
    });
    assert!(busy > 0 && fenced > 0);
}

#[test]
fn a_run_is_asked_to_stop() {
    orders(|| {
        let world = World::new();
        let entry = world.ask(Question::First);
        let processes = [world.answer(entry, None), world.answer(entry, None)];
        let stopping = {
            let world = Arc::clone(&world);
            thread::spawn(move || {
                let agent = world.process().agent(Wire::OpenAiChat).unwrap();
                stop(&agent, &world);
            })
        };
        stopping.join().unwrap();
        let how = processes.map(|process| process.join().unwrap());
        let said = answers(&*world.store, world.chat);
        assert!(said.len() <= 1 && said.len() == usize::from(how.contains(&Some(RunEnd::Answered))), "{how:?} {said:?}");
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        world.look(&said);
    });
}

/// Asks whatever works in the thread to stop, once something does.
fn stop(agent: &Agent, world: &World) {
    for _ in 0..30 {
        let unended = block_on(agent.engine().unended(&owner(), world.chat)).unwrap();
        if let Some(run) = unended.first() {
            block_on(agent.engine().stop(&owner(), &run.run.id, jiff::Timestamp::UNIX_EPOCH)).unwrap();
            return;
        }
        thread::yield_now();
    }
}

#[test]
fn a_card_is_confirmed_twice_and_cancelled_at_once() {
    orders(|| {
        let world = World::new();
        let entry = world.ask(Question::First);
        let alone = world.alone();
        let agent = alone.agent(Wire::OpenAiChat).unwrap();
        block_on(Desk::answer(&agent, world.chat, entry)).unwrap();
        let card = block_on(world.store.waiting_cards(&owner(), 1)).unwrap().pop().unwrap().card.id;
        let second = world.ask(Question::Second);
        let clicks = [true, true, false].map(|confirms| {
            let world = Arc::clone(&world);
            thread::spawn(move || {
                let agent = world.process().agent(Wire::OpenAiChat).unwrap();
                let done = if confirms {
                    block_on(agent.confirm(card)).map(|confirmed| confirmed.settled)
                } else {
                    block_on(agent.cancel(card)).map(|_| Settled::Cancelled)
                };
                match done {
                    Ok(settled) => Some(settled),
                    Err(AgentError::Settled { .. } | AgentError::Store(StoreError::CardClaimed { .. })) => None,
                    Err(error) => panic!("{error}"),
                }
            })
        });
        let answering = world.answer(second, None);
        let clicks = clicks.map(|click| click.join().unwrap());
        assert_eq!(answering.join().unwrap(), Some(RunEnd::Answered));
        let said: Vec<Settled> = clicks.into_iter().flatten().collect();
        let paid = Effects::of(&world.effects.lock().unwrap()).of_tool(PAY);
        assert_eq!(world.settled(), (1, said.clone()));
        assert_eq!((said.len(), paid), (1, usize::from(said == [Settled::Done])));
        world.look(&[Question::First.answer(), Question::Second.answer()]);
    });
}
