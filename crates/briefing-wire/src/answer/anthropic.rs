//! The events of an Anthropic stream, put together as the message that they amount to.
//!
//! `message_start` holds the message without its content, each block comes as a start, deltas and a stop, `message_delta` holds
//! why it stopped, and `message_stop` ends it.

use std::collections::HashMap;

use briefing::Wire;
use briefing::message::{CallId, Input};
use briefing_json::{Value, present, quoted};

use super::UnfinishedCall;
use super::grow::{Node, Object, list};
use super::read::is_text;
use super::stop::Stop;
use super::stream::{Notes, Rebuilt, StreamEvent};
use super::usage::AnthropicUsage;
use crate::raw::text_of;

/// The message so far.
#[derive(Debug, Default)]
pub(super) struct Response {
    started: bool,
    id: Option<String>,
    model: Option<String>,
    usage: Option<AnthropicUsage>,
    stop_reason: Option<String>,
    blocks: Vec<Block>,
    by_index: HashMap<u64, usize>,
    calls: usize,
    ended: bool,
}

#[derive(Debug)]
struct Block {
    /// As the start has it, until something is added.
    raw: Option<String>,
    fields: Object,
    kind: String,
    /// Which call of the answer it is.
    call: Option<usize>,
    /// The arguments as they come; those that the start held until then.
    input: String,
    open: bool,
}

impl Response {
    pub(super) fn take(&mut self, name: &str, event: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        let kind = text_of(event, "type").unwrap_or_else(|| name.to_owned());
        let used = match kind.as_str() {
            "ping" => true,
            "message_start" => self.message_start(event, out),
            "content_block_start" => self.block_start(event, out),
            "content_block_delta" => self.block_delta(event, notes, out),
            "content_block_stop" => self.block_stop(event, out),
            "message_delta" => self.message_delta(event, out),
            "message_stop" => {
                let open = self.blocks.iter().filter(|block| block.open && Input::new(block.input.as_str()).is_object());
                out.extend(open.filter_map(|block| block.call).map(|call| StreamEvent::CallDone { call }));
                self.ended = true;
                true
            }
            _ => false,
        };
        if !used {
            notes.unused(&kind);
        }
    }

    fn message_start(&mut self, event: Value<'_>, out: &mut Vec<StreamEvent>) -> bool {
        let Some(message) = present(event, "message").filter(|_| !self.started) else { return false };
        self.started = true;
        self.id = text_of(message, "id");
        self.model = text_of(message, "model");
        self.usage(message, out);
        // A turn that goes on from code that ran may begin with blocks, and be over.
        let content = message.get("content").into_iter().flat_map(Value::items);
        for block in content {
            self.begin(block, None, out);
            self.end(self.blocks.len().saturating_sub(1), out);
        }
        self.stop(message, out);
        true
    }

    fn message_delta(&mut self, event: Value<'_>, out: &mut Vec<StreamEvent>) -> bool {
        let Some(delta) = present(event, "delta") else { return false };
        self.usage(event, out);
        self.stop(delta, out);
        true
    }

    fn usage(&mut self, holder: Value<'_>, out: &mut Vec<StreamEvent>) {
        let Some(counted) = present(holder, "usage") else { return };
        let known = self.usage.get_or_insert_default();
        known.update(AnthropicUsage::of(counted));
        out.push(StreamEvent::Usage(known.usage()));
    }

    fn stop(&mut self, holder: Value<'_>, out: &mut Vec<StreamEvent>) {
        if let Some(reason) = text_of(holder, "stop_reason") {
            out.push(StreamEvent::Stop(Stop::named(Wire::Anthropic, &reason)));
            self.stop_reason = Some(reason);
        }
    }

    fn block_start(&mut self, event: Value<'_>, out: &mut Vec<StreamEvent>) -> bool {
        let Some(index) = index(event) else { return false };
        let Some(block) = present(event, "content_block") else { return false };
        !self.by_index.contains_key(&index) && self.begin(block, Some(index), out)
    }

    fn begin(&mut self, block: Value<'_>, index: Option<u64>, out: &mut Vec<StreamEvent>) -> bool {
        let Some(kind) = text_of(block, "type") else { return false };
        let texts = ["id", "name", "text"];
        if texts.iter().any(|key| present(block, key).is_some_and(|value| !is_text(value))) {
            return false;
        }
        let call = (kind == "tool_use").then_some(self.calls);
        self.calls += usize::from(call.is_some());
        let begun = Block {
            raw: Some(block.raw().to_owned()),
            fields: Object::flat(block),
            kind,
            call,
            input: String::new(),
            open: true,
        };
        match begun.kind.as_str() {
            "text" | "thinking" => {
                let text = begun.fields.text(&begun.kind);
                out.extend((!text.is_empty()).then(|| said(&begun.kind, text)));
            }
            "tool_use" => out.extend(call.map(|call| StreamEvent::CallBegun {
                call,
                id: CallId::new(begun.fields.text("id")),
                name: begun.fields.text("name"),
            })),
            _ => out.push(StreamEvent::Native { kind: begun.kind.clone() }),
        }
        if begun.kind == "fallback" {
            // Another model goes on; Anthropic's SDK names the message after it, too.
            self.model = present(block, "to").and_then(|to| text_of(to, "model")).or(self.model.take());
        }
        if let Some(index) = index {
            self.by_index.insert(index, self.blocks.len());
        }
        self.blocks.push(begun);
        true
    }

