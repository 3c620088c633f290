//! Writing `ModelMessage`, as version 6 takes it.

use std::collections::HashMap;

use briefing::ModelMessage;
use briefing::message::{Assistant, Item, Media, Outcome, Part, Reasoning, System, SystemPart, Text};
use briefing_json::{WriteJson, quoted};

use super::options::{self, Options};
use super::outcome;
use super::part::{as_text, native_text, reference, write_said, write_text};
use super::server::{self, Served};
use crate::change::WriteChange;
use crate::item::{self, Message};
use crate::writer::Writer;

/// The tool of an outcome whose call is not there.
const UNKNOWN_TOOL: &str = "unknown";

/// Writes all messages, neighbouring outcomes as one.
pub(crate) fn write(messages: &[ModelMessage], out: &mut Writer) {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut index = 0;
    while let Some(message) = messages.get(index) {
        out.at(index);
        let mut taken = 1;
        match message {
            ModelMessage::System(said) => system(said, out),
            ModelMessage::User(said) => of_role("user", out, |out| {
                out.fields_left_out(&said.extra, &[]);
                parts(&said.parts, out);
            }),
            ModelMessage::Assistant(said) => {
                names.extend(said.calls().map(|call| (call.id.given(), call.name.as_str())));
                of_role("assistant", out, |out| assistant(said, out));
            }
            ModelMessage::Tool(_) => {
                let rest = messages.iter().skip(index);
                let run: Vec<&Outcome> = rest
                    .map_while(|message| if let ModelMessage::Tool(outcome) = message { Some(&**outcome) } else { None })
                    .collect();
                taken = run.len();
                of_role("tool", out, |out| {
                    out.name("content");
                    out.array(run.into_iter().enumerate(), |out, (ahead, outcome)| {
                        out.at(index + ahead);
                        result(outcome, &names, out);
                    });
                });
            }
        }
        index += taken.max(1);
    }
}

fn of_role(role: &str, out: &mut Writer, write: impl FnOnce(&mut Writer)) {
    out.line(|out| {
        out.field("role", role);
        write(out);
    });
}

/// System text is one string, and what marks its last part marks the message.
fn system(system: &System, out: &mut Writer) {
    let mut texts: Vec<String> = Vec::new();
    let mut mark: Options = None;
    for part in &system.parts {
        match part {
            SystemPart::Text(text) => {
                mark = options::kept(&text.extra, out);
                texts.push(text.text.clone());
            }
            SystemPart::Native(native) => {
                mark = None;
                texts.push(native_text(native, out).text);
            }
        }
    }
    out.fields_left_out(&system.extra, &[]);
    if texts.len() > 1 {
        out.note(WriteChange::TextsJoined);
    }
    of_role("system", out, |out| {
        out.field("content", &texts.join("\n\n"));
        options::write("providerOptions", &mark, out);
    });
}

fn parts(parts: &[Part], out: &mut Writer) {
    out.name("content");
    match outcome::only_text(parts) {
        Some(text) => out.text(text),
        None => out.array(parts, |out, part| match part {
            Part::Text(text) => write_text(text, "providerOptions", out),
            Part::Native(native) => {
                let text = native_text(native, out);
                write_text(&text, "providerOptions", out);
            }
            Part::Image(media) => file(media, true, out),
            Part::Document(media) => file(media, false, out),
        }),
    }
}

/// A picture without a name is an `image`, anything else a `file`.
fn file(media: &Media, image: bool, out: &mut Writer) {
    let Some(data) = reference(media, false) else {
        let text = as_text(if image { "image" } else { "document" }, media, out);
        return write_text(&text, "providerOptions", out);
    };
    let options = options::kept(&media.extra, out);
    let plain = image && media.filename.is_none();
    out.block(if plain { "image" } else { "file" }, |out| {
        out.field(if plain { "image" } else { "data" }, &data);
        match &*media.media_type {
            "" if plain => {}
            "" if image => out.field("mediaType", super::part::SOME_PICTURE),
            typed => out.field("mediaType", typed),
        }
        if let Some(name) = &media.filename {
            out.field("filename", name);
        }
        options::write("providerOptions", &options, out);
    });
}

