//! Writing `UIMessage`, as version 6 keeps it: a turn of the assistant is one message, and each outcome stands with its call.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use briefing::ModelMessage;
use briefing::message::{Assistant, Item, Media, Outcome, Part, System, SystemPart, Text, ToolCall, User};
use briefing_json::WriteJson;

use super::model_write::{input, reasoning};
use super::part::{SOME_PICTURE, as_text, native_text, reference, write_said, write_text};
use super::server::{self, Served};
use super::{options, outcome};
use crate::change::WriteChange;
use crate::item::{self, Message};
use crate::writer::Writer;

const METADATA: &str = "providerMetadata";

/// Writes all messages.
pub(crate) fn write(messages: &[ModelMessage], out: &mut Writer) {
    let answers = Answers::find(messages, out);
    let mut turn: Vec<(usize, &Assistant)> = Vec::new();
    let mut number = 0;
    for (index, message) in messages.iter().enumerate() {
        match message {
            ModelMessage::Tool(_) => {}
            ModelMessage::Assistant(said) => {
                if turn.last().is_some_and(|(_, last)| last.model != said.model) {
                    write_turn(&mut turn, &answers, &mut number, out);
                }
                turn.push((index, said));
            }
            ModelMessage::System(said) => {
                write_turn(&mut turn, &answers, &mut number, out);
                out.at(index);
                system(said, &mut number, out);
            }
            ModelMessage::User(said) => {
                write_turn(&mut turn, &answers, &mut number, out);
                out.at(index);
                user(said, &mut number, out);
            }
        }
    }
    write_turn(&mut turn, &answers, &mut number, out);
}

/// The outcome of each call: by the index of its message and its own among the calls there.
struct Answers<'a>(HashMap<(usize, usize), (usize, &'a Outcome)>);

impl<'a> Answers<'a> {
    /// Pairs them: an outcome answers the first open call of its id in the last message that has one. Others are told.
    fn find(messages: &'a [ModelMessage], out: &mut Writer) -> Self {
        let mut open: HashMap<&str, (usize, VecDeque<usize>)> = HashMap::new();
        let mut answers = HashMap::new();
        let mut last = 0;
        for (index, message) in messages.iter().enumerate() {
            match message {
                ModelMessage::System(_) | ModelMessage::User(_) => last = index,
                ModelMessage::Assistant(said) => {
                    last = index;
                    for (ordinal, call) in said.calls().enumerate() {
                        let of_id = open.entry(call.id.given()).or_default();
                        if of_id.0 != index {
                            *of_id = (index, VecDeque::new());
                        }
                        of_id.1.push_back(ordinal);
                    }
                }
                ModelMessage::Tool(outcome) => {
                    out.at(index);
                    let call = outcome.call.to_string();
                    let found = open.get_mut(outcome.call.given());
                    match found.and_then(|(at, ordinals)| Some((*at, ordinals.pop_front()?))) {
                        Some(place) => {
                            if place.0 != last {
                                out.note(WriteChange::OutcomeMoved { call });
                            }
                            answers.insert(place, (index, &**outcome));
                        }
                        None => out.note(WriteChange::OutcomeLeftOut { call }),
                    }
                }
            }
        }
        Self(answers)
    }
}

fn message(role: &str, model: Option<&Arc<str>>, number: &mut usize, out: &mut Writer, parts: impl FnOnce(&mut Writer)) {
    out.line(|out| {
        out.field("id", &format!("msg-{number}"));
        *number += 1;
        out.field("role", role);
        if let Some(model) = model {
            out.inner("metadata", |out| out.field("model", model));
        }
        out.name("parts");
        parts(out);
    });
}

fn system(said: &System, number: &mut usize, out: &mut Writer) {
    out.fields_left_out(&said.extra, &[]);
    if said.parts.is_empty() {
        return out.note(WriteChange::EmptyLeftOut);
    }
    message("system", None, number, out, |out| {
        out.array(&said.parts, |out, part| match part {
            SystemPart::Text(text) => write_text(text, METADATA, out),
            SystemPart::Native(native) => {
                let text = native_text(native, out);
                write_text(&text, METADATA, out);
            }
        });
    });
}

