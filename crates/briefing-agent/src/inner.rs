//! What an agent is made of.

use std::sync::Arc;

use briefing::Persona;
use briefing::message::{OwnerId, RunId};
use briefing_store::Store;
use uuid::Uuid;

use crate::engine::Engine;
use crate::model::{Learned, Model};
use crate::tool::ToolSet;
use crate::{Clock, Settings};

/// The parts of an agent.
#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) persona: Arc<Persona>,
    pub(crate) models: Vec<Model>,
    pub(crate) tools: Arc<ToolSet>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Settings,
    pub(crate) learned: Arc<Learned>,
}

impl Inner {
    pub(crate) fn owner(&self) -> &OwnerId {
        self.persona.owner()
    }

    /// An id for a run that no other has; those that begin later read as later.
    pub(crate) fn new_id(&self) -> RunId {
        // A clock may stand before the epoch of such ids.
        let now = u64::try_from(self.clock.now().as_second()).unwrap_or_default();
        let nanos = u32::try_from(self.clock.now().subsec_nanosecond()).unwrap_or_default();
        RunId::new(Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, now, nanos)).to_string())
    }

    /// Whether that is the address of the agent's persona.
    pub(crate) fn is_ours(&self, persona: &str) -> bool {
        persona.eq_ignore_ascii_case(self.persona.address())
    }
}
