//! Mails of recognisable content, steps of an agent's work, and what is asserted of every store that holds them.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::log::{Arrival, Body, Card, Cause, Entry, Run, Settled};
use briefing::message::{Assistant, Bytes, EntryId, Item, Outcome, OwnerId, RunId, ThreadId, ToolCall};
use briefing_store::{
    Append, BlobFolder, BlobHash, Blobs, Durability, Fate, Key, Logged, NewMail, Settings, SqliteStore, Store, StoreError,
    Verified,
};
use jiff::Timestamp;
use pollster::block_on;

/// From this size on a content lies outside, in these tests.
pub const LARGE: usize = 4096;
pub const PERSONA: &str = "me@shop.example";

pub fn owner() -> OwnerId {
    OwnerId::default()
}

pub fn at(second: u64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second.cast_signed()).unwrap()
}

pub fn database(folder: &Path) -> PathBuf {
    folder.join("briefing.db")
}

pub fn settings(durability: Durability) -> Settings {
    Settings { durability, blob_bytes: LARGE, ..Settings::default() }
}

/// Opens the database of that folder, or makes it.
pub fn store(folder: &Path, durability: Durability) -> SqliteStore {
    SqliteStore::create(&database(folder), settings(durability)).unwrap()
}

/// Numbers that are the same for the same seed (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A word of letters that nothing else holds.
    pub fn word(&mut self) -> String {
        (0..WORD).map(|_| char::from(b'a' + u8::try_from(self.below(26)).unwrap())).collect()
    }

    pub fn words(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.word()).collect()
    }
}

/// How long a word is, and how much of one is enough to know it again.
const WORD: usize = 16;
const PIECE: usize = 8;

/// The files of a folder that hold a piece of one of those words.
pub fn leftovers(folder: &Path, words: &[String]) -> Vec<(PathBuf, String)> {
    let pieces: HashMap<&[u8], &String> =
        words.iter().flat_map(|word| word.as_bytes().windows(PIECE).map(move |piece| (piece, word))).collect();
    let mut found = Vec::new();
    for file in files(folder) {
        let bytes = std::fs::read(&file).unwrap();
        let words: HashSet<&&String> = bytes.windows(PIECE).filter_map(|piece| pieces.get(piece)).collect();
        found.extend(words.into_iter().map(|word| (file.clone(), (*word).clone())));
    }
    found
}

/// All files of a folder, those of its folders too.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files
}

/// Copies a folder in which no database is open.
pub fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(&file, target).unwrap();
    }
}

/// One mail.
#[derive(Debug, Clone, Default)]
pub struct Letter {
    pub id: String,
    pub answers: Option<String>,
    pub from: String,
    pub to: String,
    pub subject: String,
    pub body: String,
    pub files: Vec<(String, Vec<u8>)>,
    pub second: u64,
}

impl Letter {
    /// The mail as it comes.
    pub fn raw(&self) -> Vec<u8> {
        let Self { id, from, to, subject, body, .. } = self;
        let mut raw = format!("Message-ID: <{id}>\r\nFrom: {from}\r\nTo: {to}\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\n");
        if let Some(answers) = &self.answers {
            raw += &format!("In-Reply-To: <{answers}>\r\nReferences: <{answers}>\r\n");
        }
        raw += "Content-Type: multipart/mixed; boundary=b0\r\n\r\n";
        raw += &format!("--b0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n");
        for (name, content) in &self.files {
            raw += &format!(
                "--b0\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename={name}\r\n\
                 Content-Transfer-Encoding: base64\r\n\r\n"
            );
            for line in Bytes::encode(content).as_base64().as_bytes().chunks(76) {
                raw += std::str::from_utf8(line).unwrap();
                raw += "\r\n";
            }
        }
        raw += "--b0--\r\n";
        raw.into_bytes()
    }

    pub fn new_mail(&self) -> NewMail {
        let raw = self.raw();
        let parsed = briefing_mail::parse(&raw);
        assert_eq!(parsed.files.len(), self.files.len());
        NewMail { mail: parsed.mail, files: parsed.files, raw: Some(raw) }
    }

    pub fn append(&self) -> Append {
        Append::mail(self.new_mail(), Arrival::Live(at(self.second)))
    }

    /// The entry of it, if it is there: whole, and once.
    pub fn whole(&self, store: &SqliteStore) -> Option<Arc<Entry>> {
        let new = self.new_mail();
        let entries = block_on(store.by_message_id(&owner(), new.mail.message_id.as_ref().unwrap())).unwrap();
        assert!(entries.len() <= 1, "{} is there {} times", self.id, entries.len());
        let id = *entries.first()?;
        let entry = block_on(store.entry(&owner(), id)).unwrap().unwrap();
        assert_eq!(entry.body, Body::Mail(Arc::new(new.mail)));
        assert_eq!(block_on(store.raw(&owner(), id)).unwrap().as_deref(), new.raw.as_deref());
        for (file, content) in &new.files {
            assert_eq!(block_on(store.file(&owner(), file)).unwrap().as_deref(), Some(content.as_slice()));
        }
        Some(entry)
    }
}

