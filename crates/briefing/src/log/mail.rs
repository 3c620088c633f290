//! A mail as the log keeps it: parsed, but not changed.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

/// One mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mail {
    /// Whether it came in or went out.
    pub direction: Direction,
    /// Its Message-ID.
    pub message_id: Option<MessageId>,
    /// The ids of In-Reply-To, in order.
    pub in_reply_to: Vec<MessageId>,
    /// The ids of References, oldest first.
    pub references: Vec<MessageId>,
    /// The Date header.
    pub date: Option<Timestamp>,
    /// The authors.
    pub from: Vec<Address>,
    /// The recipients.
    pub to: Vec<Address>,
    /// Who else got it.
    pub cc: Vec<Address>,
    /// The subject, decoded.
    pub subject: Option<String>,
    /// The readable body: the plain text, else the HTML as text. Line ends as they came.
    pub body: Option<Arc<str>>,
    /// The files, in the order of the mail.
    pub attachments: Vec<Attachment>,
}

/// Which way a mail went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Somebody sent it to us.
    #[default]
    Inbound,
    /// One of us wrote it.
    Outbound(Delivery),
}

/// How far a mail of ours has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// It was sent.
    #[default]
    Sent,
    /// It waits to be sent.
    Draft,
    /// It could not be sent, or was held back.
    Failed,
}

/// A Message-ID without its angle brackets; its case matters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(Arc<str>);

impl MessageId {
    /// Takes an id with or without brackets. None if nothing is between them.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('<').unwrap_or(text);
        let text = text.strip_suffix('>').unwrap_or(text).trim();
        if text.is_empty() { None } else { Some(Self(text.into())) }
    }

    /// The id without brackets.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.0)
    }
}

/// A mail address with the name beside it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// The name, if one is given.
    pub name: Option<String>,
    /// The address itself; may be odd, may be empty.
    pub email: String,
}

impl Address {
    /// Reads `Name <address>` or a bare address.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
            Some((name, email)) => {
                let name = name.trim().trim_matches('"');
                Self { name: (!name.is_empty()).then(|| name.to_owned()), email: email.trim().to_owned() }
            }
            None => Self { name: None, email: text.to_owned() },
        }
    }

    /// Whether both are the same mailbox: the case of letters does not matter.
    #[must_use]
    pub fn same_mailbox(&self, email: &str) -> bool {
        !email.is_empty() && self.email.eq_ignore_ascii_case(email)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} <{}>", self.email),
            None => f.write_str(&self.email),
        }
    }
}

/// A file that came with a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// By which it can be fetched.
    pub id: AttachmentId,
    /// Its name, if it has one; as it came, so it may hold a path.
    pub filename: Option<String>,
    /// Its type, such as `application/pdf`.
    pub media_type: String,
    /// Its size in bytes, decoded, where known.
    pub size: Option<u64>,
    /// Whether the body shows it in place, as a logo or a signature.
    pub inline: bool,
}

/// The id of a stored file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttachmentId(Arc<str>);

impl AttachmentId {
    /// The id of that text.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AttachmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
