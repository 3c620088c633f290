//! Content that comes as parts: neighbours of text are one part, and so are those that think (Mistral).

use briefing_json::{Kind, Value, present};

use crate::answer::grow::{Grown, Node, Object};
use crate::answer::read::is_text;
use crate::answer::stream::{Notes, StreamEvent};
use crate::raw::text_of;

/// A part of text.
pub(super) fn text_part(text: Grown) -> Node {
    let mut part = Object::default();
    part.set("type", Node::Raw("\"text\"".to_owned()));
    part.set("text", Node::Text(text));
    Node::Object(part)
}

/// Goes on with the last part if it is text, else begins one. Gives the text.
pub(super) fn add_text(parts: &mut Vec<Node>, piece: Value<'_>) -> String {
    if let Some(Node::Object(last)) = parts.last_mut()
        && matches!(last.get("text"), Some(Node::Text(_)))
    {
        return last.append("text", piece);
    }
    let mut text = Grown::default();
    let said = text.append(piece);
    if !text.is_empty() {
        parts.push(text_part(text));
    }
    said
}

/// Adds parts, and tells their text.
pub(super) fn add_parts(parts: &mut Vec<Node>, added: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
    for part in added.items() {
        if part.kind() != Kind::Object {
            notes.unused("a part of another kind");
        } else if let Some(text) = text_alone(part) {
            let text = add_text(parts, text);
            out.extend((!text.is_empty()).then_some(StreamEvent::Text { text }));
        } else if let Some(thoughts) = thoughts_alone(part) {
            for thought in thoughts.items() {
                add_thought(thinking(parts), thought, out);
            }
        } else if is_readable(part) {
            parts.push(Node::raw(part));
        } else {
            notes.unused("a part of another kind");
        }
    }
}

/// Whether a part has a type, and text only if it is a string.
fn is_readable(part: Value<'_>) -> bool {
    text_of(part, "type").is_some() && ["text", "id", "name"].iter().all(|key| present(part, key).is_none_or(is_text))
}

fn add_thought(thoughts: Option<&mut Vec<Node>>, thought: Value<'_>, out: &mut Vec<StreamEvent>) {
    let Some(thoughts) = thoughts else { return };
    match text_alone(thought) {
        Some(text) => {
            let text = add_text(thoughts, text);
            out.extend((!text.is_empty()).then_some(StreamEvent::Reasoning { text }));
        }
        None => thoughts.push(Node::raw(thought)),
    }
}

/// What the last part thinks, begun if the last part does not think.
fn thinking(parts: &mut Vec<Node>) -> Option<&mut Vec<Node>> {
    let thinks = |part: &Node| matches!(part, Node::Object(part) if matches!(part.get("thinking"), Some(Node::Array(_))));
    if !parts.last().is_some_and(thinks) {
        let mut part = Object::default();
        part.set("type", Node::Raw("\"thinking\"".to_owned()));
        part.set("thinking", Node::Array(Vec::new()));
        parts.push(Node::Object(part));
    }
    match parts.last_mut() {
        Some(Node::Object(part)) => match part.get_mut("thinking") {
            Some(Node::Array(thoughts)) => Some(thoughts),
            Some(Node::Raw(_) | Node::Text(_) | Node::Json(_) | Node::Object(_)) | None => None,
        },
        Some(Node::Raw(_) | Node::Text(_) | Node::Json(_) | Node::Array(_)) | None => None,
    }
}

/// The text of a part that holds nothing else.
fn text_alone(part: Value<'_>) -> Option<Value<'_>> {
    let text = part.get("text").filter(|text| is_text(*text))?;
    (part.entries().count() == 2 && text_of(part, "type").as_deref() == Some("text")).then_some(text)
}

/// The thoughts of a part that holds nothing else.
fn thoughts_alone(part: Value<'_>) -> Option<Value<'_>> {
    let thoughts = part.get("thinking").filter(|thoughts| thoughts.kind() == Kind::Array)?;
    (part.entries().count() == 2 && text_of(part, "type").as_deref() == Some("thinking")).then_some(thoughts)
}
