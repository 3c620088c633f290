//! Lists of messages as no honest program writes them: interleaved rounds, lost and repeated outcomes, odd ids, blanks.

use std::sync::Arc;

use briefing::message::{
    Assistant, Bytes, Extra, Item, Media, ModelMessage, Native, Outcome, Part, RawJson, Reasoning, System, SystemPart, Text,
    ToolCall, User,
};
use briefing::{Call, Profiles, Tool, Wire};
use proptest::prelude::*;

/// One step of a generated list.
#[derive(Debug, Clone)]
pub enum Step {
    /// A system message.
    System(u8),
    /// An input; every third with a file.
    User(u8),
    /// An answer without calls.
    Answer(u8),
    /// Calls: for each an id, a name and an input; and what stands beside them.
    Calls(Vec<(u8, u8, u8)>, u8),
    /// An outcome of the call made so many calls ago.
    Outcome(u8, u8),
}

/// A strategy for lists of up to `most` messages.
pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        1 => any::<u8>().prop_map(Step::System),
        4 => any::<u8>().prop_map(Step::User),
        3 => any::<u8>().prop_map(Step::Answer),
        5 => (prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..4), any::<u8>()).prop_map(|(calls, beside)| Step::Calls(calls, beside)),
        8 => (0_u8..6, any::<u8>()).prop_map(|(ago, words)| Step::Outcome(ago, words)),
    ];
    prop::collection::vec(step, 0..most)
}

/// The messages of those steps.
pub fn messages(steps: &[Step]) -> Vec<ModelMessage> {
    let mut made: Vec<String> = Vec::new();
    steps.iter().map(|step| message(step, &mut made)).collect()
}

fn message(step: &Step, made: &mut Vec<String>) -> ModelMessage {
    match step {
        Step::System(words) => {
            let mut parts = vec![SystemPart::Text(Text::new(text(*words)))];
            if words % 7 == 0 {
                parts.push(SystemPart::Native(native("tool_addition", Wire::Anthropic)));
            }
            ModelMessage::System(Arc::new(System { parts, extra: Extra::default() }))
        }
        Step::User(words) => {
            let mut parts = vec![Part::text(text(*words))];
            if words % 3 == 0 {
                parts.push(file(*words));
            }
            ModelMessage::User(Arc::new(User { parts, extra: Extra::default() }))
        }
        Step::Answer(words) => assistant(beside(*words), Vec::new()),
        Step::Calls(calls, words) => {
            let calls = calls.iter().map(|(id, called, given)| {
                let id = call_id(*id, made.len());
                made.push(id.clone());
                ToolCall::new(id, name(*called), input(*given))
            });
            let calls = calls.collect();
            assistant(if words % 2 == 0 { Vec::new() } else { beside(*words) }, calls)
        }
        Step::Outcome(ago, words) => {
            let id = made.len().checked_sub(usize::from(*ago) + 1).and_then(|at| made.get(at)).cloned();
            let mut parts = vec![Part::text(text(*words))];
            if words % 11 == 0 {
                parts.push(file(*words));
            }
            if words % 13 == 0 {
                parts.clear();
            }
            let failed = [None, Some(true), Some(false)].into_iter().cycle().nth(usize::from(*words)).flatten();
            let call = id.unwrap_or_else(|| "nobody".to_owned()).into();
            ModelMessage::Tool(Arc::new(Outcome { call, parts, failed, extra: Extra::default() }))
        }
    }
}

fn assistant(mut items: Vec<Item>, calls: Vec<ToolCall>) -> ModelMessage {
    items.extend(calls.into_iter().map(Item::Call));
    ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() }))
}

