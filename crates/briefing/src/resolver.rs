//! Resolvers: each contributes messages to a run.

use std::error::Error;
use std::future::Future;

use crate::context::Context;
use crate::fit::{Class, Line, Piece, Unvisited, WaitingCard};
use crate::message::{CallId, EntryId, ModelMessage};
use crate::view::{HistoryView, Replay, Window};

/// What a resolver failed with. The chain adds the resolver's name.
pub type ResolveError = Box<dyn Error + Send + Sync>;

/// Contributes to what a model sees. Made afresh for each run, so it may keep state while it resolves; the factory that makes
/// it is shared between runs.
///
/// Called once a run, in declared order. An error fails the run. Dropping the future abandons the run; nothing may be
/// half done then.
pub trait Resolver: Send + Sync + 'static {
    /// What it contributes; [`Contribution::none`] where it finds nothing.
    fn resolve(&self, cx: &Context) -> impl Future<Output = Result<Contribution, ResolveError>> + Send;

    /// The view that this resolver tells history by, if it does: the current message is read the same way. The first resolver of a
    /// chain that names one decides.
    fn view(&self) -> Option<&HistoryView> {
        None
    }

    /// Its name in receipts and errors: the type's own unless it says otherwise.
    fn name(&self) -> String {
        let full = std::any::type_name::<Self>();
        let bare = full.split('<').next().unwrap_or(full);
        bare.rsplit("::").next().unwrap_or(bare).to_owned()
    }
}

/// Messages with their class, each naming its entry where it has one.
#[derive(Debug, Clone)]
pub struct Contribution {
    /// Why they are there.
    pub class: Class,
    /// For a summary or recall: the share of each bound (0 to 1) that it may take before history does; a tenth by default.
    pub reserve: Option<f64>,
    /// The messages, oldest first.
    pub pieces: Vec<Piece>,
    /// What is known of pieces that are not there, or were changed.
    pub lines: Vec<Line>,
    /// What of the log was not looked at.
    pub unvisited: Unvisited,
    /// Of history: instructions that it holds. They never yield, and stand before it.
    pub system: Vec<Piece>,
    /// Of history: how much of it is told.
    pub window: Window,
    /// Of history: how tool use is replayed, where a view does.
    pub replay: Option<Replay>,
    /// Of history: cards that wait, newest first. Those that the window does not hold are told in one note at the end.
    pub waiting: Vec<WaitingCard>,
    /// Of history: calls that wait for a person.
    pub held: Vec<CallId>,
    /// Of history: entries that read as a user's and begin no turn, such as confirmations.
    pub asides: Vec<EntryId>,
}

impl Contribution {
    /// Nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::of(Class::Fixed, Vec::new())
    }

    /// Messages that never yield.
    #[must_use]
    pub fn fixed(messages: impl IntoIterator<Item = ModelMessage>) -> Self {
        let pieces = messages.into_iter().map(|message| Piece { message, entry: None });
        Self::of(Class::Fixed, pieces.collect())
    }

    /// Pieces of a class.
    #[must_use]
    pub fn of(class: Class, pieces: Vec<Piece>) -> Self {
        Self {
            class,
            reserve: None,
            pieces,
            lines: Vec::new(),
            unvisited: Unvisited::Nothing,
            system: Vec::new(),
            window: Window::default(),
            replay: None,
            waiting: Vec::new(),
            held: Vec::new(),
            asides: Vec::new(),
        }
    }
}

/// Nothing.
impl From<()> for Contribution {
    fn from((): ()) -> Self {
        Self::none()
    }
}

/// One message that never yields.
impl From<ModelMessage> for Contribution {
    fn from(message: ModelMessage) -> Self {
        Self::fixed([message])
    }
}

/// Several messages that never yield.
impl From<Vec<ModelMessage>> for Contribution {
    fn from(messages: Vec<ModelMessage>) -> Self {
        Self::fixed(messages)
    }
}

/// A message that never yields, or nothing.
impl From<Option<ModelMessage>> for Contribution {
    fn from(message: Option<ModelMessage>) -> Self {
        Self::fixed(message)
    }
}

/// A resolver whose type is forgotten.
pub(crate) trait AnyResolver: Send + Sync {
    fn resolve_boxed<'a>(&'a self, cx: &'a Context) -> BoxedResolve<'a>;
    fn any_name(&self) -> String;
    fn any_view(&self) -> Option<&HistoryView>;
}

pub(crate) type BoxedResolve<'a> = std::pin::Pin<Box<dyn Future<Output = Result<Contribution, ResolveError>> + Send + 'a>>;

impl<R: Resolver> AnyResolver for R {
    fn resolve_boxed<'a>(&'a self, cx: &'a Context) -> BoxedResolve<'a> {
        Box::pin(self.resolve(cx))
    }

    fn any_name(&self) -> String {
        self.name()
    }

    fn any_view(&self) -> Option<&HistoryView> {
        self.view()
    }
}
