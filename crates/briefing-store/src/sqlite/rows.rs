//! What entries hold, as rows and back. What is written here is read here.

use std::collections::HashMap;
use std::sync::Arc;

use blake3::Hasher;
use briefing::log::{Address, Attachment, AttachmentId, Card, Delivery, Direction, Kind, Mail, MessageId, ResetKind, Settled};
use briefing::message::{Assistant, ModelMessage, Outcome, RunId, ToolCall, message_to_json, messages_from_json};
use rusqlite::{Connection, Row};
use serde_json::{Map, Value, json};

use super::ids::number;
use super::time::{micros, timestamp};
use crate::{BlobHash, StoreError};

/// Kinds as numbers, as the schema tells them.
pub(super) const MAIL: i64 = 1;
pub(super) const ROUND: i64 = 2;
pub(super) const OUTCOME: i64 = 3;
pub(super) const MESSAGE: i64 = 4;
pub(super) const CARD: i64 = 5;
pub(super) const NOTICE: i64 = 6;
pub(super) const RESET: i64 = 11;
pub(super) const EDIT: i64 = 12;
/// Of a hash only: a run, the text of a file, and a request.
pub(super) const RUN: i64 = 8;
pub(super) const TEXT: i64 = 14;
pub(super) const REQUEST: i64 = 15;
/// Of a member only: a card that is not settled.
pub(super) const OPEN_CARD: i64 = 7;
/// Of a member only: a message that is part of tool use, or holds instructions.
pub(super) const TOOL_USE: i64 = 9;
pub(super) const SYSTEM: i64 = 10;
/// Everything that members may be but erased.
pub(super) const LIVING: [i64; 12] =
    [MAIL, ROUND, OUTCOME, MESSAGE, TOOL_USE, SYSTEM, CARD, OPEN_CARD, NOTICE, RESET, EDIT, POPPED];
/// Of a member only: what was there is popped, or erased.
pub(super) const POPPED: i64 = 13;
pub(super) const ERASED: i64 = 0;

/// The kind of a member.
pub(super) fn kind(code: i64) -> Option<Kind> {
    Some(match code {
        ERASED => Kind::Erased,
        MAIL => Kind::Mail,
        ROUND => Kind::Round,
        OUTCOME => Kind::Outcome,
        MESSAGE => Kind::Message,
        TOOL_USE => Kind::ToolUse,
        SYSTEM => Kind::System,
        CARD | OPEN_CARD => Kind::Card,
        NOTICE => Kind::Notice,
        RESET => Kind::Reset,
        EDIT => Kind::Edit,
        POPPED => Kind::Popped,
        _ => return None,
    })
}

/// The numbers that members of a kind have.
pub(super) const fn codes(kind: Kind) -> &'static [i64] {
    match kind {
        Kind::Mail => &[MAIL],
        Kind::Round => &[ROUND],
        Kind::Outcome => &[OUTCOME],
        Kind::Message => &[MESSAGE],
        Kind::ToolUse => &[TOOL_USE],
        Kind::System => &[SYSTEM],
        Kind::Card => &[CARD, OPEN_CARD],
        Kind::Notice => &[NOTICE],
        Kind::Reset => &[RESET],
        Kind::Edit => &[EDIT],
        Kind::Popped => &[POPPED],
        Kind::Erased => &[ERASED],
        Kind::Unreadable => &[],
    }
}

/// The number that the entry of a member has.
pub(super) const fn of_entry(member: i64) -> i64 {
    match member {
        OPEN_CARD => CARD,
        TOOL_USE | SYSTEM => MESSAGE,
        kind => kind,
    }
}

/// What a row does not hold as it should.
pub(super) fn damaged(entry: i64, what: &str) -> StoreError {
    StoreError::Corrupt { detail: format!("{what} of entry {} cannot be read", number(entry)) }
}

/// The hash of a row: of its values, each with its length.
pub(super) fn hash(kind: i64, fields: &[Option<&[u8]>]) -> [u8; 32] {
    let mut hasher = Hasher::new();
    hasher.update(&kind.to_le_bytes());
    for field in fields {
        let length = field.map_or(u64::MAX, |field| field.len() as u64);
        hasher.update(&length.to_le_bytes());
        hasher.update(field.unwrap_or_default());
    }
    *hasher.finalize().as_bytes()
}

