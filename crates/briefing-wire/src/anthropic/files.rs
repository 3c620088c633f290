//! Reading pictures and documents. What is not written in one of the known forms stays a native block.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Media, MediaSource};
use briefing_json::Value;

use crate::parse::{Path, Reader, base64};

pub(super) fn image(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    let (source, media_type) = source(block)?;
    Some(Media { source, media_type, filename: None, extra: reader.extra(block, &["type", "source"], None, at) })
}

pub(super) fn document(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    let (source, media_type) = source(block)?;
    let title = block.get("title").and_then(Value::as_str).map(|title| Arc::from(title.as_ref()));
    let known: &[&str] = if title.is_some() { &["type", "source", "title"] } else { &["type", "source"] };
    Some(Media { source, media_type, filename: title, extra: reader.extra(block, known, None, at) })
}

fn source(block: Value<'_>) -> Option<(MediaSource, Arc<str>)> {
    let source = block.get("source")?;
    let text = |key: &str| source.get(key)?.as_str();
    let (kind, keys) = (text("type")?, source.entries().count());
    let none: Arc<str> = Arc::from("");
    Some(match (kind.as_ref(), keys) {
        ("base64", 3) => (MediaSource::Data(base64(&text("data")?)), Arc::from(text("media_type")?.as_ref())),
        ("url", 2) => (MediaSource::Url(Arc::from(text("url")?.as_ref())), none),
        ("file", 2) => (MediaSource::File { wire: Wire::Anthropic, id: Arc::from(text("file_id")?.as_ref()) }, none),
        _ => return None,
    })
}
