//! Redaction: what a model must not read is hidden in the outgoing copy, and the receipt says so.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::fit::{Line, Origin, Piece, Rule};
use crate::message::{
    Assistant, Extra, Input, Item, Media, ModelMessage, Native, Outcome, Part, RawJson, System, SystemPart, Text, ToolCall,
    User,
};
use crate::texts;
use crate::view::HistoryView;

/// Hides what a function finds in texts: the text that is to stand instead, borrowed where nothing is hidden.
///
/// It is asked for every text of a message, a call's arguments and a file's name; and for the raw bytes of reasoning and native
/// blocks, which are left out as a whole where it finds something. A piece that was changed keeps no unknown fields. It must
/// say the same of the same text always, or the prefix of requests changes.
///
/// ```
/// use briefing::view::Redactor;
///
/// let iban = Redactor::new(|text| text.replace("DE02120300000000202051", "[account]").into());
/// ```
#[derive(Clone)]
pub struct Redactor(Arc<Hide>);

type Hide = dyn for<'t> Fn(&'t str) -> Cow<'t, str> + Send + Sync;

impl Redactor {
    /// Hides by that function.
    #[must_use]
    pub fn new(hide: impl for<'t> Fn(&'t str) -> Cow<'t, str> + Send + Sync + 'static) -> Self {
        Self(Arc::new(hide))
    }

    /// Hides each of those texts, wherever it stands. An empty one hides nothing.
    #[must_use]
    pub fn texts(texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let texts: Vec<String> = texts.into_iter().map(Into::into).filter(|text| !text.is_empty()).collect();
        Self::new(move |text| {
            let mut out = Cow::Borrowed(text);
            for hidden in texts.iter().filter(|hidden| text.contains(hidden.as_str())) {
                out = out.replace(hidden.as_str(), texts::REDACTED).into();
            }
            out
        })
    }

    /// The text with what is hidden, if anything is.
    fn hide(&self, text: &str) -> Option<String> {
        match (self.0)(text) {
            Cow::Borrowed(same) if same.len() == text.len() => None,
            hidden => (hidden != text).then(|| hidden.into_owned()),
        }
    }

    /// Hides in pieces; a line of the receipt for each that was changed.
    pub(crate) fn pieces(&self, pieces: &mut [Piece], lines: &mut Vec<Line>, of: &Arc<str>) {
        for piece in pieces {
            let (message, places) = self.message(&piece.message);
            if places > 0 {
                piece.message = message;
                let from = piece.entry.map_or_else(|| Origin::Resolver(Arc::clone(of)), |entry| Origin::Entries(vec![entry]));
                lines.push(Line { from, rule: Rule::Redacted { places } });
            }
        }
    }

    /// The message with what is hidden, and in how many places.
    #[must_use]
    pub fn message(&self, message: &ModelMessage) -> (ModelMessage, u32) {
        let mut places = 0;
        let hidden = match message {
            ModelMessage::System(system) => {
                let parts = system.parts.iter().map(|part| match part {
                    SystemPart::Text(text) => SystemPart::Text(self.text(text, &mut places)),
                    SystemPart::Native(native) if self.finds(native, &mut places) => {
                        SystemPart::Text(Text::new(texts::REDACTED))
                    }
                    SystemPart::Native(native) => SystemPart::Native(native.clone()),
                });
                let parts = parts.collect();
                ModelMessage::System(Arc::new(System { parts, extra: self.extra(&system.extra, &mut places) }))
            }
            ModelMessage::User(user) => {
                let parts = self.parts(&user.parts, &mut places);
                ModelMessage::User(Arc::new(User { parts, extra: self.extra(&user.extra, &mut places) }))
            }
            ModelMessage::Tool(outcome) => {
                let parts = self.parts(&outcome.parts, &mut places);
                let extra = self.extra(&outcome.extra, &mut places);
                ModelMessage::Tool(Arc::new(Outcome { parts, extra, ..Outcome::clone(outcome) }))
            }
            ModelMessage::Assistant(said) => {
                let items = self.items(&said.items, &mut places);
                let extra = self.extra(&said.extra, &mut places);
                ModelMessage::Assistant(Arc::new(Assistant { items, extra, ..Assistant::clone(said) }))
            }
        };
        if places == 0 { (message.clone(), 0) } else { (hidden, places) }
    }

    fn text(&self, text: &Text, places: &mut u32) -> Text {
        match self.hide(&text.text) {
            Some(hidden) => {
                *places += 1;
                Text { text: hidden, extra: Extra::default() }
            }
            None => Text { text: text.text.clone(), extra: self.extra(&text.extra, places) },
        }
    }

    fn parts(&self, parts: &[Part], places: &mut u32) -> Vec<Part> {
        let parts = parts.iter().map(|part| match part {
            Part::Text(text) => Part::Text(self.text(text, places)),
            Part::Image(media) => Part::Image(self.media(media, places)),
            Part::Document(media) => Part::Document(self.media(media, places)),
            Part::Native(native) if self.finds(native, places) => Part::text(texts::REDACTED),
            Part::Native(native) => Part::Native(native.clone()),
        });
        parts.collect()
    }

    fn items(&self, items: &[Item], places: &mut u32) -> Vec<Item> {
        let hidden = items.iter().filter_map(|item| match item {
            Item::Text(text) => Some(Item::Text(self.text(text, places))),
            Item::Native(native) => (!self.finds(native, places)).then(|| item.clone()),
            Item::Reasoning(reasoning) => {
                let found = self.holds(&reasoning.raw);
                *places += u32::from(found);
                (!found).then(|| item.clone())
            }
            Item::Call(call) => Some(Item::Call(self.call(call, places))),
        });
        let hidden: Vec<Item> = hidden.collect();
        // Who said nothing else said this.
        if hidden.is_empty() && !items.is_empty() { vec![Item::Text(Text::new(texts::REDACTED))] } else { hidden }
    }

    fn call(&self, call: &ToolCall, places: &mut u32) -> ToolCall {
        let input = match call.input.as_json() {
            Some(mut value) => self.json(&mut value).then(|| value.to_string()),
            None => self.hide(call.input.raw()),
        };
        match input {
            Some(hidden) => {
                *places += 1;
                ToolCall { input: Input::new(hidden), extra: Extra::default(), ..call.clone() }
            }
            None => ToolCall { extra: self.extra(&call.extra, places), ..call.clone() },
        }
    }

    fn media(&self, media: &Media, places: &mut u32) -> Media {
        match media.filename.as_deref().and_then(|name| self.hide(name)) {
            Some(name) => {
                *places += 1;
                Media { filename: Some(name.into()), extra: Extra::default(), ..media.clone() }
            }
            None => Media { extra: self.extra(&media.extra, places), ..media.clone() },
        }
    }

    /// Whether a native block holds something; counted then.
    fn finds(&self, native: &Native, places: &mut u32) -> bool {
        let found = self.holds(&native.raw) || native.reads_as.as_deref().is_some_and(|text| self.hide(text).is_some());
        *places += u32::from(found);
        found
    }

    /// Unknown fields go as a whole where one of them holds something.
    fn extra(&self, extra: &Extra, places: &mut u32) -> Extra {
        let found = extra.raws().any(|raw| self.holds(raw));
        *places += u32::from(found);
        if found { Extra::default() } else { extra.clone() }
    }

    /// Whether a text inside that JSON holds something: as it reads, not as it is escaped.
    fn holds(&self, raw: &RawJson) -> bool {
        serde_json::from_str(raw.as_str()).map_or_else(|_| self.hide(raw.as_str()).is_some(), |mut value| self.json(&mut value))
    }

    /// Hides in every text and key; whether there was anything. Raw JSON is of bounded depth.
    fn json(&self, value: &mut Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
            Value::String(text) => match self.hide(text) {
                Some(hidden) => {
                    *text = hidden;
                    true
                }
                None => false,
            },
            Value::Array(values) => values.iter_mut().fold(false, |found, value| self.json(value) | found),
            Value::Object(fields) => {
                let mut found = fields.values_mut().fold(false, |found, value| self.json(value) | found);
                if fields.keys().any(|key| self.hide(key).is_some()) {
                    found = true;
                    let fields_now = std::mem::take(fields);
                    *fields = fields_now.into_iter().map(|(key, value)| (self.hide(&key).unwrap_or(key), value)).collect();
                }
                found
            }
        }
    }
}

impl HistoryView {
    /// Hides in pieces what the view hides in its own.
    pub(crate) fn hide(&self, pieces: &mut [Piece], lines: &mut Vec<Line>) {
        if let Some(redactor) = &self.redactor {
            redactor.pieces(pieces, lines, &Arc::from("view"));
        }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}
