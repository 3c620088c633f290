//! How a message of a chat, a confirmation and an outcome read.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::fit::{Line, Origin, Rule, cut_outcome};
use crate::log::{Attachment, AttachmentId, Card, Message, Notice};
use crate::message::{Assistant, EntryId, Extra, Item, ModelMessage, Outcome, Part, SystemPart, Text, User};
use crate::phrases::{CardState, Language, phrase};
use crate::ports::FileText;
use crate::texts::{self, OutcomeText};
use crate::view::chat::files::{Content, File, with_files};
use crate::view::swarm::{Misfit, with_pictures};
use crate::view::{HistoryView, Replay};

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

/// Those of the files that have no text yet and are told by none.
pub(super) fn not_ready<'f>(
    files: &'f [Attachment],
    texts: &'f HashMap<AttachmentId, FileText>,
) -> impl Iterator<Item = &'f Attachment> {
    files.iter().filter(|file| !is_picture(file) && !texts.contains_key(&file.id))
}

/// What a message says, with the pictures that came with it in the original's shape; and how many of these cannot be shown.
pub(super) fn with_own_pictures(message: &Message) -> (ModelMessage, usize) {
    let Some(Value::Array(images)) = message.extra.get("images") else { return (message.said.clone(), 0) };
    match with_pictures(message.said.clone(), images) {
        (said, Some(Misfit::Pictures { pictures })) => (said, pictures),
        (said, _) => (said, 0),
    }
}

/// Whether a message is part of the dialog: what a user or the model says. Instructions, and roles that only the original's shape
/// has (a function's outcome, say), are not.
pub(super) fn is_dialog(message: &Message) -> bool {
    let foreign = |key: &str| message.extra.get(key).filter(|value| !value.is_null());
    let speaks = matches!(message.said, ModelMessage::User(_) | ModelMessage::Assistant(_));
    speaks && foreign("role").is_none() && foreign("tool_call_id").is_none_or(|id| *id == "")
}

/// An assistant message without what may hold data of tools: reasoning, blocks of a provider, unknown fields. None if it has
/// none of these.
pub(super) fn text_alone(said: &ModelMessage) -> Option<ModelMessage> {
    let ModelMessage::Assistant(said) = said else { return None };
    let spoken = |item: &Item| match item {
        Item::Text(text) => Some(text.text.clone()),
        // What the model says instead of an answer.
        Item::Native(native) if &*native.kind == "refusal" => native.reads_as.clone(),
        Item::Native(_) | Item::Reasoning(_) | Item::Call(_) => None,
    };
    let bare = said.extra.is_empty() && said.items.iter().all(|item| matches!(item, Item::Text(text) if text.extra.is_empty()));
    if bare {
        return None;
    }
    let items = said.items.iter().filter_map(spoken).map(|text| Item::Text(Text::new(text))).collect();
    Some(ModelMessage::Assistant(Arc::new(Assistant { items, model: said.model.clone(), extra: Extra::default() })))
}

/// A user's message with the texts of those of its files that are ready; and in how many of these and of their names something is
/// hidden.
pub(super) fn with_texts(
    said: ModelMessage,
    message: &Message,
    texts: &HashMap<AttachmentId, FileText>,
    view: &HistoryView,
) -> (ModelMessage, u32) {
    let mut places = 0;
    let mut hide = |text: &str| {
        let hidden = view.hide_text(text.to_owned());
        places += u32::from(hidden != text);
        hidden
    };
    let ready = files(message).iter().filter_map(|file| {
        let text = match texts.get(&file.id) {
            _ if is_picture(file) => None,
            Some(text) => Some((hide(&text.text), text.partial)),
            None => return None,
        };
        Some((hide(file.filename.as_deref().unwrap_or_default()), text))
    });
    let ready: Vec<(String, Option<(String, bool)>)> = ready.collect();
    let ready = ready.iter().map(|(name, text)| {
        let content = text.as_ref().map_or(Content::Picture, |(text, partial)| Content::Text { text, partial: *partial });
        File { name, content }
    });
    let ready: Vec<File<'_>> = ready.collect();
    let said = match said {
        ModelMessage::User(user) if !ready.is_empty() => {
            let parts = parts_with_files(&user.parts, &ready, view.file_share());
            ModelMessage::User(Arc::new(User { parts, extra: user.extra.clone() }))
        }
        said => said,
    };
    (said, places)
}

/// The texts of files stand behind the text, in one part with it where that is the whole message.
fn parts_with_files(parts: &[Part], files: &[File<'_>], share: usize) -> Vec<Part> {
    if let [Part::Text(text)] = parts {
        return vec![Part::Text(Text { text: with_files(&text.text, files, share), extra: text.extra.clone() })];
    }
    let text = with_files("", files, share);
    let behind = (!text.is_empty()).then(|| Part::text(text));
    parts.iter().cloned().chain(behind).collect()
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
            Replay::Cut(0) => cleared_to(outcome, OutcomeText::Cleared.text().to_owned(), &mut rules),
            Replay::Cut(most) => cut_outcome(&outcome, most, &mut rules),
            Replay::Cleared => cleared_to(outcome, texts::outcome_reference(entry.get()), &mut rules),
        };
        self.lines.extend(rules.into_iter().map(|rule| Line { from: Origin::Entries(vec![entry]), rule }));
        outcome
    }
}

/// The outcome as that line; one that is as short stays.
fn cleared_to(outcome: Arc<Outcome>, line: String, rules: &mut Vec<Rule>) -> Arc<Outcome> {
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
