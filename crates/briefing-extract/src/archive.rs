//! ZIP archives, whose directories say of them what they like.

use std::io::{self, Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::{ExtractError, Limits};

pub(crate) type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// What an archive holds, by the names of its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Docx,
    Xlsx,
    Xlsb,
    Ods,
    Other,
}

/// The archive, if it has not too many entries.
pub(crate) fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Archive<'a>, ExtractError> {
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(fault)?;
    if archive.len() > limits.entries {
        return Err(ExtractError::TooManyEntries { entries: archive.len(), most: limits.entries });
    }
    Ok(archive)
}

pub(crate) fn holds(archive: &mut Archive<'_>) -> Holds {
    let has = |begin: &str, end: &str| name(archive, begin, end).is_some();
    if has("word/document", ".xml") {
        Holds::Docx
    } else if has("xl/workbook", ".xml") {
        Holds::Xlsx
    } else if has("xl/workbook", ".bin") {
        Holds::Xlsb
    } else if has("content.xml", "") && is_spreadsheet(archive) {
        Holds::Ods
    } else {
        Holds::Other
    }
}

/// The first name of an entry that begins and ends so.
pub(crate) fn name(archive: &Archive<'_>, begin: &str, end: &str) -> Option<String> {
    let mut names = archive.file_names().flatten();
    names.find(|name| name.starts_with(begin) && name.ends_with(end)).map(|name| name.into_owned())
}

fn is_spreadsheet(archive: &mut Archive<'_>) -> bool {
    const KIND: &str = "application/vnd.oasis.opendocument.spreadsheet";
    let mut kind = String::new();
    let read = archive.by_name("mimetype").map(|entry| entry.take(100).read_to_string(&mut kind));
    matches!(read, Ok(Ok(_))) && kind.trim() == KIND
}

/// Unpacks every entry into nothing, to see that together they have no more than `most` bytes. What cannot be unpacked is for
/// its reader to find.
pub(crate) fn measure(archive: &mut Archive<'_>, most: usize) -> Result<(), ExtractError> {
    let mut left = u64::try_from(most).unwrap_or(u64::MAX);
    for index in 0..archive.len() {
        let Ok(entry) = archive.by_index(index) else { continue };
        let mut counted = Counted { inner: entry.take(left.saturating_add(1)), bytes: 0 };
        // An error counts what came before it.
        let _ = io::copy(&mut counted, &mut io::sink());
        left = left.checked_sub(counted.bytes).ok_or(ExtractError::UnpacksTooLarge { most })?;
    }
    Ok(())
}

/// Counts what is read.
pub(crate) struct Counted<R> {
    pub(crate) inner: R,
    pub(crate) bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf)?;
        self.bytes = self.bytes.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        Ok(read)
    }
}

pub(crate) fn fault(error: ZipError) -> ExtractError {
    match error {
        ZipError::InvalidPassword | ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => ExtractError::Encrypted,
        other => ExtractError::broken(other),
    }
}
