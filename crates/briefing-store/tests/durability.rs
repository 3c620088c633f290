//! A full disk, no right to write, a lock, files that are no database of ours, damage: each is told as what it is, and the
//! database opens whole.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "a test stops at the first surprise"
)]
#![cfg(unix)]

mod chat;
#[path = "support/child.rs"]
mod child;
#[path = "support/sample.rs"]
mod sample;

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use briefing::log::{AttachmentId, Entry, Kind, Kinds};
use briefing::message::{EntryId, ModelMessage, ThreadId};
use briefing::ports::{Back, Files};
use briefing_store::{
    Append, BlobFolder, BlobHash, Blobs, Durability, Fault, Forget, ForgetReport, KnownFile, Logged, OwnerStore, Settings,
    SqliteStore, Store, StoreError, Target, ThreadSummary,
};
use pollster::block_on;

use child::say;
use sample::{
    Random, assert_sound, at, copy, database, entries, everything, files, letter, outside, owner, script, settings, store,
};

/// The work of a child. In the parent, nothing.
#[test]
fn child() {
    let Some((role, folder)) = child::role() else { return };
    match role.as_str() {
        "fill a file" => {
            say("ready");
            fill(&folder, |error| matches!(error, StoreError::Io { .. }));
        }
        "fill a disk" => fill_disk(&folder),
        "read only" => read_only(&folder),
        "hold" => {
            let connection = rusqlite::Connection::open(database(&folder)).unwrap();
            connection.execute_batch("BEGIN IMMEDIATE").unwrap();
            say("ready");
            child::wait();
        }
        "go on" => {
            let store = store(&folder, Durability::Process);
            append(&store, 1).unwrap();
            say("ready");
            child::wait();
        }
        other => panic!("{other}"),
    }
}

fn append(store: &SqliteStore, number: u64) -> Result<(), StoreError> {
    block_on(store.append(&owner(), vec![letter(number).append()])).map(|_| ())
}

/// Compares by what is printed: an error of the system cannot be compared.
fn told<T>(result: Result<T, StoreError>) -> String {
    format!("{:?}", result.err().unwrap())
}

/// Appends until that fails, and looks at what is there: what was acknowledged, and nothing else.
fn fill(folder: &Path, expected: fn(&StoreError) -> bool) -> (SqliteStore, u64) {
    let store = store(folder, Durability::Power);
    let mut number = 0;
    let error = loop {
        match append(&store, number) {
            Ok(()) => number += 1,
            Err(error) => break error,
        }
    };
    assert!(number > 0 && expected(&error), "{number}: {error:?}");
    say(&number.to_string());
    for _ in 0..2 {
        assert!(expected(&append(&store, number).unwrap_err()));
    }
    assert_holds(&store, number);
    (store, number)
}

fn assert_holds(store: &SqliteStore, mails: u64) {
    assert!((0..mails).all(|number| letter(number).whole(store).is_some()));
    assert_eq!(everything(store).len() as u64, mails);
    assert_sound(store);
}

#[test]
fn a_file_that_may_not_grow() {
    let folder = tempfile::tempdir().unwrap();
    let limited = ["sh", "-c", "trap '' XFSZ; ulimit -f 1000; exec \"$0\" \"$@\""];
    let (said, _) = child::start(&limited, "fill a file", folder.path()).finish();
    let mails: u64 = said[0].parse().unwrap();
    let store = store(folder.path(), Durability::Process);
    assert_holds(&store, mails);
    append(&store, mails).unwrap();
    assert_holds(&store, mails + 1);
}

fn fill_disk(folder: &Path) {
    let ballast = folder.join("ballast");
    fs::write(&ballast, vec![1; 256 << 10]).unwrap();
    say("ready");
    let (store, mails) = fill(folder, |error| matches!(error, StoreError::Full));
    // What was too large for the room that was left may have left some.
    let rest = folder.join("rest");
    let mut file = fs::File::create(&rest).unwrap();
    while file.write_all(&[1; 4096]).is_ok() {}
    drop(file);
    // There is no room to write it anew. What the failed append left inside the log of writes is used again, so it must be much.
    assert_eq!(told(block_on(store.forget(&owner(), &Forget::Owner, at(0)))), "Full");
    assert_holds(&store, mails);
    fs::remove_file(rest).unwrap();
    fs::remove_file(ballast).unwrap();
    append(&store, mails).unwrap();
    assert_holds(&store, mails + 1);
    drop(store);
    assert_holds(&self::store(folder, Durability::Power), mails + 1);
    say("again");
}

