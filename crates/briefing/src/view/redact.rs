//! Redaction: what a model must not read is hidden in the outgoing copy, and the receipt says so.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use briefing_json::{Document, Kind};
use serde_json::Value;

use crate::fit::{Line, Origin, Piece, Rule};
use crate::message::{
    Assistant, Extra, Input, Item, Media, MediaSource, ModelMessage, Native, Outcome, Part, RawJson, Reasoning, System,
    SystemPart, Text, ToolCall, User,
};
use crate::texts;
use crate::view::HistoryView;
use crate::wire::Wire;

/// Hides what a function finds in texts: the text that is to stand instead, borrowed where nothing is hidden.
///
/// It is asked for every text of a message, a call's arguments and a file's name. What it finds in reasoning, in a native block, or in
/// a file's address, id or type lets that go as a whole; what it finds in an unknown field, its name included, lets the unknown
/// fields beside it go. A piece that was changed keeps no unknown fields. It must say the same of the same text always, or the
/// prefix of requests changes.
///
/// Reasoning in a row led to one thing, so it goes together, and what follows it goes on without the ids that name it; a block of
/// OpenAI Responses that cannot stand without its id leaves `[redacted]`.
///
/// It is not asked for the names of tools and the ids of calls: by them a call is paired with its outcome and its declaration, so
/// with another text there it would be another call. Keep secrets out of them.
///
/// ```
/// use briefing::view::Redactor;
///
/// let iban = Redactor::new(|text| text.replace("DE02120300000000202051", "[account]").into());
/// ```
#[derive(Clone)]
pub struct Redactor(Arc<Hide>);

/// So many times JSON may stand as a text inside JSON and is still looked into.
const NESTED: u32 = 4;

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
            let mut found: Vec<Range<usize>> = texts
                .iter()
                .flat_map(|hidden| text.match_indices(hidden.as_str()).map(|(at, found)| at..at + found.len()))
                .collect();
            if found.is_empty() {
                return Cow::Borrowed(text);
            }
            found.sort_by_key(|range| (range.start, range.end));
            let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
            for range in found {
                // What overlaps is hidden together.
                if range.start >= copied {
                    out.push_str(text.get(copied..range.start).unwrap_or_default());
                    out.push_str(texts::REDACTED);
                }
                copied = copied.max(range.end);
            }
            out.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        })
    }

    /// The text with what is hidden, if anything is.
    fn hide(&self, text: &str) -> Option<String> {
        self.hide_in(text, NESTED)
    }

    fn hide_plain(&self, text: &str) -> Option<String> {
        let hidden = (self.0)(text);
        (hidden != text).then(|| hidden.into_owned())
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
            Part::Image(media) => self.file(media, Part::Image, places),
            Part::Document(media) => self.file(media, Part::Document, places),
            Part::Native(native) if self.finds(native, places) => Part::text(texts::REDACTED),
            Part::Native(native) => Part::Native(native.clone()),
        });
        parts.collect()
    }

    fn items(&self, items: &[Item], places: &mut u32) -> Vec<Item> {
        let mut hidden = Vec::with_capacity(items.len());
        let mut bereft = false;
        // Reasoning in a row led to the same item, so it stands or goes together.
        for row in items.chunk_by(|one, next| matches!((one, next), (Item::Reasoning(_), Item::Reasoning(_)))) {
            match row {
                [Item::Reasoning(_), ..] => {
                    bereft = row.iter().any(|item| matches!(item, Item::Reasoning(one) if self.knows(one)));
                    if bereft {
                        *places = places.saturating_add(u32::try_from(row.len()).unwrap_or(u32::MAX));
                    } else {
                        hidden.extend_from_slice(row);
                    }
                }
                _ => hidden.extend(row.iter().filter_map(|item| self.item(item, bereft, places))),
            }
        }
        // Who said nothing else said this.
        if hidden.is_empty() && !items.is_empty() { vec![Item::Text(Text::new(texts::REDACTED))] } else { hidden }
    }

    /// An item behind reasoning that is there, or (`bereft`) is not: it names that by its ids, which go with it (design invariant 13).
    fn item(&self, item: &Item, bereft: bool, places: &mut u32) -> Option<Item> {
        match item {
            Item::Text(text) => {
                let text = self.text(text, places);
                Some(Item::Text(if bereft { Text::new(text.text) } else { text }))
            }
            Item::Call(call) => {
                let call = self.call(call, places);
                Some(Item::Call(if bereft { ToolCall { extra: Extra::default(), ..call } } else { call }))
            }
            // Something stands where it was, so that reasoning before it does not seem to have led to what follows.
            Item::Native(native) if native.wire == Wire::OpenAiResponses => {
                let found = self.finds(native, places);
                let orphan = !found && bereft && has_id(&native.raw);
                *places += u32::from(orphan);
                Some(if found || orphan { Item::Text(Text::new(texts::REDACTED)) } else { item.clone() })
            }
            Item::Native(native) => (!self.finds(native, places)).then(|| item.clone()),
            Item::Reasoning(reasoning) => (!self.knows(reasoning)).then(|| item.clone()),
        }
    }

    /// Whether reasoning holds something.
    fn knows(&self, reasoning: &Reasoning) -> bool {
        self.hide(&reasoning.kind).is_some() || self.holds(&reasoning.raw)
    }

    fn call(&self, call: &ToolCall, places: &mut u32) -> ToolCall {
        match self.hidden_json(call.input.raw()) {
            Some(hidden) => {
                *places += 1;
                ToolCall { input: Input::new(hidden), extra: Extra::default(), ..call.clone() }
            }
            None => ToolCall { extra: self.extra(&call.extra, places), ..call.clone() },
        }
    }

    /// A picture or document goes as a whole where its address, id or type holds something: none of them can be another.
    fn file(&self, media: &Media, part: fn(Media) -> Part, places: &mut u32) -> Part {
        let lies = match &media.source {
            MediaSource::Data(_) => None,
            MediaSource::Url(address) | MediaSource::File { id: address, .. } => self.hide(address),
        };
        if lies.is_some() || self.hide(&media.media_type).is_some() {
            *places += 1;
            return Part::text(texts::REDACTED);
        }
        part(self.media(media, places))
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
        let told = [Some(&*native.kind), native.reads_as.as_deref()];
        let found = self.holds(&native.raw) || told.into_iter().flatten().any(|text| self.hide(text).is_some());
        *places += u32::from(found);
        found
    }

    /// Unknown fields go as a whole where one of them, or its name, holds something.
    fn extra(&self, extra: &Extra, places: &mut u32) -> Extra {
        let found = extra.all().any(|(name, raw)| self.hide(name).is_some() || self.holds(raw));
        *places += u32::from(found);
        if found { Extra::default() } else { extra.clone() }
    }

    /// Whether something inside that JSON holds something: as it reads, not as it is escaped.
    fn holds(&self, raw: &RawJson) -> bool {
        self.hidden_json(raw.as_str()).is_some()
    }

    /// The JSON with what is hidden in it, if anything is; everything else stays byte for byte. What is no JSON is taken as a text.
    fn hidden_json(&self, raw: &str) -> Option<String> {
        self.hidden_json_in(raw, NESTED)
    }

    fn hidden_json_in(&self, raw: &str, levels: u32) -> Option<String> {
        let Ok(document) = Document::parse(raw) else { return self.hide_plain(raw) };
        let mut hidden: Vec<(Range<usize>, String)> = Vec::new();
        let mut left = vec![document.root()];
        while let Some(value) = left.pop() {
            match value.kind() {
                Kind::String => hidden.extend(self.hidden_string(value, levels)),
                Kind::Number => {
                    hidden.extend(self.hide_plain(value.raw()).map(|text| (value.span(), Value::String(text).to_string())));
                }
                Kind::Array => left.extend(value.items()),
                // Of a repeated key every value is looked at: some reader may take the one that others do not.
                Kind::Object => left.extend(value.members().flat_map(|(key, value)| [key, value])),
                Kind::Null | Kind::True | Kind::False => {}
            }
        }
        if hidden.is_empty() {
            return None;
        }
        hidden.sort_by_key(|(span, _)| span.start);
        let mut out = String::with_capacity(raw.len());
        let mut copied = 0;
        for (span, text) in hidden {
            out.push_str(raw.get(copied..span.start).unwrap_or_default());
            out.push_str(&text);
            copied = span.end;
        }
        out.push_str(raw.get(copied..).unwrap_or_default());
        Some(out)
    }

    fn hidden_string(&self, value: briefing_json::Value<'_>, levels: u32) -> Option<(Range<usize>, String)> {
        let hidden = self.hide_in(&value.as_str()?, levels)?;
        Some((value.span(), Value::String(hidden).to_string()))
    }

    /// Hides in a text; in one that is JSON itself, as it reads there.
    fn hide_in(&self, text: &str, levels: u32) -> Option<String> {
        let plain = self.hide_plain(text);
        let now = plain.as_deref().unwrap_or(text);
        let nested = if levels > 0 && now.trim_start().starts_with(['{', '[', '"']) && now.contains('\\') {
            self.hidden_json_in(now, levels - 1).filter(|_| Document::parse(now).is_ok())
        } else {
            None
        };
        nested.or(plain)
    }
}

