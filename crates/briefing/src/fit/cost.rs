//! What a unit costs on the wire it is meant for: what it reads as there, counted in every measure at once.

use briefing_json::quoted_len;

use crate::call::{Call, Tool};
use crate::fit::bounds::Bound;
use crate::fit::tokens::Estimator;
use crate::fit::unit::Unit;
use crate::message::{
    Assistant, Extra, INPUT_SHOWN, Input, Item, MAX_INPUT_CHARS, Media, MediaSource, Native, NativeFile, NativeKind, Outcome,
    Part, SystemPart, Text, file_in,
};
use crate::profile::ModelProfile;
use crate::text;
use crate::texts::{self, Filler};
use crate::wire::Wire;

/// A cost, or a limit on one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Cost {
    /// Messages before a wire merges any.
    pub messages: u64,
    /// Unicode scalar values of what is read.
    pub chars: u64,
    /// Tokens by the estimator times the profile's calibration; 0 where no bound asks for them.
    pub tokens: u64,
    /// Pictures and documents, and files that a provider alone knows (recordings, films).
    pub images: u64,
    /// Bytes of the body, never underestimated.
    pub bytes: u64,
}

impl Cost {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.each(other, u64::saturating_add)
    }

    /// What is left of this when `other` is taken.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        self.each(other, u64::saturating_sub)
    }

    /// The smaller of both, measure by measure.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        self.each(other, u64::min)
    }

    fn each(self, other: Self, with: fn(u64, u64) -> u64) -> Self {
        Self {
            messages: with(self.messages, other.messages),
            chars: with(self.chars, other.chars),
            tokens: with(self.tokens, other.tokens),
            images: with(self.images, other.images),
            bytes: with(self.bytes, other.bytes),
        }
    }

    /// A share of each limit, between 0 and 1, rounded down; where there is no limit, none.
    #[must_use]
    pub fn share(self, share: f64) -> Self {
        let of = |limit: u64| if limit >= u64::MAX / 2 { limit } else { scaled(limit, share.clamp(0.0, 1.0), f64::floor) };
        Self {
            messages: of(self.messages),
            chars: of(self.chars),
            tokens: of(self.tokens),
            images: of(self.images),
            bytes: of(self.bytes),
        }
    }

    /// The measure of that bound.
    #[must_use]
    pub fn of(self, bound: Bound) -> u64 {
        match bound {
            Bound::Messages => self.messages,
            Bound::Chars => self.chars,
            Bound::Tokens => self.tokens,
            Bound::Images => self.images,
            Bound::Bytes => self.bytes,
        }
    }

    /// The first bound that this cost breaks, if any.
    #[must_use]
    pub fn over(self, most: Self) -> Option<Bound> {
        Bound::ALL.into_iter().find(|bound| self.of(*bound) > most.of(*bound))
    }
}

/// A number times a factor of 0 or more, rounded as told.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "limits and counts are far below 2^52 and not negative; their last bits do not matter"
)]
fn scaled(number: u64, factor: f64, round: fn(f64) -> f64) -> u64 {
    round(number as f64 * factor) as u64
}

// Bytes that a body needs around what is counted; never underestimated.
const MESSAGE_BYTES: u64 = 64;
const PART_BYTES: u64 = 64;
/// A file's block: the longest is 80 bytes beside its type, its data and its name (a document of Anthropic's), or beside the name that
/// OpenAI's wires give a nameless one.
const MEDIA_BYTES: u64 = 96;
const CALL_BYTES: u64 = 128;
const BODY_BYTES: u64 = 256;
/// The marks for a prompt cache, with the array that a text becomes for one.
const MARKS_BYTES: u64 = 3 * 80;
/// The name of the function that an outcome answers, and the object around it: on Gemini.
const RESPONSE_BYTES: u64 = 160;
/// What stands for the signature of a call that has none: on Gemini.
const SIGNATURE_BYTES: u64 = 72;
/// The longest id on any wire, for each call and each outcome.
const ID_BYTES: u64 = 72;

