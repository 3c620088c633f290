//! A store in memory that is obviously right, and slow: every question walks over everything. It says what a store promises;
//! the others are held against it.

mod append;
mod chat;
mod forget;
mod log;
mod read;
mod runs;
mod schedule;
mod search;
mod threads;
mod work;

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use briefing::log::{AttachmentId, Entry, MessageId, Notice, Place, RecordedRound, Run, Settled};
use briefing::message::{Assistant, EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing::ports::Back;
use briefing_store::{
    After, AnchorKey, Append, Appended, Forget, ForgetReport, Hit, ImportedRound, KeptRequest, KeptText, Key, KnownFile, Lease,
    Logged, Moment, RunEnd, RunRequest, RunSummary, RunsOf, Scheduled, Spent, Step, Store, StoreError, StoreFuture,
    ThreadSummary, Verified, WaitingCard, Writer,
};
use jiff::Timestamp;

use log::Log;

/// The store.
#[derive(Default)]
pub(crate) struct Model {
    owners: Mutex<BTreeMap<OwnerId, Log>>,
    texts: Mutex<Texts>,
}

/// Contents with the texts that were kept of them, whoever has them.
type Texts = Vec<(Vec<u8>, KeptText)>;

impl Model {
    fn read<'a, T: Send + 'a>(&self, owner: &OwnerId, read: impl FnOnce(&Log) -> T) -> StoreFuture<'a, T> {
        let owners = self.owners.lock().unwrap();
        Box::pin(ready(Ok(read(owners.get(owner).unwrap_or(&Log::default())))))
    }

    /// Does that to a copy, which is kept only if all went well.
    fn write<'a, T: Send + 'a>(
        &self,
        owner: &OwnerId,
        write: impl FnOnce(&mut Log) -> Result<T, StoreError>,
    ) -> StoreFuture<'a, T> {
        let mut owners = self.owners.lock().unwrap();
        let mut log = owners.get(owner).cloned().unwrap_or_default();
        let done = write(&mut log);
        if done.is_ok() {
            owners.insert(owner.clone(), log);
        }
        Box::pin(ready(done))
    }
}

impl Store for Model {
    fn open_thread<'a>(&'a self, owner: &'a OwnerId) -> StoreFuture<'a, ThreadId> {
        self.write(owner, |log| Ok(log.open_thread()))
    }

