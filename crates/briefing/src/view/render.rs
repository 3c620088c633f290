//! How a mail reads: the same when it is current and when it is past (`docs/format.md`).

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

use crate::log::{Address, Attachment, Delivery, Direction, Mail};
use crate::message::Role;
use crate::text::{lf, one_line};

/// The longest value of a header line, in characters.
const HEADER_CHARS: usize = 2_000;
/// The longest name of an attachment, in characters.
const NAME_CHARS: usize = 200;

/// The mail as a model reads it: five header lines, a blank line, the readable body, and a note that lists the attachments.
/// None if there is neither body nor attachment.
#[must_use]
pub fn mail_text(mail: &Mail) -> Option<String> {
    let body = mail.body.as_deref().filter(|body| !body.trim().is_empty());
    if body.is_none() && mail.attachments.is_empty() {
        return None;
    }
    let mut text = String::with_capacity(256 + body.map_or(0, str::len));
    header("From", &addresses(&mail.from), &mut text);
    header("To", &addresses(&mail.to), &mut text);
    header("Cc", &addresses(&mail.cc), &mut text);
    header("Date", &mail.date.map(utc).unwrap_or_default(), &mut text);
    header("Subject", mail.subject.as_deref().unwrap_or_default(), &mut text);
    if let Some(body) = body {
        text.push('\n');
        text.push_str(lf(body).trim_end_matches('\n'));
    }
    if !mail.attachments.is_empty() {
        text.push_str(if body.is_some() { "\n\nAttachments:" } else { "\nAttachments:" });
        mail.attachments.iter().for_each(|attachment| note(attachment, &mut text));
    }
    Some(text)
}

fn header(name: &str, value: &str, text: &mut String) {
    text.push_str(name);
    text.push_str(": ");
    text.push_str(one_line(value, HEADER_CHARS).trim());
    text.push('\n');
}

/// RFC 3339 in UTC, to the second.
pub(crate) fn utc(time: Timestamp) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(0));
    PRINTER.timestamp_to_string(&time)
}

fn addresses(addresses: &[Address]) -> String {
    addresses.iter().map(Address::to_string).collect::<Vec<_>>().join(", ")
}

fn note(attachment: &Attachment, text: &mut String) {
    let name = one_line(attachment.filename.as_deref().unwrap_or("unnamed"), NAME_CHARS);
    let media_type = one_line(&attachment.media_type, NAME_CHARS);
    let size = attachment.size.map_or_else(|| "unknown size".to_owned(), |size| format!("{size} bytes"));
    let inline = if attachment.inline { ", inline" } else { "" };
    let id = one_line(attachment.id.as_str(), NAME_CHARS);
    text.push_str(&format!("\n- {name} ({media_type}, {size}{inline}) id={id}"));
}

/// Who speaks in a mail, for the persona of that address: what it sent itself is the assistant's, all else is a user's. None
/// for what was not sent.
#[must_use]
pub fn mail_role(mail: &Mail, persona: &str) -> Option<Role> {
    match mail.direction {
        Direction::Outbound(Delivery::Draft | Delivery::Failed) => None,
        Direction::Outbound(Delivery::Sent) if mail.from.iter().any(|from| from.same_mailbox(persona)) => Some(Role::Assistant),
        Direction::Outbound(Delivery::Sent) | Direction::Inbound => Some(Role::User),
    }
}
