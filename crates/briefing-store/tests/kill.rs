//! Processes that are killed while they write, and two that write at once.
//!
//! `BRIEFING_KILLS=2000` kills more often, `BRIEFING_SOAK_SECONDS=60` lets the two write for longer. `BRIEFING_KILL_EACH=1` kills
//! at every call of the system that changes a file, one after the other, and needs `strace`; 7 at every seventh.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "a test stops at the first surprise, and tells how often it killed"
)]

mod chat;
#[path = "support/child.rs"]
mod child;
#[path = "support/sample.rs"]
mod sample;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use briefing::log::{Arrival, Body, Kind};
use briefing::message::{EntryId, ModelMessage, ThreadId};
use briefing_store::{Append, Appended, Durability, Fate, Forget, SqliteStore, Store, StoreError, Target};
use jiff::Timestamp;
use pollster::block_on;

use child::say;
use sample::{
    Random, Step, assert_sound, at, copy, database, entries, everything, leftovers, letter, outside, owner, script, settings,
    store,
};

/// How often a process is killed, over all kinds of work.
const KILLS: u64 = 200;
const KINDS: u64 = 6;
/// How many mails are written where mails are written.
const MAILS: u64 = 12;
const BATCH: usize = 6;
const BATCHES: usize = 8;

fn number_from(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// The work of a child. In the parent, nothing.
#[test]
fn child() {
    let Some((role, folder)) = child::role() else { return };
    say("ready");
    match role.as_str() {
        "append" => append(&folder),
        "chat" => chat(&folder),
        "import" => import(&folder),
        "forget" => forget(&folder),
        "migrate" => migrate(&folder),
        "back up" => back_up(&folder),
        "contend" => contend(&folder),
        other => panic!("{other}"),
    }
}

/// Kills a process of that role at random moments of its work, each time in a folder of its own, and looks at what is left.
fn kill(role: &str, prepare: impl Fn(&Path), look: impl Fn(&Path, &[String])) {
    let folder = || {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path());
        folder
    };
    if let Ok(step) = std::env::var("BRIEFING_KILL_EACH") {
        return kill_each(role, step.parse().unwrap(), folder, look);
    }
    let whole = folder();
    let (said, mut took) = child::start(&[], role, whole.path()).finish();
    look(whole.path(), &said);
    let kills = number_from("BRIEFING_KILLS", KILLS) / KINDS;
    let mut random = Random::new(blake3::hash(role.as_bytes()).as_bytes().iter().map(|byte| u64::from(*byte)).sum());
    let mut killed_at_work = 0;
    let all = said.len();
    for _ in 0..kills {
        let folder = folder();
        let after = took.mul_f64(f64::from(u32::try_from(random.below(1_000)).unwrap()) / 1_000.0);
        let said = child::start(&[], role, folder.path()).kill(after);
        let at_work = said.len() < all;
        killed_at_work += u64::from(at_work);
        // Other processes come and go: what was measured once is not what it takes now.
        took = took.mul_f64(if at_work { 1.1 } else { 0.8 });
        look(folder.path(), &said);
    }
    assert!(killed_at_work > kills / 10, "{role}: killed too late, {killed_at_work} of {kills} times");
    eprintln!("{role}: killed {kills} times within {took:?}, {killed_at_work} of them before the last answer");
}

/// Kills a process of that role at each call that changes a file.
fn kill_each(role: &str, step: usize, folder: impl Fn() -> tempfile::TempDir, look: impl Fn(&Path, &[String])) {
    const CALLS: &str = "pwrite64,ftruncate,fsync,fdatasync,rename,unlink,mkdir,rmdir";
    for call in (1..).step_by(step) {
        let folder = folder();
        let inject = format!("inject={CALLS}:signal=SIGKILL:when={call}");
        let wrapper = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject];
        let (said, whole) = child::start(&wrapper, role, folder.path()).end();
        look(folder.path(), &said);
        if whole {
            eprintln!("{role}: killed at every {step}. call up to {call}");
            return;
        }
    }
}

fn append(folder: &Path) {
    let store = store(folder, Durability::Power);
    for (index, step) in script(MAILS).into_iter().enumerate() {
        step.perform(&store);
        say(&index.to_string());
    }
}

