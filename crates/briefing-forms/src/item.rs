//! What OpenAI Responses keeps of a call and of a message beside what they say. Reasoning is taken back only with the ids of what
//! followed it, so they are kept as the wire itself keeps them: a call's as its own fields, a message's on the text that begins it.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Extra, Item, RawJson, Text};
use briefing_json::{Document, quoted};

use crate::opaque::texts;
use crate::reader::str_of;

const WIRE: Wire = Wire::OpenAiResponses;

/// The field of a text that holds its message; `true` where it goes on with the one before.
pub(crate) const MESSAGE: &str = "message";

/// The fields of a call that forms hold.
const OF_CALL: [&str; 3] = ["id", "namespace", "status"];

/// The fields of a call, each as it is found.
pub(crate) fn call(find: impl Fn(&str) -> Option<String>) -> Extra {
    let field = |name: &&str| Some((Arc::from(*name), RawJson::new(quoted(&find(name)?)).ok()?));
    Extra::new(WIRE, OF_CALL.iter().filter_map(field).collect())
}

/// The text fields of a call that forms hold; none of a call of another type than a function's.
pub(crate) fn of_call(extra: &Extra) -> Vec<(&str, &RawJson)> {
    if extra.on(WIRE).any(|(name, _)| name == "type") {
        return Vec::new();
    }
    let is_text = |raw: &RawJson| raw.as_str().trim_start().starts_with('"');
    extra.on(WIRE).filter(|(name, raw)| OF_CALL.contains(name) && is_text(raw)).collect()
}

/// The message that a text of the model begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) id: Option<String>,
    pub(crate) phase: Option<String>,
}

impl Message {
    /// The message as a field of its text; nothing if nothing is known of it.
    pub(crate) fn extra(&self) -> Extra {
        if *self == Self::default() {
            return Extra::default();
        }
        let message = texts(&[("type", Some("message")), ("id", self.id.as_deref()), ("phase", self.phase.as_deref())]);
        let fields = RawJson::new(message).ok().map(|message| (Arc::from(MESSAGE), message));
        Extra::new(WIRE, fields.into_iter().collect())
    }

    fn of(text: &Text) -> Option<Self> {
        let document = Document::parse(field(text)?.as_str()).ok()?;
        let message = Self { id: str_of(document.root(), "id"), phase: str_of(document.root(), "phase") };
        (message != Self::default()).then_some(message)
    }

    /// The members of a text's message that no form holds.
    pub(crate) fn left_out(text: &Text) -> Vec<String> {
        const HELD: [&str; 3] = ["type", "id", "phase"];
        let Some(Ok(document)) = field(text).map(|raw| Document::parse(raw.as_str())) else { return Vec::new() };
        let entries = document.root().entries().filter(|(name, _)| !HELD.contains(&name.as_ref()));
        entries.map(|(name, _)| format!("{MESSAGE}.{name}")).collect()
    }
}

fn field(text: &Text) -> Option<&RawJson> {
    text.extra.on(WIRE).find(|(name, _)| *name == MESSAGE).map(|(_, raw)| raw)
}

/// Joins the texts of one message, of which the forms keep each with the message's id.
pub(crate) fn join(items: &mut [Item]) {
    let mut open = None;
    for item in items {
        let Item::Text(text) = item else {
            open = None;
            continue;
        };
        let id = Message::of(text).and_then(|message| message.id);
        if id.is_some() && id == open {
            let goes_on = RawJson::new("true").ok().map(|on| (Arc::from(MESSAGE), on));
            text.extra = Extra::new(WIRE, goes_on.into_iter().collect());
        }
        open = id;
    }
}

/// Whether two items are reasoning of one id, which the forms that keep it in pieces read as one item.
pub(crate) fn is_repeat(before: Option<&Item>, item: &Item) -> bool {
    let id = |item: &Item| match item {
        Item::Reasoning(reasoning) if reasoning.wire == WIRE => {
            str_of(Document::parse(reasoning.raw.as_str()).ok()?.root(), "id")
        }
        Item::Reasoning(_) | Item::Text(_) | Item::Call(_) | Item::Native(_) => None,
    };
    let of_item = id(item);
    of_item.is_some() && before.and_then(id) == of_item
}

/// The message of each item, as far as it is a text whose message can be told: a repeated id would read as the same message.
pub(crate) fn messages<'a>(items: impl IntoIterator<Item = &'a Item>) -> Vec<Option<Message>> {
    let mut open: Option<Message> = None;
    let mut out = Vec::new();
    for item in items {
        let before = open.take();
        if let Item::Text(text) = item {
            let goes_on = field(text).is_some_and(|raw| raw.as_str().trim() == "true");
            let id = before.as_ref().and_then(|message| message.id.clone());
            open = match Message::of(text) {
                _ if goes_on => before.filter(|_| id.is_some()),
                Some(message) if id.is_none() || message.id != id => Some(message),
                Some(_) | None => None,
            };
        }
        out.push(open.clone());
    }
    out
}
