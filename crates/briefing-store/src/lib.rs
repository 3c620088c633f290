//! **The store**: keeps the threads of an agent as an append-only log, finds them in a moment, and can forget.
//!
//! ```
//! use std::sync::Arc;
//!
//! use briefing::log::{Arrival, Mail};
//! use briefing::message::OwnerId;
//! use briefing_store::{Append, NewMail, OwnerStore, Settings, SqliteStore, Store};
//!
//! # async fn run(folder: &std::path::Path, now: jiff::Timestamp) -> Result<(), briefing_store::StoreError> {
//! let store = SqliteStore::create(&folder.join("briefing.db"), Settings::default())?;
//! let owner = OwnerId::default();
//! let raw = b"From: ann@x.example\nTo: me@shop.example\nSubject: Order 7\n\nWhere is it?\n".to_vec();
//! let parsed = briefing_mail::parse(&raw);
//! let mail = NewMail { mail: parsed.mail, files: parsed.files, raw: Some(raw) };
//! let appended = store.append(&owner, vec![Append::mail(mail, Arrival::Live(now))]).await?;
//! println!("thread {}", appended[0].thread);
//!
//! // What a chain of resolvers reads from:
//! let history = Arc::new(OwnerStore::new(Arc::new(store), owner));
//! # Ok(())
//! # }
//! # let folder = tempfile::tempdir().unwrap();
//! # pollster::block_on(run(folder.path(), jiff::Timestamp::UNIX_EPOCH)).unwrap();
//! ```
//!
//! [`Store`] is one trait of coarse operations, each a transaction; [`SqliteStore`] is the embedded backend. [`OwnerStore`]
//! implements the core's ports for one owner over any backend. What the promises are, and how each is tested, is in
//! `docs/store.md`.

mod append;
mod blobs;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod fault;
mod forget;
mod import;
mod ports;
mod read;
mod run;
mod schedule;
mod sqlite;
mod store;
pub mod swarm;

pub use append::{Append, Appended, By, Content, Expected, Fate, ImportedRound, Key, NewMail, NewMessage, Role, Target};
#[cfg(feature = "object-store")]
pub use blobs::ObjectBlobs;
pub use blobs::{BlobFolder, BlobHash, Blobs};
pub use error::StoreError;
pub use fault::{Fault, Reference, Verified};
pub use forget::{Forget, ForgetReport};
pub use import::{ImportedMails, ImportedMessages, import_mails, import_messages};
pub use ports::{OwnerStore, ReadText};
pub use read::{After, AnchorKey, Hit, KeptText, KnownFile, Logged, Moment, ThreadSummary};
pub use run::{
    Ended, Fence, KeptRequest, Lease, LeaseTime, RunEnd, RunNumber, RunRequest, RunSummary, RunsOf, Spent, Step, WaitingCard,
    Writer,
};
pub use schedule::Scheduled;
pub use sqlite::{BackedUp, Durability, Settings, SqliteStore};
pub use store::{Store, StoreFuture};
