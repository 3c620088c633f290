//! The events of an OpenAI Responses stream, put together as the response that they amount to.
//!
//! `response.output_item.done` holds an item whole, and `response.completed` or `response.incomplete` the response; what comes in
//! pieces before is told, and matters only if the stream is cut off.

use std::collections::BTreeMap;

use briefing::Wire;
use briefing::message::{CallId, Item};
use briefing_json::{Document, Path, Value, present, quoted};

use super::UnfinishedCall;
use super::error::{ProviderError, of_object};
use super::grow::{Grown, list};
use super::read::is_text;
use super::stop::Stop;
use super::stream::{Notes, Rebuilt, StreamEvent};
use super::usage::usage;
use crate::openai_responses::output_item;
use crate::parse::Reader;
use crate::raw::text_of;

const WIRE: Wire = Wire::OpenAiResponses;

/// The response so far.
#[derive(Debug, Default)]
pub(super) struct Response {
    id: Option<String>,
    model: Option<String>,
    /// By the place in the output.
    items: BTreeMap<u64, Slot>,
    calls: usize,
    /// The response as its last event holds it.
    last: Option<String>,
}

/// An item of the output.
#[derive(Debug, Default)]
struct Slot {
    kind: String,
    /// The item, once it is whole.
    done: Option<String>,
    /// Which call of the answer it is, the provider's id of it, and the tool's name.
    call: Option<(usize, CallId, String)>,
    /// The arguments so far.
    input: String,
    /// The texts so far, by their place in the content.
    texts: BTreeMap<u64, (&'static str, Grown)>,
    /// Whether something of it was told.
    told: bool,
}

impl Response {
    /// Takes an event. An error if it says that the response failed.
    pub(super) fn take(
        &mut self,
        name: &str,
        event: Value<'_>,
        notes: &mut Notes,
        out: &mut Vec<StreamEvent>,
    ) -> Result<(), ProviderError> {
        let kind = text_of(event, "type").unwrap_or_else(|| name.to_owned());
        let used = match kind.as_str() {
            "response.created" | "response.queued" | "response.in_progress" => self.created(event),
            "response.output_item.added" => self.added(event, out),
            "response.output_item.done" => self.item_done(event, out),
            "response.output_text.delta" => self.text(event, "output_text", out),
            "response.refusal.delta" => self.text(event, "refusal", out),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => self.reasoning(event, out),
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => self.input(event, out),
            "response.failed" => return Err(self.failed(event)),
            "response.completed" | "response.incomplete" | "response.cancelled" => self.ended(event, out),
            kind => is_told_elsewhere(kind),
        };
        if !used {
            notes.unused(&kind);
        }
        Ok(())
    }

    fn created(&mut self, event: Value<'_>) -> bool {
        let Some(response) = present(event, "response") else { return false };
        self.id = self.id.take().or_else(|| text_of(response, "id"));
        self.model = self.model.take().or_else(|| text_of(response, "model"));
        true
    }

    fn failed(&mut self, event: Value<'_>) -> ProviderError {
        self.created(event);
        let response = present(event, "response");
        self.last = response.map(|response| response.raw().to_owned());
        let error = response.and_then(|response| present(response, "error"));
        error.map_or_else(|| of_object(event), of_object)
    }

    fn ended(&mut self, event: Value<'_>, out: &mut Vec<StreamEvent>) -> bool {
        let Some(response) = present(event, "response") else { return false };
        self.last = Some(response.raw().to_owned());
        if self.items.is_empty() {
            // A server that tells its items here alone.
            let items = response.get("output").into_iter().flat_map(Value::items);
            for (at, item) in (0_u64..).zip(items.filter(|item| is_readable(*item))) {
                self.whole(at, item, out);
            }
        }
        if let Some(counted) = present(response, "usage") {
            out.push(StreamEvent::Usage(usage(WIRE, counted)));
        }
        out.push(StreamEvent::Stop(Stop::of_response(response)));
        true
    }

    fn added(&mut self, event: Value<'_>, out: &mut Vec<StreamEvent>) -> bool {
        let (Some(at), Some(item)) = (place(event), present(event, "item")) else { return false };
        if self.items.contains_key(&at) || !is_readable(item) {
            return false;
        }
        let slot = self.begin(item, out);
        self.items.insert(at, slot);
        true
    }

