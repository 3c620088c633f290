//! Contents: of attachments, and mails as they came.

use std::sync::Arc;

use briefing::log::AttachmentId;
use rusqlite::{Connection, OptionalExtension, Row};

use super::ids::OwnerKey;
use crate::StoreError;
use crate::blobs::{BlobHash, Blobs};

/// A content's row.
pub(super) struct Content {
    hash: BlobHash,
    data: Option<Vec<u8>>,
}

/// Reads a content's hash and data, from that column on.
pub(super) fn content_of(row: &Row<'_>, first: usize) -> Result<Content, rusqlite::Error> {
    Ok(Content { hash: BlobHash::new(row.get(first)?), data: row.get(first + 1)? })
}

fn content(connection: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Option<Content>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_one(params, |row| content_of(row, 0)).optional()?)
}

/// The content of the first attachment of that id which has one.
pub(super) fn of_attachment(
    connection: &Connection,
    owner: OwnerKey,
    id: &AttachmentId,
) -> Result<Option<Content>, StoreError> {
    content(
        connection,
        "SELECT blobs.hash, blobs.data FROM attachments JOIN blobs ON blobs.blob = attachments.content
         WHERE attachments.id = ?1 AND attachments.entry BETWEEN ?2 AND ?3 ORDER BY attachments.entry LIMIT 1",
        (id.as_str(), owner.first(), owner.last()),
    )
}

/// A mail as it came.
pub(super) fn raw(connection: &Connection, entry: i64) -> Result<Option<Content>, StoreError> {
    content(
        connection,
        "SELECT blobs.hash, blobs.data FROM mails JOIN blobs ON blobs.blob = mails.raw WHERE mails.entry = ?1",
        [entry],
    )
}

impl Content {
    /// Its bytes: they are what the hash says, or none at all.
    pub(super) fn bytes(self, blobs: &dyn Blobs) -> Result<Arc<[u8]>, StoreError> {
        let hash = self.hash;
        let bytes = match self.data {
            Some(data) => Some(data),
            None => blobs
                .get(hash)
                .map_err(|source| StoreError::Io { what: format!("the content {hash} cannot be read"), source })?,
        };
        let whole = bytes.filter(|bytes| BlobHash::of(bytes) == hash);
        whole.map(Arc::from).ok_or_else(|| StoreError::Blob { hash: hash.to_string() })
    }
}
