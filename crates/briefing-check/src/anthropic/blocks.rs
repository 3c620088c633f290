//! The blocks of a message.

use briefing_json::{Kind, Path, Value, present};

use super::{Ending, List, call_ids};
use crate::fault::{Fault, IdRule, Role, Shape, clip};
use crate::ledger::Spot;
use crate::media;
use crate::report::{Findings, text};
use crate::tools;

/// The longest name of a tool, by Anthropic's schema.
pub(super) const MAX_NAME: usize = 128;

/// "A maximum of 4 blocks with cache_control may be provided."
const MAX_CACHE_MARKS: usize = 4;

/// How many blocks carry a cache mark.
#[derive(Debug, Default)]
pub(super) struct CacheMarks(usize);

impl CacheMarks {
    pub(super) fn count(&mut self, block: Value<'_>) {
        self.0 += usize::from(present(block, "cache_control").is_some());
    }

    pub(super) fn check(&self, out: &mut Findings) {
        if self.0 > MAX_CACHE_MARKS {
            out.add(&Path::ROOT, Fault::TooManyCacheMarks { count: self.0, most: MAX_CACHE_MARKS });
        }
    }
}

/// The walk along the blocks of one message.
pub(super) struct Blocks<'l, 'c, 'd> {
    pub(super) list: &'l mut List<'c, 'd>,
    pub(super) role: Role,
    /// The message's index.
    pub(super) message: usize,
    pub(super) ending: Ending,
}

impl<'d> Blocks<'_, '_, 'd> {
    /// Content that is a string. Gives whether it is empty.
    pub(super) fn plain(&mut self, text: &str, at: &Path<'_>) -> bool {
        self.saw("text", None);
        if !text.is_empty() && text.trim().is_empty() {
            self.list.out.add(at, Fault::BlankText);
        }
        text.is_empty()
    }

    /// Content that is an array. Gives whether it is empty.
    pub(super) fn walk(&mut self, content: Value<'d>, at: &Path<'_>) -> bool {
        for (item, block) in content.items().enumerate() {
            self.block(block, item, &at.index(item));
        }
        content.items().next().is_none()
    }

    fn block(&mut self, block: Value<'d>, item: usize, at: &Path<'_>) {
        if self.list.out.shaped(at, block, Shape::Object).is_none() {
            return;
        }
        self.list.marks.count(block);
        let Some(kind) = self.list.out.need_text(at, block, "type") else { return };
        self.saw(&kind, Some(item));
        if !may_stand(&kind, self.role) {
            self.list.out.add(at, Fault::PartNotAllowed { kind: clip(&kind), role: self.role });
            return;
        }
        match kind.as_ref() {
            "text" => text_block(block, true, at, self.list.out),
            "image" => self.image(block, at),
            "document" => document(block, at, self.list.out),
            "tool_use" => self.call(block, item, at),
            "tool_result" => self.outcome(block, at),
            "thinking" => signed(block, "signature", at, self.list.out),
            "redacted_thinking" => signed(block, "data", at, self.list.out),
            "server_tool_use" | "mcp_tool_use" => self.server_use(block, at),
            kind if is_server_result(kind) => self.server_result(block, at),
            "search_result" | "container_upload" | "mid_conv_system" => {}
            // What the model itself wrote may be newer than this list.
            _ if self.role != Role::User => {}
            kind => self.list.out.add(at, Fault::UnknownPart { kind: clip(kind) }),
        }
    }

    /// Notes what the later rules need to know of a block.
    fn saw(&mut self, kind: &str, item: Option<usize>) {
        self.ending = match kind {
            "tool_use" => Ending::Call,
            "server_tool_use" | "mcp_tool_use" => Ending::Server,
            kind if is_server_result(kind) => Ending::Server,
            _ => Ending::Text,
        };
        match self.role {
            Role::Assistant => self.list.open.assistant(kind, self.message, item),
            Role::User if kind != "tool_result" => {
                self.list.other_content = true;
                self.list.open.asked();
            }
            Role::User | Role::System | Role::Developer | Role::Tool | Role::Function | Role::Model => {}
        }
    }

