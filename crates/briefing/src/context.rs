//! What a resolver may read: one run's subject, its persona, and ports for this owner alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use crate::log::{Body, Entry, Mail, Message};
use crate::message::{ModelMessage, ThreadId};
use crate::persona::Persona;
use crate::ports::{Files, History, Records};

/// Read-only; made once for a run.
#[derive(Clone)]
pub struct Context {
    persona: Arc<Persona>,
    subject: Subject,
    now: Timestamp,
    config: Arc<serde_json::Value>,
    correlation_id: Option<Arc<str>>,
    root: PathBuf,
    history: Arc<dyn History>,
    files: Arc<dyn Files>,
    records: Option<Arc<dyn Records>>,
}

/// What a run is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// A mail, or a message of a chat, is answered.
    Message(Inbound),
    /// Scheduled work is done; no message came in.
    Responsibility(Responsibility),
}

/// The mail or the message being answered, and the thread it stands in.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbound {
    entry: Arc<Entry>,
    thread: ThreadId,
}

impl Inbound {
    /// That entry in that thread; none if it is neither a mail nor what a user said in a chat.
    #[must_use]
    pub fn new(entry: Arc<Entry>, thread: ThreadId) -> Option<Self> {
        let answered = match &entry.body {
            Body::Mail(_) => true,
            Body::Message(message) => matches!(message.said, ModelMessage::User(_)),
            Body::Round(_)
            | Body::Outcome(_)
            | Body::Card(_)
            | Body::Notice(_)
            | Body::Reset(_)
            | Body::Edit(_)
            | Body::Popped(_)
            | Body::Erased(_)
            | Body::Unreadable => false,
        };
        answered.then_some(Self { entry, thread })
    }

    /// The entry.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The mail, if it is one.
    #[must_use]
    pub fn mail(&self) -> Option<&Mail> {
        self.entry.mail().map(|mail| &**mail)
    }

    /// The message of a chat, if it is one.
    #[must_use]
    pub fn message(&self) -> Option<&Message> {
        self.entry.message().map(|message| &**message)
    }

    /// The thread.
    #[must_use]
    pub fn thread(&self) -> ThreadId {
        self.thread
    }
}

/// Scheduled work of a persona.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Responsibility {
    /// Its name.
    pub name: String,
    /// What is to be done.
    pub instructions: String,
}

impl Context {
    /// The context of a run. The ports must be those of the persona's owner.
    #[must_use]
    pub fn new(
        persona: Arc<Persona>,
        subject: Subject,
        now: Timestamp,
        history: Arc<dyn History>,
        files: Arc<dyn Files>,
    ) -> Self {
        let config = Arc::new(serde_json::Value::Null);
        let root = PathBuf::from(".");
        Self { persona, subject, now, config, correlation_id: None, root, history, files, records: None }
    }

    /// The same with the application's configuration.
    #[must_use]
    pub fn with_config(mut self, config: serde_json::Value) -> Self {
        self.config = Arc::new(config);
        self
    }

    /// The same with an id that logs of several systems share.
    #[must_use]
    pub fn with_correlation_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.correlation_id = Some(id.into());
        self
    }

    /// The same with the folder that relative files are looked up in; without it, the current folder.
    #[must_use]
    pub fn with_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = root.into();
        self
    }

    /// The same with what reads records; without it, a resolver that queries them fails the run.
    #[must_use]
    pub fn with_records(mut self, records: Arc<dyn Records>) -> Self {
        self.records = Some(records);
        self
    }

    /// Whose run it is.
    #[must_use]
    pub fn persona(&self) -> &Persona {
        &self.persona
    }

    /// The application's configuration; null if none was given.
    #[must_use]
    pub fn config(&self) -> &serde_json::Value {
        &self.config
    }

    /// The id that logs of several systems share.
    #[must_use]
    pub fn correlation_id(&self) -> Option<&str> {
        self.correlation_id.as_deref()
    }

    /// The mail or the message being answered: in reply runs only.
    #[must_use]
    pub fn message(&self) -> Option<&Inbound> {
        match &self.subject {
            Subject::Message(message) => Some(message),
            Subject::Responsibility(_) => None,
        }
    }

    /// The scheduled work: in scheduled runs only.
    #[must_use]
    pub fn responsibility(&self) -> Option<&Responsibility> {
        match &self.subject {
            Subject::Message(_) => None,
            Subject::Responsibility(responsibility) => Some(responsibility),
        }
    }

    /// When the run began; given, never read from a clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The folder that relative files are looked up in.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads threads of this owner.
    #[must_use]
    pub fn history(&self) -> &dyn History {
        &*self.history
    }

    /// Reads stored files of this owner.
    #[must_use]
    pub fn files(&self) -> &dyn Files {
        &*self.files
    }

    /// Reads records; none if the run was given nothing that does.
    #[must_use]
    pub fn records(&self) -> Option<&dyn Records> {
        self.records.as_deref()
    }
}