/// The hash of a notice. One in its card's language has that which it had before there was another.
pub(super) fn notice_hash(card: i64, settled: &str, language: Option<&str>) -> [u8; 32] {
    let card = number(card).to_le_bytes();
    let (card, settled) = (Some(card.as_slice()), Some(settled.as_bytes()));
    match language {
        None => hash(NOTICE, &[card, settled]),
        Some(language) => hash(NOTICE, &[card, settled, Some(language.as_bytes())]),
    }
}

/// A mail's own columns.
pub(super) struct MailRow {
    pub(super) direction: i64,
    pub(super) message_id: Option<String>,
    pub(super) in_reply_to: Option<String>,
    pub(super) refs: Option<String>,
    pub(super) date: Option<i64>,
    pub(super) sender: Option<String>,
    pub(super) recipients: Option<String>,
    pub(super) copies: Option<String>,
    pub(super) subject: Option<String>,
    pub(super) body: Option<Arc<str>>,
}

impl MailRow {
    pub(super) fn new(mail: &Mail) -> Self {
        Self {
            direction: match mail.direction {
                Direction::Inbound => 0,
                Direction::Outbound(Delivery::Sent) => 1,
                Direction::Outbound(Delivery::Draft) => 2,
                Direction::Outbound(Delivery::Failed) => 3,
            },
            message_id: mail.message_id.as_ref().map(|id| id.as_str().to_owned()),
            in_reply_to: ids_json(&mail.in_reply_to),
            refs: ids_json(&mail.references),
            date: mail.date.map(micros),
            sender: addresses_json(&mail.from),
            recipients: addresses_json(&mail.to),
            copies: addresses_json(&mail.cc),
            subject: mail.subject.clone(),
            body: mail.body.clone(),
        }
    }

    /// The hash, with what the attachments' rows hold and the hashes of the contents: of the mail as it came, and of each
    /// attachment.
    pub(super) fn hash(&self, attachments: &[Attachment], raw: Option<&BlobHash>, contents: &[Option<BlobHash>]) -> [u8; 32] {
        fn text(value: Option<&String>) -> Option<&[u8]> {
            value.map(|value| value.as_bytes())
        }
        let direction = self.direction.to_le_bytes();
        let date = self.date.map(i64::to_le_bytes);
        let (files, contents) = (files_json(attachments), contents_json(contents));
        hash(
            MAIL,
            &[
                Some(&direction),
                text(self.message_id.as_ref()),
                text(self.in_reply_to.as_ref()),
                text(self.refs.as_ref()),
                date.as_ref().map(<[u8; 8]>::as_slice),
                text(self.sender.as_ref()),
                text(self.recipients.as_ref()),
                text(self.copies.as_ref()),
                text(self.subject.as_ref()),
                self.body.as_deref().map(str::as_bytes),
                Some(files.as_bytes()),
                raw.map(|raw| raw.as_bytes().as_slice()),
                Some(contents.as_bytes()),
            ],
        )
    }
}

/// What is hashed of attachments: what their rows hold.
pub(super) fn files_json(attachments: &[Attachment]) -> String {
    let files =
        attachments.iter().map(|file| json!([file.id.as_str(), file.filename, file.media_type, file.size, file.inline]));
    Value::Array(files.collect()).to_string()
}

/// What is hashed of their contents.
pub(super) fn contents_json(contents: &[Option<BlobHash>]) -> String {
    let contents: Value = contents.iter().map(|content| content.map(|hash| hash.to_string())).collect();
    contents.to_string()
}

fn ids_json(ids: &[MessageId]) -> Option<String> {
    (!ids.is_empty()).then(|| Value::from(ids.iter().map(MessageId::as_str).collect::<Vec<_>>()).to_string())
}

fn addresses_json(addresses: &[Address]) -> Option<String> {
    let all = || addresses.iter().map(|address| json!([address.name, address.email]));
    (!addresses.is_empty()).then(|| all().collect::<Value>().to_string())
}

/// Reads ids. Nearly all are without an escape, and are taken out of the row as they stand.
pub(super) fn read_ids(json: &str) -> Option<Vec<MessageId>> {
    let plain = json.strip_prefix("[\"").and_then(|json| json.strip_suffix("\"]")).filter(|json| !json.contains('\\'));
    if let Some(plain) = plain {
        // A quote inside an id would have an escape.
        return Some(plain.split("\",\"").filter_map(MessageId::new).collect());
    }
    let ids: Vec<String> = serde_json::from_str(json).ok()?;
    Some(ids.iter().filter_map(|id| MessageId::new(id)).collect())
}

