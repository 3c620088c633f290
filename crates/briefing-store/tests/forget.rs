//! Forgetting: no byte of what was forgotten is left in any file, and everything else is.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod chat;
#[path = "support/child.rs"]
mod child;
#[path = "support/sample.rs"]
mod sample;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use briefing::log::{Arrival, Body, Card, Cause, Kind, Message, Run, Settled};
use briefing::message::{Assistant, EntryId, Item, ModelMessage, Outcome, RunId, ThreadId, ToolCall};
use briefing::ports::{Back, FileText};
use briefing_store::{
    Append, Durability, Forget, ForgetReport, KeptRequest, KeptText, Scheduled, Settings, SqliteStore, Store, StoreError,
    Target, Writer,
};
use pollster::block_on;

use child::say;
use sample::{
    LARGE, Letter, PERSONA, Random, assert_sound, at, database, everything, leftovers, letter, outside, owner, settings, store,
};

/// The work of a child. In the parent, nothing.
#[test]
fn child() {
    let Some((role, folder)) = child::role() else { return };
    assert_eq!(role, "read");
    let connection = rusqlite::Connection::open(database(&folder)).unwrap();
    connection.execute_batch("BEGIN; SELECT count(*) FROM entries;").unwrap();
    say("ready");
    child::wait();
    connection.execute_batch("COMMIT").unwrap();
}

/// What was stored: for each word the entries that hold it, and for each entry a word that a search finds it by.
#[derive(Default)]
struct Known {
    words: BTreeMap<String, BTreeSet<EntryId>>,
    searched: BTreeMap<EntryId, String>,
    /// Words that no search finds: of older versions, and of what was popped.
    unsearched: Vec<String>,
    /// The words of the requests that were kept of a run.
    requests: BTreeMap<RunId, Vec<String>>,
    threads: BTreeSet<ThreadId>,
    people: Vec<String>,
}

impl Known {
    fn holds<'w>(&mut self, entry: EntryId, words: impl IntoIterator<Item = &'w String>) {
        for word in words {
            self.words.entry(word.clone()).or_default().insert(entry);
        }
    }
}

/// Words of which all begin alike, so that an index that keeps only where they differ keeps much of one.
fn alike(random: &mut Random, prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|_| format!("{prefix}{}", &random.word()[..8])).collect()
}

const MAILS: u64 = 90;

/// Stores mails of ten correspondents and what a persona did about them. Everything in it is a word of its own.
fn fill(store: &SqliteStore, random: &mut Random) -> Known {
    let mut known = Known { people: random.words(10), ..Known::default() };
    let mut mails: Vec<(String, usize, EntryId)> = Vec::new();
    for number in 0..MAILS {
        let answered = (!mails.is_empty() && !random.one_in(3))
            .then(|| mails[usize::try_from(random.below(mails.len() as u64)).unwrap()].clone());
        let person = answered.as_ref().map_or_else(|| usize::try_from(random.below(10)).unwrap(), |(_, person, _)| *person);
        let (id, name, subject, file) = (random.word(), random.word(), random.word(), random.word());
        let length = usize::try_from(random.below(60)).unwrap() + 1;
        let mut words = random.words(length);
        // Two in three people write words of their own that begin alike.
        let prefix = known.people[person][..8].to_owned();
        if person % 3 > 0 {
            words.extend(alike(random, &prefix, 40));
        }
        let content = random.words(if number.is_multiple_of(5) { LARGE / 16 + 1 } else { 8 });
        let letter = Letter {
            id: format!("{id}@x.example"),
            answers: answered.as_ref().map(|(id, ..)| format!("{id}@x.example")),
            from: format!("{name} <{}@x.example>", known.people[person]),
            to: PERSONA.to_owned(),
            subject: subject.clone(),
            body: words.join(" "),
            files: if number.is_multiple_of(2) { vec![(file.clone(), content.concat().into_bytes())] } else { Vec::new() },
            second: number,
        };
        let appended = block_on(store.append(&owner(), vec![letter.append()])).unwrap();
        let (entry, thread) = (appended[0].place.entry, appended[0].thread);
        known.threads.insert(thread);
        known.searched.insert(entry, words[0].clone());
        let person_word = known.people[person].clone();
        known.holds(entry, words.iter().chain([&id, &name, &subject, &person_word]).chain(answered.iter().map(|(id, ..)| id)));
        if number.is_multiple_of(2) {
            known.holds(entry, content.iter().chain([&file]));
        }
        mails.push((id, person, entry));
        match number % 4 {
            0 => run(store, random, &mut known, thread, entry, number),
            1 => {
                let words = random.words(12);
                let message =
                    Append::message(ModelMessage::user(words.join(" ")), Target::Thread(thread), Arrival::Live(at(number)));
                let entry = block_on(store.append(&owner(), vec![message])).unwrap()[0].place.entry;
                known.searched.insert(entry, words[0].clone());
                known.holds(entry, &words);
            }
            2 => chat(store, random, &mut known, thread, number),
            _ => {}
        }
        if random.one_in(40) {
            block_on(store.index()).unwrap();
        }
    }
    known
}

