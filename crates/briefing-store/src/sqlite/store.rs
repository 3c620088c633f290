//! The operations, each in one transaction.

use std::sync::Arc;
use std::time::Duration;

use briefing::log::{AttachmentId, Entry, MessageId, Notice, Place, RecordedRound, Run, Settled};
use briefing::message::{Assistant, EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing::ports::Back;
use jiff::Timestamp;
use rusqlite::TransactionBehavior;

use super::ids::thread_id;
use super::{
    SqliteStore, anchors, answers, back, cards, chat, files, forget, forks, leases, moment, read, requests, runs, schedule,
    search, summaries, texts, threads, verify,
};
use crate::{
    After, AnchorKey, Append, Appended, Fault, Forget, ForgetReport, Hit, ImportedRound, KeptRequest, KeptText, Key, KnownFile,
    Lease, Logged, Moment, RunEnd, RunRequest, RunSummary, RunsOf, Scheduled, Spent, Step, Store, StoreError, StoreFuture,
    ThreadSummary, Verified, WaitingCard, Writer,
};

impl Store for SqliteStore {
    fn open_thread<'a>(&'a self, owner: &'a OwnerId) -> StoreFuture<'a, ThreadId> {
        self.write(owner, |log, _| Ok(thread_id(log.open_thread()?)))
    }

    fn named_thread<'a>(&'a self, owner: &'a OwnerId, name: &'a str) -> StoreFuture<'a, ThreadId> {
        self.write(owner, move |log, _| Ok(thread_id(threads::named(log, name)?)))
    }

    fn append<'a>(&'a self, owner: &'a OwnerId, batch: Vec<Append>) -> StoreFuture<'a, Vec<Appended>> {
        self.write(owner, move |log, shelf| batch.into_iter().map(|append| log.append(append, shelf)).collect())
    }

    fn begin_run<'a>(&'a self, owner: &'a OwnerId, run: Run) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| runs::begin(log, &run))
    }

    fn wrote<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, entry: EntryId) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| runs::wrote(log, writer, entry))
    }

    fn append_round<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        index: u32,
        said: Assistant,
        now: Timestamp,
    ) -> StoreFuture<'a, RecordedRound> {
        self.write(owner, move |log, _| runs::append_round(log, writer, index, said, now))
    }

    fn append_outcome<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        outcome: Outcome,
        now: Timestamp,
    ) -> StoreFuture<'a, EntryId> {
        self.write(owner, move |log, _| runs::append_outcome(log, writer, outcome, now))
    }

    fn import_run<'a>(
        &'a self,
        owner: &'a OwnerId,
        run: Run,
        rounds: Vec<ImportedRound>,
        at: Timestamp,
    ) -> StoreFuture<'a, bool> {
        self.write(owner, move |log, _| runs::import(log, &run, rounds, at))
    }

    fn lease<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp, lasts: Duration) -> StoreFuture<'a, Lease> {
        self.write(owner, move |log, _| leases::take(log, run, now, lasts))
    }

    fn renew<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease, now: Timestamp, lasts: Duration) -> StoreFuture<'a, Lease> {
        self.write(owner, move |log, _| leases::renew(log, lease, now, lasts))
    }

    fn release<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| leases::release(log, lease))
    }

    fn end_run<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        end: RunEnd,
        detail: Option<&'a str>,
        now: Timestamp,
    ) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| leases::end(log, writer, end, detail, now))
    }

    fn stop_run<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| leases::stop(log, run, now))
    }

    fn stop_asked<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, bool> {
        self.read(owner, move |connection, owner| leases::stop_asked(connection, owner, run))
    }

    fn schedule<'a>(&'a self, owner: &'a OwnerId, work: Scheduled) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| schedule::keep(log, work))
    }

    fn scheduled<'a>(&'a self, owner: &'a OwnerId, until: Option<Timestamp>, count: usize) -> StoreFuture<'a, Vec<Scheduled>> {
        self.read(owner, move |connection, owner| schedule::list(connection, owner, until, count))
    }

    fn unschedule<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> StoreFuture<'a, bool> {
        self.amend(owner, move |log| schedule::cancel(log, run, now))
    }

    fn spend<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, spent: Spent) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| requests::spend(log, writer, spent))
    }

    fn begin_step<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, key: &'a str, now: Timestamp) -> StoreFuture<'a, Step> {
        self.write(owner, move |log, _| requests::begin_step(log, writer, key, now))
    }

    fn keep_request<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        request: KeptRequest,
        now: Timestamp,
    ) -> StoreFuture<'a, u32> {
        self.write(owner, move |log, shelf| requests::keep(log, writer, request, now, shelf))
    }

    fn run<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Option<RunSummary>> {
        self.read(owner, move |connection, owner| summaries::one(connection, owner, run))
    }

    fn runs<'a>(&'a self, owner: &'a OwnerId, of: RunsOf) -> StoreFuture<'a, Vec<RunSummary>> {
        self.read(owner, move |connection, owner| summaries::list(connection, owner, of))
    }

    fn run_rounds<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Vec<RecordedRound>> {
        self.read(owner, move |connection, owner| summaries::rounds(connection, owner, run))
    }

    fn answer_of<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Option<EntryId>> {
        self.read(owner, move |connection, owner| answers::of_run(connection, owner, run))
    }

    fn answers<'a>(&'a self, owner: &'a OwnerId, message: EntryId, persona: &'a str) -> StoreFuture<'a, Vec<(RunId, EntryId)>> {
        self.read(owner, move |connection, owner| answers::to(connection, owner, message, persona))
    }

    fn steps<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Vec<(String, Timestamp)>> {
        self.read(owner, move |connection, owner| requests::steps(connection, owner, run))
    }

    fn requests<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Vec<RunRequest>> {
        let found = self.read(owner, move |connection, owner| requests::of_run(connection, owner, run));
        // Not in the transaction: what lies outside may take its time.
        Box::pin(async move { found.await?.into_iter().map(|request| request.whole(self.blobs.as_ref())).collect() })
    }

    fn settle<'a>(
        &'a self,
        owner: &'a OwnerId,
        card: EntryId,
        settled: Settled,
        language: Option<&'a str>,
        now: Timestamp,
    ) -> StoreFuture<'a, EntryId> {
        self.write(owner, move |log, _| cards::settle(log, card, settled, language, now))
    }

    fn claim_card<'a>(&'a self, owner: &'a OwnerId, card: EntryId, now: Timestamp) -> StoreFuture<'a, ()> {
        let claim = self.write(owner, move |log, _| cards::claim(log, card, now));
        Box::pin(async move {
            match claim.await? {
                cards::Claim::Claimed => Ok(()),
                // That it is settled stays, so the error is none of the transaction's.
                cards::Claim::Lapsed => Err(StoreError::Settled { card, settled: Settled::Expired }),
            }
        })
    }

    fn waiting_cards<'a>(&'a self, owner: &'a OwnerId, count: usize) -> StoreFuture<'a, Vec<WaitingCard>> {
        self.read(owner, move |connection, owner| cards::waiting(connection, owner, count))
    }

    fn settle_lapsed<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId, now: Timestamp) -> StoreFuture<'a, Vec<EntryId>> {
        self.amend(owner, move |log| cards::settle_lapsed(log, thread, now))
    }

    fn settle_lost<'a>(&'a self, owner: &'a OwnerId, before: Timestamp, now: Timestamp) -> StoreFuture<'a, Vec<EntryId>> {
        self.amend(owner, move |log| cards::settle_lost(log, before, now))
    }

    fn open_cards_as_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        moment: Moment,
        thread: ThreadId,
        before: Option<Place>,
        count: usize,
    ) -> StoreFuture<'a, Vec<Arc<Entry>>> {
        self.read(owner, move |connection, owner| {
            let Some(thread) = threads::find(connection, owner, thread)? else { return Ok(Vec::new()) };
            let before = before.map(|place| back::spot(owner, place));
            match moment {
                Moment::Now => cards::open(connection, thread, before, count),
                Moment::Before(_) => moment::open_cards(connection, moment::next(owner, moment), thread, before, count),
            }
        })
    }

    fn notices_as_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        moment: Moment,
        cards: &'a [EntryId],
    ) -> StoreFuture<'a, Vec<Arc<Notice>>> {
        self.read(owner, move |connection, owner| cards::notices(connection, owner, moment::next(owner, moment), cards))
    }

    fn pop<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId, now: Timestamp) -> StoreFuture<'a, Option<Arc<Entry>>> {
        self.write(owner, move |log, _| chat::pop(log, thread, now))
    }

    fn fork<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId, entry: EntryId) -> StoreFuture<'a, ThreadId> {
        self.write(owner, move |log, _| Ok(thread_id(forks::fork(log, thread, entry)?)))
    }

    fn entry_as_of<'a>(&'a self, owner: &'a OwnerId, moment: Moment, entry: EntryId) -> StoreFuture<'a, Option<Arc<Entry>>> {
        self.read(owner, move |connection, owner| moment::entry(connection, owner, moment::next(owner, moment), entry))
    }

    fn next_entry<'a>(&'a self, owner: &'a OwnerId) -> StoreFuture<'a, EntryId> {
        let next = self.read(owner, |connection, owner| read::next_entry(connection, owner).map(Some));
        Box::pin(async move { Ok(next.await?.unwrap_or(EntryId::new(0))) })
    }

    fn by_message_id<'a>(&'a self, owner: &'a OwnerId, id: &'a MessageId) -> StoreFuture<'a, Vec<EntryId>> {
        self.read(owner, move |connection, owner| read::by_message_id(connection, owner, id))
    }

    fn thread_of<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<ThreadId>> {
        self.read(owner, move |connection, owner| owner.entry(entry).map_or(Ok(None), |key| read::thread_of(connection, key)))
    }

    fn keyed<'a>(&'a self, owner: &'a OwnerId, key: &'a Key) -> StoreFuture<'a, Option<EntryId>> {
        self.read(owner, move |connection, owner| read::keyed(connection, owner, key))
    }

    fn read_back_as_of<'a>(&'a self, owner: &'a OwnerId, moment: Moment, back: Back<'a>) -> StoreFuture<'a, Vec<Arc<Entry>>> {
        self.read(owner, move |connection, owner| {
            let Some(thread) = threads::find(connection, owner, back.thread)? else { return Ok(Vec::new()) };
            match moment {
                Moment::Now => back::read(connection, owner, thread, &back),
                Moment::Before(_) => moment::back(connection, owner, moment::next(owner, moment), thread, &back),
            }
        })
    }

    fn newest_inbound<'a>(
        &'a self,
        owner: &'a OwnerId,
        thread: Option<ThreadId>,
    ) -> StoreFuture<'a, Option<(Arc<Entry>, ThreadId)>> {
        self.read(owner, move |connection, owner| {
            let Some(thread) = thread else { return read::newest_inbound(connection, owner) };
            let Some(key) = threads::find(connection, owner, thread)? else { return Ok(None) };
            let found = read::newest_inbound_of(connection, &forks::reach(connection, key)?)?;
            Ok(found.map(|entry| (entry, thread_id(key))))
        })
    }

    fn rounds_as_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        moment: Moment,
        persona: &'a str,
        entries: &'a [EntryId],
    ) -> StoreFuture<'a, Vec<RecordedRound>> {
        self.read(owner, move |connection, owner| {
            moment::rounds(connection, owner, moment::next(owner, moment), persona, entries)
        })
    }

    fn file<'a>(&'a self, owner: &'a OwnerId, id: &'a AttachmentId) -> StoreFuture<'a, Option<Arc<[u8]>>> {
        self.file_of(owner, move |connection, owner| files::of_attachment(connection, owner, id))
    }

    fn texts<'a>(&'a self, owner: &'a OwnerId, ids: &'a [AttachmentId]) -> StoreFuture<'a, Vec<KnownFile>> {
        self.read(owner, move |connection, owner| texts::find(connection, owner, ids))
    }

    fn keep_text<'a>(&'a self, owner: &'a OwnerId, id: &'a AttachmentId, text: KeptText) -> StoreFuture<'a, ()> {
        self.amend(owner, move |log| texts::keep(log.tx, log.owner, id, &text))
    }

    fn raw<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<Arc<[u8]>>> {
        self.file_of(owner, move |connection, owner| owner.entry(entry).map_or(Ok(None), |key| files::raw(connection, key)))
    }

    fn threads<'a>(&'a self, owner: &'a OwnerId, after: Option<After>, count: usize) -> StoreFuture<'a, Vec<ThreadSummary>> {
        self.read(owner, move |connection, owner| threads::list(connection, owner, after, count))
    }

    fn thread<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId) -> StoreFuture<'a, Option<ThreadSummary>> {
        self.read(owner, move |connection, owner| match threads::find(connection, owner, thread)? {
            Some(thread) => threads::summary(connection, thread),
            None => Ok(None),
        })
    }

    fn search<'a>(&'a self, owner: &'a OwnerId, text: &'a str, count: usize) -> StoreFuture<'a, Vec<Hit>> {
        Box::pin(async move {
            loop {
                match self.writer.write(|desk| search::catch_up(desk, Some(owner))) {
                    Ok(true) => {}
                    // What is indexed can be found where nothing can be written now.
                    Ok(false) | Err(StoreError::ReadOnly | StoreError::Locked | StoreError::Full) => break,
                    Err(error) => return Err(error),
                }
            }
            self.read(owner, move |connection, owner| search::find(connection, owner, text, count)).await
        })
    }

    fn merge<'a>(&'a self, owner: &'a OwnerId, from: ThreadId, into: ThreadId) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| {
            let (from, into) = (threads::resolve(log.tx, log.owner, from)?, threads::resolve(log.tx, log.owner, into)?);
            if from == into {
                return Ok(());
            }
            forks::may_merge(log.tx, from, into)?;
            threads::merge(log.tx, from, into)
        })
    }

    fn split<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, ThreadId> {
        self.write(owner, move |log, _| {
            let key = log.owner.entry(entry).ok_or(StoreError::UnknownEntry { entry })?;
            Ok(thread_id(threads::split(log, key)?))
        })
    }

    fn anchor<'a>(&'a self, owner: &'a OwnerId, key: &'a AnchorKey) -> StoreFuture<'a, Option<EntryId>> {
        self.read(owner, move |connection, owner| anchors::find(connection, owner, key))
    }

    fn move_anchor<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        key: &'a AnchorKey,
        entry: EntryId,
    ) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| anchors::advance(log, writer, key, entry))
    }

    fn log<'a>(&'a self, owner: &'a OwnerId, first: EntryId, count: usize) -> StoreFuture<'a, Vec<Logged>> {
        self.read(owner, move |connection, owner| read::log(connection, owner, first, count))
    }

    fn would_forget<'a>(&'a self, owner: &'a OwnerId, what: &'a Forget) -> StoreFuture<'a, ForgetReport> {
        Box::pin(async move {
            self.writer.write(|desk| {
                let tx = desk.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let report = forget::erase(&tx, owner, what, Timestamp::UNIX_EPOCH)?;
                tx.rollback()?;
                Ok(report)
            })
        })
    }

    fn forget<'a>(&'a self, owner: &'a OwnerId, what: &'a Forget, now: Timestamp) -> StoreFuture<'a, ForgetReport> {
        Box::pin(async move {
            self.writer.write(|desk| {
                let mut report = desk.transact(|tx, _, _| forget::erase(tx, owner, what, now))?;
                // What was erased stays erased, whatever fails here.
                let scrubbed = forget::scrub(desk);
                report.scrubbed = scrubbed.is_ok();
                report.scrub_failure = scrubbed.err().map(|error| error.to_string());
                Ok(report)
            })
        })
    }

    fn verify(&self) -> StoreFuture<'_, Verified> {
        Box::pin(async move {
            let mut verified = self.readers.read(|connection| verify::verify(connection, self.blobs.as_ref()))?;
            // What was forgotten while this was looking is not missing.
            let mut faults = Vec::with_capacity(verified.faults.len());
            for fault in verified.faults {
                match &fault {
                    Fault::BlobMissing { hash } if !self.has_content(hash)? => {}
                    _ => faults.push(fault),
                }
            }
            verified.faults = faults;
            Ok(verified)
        })
    }
}