#[test]
fn killed_while_it_appends() {
    kill(
        "append",
        |_| {},
        |folder, said| {
            let store = store(folder, Durability::Process);
            assert_sound(&store);
            let script = script(MAILS);
            for step in &script {
                // Asks of each that is there whether all of it is.
                if !matches!(step, Step::Settle(_)) {
                    step.whole(&store);
                }
            }
            for (index, step) in script.iter().enumerate() {
                let was = step.perform(&store);
                assert!(was || index >= said.len(), "{step:?} was acknowledged, and is not there");
            }
            assert!(script.iter().all(|step| step.whole(&store)));
            assert_eq!(everything(&store).len() as u64, entries(&script));
            assert_sound(&store);
        },
    );
}

/// How many chats are written where chats are written.
const CHATS: u64 = 5;

fn chat(folder: &Path) {
    let store = store(folder, Durability::Power);
    for (index, turn) in chat::turns(CHATS).into_iter().enumerate() {
        turn.perform(&store);
        say(&index.to_string());
    }
}

#[test]
fn killed_while_it_chats() {
    kill(
        "chat",
        |_| {},
        |folder, said| {
            let store = store(folder, Durability::Process);
            assert_sound(&store);
            let turns = chat::turns(CHATS);
            // Asks of each that is there whether all of it is.
            for turn in &turns {
                turn.whole(&store);
            }
            for (index, turn) in turns.iter().enumerate() {
                let was = turn.perform(&store);
                assert!(was || index >= said.len(), "{turn:?} was acknowledged, and is not there");
            }
            assert!(turns.iter().all(|turn| turn.whole(&store)));
            assert_eq!(everything(&store).len() as u64, CHATS * chat::ENTRIES);
            for number in 0..CHATS {
                let words = chat::words(number);
                let found = |word: &str| block_on(store.search(&owner(), word, 10)).unwrap().len();
                assert_eq!((found(&words.first), found(&words.edited)), (0, 1));
            }
            assert_sound(&store);
        },
    );
}

/// Imports all mails in batches.
fn import_all(store: &SqliteStore, mut each: impl FnMut(&[Appended])) {
    let mails: Vec<Append> = (0..(BATCH * BATCHES) as u64).map(|number| letter(number).append()).collect();
    for batch in mails.chunks(BATCH) {
        each(&block_on(store.append(&owner(), batch.to_vec())).unwrap());
    }
}

fn import(folder: &Path) {
    let store = store(folder, Durability::Power);
    import_all(&store, |_| say("batch"));
    block_on(store.index()).unwrap();
    say("index");
}

#[test]
fn killed_while_it_imports() {
    kill(
        "import",
        |_| {},
        |folder, said| {
            let store = store(folder, Durability::Process);
            assert_sound(&store);
            let acknowledged = said.iter().filter(|said| *said == "batch").count();
            let before = everything(&store).len();
            assert_eq!(before % BATCH, 0, "a batch is there in part");
            assert!(before >= acknowledged * BATCH);
            let mut fates = Vec::new();
            import_all(&store, |appended| fates.extend(appended.iter().map(|appended| appended.fate == Fate::Before)));
            let expected: Vec<bool> = (0..fates.len()).map(|index| index < before).collect();
            assert_eq!(fates, expected);
            for number in 0..(BATCH * BATCHES) as u64 {
                let letter = letter(number);
                let entry = letter.whole(&store).unwrap();
                assert_eq!(entry.id, EntryId::new(number));
                let word = letter.body.split(' ').next().unwrap();
                let hits = block_on(store.search(&owner(), word, 10)).unwrap();
                assert_eq!(hits.iter().map(|hit| hit.entry).collect::<Vec<_>>(), [entry.id]);
            }
            assert_eq!(everything(&store).len(), BATCH * BATCHES);
            assert_sound(&store);
        },
    );
}

/// The mails that are forgotten: of one correspondent, and of a thread.
const FORGOTTEN: [u64; 4] = [0, 1, 8, 9];

