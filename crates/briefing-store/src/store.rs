//! The operations of a store. A backend does each in one transaction; none leaves anything half done.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use briefing::log::{AttachmentId, Entry, MessageId, Notice, Place, RecordedRound, Run, Settled};
use briefing::message::{Assistant, EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing::ports::Back;
use jiff::Timestamp;

use crate::{
    After, AnchorKey, Append, Appended, Forget, ForgetReport, Hit, ImportedRound, KeptRequest, KeptText, Key, KnownFile, Lease,
    Logged, Moment, RunEnd, RunRequest, RunSummary, RunsOf, Scheduled, Spent, Step, StoreError, ThreadSummary, Verified,
    WaitingCard, Writer,
};

/// A boxed future, as every operation returns one: no runtime is assumed.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A log of threads for many owners.
///
/// Every operation names the owner; what another owner has is not there. Writers take turns, in and between processes; a
/// reader sees all of a write or nothing. A write whose future is dropped is done all the same, or not at all; do it again
/// with its key to know. After an error nothing has changed.
///
/// Times are kept to the microsecond; what is finer is cut off at append. No clock is read: every time is given.
///
/// # A run's life
/// [`begin_run`](Self::begin_run) → [`lease`](Self::lease) (its [`Lease`] is the [`Writer`] of all that follows, and is
/// [renewed](Self::renew) while it works) → [`keep_request`](Self::keep_request), [`append_round`](Self::append_round),
/// [`begin_step`](Self::begin_step) before an effect, [`append_outcome`](Self::append_outcome), [`spend`](Self::spend), again and
/// again, looking at [`stop_asked`](Self::stop_asked) between rounds → [`append`](Self::append) of what it wrote, by the lease, its
/// answer as that ([`Append::answer_by`]) → [`end_run`](Self::end_run). Of a run whose process died the lease lapses: the same run can be leased again and go on, or it is
/// ended as [`RunEnd::Lost`].
pub trait Store: Send + Sync {
    /// Opens an empty thread.
    fn open_thread<'a>(&'a self, owner: &'a OwnerId) -> StoreFuture<'a, ThreadId>;

    /// The thread of that name, opened if there is none yet: a client's log, a chat that goes on tomorrow. A name is the owner's
    /// own, and stays with the thread that a merged one became part of. At most 1,000 bytes.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] for a longer name.
    fn named_thread<'a>(&'a self, owner: &'a OwnerId, name: &'a str) -> StoreFuture<'a, ThreadId>;

    /// Appends entries in order, all or none, and returns once that is kept as the store's setting promises. Each gets the next
    /// sequence number of its owner and a place by its effective time (design invariant 10).
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`]; [`StoreError::UnknownRun`], [`StoreError::Fenced`] and [`StoreError::RunEnded`] of who writes it;
    /// [`StoreError::Answered`] of a second answer of a run; [`StoreError::NotAMessage`] and [`StoreError::UnknownEntry`] of an edit; [`StoreError::TooDeep`]; [`StoreError::Moved`] where the expected head is not the head: of everything in `batch` nothing
    /// is appended then.
    fn append<'a>(&'a self, owner: &'a OwnerId, batch: Vec<Append>) -> StoreFuture<'a, Vec<Appended>>;

    /// Begins a run.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], [`StoreError::UnknownEntry`] for what it belongs to, [`StoreError::RunBegun`].
    fn begin_run<'a>(&'a self, owner: &'a OwnerId, run: Run) -> StoreFuture<'a, ()>;

    /// Tells which entry a scheduled run wrote: its rounds are replayed right before that. The same entry once more changes nothing; nor
    /// does it for a run that answers a message, whose rounds stand beside that.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::UnknownEntry`], [`StoreError::Fenced`], [`StoreError::RunEnded`].
    fn wrote<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, entry: EntryId) -> StoreFuture<'a, ()>;

    /// Records what the model of a run said in its round of that index, before its calls are run. Ids that repeat in the thread
    /// get their number here; the round is returned as it is kept. Its time is `now`, or that of what the run wrote last if a
    /// clock has jumped back. The same round of that index once more is not appended, and the one that is there given back.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`]; [`StoreError::RoundRecorded`] if another round of that index is there; [`StoreError::Fenced`],
    /// [`StoreError::RunEnded`].
    fn append_round<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        index: u32,
        said: Assistant,
        now: Timestamp,
    ) -> StoreFuture<'a, RecordedRound>;

    /// Records an outcome of a call of that run. A second outcome for one call is kept too.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::UnknownCall`], [`StoreError::Fenced`], [`StoreError::RunEnded`].
    fn append_outcome<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        outcome: Outcome,
        now: Timestamp,
    ) -> StoreFuture<'a, EntryId>;

    /// Records a whole run that was made elsewhere, in one transaction. Whether it is new: of a run that was begun before, or
    /// imported and forgotten, nothing is recorded.
    ///
    /// # Errors
    /// As [`begin_run`](Self::begin_run), but for [`StoreError::RunBegun`].
    fn import_run<'a>(
        &'a self,
        owner: &'a OwnerId,
        run: Run,
        rounds: Vec<ImportedRound>,
        at: Timestamp,
    ) -> StoreFuture<'a, bool>;

    /// Gives the run the lease of its thread until `lasts` after `now`, so that it alone writes there; with a fence that grows with
    /// every taking. It is the same run that goes on after its process died: once its lease has lapsed, it is leased again. The first
    /// lease tells when the run began. A lease is lapsed from its last moment on, and does not hold either at a time that is more than
    /// [`LeaseTime::SKEW`](crate::LeaseTime::SKEW) before it was renewed: the clock that renewed it was wrong.
    ///
    /// Where threads become one, the lease that ends later stays, and the other run is fenced off; where a run is split off, its lease
    /// goes with it.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`]; [`StoreError::RunEnded`]; [`StoreError::Leased`] if a run, be it this one, has a lease there that
    /// holds at `now`.
    fn lease<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp, lasts: Duration) -> StoreFuture<'a, Lease>;

    /// The same lease until `lasts` after `now`, or as long as before if that is later. If `now` is before it was renewed last, the clock
    /// was set back: then it lasts until `lasts` after `now` in any case. One that does not hold and that nobody took is renewed too.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`]; [`StoreError::Fenced`] if somebody took it; [`StoreError::RunEnded`].
    fn renew<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease, now: Timestamp, lasts: Duration) -> StoreFuture<'a, Lease>;

    /// Gives a lease back before it lapses: whoever comes next has the thread at once, this run among them. Nothing is written by that
    /// lease any more.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`]; [`StoreError::Fenced`] if somebody took it, or it was given back; [`StoreError::RunEnded`].
    fn release<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease) -> StoreFuture<'a, ()>;

    /// Records how a run ended, and gives its lease back; if it was scheduled, it is no more. Once more with the same `end`, whatever the
    /// detail, changes nothing.
    ///
    /// That it is [`RunEnd::Lost`] can be told by others too: a writer without a fence may, of a run that has no lease which holds at `now`.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`]; [`StoreError::Fenced`] of a fence that is not the run's, or if another run took the thread;
    /// [`StoreError::RunEnded`] if it ended in another way; [`StoreError::Leased`] if it is told lost and holds its lease.
    fn end_run<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        end: RunEnd,
        detail: Option<&'a str>,
        now: Timestamp,
    ) -> StoreFuture<'a, ()>;

    /// Asks a run to stop: whoever works for it sees that ([`stop_asked`](Self::stop_asked)). Once more, or of a run that has ended, it
    /// changes nothing.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`].
    fn stop_run<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> StoreFuture<'a, ()>;

    /// Whether the run was asked to stop. An unknown one was not.
    fn stop_asked<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, bool>;

    /// Keeps that the run of that id is to be begun at a time, until it has ended. The same once more changes nothing. The run is begun
    /// as any other ([`Scheduled::as_run`]), and how far it is stands in the log: so however many look for what is due, it is done once.
    ///
    /// Where threads become one, it belongs to that; where its run is split off, it goes with that. It is forgotten with its thread and
    /// with its run.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`]; [`StoreError::ScheduledOtherwise`] if anything else is scheduled as that run;
    /// [`StoreError::RunBegun`] if there is a run of that id, and it was not scheduled or has ended.
    fn schedule<'a>(&'a self, owner: &'a OwnerId, work: Scheduled) -> StoreFuture<'a, ()>;

    /// At most `count` scheduled runs that have not ended and are due at `until` or before it (none: whenever), the one that is due first
    /// first, of equal times by their ids. One that is at work is among them, and so is one whose process died.
    fn scheduled<'a>(&'a self, owner: &'a OwnerId, until: Option<Timestamp>, count: usize) -> StoreFuture<'a, Vec<Scheduled>>;

    /// Takes back scheduled work whose run was not begun, and tells whether it did. From then on there is a run of that id that ended as
    /// [`RunEnd::Stopped`] and was never leased: so who had found it due before does not begin it any more. Of a run that was begun, or
    /// that is not scheduled, nothing changes: one at work is asked to stop ([`stop_run`](Self::stop_run)).
    fn unschedule<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> StoreFuture<'a, bool>;

    /// Adds to what the run has spent.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::Fenced`], [`StoreError::RunEnded`].
    fn spend<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, spent: Spent) -> StoreFuture<'a, ()>;

    /// Records, before its effect, that a step of that key of the run begins: so that an effect is tried once, whoever dies over it.
    /// A key is at most 200 bytes, and belongs to the run.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] for a longer key; [`StoreError::UnknownRun`], [`StoreError::Fenced`]; [`StoreError::RunEnded`] of a step
    /// that had not been begun.
    fn begin_step<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, key: &'a str, now: Timestamp) -> StoreFuture<'a, Step>;

    /// Keeps the exact request of a run, before it is sent. Its number within the run, from 0. Not idempotent: what is kept twice is
    /// there twice.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::Fenced`], [`StoreError::RunEnded`].
    fn keep_request<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        request: KeptRequest,
        now: Timestamp,
    ) -> StoreFuture<'a, u32>;

    /// The run of that id, as lists show it.
    fn run<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Option<RunSummary>>;

    /// Runs, the one that was begun last first. Takes time by how many are asked for, and their rounds. An unknown thread has none.
    fn runs<'a>(&'a self, owner: &'a OwnerId, of: RunsOf) -> StoreFuture<'a, Vec<RunSummary>>;

    /// All rounds of a run with their outcomes, in the order of their indices. An unknown run has none.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a round cannot be read. An outcome that cannot be read is as one that was never recorded.
    fn run_rounds<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Vec<RecordedRound>>;

    /// The entry that the run wrote as its answer ([`Append::answer_by`]), though it was popped or erased since. An unknown run has none.
    fn answer_of<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Option<EntryId>>;

    /// The answers to a message that stand, neither popped nor erased: of the runs of that persona (in ASCII letters of any case) whose
    /// cause is the message, in the order in which they were begun. Whatever threads they are in: what is merged, split or forked
    /// changes nothing. Takes time by the runs.
    fn answers<'a>(&'a self, owner: &'a OwnerId, message: EntryId, persona: &'a str) -> StoreFuture<'a, Vec<(RunId, EntryId)>>;

    /// The keys of the steps that were begun, with when, in their order. An unknown run has none.
    fn steps<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Vec<(String, Timestamp)>>;

    /// The requests that are kept of a run, by their numbers; some may be forgotten. An unknown run has none.
    ///
    /// # Errors
    /// [`StoreError::Blob`] if the bytes of one are lost or altered.
    fn requests<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> StoreFuture<'a, Vec<RunRequest>>;

    /// Settles a card, once: its notice is appended to the card's thread, in the person's language of now (none: the card's).
    ///
    /// # Errors
    /// [`StoreError::Settled`] if it was settled before; [`StoreError::UnknownEntry`]; [`StoreError::NotACard`];
    /// [`StoreError::CardClaimed`] if it is to be cancelled or to expire, and is claimed: it is being done.
    fn settle<'a>(
        &'a self,
        owner: &'a OwnerId,
        card: EntryId,
        settled: Settled,
        language: Option<&'a str>,
        now: Timestamp,
    ) -> StoreFuture<'a, EntryId>;

    /// Claims an open card, once, before what it proposes is done: whoever succeeds does that and settles it. If that process dies, the
    /// card stays claimed, and what is known then is that it may have been done ([`Settled::Lost`]).
    ///
    /// # Errors
    /// [`StoreError::CardClaimed`] if it was claimed before; [`StoreError::Settled`]; [`StoreError::UnknownEntry`];
    /// [`StoreError::NotACard`]. A card that has lapsed by `now` is settled as expired, which is the one change that comes with an error:
    /// [`StoreError::Settled`].
    fn claim_card<'a>(&'a self, owner: &'a OwnerId, card: EntryId, now: Timestamp) -> StoreFuture<'a, ()>;

    /// At most `count` cards of all threads of the owner that are not settled, claimed ones too; the one that was appended last first.
    fn waiting_cards<'a>(&'a self, owner: &'a OwnerId, count: usize) -> StoreFuture<'a, Vec<WaitingCard>>;

    /// Settles every card of the thread that has lapsed by `now` and is not claimed as expired, in the order of the thread, and gives their notices.
    /// What is read of a chat afterwards tells of no card that waits in vain. An unknown thread has none.
    fn settle_lapsed<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId, now: Timestamp) -> StoreFuture<'a, Vec<EntryId>>;

    /// Settles every card of the owner that was claimed before that time and is not settled as lost, in the order in which they were
    /// appended, and gives their notices: whoever claimed them is gone, and nobody knows whether they were done.
    fn settle_lost<'a>(&'a self, owner: &'a OwnerId, before: Timestamp, now: Timestamp) -> StoreFuture<'a, Vec<EntryId>>;

    /// At most `count` cards of the thread that stand before `before` (none: all of it) and are not settled, newest first.
    fn open_cards<'a>(
        &'a self,
        owner: &'a OwnerId,
        thread: ThreadId,
        before: Option<Place>,
        count: usize,
    ) -> StoreFuture<'a, Vec<Arc<Entry>>> {
        self.open_cards_as_of(owner, Moment::Now, thread, before, count)
    }

    /// The same as of a moment; takes time also by the cards that were settled.
    fn open_cards_as_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        moment: Moment,
        thread: ThreadId,
        before: Option<Place>,
        count: usize,
    ) -> StoreFuture<'a, Vec<Arc<Entry>>>;

    /// The notices of those of the cards that are settled, in the order of `cards`.
    fn notices<'a>(&'a self, owner: &'a OwnerId, cards: &'a [EntryId]) -> StoreFuture<'a, Vec<Arc<Notice>>> {
        self.notices_as_of(owner, Moment::Now, cards)
    }

    /// The same as of a moment.
    fn notices_as_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        moment: Moment,
        cards: &'a [EntryId],
    ) -> StoreFuture<'a, Vec<Arc<Notice>>>;

    /// Takes the newest message or reset off the thread, whoever wrote it (of an edited message the newest version), and gives it
    /// back; none if there is none. A tombstone stays at its place, and what it held stays in the log until it is forgotten. A fork
    /// pops what it has of its own.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`].
    fn pop<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId, now: Timestamp) -> StoreFuture<'a, Option<Arc<Entry>>>;

    /// Opens a thread that continues from that entry of `thread`: up to it (it included) the new one reads as the old one, and what
    /// is appended to either from now on is not seen in the other. Nothing is copied. Rounds stand beside what their run answers: those
    /// of a run that answers an entry of both are read in both, whichever it belongs to.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`]; [`StoreError::UnknownEntry`] if the thread does not hold the entry; [`StoreError::TooMany`]
    /// if it is a fork of a fork, and so on, of 100 threads.
    fn fork<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId, entry: EntryId) -> StoreFuture<'a, ThreadId>;

    /// The entry of that id; of an erased or popped one its tombstone, of an edited message the newest version.
    fn entry<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<Arc<Entry>>> {
        self.entry_as_of(owner, Moment::Now, entry)
    }

    /// The same as of a moment.
    fn entry_as_of<'a>(&'a self, owner: &'a OwnerId, moment: Moment, entry: EntryId) -> StoreFuture<'a, Option<Arc<Entry>>>;

    /// The sequence number that the owner's next entry gets: what to remember of a moment, to read as of it later
    /// ([`Moment::Before`]).
    fn next_entry<'a>(&'a self, owner: &'a OwnerId) -> StoreFuture<'a, EntryId>;

    /// The entries of that Message-ID, in the order they were appended: more than one if it was reused.
    fn by_message_id<'a>(&'a self, owner: &'a OwnerId, id: &'a MessageId) -> StoreFuture<'a, Vec<EntryId>>;

    /// The thread that an entry belongs to.
    fn thread_of<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<ThreadId>>;

    /// The entry that was appended with that key, if one was; of an erased one too.
    fn keyed<'a>(&'a self, owner: &'a OwnerId, key: &'a Key) -> StoreFuture<'a, Option<EntryId>>;

    /// Entries of a thread, newest first; see [`briefing::ports::History::back`]. Takes time by the count, not by the length of the
    /// thread, whatever kinds and agents are asked for.
    fn read_back<'a>(&'a self, owner: &'a OwnerId, back: Back<'a>) -> StoreFuture<'a, Vec<Arc<Entry>>> {
        self.read_back_as_of(owner, Moment::Now, back)
    }

    /// The same as of a moment; takes time also by the messages that are not asked for, and by what came later.
    fn read_back_as_of<'a>(&'a self, owner: &'a OwnerId, moment: Moment, back: Back<'a>) -> StoreFuture<'a, Vec<Arc<Entry>>>;

    /// The newest inbound mail of the owner, with its thread.
    fn newest_inbound<'a>(
        &'a self,
        owner: &'a OwnerId,
        thread: Option<ThreadId>,
    ) -> StoreFuture<'a, Option<(Arc<Entry>, ThreadId)>>;

    /// The rounds of that persona's runs that stand beside one of `entries`; see [`briefing::ports::History::rounds`].
    fn rounds<'a>(
        &'a self,
        owner: &'a OwnerId,
        persona: &'a str,
        entries: &'a [EntryId],
    ) -> StoreFuture<'a, Vec<RecordedRound>> {
        self.rounds_as_of(owner, Moment::Now, persona, entries)
    }

    /// The same as of a moment.
    fn rounds_as_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        moment: Moment,
        persona: &'a str,
        entries: &'a [EntryId],
    ) -> StoreFuture<'a, Vec<RecordedRound>>;

    /// The bytes of a file, or none if no attachment has that id, or its bytes were not kept.
    ///
    /// # Errors
    /// [`StoreError::Blob`] if they are lost or altered.
    fn file<'a>(&'a self, owner: &'a OwnerId, id: &'a AttachmentId) -> StoreFuture<'a, Option<Arc<[u8]>>>;

    /// Those of the files that are known, with the text that was kept of each, in the order of `ids`. A text is kept by the hash of
    /// the file's content: once for all files of one content.
    fn texts<'a>(&'a self, owner: &'a OwnerId, ids: &'a [AttachmentId]) -> StoreFuture<'a, Vec<KnownFile>>;

    /// Keeps the text of a file, in place of the one that was kept before. Of a file whose content was not kept nothing is.
    fn keep_text<'a>(&'a self, owner: &'a OwnerId, id: &'a AttachmentId, text: KeptText) -> StoreFuture<'a, ()>;

    /// A mail as it came, if that was kept.
    ///
    /// # Errors
    /// As [`file`](Self::file).
    fn raw<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<Arc<[u8]>>>;

    /// Threads that have something (not merged, not all erased), the one with the newest entry first, at most `count` behind
    /// `after`.
    fn threads<'a>(&'a self, owner: &'a OwnerId, after: Option<After>, count: usize) -> StoreFuture<'a, Vec<ThreadSummary>>;

    /// One thread as lists show it. A thread that was merged is found by its old id too.
    fn thread<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId) -> StoreFuture<'a, Option<ThreadSummary>>;

    /// The mails and messages that hold all words of `text` (words in double quotes next to each other), best first, at most
    /// `count`. Text without a word finds nothing; nothing in it is an operator.
    fn search<'a>(&'a self, owner: &'a OwnerId, text: &'a str, count: usize) -> StoreFuture<'a, Vec<Hit>>;

    /// Makes one thread of two: everything of `from` now belongs to `into`, at its own place. `from` leads to `into` from then
    /// on. Entries are not touched.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`]; [`StoreError::Forked`] if a fork would read something else then. A mail whose references would
    /// merge such threads leaves them apart.
    fn merge<'a>(&'a self, owner: &'a OwnerId, from: ThreadId, into: ThreadId) -> StoreFuture<'a, ()>;

    /// Moves the entry and what follows it in its thread to a new thread. Rounds and outcomes move with their run, a run with
    /// what it answers or wrote, a notice with its card. The new thread waits for no mail, so that none undoes it.
    ///
    /// # Errors
    /// [`StoreError::UnknownEntry`]; [`StoreError::NotABeginning`] of a round, an outcome, a notice, an edit or a card of a run;
    /// [`StoreError::FirstOfThread`] where nothing would be left; [`StoreError::Forked`] where a fork reads what would move.
    fn split<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, ThreadId>;

    /// The entry at which that window begins: the anchor that was set, or if nothing is told of that any more (it was erased or popped, or
    /// is a card that was settled), the next one behind it that may be.
    fn anchor<'a>(&'a self, owner: &'a OwnerId, key: &'a AnchorKey) -> StoreFuture<'a, Option<EntryId>>;

    /// Moves a window's anchor forward; one that stands further on stays. Recorded with the run that moved it.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::UnknownEntry`], [`StoreError::UnknownThread`], [`StoreError::Fenced`],
    /// [`StoreError::RunEnded`].
    fn move_anchor<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        key: &'a AnchorKey,
        entry: EntryId,
    ) -> StoreFuture<'a, ()>;

    /// The owner's entries from `first` on by sequence number, at most `count`: everything there is, as it was appended. Of an edited
    /// message that is its first version; the later ones are the edits.
    fn log<'a>(&'a self, owner: &'a OwnerId, first: EntryId, count: usize) -> StoreFuture<'a, Vec<Logged>>;

    /// What erasing would erase.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], [`StoreError::Merged`].
    fn would_forget<'a>(&'a self, owner: &'a OwnerId, what: &'a Forget) -> StoreFuture<'a, ForgetReport>;

    /// Erases: entries, raw mails, files, the search index, and the bytes that they took. A tombstone with a hash stays of each
    /// entry, at its place; so do the keys, so that what was forgotten does not come back by being delivered again.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], [`StoreError::Merged`].
    fn forget<'a>(&'a self, owner: &'a OwnerId, what: &'a Forget, now: Timestamp) -> StoreFuture<'a, ForgetReport>;

    /// Looks at everything of every owner: hashes, references, order.
    fn verify(&self) -> StoreFuture<'_, Verified>;
}
