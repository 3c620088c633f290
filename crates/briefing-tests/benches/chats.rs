//! The swarm and the chat view out of SQLite: fifty messages out of a thousand entries, and out of a million.
//!
//! The databases are made once and kept in `target/bench-store`; with `--test` only small ones are.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs, reason = "a test stops at the first surprise")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::log::{Arrival, Message};
use briefing::message::{ModelMessage, OwnerId, ToolCall};
use briefing::view::{HistoryView, Reading};
use briefing::{Bounds, Call, fit_contributions};
use briefing_store::{Append, Durability, OwnerStore, Settings, SqliteStore, Store, Target};
use briefing_wire::Render;
use criterion::{Criterion, criterion_group, criterion_main};
use jiff::Timestamp;

/// What a thread is made of.
#[derive(Clone, Copy)]
enum Shape {
    /// What users and one agent say.
    Dense,
    /// The same; of a thousand entries nine hundred and ninety-eight are tool use of another agent.
    Sparse,
}

/// How many entries are appended at once.
const BATCH: u64 = 5_000;
const NAME: &str = "chat";

fn message(shape: Shape, number: u64) -> Message {
    let text = || format!("{number} {}", "word ".repeat(80));
    let (every, agent) = match shape {
        Shape::Dense => (1, "sales"),
        Shape::Sparse => (500, "triage"),
    };
    let id = || format!("call_{}", number / 2);
    match (number.is_multiple_of(every), (number / every).is_multiple_of(2)) {
        (true, true) => Message::from(ModelMessage::user(text())).by("sales"),
        (true, false) => Message::from(ModelMessage::assistant(text())).by("sales"),
        (false, _) if number.is_multiple_of(2) => {
            Message::from(ModelMessage::calls([ToolCall::new(id(), "lookup", r#"{"number":7}"#)])).by(agent)
        }
        (false, _) => Message::from(ModelMessage::outcome(id(), "An outcome of a tool, in a few words. ".repeat(8))).by(agent),
    }
}

fn settings() -> Settings {
    Settings { durability: Durability::Process, ..Settings::default() }
}

fn database(shape: Shape, entries: u64) -> PathBuf {
    let name = match shape {
        Shape::Dense => "chat-dense",
        Shape::Sparse => "chat-sparse",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-store");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}-{entries}.db"));
    if !path.exists() {
        let half = folder.join(format!("{name}-{entries}.half"));
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.join(format!("{name}-{entries}.half{suffix}")));
        }
        eprintln!("making {}", path.display());
        let store = SqliteStore::create(&half, settings()).unwrap();
        pollster::block_on(fill(&store, shape, entries));
        drop(store);
        std::fs::rename(&half, &path).unwrap();
    }
    path
}

async fn fill(store: &SqliteStore, shape: Shape, entries: u64) {
    let owner = OwnerId::default();
    let thread = store.named_thread(&owner, NAME).await.unwrap();
    for first in (0..entries).step_by(usize::try_from(BATCH).unwrap()) {
        let batch = (first..entries.min(first + BATCH)).map(|number| {
            let live = Arrival::Live(Timestamp::from_second(1_600_000_000 + number.cast_signed()).unwrap());
            Append::message(message(shape, number), Target::Thread(thread), live)
        });
        store.append(&owner, batch.collect()).await.unwrap();
    }
}

fn views(c: &mut Criterion) {
    let testing = std::env::args().any(|arg| arg == "--test");
    // Sparse is two in a thousand: a window of 50 takes 25,000 entries.
    let threads: &[(&str, Shape, u64)] = if testing {
        &[("dense", Shape::Dense, 1_000), ("sparse", Shape::Sparse, 10_000)]
    } else {
        &[
            ("dense", Shape::Dense, 1_000),
            ("dense", Shape::Dense, 1_000_000),
            ("sparse", Shape::Sparse, 60_000),
            ("sparse", Shape::Sparse, 1_000_000),
        ]
    };
    let call = Call::model("gpt-5", None);
    let views = [("swarm", HistoryView::swarm("sales").messages(50)), ("chat", HistoryView::chat().chars(50 * 410))];
    for &(name, shape, entries) in threads {
        // A database is made only if it is asked for.
        if std::env::var("BRIEFING_BENCH_MOST").is_ok_and(|most| most.parse().is_ok_and(|most: u64| entries > most)) {
            continue;
        }
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&database(shape, entries), settings()).unwrap());
        let owner = OwnerId::default();
        let thread = pollster::block_on(store.named_thread(&owner, NAME)).unwrap();
        let reader = OwnerStore::new(Arc::clone(&store), owner);
        let reading =
            Reading { history: &reader, files: &reader, thread, before: None, address: "sales@x.example", agent: "sales" };
        for (view_name, view) in &views {
            let mut group = c.benchmark_group(format!("{view_name} view of 50 out of SQLite"));
            group.bench_function(format!("{name}, {entries} entries"), |b| {
                b.iter(|| pollster::block_on(view.tell(black_box(reading))).unwrap());
            });
            group.bench_function(format!("{name}, {entries} entries: view, fit, seal and render"), |b| {
                b.iter(|| {
                    let told = pollster::block_on(view.tell(black_box(reading))).unwrap();
                    fit_contributions([told], &call, &Bounds::none()).unwrap().render().unwrap()
                });
            });
            group.finish();
        }
    }
}

criterion_group!(benches, views);
criterion_main!(benches);
