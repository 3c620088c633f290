//! How a message of a chat, a confirmation and an outcome read.

use std::collections::HashMap;
use std::sync::Arc;

use crate::fit::{Line, Origin, Rule, cut_outcome};
use crate::log::{Attachment, AttachmentId, Card, Message, Notice};
use crate::message::{EntryId, Extra, Item, ModelMessage, Outcome, Part, SystemPart, User};
use crate::ports::FileText;
use crate::texts;
use crate::view::Replay;

/// How a card that waits reads.
pub(super) fn waiting(card: &Card) -> Option<String> {
    let _ = &card.language;
    Some(format!("[confirmation] waiting: {}", card.action))
}

/// How a settled card reads.
pub(super) fn settled(notice: &Notice) -> Option<String> {
    let _ = &notice.language;
    Some(format!("[confirmation] {}: {}", notice.settled.name(), notice.action))
}

/// The files whose text is told with the message: a user's own.
pub(super) fn files(message: &Message) -> &[Attachment] {
    if matches!(message.said, ModelMessage::User(_)) { &message.attachments } else { &[] }
}

/// What a message says, with the texts of its files.
pub(super) fn message(message: &Message, texts: &HashMap<AttachmentId, FileText>, share: usize) -> ModelMessage {
    let _ = (texts, share);
    message.said.clone()
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

/// A user message with another text; what else it holds stays.
#[allow(dead_code)]
fn with_text(user: &User, text: String) -> User {
    User { parts: vec![Part::text(text)], extra: user.extra.clone() }
}

/// Whether a file is shown as a picture.
pub(super) fn is_picture(file: &Attachment) -> bool {
    file.media_type.trim_start().get(..6).is_some_and(|kind| kind.eq_ignore_ascii_case("image/"))
}
