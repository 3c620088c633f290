//! A store that asks a hook before and after each of its writes.

use std::sync::Arc;
use std::time::Duration;

use briefing::log::{AttachmentId, Entry, MessageId, Notice, Place, RecordedRound, Run, Settled};
use briefing::message::{Assistant, EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing::ports::Back;
use briefing_store::{
    After, AnchorKey, Append, Appended, Fate, Forget, ForgetReport, Hit, ImportedRound, KeptRequest, KeptText, Key, KnownFile,
    Lease, Logged, Moment, RunEnd, RunRequest, RunSummary, RunsOf, Scheduled, Spent, Step, Store, StoreFuture, ThreadSummary,
    Verified, WaitingCard, Writer,
};
use jiff::Timestamp;

use super::{Hook, Point, What};

/// Another store, whose writes are points.
pub struct Watched<S> {
    store: Arc<S>,
    hook: Arc<dyn Hook>,
}

impl<S: Store> Watched<S> {
    /// That store under that hook.
    #[must_use]
    pub fn new(store: Arc<S>, hook: Arc<dyn Hook>) -> Self {
        Self { store, hook }
    }

    fn write<'a, T: Send + 'a>(
        &'a self,
        what: &'static str,
        writer: Option<Writer>,
        changed: fn(&T) -> bool,
        write: StoreFuture<'a, T>,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            let point = Point { what: What::Write(what), writer: writer.as_ref() };
            self.hook.before(&point)?;
            let done = write.await;
            self.hook.after(&point, done.as_ref().is_ok_and(changed));
            done
        })
    }
}

/// What only reads is handed on.
macro_rules! reads {
    ($life:lifetime: $($name:ident($($given:ident: $type:ty),*) -> $out:ty;)*) => {$(
        fn $name<$life>(&$life self, $($given: $type),*) -> StoreFuture<$life, $out> {
            self.store.$name($($given),*)
        }
    )*};
}

/// What writes is a point, of the run that writes it if one does.
macro_rules! writes {
    ($life:lifetime: $($name:ident($($given:ident: $type:ty),*) -> $out:ty, $writer:expr;)*) => {$(
        fn $name<$life>(&$life self, $($given: $type),*) -> StoreFuture<$life, $out> {
            let writer: Option<Writer> = $writer;
            self.write(stringify!($name), writer, |_| true, self.store.$name($($given),*))
        }
    )*};
}

