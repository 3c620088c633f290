//! What a piece is, in a few words.

use std::sync::Arc;

use briefing::log::{Attachment, Body, Card, Entry, Kind, Mail, Message, Notice, Place};
use briefing::message::{Assistant, EntryId, Item, ModelMessage, Part, SystemPart};
use briefing::text::prefix;
use briefing::{Inbound, Origin, Unit};

/// Where the entries of a receipt are looked up.
pub(crate) enum Material {
    /// In a log: they are mails, rounds and outcomes.
    Log(Box<Lookup>),
    /// In a list: they are its messages, by index.
    List(Vec<ModelMessage>),
}

/// Finds an entry of a log.
pub(crate) type Lookup = dyn Fn(EntryId) -> Option<Arc<Entry>>;

/// The most characters of a text's beginning.
const WORDS: usize = 48;

impl Material {
    /// What a unit in the briefing is: of a mail its date, its author and its subject; of anything else who said it and its first
    /// words, as a model reads them.
    pub(crate) fn unit(&self, from: &Origin, unit: &Unit) -> String {
        let entry = match (self, from.first()) {
            (Self::Log(log), Some(entry)) => log(entry),
            (Self::Log(_), None) | (Self::List(_), _) => None,
        };
        let said = match unit {
            Unit::System(_) | Unit::User(_) => unit.messages().next().map(|message| of_message(&message)).unwrap_or_default(),
            Unit::Round(round) => of_assistants(round.said().iter().map(AsRef::as_ref)),
        };
        match entry.as_deref().map(|entry| &entry.body) {
            Some(Body::Mail(mail)) => of_mail(mail),
            Some(Body::Message(message)) => beside(said, message),
            // It reads as a user's line, and no user said it.
            Some(Body::Card(_) | Body::Notice(_)) => said.replacen("user: ", "", 1),
            Some(
                Body::Round(_)
                | Body::Outcome(_)
                | Body::Reset(_)
                | Body::Edit(_)
                | Body::Popped(_)
                | Body::Erased(_)
                | Body::Unreadable,
            )
            | None => said,
        }
    }

    /// What an entry is that is not in the briefing.
    pub(crate) fn entry(&self, from: &Origin) -> String {
        let Some(id) = from.first() else { return String::new() };
        match self {
            Self::Log(log) => match log(id).as_deref().map(|entry| &entry.body) {
                Some(Body::Mail(mail)) => of_mail(mail),
                Some(Body::Round(said)) => of_assistants([said.as_ref()].into_iter()),
                Some(Body::Outcome(outcome)) => format!("outcome: {}", words(parts(&outcome.parts))),
                Some(Body::Message(message)) => of_chat(message),
                Some(Body::Card(card)) => of_card(card),
                Some(Body::Notice(notice)) => of_notice(notice),
                Some(Body::Reset(reset)) => format!("reset: {}", reset.kind.name()),
                Some(Body::Edit(edit)) => format!("edit of entry {}: {}", edit.of, of_chat(&edit.message)),
                Some(Body::Popped(_)) => "popped".to_owned(),
                Some(Body::Erased(_)) => "erased".to_owned(),
                Some(Body::Unreadable) => "cannot be read".to_owned(),
                None => String::new(),
            },
            Self::List(messages) => self.index(id).and_then(|at| messages.get(at)).map(of_message).unwrap_or_default(),
        }
    }

    fn index(&self, id: EntryId) -> Option<usize> {
        usize::try_from(id.get()).ok()
    }

    /// The place of a mail, a message or a confirmation, by which it stands in its thread; for a list, the index is enough. None
    /// for what is not placed by itself.
    pub(crate) fn place(&self, from: &Origin) -> Option<Place> {
        let entry = from.first()?;
        match self {
            Self::Log(log) => log(entry).filter(|entry| is_placed(entry)).map(|entry| entry.place()),
            Self::List(_) => Some(Place { at: jiff::Timestamp::UNIX_EPOCH, entry }),
        }
    }
}

/// Whether a view tells it by itself, at its place.
fn is_placed(entry: &Entry) -> bool {
    match Kind::of(&entry.body) {
        Kind::Mail | Kind::Message | Kind::ToolUse | Kind::Card | Kind::Notice => true,
        Kind::Round
        | Kind::Outcome
        | Kind::System
        | Kind::Reset
        | Kind::Edit
        | Kind::Popped
        | Kind::Erased
        | Kind::Unreadable => false,
    }
}

