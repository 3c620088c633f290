//! Threads as IMAP servers make them (RFC 5256): by references and subject, or by subject alone.
//!
//! ```
//! use briefing_mail::rfc5256::{Message, references};
//! # use briefing::log::MessageId;
//! let (root, reply) = (MessageId::new("<a@x>"), MessageId::new("<b@x>"));
//! let to_root: Vec<_> = root.iter().cloned().collect();
//! let messages = [
//!     Message { message_id: reply.as_ref(), references: &to_root, ..Message::default() },
//!     Message { message_id: root.as_ref(), ..Message::default() },
//! ];
//! assert_eq!(references(&messages).to_string(), "(2 1)");
//! ```
//!
//! Pure functions over a list of [`Message`]s in the order of the mailbox; each gives a [`Forest`]. They say what a mail
//! program shows, and gate nobody: for the threads of a log see [`place`](crate::place).

mod forest;
mod gather;
mod links;
mod subject;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use briefing::log::{Mail, MessageId};
use jiff::Timestamp;

pub use self::forest::{Forest, NodeId};
pub use self::subject::{BaseSubject, base_subject};

/// What threads are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Message<'a> {
    /// Its Message-ID.
    pub message_id: Option<&'a MessageId>,
    /// The ids of References, oldest first.
    pub references: &'a [MessageId],
    /// The ids of In-Reply-To. The first counts, where References has none.
    pub in_reply_to: &'a [MessageId],
    /// The subject, decoded.
    pub subject: Option<&'a str>,
    /// The Date header.
    pub sent: Option<Timestamp>,
    /// When it came into the mailbox (IMAP: INTERNALDATE). Counts where there is no Date.
    pub arrived: Timestamp,
}

impl<'a> Message<'a> {
    /// That mail, which arrived then.
    #[must_use]
    pub fn new(mail: &'a Mail, arrived: Timestamp) -> Self {
        Self {
            message_id: mail.message_id.as_ref(),
            references: &mail.references,
            in_reply_to: &mail.in_reply_to,
            subject: mail.subject.as_deref(),
            sent: mail.date,
            arrived,
        }
    }

    /// The sent date (2.2).
    fn date(&self) -> Timestamp {
        self.sent.unwrap_or(self.arrived)
    }

    /// The references (3, REFERENCES, step 1): oldest first.
    fn links(&self) -> &'a [MessageId] {
        if self.references.is_empty() { self.in_reply_to.get(..1).unwrap_or_default() } else { self.references }
    }

    fn base_subject(&self) -> BaseSubject {
        base_subject(self.subject.unwrap_or_default())
    }
}

/// The threads by references (RFC 5256, 3, REFERENCES): who answers whom, and threads of the same subject gathered.
///
/// The ids of a mail are linked in the order of References, the first of them also if no message has it. Where messages share
/// an id, the first in the list has it. Takes linear time in ids but for a logarithmic factor, however deep the threads are.
#[must_use]
pub fn references(messages: &[Message<'_>]) -> Forest {
    gather::forest(messages, &links::parents(messages))
}

/// The threads by subject (RFC 5256, 3, ORDEREDSUBJECT): the first message of each base subject, the others below it, all by
/// date. Messages without a subject are one thread.
#[must_use]
pub fn ordered_subject(messages: &[Message<'_>]) -> Forest {
    let mut order: Vec<usize> = (0..messages.len()).collect();
    order.sort_by_key(|&at| messages.get(at).map(Message::date));
    let mut threads: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut by_subject: HashMap<String, usize> = HashMap::new();
    for at in order {
        let subject = messages.get(at).map(Message::base_subject).unwrap_or_default();
        let next = threads.len();
        match threads.get_mut(*by_subject.entry(subject.folded()).or_insert(next)) {
            Some((_, children)) => children.push(at),
            None => threads.push((at, Vec::new())),
        }
    }
    let mut children = vec![Vec::new(); messages.len()];
    let mut roots = Vec::new();
    for (first, rest) in threads {
        roots.push(first);
        if let Some(slot) = children.get_mut(first) {
            *slot = rest;
        }
    }
    Forest::new(messages.len(), children, roots)
}