fn beside(words: u8) -> Vec<Item> {
    let mut items = vec![Item::Text(Text::new(text(words)))];
    if words.is_multiple_of(5) {
        let raw = r#"{"type":"thinking","thinking":"let me see","signature":"c2ln"}"#;
        items.insert(0, reasoning("thinking", raw, Wire::Anthropic));
    }
    if words.is_multiple_of(8) {
        items.insert(0, reasoning("reasoning_content", r#""first, the order""#, Wire::OpenAiChat));
    }
    if words.is_multiple_of(6) {
        let raw = format!(r#"{{"type":"reasoning","id":"rs_{words}","summary":[],"encrypted_content":"c2ln"}}"#);
        items.insert(0, reasoning("reasoning", &raw, Wire::OpenAiResponses));
    }
    if words.is_multiple_of(10) {
        items.insert(0, reasoning("thought", r#"{"text":"hm","thought":true}"#, Wire::Gemini));
    }
    if words.is_multiple_of(9) {
        items.push(Item::Native(native("future_block", Wire::Anthropic)));
    }
    if words.is_multiple_of(14) {
        items.push(Item::Native(native("web_search_call", Wire::OpenAiResponses)));
    }
    items
}

fn reasoning(kind: &str, raw: &str, wire: Wire) -> Item {
    Item::Reasoning(Reasoning { wire, kind: kind.into(), raw: raw_json(raw) })
}

fn native(kind: &str, wire: Wire) -> Native {
    let raw = raw_json(&format!(r#"{{"type":"{kind}","value":[1, 2.50,"\u00e9"]}}"#));
    Native { wire, kind: kind.into(), raw, reads_as: None, needs: None }
}

fn raw_json(text: &str) -> RawJson {
    match RawJson::new(text) {
        Ok(raw) => raw,
        Err(_) => unreachable_raw(),
    }
}

fn unreachable_raw() -> RawJson {
    RawJson::new("null").unwrap_or_else(|_| unreachable!("null is JSON"))
}

fn file(words: u8) -> Part {
    let media = |media_type: &str, size: usize| Media::data(media_type, Bytes::encode(&vec![words; size]));
    match words % 4 {
        0 => Part::Image(media("image/png", 30)),
        1 => Part::Image(media("image/tiff", 3)),
        2 => Part::Document(media("application/pdf", 100)),
        _ => Part::Image(media("image/jpeg", 0)),
    }
}

/// Texts: plain, blank, long, odd.
pub fn text(words: u8) -> String {
    match words % 16 {
        0 => String::new(),
        1 => " \n\t ".to_owned(),
        2 => "naïve 😀 e\u{301} \u{202e}abc\u{200d}".to_owned(),
        3 => "a\u{0}b\u{7}\u{1b}[31m".to_owned(),
        4 => "word ".repeat(usize::from(words) * 3),
        5 => "\"quoted\" \\back\\ \u{2028}line\r\n".to_owned(),
        6 => "[no outcome was recorded for this call]".to_owned(),
        7 => "trailing space ".to_owned(),
        _ => format!("text {words}"),
    }
}

fn call_id(kind: u8, number: usize) -> String {
    match kind % 12 {
        0 => String::new(),
        1 => "call_0".to_owned(),
        2 => "functions.write:0".to_owned(),
        3 => "functions_write_0".to_owned(),
        4 => format!("id with space {number}"),
        5 => "ü".repeat(usize::from(kind)),
        6 => "x".repeat(10_000),
        7 => "call_0-2".to_owned(),
        8 => "AbCdEf012".to_owned(),
        _ => format!("call_{number}"),
    }
}

fn name(kind: u8) -> String {
    match kind % 8 {
        0 => "browser.tabs.open".to_owned(),
        1 => String::new(),
        2 => "n".repeat(200),
        3 => "browser_tabs_open".to_owned(),
        _ => "find_order".to_owned(),
    }
}

fn input(kind: u8) -> String {
    match kind % 12 {
        0 => String::new(),
        1 => r#"{"command":"ls"#.to_owned(),
        2 => "[1,2]".to_owned(),
        3 => "null".to_owned(),
        4 => "\"text\"".to_owned(),
        5 => r#"{"half":"\ud83d"}"#.to_owned(),
        6 => format!("{}1{}", r#"{"a":"#.repeat(120), "}".repeat(120)),
        7 => r#"{ "spaced" : [ 1 , 2 ] }"#.to_owned(),
        8 => "a\u{0}b".to_owned(),
        _ => format!(r#"{{"number":{kind}}}"#),
    }
}

/// The models whose rules differ, with and without tools declared.
pub fn calls() -> impl Strategy<Value = Call> {
    let models = [
        ("gpt-5", None),
        ("gpt-oss-120b", None),
        ("mistral-large-latest", None),
        ("gpt-5", Some(Wire::OpenAiResponses)),
        ("deepseek-v4-flash", Some(Wire::OpenAiResponses)),
        ("claude-sonnet-4-5", None),
        ("claude-opus-4-6", None),
        ("gemini-3-flash", None),
        ("gemini-2.5-flash", None),
        ("gpt-4", None),
    ];
    (prop::sample::select(models.to_vec()), any::<bool>()).prop_map(|((model, wire), tools)| call_on(model, wire, tools))
}

/// A call of that model on the wire of its family.
pub fn call(model: &str, tools: bool) -> Call {
    call_on(model, None, tools)
}

/// A call of that model on that wire.
pub fn call_on(model: &str, wire: Option<Wire>, tools: bool) -> Call {
    let call = Call::new(Profiles::built_in().model(model, wire)).output_reserve(1_000);
    if !tools {
        return call;
    }
    let schema = raw_json(r#"{"type":"object","properties":{"number":{"type":"integer"}}}"#);
    call.tools(vec![Tool::function("find_order", "Finds an order", schema)])
}
