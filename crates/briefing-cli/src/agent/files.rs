//! Files that go with a message.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use briefing::log::{Attachment, AttachmentId};

use crate::error::{Failure, Kind};
use crate::output::name_of;

/// The most bytes of one file.
const MOST: u64 = 64 << 20;

/// Files with their contents.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) contents: Vec<(AttachmentId, Vec<u8>)>,
}

impl Files {
    /// Reads them.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut files = Self::default();
        for (at, path) in paths.iter().enumerate() {
            let content = content(path)?;
            let now = jiff::Timestamp::now().as_microsecond();
            let hash = blake3::hash(&content).to_hex();
            // Two messages may carry the same file: each has its own.
            let id = AttachmentId::new(format!("{}-{now:x}-{at}", hash.get(..16).unwrap_or_default()));
            files.attachments.push(Attachment {
                id: id.clone(),
                filename: path.file_name().map(|name| name.to_string_lossy().into_owned()),
                media_type: media_type(path, &content).to_owned(),
                size: u64::try_from(content.len()).ok(),
                inline: false,
            });
            files.contents.push((id, content));
        }
        Ok(files)
    }
}

fn content(path: &Path) -> Result<Vec<u8>, Failure> {
    let name = name_of(path);
    let unreadable = |error: std::io::Error| Failure::unreadable(&name, &error);
    let meta = std::fs::metadata(path).map_err(unreadable)?;
    if !meta.is_file() {
        return Err(Failure::new(Kind::Data, format!("{name} is no file")).hint("name a file; a pipe or a device has no end"));
    }
    let too_large =
        || Failure::new(Kind::Data, format!("{name} is larger than {MOST} bytes")).hint("send the part that matters");
    if meta.len() > MOST {
        return Err(too_large());
    }
    let mut content = Vec::new();
    // What grows meanwhile, or does not say its size, is bounded too.
    File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut content)).map_err(unreadable)?;
    if content.len() as u64 > MOST { Err(too_large()) } else { Ok(content) }
}

/// What it is, by its beginning, else by its name.
fn media_type(path: &Path, content: &[u8]) -> &'static str {
    let begins = |magic: &[u8]| content.starts_with(magic);
    if begins(b"\x89PNG\r\n\x1a\n") {
        return "image/png";
    }
    if begins(b"\xff\xd8\xff") {
        return "image/jpeg";
    }
    if begins(b"GIF8") {
        return "image/gif";
    }
    if begins(b"RIFF") && content.get(8..12) == Some(b"WEBP") {
        return "image/webp";
    }
    if begins(b"%PDF-") {
        return "application/pdf";
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        "md" => "text/markdown",
        _ if std::str::from_utf8(content).is_ok() => "text/plain",
        _ => "application/octet-stream",
    }
}