    fn begin(&mut self, item: Value<'_>, out: &mut Vec<StreamEvent>) -> Slot {
        let mut slot = Slot { kind: text_of(item, "type").unwrap_or_default(), ..Slot::default() };
        if slot.kind.ends_with("_call") {
            slot.call = said(item).into_iter().find_map(|item| match item {
                Item::Call(call) => Some(self.call(call.id, call.name, out)),
                Item::Text(_) | Item::Reasoning(_) | Item::Native(_) => None,
            });
        }
        if slot.call.is_none() && !matches!(slot.kind.as_str(), "message" | "reasoning") {
            out.push(StreamEvent::Native { kind: slot.kind.clone() });
        }
        slot
    }

    fn call(&mut self, id: CallId, name: String, out: &mut Vec<StreamEvent>) -> (usize, CallId, String) {
        let call = self.calls;
        self.calls += 1;
        out.push(StreamEvent::CallBegun { call, id: id.clone(), name: name.clone() });
        (call, id, name)
    }

    fn item_done(&mut self, event: Value<'_>, out: &mut Vec<StreamEvent>) -> bool {
        let (Some(at), Some(item)) = (place(event), present(event, "item")) else { return false };
        let usable = self.items.get(&at).is_none_or(|slot| slot.done.is_none()) && is_readable(item);
        if usable {
            self.whole(at, item, out);
        }
        usable
    }

    /// An item is whole.
    fn whole(&mut self, at: u64, item: Value<'_>, out: &mut Vec<StreamEvent>) {
        let mut slot = match self.items.remove(&at) {
            Some(slot) => slot,
            None => self.begin(item, out),
        };
        for item in said(item) {
            match item {
                Item::Call(call) => {
                    let (number, ..) = slot.call.get_or_insert_with(|| self.call(call.id, call.name, out));
                    let text = call.input.raw().to_owned();
                    out.extend(
                        (slot.input.is_empty() && !text.is_empty()).then_some(StreamEvent::CallInput { call: *number, text }),
                    );
                }
                Item::Text(text) if !slot.told && !text.text.is_empty() => out.push(StreamEvent::Text { text: text.text }),
                Item::Text(_) | Item::Reasoning(_) | Item::Native(_) => {}
            }
        }
        // The whole replaces the pieces.
        let ended = text_of(item, "status").as_deref() != Some("incomplete");
        let call = slot.call.as_ref().filter(|_| ended).map(|(call, ..)| *call);
        out.extend(call.map(|call| StreamEvent::CallDone { call }));
        self.items.insert(at, Slot { done: Some(item.raw().to_owned()), ..Slot::default() });
    }

    /// The item that a delta goes on, and the delta.
    fn open<'e>(&mut self, event: Value<'e>) -> Option<(&mut Slot, Value<'e>)> {
        let delta = event.get("delta").filter(|delta| is_text(*delta))?;
        let slot = self.items.get_mut(&place(event)?).filter(|slot| slot.done.is_none())?;
        Some((slot, delta))
    }

    fn text(&mut self, event: Value<'_>, kind: &'static str, out: &mut Vec<StreamEvent>) -> bool {
        let index = event.get("content_index").and_then(|index| index.raw().parse().ok()).unwrap_or(0);
        let Some((slot, delta)) = self.open(event) else { return false };
        let (_, text) = slot.texts.entry(index).or_insert_with(|| (kind, Grown::default()));
        let text = text.append(delta);
        slot.told = true;
        out.extend((!text.is_empty()).then_some(match kind {
            "refusal" => StreamEvent::Refusal { text },
            _ => StreamEvent::Text { text },
        }));
        true
    }

    fn reasoning(&mut self, event: Value<'_>, out: &mut Vec<StreamEvent>) -> bool {
        let Some((_, delta)) = self.open(event) else { return false };
        let text = delta.as_str().unwrap_or_default().into_owned();
        out.extend((!text.is_empty()).then_some(StreamEvent::Reasoning { text }));
        true
    }