/// Whether an item has an id of its provider's.
fn has_id(raw: &RawJson) -> bool {
    Document::parse(raw.as_str()).is_ok_and(|item| item.root().get("id").is_some_and(|id| id.kind() == Kind::String))
}

impl HistoryView {
    /// The message with what the view hides; told of in a line.
    pub(crate) fn hide(&self, message: ModelMessage, from: impl FnOnce() -> Origin, lines: &mut Vec<Line>) -> ModelMessage {
        let Some(redactor) = &self.redactor else { return message };
        let (hidden, places) = redactor.message(&message);
        if places > 0 {
            lines.push(Line { from: from(), rule: Rule::Redacted { places } });
        }
        hidden
    }

    /// The same for pieces that somebody else tells.
    pub(crate) fn hide_pieces(&self, pieces: &mut [Piece], of: &Arc<str>, lines: &mut Vec<Line>) {
        for piece in pieces.iter_mut().filter(|_| self.redactor.is_some()) {
            let entry = piece.entry;
            let from = || entry.map_or_else(|| Origin::Resolver(Arc::clone(of)), |entry| Origin::Entries(vec![entry]));
            piece.message = self.hide(piece.message.clone(), from, lines);
        }
    }

    /// The text with what the view hides.
    pub(crate) fn hide_text(&self, text: String) -> String {
        self.redactor.as_ref().and_then(|redactor| redactor.hide(&text)).unwrap_or(text)
    }

    /// The same view, hiding what another one hides, and nothing else.
    #[must_use]
    pub fn redact_as(mut self, other: &Self) -> Self {
        self.redactor.clone_from(&other.redactor);
        self
    }

    /// The same view, hiding that, too.
    #[must_use]
    pub fn redact_also(mut self, redactor: Redactor) -> Self {
        self.redactor = Some(match self.redactor {
            None => redactor,
            Some(first) => Redactor::new(move |text| match first.hide(text) {
                None => (redactor.0)(text),
                Some(hidden) => redactor.hide(&hidden).unwrap_or(hidden).into(),
            }),
        });
        self
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}