fn user(said: &User, number: &mut usize, out: &mut Writer) {
    out.fields_left_out(&said.extra, &[]);
    if said.parts.is_empty() {
        return out.note(WriteChange::EmptyLeftOut);
    }
    message("user", None, number, out, |out| {
        out.array(&said.parts, |out, part| match part {
            Part::Text(text) => write_text(text, METADATA, out),
            Part::Native(native) => {
                let text = native_text(native, out);
                write_text(&text, METADATA, out);
            }
            Part::Image(media) => file(media, "image", out),
            Part::Document(media) => file(media, "document", out),
        });
    });
}

fn file(media: &Media, what: &str, out: &mut Writer) {
    let Some(url) = reference(media, true) else {
        let text = as_text(what, media, out);
        return write_text(&text, METADATA, out);
    };
    let options = options::kept(&media.extra, out);
    out.block("file", |out| {
        let untyped = media.media_type.is_empty() && what == "image";
        out.field("mediaType", if untyped { SOME_PICTURE } else { &media.media_type });
        if let Some(name) = &media.filename {
            out.field("filename", name);
        }
        out.field("url", &url);
        options::write(METADATA, &options, out);
    });
}

/// Writes a turn of the assistant, each of its messages a step.
fn write_turn(turn: &mut Vec<(usize, &Assistant)>, answers: &Answers<'_>, number: &mut usize, out: &mut Writer) {
    let mut steps = Vec::new();
    for (index, said) in turn.drain(..) {
        out.at(index);
        out.fields_left_out(&said.extra, &[]);
        let shown = shown(index, said, answers, out);
        if shown.is_empty() {
            out.note(WriteChange::EmptyLeftOut);
        } else {
            steps.push((index, said.model.as_ref(), shown));
        }
    }
    let Some((_, model, _)) = steps.first() else { return };
    message("assistant", *model, number, out, |out| {
        out.array(
            steps.into_iter().flat_map(|(index, _, shown)| shown.into_iter().map(move |part| (index, part))),
            |out, (index, part)| {
                out.at(index);
                part.write(out);
            },
        );
    });
}

/// A part as it is written.
enum Shown<'a> {
    StepStart,
    Text(std::borrow::Cow<'a, Text>, Option<Message>),
    Reasoning(String, options::Options),
    Call(&'a ToolCall, Option<(usize, &'a Outcome)>),
    Served { id: String, tool: String, input: String, output: Option<String> },
}

/// The parts of a step; none if it says nothing.
fn shown<'a>(index: usize, said: &'a Assistant, answers: &Answers<'a>, out: &mut Writer) -> Vec<Shown<'a>> {
    use std::borrow::Cow;
    let (mut results, taken) = results(said);
    let mut calls = 0;
    let mut parts = vec![Shown::StepStart];
    let mut last: Option<&Item> = None;
    for ((place, item), message) in said.items.iter().enumerate().zip(item::messages(&said.items)) {
        let before = last.replace(item);
        match item {
            Item::Text(text) => parts.push(Shown::Text(Cow::Borrowed(text), message)),
            Item::Reasoning(reasoning) => {
                let pieces = self::reasoning(reasoning, item::is_repeat(before, item), out).into_iter();
                parts.extend(pieces.map(|(text, options)| Shown::Reasoning(text, options)));
            }
            Item::Call(call) => {
                parts.push(Shown::Call(call, answers.0.get(&(index, calls)).copied()));
                calls += 1;
            }
            Item::Native(native) => match server::written(native) {
                Some(Served::Call { id, tool, input }) => {
                    let output = results.remove(&place);
                    parts.push(Shown::Served { id, tool, input, output });
                }
                Some(Served::Result { .. }) if taken.contains(&place) => {}
                Some(Served::Result { .. }) | None => parts.push(Shown::Text(Cow::Owned(native_text(native, out)), None)),
            },
        }
    }
    if parts.len() == 1 { Vec::new() } else { parts }
}

