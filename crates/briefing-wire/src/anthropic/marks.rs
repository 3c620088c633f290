//! "A maximum of 4 blocks with cache_control may be provided": those of blocks and tools that are sent byte for byte stay first,
//! then those of tools and system text, then the newest.

use std::borrow::Cow;

use briefing::Wire;

use super::{Block, Body};
use crate::finding::WireChange;
use crate::raw::{has_member, without_member};
use crate::scribe::Scribe;
use crate::tools::Declared;
use crate::write::{Fields, MARK};

const MOST: usize = 4;

/// Takes the marks that are too many.
pub(super) fn settle(body: &mut Body<'_>, scribe: &mut Scribe<'_>) {
    let on_body = body.parameters.iter().any(|(name, value)| *name == MARK && value.trim() != "null");
    let mut marks = Marks { left: MOST - usize::from(on_body), taken: 0, raws: true };
    marks.walk(body);
    marks.raws = false;
    marks.walk(body);
    for _ in 0..marks.taken {
        scribe.note_body(WireChange::FieldLeftOut { name: MARK.to_owned() });
    }
}

/// Walks twice: over what is sent byte for byte, then over the rest.
struct Marks {
    left: usize,
    taken: usize,
    raws: bool,
}

impl Marks {
    fn walk(&mut self, body: &mut Body<'_>) {
        for tool in &mut body.tools {
            match tool {
                Declared::Function { fields, .. } => self.fields(fields),
                Declared::Raw { raw, .. } => self.raw(raw),
            }
        }
        body.system.iter_mut().for_each(|block| self.block(block));
        body.messages.iter_mut().rev().flat_map(|message| message.blocks.iter_mut().rev()).for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &mut Block<'_>) {
        match block {
            Block::Raw(raw) | Block::Thinking(raw) => self.raw(raw),
            Block::Text { fields, .. } | Block::File { fields, .. } | Block::Call { fields, .. } => self.fields(fields),
            Block::Outcome { blocks, fields, .. } => {
                self.fields(fields);
                blocks.iter_mut().rev().for_each(|block| self.block(block));
            }
        }
    }

    fn fields(&mut self, fields: &mut Fields<'_>) {
        if !self.raws && fields.marked(Wire::Anthropic) && !self.takes() {
            fields.unmark();
        }
    }

    /// A mark is the client's, not the provider's: without it the block is again what the provider gave.
    fn raw(&mut self, raw: &mut Cow<'_, str>) {
        if self.raws && has_member(raw, MARK) && !self.takes() {
            *raw = Cow::Owned(without_member(raw, MARK).unwrap_or_default());
        }
    }

    /// Whether one more mark may stay.
    fn takes(&mut self) -> bool {
        let left = self.left.checked_sub(1);
        self.taken += usize::from(left.is_none());
        self.left = left.unwrap_or_default();
        left.is_some()
    }
}
