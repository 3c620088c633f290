//! Providers: what sends a sealed request to a model and gives back its answer.

use std::time::Duration;

use briefing::Call;
use briefing_wire::{Answer, Cut, ProviderError, Request, StreamEvent};

use crate::BoxFuture;

/// Sends requests to models. One provider serves many runs at once.
pub trait Provider: Send + Sync {
    /// The call with what this provider's way of sending needs in the body, such as `stream`. Called before every assembly, so that it
    /// is part of what is bounded and sealed.
    fn prepare(&self, call: Call) -> Call {
        call
    }

    /// Sends the request once and reads the answer. `told` hears what arrives, in order, while it arrives; a provider that does not
    /// stream tells nothing. Nothing is tried again here. Dropping the future breaks the request off; the provider may have counted it.
    ///
    /// # Errors
    /// [`ProviderFault`], whose [`kind`](ProviderFault::kind) says whether to try again.
    fn send<'a>(
        &'a self,
        request: &'a Request,
        told: &'a mut (dyn FnMut(&StreamEvent) + Send),
    ) -> BoxFuture<'a, Result<Answer, ProviderFault>>;
}

/// Why a request had no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderFault {
    /// No connection, or it broke before an answer began.
    #[error("cannot reach {host}: {detail}")]
    Unreachable {
        /// The host and port; never a whole address, which may hold a key.
        host: String,
        /// Why.
        detail: String,
    },
    /// Nothing came for that long.
    #[error("{host} said nothing for {} s", after.as_secs())]
    TimedOut {
        /// The host and port.
        host: String,
        /// The limit that was reached.
        after: Duration,
    },
    /// The provider refused, with an HTTP status or inside a body of status 200.
    #[error("the provider refused ({status}): {error}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What it says.
        error: ProviderError,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// The answer broke off. What there is of it is never run or stored as an answer.
    #[error("the answer broke off: {}", cut.why)]
    Cut {
        /// What came.
        cut: Box<Cut>,
    },
    /// What came is no answer of the wire.
    #[error("the answer cannot be read: {detail}")]
    Unreadable {
        /// Why.
        detail: String,
    },
    /// The answer is larger than it may be.
    #[error("the answer takes more than {limit} bytes")]
    AnswerTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
}

/// What to do about a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// It may pass: try again, after that long if it is said.
    Transient {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The request is too large for the model: a smaller one may do.
    TooLarge,
    /// It will not pass by itself.
    Permanent,
}