    fn block_delta(&mut self, event: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) -> bool {
        let at = index(event).and_then(|index| self.by_index.get(&index).copied());
        let block = at.and_then(|at| self.blocks.get_mut(at)).filter(|block| block.open);
        let (Some(block), Some(delta)) = (block, present(event, "delta")) else { return false };
        block.raw = None;
        let kind = text_of(delta, "type").unwrap_or_default();
        let text = |key: &str| delta.get(key).filter(|value| is_text(*value));
        match kind.as_str() {
            "text_delta" | "thinking_delta" => {
                let key = kind.trim_end_matches("_delta");
                let Some(piece) = text(key) else { return false };
                let news = block.fields.append(key, piece);
                out.extend((!news.is_empty()).then(|| said(key, news)));
            }
            "input_json_delta" => {
                let Some(piece) = text("partial_json").and_then(Value::as_str) else { return false };
                block.input.push_str(&piece);
                let call = block.call.filter(|_| !piece.is_empty());
                out.extend(call.map(|call| StreamEvent::CallInput { call, text: piece.into_owned() }));
            }
            "signature_delta" => {
                let Some(signature) = text("signature") else { return false };
                block.fields.set("signature", Node::raw(signature));
            }
            "citations_delta" => {
                let Some(citation) = present(delta, "citation") else { return false };
                block.fields.push("citations", citation);
            }
            _ => {
                // `compaction_delta`, and what is newer than this list.
                if kind != "compaction_delta" {
                    notes.unused(&kind);
                }
                for (key, value) in delta.entries().filter(|(key, _)| key != "type") {
                    block.fields.merge(&key, value);
                }
            }
        }
        true
    }

    fn block_stop(&mut self, event: Value<'_>, out: &mut Vec<StreamEvent>) -> bool {
        let at = index(event).and_then(|index| self.by_index.get(&index).copied());
        at.is_some_and(|at| self.end(at, out))
    }

    fn end(&mut self, at: usize, out: &mut Vec<StreamEvent>) -> bool {
        let Some(block) = self.blocks.get_mut(at).filter(|block| block.open) else { return false };
        block.open = false;
        if let Some(call) = block.call {
            let held = block.input.is_empty().then(|| block.held_input()).flatten();
            out.extend(held.map(|text| StreamEvent::CallInput { call, text }));
            out.push(StreamEvent::CallDone { call });
        }
        true
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The message. Of one that was cut off, what did not end is left out unless it is text.
    pub(super) fn rebuild(self, whole: bool) -> Rebuilt {
        let mut out = Rebuilt::default();
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for block in self.blocks {
            match block.kind.as_str() {
                _ if whole || !block.open => blocks.push(block),
                "text" if !block.fields.text("text").is_empty() => blocks.push(block),
                "text" => {}
                "tool_use" => out.unfinished.push(UnfinishedCall {
                    id: CallId::new(block.fields.text("id")),
                    name: block.fields.text("name"),
                    input: block.input,
                }),
                _ => out.left_out.push(block.kind),
            }
        }
        let json = &mut out.json;
        json.push('{');
        for (key, value) in [("id", &self.id), ("model", &self.model), ("stop_reason", &self.stop_reason)] {
            if let Some(value) = value {
                json.push_str(&format!("\"{key}\":{},", quoted(value)));
            }
        }
        if let Some(usage) = self.usage {
            json.push_str(&format!("\"usage\":{},", usage.json()));
        }
        json.push_str("\"content\":");
        list(json, blocks, Block::write);
        json.push('}');
        out
    }
}

impl Block {
    /// The arguments that the start held, unless they are empty.
    fn held_input(&self) -> Option<String> {
        let mut held = String::new();
        self.fields.get("input")?.write(&mut held);
        (held != "{}" && held != "null").then_some(held)
    }

    fn write(mut self, out: &mut String) {
        if !self.input.is_empty() {
            self.fields.set("input", Node::Json(self.input));
        }
        match self.raw {
            Some(raw) => out.push_str(&raw),
            None => self.fields.write(out),
        }
    }
}

fn index(event: Value<'_>) -> Option<u64> {
    event.get("index")?.raw().parse().ok()
}

fn said(kind: &str, text: String) -> StreamEvent {
    if kind == "thinking" { StreamEvent::Reasoning { text } } else { StreamEvent::Text { text } }
}