/// Counts for one call: knows its wire, its profile and its estimator.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    profile: &'a ModelProfile,
    estimator: Option<&'a Estimator>,
    /// Tokens, not calibrated, beyond which a unit need not be counted.
    enough: u64,
    /// The wire declares the tools of the history itself.
    undeclared: bool,
    cost: Cost,
    text_tokens: u64,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(call: &'a Call, estimator: Option<&'a Estimator>, most: Cost) -> Self {
        let profile = call.profile();
        let undeclared = profile.wire == Wire::Anthropic && call.declared_tools().is_empty();
        let mut meter = Self { profile, estimator, enough: 0, undeclared, cost: Cost::default(), text_tokens: 0 };
        meter.stop_at(most);
        meter
    }

    /// Counting of a unit stops when its tokens break this limit.
    pub(crate) fn stop_at(&mut self, most: Cost) {
        self.enough = uncalibrated(most.tokens, self.profile.calibration);
    }

    /// Units are counted to their end.
    pub(crate) fn stop_never(&mut self) {
        self.enough = u64::MAX;
    }

    fn take(&mut self) -> Cost {
        let text = calibrated(std::mem::take(&mut self.text_tokens), self.profile.calibration);
        let mut cost = std::mem::take(&mut self.cost);
        cost.tokens = if self.estimator.is_some() { cost.tokens.saturating_add(text) } else { 0 };
        cost
    }

    /// The cost of a unit, as it reads on the call's wire. `leading`: whether it is system text at the head of the list, which
    /// never reads as a user line.
    pub(crate) fn unit(&mut self, unit: &Unit, leading: bool) -> Cost {
        match unit {
            Unit::System(system) => {
                self.message();
                for part in &system.parts {
                    match part {
                        SystemPart::Text(text) => self.text(text),
                        SystemPart::Native(native) => self.native(native),
                    }
                    if !leading && self.system_may_move() {
                        self.count(&texts::system_as_user(""));
                    }
                }
                self.extra(&system.extra);
            }
            Unit::User(user) => {
                self.message();
                user.parts.iter().for_each(|part| self.part(part));
                self.extra(&user.extra);
            }
            Unit::Round(round) => {
                round.said().iter().for_each(|said| self.assistant(said));
                round.outcomes().iter().for_each(|outcome| self.outcome(outcome));
                // A round of too many calls takes several assistant messages.
                (0..round.outcomes().len().saturating_sub(1) / self.profile.most_calls()).for_each(|_| self.message());
                if !self.profile.files_in_outcomes() && round.outcomes().iter().any(|outcome| has_media(outcome)) {
                    self.pictures_behind();
                }
            }
        }
        self.take()
    }

    /// Where outcomes hold no files, theirs go into a user message behind the round.
    fn pictures_behind(&mut self) {
        self.message();
        self.read(texts::PICTURES_OF_OUTCOMES);
        if self.profile.answers_outcomes() {
            self.filler(Filler::Between);
        }
    }

    /// The cost of a line that the frame needs.
    pub(crate) fn frame(&mut self, filler: Filler) -> Cost {
        self.filler(filler);
        self.take()
    }

    fn filler(&mut self, filler: Filler) {
        self.message();
        self.read(filler.text());
    }

    /// The cost of what stands around the messages: tools, parameters, the body itself.
    pub(crate) fn call(&mut self, call: &Call) -> Cost {
        self.cost.bytes += BODY_BYTES + quoted_len(&call.profile().name) as u64;
        self.cost.bytes += if call.marks_cache() { MARKS_BYTES } else { 0 };
        for tool in call.declared_tools() {
            self.cost.bytes += PART_BYTES;
            match tool {
                Tool::Function { name, description, schema, extra } => {
                    self.read(name);
                    self.read(description.as_deref().unwrap_or_default());
                    self.raw(schema.as_str());
                    self.extra(extra);
                }
                Tool::Native { wire, raw, .. } if *wire == self.profile.wire => self.raw(raw.as_str()),
                Tool::Native { .. } => {}
            }
        }
        for (name, value) in call.parameters() {
            self.cost.bytes += (quoted_len(name) + value.as_str().len()) as u64 + 8;
            // A schema is read by the model like a tool's; a number or a word is not.
            if value.as_str().starts_with(['{', '[']) {
                self.count(value.as_str());
            }
        }
        self.take()
    }

    /// Whether system text behind the head may read as a user line.
    fn system_may_move(&self) -> bool {
        !self.profile.takes_system_anywhere() || self.profile.wire == Wire::Anthropic
    }

    fn message(&mut self) {
        self.cost.messages += 1;
        self.cost.bytes += MESSAGE_BYTES;
        self.cost.tokens += u64::from(self.profile.message_tokens);
    }

    fn assistant(&mut self, said: &Assistant) {
        self.message();
        self.cost.bytes += if self.profile.signed_calls { SIGNATURE_BYTES } else { 0 };
        for item in &said.items {
            match item {
                Item::Text(text) => self.text(text),
                Item::Reasoning(reasoning) if reasoning.wire == self.profile.wire => {
                    self.cost.bytes += quoted_len(&reasoning.kind) as u64 + 2;
                    self.raw(reasoning.raw.as_str());
                }
                Item::Reasoning(_) => {}
                Item::Native(native) => self.native(native),
                Item::Call(call) => {
                    self.cost.bytes += CALL_BYTES + ID_BYTES;
                    self.read(&call.name);
                    if self.undeclared {
                        self.read(&call.name);
                        self.raw(texts::SCHEMA_OF_UNDECLARED);
                    }
                    self.input(&call.input);
                    self.extra(&call.extra);
                }
            }
        }
        self.extra(&said.extra);
    }

    /// Arguments as a wire sends them: an object as it stands, of too many characters the beginning, anything else quoted inside
    /// an object, which may be quoted itself.
    fn input(&mut self, input: &Input) {
        let raw = input.raw();
        let long = raw.len() > MAX_INPUT_CHARS && raw.chars().nth(MAX_INPUT_CHARS).is_some();
        let sent = if long { text::prefix(raw, INPUT_SHOWN) } else { raw };
        if long || !input.is_object() {
            self.cost.bytes += quoted_len(sent) as u64;
        }
        self.read(sent);
    }

    fn outcome(&mut self, outcome: &Outcome) {
        self.message();
        self.cost.bytes += ID_BYTES;
        self.cost.bytes += if self.profile.wire == Wire::Gemini { RESPONSE_BYTES } else { 0 };
        outcome.parts.iter().for_each(|part| self.part(part));
        self.extra(&outcome.extra);
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::Text(text) => self.text(text),
            Part::Image(media) => self.media(media, self.profile.image_tokens),
            Part::Document(media) => self.media(media, document_tokens(media, self.profile.image_tokens)),
            Part::Native(native) => self.native(native),
        }
    }

    fn media(&mut self, media: &Media, tokens: u32) {
        self.file(tokens);
        self.cost.bytes += MEDIA_BYTES + media_bytes(media) + quoted_len(&media.media_type) as u64;
        self.cost.bytes += media.filename.as_ref().map_or(0, |name| quoted_len(name) as u64);
        self.extra(&media.extra);
    }

    fn native(&mut self, native: &Native) {
        let text = crate::fit::unit::native_reads_as(native);
        if native.wire == self.profile.wire {
            // Where it may not stand, it reads as text there, too.
            let as_text = PART_BYTES + quoted_len(&text) as u64;
            self.cost.bytes += as_text.max(quoted_len(&native.kind) as u64 + 2);
            self.cost.bytes += native.raw.as_str().len() as u64 + 1;
            match file_in(native) {
                None => self.count(native.raw.as_str()),
                Some(file) => self.native_file(native.raw.as_str(), &file),
            }
        } else {
            self.read(&text);
        }
    }

    /// A file costs what a picture or a document costs, its data being no text (report B69); what is text costs what it reads as. What
    /// stands around the data is counted as it is in any block.
    fn native_file(&mut self, raw: &str, file: &NativeFile) {
        let page = self.profile.image_tokens;
        let encoded = file.data.as_ref().map(|data| data.encoded);
        let text = file.data.as_ref().and_then(|data| data.text.as_deref());
        let around = file.data.as_ref().map_or((raw, ""), |data| {
            (raw.get(..data.span.start).unwrap_or_default(), raw.get(data.span.end..).unwrap_or_default())
        });
        self.count(around.0);
        self.count(around.1);
        match (file.kind, text) {
            (NativeKind::Text, Some(text)) => self.count(text),
            // Of what lies elsewhere nobody knows how long it is.
            (NativeKind::Document | NativeKind::Text, _) => self.file(pages_tokens(encoded, page)),
            (NativeKind::Image | NativeKind::Audio | NativeKind::Video, _) => self.file(page),
        }
    }

    fn file(&mut self, tokens: u32) {
        self.cost.images += 1;
        self.cost.tokens += u64::from(tokens);
    }

    fn text(&mut self, text: &Text) {
        self.read(&text.text);
        self.extra(&text.extra);
    }

    /// A text that the wire writes as a JSON string.
    fn read(&mut self, text: &str) {
        self.cost.bytes += PART_BYTES + quoted_len(text) as u64;
        self.count(text);
    }

    /// JSON that the wire writes as it stands.
    fn raw(&mut self, text: &str) {
        self.cost.bytes += text.len() as u64 + 1;
        self.count(text);
    }

    fn count(&mut self, text: &str) {
        self.cost.chars += text.chars().count() as u64;
        if let Some(estimator) = self.estimator
            && self.text_tokens <= self.enough
        {
            self.text_tokens = self.text_tokens.saturating_add(estimator.count(text, self.enough));
        }
    }

    fn extra(&mut self, extra: &Extra) {
        self.cost.bytes += extra.bytes_on(self.profile.wire) as u64;
        for (_, raw) in extra.on(self.profile.wire) {
            self.count(raw.as_str());
        }
    }
}

