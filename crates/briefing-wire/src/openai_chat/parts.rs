//! Reading the parts of a message's content.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{CallId, Extra, Input, Item, Media, MediaSource, Native, Part, SystemPart, ToolCall};
use briefing_json::{Path, Value, present};

use crate::parse::{Nest, Read, Reader, address};

/// A part of a user or tool message; none if it nests too deep to be kept.
pub(super) fn part(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Part>> {
    let kind = reader.kind(part, at)?;
    let file = match kind.as_str() {
        "text" => return Ok(Some(Part::Text(reader.text_block(part, at)?))),
        "image_url" => reader.image_url(part, at).map(Part::Image),
        "file" => file(part, at, reader).map(Part::Document),
        "document_url" => document_url(part, at, reader).map(Part::Document),
        _ => None,
    };
    Ok(file.or_else(|| native(part, &kind, at, reader).map(Part::Native)))
}

/// A part of a system message.
pub(super) fn system(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<SystemPart>> {
    let kind = reader.kind(part, at)?;
    if kind == "text" {
        return Ok(Some(SystemPart::Text(reader.text_block(part, at)?)));
    }
    Ok(native(part, &kind, at, reader).map(SystemPart::Native))
}

/// A part of an assistant message. Some clients keep Anthropic's `tool_use` there (report B47).
pub(super) fn item(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Item>> {
    let kind = reader.kind(part, at)?;
    Ok(match kind.as_str() {
        "text" => Some(Item::Text(reader.text_block(part, at)?)),
        "tool_use" => {
            let input = present(part, "input").map_or_else(|| Input::new(""), |input| reader.input(input, &at.key("input")));
            let id = CallId::new(reader.member_or_empty(part, "id", at)?);
            let name = reader.member_or_empty(part, "name", at)?;
            Some(Item::Call(ToolCall { id, name, input, extra: Extra::default() }))
        }
        _ => native(part, &kind, at, reader).map(Item::Native),
    })
}

/// A native block, or a field that is one. A refusal reads as what it says.
pub(super) fn native(value: Value<'_>, kind: &str, at: &Path<'_>, reader: &mut Reader) -> Option<Native> {
    let mut native = reader.native(value, kind, at)?;
    if kind == "refusal" {
        let text = value.as_str().or_else(|| value.get("refusal")?.as_str());
        native.reads_as = text.map(|text| text.into_owned());
    }
    Some(native)
}

fn file(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    let file = present(part, "file")?;
    let data = present(file, "file_data").map(|data| data.as_str());
    let id = present(file, "file_id").map(|id| id.as_str());
    let (source, media_type) = match (data, id) {
        (Some(data), None) => address(&data?).filter(|(source, _)| matches!(source, MediaSource::Data(_)))?,
        (None, Some(id)) => (MediaSource::File { wire: Wire::OpenAiChat, id: Arc::from(id?.as_ref()) }, Arc::from("")),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let filename = match present(file, "filename") {
        Some(name) => Some(Arc::from(name.as_str()?.as_ref())),
        None => None,
    };
    let nest = Nest { name: "file", inner: file, known: &["file_data", "file_id", "filename"] };
    let extra = reader.extra(part, &["type", "file"], Some(nest), at);
    Some(Media { source, media_type, filename, extra })
}

fn document_url(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    let (source, media_type) = address(&present(part, "document_url")?.as_str()?)?;
    let filename = part.get("document_name").and_then(Value::as_str).map(|name| Arc::from(name.as_ref()));
    let known: &[&str] =
        if filename.is_some() { &["type", "document_url", "document_name"] } else { &["type", "document_url"] };
    Some(Media { source, media_type, filename, extra: reader.extra(part, known, None, at) })
}
