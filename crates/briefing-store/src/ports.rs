//! A store as the core reads it: for one owner.

use std::error::Error;
use std::sync::Arc;

use briefing::log::{Attachment, AttachmentId, Entry, Notice, Place, RecordedRound};
use briefing::message::{EntryId, OwnerId, ThreadId};
use briefing::ports::{Back, FileText, Files, History, PortError, PortFuture};

use crate::{KeptText, KnownFile, Moment, Store, StoreError, StoreFuture};

/// Reads the text out of files that have none yet.
pub trait ReadText: Send + Sync {
    /// Its version: a text that an older one read is read anew.
    fn version(&self) -> u32;

    /// The text of the file, or none if there is none to be had. Works where it is polled, and may take as long as its limits let
    /// it.
    ///
    /// # Errors
    /// If it could not be tried now; nothing is kept then, and it is tried again when the file is read again.
    fn read(&self, file: &Attachment, content: &[u8]) -> Result<Option<FileText>, Box<dyn Error + Send + Sync>>;
}

/// What one owner has in a store, for a [`briefing::Context`]. Cheap to clone.
#[derive(Clone)]
pub struct OwnerStore {
    store: Arc<dyn Store>,
    owner: OwnerId,
    reader: Option<Arc<dyn ReadText>>,
    moment: Moment,
}

impl OwnerStore {
    /// Reads for that owner alone. Texts of files are those that were kept before.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, owner: OwnerId) -> Self {
        Self { store, owner, reader: None, moment: Moment::Now }
    }

    /// The same; a file whose text was never read is read when a view asks for it, and its text is kept by the hash of its content.
    #[must_use]
    pub fn with_reader(mut self, reader: Arc<dyn ReadText>) -> Self {
        self.reader = Some(reader);
        self
    }

    /// The same, reading the log as it was when `head` was the owner's next entry; see [`Moment::Before`]. Files and their texts are
    /// read as they are now.
    #[must_use]
    pub fn as_of(mut self, head: EntryId) -> Self {
        self.moment = Moment::Before(head);
        self
    }

    /// The owner.
    #[must_use]
    pub fn owner(&self) -> &OwnerId {
        &self.owner
    }

    /// The text of a file, read if it was not read before.
    async fn text(&self, known: KnownFile) -> Option<FileText> {
        let Some(reader) = &self.reader else { return known.text.and_then(|kept| kept.text) };
        if let Some(kept) = known.text.filter(|kept| kept.version >= reader.version()) {
            return kept.text;
        }
        let id = &known.file.id;
        // A file that cannot be had now has no text now; it stops nothing else.
        let Ok(Some(content)) = self.store.file(&self.owner, id).await else { return None };
        let Ok(text) = reader.read(&known.file, &content) else { return None };
        let kept = KeptText { version: reader.version(), text: text.clone() };
        // Who cannot keep it reads it again another time.
        let _ = self.store.keep_text(&self.owner, id, kept).await;
        text
    }
}

fn port<'a, T: 'a>(what: &'static str, read: StoreFuture<'a, T>) -> PortFuture<'a, T> {
    Box::pin(async move { read.await.map_err(|error| PortError { what, source: Box::new(error) }) })
}

impl History for OwnerStore {
    fn back<'a>(&'a self, back: Back<'a>) -> PortFuture<'a, Vec<Arc<Entry>>> {
        port("history", self.store.read_back_as_of(&self.owner, self.moment, back))
    }

    fn open_cards(&self, thread: ThreadId, before: Option<Place>, count: usize) -> PortFuture<'_, Vec<Arc<Entry>>> {
        port("cards", self.store.open_cards_as_of(&self.owner, self.moment, thread, before, count))
    }

    fn notices<'a>(&'a self, cards: &'a [EntryId]) -> PortFuture<'a, Vec<Arc<Notice>>> {
        port("cards", self.store.notices_as_of(&self.owner, self.moment, cards))
    }

    fn rounds<'a>(&'a self, persona: &'a str, entries: &'a [EntryId]) -> PortFuture<'a, Vec<RecordedRound>> {
        port("tool use", self.store.rounds_as_of(&self.owner, self.moment, persona, entries))
    }

    fn entry(&self, entry: EntryId) -> PortFuture<'_, Option<Arc<Entry>>> {
        port("entry", self.store.entry_as_of(&self.owner, self.moment, entry))
    }
}

impl Files for OwnerStore {
    /// A file whose bytes are lost or altered is absent, as the port says; [`Store::file`] tells the difference.
    fn file<'a>(&'a self, id: &'a AttachmentId) -> PortFuture<'a, Option<Arc<[u8]>>> {
        port(
            "file",
            Box::pin(async move {
                match self.store.file(&self.owner, id).await {
                    Err(StoreError::Blob { .. }) => Ok(None),
                    other => other,
                }
            }),
        )
    }

    fn texts<'a>(&'a self, ids: &'a [AttachmentId]) -> PortFuture<'a, Vec<(AttachmentId, FileText)>> {
        port(
            "text of a file",
            Box::pin(async move {
                let mut texts = Vec::new();
                for known in self.store.texts(&self.owner, ids).await? {
                    let id = known.file.id.clone();
                    texts.extend(self.text(known).await.map(|text| (id, text)));
                }
                Ok(texts)
            }),
        )
    }
}
