//! Reading the parts of a message that is not the model's, and of what came out of a call.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Media, MediaSource, Part, SystemPart};
use briefing_json::{Kind, Path, Value, present};

use crate::parse::{Read, Reader, address};

/// A part of a user message or of an outcome; none if it nests too deep to be kept.
pub(super) fn part(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Part>> {
    let kind = reader.kind(part, at)?;
    let file = match kind.as_str() {
        "text" => return Ok(Some(Part::Text(reader.text_block(part, at)?))),
        "input_image" | "image_url" if present(part, "file_id").is_none() && !is_written(part) => {
            reader.image_url(part, at).map(Part::Image)
        }
        "input_image" => image(part, at, reader).map(Part::Image),
        "input_file" => file(part, at, reader).map(Part::Document),
        _ => None,
    };
    Ok(file.or_else(|| reader.native(part, &kind, at).map(Part::Native)))
}

/// A part of a system message.
pub(super) fn system(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<SystemPart>> {
    let kind = reader.kind(part, at)?;
    if kind == "text" {
        return Ok(Some(SystemPart::Text(reader.text_block(part, at)?)));
    }
    Ok(reader.native(part, &kind, at).map(SystemPart::Native))
}

/// Whether a picture is written as this wire writes one.
fn is_written(part: Value<'_>) -> bool {
    let address = present(part, "image_url").is_none_or(|url| url.kind() == Kind::String);
    address && part.get("type").is_some_and(|kind| kind.as_str().as_deref() == Some("input_image"))
}

fn image(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    let (url, id) = (text(part, "image_url")?, text(part, "file_id")?);
    let (source, media_type) = match (url, id) {
        (Some(url), None) => address(&url)?,
        (None, Some(id)) => (stored(id), Arc::from("")),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let extra = reader.extra(part, &["type", "image_url", "file_id"], None, at);
    Some(Media { source, media_type, filename: None, extra })
}

fn file(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    const SOURCES: [&str; 4] = ["type", "file_data", "file_url", "file_id"];
    let (source, media_type) = match (text(part, "file_data")?, text(part, "file_url")?, text(part, "file_id")?) {
        (Some(data), None, None) => address(&data).filter(|(source, _)| matches!(source, MediaSource::Data(_)))?,
        (None, Some(url), None) if !url.starts_with("data:") => (MediaSource::Url(url.into()), Arc::from("")),
        (None, None, Some(id)) => (stored(id), Arc::from("")),
        _ => return None,
    };
    // A name beside an address is refused, so it stays an unknown field there.
    let filename = match &source {
        MediaSource::Data(_) => text(part, "filename")?.map(Arc::from),
        MediaSource::Url(_) | MediaSource::File { .. } => None,
    };
    let mut known = SOURCES.to_vec();
    known.extend(filename.is_some().then_some("filename"));
    let extra = reader.extra(part, &known, None, at);
    Some(Media { source, media_type, filename, extra })
}

/// The member as text, if it is there; none if it is of another kind.
fn text(part: Value<'_>, key: &str) -> Option<Option<String>> {
    match present(part, key) {
        None => Some(None),
        Some(value) if value.kind() == Kind::String => Some(value.as_str().map(|text| text.into_owned())),
        Some(_) => None,
    }
}

fn stored(id: String) -> MediaSource {
    MediaSource::File { wire: Wire::OpenAiResponses, id: id.into() }
}