fn assistant(said: &Assistant, out: &mut Writer) {
    if said.model.is_some() {
        out.note(WriteChange::ModelLeftOut);
    }
    out.fields_left_out(&said.extra, &[]);
    out.name("content");
    match said.items.as_slice() {
        [] => out.text(""),
        [Item::Text(Text { text, extra })] if extra.is_empty() && !text.is_empty() => out.text(text),
        items => {
            let mut written = Vec::new();
            let mut before = None;
            for (item, message) in items.iter().zip(item::messages(items)) {
                written.extend(self::item(item, before, message, out));
                before = Some(item);
            }
            out.array(written, |out, part| part.write(out));
        }
    }
}

/// A part as it is written.
enum Written<'a> {
    Text(std::borrow::Cow<'a, Text>, Option<Message>),
    Reasoning(String, Options),
    Call(&'a briefing::message::ToolCall),
    Served(Served),
}

fn item<'a>(item: &'a Item, before: Option<&Item>, message: Option<Message>, out: &mut Writer) -> Vec<Written<'a>> {
    use std::borrow::Cow;
    match item {
        Item::Text(text) => vec![Written::Text(Cow::Borrowed(text), message)],
        Item::Call(call) => vec![Written::Call(call)],
        Item::Native(native) => vec![match server::written(native) {
            Some(served) => Written::Served(served),
            None => Written::Text(Cow::Owned(native_text(native, out)), None),
        }],
        Item::Reasoning(reasoning) => {
            let pieces = self::reasoning(reasoning, item::is_repeat(before, item), out).into_iter();
            pieces.map(|(text, options)| Written::Reasoning(text, options)).collect()
        }
    }
}

/// The parts of reasoning; none, and told, where the forms have no place for it, as for one that repeats the id of the item before.
pub(super) fn reasoning(reasoning: &Reasoning, repeat: bool, out: &mut Writer) -> Vec<(String, Options)> {
    let written = if repeat { None } else { options::written(reasoning, out) };
    written.unwrap_or_else(|| {
        out.note(WriteChange::ReasoningLeftOut { kind: reasoning.kind.to_string() });
        Vec::new()
    })
}

impl Written<'_> {
    fn write(self, out: &mut Writer) {
        match self {
            Self::Text(text, message) => write_said(&text, message.as_ref(), "providerOptions", out),
            Self::Reasoning(text, options) => out.block("reasoning", |out| {
                out.field("text", &text);
                options::write("providerOptions", &options, out);
            }),
            Self::Call(call) => {
                let options = options::kept_call(&call.extra, out);
                out.block("tool-call", |out| {
                    out.field("toolCallId", call.id.given());
                    out.field("toolName", &call.name);
                    out.json_field("input", &input(call));
                    options::write("providerOptions", &options, out);
                });
            }
            Self::Served(Served::Call { id, tool, input }) => out.block("tool-call", |out| {
                out.field("toolCallId", &id);
                out.field("toolName", &tool);
                out.json_field("input", &input);
                out.json_field("providerExecuted", "true");
            }),
            Self::Served(Served::Result { id, tool, value }) => out.block("tool-result", |out| {
                out.field("toolCallId", &id);
                out.field("toolName", &tool);
                out.inner("output", |out| {
                    out.field("type", "json");
                    out.json_field("value", &value);
                });
            }),
        }
    }
}

/// The arguments: JSON, or the text that is none.
pub(super) fn input(call: &briefing::message::ToolCall) -> String {
    if call.input.is_object() { call.input.raw().to_owned() } else { quoted(call.input.raw()) }
}

fn result(outcome: &Outcome, names: &HashMap<&str, &str>, out: &mut Writer) {
    let name = names.get(outcome.call.given()).copied();
    if name.is_none() {
        out.note(WriteChange::ToolUnknown { call: outcome.call.to_string() });
    }
    let options = options::kept(&outcome.extra, out);
    out.block("tool-result", |out| {
        out.field("toolCallId", outcome.call.given());
        out.field("toolName", name.unwrap_or(UNKNOWN_TOOL));
        outcome::write(outcome, out);
        options::write("providerOptions", &options, out);
    });
}
