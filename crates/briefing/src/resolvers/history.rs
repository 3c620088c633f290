//! The thread before now.

use crate::context::Context;
use crate::resolver::{Contribution, ResolveError, Resolver};
use crate::view::HistoryView;

/// Contributes the thread of the current message, up to it, as its view tells it. In a scheduled run: nothing.
#[derive(Debug, Clone, Default)]
pub struct ThreadHistory {
    view: HistoryView,
}

impl ThreadHistory {
    /// The thread as that view tells it.
    #[must_use]
    pub fn new(view: HistoryView) -> Self {
        Self { view }
    }

    /// At most that many mails; see [`HistoryView::limit`].
    #[must_use]
    pub fn limit(mut self, mails: impl Into<Option<usize>>) -> Self {
        self.view = self.view.limit(mails);
        self
    }

    /// Whether tool use between mails is replayed.
    #[must_use]
    pub fn include_tool_calls(mut self, include: bool) -> Self {
        self.view = self.view.include_tool_calls(include);
        self
    }
}

impl Resolver for ThreadHistory {
    async fn resolve(&self, cx: &Context) -> Result<Contribution, ResolveError> {
        Ok(self.view.read(cx).await?)
    }

    fn view(&self) -> Option<&HistoryView> {
        Some(&self.view)
    }
}
