//! Files in blocks that only their provider understands: what they are is told by the block itself, whatever its maker calls it.

use std::ops::Range;

use briefing_json::{Document, Kind, Value};

use crate::message::Native;
use crate::wire::Wire;

/// What a file in a native block is to the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NativeKind {
    /// A picture.
    Image,
    /// A PDF.
    Document,
    /// A recording of sound.
    Audio,
    /// A film.
    Video,
    /// Anything else: the model reads it as text.
    Text,
}

impl NativeKind {
    /// As which a provider reads a file of that type.
    fn of(media_type: &str) -> Self {
        let media_type = media_type.trim().to_ascii_lowercase();
        match media_type.split(['/', ';']).next() {
            Some("image") => Self::Image,
            Some("audio") => Self::Audio,
            Some("video") => Self::Video,
            _ if media_type.split(';').next().is_some_and(|essence| essence.trim() == "application/pdf") => Self::Document,
            _ => Self::Text,
        }
    }
}

/// A file in a native block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NativeFile {
    pub(crate) kind: NativeKind,
    /// Its data, where that is in the block; else the block says where it lies.
    pub(crate) data: Option<NativeData>,
}

/// The data of a file in a native block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NativeData {
    /// Where it stands in the block.
    pub(crate) span: Range<usize>,
    /// How many bytes it has in Base64.
    pub(crate) encoded: usize,
    /// What it reads as, if the file is text.
    pub(crate) text: Option<String>,
}

/// The file in a block, if there is one in a form that is known. Only what is Base64 is data; anything else is read as it stands.
pub(crate) fn file_in(native: &Native) -> Option<NativeFile> {
    match native.wire {
        Wire::Gemini => gemini(Document::parse(native.raw.as_str()).ok()?.root()),
        Wire::OpenAiChat | Wire::OpenAiResponses => openai(Document::parse(native.raw.as_str()).ok()?.root()),
        // Files in forms that Briefing does not know are not sent there.
        Wire::Anthropic => None,
    }
}

fn gemini(part: Value<'_>) -> Option<NativeFile> {
    let media_type = |of: Value<'_>| Some(member(of, ["mimeType", "mime_type"])?.as_str()?.into_owned());
    if let Some(inline) = member(part, ["inlineData", "inline_data"]) {
        let data = inline.get("data")?;
        return with_data(&media_type(inline)?, data, &data.as_str()?);
    }
    let file = member(part, ["fileData", "file_data"])?;
    member(file, ["fileUri", "file_uri"])?.as_str()?;
    let media_type = media_type(file).unwrap_or_default();
    Some(NativeFile { kind: NativeKind::of(&media_type), data: None })
}

fn openai(part: Value<'_>) -> Option<NativeFile> {
    let form = part.get("type")?.as_str()?;
    let (media_type, named) = match &*form {
        "input_audio" => ("audio/*", "data"),
        "audio_url" => ("audio/*", "url"),
        "video_url" => ("video/*", "url"),
        _ => return None,
    };
    // Mistral takes the data itself, or where it lies.
    let given = part.get(&form)?;
    let given = if given.kind() == Kind::Object { given.get(named)? } else { given };
    let data = || with_data(media_type, given, &given.as_str()?);
    by_address(media_type, given).or_else(|| if named == "data" { data() } else { None })
}

/// A file where it lies, or in a `data:` address itself.
fn by_address(media_type: &str, address: Value<'_>) -> Option<NativeFile> {
    let text = address.as_str()?;
    if let Some(inside) = text.strip_prefix("data:") {
        let (about, data) = inside.split_once(',')?;
        return with_data(about.strip_suffix(";base64")?, address, data);
    }
    let lies = ["https://", "http://", "gs://", "s3://", "file://"].into_iter().any(|scheme| text.starts_with(scheme));
    lies.then(|| NativeFile { kind: NativeKind::of(media_type), data: None })
}

fn with_data(media_type: &str, at: Value<'_>, base64: &str) -> Option<NativeFile> {
    let kind = NativeKind::of(media_type);
    let text = match kind {
        NativeKind::Text => Some(String::from_utf8_lossy(&decoded(base64)?).into_owned()),
        NativeKind::Image | NativeKind::Document | NativeKind::Audio | NativeKind::Video => {
            base64.bytes().all(|byte| is_blank(byte) || digit(byte).is_some()).then_some(())?;
            None
        }
    };
    Some(NativeFile { kind, data: Some(NativeData { span: at.span(), encoded: base64.len(), text }) })
}

