//! Text that a block returns.

use std::sync::Arc;

use crate::context::Context;
use crate::resolver::{Contribution, ResolveError, Resolver};
use crate::resolvers::TextRole;

type Block = dyn Fn(&Context) -> Result<Option<String>, ResolveError> + Send + Sync;

/// Contributes the text that a block returns, trimmed; blank or none contributes nothing.
#[derive(Clone)]
pub struct LoadText {
    role: TextRole,
    block: Arc<Block>,
}

/// What a block may return: a text, or none.
pub trait IntoText {
    /// The text.
    fn into_text(self) -> Option<String>;
}

impl IntoText for String {
    fn into_text(self) -> Option<String> {
        Some(self)
    }
}

impl IntoText for &str {
    fn into_text(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl IntoText for Arc<str> {
    fn into_text(self) -> Option<String> {
        Some(self.to_string())
    }
}

impl<T: IntoText> IntoText for Option<T> {
    fn into_text(self) -> Option<String> {
        self.and_then(T::into_text)
    }
}

impl LoadText {
    /// As instructions.
    pub fn system<T: IntoText>(block: impl Fn(&Context) -> T + Send + Sync + 'static) -> Self {
        Self::trying(TextRole::System, move |cx| Ok(block(cx).into_text()))
    }

    /// As input.
    pub fn user<T: IntoText>(block: impl Fn(&Context) -> T + Send + Sync + 'static) -> Self {
        Self::trying(TextRole::User, move |cx| Ok(block(cx).into_text()))
    }

    /// By a block that can fail.
    pub fn trying(
        role: TextRole,
        block: impl Fn(&Context) -> Result<Option<String>, ResolveError> + Send + Sync + 'static,
    ) -> Self {
        Self { role, block: Arc::new(block) }
    }
}

impl Resolver for LoadText {
    async fn resolve(&self, cx: &Context) -> Result<Contribution, ResolveError> {
        let text = (self.block)(cx)?;
        let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        Ok(text.map(|text| self.role.message(text)).into())
    }
}
