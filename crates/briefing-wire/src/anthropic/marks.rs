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

/// Takes the marks that are too many. Gives how many may be added.
pub(super) fn settle(body: &mut Body<'_>, scribe: &mut Scribe<'_>) -> usize {
    let on_body = body.parameters.iter().any(|(name, value)| *name == MARK && value.trim() != "null");
    let mut marks = Marks { left: MOST - usize::from(on_body), taken: 0, raws: true };
    marks.walk(body);
    marks.raws = false;
    marks.walk(body);
    for _ in 0..marks.taken {
        scribe.note_body(WireChange::FieldLeftOut { name: MARK.to_owned() });
    }
    marks.left
}

/// Marks the stable boundaries, as far as there is room: what stands before the messages, then the end of what lasts, then the end of
/// the history, which is all that is left of this request once a turn's files and long outcomes read shorter.
pub(super) fn place(body: &mut Body<'_>, left: usize) {
    let mut left = left;
    let head = body.system.iter_mut().rev().find_map(fields_of).or_else(|| body.tools.iter_mut().rev().find_map(tool_fields));
    mark(head, &mut left);
    for count in [body.lasting, body.history] {
        let messages = body.messages.iter_mut().take(count).rev();
        mark(messages.flat_map(|message| message.blocks.iter_mut().rev()).find_map(fields_of), &mut left);
    }
}

fn mark(fields: Option<&mut Fields<'_>>, left: &mut usize) {
    if let Some(fields) = fields.filter(|fields| *left > 0 && !fields.marked(Wire::Anthropic)) {
        *fields = fields.mark();
        *left -= 1;
    }
}

/// The fields of a block that may be marked; thinking may not, and what is sent byte for byte stays so.
fn fields_of<'b, 'a>(block: &'b mut Block<'a>) -> Option<&'b mut Fields<'a>> {
    match block {
        Block::Text { fields, .. }
        | Block::File { fields, .. }
        | Block::Call { fields, .. }
        | Block::Outcome { fields, .. } => Some(fields),
        Block::Raw(_) | Block::Thinking(_) => None,
    }
}

fn tool_fields<'b, 'a>(tool: &'b mut Declared<'a>) -> Option<&'b mut Fields<'a>> {
    match tool {
        Declared::Function { fields, .. } => Some(fields),
        Declared::Raw { .. } => None,
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
            *fields = fields.without(MARK);
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
