//! Pictures and documents: reading them, and writing where they lie. What is not written in one of the known forms stays a
//! native block.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Media, MediaSource};
use briefing_json::{Path, Value, WriteJson};

use crate::parse::{Nest, Reader, base64};
use crate::raw::text_of;
use crate::write::{Fields, Writer};

pub(super) fn image(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    media(block, None, &["type", "source"], at, reader)
}

pub(super) fn document(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    let title = block.get("title").and_then(Value::as_str).map(|title| Arc::from(title.as_ref()));
    let known: &[&str] = if title.is_some() { &["type", "source", "title"] } else { &["type", "source"] };
    media(block, title, known, at, reader)
}

fn media(block: Value<'_>, filename: Option<Arc<str>>, known: &[&str], at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    let inner = block.get("source")?;
    let text = |key: &str| inner.get(key)?.as_str();
    let none: Arc<str> = Arc::from("");
    let (source, media_type) = match text("type")?.as_ref() {
        "base64" => (MediaSource::Data(base64(&text("data")?)), Arc::from(text("media_type")?.as_ref())),
        "url" => (MediaSource::Url(Arc::from(text("url")?.as_ref())), none),
        "file" => (MediaSource::File { wire: Wire::Anthropic, id: Arc::from(text("file_id")?.as_ref()) }, none),
        _ => return None,
    };
    let nest = Nest { name: "source", inner, known: fields(&source) };
    let extra = reader.extra(block, known, Some(nest), at);
    Some(Media { source, media_type, filename, extra })
}

/// What a document says that is written out in its block.
pub(super) fn written(block: Value<'_>) -> Option<String> {
    let source = block.get("source")?;
    match source.get("type")?.as_str()?.as_ref() {
        "text" => source.get("data")?.as_str().map(|text| text.into_owned()),
        "content" => {
            let content = source.get("content")?;
            let texts: Vec<String> = content.items().filter_map(|part| text_of(part, "text")).collect();
            content.as_str().map(|text| text.into_owned()).or_else(|| (!texts.is_empty()).then(|| texts.join("\n\n")))
        }
        _ => None,
    }
}

fn fields(source: &MediaSource) -> &'static [&'static str] {
    match source {
        MediaSource::Data(_) => &["type", "media_type", "data"],
        MediaSource::Url(_) => &["type", "url"],
        MediaSource::File { .. } => &["type", "file_id"],
    }
}

/// Writes the source of a file.
pub(super) fn write(out: &mut Writer, media: &Media, extra: Fields<'_>) {
    out.inner("source", |out| {
        match &media.source {
            MediaSource::Data(bytes) => {
                out.field("type", "base64");
                out.field("media_type", &media.media_type);
                out.field("data", bytes.as_base64());
            }
            MediaSource::Url(url) => {
                out.field("type", "url");
                out.field("url", url);
            }
            MediaSource::File { id, .. } => {
                out.field("type", "file");
                out.field("file_id", id);
            }
        }
        out.nested_extra(extra, "source", fields(&media.source));
    });
}