fn run(store: &SqliteStore, random: &mut Random, known: &mut Known, thread: ThreadId, entry: EntryId, number: u64) {
    let words = random.words(8);
    let [id, call, tool, argument, result, write, action, preview] = <[String; 8]>::try_from(words).unwrap();
    let run_id = RunId::new(id.as_str());
    let run = Run { id: run_id.clone(), thread, cause: Cause::Message(entry), persona: PERSONA.into() };
    let (responsibility, persona) = (random.word(), random.word());
    let work = Scheduled {
        run: run_id.clone(),
        thread,
        persona: persona.as_str().into(),
        responsibility: responsibility.clone(),
        at: at(number),
    };
    block_on(store.schedule(&owner(), work)).unwrap();
    block_on(store.begin_run(&owner(), run)).unwrap();
    let asked = ToolCall::new(call.as_str(), tool.as_str(), format!("{{\"q\":\"{argument}\"}}"));
    let said = Assistant { items: vec![Item::Call(asked)], ..Assistant::default() };
    let round = block_on(store.append_round(&owner(), &run_id.clone().into(), 0, said, at(number))).unwrap();
    known.holds(round.entry, [&call, &tool, &argument, &id, &responsibility, &persona]);
    let outcome = Outcome::text(call.as_str(), result.as_str());
    let outcome = block_on(store.append_outcome(&owner(), &run_id.clone().into(), outcome, at(number))).unwrap();
    known.holds(outcome, [&result, &call, &id]);
    let card = Card {
        run: Some(run_id.clone()),
        call: ToolCall::new(write.as_str(), "refund", "{}"),
        action: action.clone(),
        language: "en".to_owned(),
        preview: preview.clone(),
        fingerprint: write.clone(),
        expires: None,
    };
    let append = Append::card(card, thread, Arrival::Live(at(number)));
    let card = block_on(store.append(&owner(), vec![append])).unwrap()[0].place.entry;
    known.holds(card, [&write, &action, &preview, &id]);
    // A request goes with anything of its thread, and so with this.
    let length = if random.one_in(3) { LARGE / 16 + 1 } else { 4 };
    let body = random.words(length);
    let [model, receipt, inputs, step] = [(); 4].map(|()| random.word());
    let request = KeptRequest { wire: "w".to_owned(), model, round: 0, body: body.concat().into_bytes(), receipt, inputs };
    let told = [request.model.clone(), request.receipt.clone(), request.inputs.clone()];
    known.requests.insert(run_id.clone(), body.into_iter().chain(told).collect());
    let writer = Writer::new(run_id);
    block_on(store.keep_request(&owner(), &writer, request, at(number))).unwrap();
    block_on(store.begin_step(&owner(), &writer, &step, at(number))).unwrap();
    known.holds(round.entry, [&step]);
    if random.one_in(2) {
        let language = random.word();
        let notice = block_on(store.settle(&owner(), card, Settled::Done, Some(&language), at(number))).unwrap();
        known.holds(notice, [&language]);
    }
}