#[test]
fn a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o size=3m tmpfs \"$BRIEFING_CHILD_FOLDER\" && exec \"$0\" \"$@\"";
    let alone = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"];
    let possible = Command::new(alone[0]).args(&alone[1..]).args(["mount -t tmpfs tmpfs /mnt"]).output();
    if !possible.is_ok_and(|output| output.status.success()) {
        eprintln!("no small disk can be made here: a file that may not grow, and contents without room, are tested alone");
        return;
    }
    let wrapper: Vec<&str> = alone.into_iter().chain([mount]).collect();
    let (said, _) = child::start(&wrapper, "fill a disk", folder.path()).finish();
    assert_eq!(said[1..], ["again"]);
}

/// A place without room.
struct NoRoom;

impl Blobs for NoRoom {
    fn put(&self, _: BlobHash, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn get(&self, _: BlobHash) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn delete(&self, _: BlobHash) -> io::Result<()> {
        Ok(())
    }

    fn sweep(&self) -> io::Result<Vec<BlobHash>> {
        Ok(Vec::new())
    }
}

#[test]
fn no_room_for_a_large_content() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { blobs: Some(Arc::new(NoRoom)), ..settings(Durability::Process) };
    let store = SqliteStore::create(&database(folder.path()), settings).unwrap();
    append(&store, 1).unwrap();
    let batch = vec![letter(2).append(), letter(4).append()];
    let error = block_on(store.append(&owner(), batch)).unwrap_err();
    assert_eq!((format!("{error:?}"), error.is_transient()), ("Full".to_owned(), false));
    assert!(letter(2).whole(&store).is_none());
    append(&store, 2).unwrap();
    assert_eq!(everything(&store).len(), 2);
    assert_sound(&store);
}

/// Runs what obeys the rights of files, as root does not of itself.
fn obeying() -> Vec<&'static str> {
    let user = Command::new("id").arg("-u").output().unwrap();
    let root = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
    if user.stdout == b"0\n" { root.to_vec() } else { Vec::new() }
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn read_only(folder: &Path) {
    say("ready");
    let open = |name: &str| SqliteStore::open(&database(&folder.join(name)), settings(Durability::Power));
    let store = open("file").unwrap();
    assert_eq!(told(append(&store, 7)), "ReadOnly");
    assert_holds(&store, 2);
    let word = letter(1).body.split(' ').next().unwrap().to_owned();
    assert_eq!(block_on(store.search(&owner(), &word, 9)).unwrap().len(), 1);
    assert_eq!(told(block_on(store.forget(&owner(), &Forget::Owner, at(0)))), "ReadOnly");

    // The log of writes lies beside the database.
    assert_eq!(told(open("folder")), "ReadOnly");
    let denied = "source: Os { code: 13, kind: PermissionDenied, message: \"Permission denied\" }";
    let new = folder.join("folder/new.db");
    assert_eq!(
        told(SqliteStore::create(&new, Settings::default())),
        format!("Io {{ what: \"{} cannot be made\", {denied} }}", new.display())
    );
    let cannot = "source: Custom { kind: Other, error: \"it may not be read, or its folder not be written to\" }";
    assert_eq!(
        told(open("hidden")),
        format!("Io {{ what: \"{} cannot be opened\", {cannot} }}", database(&folder.join("hidden")).display())
    );
    assert_eq!(told(open("old")), "ReadOnly");
    let store = open("contents").unwrap();
    assert_eq!(
        told(append(&store, 4)),
        // The raw mail is the first large content.
        format!("Io {{ what: \"the content {} cannot be written\", {denied} }}", BlobHash::of(&letter(4).raw()))
    );
    assert_holds(&store, 2);
}