/// Reads addresses. Nearly all lists are of one, and it is without an escape.
pub(super) fn read_addresses(json: &str) -> Option<Vec<Address>> {
    if let Some(one) = one_address(json) {
        return Some(vec![one]);
    }
    let all: Vec<(Option<String>, String)> = serde_json::from_str(json).ok()?;
    Some(all.into_iter().map(|(name, email)| Address { name, email }).collect())
}

fn one_address(json: &str) -> Option<Address> {
    let list = json.strip_prefix("[[")?.strip_suffix("\"]]")?;
    let (name, email) = match list.strip_prefix("null,\"") {
        Some(email) => (None, email),
        None => list.strip_prefix('"')?.split_once("\",\"").map(|(name, email)| (Some(name), email))?,
    };
    let plain = |text: &str| !text.contains(['"', '\\']);
    (name.is_none_or(plain) && plain(email)).then(|| Address { name: name.map(str::to_owned), email: email.to_owned() })
}

/// The columns of a mail, in the order that [`mail`] reads them.
pub(super) const MAIL_COLUMNS: &str = "mails.entry, mails.direction, mails.message_id, mails.in_reply_to, mails.refs, \
     mails.date, mails.sender, mails.recipients, mails.copies, mails.subject, mails.body, mails.attachments";

/// Reads a mail's columns, and how many attachments are still to be read.
pub(super) fn mail(row: &Row<'_>) -> Result<(Mail, u32), StoreError> {
    let entry = row.get(0)?;
    let text = |column| row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from);
    let ids = |column| text(column)?.map_or(Ok(Vec::new()), |json| read_ids(json).ok_or_else(|| damaged(entry, "an id")));
    let addresses =
        |column| text(column)?.map_or(Ok(Vec::new()), |json| read_addresses(json).ok_or_else(|| damaged(entry, "an address")));
    let mail = Mail {
        direction: match row.get(1)? {
            0 => Direction::Inbound,
            1 => Direction::Outbound(Delivery::Sent),
            2 => Direction::Outbound(Delivery::Draft),
            3 => Direction::Outbound(Delivery::Failed),
            _ => return Err(damaged(entry, "the direction")),
        },
        message_id: text(2)?.and_then(MessageId::new),
        in_reply_to: ids(3)?,
        references: ids(4)?,
        date: row.get::<_, Option<i64>>(5)?.map(timestamp),
        from: addresses(6)?,
        to: addresses(7)?,
        cc: addresses(8)?,
        subject: text(9)?.map(str::to_owned),
        body: text(10)?.map(Arc::from),
        attachments: Vec::new(),
    };
    Ok((mail, row.get(11)?))
}

/// The attachments of those mails, by mail.
pub(super) fn attachments(connection: &Connection, entries: &[i64]) -> Result<HashMap<i64, Vec<Attachment>>, StoreError> {
    let mut found: HashMap<i64, Vec<Attachment>> = HashMap::new();
    if entries.is_empty() {
        return Ok(found);
    }
    let mut statement = connection.prepare_cached(
        "SELECT entry, id, filename, media_type, size, inline FROM attachments
         WHERE entry IN (SELECT value FROM json_each(?1)) ORDER BY entry, position",
    )?;
    let mut rows = statement.query([list(entries)])?;
    while let Some(row) = rows.next()? {
        let attachment = Attachment {
            id: AttachmentId::new(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?),
            filename: row.get(2)?,
            media_type: row.get(3)?,
            size: row.get::<_, Option<i64>>(4)?.map(i64::cast_unsigned),
            inline: row.get(5)?,
        };
        found.entry(row.get(0)?).or_default().push(attachment);
    }
    Ok(found)
}

/// A list of keys, as `json_each` reads it.
pub(super) fn list(keys: &[i64]) -> String {
    let mut list = String::with_capacity(keys.len() * 16 + 2);
    list.push('[');
    for (index, key) in keys.iter().enumerate() {
        if index > 0 {
            list.push(',');
        }
        list.push_str(&key.to_string());
    }
    list.push(']');
    list
}

