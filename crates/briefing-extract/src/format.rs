//! What kind of file it is.

use serde::{Deserialize, Serialize};

/// How far into a file its kind is looked for, in bytes.
const SNIFFED: usize = 4096;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// As it stands: plain text, Markdown, JSON, XML, source code.
    Text,
    /// A row a line, whatever parts the values: CSV, TSV.
    Csv,
    /// HTML: what a browser would show.
    Html,
    /// PDF: the text of its pages, none of its pictures.
    Pdf,
    /// Word's DOCX.
    Docx,
    /// A workbook: XLSX, XLSM, XLSB, XLS, ODS. The values of all worksheets, hidden ones too, each behind a line
    /// `[sheet: NAME]`.
    Sheet,
    /// A picture that a model can be shown: PNG, JPEG, GIF, WebP. Its text is empty.
    Picture,
}

/// What the first bytes say.
enum Magic {
    Pdf,
    Picture,
    Zip,
    /// A compound file: old Office files, and new ones that are encrypted.
    Compound,
    /// Something that looks like text.
    Text,
    /// Something else.
    Other,
}

impl Format {
    /// How to read a file of this name and media type which begins so; none if no text can be had from it.
    ///
    /// The content decides first, then the media type, then the extension of the name: any of them may be foreign, missing
    /// (empty) or false. Of `beginning`, 4 KiB suffice and no more is looked at.
    #[must_use]
    pub fn of(filename: Option<&str>, media_type: &str, beginning: &[u8]) -> Option<Self> {
        let head = beginning.get(..SNIFFED).unwrap_or(beginning);
        let named = || by_media_type(media_type).or_else(|| by_extension(filename?));
        match magic(head) {
            Magic::Pdf => Some(Self::Pdf),
            Magic::Picture => Some(Self::Picture),
            Magic::Zip => by_entries(head).or_else(|| named().filter(|named| matches!(named, Self::Docx | Self::Sheet))),
            Magic::Compound => named().filter(|named| matches!(named, Self::Docx | Self::Sheet)),
            Magic::Text => of_text(filename, media_type, head),
            Magic::Other => None,
        }
    }
}

/// Text that calls itself a picture, a sound or the like is none to read.
fn of_text(filename: Option<&str>, media_type: &str, head: &[u8]) -> Option<Format> {
    let essence = essence(media_type);
    let generic = matches!(essence.as_str(), "" | "text/plain" | "application/octet-stream");
    if matches!(essence.split_once('/'), Some(("image" | "audio" | "video" | "font" | "message" | "multipart", _))) {
        return None;
    }
    let by_name = by_media_type(media_type).filter(|_| !generic).or_else(|| by_extension(filename?));
    match by_name {
        Some(Format::Html) => Some(Format::Html),
        Some(Format::Csv) => Some(Format::Csv),
        // "Workbooks" that are HTML or CSV within are common.
        _ if begins_as_html(head) && essence != "text/plain" => Some(Format::Html),
        Some(Format::Text | Format::Pdf | Format::Docx | Format::Sheet | Format::Picture) | None => Some(Format::Text),
    }
}

fn magic(head: &[u8]) -> Magic {
    // A PDF may begin behind up to 1 KiB of something else (ISO 32000-1, annex H.3.4.1).
    let pdf = head.get(..1024).unwrap_or(head);
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', ..] | [0xff, 0xd8, 0xff, ..] => Magic::Picture,
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Magic::Picture,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Magic::Picture,
        [b'P', b'K', 3, 4, ..] => Magic::Zip,
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => Magic::Compound,
        _ if find(pdf, b"%PDF-") => Magic::Pdf,
        _ if head.starts_with(b"{\\rtf") || head.starts_with(b"%!PS") => Magic::Other,
        _ if is_text(head) => Magic::Text,
        _ => Magic::Other,
    }
}

/// Nothing that a text has not, unless a mark at the beginning says that it is UTF-16.
fn is_text(head: &[u8]) -> bool {
    let utf_16 = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    utf_16 || !head.iter().any(|&byte| matches!(byte, 0..=6 | 14..=26 | 28..=31 | 127))
}

fn by_entries(head: &[u8]) -> Option<Format> {
    if find(head, b"word/document") {
        Some(Format::Docx)
    } else if find(head, b"xl/workbook") || find(head, b"application/vnd.oasis.opendocument.spreadsheet") {
        Some(Format::Sheet)
    } else {
        None
    }
}

fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn by_media_type(media_type: &str) -> Option<Format> {
    let essence = essence(media_type);
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Some(Format::Html),
        "text/csv" | "text/tab-separated-values" | "application/csv" => Some(Format::Csv),
        "application/pdf" => Some(Format::Pdf),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        | "application/vnd.ms-word.document.macroenabled.12" => Some(Format::Docx),
        "application/vnd.ms-excel"
        | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        | "application/vnd.ms-excel.sheet.macroenabled.12"
        | "application/vnd.ms-excel.sheet.binary.macroenabled.12"
        | "application/vnd.oasis.opendocument.spreadsheet" => Some(Format::Sheet),
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => Some(Format::Picture),
        "application/json" | "application/xml" | "application/yaml" | "application/toml" => Some(Format::Text),
        _ if essence.starts_with("text/") || essence.ends_with("+json") || essence.ends_with("+xml") => Some(Format::Text),
        _ => None,
    }
}

fn by_extension(filename: &str) -> Option<Format> {
    let (_, extension) = filename.rsplit_once('.')?;
    match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" | "xhtml" => Some(Format::Html),
        "csv" | "tsv" | "tab" => Some(Format::Csv),
        "pdf" => Some(Format::Pdf),
        "docx" | "docm" => Some(Format::Docx),
        "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Some(Format::Sheet),
        "png" | "jpg" | "jpeg" | "gif" | "webp" => Some(Format::Picture),
        "txt" | "md" | "json" | "xml" | "yaml" | "yml" | "toml" | "log" => Some(Format::Text),
        _ => None,
    }
}

fn begins_as_html(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let starts = |with: &[u8]| head.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with));
    starts(b"<!doctype html") || starts(b"<html") || starts(b"<table")
}

/// Whether the one holds the other.
pub(crate) fn find(hay: &[u8], needle: &[u8]) -> bool {
    hay.windows(needle.len()).any(|window| window == needle)
}