    fn named_thread<'a>(&'a self, owner: &'a OwnerId, name: &'a str) -> StoreFuture<'a, ThreadId> {
        self.write(owner, |log| log.named_thread(name))
    }

    fn append<'a>(&'a self, owner: &'a OwnerId, batch: Vec<Append>) -> StoreFuture<'a, Vec<Appended>> {
        self.write(owner, |log| batch.into_iter().map(|append| log.append(append)).collect())
    }

    fn begin_run<'a>(&'a self, owner: &'a OwnerId, run: Run) -> StoreFuture<'a, ()> {
        self.write(owner, |log| log.begin_run(run))
    }

    fn wrote<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, entry: EntryId) -> StoreFuture<'a, ()> {
        self.write(owner, |log| log.wrote(writer, entry))
    }

    fn append_round<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        index: u32,
        said: Assistant,
        now: Timestamp,
    ) -> StoreFuture<'a, RecordedRound> {
        self.write(owner, |log| log.append_round(writer, index, said, now))
    }

    fn append_outcome<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        outcome: Outcome,
        now: Timestamp,
    ) -> StoreFuture<'a, EntryId> {
        self.write(owner, |log| log.append_outcome(writer, outcome, now))
    }

    fn import_run<'a>(
        &'a self,
        owner: &'a OwnerId,
        run: Run,
        rounds: Vec<ImportedRound>,
        at: Timestamp,
    ) -> StoreFuture<'a, bool> {
        self.write(owner, |log| log.import_run(&run, rounds, at))
    }

    fn lease<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp, lasts: Duration) -> StoreFuture<'a, Lease> {
        self.write(owner, |log| log.lease(run, now, lasts))
    }

    fn release<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease) -> StoreFuture<'a, ()> {
        self.write(owner, |log| log.release(lease))
    }

    fn renew<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease, now: Timestamp, lasts: Duration) -> StoreFuture<'a, Lease> {
        self.write(owner, |log| log.renew(lease, now, lasts))
    }

    fn end_run<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        end: RunEnd,
        detail: Option<&'a str>,
        now: Timestamp,
    ) -> StoreFuture<'a, ()> {
        self.write(owner, |log| log.end_run(writer, end, detail, now))
    }

    fn stop_run<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, _now: Timestamp) -> StoreFuture<'a, ()> {
        self.write(owner, |log| log.stop_run(run))
    }

    fn stop_asked<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, bool> {
        self.read(owner, |log| log.stop_asked(run))
    }

    fn schedule<'a>(&'a self, owner: &'a OwnerId, work: Scheduled) -> StoreFuture<'a, ()> {
        self.write(owner, |log| log.schedule(work))
    }

    fn scheduled<'a>(&'a self, owner: &'a OwnerId, until: Option<Timestamp>, count: usize) -> StoreFuture<'a, Vec<Scheduled>> {
        self.read(owner, |log| log.list_scheduled(until, count))
    }

    fn unschedule<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> StoreFuture<'a, bool> {
        self.write(owner, |log| log.unschedule(run, now))
    }

    fn spend<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, spent: Spent) -> StoreFuture<'a, ()> {
        self.write(owner, |log| log.spend(writer, spent))
    }

    fn begin_step<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, key: &'a str, now: Timestamp) -> StoreFuture<'a, Step> {
        self.write(owner, |log| log.begin_step(writer, key, now))
    }

    fn keep_request<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        request: KeptRequest,
        now: Timestamp,
    ) -> StoreFuture<'a, u32> {
        self.write(owner, |log| log.keep_request(writer, request, now))
    }

    fn run<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Option<RunSummary>> {
        self.read(owner, |log| log.run(run).ok().map(|at| log.summary_of(at)))
    }

    fn runs<'a>(&'a self, owner: &'a OwnerId, of: RunsOf) -> StoreFuture<'a, Vec<RunSummary>> {
        self.read(owner, |log| log.list_runs(of))
    }

    fn run_rounds<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Vec<RecordedRound>> {
        self.read(owner, |log| log.run_rounds(run))
    }

    fn answer_of<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Option<EntryId>> {
        self.read(owner, |log| log.run(run).ok().and_then(|at| log.runs[at].answer))
    }

    fn answers<'a>(&'a self, owner: &'a OwnerId, message: EntryId, persona: &'a str) -> StoreFuture<'a, Vec<(RunId, EntryId)>> {
        self.read(owner, |log| log.answers(message, persona))
    }

    fn steps<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Vec<(String, Timestamp)>> {
        self.read(owner, |log| log.steps(run))
    }

    fn requests<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Vec<RunRequest>> {
        self.read(owner, |log| log.requests(run))
    }

    fn claim_card<'a>(&'a self, owner: &'a OwnerId, card: EntryId, now: Timestamp) -> StoreFuture<'a, ()> {
        let claimed = self.write(owner, |log| log.claim(card, now));
        Box::pin(
            async move { if claimed.await? { Ok(()) } else { Err(StoreError::Settled { card, settled: Settled::Expired }) } },
        )
    }

    fn waiting_cards<'a>(&'a self, owner: &'a OwnerId, count: usize) -> StoreFuture<'a, Vec<WaitingCard>> {
        self.read(owner, |log| log.waiting_cards(count))
    }

    fn next_entry<'a>(&'a self, owner: &'a OwnerId) -> StoreFuture<'a, EntryId> {
        self.read(owner, |log| EntryId::new(log.rows.len() as u64))
    }

    fn settle<'a>(
        &'a self,
        owner: &'a OwnerId,
        card: EntryId,
        settled: Settled,
        language: Option<&'a str>,
        now: Timestamp,
    ) -> StoreFuture<'a, EntryId> {
        self.write(owner, |log| log.settle(card, settled, language, now))
    }

    fn settle_lost<'a>(&'a self, owner: &'a OwnerId, before: Timestamp, now: Timestamp) -> StoreFuture<'a, Vec<EntryId>> {
        self.write(owner, |log| log.settle_lost(before, now))
    }

    fn settle_lapsed<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId, now: Timestamp) -> StoreFuture<'a, Vec<EntryId>> {
        self.write(owner, |log| log.settle_lapsed(thread, now))
    }

    fn open_cards_as_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        moment: Moment,
        thread: ThreadId,
        before: Option<Place>,
        count: usize,
    ) -> StoreFuture<'a, Vec<Arc<Entry>>> {
        self.read(owner, |log| log.then(moment).open_cards(thread, before, count))
    }

    fn notices_as_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        moment: Moment,
        cards: &'a [EntryId],
    ) -> StoreFuture<'a, Vec<Arc<Notice>>> {
        self.read(owner, |log| log.then(moment).notices(cards))
    }

    fn pop<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId, now: Timestamp) -> StoreFuture<'a, Option<Arc<Entry>>> {
        self.write(owner, |log| log.pop(thread, now))
    }

    fn fork<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId, entry: EntryId) -> StoreFuture<'a, ThreadId> {
        self.write(owner, |log| log.fork(thread, entry))
    }

    fn entry_as_of<'a>(&'a self, owner: &'a OwnerId, moment: Moment, entry: EntryId) -> StoreFuture<'a, Option<Arc<Entry>>> {
        self.read(owner, |log| log.then(moment).entry(entry))
    }

    fn by_message_id<'a>(&'a self, owner: &'a OwnerId, id: &'a MessageId) -> StoreFuture<'a, Vec<EntryId>> {
        self.read(owner, |log| log.by_message_id(id).map(|row| row.entry.id).collect())
    }

    fn thread_of<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<ThreadId>> {
        self.read(owner, |log| log.row(entry).map(|row| row.thread))
    }

    fn keyed<'a>(&'a self, owner: &'a OwnerId, key: &'a Key) -> StoreFuture<'a, Option<EntryId>> {
        self.read(owner, |log| log.rows.iter().find(|row| row.key == Some(*key)).map(|row| row.entry.id))
    }

    fn read_back_as_of<'a>(&'a self, owner: &'a OwnerId, moment: Moment, back: Back<'a>) -> StoreFuture<'a, Vec<Arc<Entry>>> {
        self.read(owner, |log| log.then(moment).read_back(&back))
    }

    fn newest_inbound<'a>(
        &'a self,
        owner: &'a OwnerId,
        thread: Option<ThreadId>,
    ) -> StoreFuture<'a, Option<(Arc<Entry>, ThreadId)>> {
        self.read(owner, |log| log.newest_inbound(thread))
    }

    fn rounds_as_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        moment: Moment,
        persona: &'a str,
        entries: &'a [EntryId],
    ) -> StoreFuture<'a, Vec<RecordedRound>> {
        self.read(owner, |log| log.rounds_then(moment, persona, entries))
    }

    fn file<'a>(&'a self, owner: &'a OwnerId, id: &'a AttachmentId) -> StoreFuture<'a, Option<Arc<[u8]>>> {
        self.read(owner, |log| log.file(id))
    }

    fn texts<'a>(&'a self, owner: &'a OwnerId, ids: &'a [AttachmentId]) -> StoreFuture<'a, Vec<KnownFile>> {
        let texts = self.texts.lock().unwrap();
        self.read(owner, |log| log.texts(ids, &texts))
    }

    fn keep_text<'a>(&'a self, owner: &'a OwnerId, id: &'a AttachmentId, text: KeptText) -> StoreFuture<'a, ()> {
        let mut texts = self.texts.lock().unwrap();
        self.read(owner, |log| {
            if let Some(content) = log.content(id) {
                texts.retain(|(of, _)| of != content);
                texts.push((content.clone(), text));
            }
        })
    }

    fn raw<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<Arc<[u8]>>> {
        self.read(owner, |log| log.row(entry).and_then(|row| row.raw.clone()).map(Arc::from))
    }

    fn threads<'a>(&'a self, owner: &'a OwnerId, after: Option<After>, count: usize) -> StoreFuture<'a, Vec<ThreadSummary>> {
        self.read(owner, |log| log.summaries(after, count))
    }

    fn thread<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId) -> StoreFuture<'a, Option<ThreadSummary>> {
        self.read(owner, |log| log.resolve(thread).map(|thread| log.summary(thread)))
    }

    fn search<'a>(&'a self, owner: &'a OwnerId, text: &'a str, count: usize) -> StoreFuture<'a, Vec<Hit>> {
        self.read(owner, |log| search::search(log, text, count))
    }

    fn merge<'a>(&'a self, owner: &'a OwnerId, from: ThreadId, into: ThreadId) -> StoreFuture<'a, ()> {
        self.write(owner, |log| {
            let (from, into) = (log.known(from)?, log.known(into)?);
            log.merge(from, into)
        })
    }

    fn split<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, ThreadId> {
        self.write(owner, |log| log.split(entry))
    }

    fn anchor<'a>(&'a self, owner: &'a OwnerId, key: &'a AnchorKey) -> StoreFuture<'a, Option<EntryId>> {
        self.read(owner, |log| log.anchor(key))
    }

    fn move_anchor<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        key: &'a AnchorKey,
        entry: EntryId,
    ) -> StoreFuture<'a, ()> {
        self.write(owner, |log| log.move_anchor(writer, key, entry))
    }

    fn log<'a>(&'a self, owner: &'a OwnerId, first: EntryId, count: usize) -> StoreFuture<'a, Vec<Logged>> {
        self.read(owner, |log| log.walk(first, count))
    }

    fn would_forget<'a>(&'a self, owner: &'a OwnerId, what: &'a Forget) -> StoreFuture<'a, ForgetReport> {
        let owners = self.owners.lock().unwrap();
        Box::pin(ready(forget::report(&owners, owner, what)))
    }

    fn forget<'a>(&'a self, owner: &'a OwnerId, what: &'a Forget, now: Timestamp) -> StoreFuture<'a, ForgetReport> {
        let mut owners = self.owners.lock().unwrap();
        let report = forget::report(&owners, owner, what);
        if let (Ok(_), Some(log)) = (&report, owners.get_mut(owner)) {
            forget::forget(log, what, now);
        }
        let left: Vec<Vec<u8>> = owners.values().flat_map(Log::contents).collect();
        self.texts.lock().unwrap().retain(|(content, _)| left.contains(content));
        Box::pin(ready(report.map(|report| ForgetReport { scrubbed: true, ..report })))
    }

    fn verify(&self) -> StoreFuture<'_, Verified> {
        let owners = self.owners.lock().unwrap();
        let entries = owners.values().map(|log| log.rows.len() as u64).sum();
        let blobs = owners.values().flat_map(Log::contents).collect::<std::collections::BTreeSet<_>>().len() as u64;
        Box::pin(ready(Ok(Verified { owners: owners.len() as u64, entries, blobs, ..Verified::default() })))
    }
}