/// The mail of that number: every second answers the one before it, every third has a small file, every fourth a large one.
pub fn letter(number: u64) -> Letter {
    let mut random = Random::new(number);
    let mut files = Vec::new();
    if number.is_multiple_of(3) {
        files.push((format!("small-{number}.bin"), random.words(4).concat().into_bytes()));
    }
    if number.is_multiple_of(4) {
        files.push((format!("large-{number}.bin"), random.words(600).concat().into_bytes()));
    }
    Letter {
        id: format!("m{number}@x.example"),
        answers: (number % 2 == 1).then(|| format!("m{}@x.example", number - 1)),
        from: format!("p{}@x.example", number / 2),
        to: PERSONA.to_owned(),
        subject: format!("Subject {number} {}", random.word()),
        body: random.words(40).join(" "),
        files,
        second: number,
    }
}

/// Something that an agent asks of its store. Each can be asked again, whether or not it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Mail(u64),
    Begin(u64),
    Round(u64),
    Outcome(u64),
    Card(u64),
    Settle(u64),
}

/// The steps that write those many mails, every third of which is answered by a run.
pub fn script(mails: u64) -> Vec<Step> {
    let of = |number| {
        let run = [Step::Begin, Step::Round, Step::Outcome, Step::Card, Step::Settle].map(|step| step(number));
        std::iter::once(Step::Mail(number)).chain(run.into_iter().filter(move |_| number.is_multiple_of(3)))
    };
    (0..mails).flat_map(of).collect()
}

/// How many entries the steps write.
pub fn entries(script: &[Step]) -> u64 {
    script.iter().filter(|step| !matches!(step, Step::Begin(_))).count() as u64
}

fn run_id(number: u64) -> RunId {
    RunId::new(format!("run-{number}"))
}

fn said(number: u64) -> Assistant {
    let call = ToolCall::new(format!("call-{number}"), "look_up", format!("{{\"order\":{number}}}"));
    Assistant { items: vec![Item::Call(call)], ..Assistant::default() }
}

fn outcome(number: u64) -> Outcome {
    Outcome::text(format!("call-{number}").as_str(), format!("{{\"state\":\"sent {number}\"}}"))
}

fn card(number: u64) -> Card {
    Card {
        run: Some(run_id(number)),
        call: ToolCall::new(format!("write-{number}"), "refund", format!("{{\"order\":{number}}}")),
        action: format!("Refund order {number}"),
        language: "en".to_owned(),
        preview: "all of it".to_owned(),
        fingerprint: format!("f{number}"),
        expires: None,
    }
}

