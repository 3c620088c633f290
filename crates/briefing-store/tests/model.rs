//! Random sequences of operations, on SQLite and on a model that is obviously right: both answer alike, then and in the end.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod operations;
mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use briefing::log::{AttachmentId, Entry, Kind, Kinds, MessageId, Notice, Place, RecordedRound};
use briefing::message::{EntryId, OwnerId, RunId, ThreadId};
use briefing::ports::Back;
use briefing_store::{
    AnchorKey, Durability, KnownFile, Lease, Logged, Moment, RunRequest, RunSummary, RunsOf, Scheduled, Settings, SqliteStore,
    Store, StoreError, ThreadSummary, WaitingCard,
};
use jiff::Timestamp;
use operations::{
    AGENTS, Answer, FILES, IDS, MODELS, OWNERS, Operation, PERSONAS, Plan, RAWS, What, apply, file_id, plain, plain_all, plans,
    whole,
};
use pollster::block_on;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use support::model::Model;

/// Each opens a database, so there are never more.
const MOST_CASES: u32 = 300;

fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.min(MOST_CASES), ..default }
}

#[test]
fn sqlite_does_what_the_model_does() {
    // Not by the macro: that would take the number of cases from the environment after all.
    let run = TestRunner::new(cases()).run(&plans(40), |plans| {
        hold(&plans);
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

fn hold(plans: &[Plan]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("briefing.db");
    let settings = Settings { durability: Durability::Process, blob_bytes: 16, ..Settings::default() };
    let sqlite = SqliteStore::create(&file, settings.clone()).unwrap();
    let model = Model::default();
    let mut done: Vec<Operation> = Vec::new();
    let mut leases: Vec<(OwnerId, Lease)> = Vec::new();
    for plan in plans {
        let operation = plan.over(&model, &leases);
        let (found, right) = (apply(&sqlite, &operation), apply(&model, &operation));
        assert_eq!(found, right, "{operation:?} after {done:#?}");
        if let (Answer::Leased(lease), What::Lease(..)) = (found, &operation.what) {
            leases.push((operation.owner.clone(), lease));
        }
        done.push(operation);
    }
    // What was written is in the file.
    drop(sqlite);
    let sqlite = SqliteStore::open(&file, settings).unwrap();
    for owner in OWNERS {
        let owner = OwnerId::new(owner);
        let (found, right) = (Seen::of(&sqlite, &owner), Seen::of(&model, &owner));
        assert_eq!(found, right, "owner {owner} after {done:#?}");
    }
    let verified = block_on(sqlite.verify()).unwrap();
    let right = block_on(model.verify()).unwrap();
    assert_eq!(
        (verified.faults, verified.entries, verified.blobs),
        (Vec::new(), right.entries, right.blobs),
        "after {done:#?}"
    );
}

/// Everything that can be read of one owner.
#[derive(Debug, PartialEq)]
struct Seen {
    log: Vec<Logged>,
    pages: Vec<ThreadSummary>,
    threads: Vec<SeenThread>,
    entries: Vec<SeenEntry>,
    ids: Vec<Vec<EntryId>>,
    files: Vec<Option<Arc<[u8]>>>,
    texts: Vec<KnownFile>,
    notices: Vec<Arc<Notice>>,
    rounds: Vec<Vec<RecordedRound>>,
    answers: Vec<Vec<(RunId, EntryId)>>,
    runs: Vec<SeenRun>,
    pages_of_runs: Vec<RunSummary>,
    waiting: Vec<WaitingCard>,
    scheduled: Vec<Vec<Scheduled>>,
    then: Vec<Then>,
    newest: Option<(Arc<Entry>, ThreadId)>,
    found: Vec<BTreeSet<(EntryId, ThreadId)>>,
}

#[derive(Debug, PartialEq)]
struct SeenThread {
    summary: Option<ThreadSummary>,
    entries: Vec<Vec<Arc<Entry>>>,
    pages: Vec<Vec<Arc<Entry>>>,
    cards: Vec<Vec<Arc<Entry>>>,
    newest: Option<(Arc<Entry>, ThreadId)>,
    anchors: Vec<Option<EntryId>>,
    runs: Vec<Vec<RunSummary>>,
}

#[derive(Debug, PartialEq)]
struct SeenRun {
    summary: Option<RunSummary>,
    rounds: Vec<RecordedRound>,
    steps: Vec<(String, Timestamp)>,
    requests: Vec<RunRequest>,
    stop: bool,
    answer: Option<EntryId>,
}

/// What can be read as of a moment.
#[derive(Debug, PartialEq)]
struct Then {
    head: EntryId,
    backs: Vec<Vec<Arc<Entry>>>,
    cards: Vec<Vec<Arc<Entry>>>,
    entries: Vec<Option<Arc<Entry>>>,
    notices: Vec<Arc<Notice>>,
    rounds: Vec<Vec<RecordedRound>>,
}

#[derive(Debug, PartialEq)]
struct SeenEntry {
    entry: Option<Arc<Entry>>,
    thread: Option<ThreadId>,
    raw: Option<Arc<[u8]>>,
}

/// Many ways to read a thread, the same for the same places.
fn backs(thread: ThreadId, places: &[Place]) -> Vec<Back<'static>> {
    let mut seed = places.iter().fold(thread.get(), |seed, place| seed.wrapping_mul(31).wrapping_add(place.entry.get()));
    let mut next = |end: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % end
    };
    let backs = (0..12).map(|_| {
        let kinds = Kind::ALL.into_iter().filter(|_| next(2) == 0).fold(Kinds::default(), Kinds::with);
        let mut place = || Some(next(places.len() + 1)).filter(|_| !places.is_empty()).and_then(|at| places.get(at)).copied();
        let (before, after) = (place(), place());
        let agent = AGENTS.get(next(AGENTS.len() + 2)).copied();
        Back { thread, before, after: after.filter(|_| next(2) == 0), kinds, agent, count: 1 + next(6) }
    });
    backs.collect()
}

const SEARCHES: [&str; 8] =
    ["order", "muller", "blue lamp", "\"blue lamp\"", "\"lamp blue\" order", "order* -red", "AND", "\"lamp"];

impl Seen {
    fn of(store: &dyn Store, owner: &OwnerId) -> Self {
        block_on(Self::read(store, owner)).unwrap()
    }

    async fn read(store: &dyn Store, owner: &OwnerId) -> Result<Self, StoreError> {
        let mut log = store.log(owner, EntryId::new(0), 10_000).await?;
        for logged in &mut log {
            logged.entry = plain(&logged.entry);
        }
        let all: Vec<EntryId> = (0..=log.len() as u64).map(EntryId::new).collect();
        let mut seen = Self {
            log,
            pages: Vec::new(),
            threads: Vec::new(),
            entries: Vec::new(),
            ids: Vec::new(),
            files: Vec::new(),
            texts: Vec::new(),
            notices: store.notices(owner, &all).await?,
            rounds: Vec::new(),
            answers: Vec::new(),
            runs: Vec::new(),
            pages_of_runs: Vec::new(),
            waiting: store.waiting_cards(owner, 3).await?,
            scheduled: vec![
                store.scheduled(owner, None, 100).await?,
                store.scheduled(owner, None, 2).await?,
                store.scheduled(owner, Some(Timestamp::new(12, 1_500).unwrap()), 100).await?,
            ],
            then: Vec::new(),
            newest: store.newest_inbound(owner, None).await?,
            found: Vec::new(),
        };
        while let page = store.threads(owner, seen.pages.last().map(ThreadSummary::after), 2).await?
            && !page.is_empty()
        {
            seen.pages.extend(page);
        }
        for thread in 0..50 {
            seen.threads.push(SeenThread::read(store, owner, ThreadId::new(thread)).await?);
        }
        for &entry in &all {
            let kept = store.entry(owner, entry).await?.as_ref().map(plain);
            let (thread, raw) = (store.thread_of(owner, entry).await?, store.raw(owner, entry).await?);
            seen.entries.push(SeenEntry { entry: kept, thread, raw });
        }
        for id in IDS {
            seen.ids.push(store.by_message_id(owner, &MessageId::new(id).unwrap()).await?);
        }
        for content in FILES.iter().chain(&RAWS) {
            seen.files.push(store.file(owner, &file_id(content)).await?);
        }
        let files: Vec<AttachmentId> = FILES.iter().rev().chain(&FILES[..1]).map(|content| file_id(content)).collect();
        seen.texts = store.texts(owner, &files).await?;
        for persona in PERSONAS {
            seen.rounds.push(store.rounds(owner, persona, &all).await?);
            seen.rounds.push(store.rounds(owner, persona, &all[all.len() / 2..]).await?);
            for entry in &all {
                seen.answers.push(store.answers(owner, *entry, persona).await?);
            }
        }
        for run in 0..6 {
            seen.runs.push(SeenRun::read(store, owner, &RunId::new(format!("run{run}"))).await?);
        }
        while let before = seen.pages_of_runs.last().map(|last| last.number)
            && let page = store.runs(owner, RunsOf { before, ..RunsOf::newest(2) }).await?
            && !page.is_empty()
        {
            seen.pages_of_runs.extend(page);
        }
        let next = store.next_entry(owner).await?;
        assert_eq!(Some(&next), all.last());
        for head in [0, all.len() / 3, all.len() / 2, all.len().saturating_sub(3), all.len() + 5] {
            seen.then.push(Then::read(store, owner, EntryId::new(head as u64), &all).await?);
        }
        for text in SEARCHES {
            let hits = store.search(owner, text, 1_000).await?;
            seen.found.push(hits.iter().map(|hit| (hit.entry, hit.thread)).collect());
        }
        Ok(seen)
    }
}

impl SeenThread {
    async fn read(store: &dyn Store, owner: &OwnerId, thread: ThreadId) -> Result<Self, StoreError> {
        let mut entries = Vec::new();
        for kinds in Kind::ALL.into_iter().map(Kinds::from).chain([Kinds::ALL]) {
            entries.push(plain_all(&store.read_back(owner, Back { kinds, ..whole(thread) }).await?));
        }
        let places: Vec<Place> = entries.last().unwrap().iter().map(|entry| entry.place()).collect();
        let mut pages = Vec::new();
        for back in backs(thread, &places) {
            pages.push(plain_all(&store.read_back(owner, back).await?));
        }
        let mut cards = vec![store.open_cards(owner, thread, None, 1_000).await?];
        cards.push(store.open_cards(owner, thread, places.get(places.len() / 2).copied(), 2).await?);
        let mut anchors = Vec::new();
        for persona in PERSONAS {
            for model in MODELS {
                let key = AnchorKey { thread, persona: persona.to_owned(), view: String::new(), model: model.to_owned() };
                anchors.push(store.anchor(owner, &key).await?);
            }
        }
        Ok(Self {
            summary: store.thread(owner, thread).await?,
            entries,
            pages,
            cards,
            newest: store.newest_inbound(owner, Some(thread)).await?,
            anchors,
            runs: vec![
                store.runs(owner, RunsOf { thread: Some(thread), ..RunsOf::newest(3) }).await?,
                store.runs(owner, RunsOf { thread: Some(thread), open: true, ..RunsOf::newest(3) }).await?,
                store.runs(owner, RunsOf { open: true, ..RunsOf::newest(3) }).await?,
            ],
        })
    }
}

impl SeenRun {
    async fn read(store: &dyn Store, owner: &OwnerId, run: &RunId) -> Result<Self, StoreError> {
        Ok(Self {
            summary: store.run(owner, run).await?,
            rounds: store.run_rounds(owner, run).await?,
            steps: store.steps(owner, run).await?,
            requests: store.requests(owner, run).await?,
            stop: store.stop_asked(owner, run).await?,
            answer: store.answer_of(owner, run).await?,
        })
    }
}

impl Then {
    async fn read(store: &dyn Store, owner: &OwnerId, head: EntryId, all: &[EntryId]) -> Result<Self, StoreError> {
        let moment = Moment::Before(head);
        let (mut backs, mut cards, mut entries, mut rounds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for thread in (0..12).map(ThreadId::new) {
            let read = store.read_back_as_of(owner, moment, whole(thread)).await?;
            let places: Vec<Place> = read.iter().map(|entry| entry.place()).collect();
            backs.push(plain_all(&read));
            for back in self::backs(thread, &places) {
                backs.push(plain_all(&store.read_back_as_of(owner, moment, back).await?));
            }
            cards.push(store.open_cards_as_of(owner, moment, thread, None, 1_000).await?);
            cards.push(store.open_cards_as_of(owner, moment, thread, places.get(places.len() / 2).copied(), 2).await?);
        }
        for entry in all {
            entries.push(store.entry_as_of(owner, moment, *entry).await?.as_ref().map(plain));
        }
        for persona in PERSONAS {
            rounds.push(store.rounds_as_of(owner, moment, persona, all).await?);
        }
        Ok(Self { head, backs, cards, entries, notices: store.notices_as_of(owner, moment, all).await?, rounds })
    }
}