pub(crate) fn has_media(outcome: &Outcome) -> bool {
    outcome.parts.iter().any(|part| matches!(part, Part::Image(_) | Part::Document(_)))
}

fn media_bytes(media: &Media) -> u64 {
    match &media.source {
        MediaSource::Data(bytes) => bytes.encoded_len() as u64,
        MediaSource::Url(text) | MediaSource::File { id: text, .. } => quoted_len(text) as u64,
    }
}

fn document_tokens(media: &Media, page: u32) -> u32 {
    let encoded = match &media.source {
        MediaSource::Data(bytes) => Some(bytes.encoded_len()),
        MediaSource::Url(_) | MediaSource::File { .. } => None,
    };
    pages_tokens(encoded, page)
}

/// A document costs a picture for each page; a page is guessed at 50,000 Base64 bytes, and four where its data is not here.
fn pages_tokens(encoded: Option<usize>, page: u32) -> u32 {
    let pages = encoded.map_or(4, |encoded| u32::try_from(encoded / 50_000).unwrap_or(u32::MAX).saturating_add(1));
    page.saturating_mul(pages)
}

fn calibrated(tokens: u64, calibration: f32) -> u64 {
    if tokens >= u64::MAX / 2 || calibration == 1.0 { tokens } else { scaled(tokens, f64::from(calibration), f64::ceil) }
}

/// So many tokens of the estimator are more than that limit once they are calibrated.
fn uncalibrated(limit: u64, calibration: f32) -> u64 {
    if limit >= u64::MAX / 2 { limit } else { scaled(limit, 1.0 / f64::from(calibration), f64::ceil) + 1 }
}
