//! A provider on loopback that answers from a script, for tests of whatever speaks with one.
//!
//! A [`ScriptedServer`] speaks HTTP/1.1 and the four wires: a [`Turn`] says what it answers, a [`Say`] what a model says on whatever wire
//! and in whatever delivery it is asked. Each request is recorded, its secrets left out.
//!
//! ```
//! use briefing::Wire;
//! use briefing_agent::scripted::{Say, Script, ScriptedServer, Turn};
//! use serde_json::json;
//!
//! # async fn example() -> std::io::Result<()> {
//! let script = Script::turns([
//!     Turn::say(Say::calls([("call_1", "look_up", json!({"order": 7}))])),
//!     Turn::say(Say::text("It was sent on Monday.")),
//! ]);
//! let server = ScriptedServer::start(script).await?;
//! let base = server.base(Wire::Anthropic);
//! // … whatever speaks with a provider is told that base …
//! assert_eq!(server.requests().len(), 0);
//! # let _ = base;
//! # Ok(())
//! # }
//! ```

mod connection;
mod recorded;
mod refusal;
mod say;
mod script;
mod turn;
mod wires;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use briefing::Wire;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

pub use recorded::Recorded;
pub use refusal::Refusal;
pub use say::{SaidCall, Say};
pub use script::Script;
pub use turn::Turn;

/// How many connections may wait to be taken.
const BACKLOG: u32 = 4_096;

/// A running server. Dropping it closes the port and every connection.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

/// What the connections share.
#[derive(Debug)]
struct State {
    script: Script,
    requests: Mutex<Vec<Arc<Recorded>>>,
    counts: watch::Sender<Counts>,
    released: watch::Sender<bool>,
}

/// What goes on now.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    connections: usize,
    stalled: usize,
}

impl ScriptedServer {
    /// Starts a server on a free port of the loopback interface, on the Tokio runtime that polls this.
    ///
    /// # Errors
    /// If the system gives no port.
    pub async fn start(script: Script) -> std::io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let listener = socket.listen(BACKLOG)?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            script,
            requests: Mutex::new(Vec::new()),
            counts: watch::Sender::new(Counts::default()),
            released: watch::Sender::new(false),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&state)));
        Ok(Self { address, state, accepting })
    }

    /// The base that a client of that wire is told.
    #[must_use]
    pub fn base(&self, wire: Wire) -> String {
        let version = match wire {
            Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic => "v1",
            Wire::Gemini => "v1beta",
        };
        format!("http://{}/{version}", self.address)
    }

    /// The host and port.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Every request that came whole, in that order.
    #[must_use]
    pub fn requests(&self) -> Vec<Arc<Recorded>> {
        self.state.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets every stalled answer go on, and those that would stall later too.
    pub fn release(&self) {
        self.state.released.send_replace(true);
    }

    /// Ends once at least that many answers are stalled.
    pub async fn stalled(&self, answers: usize) {
        self.until(|counts| counts.stalled >= answers).await;
    }

    /// Ends once no connection is open.
    pub async fn left(&self) {
        self.until(|counts| counts.connections == 0).await;
    }

    async fn until(&self, holds: impl FnMut(&Counts) -> bool) {
        // The sender lives as long as the server, so this does not fail.
        let _ = self.state.counts.subscribe().wait_for(holds).await;
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Takes connections until it is aborted, which ends them too.
async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((socket, _)) => {
                connections.spawn(connection::serve(socket, Arc::clone(&state)));
            }
            // As when there are too many open files: connections end.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Counts something for as long as it lives.
struct Counted<'a> {
    counts: &'a watch::Sender<Counts>,
    which: fn(&mut Counts) -> &mut usize,
}

impl State {
    fn counted(&self, which: fn(&mut Counts) -> &mut usize) -> Counted<'_> {
        self.counts.send_modify(|counts| *which(counts) += 1);
        Counted { counts: &self.counts, which }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.counts.send_modify(|counts| *(self.which)(counts) -= 1);
    }
}