#[test]
fn without_the_right_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["file", "folder", "hidden", "contents"] {
        fs::create_dir(at(name)).unwrap();
        let store = store(&at(name), Durability::Process);
        append(&store, 0).unwrap();
        append(&store, 1).unwrap();
        block_on(store.index()).unwrap();
    }
    fs::create_dir(at("old")).unwrap();
    sample::at_schema(&at("old"), 1, &at("file"));
    let contents = at("contents/briefing.db.blobs");
    let rights: Vec<(PathBuf, u32)> = vec![
        (database(&at("file")), 0o400),
        (at("folder"), 0o500),
        (database(&at("hidden")), 0),
        (database(&at("old")), 0o400),
        (contents.clone(), 0o500),
    ];
    rights.iter().for_each(|(path, mode)| allow(path, *mode));
    child::start(&obeying(), "read only", folder.path()).finish();
    rights.iter().for_each(|(path, _)| allow(path, 0o700));
}

#[test]
fn locked_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { patience: Duration::from_millis(50), ..settings(Durability::Process) };
    let store = SqliteStore::create(&database(folder.path()), settings.clone()).unwrap();
    append(&store, 0).unwrap();
    let holder = child::start(&[], "hold", folder.path());
    let error = append(&store, 1).unwrap_err();
    assert_eq!((format!("{error:?}"), error.is_transient()), ("Locked".to_owned(), true));
    assert_eq!(told(block_on(store.forget(&owner(), &Forget::Owner, at(0)))), "Locked");
    assert_holds(&store, 1);
    // Opening does not write.
    assert_holds(&SqliteStore::open(&database(folder.path()), settings).unwrap(), 1);
    holder.finish();
    append(&store, 1).unwrap();
    assert_holds(&store, 2);
}

fn altered(sql: &str) -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    append(&store(folder.path(), Durability::Process), 0).unwrap();
    let connection = rusqlite::Connection::open(database(folder.path())).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let bytes = fs::read(database(folder.path())).unwrap();
    (folder, bytes)
}

/// It is refused, whether to be opened or made, and not changed.
fn refused(path: &Path, expected: &str) {
    let before = fs::read(path).ok();
    for opened in [SqliteStore::open(path, Settings::default()), SqliteStore::create(path, Settings::default())] {
        assert_eq!(told(opened), expected);
        assert_eq!(fs::read(path).ok(), before);
    }
}

#[test]
fn what_is_not_ours_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let not_ours = |path: &Path| format!("NotOurs {{ path: {path:?} }}");

    fs::write(at("text"), "Dear Ann,\n".repeat(1_000)).unwrap();
    refused(&at("text"), &not_ours(&at("text")));

    rusqlite::Connection::open(at("foreign")).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    refused(&at("foreign"), &not_ours(&at("foreign")));

    fs::create_dir(at("folder")).unwrap();
    let folder_it_is = format!("Io {{ what: \"{} cannot be opened\", source: Kind(IsADirectory) }}", at("folder").display());
    refused(&at("folder"), &folder_it_is);

    fs::write(at("empty"), "").unwrap();
    assert_eq!(told(SqliteStore::open(&at("empty"), Settings::default())), not_ours(&at("empty")));
    assert_eq!(fs::read(at("empty")).unwrap(), b"");
    SqliteStore::create(&at("empty"), Settings::default()).unwrap();
    SqliteStore::open(&at("empty"), Settings::default()).unwrap();

    assert_eq!(told(SqliteStore::open(&at("none"), Settings::default())), format!("Missing {{ path: {:?} }}", at("none")));
    assert!(!at("none").exists());
    let nowhere = at("no/where");
    let expected = "source: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }";
    assert_eq!(
        told(SqliteStore::create(&nowhere, Settings::default())),
        format!("Io {{ what: \"{} cannot be made\", {expected} }}", nowhere.display())
    );
}

#[test]
fn another_schema_is_refused_and_not_changed() {
    let (folder, _) = altered("INSERT INTO migrations SELECT max(number) + 1, 'later', x'00' FROM migrations");
    let connection = rusqlite::Connection::open(database(folder.path())).unwrap();
    let found: u32 = connection.query_one("SELECT max(number) FROM migrations", [], |row| row.get(0)).unwrap();
    drop(connection);
    refused(&database(folder.path()), &format!("NewerSchema {{ found: {found}, known: {} }}", found - 1));

    let (folder, _) = altered("UPDATE migrations SET checksum = x'00' WHERE number = 1");
    refused(&database(folder.path()), "OtherMigration { number: 1 }");

    let (folder, _) = altered("DROP TABLE migrations");
    refused(&database(folder.path()), "Corrupt { detail: \"no such table: migrations\" }");
}

