//! What could be read out of files: kept by content, and gone with it.

use briefing::log::{Attachment, AttachmentId};
use briefing::ports::FileText;
use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use serde_json::Value;

use super::ids::OwnerKey;
use super::rows;
use crate::{BlobHash, KeptText, KnownFile, StoreError};

/// The first content of an attachment of that id.
const CONTENT: &str = "SELECT content FROM attachments WHERE id = ?1 AND entry BETWEEN ?2 AND ?3 AND content IS NOT NULL
                       ORDER BY entry, position LIMIT 1";

/// Those of the files that are known, in one read.
pub(super) fn find(connection: &Connection, owner: OwnerKey, ids: &[AttachmentId]) -> Result<Vec<KnownFile>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = Value::from(ids.iter().map(AttachmentId::as_str).collect::<Vec<_>>()).to_string();
    let mut statement = connection.prepare_cached(
        "SELECT file.id, file.filename, file.media_type, file.size, file.inline, texts.version, texts.text, texts.partial
         FROM json_each(?1) AS asked
         JOIN attachments AS file ON file.id = asked.value AND (file.entry, file.position) =
             (SELECT entry, position FROM attachments WHERE id = asked.value AND entry BETWEEN ?2 AND ?3
              ORDER BY entry, position LIMIT 1)
         LEFT JOIN texts ON texts.blob =
             (SELECT content FROM attachments WHERE id = asked.value AND entry BETWEEN ?2 AND ?3 AND content IS NOT NULL
              ORDER BY entry, position LIMIT 1)
         ORDER BY asked.key",
    )?;
    let found = statement.query_map((ids, owner.first(), owner.last()), known)?;
    Ok(found.collect::<Result<_, _>>()?)
}

fn known(row: &Row<'_>) -> Result<KnownFile, rusqlite::Error> {
    let file = Attachment {
        id: AttachmentId::new(row.get_ref(0)?.as_str()?),
        filename: row.get(1)?,
        media_type: row.get(2)?,
        size: row.get::<_, Option<i64>>(3)?.map(i64::cast_unsigned),
        inline: row.get(4)?,
    };
    let Some(version) = row.get(5)? else { return Ok(KnownFile { file, text: None }) };
    let partial: Option<bool> = row.get(7)?;
    let text = row.get_ref(6)?.as_str_or_null()?;
    let text = text.map(|text| FileText { text: text.into(), partial: partial.unwrap_or_default() });
    Ok(KnownFile { file, text: Some(KeptText { version, text }) })
}

/// Keeps the text of a file whose content is kept.
pub(super) fn keep(tx: &Transaction<'_>, owner: OwnerKey, id: &AttachmentId, text: &KeptText) -> Result<(), StoreError> {
    let blob: Option<i64> =
        tx.prepare_cached(CONTENT)?.query_one((id.as_str(), owner.first(), owner.last()), |row| row.get(0)).optional()?;
    let Some(blob) = blob else { return Ok(()) };
    let read = text.text.as_ref();
    let (words, partial) = (read.map(|read| &*read.text), read.is_some_and(|read| read.partial));
    tx.prepare_cached("INSERT OR REPLACE INTO texts (blob, version, text, partial, hash) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute((blob, text.version, words, partial, hash(text.version, words, partial)))?;
    Ok(())
}

fn hash(version: u32, text: Option<&str>, partial: bool) -> [u8; 32] {
    rows::hash(rows::TEXT, &[Some(&version.to_le_bytes()), text.map(str::as_bytes), Some(&[u8::from(partial)])])
}

/// The contents whose texts are not what was kept.
pub(super) fn altered(connection: &Connection) -> Result<Vec<BlobHash>, StoreError> {
    let mut statement = connection
        .prepare("SELECT blobs.hash, version, text, partial, texts.hash FROM texts JOIN blobs USING (blob) ORDER BY blob")?;
    let mut rows = statement.query([])?;
    let mut altered = Vec::new();
    while let Some(row) = rows.next()? {
        let text = row.get_ref(2)?.as_str_or_null().map_err(rusqlite::Error::from);
        let kept = match (row.get(1), text, row.get(3)) {
            (Ok(version), Ok(text), Ok(partial)) => Some(hash(version, text, partial)),
            _ => None,
        };
        if row.get::<_, [u8; 32]>(4).ok() != kept || kept.is_none() {
            altered.push(BlobHash::new(row.get(0)?));
        }
    }
    Ok(altered)
}
