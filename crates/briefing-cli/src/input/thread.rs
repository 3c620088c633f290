//! The thread of a mail that is answered.

use std::sync::Arc;

use briefing::Inbound;
use briefing::ports::{Files, History};

use crate::describe::Lookup;
use crate::input::notes::Note;

/// The thread of a mail that is answered, wherever it is kept.
pub(crate) struct ThreadOfMail {
    pub(crate) current: Inbound,
    pub(crate) history: Arc<dyn History>,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) lookup: Box<Lookup>,
    /// What was found, in a few words.
    pub(crate) found: String,
    pub(crate) notes: Vec<Note>,
}