/// A round as it is kept.
pub(super) fn said(entry: i64, json: &str) -> Result<Arc<Assistant>, StoreError> {
    match message(entry, json)? {
        ModelMessage::Assistant(said) => Ok(said),
        _ => Err(damaged(entry, "the round")),
    }
}

/// An outcome as it is kept.
pub(super) fn outcome(entry: i64, json: &str) -> Result<Arc<Outcome>, StoreError> {
    match message(entry, json)? {
        ModelMessage::Tool(outcome) => Ok(outcome),
        _ => Err(damaged(entry, "the outcome")),
    }
}

/// A message as it is kept.
pub(super) fn message(entry: i64, json: &str) -> Result<ModelMessage, StoreError> {
    let messages = messages_from_json(json).map_err(|_| damaged(entry, "the message"))?;
    messages.into_iter().next().ok_or_else(|| damaged(entry, "the message"))
}

/// A card as it is kept: its call stands in a message, as a round's would.
pub(super) fn card_json(card: &Card) -> String {
    let call = ModelMessage::calls([card.call.clone()]);
    json!({
        "run": card.run.as_ref().map(RunId::as_str),
        "call": message_to_json(&call),
        "action": card.action,
        "language": card.language,
        "preview": card.preview,
        "fingerprint": card.fingerprint,
        "expires": card.expires.map(micros),
    })
    .to_string()
}

/// A card as it is kept.
pub(super) fn card(entry: i64, json: &str) -> Result<Card, StoreError> {
    let fault = || damaged(entry, "the card");
    let value: Value = serde_json::from_str(json).map_err(|_| fault())?;
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(fault);
    let call: ToolCall = said(entry, &text("call")?)?.calls().next().cloned().ok_or_else(fault)?;
    Ok(Card {
        run: value.get("run").and_then(Value::as_str).map(RunId::new),
        call,
        action: text("action")?,
        language: text("language")?,
        preview: text("preview")?,
        fingerprint: text("fingerprint")?,
        expires: value.get("expires").and_then(Value::as_i64).map(timestamp),
    })
}

/// What an application keeps with something, as JSON; nothing of nothing.
pub(super) fn extra_json(extra: &Map<String, Value>) -> Option<String> {
    (!extra.is_empty()).then(|| serde_json::to_string(extra).unwrap_or_default())
}

/// Reads that.
pub(super) fn extra(entry: i64, json: Option<&str>) -> Result<Map<String, Value>, StoreError> {
    json.map_or_else(|| Ok(Map::new()), |json| serde_json::from_str(json).map_err(|_| damaged(entry, "what is kept with it")))
}

pub(super) fn reset_kind(name: &str) -> Option<ResetKind> {
    [ResetKind::Flush, ResetKind::Rescue].into_iter().find(|kind| kind.name() == name)
}

pub(super) fn settled(name: &str) -> Option<Settled> {
    Settled::ALL.into_iter().find(|settled| settled.name() == name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

    use super::*;

    #[test]
    fn addresses_and_ids_are_read_as_they_were_written() {
        let address = |name: Option<&str>, email: &str| Address { name: name.map(str::to_owned), email: email.to_owned() };
        let lists = [
            vec![],
            vec![address(None, "ann@x.example")],
            vec![address(Some("Ann Lee"), "ann@x.example")],
            vec![address(Some("null,"), "")],
            vec![address(Some(""), "]]")],
            vec![address(Some("a\",\"b"), "c\\")],
            vec![address(Some("],["), "\"],[\""), address(None, "\n")],
            vec![address(Some("Ann"), "a@x"), address(Some("Bo"), "b@x"), address(None, "c@x")],
        ];
        for list in lists {
            let json = addresses_json(&list).unwrap_or("[]".to_owned());
            assert_eq!(read_addresses(&json), Some(list), "{json}");
        }
        for ids in [vec!["a@x"], vec!["a@x", "b@x"], vec!["a\"b", "\\", "],["], vec!["\",\"", "x"]] {
            let ids: Vec<MessageId> = ids.into_iter().filter_map(MessageId::new).collect();
            let json = ids_json(&ids).unwrap();
            assert_eq!(read_ids(&json), Some(ids), "{json}");
        }
        for damaged in ["", "[", "[[", "[[\"a\"]]", "[[null,\"a@x\"]", "{}", "[\"a", "nonsense"] {
            assert_eq!(read_addresses(damaged), None, "{damaged}");
        }
    }
}
