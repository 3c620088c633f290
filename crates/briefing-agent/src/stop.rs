//! Asking a run to stop, from anywhere in its process.

use std::sync::Arc;

use tokio::sync::watch;

/// A wish that a run stops. Clones are one wish: whoever asks, all see it. It cannot be taken back.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// Not asked for yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for it. What waits for a provider or a tool is broken off.
    pub fn ask(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was asked for.
    #[must_use]
    pub fn asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Ends when it is asked for.
    pub async fn wait(&self) {
        // The sender lives as long as this does.
        let _ = self.0.subscribe().wait_for(|asked| *asked).await;
    }
}