/// What a store answers, as far as a person reads it.
#[derive(Debug, PartialEq)]
struct Answers {
    log: Vec<Logged>,
    threads: Vec<ThreadSummary>,
    raw: Vec<Option<Arc<[u8]>>>,
    files: Vec<Option<Arc<[u8]>>>,
    shown: Vec<Vec<Arc<Entry>>>,
    texts: Vec<KnownFile>,
}

fn answers(store: &SqliteStore, mails: u64) -> Result<Answers, StoreError> {
    let log = block_on(store.log(&owner(), EntryId::new(0), usize::MAX))?;
    let threads = block_on(store.threads(&owner(), None, usize::MAX))?;
    let raw = log.iter().map(|logged| block_on(store.raw(&owner(), logged.entry.id))).collect::<Result<_, _>>()?;
    let ids: Vec<AttachmentId> = (0..mails).flat_map(|number| letter(number).new_mail().files).map(|(id, _)| id).collect();
    let files = ids.iter().map(|id| block_on(store.file(&owner(), id))).collect::<Result<_, _>>()?;
    let read = |(thread, kinds): (u64, Kinds)| {
        let thread = ThreadId::new(thread);
        let back = Back { thread, before: None, after: None, kinds, agent: Some("clerk"), count: usize::MAX };
        block_on(store.read_back(&owner(), back))
    };
    let dialog = Kinds::of(&[Kind::Message, Kind::ToolUse, Kind::System, Kind::Card]);
    let each = (0..threads.len() as u64).flat_map(|thread| [(thread, Kinds::ALL), (thread, dialog)]);
    let shown = each.map(read).collect::<Result<_, _>>()?;
    let ids: Vec<AttachmentId> = (0..CHATS).map(|number| AttachmentId::new(format!("small-{number}"))).collect();
    let texts = block_on(store.texts(&owner(), &ids))?;
    Ok(Answers { log, threads, raw, files, shown, texts })
}

/// How many mails the damaged databases hold.
const MAILS: u64 = 10;
const CHATS: u64 = 3;

fn template() -> (tempfile::TempDir, Answers) {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    let script = script(MAILS);
    script.iter().for_each(|step| assert!(!step.perform(&store)));
    for turn in chat::turns(CHATS) {
        turn.perform(&store);
    }
    block_on(store.index()).unwrap();
    assert_eq!(everything(&store).len() as u64, entries(&script) + CHATS * chat::ENTRIES);
    let answers = answers(&store, MAILS).unwrap();
    drop(store);
    (folder, answers)
}

fn is_told(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Corrupt { .. }
            | StoreError::NotOurs { .. }
            | StoreError::OtherMigration { .. }
            | StoreError::NewerSchema { .. }
            | StoreError::Blob { .. }
    )
}

/// Opens a damaged database: every answer is the right one, or an error says what is wrong, or `verify` does. Which of these.
fn examine(path: &Path, blobs: &Path, right: &Answers, what: &str) -> &'static str {
    let settings = Settings { blobs: Some(Arc::new(BlobFolder::new(blobs))), ..settings(Durability::Process) };
    let store = match SqliteStore::open(path, settings) {
        Ok(store) => store,
        Err(error) => {
            assert!(is_told(&error), "{what}: {error:?}");
            return "refused";
        }
    };
    let answers = answers(&store, MAILS);
    let verified = block_on(store.verify()).unwrap_or_else(|error| panic!("{what}: {error:?}"));
    let searched = block_on(store.search(&owner(), "Subject", 100)).map(|_| ());
    let appended = append(&store, MAILS);
    for (asked, error) in
        [("read", answers.as_ref().err()), ("search", searched.as_ref().err()), ("append", appended.as_ref().err())]
    {
        let Some(error) = error else { continue };
        assert!(is_told(error), "{what}: {asked}: {error:?}");
        assert!(!verified.faults.is_empty(), "{what}: verify does not find what {asked} does: {error:?}");
    }
    match answers {
        Ok(answers) if verified.faults.is_empty() => {
            assert_eq!(answers, *right, "{what}: altered, and nobody says so");
            "whole"
        }
        Ok(answers) if answers == *right => "found by verify alone",
        Ok(_) => "read otherwise, and found by verify",
        Err(_) => "told when it was read",
    }
}