impl<S: Store> Store for Watched<S> {
    writes! { 'a:
        open_thread(owner: &'a OwnerId) -> ThreadId, None;
        named_thread(owner: &'a OwnerId, name: &'a str) -> ThreadId, None;
        begin_run(owner: &'a OwnerId, run: Run) -> (), None;
        wrote(owner: &'a OwnerId, writer: &'a Writer, entry: EntryId) -> (), Some(writer.clone());
        append_round(owner: &'a OwnerId, writer: &'a Writer, index: u32, said: Assistant, now: Timestamp) -> RecordedRound,
            Some(writer.clone());
        append_outcome(owner: &'a OwnerId, writer: &'a Writer, outcome: Outcome, now: Timestamp) -> EntryId, Some(writer.clone());
        import_run(owner: &'a OwnerId, run: Run, rounds: Vec<ImportedRound>, at: Timestamp) -> bool, None;
        lease(owner: &'a OwnerId, run: &'a RunId, now: Timestamp, lasts: Duration) -> Lease, None;
        renew(owner: &'a OwnerId, lease: &'a Lease, now: Timestamp, lasts: Duration) -> Lease, Some(lease.into());
        release(owner: &'a OwnerId, lease: &'a Lease) -> (), Some(lease.into());
        end_run(owner: &'a OwnerId, writer: &'a Writer, end: RunEnd, detail: Option<&'a str>, now: Timestamp) -> (),
            Some(writer.clone());
        stop_run(owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> (), None;
        schedule(owner: &'a OwnerId, work: Scheduled) -> (), None;
        unschedule(owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> bool, None;
        spend(owner: &'a OwnerId, writer: &'a Writer, spent: Spent) -> (), Some(writer.clone());
        begin_step(owner: &'a OwnerId, writer: &'a Writer, key: &'a str, now: Timestamp) -> Step, Some(writer.clone());
        keep_request(owner: &'a OwnerId, writer: &'a Writer, request: KeptRequest, now: Timestamp) -> u32, Some(writer.clone());
        settle(owner: &'a OwnerId, card: EntryId, settled: Settled, language: Option<&'a str>, now: Timestamp) -> EntryId, None;
        claim_card(owner: &'a OwnerId, card: EntryId, now: Timestamp) -> (), None;
        settle_lost(owner: &'a OwnerId, before: Timestamp, now: Timestamp) -> Vec<EntryId>, None;
        settle_lapsed(owner: &'a OwnerId, thread: ThreadId, now: Timestamp) -> Vec<EntryId>, None;
        pop(owner: &'a OwnerId, thread: ThreadId, now: Timestamp) -> Option<Arc<Entry>>, None;
        fork(owner: &'a OwnerId, thread: ThreadId, entry: EntryId) -> ThreadId, None;
        keep_text(owner: &'a OwnerId, id: &'a AttachmentId, text: KeptText) -> (), None;
        merge(owner: &'a OwnerId, from: ThreadId, into: ThreadId) -> (), None;
        split(owner: &'a OwnerId, entry: EntryId) -> ThreadId, None;
        move_anchor(owner: &'a OwnerId, writer: &'a Writer, key: &'a AnchorKey, entry: EntryId) -> (), Some(writer.clone());
        forget(owner: &'a OwnerId, what: &'a Forget, now: Timestamp) -> ForgetReport, None;
    }

    fn append<'a>(&'a self, owner: &'a OwnerId, batch: Vec<Append>) -> StoreFuture<'a, Vec<Appended>> {
        let writer = batch.first().and_then(|append| append.by.as_ref()).map(|by| by.writer.clone());
        let new = |appended: &Vec<Appended>| appended.iter().any(|appended| appended.fate != Fate::Before);
        self.write("append", writer, new, self.store.append(owner, batch))
    }

    reads! { 'a:
        scheduled(owner: &'a OwnerId, until: Option<Timestamp>, count: usize) -> Vec<Scheduled>;
        stop_asked(owner: &'a OwnerId, run: &'a RunId) -> bool;
        run(owner: &'a OwnerId, run: &'a RunId) -> Option<RunSummary>;
        runs(owner: &'a OwnerId, of: RunsOf) -> Vec<RunSummary>;
        run_rounds(owner: &'a OwnerId, run: &'a RunId) -> Vec<RecordedRound>;
        answer_of(owner: &'a OwnerId, run: &'a RunId) -> Option<EntryId>;
        answers(owner: &'a OwnerId, message: EntryId, persona: &'a str) -> Vec<(RunId, EntryId)>;
        steps(owner: &'a OwnerId, run: &'a RunId) -> Vec<(String, Timestamp)>;
        requests(owner: &'a OwnerId, run: &'a RunId) -> Vec<RunRequest>;
        waiting_cards(owner: &'a OwnerId, count: usize) -> Vec<WaitingCard>;
        open_cards_as_of(owner: &'a OwnerId, moment: Moment, thread: ThreadId, before: Option<Place>, count: usize)
            -> Vec<Arc<Entry>>;
        notices_as_of(owner: &'a OwnerId, moment: Moment, cards: &'a [EntryId]) -> Vec<Arc<Notice>>;
        entry_as_of(owner: &'a OwnerId, moment: Moment, entry: EntryId) -> Option<Arc<Entry>>;
        next_entry(owner: &'a OwnerId) -> EntryId;
        by_message_id(owner: &'a OwnerId, id: &'a MessageId) -> Vec<EntryId>;
        thread_of(owner: &'a OwnerId, entry: EntryId) -> Option<ThreadId>;
        keyed(owner: &'a OwnerId, key: &'a Key) -> Option<EntryId>;
        read_back_as_of(owner: &'a OwnerId, moment: Moment, back: Back<'a>) -> Vec<Arc<Entry>>;
        newest_inbound(owner: &'a OwnerId, thread: Option<ThreadId>) -> Option<(Arc<Entry>, ThreadId)>;
        rounds_as_of(owner: &'a OwnerId, moment: Moment, persona: &'a str, entries: &'a [EntryId]) -> Vec<RecordedRound>;
        file(owner: &'a OwnerId, id: &'a AttachmentId) -> Option<Arc<[u8]>>;
        texts(owner: &'a OwnerId, ids: &'a [AttachmentId]) -> Vec<KnownFile>;
        raw(owner: &'a OwnerId, entry: EntryId) -> Option<Arc<[u8]>>;
        threads(owner: &'a OwnerId, after: Option<After>, count: usize) -> Vec<ThreadSummary>;
        thread(owner: &'a OwnerId, thread: ThreadId) -> Option<ThreadSummary>;
        search(owner: &'a OwnerId, text: &'a str, count: usize) -> Vec<Hit>;
        anchor(owner: &'a OwnerId, key: &'a AnchorKey) -> Option<EntryId>;
        log(owner: &'a OwnerId, first: EntryId, count: usize) -> Vec<Logged>;
        would_forget(owner: &'a OwnerId, what: &'a Forget) -> ForgetReport;
    }

    fn verify(&self) -> StoreFuture<'_, Verified> {
        self.store.verify()
    }
}
