//! What was noticed while reading, and did not stop it.

use std::fmt;

use briefing::log::MessageId;
use briefing::message::ThreadId;
use briefing::persona::PersonaWarning;
use briefing_forms::ReadFinding;
use briefing_json::SyntaxError;
use briefing_mail::{Finding, MailboxError, Source};
use briefing_wire::{ParseFinding, WireFinding};

use crate::input::json_fault;

/// One thing to tell.
#[derive(Debug)]
pub(crate) enum Note {
    /// A message or a mailbox that could not be read.
    Unreadable(MailboxError),
    /// Something in a message could not be read, or not whole.
    Message { source: Source, finding: Finding },
    /// Messages whose bytes were read before.
    Duplicates { first: Source, count: usize },
    /// A message whose id another one has; both are kept.
    SharedId { source: Source, id: MessageId },
    /// A message that could not be read a second time.
    Gone { source: Source },
    /// A line of a transcript that is no JSON.
    BadLine { name: String, line: usize, error: SyntaxError },
    /// A line of a conversation that is JSON, and no message.
    NoMessage { name: String, line: usize },
    /// Tool use that belongs to no message that is there.
    RunLeftOut { why: String },
    /// A line that is JSON, and no conversation.
    NoConversation { what: String },
    /// Something in a transcript could not be read, or not whole.
    Parsed(ParseFinding),
    /// The same of messages that another library stored.
    Stored(ReadFinding),
    /// The wire demanded it.
    Wire(WireFinding),
    /// Something in the persona that may not be meant.
    Persona { name: String, warning: PersonaWarning },
    /// A conversation that cannot be kept.
    NotKept { name: String, why: String },
    /// Where the last run's window began is not known.
    ManyViews,
    /// An address that nothing in a mailbox can be the persona's by.
    Address { name: String, address: String },
    /// A conversation that another one of its id is not the beginning of.
    OtherConversation { id: String, thread: ThreadId },
    /// A file of a chat that has no text to be read.
    NoText { file: String, why: String },
    /// A file of a chat of which not all text was read.
    PartOfText { file: String, why: String },
    /// What became of a swarm's message that its agent is not told as it stands.
    Swarm { what: String },
    /// Top-level fields of a body of another wire.
    FieldsLeftOut { names: Vec<String> },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "{error}. {}", error.hint()),
            Self::Message { source, finding } => write!(f, "{}: {finding}", Shown(source)),
            Self::Duplicates { first, count: 1 } => {
                write!(f, "{}: its bytes were read before; taken once", Shown(first))
            }
            Self::Duplicates { first, count } => {
                write!(f, "{count} messages, the first of them {}: their bytes were read before; taken once", Shown(first))
            }
            Self::SharedId { source, id } => write!(f, "{}: another message has the id {id} too; both are kept", Shown(source)),
            Self::Gone { source } => write!(f, "{}: is not there any more; its text is missing", Shown(source)),
            Self::BadLine { name, line, error } => {
                write!(f, "{name}, line {line}: passed over: {} at byte {}", json_fault(error.fault), error.offset)
            }
            Self::NoMessage { name, line } => write!(f, "{name}, line {line}: passed over: it is no message"),
            Self::RunLeftOut { why } => write!(f, "{why}; its run is passed over"),
            Self::NoConversation { what } => write!(f, "passed over: {what}"),
            Self::Address { name, address } if address.is_empty() => {
                write!(f, "{name}: the address is empty, so all mail reads as others'")
            }
            Self::Address { name, address } => {
                write!(f, "{name}: the address {address:?} has no @, so no mail is known to be the persona's own")
            }
            Self::Parsed(finding) => finding.fmt(f),
            Self::Stored(finding) => finding.fmt(f),
            Self::Wire(finding) => finding.fmt(f),
            Self::Persona { name, warning } => write!(f, "{name}: {warning}"),
            Self::NotKept { name, why } => write!(f, "{name}: {why}"),
            Self::ManyViews => f.write_str(
                "the persona tells history by several views, so where the last run's window began was not looked up",
            ),
            Self::OtherConversation { id, thread } => {
                write!(f, "conversation {id:?}: another one of this id was imported before; this one is thread {thread}")
            }
            Self::NoText { file, why } => write!(f, "the file {file:?} is told without its text: {why}"),
            Self::PartOfText { file, why } => write!(f, "the file {file:?} is told in part: {why}"),
            Self::Swarm { what } => f.write_str(what),
            Self::FieldsLeftOut { names } => write!(f, "fields of the other wire are left out: {}", names.join(", ")),
        }
    }
}

/// A source as it is told: the file, and which message of it.
struct Shown<'a>(&'a Source);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source { path, number, offset } = self.0;
        write!(f, "{}, message {number} at byte {offset}", path.display())
    }
}