/// What is answered: a mail, or a message of a chat.
pub(crate) fn of_inbound(inbound: &Inbound) -> String {
    match (inbound.mail(), inbound.message()) {
        (Some(mail), _) => of_mail(mail),
        (None, message) => message.map(of_chat).unwrap_or_default(),
    }
}

/// A message of a chat: who said it, its first words, its files.
fn of_chat(message: &Message) -> String {
    beside(of_message(&message.said), message)
}

/// What was said, with the agent that said it and the files beside it.
fn beside(said: String, message: &Message) -> String {
    let name = |file: &Attachment| shortened(file.filename.as_deref().unwrap_or("unnamed"), WORDS);
    let files: Vec<String> = message.attachments.iter().take(3).map(name).collect();
    let more = if message.attachments.len() > files.len() { ", …" } else { "" };
    let files = if files.is_empty() { String::new() } else { format!(" (with {}{more})", files.join(", ")) };
    match &message.agent {
        Some(agent) => format!("{}, {said}{files}", shortened(agent, WORDS)),
        None => format!("{said}{files}"),
    }
}

fn of_card(card: &Card) -> String {
    format!("card: {}", words(&card.action))
}

fn of_notice(notice: &Notice) -> String {
    format!("card {}: {} {}", notice.card, notice.settled.name(), words(&notice.action)).trim_end().to_owned()
}

/// A mail: its date, its author and its subject.
pub(crate) fn of_mail(mail: &Mail) -> String {
    let date = mail.date.map_or_else(|| "no date".to_owned(), |date| date.strftime("%Y-%m-%d %H:%M").to_string());
    let from = mail.from.first().map_or("nobody", |from| from.email.as_str());
    let subject = mail.subject.as_deref().unwrap_or("(no subject)");
    format!("{date} {}  {}", shortened(from, WORDS), shortened(subject, WORDS))
}

fn of_message(message: &ModelMessage) -> String {
    let (role, text) = match message {
        ModelMessage::System(system) => ("system", system_text(&system.parts)),
        ModelMessage::User(user) => ("user", parts(&user.parts)),
        ModelMessage::Assistant(said) => return of_assistants([said.as_ref()].into_iter()),
        ModelMessage::Tool(outcome) => ("outcome", parts(&outcome.parts)),
    };
    format!("{role}: {}", words(text))
}

/// What the model said: its first words, or the tools it called.
fn of_assistants<'a>(said: impl Iterator<Item = &'a Assistant> + Clone) -> String {
    let calls: Vec<&str> = said.clone().flat_map(Assistant::calls).map(|call| call.name.as_str()).take(8).collect();
    let text = said.flat_map(|said| &said.items).find_map(|item| match item {
        Item::Text(text) if !text.text.trim().is_empty() => Some(text.text.as_str()),
        Item::Text(_) | Item::Reasoning(_) | Item::Call(_) | Item::Native(_) => None,
    });
    match (calls.is_empty(), text) {
        (true, text) => format!("assistant: {}", words(text.unwrap_or_default())),
        (false, _) => format!("calls {}", shortened(&calls.join(", "), 2 * WORDS)),
    }
}

fn system_text(parts: &[SystemPart]) -> &str {
    parts.iter().find_map(|part| if let SystemPart::Text(text) = part { Some(text.text.as_str()) } else { None }).unwrap_or("")
}

fn parts(parts: &[Part]) -> &str {
    match parts.first() {
        None => "",
        Some(Part::Text(text)) => &text.text,
        Some(Part::Image(_)) => "(picture)",
        Some(Part::Document(_)) => "(document)",
        Some(Part::Native(_)) => "(native block)",
    }
}

/// The beginning of a text on one line.
fn words(text: &str) -> String {
    shortened(text.trim_start(), WORDS)
}

fn shortened(text: &str, most: usize) -> String {
    // Far more than is shown, and far less than a text may have.
    let line = prefix(text, 4 * most);
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = prefix(&line, most);
    if cut.len() < line.len() { format!("{}…", prefix(&line, most - 1).trim_end()) } else { line }
}