/// The member, in either spelling, unless it is absent or null.
fn member<'d>(object: Value<'d>, names: [&str; 2]) -> Option<Value<'d>> {
    names.into_iter().find_map(|name| object.get(name).filter(|value| !value.is_null()))
}

/// What Base64 of either alphabet means; none if it is something else.
fn decoded(base64: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(base64.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in base64.bytes().filter(|byte| !is_blank(*byte)) {
        bits = (bits << 6 | digit(byte)?) & 0xf_ffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(out)
}

/// Padding and line breaks.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b'=' | b'\r' | b'\n')
}

fn digit(byte: u8) -> Option<u32> {
    let digit = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::RawJson;

    /// How many bytes of data, and what they read as.
    type Data = Option<(usize, Option<String>)>;

    fn told(wire: Wire, kind: &str, json: &str) -> Option<(NativeKind, Data)> {
        let native = Native { wire, kind: kind.into(), raw: RawJson::new(json).unwrap(), reads_as: None, needs: None };
        let file = file_in(&native)?;
        if let Some(data) = &file.data {
            assert_eq!(json.get(data.span.clone()).unwrap().chars().next(), Some('"'));
        }
        Some((file.kind, file.data.map(|data| (data.encoded, data.text))))
    }

    #[test]
    fn a_block_tells_what_it_is_whatever_it_is_called() {
        let (gemini, chat, responses) = (Wire::Gemini, Wire::OpenAiChat, Wire::OpenAiResponses);
        let inline = |media_type: &str| format!(r#"{{"inline\u0044ata":{{"mimeType":"{media_type}","data":"aGk_"}}}}"#);
        let of = |media_type: &str| told(gemini, "odd", &inline(media_type)).map(|(kind, _)| kind);
        let kinds =
            ["image/png", "AUDIO/mpeg", "video/mp4", "application/pdf; x=1", "application/json", "text/plain", "odd"].map(of);
        let expected = [
            NativeKind::Image,
            NativeKind::Audio,
            NativeKind::Video,
            NativeKind::Document,
            NativeKind::Text,
            NativeKind::Text,
            NativeKind::Text,
        ];
        assert_eq!(kinds, expected.map(Some));
        let text = Some((NativeKind::Text, Some((4, Some("hi?".to_owned())))));
        assert_eq!(told(gemini, "web", r#"{"inlineData":{"mimeType":"text/plain","data":"aGk_"}}"#), text);
        let url = r#"{"type":"video_url","video_url":{"url":"data:text/plain;base64,aGk/"}}"#;
        assert_eq!(told(chat, "video_url", url), text);
        let film = |data: bool| Some((NativeKind::Video, data.then_some((4, None))));
        assert_eq!(told(chat, "x", r#"{"type":"video_url","video_url":"https://x.example/a"}"#), film(false));
        assert_eq!(told(chat, "x", r#"{"type":"video_url","video_url":{"url":"data:video/mp4;base64,AAAA"}}"#), film(true));
        let sound = Some((NativeKind::Audio, Some((4, None))));
        assert_eq!(told(responses, "x", r#"{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}"#), sound);
        assert_eq!(told(chat, "x", r#"{"type":"input_audio","input_audio":"AAAA"}"#), sound);
        let nothing = [
            (responses, "input_audio", r#"{"type":"web_search_call","input_audio":{"data":"AAAA"}}"#),
            (responses, "input_audio", r#"{"type":"input_audio","input_audio":{"data":"no Base64","format":"wav"}}"#),
            (gemini, "inlineData", r#"{"executableCode":{"code":"AAAA"}}"#),
            (chat, "video_url", r#"{"type":"video_url","video_url":{"url":"data:text/plain,hi"}}"#),
            (Wire::Anthropic, "inlineData", r#"{"inlineData":{"mimeType":"image/png","data":"AAAA"}}"#),
        ];
        assert_eq!(nothing.map(|(wire, kind, json)| told(wire, kind, json)), [const { None }; 5]);
    }
}