/// A message with a file and its text, versions of it, a reset, something that is popped, and a fork.
fn chat(store: &SqliteStore, random: &mut Random, known: &mut Known, thread: ThreadId, number: u64) {
    let [first, agent, extra, name, text] = [(); 5].map(|()| random.word());
    let length = if random.one_in(3) { LARGE / 16 + 1 } else { 4 };
    let content = random.words(length);
    let file = chat::file(&name, content.concat().as_bytes());
    let kept = |key: &str| serde_json::Map::from_iter([(key.to_owned(), key.into())]);
    let message = Message { extra: kept(&extra), ..ModelMessage::user(first.as_str()).into() }.by(agent.as_str());
    let message = chat::with_files(message, vec![file.clone()]);
    let said = chat::append(store, chat::put(message, Target::Thread(thread), number)).0;
    known.holds(said, content.iter().chain([&first, &agent, &extra, &name, &text]));
    known.searched.insert(said, first);
    let read = KeptText { version: 1, text: Some(FileText { text: text.into(), partial: false }) };
    block_on(store.keep_text(&owner(), &file.0.id, read)).unwrap();
    for _ in 0..random.below(3) {
        let [words, agent, extra, name] = [(); 4].map(|()| random.word());
        let (other, _) = chat::file(&name, b"");
        let message = Message { extra: kept(&extra), attachments: vec![other], ..ModelMessage::user(words.as_str()).into() };
        let message = message.by(agent.as_str());
        let edit = Append::edit(said, message, Arrival::Live(at(number)));
        let edit = chat::append(store, edit).0;
        known.holds(said, [&words, &agent, &extra, &name]);
        known.holds(edit, [&words, &agent, &extra, &name]);
        known.unsearched.extend(known.searched.insert(said, words));
        if random.one_in(4) {
            block_on(store.index()).unwrap();
        }
    }
    let [agent, reason] = [(); 2].map(|()| random.word());
    let reset = Append::reset(chat::reset(Some(&agent), &reason), thread, Arrival::Live(at(number)));
    known.holds(chat::append(store, reset).0, [&agent, &reason]);
    for _ in 0..random.below(3) {
        let popped = block_on(store.pop(&owner(), thread, at(number))).unwrap().unwrap();
        known.unsearched.extend(known.searched.remove(&popped.id));
    }
    if random.one_in(2) {
        let fork = block_on(store.fork(&owner(), thread, said)).unwrap();
        let own = random.word();
        let message = Append::message(ModelMessage::system(own.as_str()), Target::Thread(fork), Arrival::Live(at(number)));
        let entry = chat::append(store, message).0;
        known.holds(entry, [&own]);
        known.searched.insert(entry, own);
        known.threads.insert(fork);
    }
}