    fn input(&mut self, event: Value<'_>, out: &mut Vec<StreamEvent>) -> bool {
        let Some((slot, delta)) = self.open(event) else { return false };
        let text = delta.as_str().unwrap_or_default().into_owned();
        slot.input.push_str(&text);
        let call = slot.call.as_ref().filter(|_| !text.is_empty()).map(|(call, ..)| *call);
        out.extend(call.map(|call| StreamEvent::CallInput { call, text }));
        true
    }

    pub(super) fn has_ended(&self) -> bool {
        self.last.is_some()
    }

    /// The response. Its items are those that were told whole, unless its last event holds more.
    pub(super) fn rebuild(self, whole: bool) -> Rebuilt {
        let mut out = Rebuilt::default();
        let last = self.last.as_deref().and_then(|last| Document::parse(last).ok());
        let last = last.as_ref().map(Document::root);
        out.json.push('{');
        for key in ["id", "model", "status", "incomplete_details", "usage"] {
            let named = match key {
                "id" => self.id.as_deref(),
                "model" => self.model.as_deref(),
                _ => None,
            };
            let raw = last.and_then(|last| present(last, key)).map(|value| value.raw().to_owned());
            if let Some(raw) = raw.or_else(|| named.map(quoted)) {
                out.json.push_str(&format!("\"{key}\":{raw},"));
            }
        }
        let told = self.items.values().filter(|slot| slot.done.is_some()).count();
        let items = last.filter(|_| whole).and_then(|last| present(last, "output"));
        let items = items.filter(|items| items.items().count() > told && items.items().all(is_readable));
        out.json.push_str("\"output\":");
        match items {
            Some(items) => out.json.push_str(items.raw()),
            None => {
                let parts: Vec<String> = self.items.into_values().filter_map(|slot| slot.rebuild(&mut out)).collect();
                list(&mut out.json, parts, |item, json| json.push_str(&item));
            }
        }
        out.json.push('}');
        out
    }
}

impl Slot {
    /// The item; of one that is not whole, the text that came. It has no id, as nobody knows the item.
    fn rebuild(self, out: &mut Rebuilt) -> Option<String> {
        if self.done.is_some() {
            return self.done;
        }
        if let Some((_, id, name)) = self.call {
            out.unfinished.push(UnfinishedCall { id, name, input: self.input });
            return None;
        }
        let texts: Vec<_> = self.texts.into_values().filter(|(_, text)| !text.is_empty()).collect();
        if texts.is_empty() {
            if self.kind != "message" {
                out.left_out.push(self.kind);
            }
            return None;
        }
        let mut json = String::from("{\"type\":\"message\",\"role\":\"assistant\",\"content\":");
        list(&mut json, texts, |(kind, text), json| {
            let key = if kind == "refusal" { "refusal" } else { "text" };
            json.push_str(&format!("{{\"type\":\"{kind}\",\"{key}\":"));
            text.write(json);
            json.push('}');
        });
        json.push('}');
        Some(json)
    }
}

fn place(event: Value<'_>) -> Option<u64> {
    event.get("output_index")?.raw().parse().ok()
}

fn is_readable(item: Value<'_>) -> bool {
    output_item(item, &Path::Root, &mut Reader::new(WIRE)).is_ok()
}

/// What an item of the output reads as; nothing if it cannot be read.
fn said(item: Value<'_>) -> Vec<Item> {
    output_item(item, &Path::Root, &mut Reader::new(WIRE)).unwrap_or_default()
}

/// Events whose content the item holds, too, once it is whole: what was said in pieces, parts, and how far a tool is.
fn is_told_elsewhere(kind: &str) -> bool {
    const PARTS: [&str; 12] = [
        "output_text",
        "refusal",
        "content_part",
        "reasoning_summary_part",
        "reasoning_summary_text",
        "reasoning_text",
        "function_call_arguments",
        "custom_tool_call_input",
        "mcp_call_arguments",
        "code_interpreter_call_code",
        "mcp_call",
        "mcp_list_tools",
    ];
    let Some((part, _)) = kind.strip_prefix("response.").and_then(|rest| rest.split_once('.')) else { return false };
    PARTS.contains(&part) || part.ends_with("_call")
}