/// Damages a database that many times, or by `BRIEFING_DAMAGES` another number of times.
fn damage(times: u64, how: impl Fn(&mut Random, &mut Vec<u8>) -> String) {
    let times = std::env::var("BRIEFING_DAMAGES").map_or(times, |text| text.parse().unwrap());
    let (template, right) = template();
    let whole = fs::read(database(template.path())).unwrap();
    let blobs = template.path().join("briefing.db.blobs");
    let folder = tempfile::tempdir().unwrap();
    let mut ends = std::collections::BTreeMap::<&str, u64>::new();
    for seed in 0..times {
        let mut bytes = whole.clone();
        let what = how(&mut Random::new(seed), &mut bytes);
        let path = folder.path().join(format!("{seed}.db"));
        fs::write(&path, bytes).unwrap();
        *ends.entry(examine(&path, &blobs, &right, &format!("seed {seed}, {what}"))).or_default() += 1;
        for file in files(folder.path()) {
            fs::remove_file(file).unwrap();
        }
    }
    eprintln!("of {} bytes: {ends:?}", whole.len());
}

const PAGE: usize = 4096;

fn index(random: &mut Random, end: usize) -> usize {
    usize::try_from(random.below(end as u64)).unwrap()
}

#[test]
fn bytes_that_are_altered() {
    damage(200, |random, bytes| {
        let page = index(random, bytes.len() / PAGE) * PAGE;
        let flips: Vec<usize> = (0..=random.below(8)).map(|_| page + index(random, PAGE)).collect();
        for flip in &flips {
            bytes[*flip] ^= u8::try_from(1 + random.below(255)).unwrap();
        }
        format!("bytes {flips:?}")
    });
}

#[test]
fn pages_that_are_lost() {
    damage(60, |random, bytes| {
        let (page, other) = (index(random, bytes.len() / PAGE) * PAGE, index(random, bytes.len() / PAGE) * PAGE);
        if random.one_in(2) {
            bytes[page..page + PAGE].fill(0);
        } else {
            bytes.copy_within(other..other + PAGE, page);
        }
        format!("page at {page}, perhaps from {other}")
    });
}

#[test]
fn a_file_that_was_cut_off() {
    damage(60, |random, bytes| {
        let length = if random.one_in(2) { index(random, bytes.len()) } else { index(random, bytes.len() / PAGE) * PAGE };
        bytes.truncate(length);
        format!("{length} bytes")
    });
}

#[test]
fn a_lost_log_of_writes_takes_the_last_of_them() {
    let folder = tempfile::tempdir().unwrap();
    append(&store(folder.path(), Durability::Process), 0).unwrap();
    child::start(&[], "go on", folder.path()).kill(Duration::ZERO);
    let lost = tempfile::tempdir().unwrap();
    copy(folder.path(), lost.path());
    fs::remove_file(lost.path().join("briefing.db-wal")).unwrap();
    fs::remove_file(lost.path().join("briefing.db-shm")).unwrap();
    assert_holds(&store(lost.path(), Durability::Process), 1);
    assert_holds(&store(folder.path(), Durability::Process), 2);
}

