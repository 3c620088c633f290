//! The thread of what is answered.

use std::sync::Arc;

use briefing::Inbound;
use briefing::message::EntryId;
use briefing::ports::{Files, History};
use briefing_store::AnchorKey;

use crate::describe::Lookup;
use crate::error::Failure;
use crate::input::notes::Note;
use crate::reader::Reader;

/// The thread of what is answered, wherever it is kept.
pub(crate) struct AnsweredThread {
    pub(crate) current: Inbound,
    pub(crate) history: Arc<dyn History>,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) lookup: Box<Lookup>,
    /// Where windows with strides begin; in memory nothing is kept of that.
    pub(crate) anchors: Option<Box<Anchors>>,
    /// What reads the texts of files, in a database.
    pub(crate) reader: Option<Arc<Reader>>,
    /// What was found, in a few words.
    pub(crate) found: String,
    pub(crate) notes: Vec<Note>,
}

/// Finds where a window begins.
pub(crate) type Anchors = dyn Fn(&AnchorKey) -> Result<Option<EntryId>, Failure>;
