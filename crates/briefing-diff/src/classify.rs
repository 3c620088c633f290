//! From two blocks that are not the same to the cause.

use std::collections::HashMap;

use briefing_json::{Kind, Value};

use crate::cause::Cause;
use crate::clock::tick;
use crate::place::common;
use crate::prompt::{Block, Message, Pieces, What};
use crate::same::{differ_in_order_alone, plain_text, reading, texts};

/// What the core writes where no outcome stands, and what stands for one that is left out (`docs/format.md`).
const NOT_YET: [&str; 5] = [
    "[no outcome was recorded for this call]",
    "[interrupted before the call ended]",
    "[this call waits for a person to confirm it]",
    "[the run was lost during this call; it may have had its effect]",
    "[this call was refused and did not run]",
];
/// What begins every phrase about a card.
const CARD: &str = "[confirmation]";
/// A placeholder is no longer than this, in bytes.
const PLACEHOLDER: usize = 300;

/// A block with the message it is of.
#[derive(Clone, Copy)]
pub(crate) struct Within<'p, 'd> {
    pub(crate) block: &'p Block<'d>,
    pub(crate) message: &'p Message<'d>,
    pub(crate) blocks: &'p [Block<'d>],
}

/// Why two tools sections differ.
pub(crate) fn tools(a: &Pieces<'_>, b: &Pieces<'_>) -> Cause {
    let (older, newer) = (by_name(a), by_name(b));
    let mut both: Vec<(usize, usize, &String)> = Vec::new();
    let [mut added, mut gone, mut altered] = [const { Vec::new() }; 3];
    for (name, at) in &older {
        match newer.get(name) {
            Some(other) => both.push((*at, *other, name)),
            None => gone.push((*at, name.clone())),
        }
    }
    added.extend(newer.iter().filter(|(name, _)| !older.contains_key(*name)).map(|(name, at)| (*at, name.clone())));
    both.sort_unstable();
    let reordered = !both.is_sorted_by_key(|(_, newer, _)| *newer);
    let (mut keys, mut clock) = (true, None);
    for (at, other, name) in both {
        let (Some(one), Some(other)) = (a.blocks.get(at), b.blocks.get(other)) else { continue };
        if one.print == other.print {
            continue;
        }
        altered.push((at, name.clone()));
        if !differ_in_order_alone(one.value, other.value) {
            keys = false;
            clock = tick(&reading(one.value, |_| false).text, &reading(other.value, |_| false).text);
        }
    }
    let alone = added.is_empty() && gone.is_empty() && !reordered;
    match clock {
        _ if alone && keys && !altered.is_empty() => Cause::ReorderedKeys,
        Some(tick) if alone && altered.len() == 1 => Cause::Clock { older: tick.older, newer: tick.newer },
        _ => {
            let [added, gone, altered] = [added, gone, altered].map(in_order);
            // Of two tools of one name, one may be gone: then nothing is left to be named.
            let reordered = reordered || added.is_empty() && gone.is_empty() && altered.is_empty();
            Cause::ToolsChanged { added, gone, altered, reordered }
        }
    }
}

fn in_order(mut names: Vec<(usize, String)>) -> Vec<String> {
    names.sort_unstable();
    names.into_iter().map(|(_, name)| name).collect()
}

fn by_name(tools: &Pieces<'_>) -> HashMap<String, usize> {
    let mut names = HashMap::new();
    for (at, tool) in tools.blocks.iter().enumerate() {
        names.entry(name_of(tool)).or_insert(at);
    }
    names
}

/// A tool's name; of one without, the member that it is (`googleSearch`), its type or its first member.
fn name_of(tool: &Block<'_>) -> String {
    if let Some(name) = tool.path.own_name() {
        return name.into_owned();
    }
    let tool = tool.value;
    let named = |value: Value<'_>, key: &str| Some(value.get(key)?.as_str()?.into_owned());
    let function = tool.get("function").and_then(|function| named(function, "name"));
    function
        .or_else(|| named(tool, "name"))
        .or_else(|| named(tool, "type"))
        .or_else(|| Some(tool.entries().next()?.0.into_owned()))
        .unwrap_or_default()
}

/// Why two blocks of the system text differ.
pub(crate) fn system(a: &Block<'_>, b: &Block<'_>) -> Cause {
    let comparable = a.what == b.what && a.what != What::Head;
    comparable.then(|| same_but(a.value, b.value)).flatten().unwrap_or(Cause::SystemChanged)
}

/// What two values differ in when it is only keys or a clock.
fn same_but(a: Value<'_>, b: Value<'_>) -> Option<Cause> {
    if differ_in_order_alone(a, b) {
        return Some(Cause::ReorderedKeys);
    }
    let whole = |value| reading(value, |_| false).text;
    let tick = tick(&whole(a), &whole(b))?;
    Some(Cause::Clock { older: tick.older, newer: tick.newer })
}

/// Why two blocks of two messages that stand for each other differ.
pub(crate) fn message(a: Within<'_, '_>, b: Within<'_, '_>) -> Cause {
    if a.block.what == What::Head || b.block.what == What::Head {
        let gone = has_reasoning(a.message.value) && !has_reasoning(b.message.value);
        return if gone { Cause::ReasoningGone } else { Cause::MessageEdited };
    }
    let holds = |within: Within<'_, '_>, print| within.blocks.iter().any(|block| block.print == print);
    if holds(a, b.block.print) && holds(b, a.block.print) {
        return Cause::Reordered;
    }
    if is_reasoning(a.block.value) && !is_reasoning(b.block.value) {
        return Cause::ReasoningGone;
    }
    if let Some(cause) = outcomes(a, b).or_else(|| same_but(a.block.value, b.block.value)) {
        return cause;
    }
    let (one, other) = (plain_text(a.block.value), plain_text(b.block.value));
    let begins = |text: Option<Value<'_>>| text.and_then(Value::as_str).is_some_and(|text| text.starts_with(CARD));
    if begins(one) && begins(other) {
        return Cause::CardSettled;
    }
    let files = |within: Within<'_, '_>| within.blocks.iter().filter(|block| is_file(block.value)).count();
    if other.is_some() && files(a) > files(b) {
        return Cause::FileBecameLine;
    }
    Cause::MessageEdited
}

