//! Files among the content: LangChain's standard blocks, those of its older versions, and the providers' own.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Bytes, Media, MediaSource};
use briefing_json::{Kind, Path, Value, present};

use super::block::extra;
use crate::opaque::stored;
use crate::reader::{Reader, address, base64, str_of};

/// A file, and whether it is a picture; none if the block holds none that can be read.
pub(super) fn file(block: Value<'_>, kind: &str, at: &Path<'_>, reader: &mut Reader) -> Option<(bool, Media)> {
    let (found, known): (Found, &[&str]) = match kind {
        "image_url" => (url(block)?, &["type", "image_url", "index", "id"]),
        "file" if block.get("file").is_some() => (openai_file(block)?, &["type", "file", "index", "id"]),
        "image" | "document" if block.get("source").is_some() => {
            (anthropic(block)?, &["type", "source", "title", "index", "id"])
        }
        "media" => (media(block)?, &["type", "data", "file_uri", "mime_type", "filename", "index", "id"]),
        "image" | "file" | "audio" | "video" | "text-plain" => (standard(block, kind)?, &STANDARD),
        _ => return None,
    };
    let image = matches!(kind, "image" | "image_url") || found.media_type.starts_with("image/");
    let extra = extra(block, known, at, reader);
    Some((image, Media { source: found.source, media_type: found.media_type, filename: found.filename, extra }))
}

struct Found {
    source: MediaSource,
    media_type: Arc<str>,
    filename: Option<Arc<str>>,
}

const STANDARD: [&str; 16] = [
    "type",
    "base64",
    "url",
    "file_id",
    "mime_type",
    "extras",
    "metadata",
    "filename",
    "source_type",
    "data",
    "index",
    "id",
    "title",
    "context",
    "text",
    "image_url",
];

fn url(block: Value<'_>) -> Option<Found> {
    let image = present(block, "image_url")?;
    let url = image.as_str().map(|url| url.into_owned()).or_else(|| str_of(image, "url"))?;
    let (source, media_type) = address(&url)?;
    Some(Found { source, media_type, filename: None })
}

fn openai_file(block: Value<'_>) -> Option<Found> {
    let file = present(block, "file")?;
    let filename = str_of(file, "filename").map(Arc::from);
    let (source, media_type) = match (str_of(file, "file_data"), str_of(file, "file_id")) {
        (Some(data), None) => address(&data).filter(|(source, _)| matches!(source, MediaSource::Data(_)))?,
        (None, Some(id)) => (stored(&id), Arc::from("")),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    Some(Found { source, media_type, filename })
}

/// A file as Google's package takes it.
fn media(block: Value<'_>) -> Option<Found> {
    let media_type = Arc::from(str_of(block, "mime_type").unwrap_or_default());
    let source = match (str_of(block, "data"), str_of(block, "file_uri")) {
        (Some(data), _) => MediaSource::Data(base64(&data)),
        (None, Some(uri)) => address(&uri)?.0,
        (None, None) => return None,
    };
    Some(Found { source, media_type, filename: str_of(block, "filename").map(Arc::from) })
}

fn anthropic(block: Value<'_>) -> Option<Found> {
    let source = present(block, "source")?;
    let media_type = Arc::from(str_of(source, "media_type").unwrap_or_default());
    let source = match str_of(source, "type")?.as_str() {
        "base64" => MediaSource::Data(base64(&str_of(source, "data")?)),
        "url" => MediaSource::Url(str_of(source, "url")?.into()),
        "file" => MediaSource::File { wire: Wire::Anthropic, id: str_of(source, "file_id")?.into() },
        _ => return None,
    };
    Some(Found { source, media_type, filename: str_of(block, "title").map(Arc::from) })
}

/// `base64`, `url` or `file_id`; in versions before 1, `source_type` with `data`, `url` or `id`.
fn standard(block: Value<'_>, kind: &str) -> Option<Found> {
    let data = str_of(block, "base64").or_else(|| str_of(block, "data"));
    let typed = str_of(block, "mime_type").unwrap_or_default();
    let old = str_of(block, "source_type");
    let id = str_of(block, "file_id").or_else(|| str_of(block, "id").filter(|_| old.as_deref() == Some("id")));
    let plain = str_of(block, "text").or_else(|| data.clone().filter(|_| old.as_deref() == Some("text")));
    let mut media_type: Arc<str> = if typed.is_empty() && kind == "text-plain" { "text/plain".into() } else { typed.into() };
    let source = match (plain, data, str_of(block, "url"), id) {
        (Some(text), ..) => MediaSource::Data(Bytes::encode(text.as_bytes())),
        (None, Some(data), ..) => MediaSource::Data(base64(&data)),
        (None, None, Some(url), _) => {
            let (source, told) = address(&url)?;
            if media_type.is_empty() {
                media_type = told;
            }
            source
        }
        (None, None, None, Some(id)) => stored(&id),
        (None, None, None, None) => return None,
    };
    Some(Found { source, media_type, filename: filename(block) })
}

/// The file's name, which LangChain looks for in three places.
fn filename(block: Value<'_>) -> Option<Arc<str>> {
    let inside =
        |key| present(block, key).filter(|value| value.kind() == Kind::Object).and_then(|value| str_of(value, "filename"));
    str_of(block, "filename").or_else(|| inside("extras")).or_else(|| inside("metadata")).map(Arc::from)
}