    fn image(&mut self, block: Value<'_>, at: &Path<'_>) {
        if !self.list.rules.vision {
            self.list.out.add(at, Fault::ImageNotSupported);
        }
        image(block, at, self.list.out);
    }

    fn call(&mut self, block: Value<'d>, item: usize, at: &Path<'_>) {
        let id = self.list.out.need_text(at, block, "id");
        if let Some(id) = &id {
            tools::id(id, IdRule::Word, &at.key("id"), self.list.out);
            if let Some(fault) = self.list.ledger.call(id.clone(), Spot { message: self.message, item }) {
                self.list.out.add(&at.key("id"), fault);
            }
        }
        if let Some(name) = self.list.out.need_text(at, block, "name") {
            tools::name(&name, MAX_NAME, &at.key("name"), self.list.out);
        }
        match present(block, "input").map(Value::kind) {
            Some(Kind::Object) => {}
            Some(_) => self.list.out.add(&at.key("input"), Fault::ArgumentsNotObject { id: clip(&id.unwrap_or_default()) }),
            None => self.list.out.add(at, Fault::Missing { key: "input" }),
        }
    }

    fn outcome(&mut self, block: Value<'d>, at: &Path<'_>) {
        let id = self.list.out.need_text(at, block, "tool_use_id");
        if let Some(id) = &id {
            tools::id(id, IdRule::Word, &at.key("tool_use_id"), self.list.out);
            let messages = self.list.messages;
            match self.list.ledger.outcome(id, || call_ids(messages)) {
                Some(fault) => self.list.out.add(at, fault),
                None if self.list.other_content && self.list.ledger.has_calls() => {
                    self.list.out.add(at, Fault::OutcomeNotFirst { id: clip(id) });
                }
                None => {}
            }
        }
        self.outcome_content(block, &id.unwrap_or_default(), at);
    }

    /// A result without `content` is the documentation's own example, unless it is an error: "content cannot be empty if
    /// `is_error` is true". One with empty content is report B20.
    fn outcome_content(&mut self, block: Value<'d>, id: &str, at: &Path<'_>) {
        let strict = !self.list.rules.empty_outcomes;
        let failed = block.get("is_error").and_then(Value::as_bool).unwrap_or(false);
        if strict && failed && present(block, "content").is_none() {
            self.list.out.add(at, Fault::EmptyOutcome { id: clip(id) });
        }
        let Some(content) = self.list.out.optional(at, block, "content", Shape::Content) else { return };
        let at = at.key("content");
        if strict && (content.raw() == "\"\"" || (content.kind() == Kind::Array && content.items().next().is_none())) {
            self.list.out.add(&at, Fault::EmptyOutcome { id: clip(id) });
        }
        for (index, part) in content.items().enumerate() {
            self.outcome_part(part, &at.index(index));
        }
    }

    fn outcome_part(&mut self, part: Value<'d>, at: &Path<'_>) {
        if self.list.out.shaped(at, part, Shape::Object).is_none() {
            return;
        }
        self.list.marks.count(part);
        let Some(kind) = self.list.out.need_text(at, part, "type") else { return };
        match kind.as_ref() {
            "text" => text_block(part, false, at, self.list.out),
            "image" => self.image(part, at),
            "document" => document(part, at, self.list.out),
            "search_result" | "tool_reference" => {}
            kind => self.list.out.add(at, Fault::UnknownPart { kind: clip(kind) }),
        }
    }

    fn server_use(&mut self, block: Value<'d>, at: &Path<'_>) {
        let Some(id) = self.list.out.need_text(at, block, "id") else { return };
        tools::id(&id, IdRule::Word, &at.key("id"), self.list.out);
        self.list.server_uses.insert(id);
    }