/// Whether a block, or an item of Responses, is what the model thought.
pub(crate) fn is_reasoning(block: Value<'_>) -> bool {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
    matches!(kind.as_ref(), "thinking" | "redacted_thinking" | "reasoning")
        || block.get("thought").and_then(Value::as_bool) == Some(true)
}

/// Whether a message of OpenAI Chat has what the model thought beside its content, as other hosts than OpenAI take it.
fn has_reasoning(message: Value<'_>) -> bool {
    let has = |key: &&str| message.get(key).is_some_and(|value| !value.is_null());
    ["reasoning_content", "reasoning", "reasoning_details"].iter().any(has)
}

/// Whether a block is a picture or holds one, as Anthropic writes them.
pub(crate) fn holds_image(block: Value<'_>) -> bool {
    let is_image = |value: Value<'_>| value.get("type").and_then(Value::as_str).as_deref() == Some("image");
    is_image(block) || block.get("content").into_iter().flat_map(Value::items).any(is_image)
}

/// Whether a block is a file or holds one.
fn is_file(block: Value<'_>) -> bool {
    const MEMBERS: [&str; 4] = ["inlineData", "inline_data", "fileData", "file_data"];
    let file_type = |value: Value<'_>| {
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        matches!(kind.as_ref(), "image" | "image_url" | "input_image" | "document" | "file" | "input_file" | "input_audio")
    };
    let is_one = |value: Value<'_>| file_type(value) || MEMBERS.iter().any(|key| value.get(key).is_some());
    let inside = ["content", "output"].into_iter().filter_map(|key| block.get(key)).flat_map(Value::items);
    is_one(block) || inside.into_iter().any(is_one)
}

/// The id of the call that a block answers, and what holds the answer.
pub(crate) fn outcome<'d>(block: &Block<'d>, message: &Message<'d>) -> Option<(String, Value<'d>)> {
    let id = |value: Value<'d>, key: &str| Some(value.get(key)?.as_str()?.into_owned());
    let value = block.value;
    let nothing = |held: Option<Value<'d>>| held.unwrap_or(value);
    if let Some(call) = id(message.value, "tool_call_id") {
        return Some((call, value));
    }
    if let Some(call) = id(value, "tool_use_id") {
        return Some((call, nothing(value.get("content"))));
    }
    if let (Some(call), Some(output)) = (id(value, "call_id"), value.get("output")) {
        return Some((call, output));
    }
    let response = value.get("functionResponse").or_else(|| value.get("function_response"))?;
    Some((id(response, "id").or_else(|| id(response, "name"))?, nothing(response.get("response"))))
}

fn outcomes(a: Within<'_, '_>, b: Within<'_, '_>) -> Option<Cause> {
    let ((call, held), (other, now)) = (outcome(a.block, a.message)?, outcome(b.block, b.message)?);
    if call != other {
        return None;
    }
    let (older, newer) = (texts(held), texts(now));
    let is_placeholder = |text: &str| text.len() <= PLACEHOLDER && text.starts_with('[') && text.ends_with(']');
    let awaited = |text: &str| NOT_YET.contains(&text);
    if awaited(&older) && !awaited(&newer) {
        return Some(Cause::OutcomeLate);
    }
    if older.len() > newer.len() && (newer.is_empty() || is_placeholder(&newer)) {
        return Some(if is_file(a.block.value) && !is_file(b.block.value) {
            Cause::FileBecameLine
        } else {
            Cause::OutcomeCleared
        });
    }
    let (was, is) = (older.chars().count(), newer.chars().count());
    let begun = common(&older, &newer);
    let cut = is < was && (2 * begun >= newer.len() || newer.contains("[cut: ") || newer.contains("truncated"));
    cut.then_some(Cause::OutcomeCut { older: was, newer: is })
}

/// Whether a message is a line that a wire needs at the end of a list, and nowhere else (`docs/format.md`), or the note of cards
/// that wait.
pub(crate) fn is_tail_line(message: &Message<'_>, blocks: &[Block<'_>]) -> bool {
    let mut parts = blocks.iter().filter(|block| block.what != What::Head);
    let text = match (parts.next(), parts.next()) {
        (Some(block), None) => plain_text(block.value).and_then(Value::as_str),
        _ => None,
    };
    message.role == "user" && text.is_some_and(|text| text == "[continue]" || text.starts_with(CARD))
}

/// How alike two messages are whose ids do not tell: whether half of the shorter one stands at the ends of the other.
pub(crate) fn alike(a: &Message<'_>, b: &Message<'_>) -> bool {
    if a.value.kind() != Kind::Object || b.value.kind() != Kind::Object {
        return true;
    }
    let (x, y) = (a.value.raw(), b.value.raw());
    let begin = common(x, y);
    let rest = x.len().min(y.len()) - begin;
    let end = x.bytes().rev().zip(y.bytes().rev()).take(rest).take_while(|(one, other)| one == other).count();
    2 * (begin + end) >= x.len().min(y.len())
}