fn forget_both(store: &SqliteStore, mut each: impl FnMut(bool)) {
    let thread = block_on(store.thread_of(&owner(), EntryId::new(8))).unwrap().unwrap();
    let correspondent = Forget::Correspondent { address: "P0@x.example".to_owned(), whole_threads: false };
    for what in [correspondent, Forget::Thread(thread)] {
        each(block_on(store.forget(&owner(), &what, at(1_000))).unwrap().scrubbed);
    }
}

fn forget(folder: &Path) {
    let store = store(folder, Durability::Power);
    forget_both(&store, |_| say("forgotten"));
}

#[test]
fn killed_while_it_forgets() {
    let template = tempfile::tempdir().unwrap();
    let filled = store(template.path(), Durability::Process);
    let mails: Vec<Append> = (0..MAILS).map(|number| letter(number).append()).collect();
    block_on(filled.append(&owner(), mails)).unwrap();
    block_on(filled.index()).unwrap();
    drop(filled);
    let (mut words, mut erased, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..MAILS {
        let letter = letter(number);
        if FORGOTTEN.contains(&number) {
            words.extend(letter.body.split(' ').map(str::to_owned));
            words.extend(letter.files.iter().map(|(_, content)| String::from_utf8(content.clone()).unwrap()));
            words.push(letter.subject.rsplit_once(' ').unwrap().1.to_owned());
            erased.push(letter);
        } else {
            kept.push(letter);
        }
    }
    assert!(leftovers(template.path(), &words).len() >= words.len());
    let prepare = |folder: &Path| copy(template.path(), folder);
    kill("forget", prepare, |folder, said| {
        let store = store(folder, Durability::Process);
        assert_sound(&store);
        // Of what was to be forgotten, each is there as a whole or not at all, and all of one request alike.
        let there: Vec<bool> = erased.iter().map(|letter| letter.whole(&store).is_some()).collect();
        assert_eq!((there[0], there[2]), (there[1], there[3]));
        assert!(!there[0] || said.is_empty());
        assert!(!there[2] || said.len() < 2);
        forget_both(&store, |scrubbed| assert!(scrubbed));
        assert!(erased.iter().all(|letter| letter.whole(&store).is_none()));
        assert!(kept.iter().all(|letter| letter.whole(&store).is_some()));
        let erased = everything(&store).into_iter().filter(|logged| matches!(logged.entry.body, Body::Erased(_))).count();
        assert_eq!(erased, FORGOTTEN.len());
        assert_sound(&store);
        drop(store);
        assert_eq!(leftovers(folder, &words), []);
        assert_eq!(
            outside(folder).len(),
            2 * kept.iter().filter(|letter| letter.files.iter().any(|(name, _)| name.starts_with('l'))).count()
        );
    });
}

fn migrate(folder: &Path) {
    let store = SqliteStore::open(&database(folder), settings(Durability::Power)).unwrap();
    say("open");
    block_on(store.index()).unwrap();
    say("index");
}

#[test]
fn killed_while_it_migrates() {
    let template = tempfile::tempdir().unwrap();
    let newest = tempfile::tempdir().unwrap();
    let filled = store(newest.path(), Durability::Process);
    import_all(&filled, |_| {});
    let log = everything(&filled);
    drop(filled);
    sample::at_schema(template.path(), 1, newest.path());
    let prepare = |folder: &Path| copy(template.path(), folder);
    kill("migrate", prepare, |folder, _| {
        let store = SqliteStore::open(&database(folder), settings(Durability::Process)).unwrap();
        assert_sound(&store);
        assert_eq!(everything(&store), log);
        let word = letter(7).body.split(' ').next().unwrap().to_owned();
        assert_eq!(block_on(store.search(&owner(), &word, 10)).unwrap().len(), 1);
        assert_sound(&store);
    });
}

fn back_up(folder: &Path) {
    let store = store(folder, Durability::Power);
    store.backup(&folder.join("copy.db")).unwrap();
    say("copied");
}

#[test]
fn killed_while_it_backs_up() {
    let template = tempfile::tempdir().unwrap();
    let filled = store(template.path(), Durability::Process);
    import_all(&filled, |_| {});
    let log = everything(&filled);
    drop(filled);
    let prepare = |folder: &Path| copy(template.path(), folder);
    kill("back up", prepare, |folder, said| {
        let source = store(folder, Durability::Process);
        assert_sound(&source);
        let copied = folder.join("copy.db");
        // What is there under that name is whole.
        assert!(copied.exists() || said.is_empty());
        if !copied.exists() {
            source.backup(&copied).unwrap();
        }
        let copy = SqliteStore::open(&copied, settings(Durability::Process)).unwrap();
        assert_sound(&copy);
        assert_eq!(everything(&copy), log);
        assert!((0..(BATCH * BATCHES) as u64).all(|number| letter(number).whole(&copy).is_some()));
    });
}

/// Appends to the first thread, each time expecting the head that it read, until the time is over.
fn contend(folder: &Path) {
    let store = store(folder, Durability::Power);
    let thread = ThreadId::new(0);
    let me = std::process::id();
    let until = Instant::now() + Duration::from_secs(number_from("BRIEFING_SOAK_SECONDS", SOAK_SECONDS));
    let (mut won, mut lost) = (0_u32, 0_u32);
    while Instant::now() < until {
        let head = block_on(store.thread(&owner(), thread)).unwrap().unwrap().head;
        let message = ModelMessage::user(format!("{me} {won}"));
        let append = Append::message(message, Target::Thread(thread), Arrival::Live(Timestamp::now())).expecting(head);
        match block_on(store.append(&owner(), vec![append])) {
            Ok(_) => won += 1,
            Err(StoreError::Moved { thread: moved, expected, found }) => {
                assert_eq!((moved, expected), (thread, head));
                assert!(found > head);
                lost += 1;
            }
            // The other one was quicker for all the time that this one waits.
            Err(error) if error.is_transient() => {}
            Err(error) => panic!("{error}"),
        }
    }
    say(&format!("{me} {won} {lost}"));
}

/// How long two processes write at once.
const SOAK_SECONDS: u64 = 3;

/// Report B74: two that write one conversation at once lose messages or mix up their order.
/// <https://github.com/xiaoyu-work/claw-os/issues/19> · <https://github.com/nexu-io/open-design/issues/5490> ·
/// <https://github.com/OpenHands/software-agent-sdk/issues/3147>
#[test]
fn b74_two_processes_write_one_thread_at_once() {
    let folder = tempfile::tempdir().unwrap();
    block_on(store(folder.path(), Durability::Power).open_thread(&owner())).unwrap();
    let children = [(); 2].map(|()| child::start(&[], "contend", folder.path()));
    let mut won = BTreeMap::new();
    let mut losses = Vec::new();
    for child in children {
        let (said, _) = child.finish();
        let numbers: Vec<u32> = said[0].split(' ').map(|number| number.parse().unwrap()).collect();
        won.insert(numbers[0], numbers[1]);
        losses.push(numbers[2]);
    }
    eprintln!("b74: won {:?}, told that the thread had moved {losses:?}", won.values());
    assert!(won.values().all(|won| *won > 0));
    assert!(losses.iter().any(|lost| *lost > 0));

    let store = store(folder.path(), Durability::Power);
    assert_sound(&store);
    let log = everything(&store);
    let numbers: Vec<u64> = log.iter().map(|logged| logged.entry.id.get()).collect();
    assert_eq!(numbers, (0..log.len() as u64).collect::<Vec<_>>());
    // Of each process every message is there, once and in its order.
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    for logged in &log {
        let Body::Message(message) = &logged.entry.body else { panic!("{logged:?}") };
        let ModelMessage::User(user) = &message.said else { panic!("{message:?}") };
        let briefing::message::Part::Text(text) = &user.parts[0] else { panic!("{user:?}") };
        let (process, index) = text.text.split_once(' ').unwrap();
        let expected = next.entry(process.parse().unwrap()).or_default();
        assert_eq!(index.parse::<u32>().unwrap(), *expected);
        *expected += 1;
    }
    assert_eq!(next, won);
    // The thread stands in one order, which is that of time too.
    let mut back = chat::read(&store, ThreadId::new(0), Kind::Message.into());
    back.reverse();
    assert_eq!(back.len(), log.len());
    assert!(back.windows(2).all(|pair| pair[1].place() < pair[0].place()));
}