impl Step {
    /// Does it, if it is not done; whether it was.
    pub fn perform(self, store: &SqliteStore) -> bool {
        let owner = owner();
        let run = |number: u64| run_id(number);
        match self {
            Self::Mail(number) => {
                let appended = block_on(store.append(&owner, vec![letter(number).append()])).unwrap();
                appended[0].fate == Fate::Before
            }
            Self::Begin(number) => {
                let (entry, thread) = place(store, number);
                let run = Run { id: run(number), thread, cause: Cause::Message(entry), persona: PERSONA.into() };
                match block_on(store.begin_run(&owner, run)) {
                    Ok(()) => false,
                    Err(StoreError::RunBegun { .. }) => true,
                    Err(error) => panic!("{error}"),
                }
            }
            Self::Round(number) => {
                let before = self.whole(store);
                if !before {
                    block_on(store.append_round(&owner, &run(number).into(), 0, said(number), at(number))).unwrap();
                }
                before
            }
            Self::Outcome(number) => {
                let before = self.whole(store);
                if !before {
                    block_on(store.append_outcome(&owner, &run(number).into(), outcome(number), at(number))).unwrap();
                }
                before
            }
            Self::Card(number) => {
                let (_, thread) = place(store, number);
                let append = Append::card(card(number), thread, Arrival::Live(at(number)));
                let append = append.key(Key::new(&format!("card-{number}")));
                block_on(store.append(&owner, vec![append])).unwrap()[0].fate == Fate::Before
            }
            Self::Settle(number) => {
                let card = card_entry(store, number).unwrap();
                match block_on(store.settle(&owner, card, Settled::Done, None, at(number))) {
                    Ok(_) => false,
                    Err(StoreError::Settled { .. }) => true,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    /// Whether it is there: whole and once. That a run is begun cannot be seen of itself.
    pub fn whole(self, store: &SqliteStore) -> bool {
        let bodies = |number: u64| -> Vec<Logged> {
            let ours = |logged: &Logged| logged.run.as_ref().is_some_and(|(run, _)| run.id == run_id(number));
            everything(store).into_iter().filter(ours).collect()
        };
        match self {
            Self::Mail(number) => letter(number).whole(store).is_some(),
            Self::Begin(_) => true,
            Self::Round(number) => {
                let rounds = bodies(number).into_iter().filter(|logged| matches!(logged.entry.body, Body::Round(_)));
                let rounds: Vec<Body> = rounds.map(|logged| logged.entry.body.clone()).collect();
                assert!(rounds.is_empty() || rounds == [Body::Round(Arc::new(said(number)))], "{rounds:?}");
                !rounds.is_empty()
            }
            Self::Outcome(number) => {
                let outcomes = bodies(number).into_iter().filter(|logged| matches!(logged.entry.body, Body::Outcome(_)));
                let outcomes: Vec<Body> = outcomes.map(|logged| logged.entry.body.clone()).collect();
                assert!(outcomes.is_empty() || outcomes == [Body::Outcome(Arc::new(outcome(number)))], "{outcomes:?}");
                !outcomes.is_empty()
            }
            Self::Card(number) => card_entry(store, number).is_some(),
            Self::Settle(number) => {
                let Some(card) = card_entry(store, number) else { return false };
                let notices = everything(store).into_iter().filter(|logged| match &logged.entry.body {
                    Body::Notice(notice) => notice.card == card && notice.settled == Settled::Done,
                    _ => false,
                });
                let open = block_on(store.open_cards(&owner(), place(store, number).1, None, usize::MAX)).unwrap();
                let (settled, open) = (notices.count(), open.iter().any(|entry| entry.id == card));
                assert!(settled <= 1 && open == (settled == 0));
                settled == 1
            }
        }
    }
}

fn place(store: &SqliteStore, number: u64) -> (EntryId, ThreadId) {
    let entry = letter(number).whole(store).unwrap().id;
    (entry, block_on(store.thread_of(&owner(), entry)).unwrap().unwrap())
}

fn card_entry(store: &SqliteStore, number: u64) -> Option<EntryId> {
    let cards = everything(store).into_iter().filter(|logged| match &logged.entry.body {
        Body::Card(found) => **found == card(number),
        _ => false,
    });
    let cards: Vec<EntryId> = cards.map(|logged| logged.entry.id).collect();
    assert!(cards.len() <= 1);
    cards.first().copied()
}

/// All entries of the owner.
pub fn everything(store: &SqliteStore) -> Vec<Logged> {
    block_on(store.log(&owner(), EntryId::new(0), usize::MAX)).unwrap()
}

/// Nothing is wrong with it.
pub fn assert_sound(store: &SqliteStore) {
    let verified = block_on(store.verify()).unwrap();
    assert_eq!(verified, Verified { faults: Vec::new(), more: 0, ..verified.clone() });
}

/// The contents that lie outside.
pub fn outside(folder: &Path) -> Vec<BlobHash> {
    let mut root = database(folder).into_os_string();
    root.push(".blobs");
    BlobFolder::new(root).sweep().unwrap()
}

/// Makes a database of an older schema in `folder` with what the newest one in `filled` holds.
pub fn at_schema(folder: &Path, number: u32, filled: &Path) {
    SqliteStore::create_at_schema(&database(folder), settings(Durability::Process), number).unwrap();
    let old = rusqlite::Connection::open(database(folder)).unwrap();
    old.execute("ATTACH ?1 AS filled", [database(filled).to_str().unwrap()]).unwrap();
    let tables =
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> 'migrations' AND name NOT LIKE 'search%'";
    let tables: Vec<String> =
        old.prepare(tables).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for table in tables.iter().filter(|table| *table != "indexed") {
        // Newer schemas add columns.
        let columns = "SELECT group_concat(name, ', ') FROM pragma_table_info(?1, 'main')";
        let columns: String = old.query_one(columns, [table], |row| row.get(0)).unwrap();
        old.execute(&format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM filled.{table}"), []).unwrap();
    }
    if number < 3 {
        // Messages were not told apart.
        old.execute("UPDATE main.members SET kind = 4 WHERE kind IN (9, 10)", []).unwrap();
    }
    drop(old);
    let mut blobs = [database(folder), database(filled)].map(PathBuf::into_os_string);
    blobs.iter_mut().for_each(|path| path.push(".blobs"));
    copy(Path::new(&blobs[1]), Path::new(&blobs[0]));
}
