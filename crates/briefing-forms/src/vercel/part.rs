//! Texts and files of both forms.

use std::sync::Arc;

use briefing::message::{Bytes, Media, MediaSource, Native, Part, Text};
use briefing::texts::file_line;
use briefing::{Wire, native_reads_as};
use briefing_json::{Kind, Path, Value, WriteJson, present};

use super::options;
use crate::change::{ReadChange, WriteChange};
use crate::item::Message;
use crate::opaque::stored;
use crate::reader::{Read, Reader, address, base64, str_of};
use crate::writer::Writer;

/// The media type of a picture of which no more is known.
pub(super) const SOME_PICTURE: &str = "image/*";

/// How ids in OpenAI's store begin where they stand for data.
const OPENAI_FILE: &str = "file-";

/// Reads a text part.
pub(super) fn text(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Text> {
    Ok(Text { text: words(part, at, reader)?, extra: options::extra(options::of(part), &[], at, reader) })
}

/// Reads a text part of the model's.
pub(super) fn said(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Text> {
    Ok(Text { text: words(part, at, reader)?, extra: options::of_text(options::of(part), at, reader) })
}

fn words(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<String> {
    reader.unknown(part, &known(&["type", "text", "state"]), at);
    reader.member_or_empty(part, "text", at)
}

/// The names and those of the options.
pub(super) fn known<'a>(names: &[&'a str]) -> Vec<&'a str> {
    names.iter().copied().chain(options::NAMES).collect()
}

/// Reads a part that is a file under one of the names; told and none where nothing can be read.
pub(super) fn file(part: Value<'_>, names: &[&str], at: &Path<'_>, reader: &mut Reader) -> Option<Part> {
    const NAMED: [&str; 9] = ["type", "mediaType", "mimeType", "contentType", "filename", "name", "image", "data", "url"];
    let typed = ["mediaType", "mimeType", "contentType"].iter().find_map(|key| str_of(part, key)).unwrap_or_default();
    let found = names.iter().find_map(|name| source(present(part, name)?));
    let Some((source, told)) = found else {
        reader.note(at, ReadChange::PartLeftOut { kind: str_of(part, "type").unwrap_or_else(|| "file".to_owned()) });
        return None;
    };
    let named_image = part.get("image").is_some();
    let known = known(&NAMED);
    reader.unknown(part, &known, at);
    let media_type: Arc<str> = match (typed.as_str(), told) {
        (SOME_PICTURE, told) | ("", told) => told,
        (typed, _) => typed.into(),
    };
    let image = named_image || typed == SOME_PICTURE || media_type.starts_with("image/");
    let filename = ["filename", "name"].iter().find_map(|key| str_of(part, key)).map(Arc::from);
    let media = Media { source, media_type, filename, extra: options::extra(options::of(part), &[], at, reader) };
    Some(if image { Part::Image(media) } else { Part::Document(media) })
}

/// Data or an address: a text, bytes as `Buffer` and `Uint8Array` are written as JSON.
fn source(value: Value<'_>) -> Option<(MediaSource, Arc<str>)> {
    let none = Arc::from("");
    match value.kind() {
        Kind::String => {
            let text = value.as_str()?;
            if text.starts_with(OPENAI_FILE) {
                return Some((stored(&text), none));
            }
            if text.contains(':') { address(&text) } else { Some((MediaSource::Data(base64(&text)), none)) }
        }
        Kind::Object if value.get("data").is_some() => source_bytes(value.get("data")?.items()).map(|data| (data, none)),
        Kind::Object if value.get("0").is_some() => {
            source_bytes(value.entries().map(|(_, byte)| byte)).map(|data| (data, none))
        }
        Kind::Array => source_bytes(value.items()).map(|data| (data, none)),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object => None,
    }
}

fn source_bytes<'d>(bytes: impl Iterator<Item = Value<'d>>) -> Option<MediaSource> {
    let bytes: Option<Vec<u8>> = bytes.map(|byte| byte.raw().parse().ok()).collect();
    Some(MediaSource::Data(Bytes::encode(&bytes?)))
}

/// The address or data as one text; none for a file in a store whose id the SDK does not take.
pub(super) fn reference(media: &Media, as_uri: bool) -> Option<String> {
    match &media.source {
        MediaSource::Data(bytes) if as_uri => Some(format!("data:{};base64,{}", media.media_type, bytes.as_base64())),
        MediaSource::Data(bytes) => Some(bytes.as_base64().to_owned()),
        MediaSource::Url(url) => Some(url.to_string()),
        MediaSource::File { wire: Wire::Gemini, id } => MediaSource::is_stored_at_gemini(id).then(|| id.to_string()),
        MediaSource::File { wire, id } => {
            let openai = wire.shares_files_with(Wire::OpenAiChat) && id.starts_with(OPENAI_FILE);
            (openai && !as_uri).then(|| id.to_string())
        }
    }
}

/// What stands for a file that has no place.
pub(super) fn as_text(kind: &str, media: &Media, out: &mut Writer) -> Text {
    let id = match &media.source {
        MediaSource::File { id, .. } => id.to_string(),
        MediaSource::Data(_) | MediaSource::Url(_) => String::new(),
    };
    let name = media.filename.clone().unwrap_or_else(|| Arc::from(id.as_str()));
    out.note(WriteChange::FileAsText { id });
    Text::new(file_line(kind, Some(&name), None))
}

/// What stands for a native block.
pub(super) fn native_text(native: &Native, out: &mut Writer) -> Text {
    out.note(WriteChange::NativeAsText { kind: native.kind.to_string() });
    Text::new(native_reads_as(native))
}

/// Writes a text part with its options under that name.
pub(super) fn write_text(text: &Text, name: &str, out: &mut Writer) {
    let options = options::kept(&text.extra, out);
    write_words(text, name, &options, out);
}

/// Writes a text part of the model's, of that message.
pub(super) fn write_said(text: &Text, message: Option<&Message>, name: &str, out: &mut Writer) {
    let options = options::kept_text(text, message, out);
    write_words(text, name, &options, out);
}

fn write_words(text: &Text, name: &str, options: &options::Options, out: &mut Writer) {
    out.block("text", |out| {
        out.field("text", &text.text);
        options::write(name, options, out);
    });
}

/// The provider's name in ids by provider.
pub(super) fn provider(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => "openai",
        Wire::Anthropic => "anthropic",
        Wire::Gemini => "google",
    }
}