#[test]
fn contents_outside_that_are_lost_or_altered() {
    type Damage = fn(&Path);
    type Found = fn(String) -> Fault;
    let damages: [(Damage, Found); 3] = [
        (|path| fs::remove_file(path).unwrap(), |hash| Fault::BlobMissing { hash }),
        (|path| fs::write(path, fs::read(path).unwrap().to_ascii_uppercase()).unwrap(), |hash| Fault::BlobAltered { hash }),
        (|path| fs::write(path, &fs::read(path).unwrap()[1..]).unwrap(), |hash| Fault::BlobAltered { hash }),
    ];
    for (damage, fault) in damages {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(store(folder.path(), Durability::Process));
        append(&store, 4).unwrap();
        let (id, content) = letter(4).new_mail().files.remove(0);
        let hash = BlobHash::of(&content).to_string();
        let path = folder.path().join("briefing.db.blobs").join(&hash[..2]).join(&hash);
        damage(&path);
        assert_eq!(told(block_on(store.file(&owner(), &id))), format!("Blob {{ hash: {hash:?} }}"));
        let port = OwnerStore::new(store.clone(), owner());
        assert_eq!(block_on(Files::file(&port, &id)).unwrap(), None);
        assert_eq!(block_on(store.verify()).unwrap().faults, [fault(hash.clone())]);
        assert_eq!(told(store.backup(&folder.path().join("copy.db"))), format!("Blob {{ hash: {hash:?} }}"));
        assert!(!folder.path().join("copy.db").exists() && !folder.path().join("copy.db.half").exists());
        // It is mended when the same content comes again.
        let again = sample::Letter { id: "again@x.example".to_owned(), ..letter(4) };
        block_on(store.append(&owner(), vec![again.append()])).unwrap();
        assert_eq!(block_on(store.file(&owner(), &id)).unwrap().as_deref(), Some(content.as_slice()));
        assert!(letter(4).whole(&store).is_some() && again.whole(&store).is_some());
        assert_sound(&store);
    }
}

#[test]
fn a_copy_is_private_and_never_over_something() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    append(&store, 0).unwrap();
    append(&store, 4).unwrap();
    let copied = folder.path().join("copy.db");
    store.backup(&copied).unwrap();
    for file in files(folder.path()) {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0, "{}", file.display());
    }
    let why = "Custom { kind: AlreadyExists, error: \"something is there already\" }";
    let there = format!("Io {{ what: \"{} cannot be written\", source: {why} }}", copied.display());
    assert_eq!(told(store.backup(&copied)), there);
    // A folder of contents that is nobody's.
    fs::remove_file(&copied).unwrap();
    assert_eq!(told(store.backup(&copied)), there);
    assert_eq!(outside(folder.path()).len(), 4);
    let report = block_on(store.forget(&owner(), &Forget::Owner, at(0))).unwrap();
    assert!(matches!(report, ForgetReport { scrubbed: true, blobs: 5, .. }), "{report:?}");
    let text = ModelMessage::user("still here");
    let append = Append::message(text, Target::Referred, briefing::log::Arrival::Live(at(1)));
    block_on(store.append(&owner(), vec![append])).unwrap();
    assert_sound(&store);
}

#[test]
fn what_a_failed_write_put_outside_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    append(&store, 4).unwrap();
    let kept = outside(folder.path());
    let unexpected = letter(0).append().expecting(Some(EntryId::new(99)));
    assert!(told(block_on(store.append(&owner(), vec![letter(8).append(), unexpected]))).starts_with("Moved"));
    assert_eq!(outside(folder.path()), kept);
    // What was there before stays, whoever else wanted it.
    let unexpected = letter(4).append().key(briefing_store::Key::new("again")).expecting(Some(EntryId::new(99)));
    assert!(told(block_on(store.append(&owner(), vec![unexpected]))).starts_with("Moved"));
    assert_eq!(outside(folder.path()), kept);
    assert_sound(&store);
}

#[test]
fn a_path_is_a_path_whatever_it_looks_like() {
    let folder = tempfile::tempdir().unwrap();
    let here = std::env::current_dir().unwrap();
    // A relative path reaches SQLite as it is typed only where it is made absolute first.
    let relative: PathBuf = here.components().skip(1).map(|_| "..").collect();
    for name in [":memory:", "file:x.db", "file:x.db?mode=memory", "a?b#c%41 d.db"] {
        let path = relative.join(folder.path().strip_prefix("/").unwrap()).join(name);
        drop(SqliteStore::create(&path, settings(Durability::Process)).unwrap());
        assert!(fs::metadata(folder.path().join(name)).unwrap().len() > 0, "{name}");
        SqliteStore::open(&path, settings(Durability::Process)).unwrap();
    }
}
