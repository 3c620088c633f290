//! "A maximum of 4 blocks with cache_control may be provided": those of tools and system text stay, then the newest.

use briefing::Wire;

use super::{Block, Body};
use crate::finding::WireChange;
use crate::raw::look;
use crate::scribe::Scribe;
use crate::tools::Declared;
use crate::write::Fields;

const MOST: usize = 4;

/// Takes the marks that are too many.
pub(super) fn settle(body: &mut Body<'_>, scribe: &mut Scribe<'_>) {
    let mut marks = Marks { left: MOST, taken: 0 };
    marks.left -= usize::from(body.parameters.iter().any(|(name, _)| *name == "cache_control"));
    for tool in &mut body.tools {
        match tool {
            Declared::Function { fields, .. } => marks.fields(fields),
            Declared::Raw(raw) => marks.raw(raw.as_str()),
        }
    }
    body.system.iter_mut().for_each(|block| marks.block(block));
    body.messages.iter_mut().rev().flat_map(|message| message.blocks.iter_mut().rev()).for_each(|block| marks.block(block));
    for _ in 0..marks.taken {
        scribe.note_body(WireChange::FieldLeftOut { name: "cache_control".to_owned() });
    }
}

struct Marks {
    left: usize,
    taken: usize,
}

impl Marks {
    fn block(&mut self, block: &mut Block<'_>) {
        match block {
            Block::Raw(raw) | Block::Thinking(raw) => self.raw(raw.as_str()),
            Block::Text { fields, .. } | Block::File { fields, .. } | Block::Call { fields, .. } => self.fields(fields),
            Block::Outcome { blocks, fields, .. } => {
                self.fields(fields);
                blocks.iter_mut().rev().for_each(|block| self.block(block));
            }
        }
    }

    fn fields(&mut self, fields: &mut Fields<'_>) {
        if !fields.marked(Wire::Anthropic) {
            return;
        }
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => {
                fields.unmark();
                self.taken += 1;
            }
        }
    }

    /// A block that is sent byte for byte keeps its mark.
    fn raw(&mut self, raw: &str) {
        if raw.contains("cache_control")
            && look(raw, |block| block.get("cache_control").filter(|mark| !mark.is_null()).map(drop)).is_some()
        {
            self.left = self.left.saturating_sub(1);
        }
    }
}