/// The results of the provider's own tools by the place of their call, and the places of these results.
fn results(said: &Assistant) -> (HashMap<usize, String>, HashSet<usize>) {
    let (mut open, mut results, mut taken) = (HashMap::new(), HashMap::new(), HashSet::new());
    for (place, item) in said.items.iter().enumerate() {
        let Item::Native(native) = item else { continue };
        match server::written(native) {
            Some(Served::Call { id, tool, .. }) => {
                open.insert((id, tool), place);
            }
            Some(Served::Result { id, tool, value }) => {
                if let Some(call) = open.remove(&(id, tool)) {
                    results.insert(call, value);
                    taken.insert(place);
                }
            }
            None => {}
        }
    }
    (results, taken)
}

impl Shown<'_> {
    fn write(self, out: &mut Writer) {
        match self {
            Self::StepStart => out.block("step-start", |_| {}),
            Self::Text(text, message) => write_said(&text, message.as_ref(), METADATA, out),
            Self::Reasoning(text, options) => out.block("reasoning", |out| {
                out.field("text", &text);
                options::write(METADATA, &options, out);
            }),
            Self::Call(made, answer) => call(made, answer, out),
            Self::Served { id, tool, input, output } => part_of(&tool, out, |out| {
                out.field("toolCallId", &id);
                out.json_field("providerExecuted", "true");
                out.field("state", if output.is_some() { "output-available" } else { "input-available" });
                out.json_field("input", &input);
                if let Some(output) = output {
                    out.json_field("output", &output);
                }
            }),
        }
    }
}

/// A part of that tool; one whose name would read as a part of version 4 is written as a dynamic one.
fn part_of(tool: &str, out: &mut Writer, write: impl FnOnce(&mut Writer)) {
    if tool == "invocation" {
        return out.block("dynamic-tool", |out| {
            out.field("toolName", tool);
            write(out);
        });
    }
    out.block(&format!("tool-{tool}"), write);
}

fn call(call: &ToolCall, answer: Option<(usize, &Outcome)>, out: &mut Writer) {
    let options = options::kept_call(&call.extra, out);
    part_of(&call.name, out, |out| {
        out.field("toolCallId", call.id.given());
        let failed = answer.is_some_and(|(_, outcome)| outcome.failed == Some(true));
        out.field(
            "state",
            match answer {
                Some(_) if failed => "output-error",
                Some(_) => "output-available",
                None => "input-available",
            },
        );
        out.json_field("input", &input(call));
        if let Some((index, outcome)) = answer {
            out.at(index);
            out.fields_left_out(&outcome.extra, &[]);
            answered(outcome, failed, out);
        }
        options::write("callProviderMetadata", &options, out);
    });
}

fn answered(outcome: &Outcome, failed: bool, out: &mut Writer) {
    match (outcome::only_text(&outcome.parts), failed) {
        (Some(text), true) => out.field("errorText", text),
        (Some(text), false) => out.field("output", text),
        (None, true) => {
            out.note(WriteChange::TextsJoined);
            let texts: Vec<String> = outcome.parts.iter().map(|part| as_line(part, out)).collect();
            out.field("errorText", &texts.join("\n\n"));
        }
        (None, false) => {
            out.note(WriteChange::OutcomeAsJson { call: outcome.call.to_string() });
            out.name("output");
            outcome::write_content(&outcome.parts, out);
        }
    }
}

/// A part as what went wrong is told: in text.
fn as_line(part: &Part, out: &mut Writer) -> String {
    match part {
        Part::Text(text) => {
            out.fields_left_out(&text.extra, &[]);
            text.text.clone()
        }
        Part::Image(media) => as_text("image", media, out).text,
        Part::Document(media) => as_text("document", media, out).text,
        Part::Native(native) => native_text(native, out).text,
    }
}
