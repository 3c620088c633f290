//! How a message of a chat, a confirmation and an outcome read.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::fit::{Line, Origin, Rule, cut_outcome};
use crate::log::{Attachment, AttachmentId, Card, Message, Notice};
use crate::message::{EntryId, Extra, Item, ModelMessage, Outcome, Part, SystemPart, Text, User};
use crate::phrases::{CardState, Language, phrase};
use crate::ports::FileText;
use crate::texts;
use crate::view::Replay;
use crate::view::chat::files::{Content, File, with_files};
use crate::view::swarm::with_pictures;

/// How a card that waits reads; nothing if it has no action.
pub(super) fn waiting(card: &Card) -> Option<String> {
    phrase(CardState::Waiting, &card.action, Language::of(&card.language))
}

/// How a settled card reads; nothing if it has no action.
pub(super) fn settled(notice: &Notice) -> Option<String> {
    phrase(CardState::Settled(notice.settled), &notice.action, Language::of(&notice.language))
}

/// The files whose text is told with the message: a user's own.
pub(super) fn files(message: &Message) -> &[Attachment] {
    if matches!(message.said, ModelMessage::User(_)) { &message.attachments } else { &[] }
}

/// What a message says, with the texts of those of its files that are ready, and the pictures that came with it in the original's
/// shape.
pub(super) fn message(message: &Message, texts: &HashMap<AttachmentId, FileText>, share: usize) -> ModelMessage {
    let said = match message.extra.get("images") {
        Some(Value::Array(images)) => with_pictures(message.said.clone(), images).0,
        _ => message.said.clone(),
    };
    let ready = files(message).iter().filter_map(|file| {
        let content = match texts.get(&file.id) {
            _ if is_picture(file) => Content::Picture,
            Some(text) => Content::Text { text: &text.text, partial: text.partial },
            None => return None,
        };
        Some(File { name: file.filename.as_deref().unwrap_or_default(), content })
    });
    let ready: Vec<File<'_>> = ready.collect();
    match said {
        ModelMessage::User(user) if !ready.is_empty() => ModelMessage::User(Arc::new(User {
            parts: parts_with_files(&user.parts, &ready, share),
            extra: user.extra.clone(),
        })),
        said => said,
    }
}

/// The texts of files stand behind the text, in one part with it where that is the whole message.
fn parts_with_files(parts: &[Part], files: &[File<'_>], share: usize) -> Vec<Part> {
    if let [Part::Text(text)] = parts {
        return vec![Part::Text(Text { text: with_files(&text.text, files, share), extra: text.extra.clone() })];
    }
    let mut parts = parts.to_vec();
    parts.push(Part::text(with_files("", files, share)));
    parts
}

/// Whether there is nothing to tell: no text, no call, no file, no block.
pub(super) fn is_blank(said: &ModelMessage) -> bool {
    let blank = |part: &Part| part.as_text().is_some_and(str::is_empty);
    match said {
        ModelMessage::System(system) => {
            system.parts.iter().all(|part| matches!(part, SystemPart::Text(text) if text.text.is_empty()))
        }
        ModelMessage::User(user) => user.parts.iter().all(blank),
        ModelMessage::Assistant(said) => said.items.iter().all(|item| item.text().is_some_and(str::is_empty)),
        ModelMessage::Tool(_) => false,
    }
}

/// Whether a user's message holds anything but text.
pub(super) fn has_files(said: &ModelMessage) -> bool {
    matches!(said, ModelMessage::User(user) if user.parts.iter().any(|part| part.as_text().is_none()))
}

/// Gives every text of a message to `take`.
pub(super) fn each_text(message: &ModelMessage, mut take: impl FnMut(&str)) {
    match message {
        ModelMessage::System(system) => system.parts.iter().filter_map(SystemPart::text).for_each(take),
        ModelMessage::User(user) => user.parts.iter().filter_map(Part::as_text).for_each(take),
        ModelMessage::Tool(outcome) => outcome.parts.iter().filter_map(Part::as_text).for_each(take),
        ModelMessage::Assistant(said) => said.items.iter().filter_map(Item::text).for_each(&mut take),
    }
}

/// How outcomes are replayed; what was done to which is noted.
pub(super) struct Outcomes<'l> {
    pub(super) replay: Replay,
    pub(super) lines: &'l mut Vec<Line>,
}

impl Outcomes<'_> {
    pub(super) fn replay(self, outcome: Arc<Outcome>, entry: EntryId) -> Arc<Outcome> {
        let mut rules = Vec::new();
        let outcome = match self.replay {
            Replay::Whole | Replay::LeftOut => outcome,
            Replay::Cut(most) => cut_outcome(&outcome, most, &mut rules),
            Replay::Cleared => cleared(outcome, entry, &mut rules),
        };
        self.lines.extend(rules.into_iter().map(|rule| Line { from: Origin::Entries(vec![entry]), rule }));
        outcome
    }
}

/// The outcome as a line that names its entry; one that is as short stays.
fn cleared(outcome: Arc<Outcome>, entry: EntryId, rules: &mut Vec<Rule>) -> Arc<Outcome> {
    let line = texts::outcome_reference(entry.get());
    if let [Part::Text(text)] = outcome.parts.as_slice()
        && text.text.len() <= line.len()
    {
        return outcome;
    }
    rules.push(Rule::OutcomeCleared { call: outcome.call.to_string() });
    Arc::new(Outcome { parts: vec![Part::text(line)], extra: Extra::default(), ..Outcome::clone(&outcome) })
}

/// Whether a file is shown as a picture.
pub(super) fn is_picture(file: &Attachment) -> bool {
    file.media_type.trim_start().get(..6).is_some_and(|kind| kind.eq_ignore_ascii_case("image/"))
}
