//! What happened: entries of a thread, in an order that is total and stored. Nothing here is ever repaired or cut.

mod card;
mod entry;
mod kind;
mod mail;
mod memory;
mod message;

pub use card::{Card, Notice, Settled};
pub use entry::{Arrival, Body, Cause, Entry, Erased, Place, RecordedOutcome, RecordedRound, Run};
pub use kind::{Kind, Kinds};
pub use mail::{Address, Attachment, AttachmentId, Delivery, Direction, Mail, MessageId};
pub use memory::{LogError, MemoryLog, OwnerLog};
pub use message::{Edit, Message, Popped, Reset, ResetKind};
