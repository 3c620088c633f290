//! Operations that a strategy makes up: plans, which become operations over what there is by then.

mod content;
mod plan;

use std::sync::Arc;
use std::time::Duration;

use briefing::log::{AttachmentId, Body, Entry, Erased, Popped, RecordedRound, Run, Settled};
use briefing::message::{Assistant, EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing_store::{
    AnchorKey, Append, Appended, BlobHash, Forget, ForgetReport, ImportedRound, KeptRequest, KeptText, Lease, RunEnd,
    Scheduled, Spent, Step, Store, StoreError, Writer,
};
use jiff::Timestamp;
use pollster::block_on;

pub(crate) use plan::{Plan, plans, whole};

pub(crate) const OWNERS: [&str; 2] = ["ann", "bob"];
pub(crate) const IDS: [&str; 6] = ["a@x", "b@x", "c@x", "d@x", "e@x", "A@x"];
pub(crate) const RAWS: [&[u8]; 3] = [b"raw", b"a raw mail that is large", b""];
pub(crate) const FILES: [&[u8]; 3] = [b"file", b"a raw mail that is large", b"a file that is large too"];
pub(crate) const PERSONAS: [&str; 3] = ["desk@x", "DESK@x", "other@x"];
pub(crate) const MODELS: [&str; 2] = ["m", "M"];
pub(crate) const NAMES: [&str; 3] = ["swarm 1", "Swarm 1", ""];
pub(crate) const AGENTS: [&str; 4] = ["triage", "sales", "Sales", ""];

/// The id of a file of that content.
pub(crate) fn file_id(content: &[u8]) -> AttachmentId {
    AttachmentId::new(BlobHash::of(content).to_string())
}

/// A tombstone's hash is the backend's: it is there, and what it is does not count.
pub(crate) fn plain(entry: &Arc<Entry>) -> Arc<Entry> {
    let body = match &entry.body {
        Body::Erased(Erased { at, hash }) => {
            assert_ne!(*hash, [0; 32]);
            Body::Erased(Erased { at: *at, hash: [0; 32] })
        }
        Body::Popped(popped) => {
            assert!(popped.hash.is_some_and(|hash| hash != [0; 32]), "{popped:?}");
            Body::Popped(Popped { hash: None, ..popped.clone() })
        }
        _ => return Arc::clone(entry),
    };
    Arc::new(Entry { body, ..**entry })
}

pub(crate) fn plain_all(entries: &[Arc<Entry>]) -> Vec<Arc<Entry>> {
    entries.iter().map(plain).collect()
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
    NamedThread(&'static str),
    Append(Vec<Append>),
    BeginRun(Run),
    Wrote(Writer, EntryId),
    AppendRound(Writer, u32, Assistant, Timestamp),
    AppendOutcome(Writer, Outcome, Timestamp),
    ImportRun(Run, Vec<ImportedRound>, Timestamp),
    Settle(EntryId, Settled, Option<&'static str>, Timestamp),
    SettleLapsed(ThreadId, Timestamp),
    SettleLost(Timestamp, Timestamp),
    Pop(ThreadId, Timestamp),
    Fork(ThreadId, EntryId),
    KeepText(AttachmentId, KeptText),
    Merge(ThreadId, ThreadId),
    Split(EntryId),
    MoveAnchor(Writer, AnchorKey, EntryId),
    Lease(RunId, Timestamp, Duration),
    Renew(Lease, Timestamp, Duration),
    Release(Lease),
    EndRun(Writer, RunEnd, Option<&'static str>, Timestamp),
    StopRun(RunId, Timestamp),
    Schedule(Scheduled),
    Unschedule(RunId, Timestamp),
    Spend(Writer, Spent),
    BeginStep(Writer, &'static str, Timestamp),
    KeepRequest(Writer, KeptRequest, Timestamp),
    Claim(EntryId, Timestamp),
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
    Entries(Vec<EntryId>),
    Popped(Option<Arc<Entry>>),
    Imported(bool),
    Unscheduled(bool),
    Leased(Lease),
    Step(Step),
    Kept(u32),
    /// Of a trial, and of what followed it.
    Forgotten(Box<[ForgetReport; 2]>),
    /// An error with all that it tells.
    Failed(String),
}

/// Does that.
pub(crate) fn apply(store: &dyn Store, operation: &Operation) -> Answer {
    let owner = &operation.owner;
    match operation.what.clone() {
        What::OpenThread => answer(block_on(store.open_thread(owner)), Answer::Thread),
        What::NamedThread(name) => answer(block_on(store.named_thread(owner, name)), Answer::Thread),
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
        What::Settle(card, settled, language, now) => {
            answer(block_on(store.settle(owner, card, settled, language, now)), Answer::Entry)
        }
        What::SettleLost(before, now) => answer(block_on(store.settle_lost(owner, before, now)), Answer::Entries),
        What::SettleLapsed(thread, now) => answer(block_on(store.settle_lapsed(owner, thread, now)), Answer::Entries),
        What::Pop(thread, now) => answer(block_on(store.pop(owner, thread, now)), Answer::Popped),
        What::Fork(thread, entry) => answer(block_on(store.fork(owner, thread, entry)), Answer::Thread),
        What::KeepText(file, text) => answer(block_on(store.keep_text(owner, &file, text)), |()| Answer::Done),
        What::Merge(from, into) => answer(block_on(store.merge(owner, from, into)), |()| Answer::Done),
        What::Split(entry) => answer(block_on(store.split(owner, entry)), Answer::Thread),
        What::MoveAnchor(run, key, entry) => answer(block_on(store.move_anchor(owner, &run, &key, entry)), |()| Answer::Done),
        What::Lease(run, now, lasts) => answer(block_on(store.lease(owner, &run, now, lasts)), Answer::Leased),
        What::Renew(lease, now, lasts) => answer(block_on(store.renew(owner, &lease, now, lasts)), Answer::Leased),
        What::Release(lease) => answer(block_on(store.release(owner, &lease)), |()| Answer::Done),
        What::EndRun(writer, end, detail, now) => {
            answer(block_on(store.end_run(owner, &writer, end, detail, now)), |()| Answer::Done)
        }
        What::StopRun(run, now) => answer(block_on(store.stop_run(owner, &run, now)), |()| Answer::Done),
        What::Schedule(work) => answer(block_on(store.schedule(owner, work)), |()| Answer::Done),
        What::Unschedule(run, now) => answer(block_on(store.unschedule(owner, &run, now)), Answer::Unscheduled),
        What::Spend(writer, spent) => answer(block_on(store.spend(owner, &writer, spent)), |()| Answer::Done),
        What::BeginStep(writer, key, now) => answer(block_on(store.begin_step(owner, &writer, key, now)), Answer::Step),
        What::KeepRequest(writer, request, now) => {
            answer(block_on(store.keep_request(owner, &writer, request, now)), Answer::Kept)
        }
        What::Claim(card, now) => answer(block_on(store.claim_card(owner, card, now)), |()| Answer::Done),
        What::Forget(what, now) => {
            // So that all is in the index.
            block_on(store.search(owner, "x", 1)).unwrap();
            let trial = block_on(store.would_forget(owner, &what));
            let done = block_on(store.forget(owner, &what, now));
            answer(trial.and_then(|trial| Ok((trial, done?))), |(trial, done)| {
                Answer::Forgotten(Box::new([trial, ForgetReport { scrubbed: false, ..done }]))
            })
        }
    }
}

fn answer<T>(result: Result<T, StoreError>, answer: impl FnOnce(T) -> Answer) -> Answer {
    match result {
        Ok(done) => answer(done),
        // Which of several forks is named does not count.
        Err(StoreError::Forked { .. }) => Answer::Failed("Forked".to_owned()),
        Err(error) => Answer::Failed(format!("{error:?}")),
    }
}