    /// "unexpected `tool_use_id` found in `advisor_tool_result` blocks: … must have a corresponding `server_tool_use` block
    /// before it" (anthropics/claude-code#64383).
    fn server_result(&mut self, block: Value<'d>, at: &Path<'_>) {
        let Some(id) = self.list.out.need_text(at, block, "tool_use_id") else { return };
        if !self.list.server_uses.contains(&id) {
            self.list.out.add(at, Fault::OrphanServerResult { id: clip(&id) });
        }
    }
}

fn is_server_result(kind: &str) -> bool {
    kind.ends_with("_tool_result")
}

/// "`tool_use` blocks can only be in `assistant` messages", "`tool_result` blocks can only be in `user` messages".
fn may_stand(kind: &str, role: Role) -> bool {
    match kind {
        "tool_use" | "server_tool_use" | "mcp_tool_use" | "thinking" | "redacted_thinking" => role == Role::Assistant,
        "tool_result" => role == Role::User,
        _ => true,
    }
}

/// Checks a text block: "text content blocks must be non-empty" (report B54), and outside results "must contain non-whitespace
/// text".
pub(super) fn text_block(block: Value<'_>, visible: bool, at: &Path<'_>, out: &mut Findings) {
    let Some(text) = out.need_text(at, block, "text") else { return };
    if text.is_empty() {
        out.add(at, Fault::EmptyText);
        if present(block, "cache_control").is_some() {
            out.add(&at.key("cache_control"), Fault::CacheMarkOnEmptyText);
        }
    } else if visible && text.trim().is_empty() {
        out.add(at, Fault::BlankText);
    }
}

/// A block that only its seal makes valid; the rest may be empty (report B60).
fn signed(block: Value<'_>, key: &'static str, at: &Path<'_>, out: &mut Findings) {
    if out.need_text(at, block, key).is_some_and(|seal| seal.is_empty()) {
        out.add(at, Fault::Missing { key });
    }
}

fn image(block: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    let Some(source) = out.need(at, block, "source", Shape::Object) else { return };
    let at = at.key("source");
    if text(source, "type").as_deref() == Some("base64") {
        if let Some(media_type) = out.need_text(&at, source, "media_type") {
            media::image_type(&media_type, &at.key("media_type"), out);
        }
        base64(source, Some(media::MAX_ANTHROPIC_IMAGE), &at, out);
    } else {
        other_source(source, &at, out);
    }
}

fn document(block: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    let Some(source) = out.need(at, block, "source", Shape::Object) else { return };
    let at = at.key("source");
    match text(source, "type").as_deref() {
        Some("base64") => {
            media_type(source, "application/pdf", &at, out);
            base64(source, None, &at, out);
        }
        Some("text") => {
            media_type(source, "text/plain", &at, out);
            out.need(&at, source, "data", Shape::String);
        }
        _ => other_source(source, &at, out),
    }
}

fn media_type(source: Value<'_>, only: &str, at: &Path<'_>, out: &mut Findings) {
    match out.need_text(at, source, "media_type") {
        Some(found) if found != only => out.add(&at.key("media_type"), Fault::MediaType { found: clip(&found) }),
        Some(_) | None => {}
    }
}

fn base64(source: Value<'_>, most: Option<usize>, at: &Path<'_>, out: &mut Findings) {
    if let Some(data) = out.need_text(at, source, "data") {
        media::data(&data, most, &at.key("data"), out);
    }
}

/// A source that is an address, a file id, or of a type not known here.
fn other_source(source: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    let key = match out.need_text(at, source, "type").as_deref() {
        Some("url") => "url",
        Some("file") => "file_id",
        _ => return,
    };
    if out.need_text(at, source, key).is_some_and(|value| value.is_empty()) {
        out.add(&at.key(key), Fault::EmptyMedia);
    }
}
