//! Providers: what sends a sealed request to a model and gives back its answer.

mod fault;
#[cfg(feature = "http")]
mod hidden;
#[cfg(feature = "http")]
pub mod http;
mod retry;
mod secret;

use briefing::Call;
use briefing_wire::{Answer, Request, StreamEvent};

pub use fault::{FaultKind, ProviderFault};
#[cfg(feature = "http")]
pub(crate) use hidden::Hidden;
pub use retry::{Retry, Retrying, send_with_retries};
pub use secret::{Secret, SecretError};

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
