//! Operations that a strategy makes up: plans, which become operations over what there is by then.

mod plan;

use std::fmt::Debug;

use briefing::log::{AttachmentId, RecordedRound, Run, Settled};
use briefing::message::{Assistant, EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing_store::{AnchorKey, Append, Appended, BlobHash, Forget, ForgetReport, ImportedRound, Store};
use jiff::Timestamp;
use pollster::block_on;

pub(crate) use plan::{Plan, plans};

pub(crate) const OWNERS: [&str; 2] = ["ann", "bob"];
pub(crate) const IDS: [&str; 6] = ["a@x", "b@x", "c@x", "d@x", "e@x", "A@x"];
pub(crate) const RAWS: [&[u8]; 3] = [b"raw", b"a raw mail that is large", b""];
pub(crate) const FILES: [&[u8]; 3] = [b"file", b"a raw mail that is large", b"a file that is large too"];
pub(crate) const PERSONAS: [&str; 3] = ["desk@x", "DESK@x", "other@x"];
pub(crate) const MODELS: [&str; 2] = ["m", "M"];

/// The id of a file of that content.
pub(crate) fn file_id(content: &[u8]) -> AttachmentId {
    AttachmentId::new(BlobHash::of(content).to_string())
}

/// One operation of one owner.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) owner: OwnerId,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    OpenThread,
    Append(Vec<Append>),
    BeginRun(Run),
    Wrote(RunId, EntryId),
    AppendRound(RunId, u32, Assistant, Timestamp),
    AppendOutcome(RunId, Outcome, Timestamp),
    ImportRun(Run, Vec<ImportedRound>, Timestamp),
    Settle(EntryId, Settled, Timestamp),
    Merge(ThreadId, ThreadId),
    Split(EntryId),
    MoveAnchor(RunId, AnchorKey, EntryId),
    Forget(Forget, Timestamp),
}

/// What an operation gave.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    Done,
    Thread(ThreadId),
    Appended(Vec<Appended>),
    Round(RecordedRound),
    Entry(EntryId),
    Imported(bool),
    /// Of a trial, and of what followed it.
    Forgotten(ForgetReport, ForgetReport),
    /// An error with all that it tells.
    Failed(String),
}

/// Does that.
pub(crate) fn apply(store: &dyn Store, operation: &Operation) -> Answer {
    let owner = &operation.owner;
    match operation.what.clone() {
        What::OpenThread => answer(block_on(store.open_thread(owner)), Answer::Thread),
        What::Append(batch) => answer(block_on(store.append(owner, batch)), Answer::Appended),
        What::BeginRun(run) => answer(block_on(store.begin_run(owner, run)), |()| Answer::Done),
        What::Wrote(run, entry) => answer(block_on(store.wrote(owner, &run, entry)), |()| Answer::Done),
        What::AppendRound(run, index, said, now) => {
            answer(block_on(store.append_round(owner, &run, index, said, now)), Answer::Round)
        }
        What::AppendOutcome(run, outcome, now) => {
            answer(block_on(store.append_outcome(owner, &run, outcome, now)), Answer::Entry)
        }
        What::ImportRun(run, rounds, at) => answer(block_on(store.import_run(owner, run, rounds, at)), Answer::Imported),
        What::Settle(card, settled, now) => answer(block_on(store.settle(owner, card, settled, now)), Answer::Entry),
        What::Merge(from, into) => answer(block_on(store.merge(owner, from, into)), |()| Answer::Done),
        What::Split(entry) => answer(block_on(store.split(owner, entry)), Answer::Thread),
        What::MoveAnchor(run, key, entry) => answer(block_on(store.move_anchor(owner, &run, &key, entry)), |()| Answer::Done),
        What::Forget(what, now) => {
            // So that all is in the index.
            block_on(store.search(owner, "x", 1)).unwrap();
            let trial = block_on(store.would_forget(owner, &what));
            let done = block_on(store.forget(owner, &what, now));
            answer(trial.and_then(|trial| Ok((trial, done?))), |(trial, done)| {
                Answer::Forgotten(trial, ForgetReport { scrubbed: false, ..done })
            })
        }
    }
}

fn answer<T>(result: Result<T, impl Debug>, answer: impl FnOnce(T) -> Answer) -> Answer {
    result.map_or_else(|error| Answer::Failed(format!("{error:?}")), answer)
}
