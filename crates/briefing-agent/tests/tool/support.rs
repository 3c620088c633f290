//! A store with one owner and a context of a call in it.

use std::path::Path;
use std::sync::Arc;

use briefing::message::{OwnerId, Part, RawJson, RunId, ThreadId};
use briefing_agent::tool::OwnerLog;
use briefing_agent::{Effect, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};
use briefing_store::{Settings, SqliteStore, Store};
use jiff::Timestamp;
use serde_json::{Map, Value};

pub(crate) struct Desk {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) thread: ThreadId,
}

impl Desk {
    pub(crate) async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::create(&folder.path().join("briefing.db"), Settings::default()).unwrap();
        let store: Arc<dyn Store> = Arc::new(store);
        let thread = store.open_thread(&OwnerId::default()).await.unwrap();
        Self { store, folder, thread }
    }

    pub(crate) fn cx(&self) -> ToolContext {
        ToolContext {
            persona: "desk@shop.example".into(),
            agent: "Desk".into(),
            thread: self.thread,
            run: RunId::new("run-1"),
            key: "key-1".into(),
            now: Timestamp::UNIX_EPOCH,
            receipt: None,
            log: self.log(OwnerId::default()),
        }
    }

    pub(crate) fn log(&self, owner: OwnerId) -> OwnerLog {
        OwnerLog::new(Arc::clone(&self.store), owner)
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

pub(crate) async fn run(tool: &dyn Tool, input: Value, cx: &ToolContext) -> Result<ToolOutput, ToolFailure> {
    tool.run(&object(input), cx).await
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("an object is wanted") };
    map
}

pub(crate) fn text(output: &ToolOutput) -> String {
    let texts: Vec<&str> = output.parts.iter().filter_map(Part::as_text).collect();
    texts.join("\n")
}

pub(crate) fn spec(name: &str, schema: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("What {name} does.").into(),
        schema: RawJson::new(schema).unwrap(),
        effect: Effect::Writes,
        confirm: false,
        timeout: None,
    }
}

/// Waits until the process that wrote its number into the file is gone, or is a zombie.
pub(crate) async fn gone(file: &Path) {
    let number = read_when_there(file).await;
    let stat = format!("/proc/{}/stat", number.trim());
    for _ in 0..1_000 {
        let state = std::fs::read_to_string(&stat);
        let zombie = state.as_ref().is_ok_and(|stat| stat.rsplit_once(')').unwrap().1.trim_start().starts_with('Z'));
        if state.is_err() || zombie {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("process {number} still runs");
}

/// The content of a file, once something stands in it.
pub(crate) async fn read_when_there(file: &Path) -> String {
    for _ in 0..1_000 {
        match std::fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    }
    panic!("nothing was written to {}", file.display());
}
