//! Why a request had no answer, and what to do about it. The table stands in `docs/providers.md`.

use std::time::Duration;

use briefing::Wire;
use briefing_wire::{Cut, CutWhy, ErrorKind, ProviderError};

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
    /// The system has no certificates, so that no server can be known over `https:`. Nothing was sent.
    #[error("cannot reach {host} over https: {detail}")]
    NoCertificates {
        /// The host and port.
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
    /// The request is written for another wire than the provider speaks.
    #[error("the request is written for {}, the provider speaks {}", of.name(), speaks.name())]
    WrongWire {
        /// The request's wire.
        of: Wire,
        /// The provider's.
        speaks: Wire,
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

impl ProviderFault {
    /// What to do about it. What a provider says decides before its status does, as several send one status for what passes and for
    /// what does not.
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::Unreachable { .. } | Self::TimedOut { .. } => FaultKind::PASSING,
            Self::Refused { status, error, retry_after } => refused(*status, error.kind, *retry_after),
            Self::Cut { cut } => match &cut.why {
                CutWhy::Provider(error) => broken_off(error.kind),
                CutWhy::TooLarge(_) => FaultKind::Permanent,
                // The request was taken and answered; what broke is this answer.
                _ => FaultKind::PASSING,
            },
            // What answers with something else is not the provider, and is not sent the conversation again.
            Self::NoCertificates { .. } | Self::Unreadable { .. } | Self::WrongWire { .. } | Self::AnswerTooLarge { .. } => {
                FaultKind::Permanent
            }
        }
    }
}

impl FaultKind {
    const PASSING: Self = Self::Transient { retry_after: None };
}

fn refused(status: u16, kind: ErrorKind, retry_after: Option<Duration>) -> FaultKind {
    match (status, kind) {
        // Groq calls it a rate limit, but no waiting makes the request fit.
        (413, _) | (_, ErrorKind::TooLarge) => FaultKind::TooLarge,
        (_, ErrorKind::Denied) => FaultKind::Permanent,
        (_, ErrorKind::RateLimited | ErrorKind::Unavailable) => FaultKind::Transient { retry_after },
        (408 | 409 | 425 | 429 | 500..=599, _) => FaultKind::Transient { retry_after },
        _ => FaultKind::Permanent,
    }
}

/// An error in the middle of an answer: the request itself was accepted before.
fn broken_off(kind: ErrorKind) -> FaultKind {
    match kind {
        ErrorKind::TooLarge => FaultKind::TooLarge,
        ErrorKind::Denied => FaultKind::Permanent,
        _ => FaultKind::PASSING,
    }
}