/// Moves rows about.
fn stir(store: &SqliteStore, random: &mut Random, known: &mut Known) {
    let threads: Vec<ThreadId> = known.threads.iter().copied().collect();
    let mut any = || threads[usize::try_from(random.below(threads.len() as u64)).unwrap()];
    let (from, into) = (any(), any());
    match block_on(store.merge(&owner(), from, into)) {
        Ok(()) if from != into => drop(known.threads.remove(&from)),
        Ok(()) | Err(StoreError::Forked { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    let thread = any();
    let thread = if known.threads.contains(&thread) { thread } else { into };
    let back = Back { thread, before: None, after: None, kinds: Kind::Mail.into(), agent: None, count: 3 };
    let mails = block_on(store.read_back(&owner(), back)).unwrap();
    if let Some(mail) = mails.last() {
        match block_on(store.split(&owner(), mail.id)) {
            Ok(new) => assert!(known.threads.insert(new)),
            Err(error) => {
                assert!(matches!(error, StoreError::FirstOfThread { .. } | StoreError::Forked { .. }), "{error}");
            }
        }
    }
}

fn what(random: &mut Random, known: &Known) -> Forget {
    let threads: Vec<&ThreadId> = known.threads.iter().collect();
    match random.below(9) {
        0 => Forget::Owner,
        8 => Forget::Requests(at(random.below(MAILS))),
        1 | 2 => Forget::Thread(*threads[usize::try_from(random.below(threads.len() as u64)).unwrap()]),
        3 => Forget::Before(at(random.below(MAILS))),
        _ => Forget::Correspondent {
            address: format!("{}@x.example", known.people[usize::try_from(random.below(10)).unwrap()]),
            whole_threads: random.one_in(2),
        },
    }
}

fn erased(store: &SqliteStore) -> BTreeSet<EntryId> {
    everything(store)
        .iter()
        .filter(|logged| matches!(logged.entry.body, Body::Erased(_)))
        .map(|logged| logged.entry.id)
        .collect()
}

/// The words of which every entry that held them is erased.
fn gone(known: &Known, erased: &BTreeSet<EntryId>) -> Vec<String> {
    known.words.iter().filter(|(_, entries)| entries.is_subset(erased)).map(|(word, _)| word.clone()).collect()
}

#[test]
fn no_byte_of_what_was_forgotten_is_left() {
    for round in 0..20 {
        let mut random = Random::new(round);
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path(), Durability::Process);
        let mut known = fill(&store, &mut random);
        for _ in 0..4 {
            stir(&store, &mut random, &mut known);
        }
        block_on(store.index()).unwrap();
        let mut requests = Vec::new();
        for _ in 0..=random.below(3) {
            let what = what(&mut random, &known);
            let would = block_on(store.would_forget(&owner(), &what)).unwrap();
            let report = block_on(store.forget(&owner(), &what, at(1_000))).unwrap();
            assert_eq!(report, ForgetReport { scrubbed: true, ..would });
            if let Forget::Correspondent { address, .. } = &what {
                let person = address.split('@').next().unwrap();
                let theirs = known.words.get(person).cloned().unwrap_or_default();
                assert!(theirs.is_subset(&erased(&store)), "{what:?}");
            }
            requests.push(what);
        }
        let erased = erased(&store);
        for (entry, word) in &known.searched {
            let hits = block_on(store.search(&owner(), word, 10)).unwrap();
            let hits: Vec<EntryId> = hits.iter().map(|hit| hit.entry).collect();
            let expected: &[EntryId] = if erased.contains(entry) { &[] } else { &[*entry] };
            assert_eq!(hits, expected, "round {round}: {requests:?}");
        }
        for word in &known.unsearched {
            assert_eq!(block_on(store.search(&owner(), word, 10)).unwrap(), [], "round {round}");
        }
        assert_sound(&store);
        let mut gone = gone(&known, &erased);
        for (run, words) in &known.requests {
            if block_on(store.requests(&owner(), run)).unwrap().is_empty() {
                gone.extend_from_slice(words);
            }
        }
        drop(store);

        // An address that is left says nothing of a prefix that it shares with words.
        let kept: BTreeSet<&str> = known.words.keys().filter(|word| !gone.contains(word)).map(|word| &word[..8]).collect();
        let gone: Vec<String> =
            gone.into_iter().map(|word| if kept.contains(&word[..8]) { word[8..].to_owned() } else { word }).collect();
        assert_eq!(leftovers(folder.path(), &gone), [], "round {round}: {requests:?}");
        let store = self::store(folder.path(), Durability::Process);
        assert_sound(&store);
        assert_eq!(self::erased(&store), erased);
    }
}

#[test]
fn what_was_not_forgotten_is_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    let known = fill(&store, &mut Random::new(0));
    drop(store);
    // In other words: what the test above looks for, it would find.
    let words: Vec<String> = known.words.into_keys().chain(known.requests.into_values().flatten()).collect();
    let found: BTreeSet<String> = leftovers(folder.path(), &words).into_iter().map(|(_, word)| word).collect();
    assert_eq!(found.len(), words.len());
}

#[test]
fn a_reader_elsewhere_delays_the_scrubbing() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { patience: Duration::from_millis(50), ..settings(Durability::Process) };
    let store = SqliteStore::create(&database(folder.path()), settings).unwrap();
    let known = fill(&store, &mut Random::new(1));
    block_on(store.index()).unwrap();
    let reader = child::start(&[], "read", folder.path());
    let what = Forget::Correspondent { address: format!("{}@x.example", known.people[1]), whole_threads: true };
    let would = block_on(store.would_forget(&owner(), &what)).unwrap();
    let held = Some("another process is using the database".to_owned());
    assert_eq!(block_on(store.forget(&owner(), &what, at(1_000))).unwrap(), ForgetReport { scrub_failure: held, ..would });
    let erased = erased(&store);
    assert!(!erased.is_empty());
    assert_sound(&store);
    reader.finish();
    let again = block_on(store.forget(&owner(), &what, at(1_000))).unwrap();
    assert_eq!(again, ForgetReport { scrubbed: true, ..ForgetReport::default() });
    assert_sound(&store);
    drop(store);
    assert_eq!(leftovers(folder.path(), &gone(&known, &erased)), []);
}

#[test]
fn forgetting_sweeps_what_lies_outside_without_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    let appended = block_on(store.append(&owner(), vec![letter(0).append(), letter(4).append()])).unwrap();
    let kept = outside(folder.path());
    let orphan = folder.path().join("briefing.db.blobs/00");
    std::fs::create_dir_all(&orphan).unwrap();
    std::fs::write(orphan.join("00".repeat(32)), b"left by a killed process").unwrap();
    std::fs::write(orphan.join(format!("{}.7.half", "00".repeat(32))), b"half of it").unwrap();
    let report = block_on(store.forget(&owner(), &Forget::Before(at(0)), at(1_000))).unwrap();
    assert_eq!(report, ForgetReport { scrubbed: true, ..ForgetReport::default() });
    assert_eq!(std::fs::read_dir(&orphan).unwrap().count(), 0);
    assert_eq!(outside(folder.path()), kept);
    let report = block_on(store.forget(&owner(), &Forget::Thread(appended[0].thread), at(1_000))).unwrap();
    assert_eq!((report.blobs, outside(folder.path()).len()), (3, 2));
    assert!(letter(4).whole(&store).is_some());
    assert_sound(&store);
}
