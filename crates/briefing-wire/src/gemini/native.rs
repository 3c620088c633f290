//! Where a part that only Gemini understands may stand. What it refuses reads as text.

use briefing_json::{Kind, Value};

use super::keys::{self, DATA, FILE, INLINE, RESPONSE, TYPE, URI};
use super::response::is_struct;
use crate::raw::is_base64_of_any_alphabet;
use crate::scribe::{Place, Standing};

/// The field of a part that says what it is; the others tell about it. If none is known, the first that is not known here.
pub(crate) fn kind_of(part: Value<'_>) -> Option<String> {
    const ABOUT: [&str; 9] = [
        "thought",
        "thoughtSignature",
        "thought_signature",
        "videoMetadata",
        "video_metadata",
        "mediaResolution",
        "media_resolution",
        "partMetadata",
        "part_metadata",
    ];
    let known = keys::claims(part, &DATA).next().map(str::to_owned);
    known.or_else(|| part.entries().map(|(name, _)| name.into_owned()).find(|name| !ABOUT.contains(&name.as_str())))
}

/// Types that Gemini is known to refuse, as data and by address ("Unsupported MIME type: image/svg+xml"; report B73. GIF:
/// <https://github.com/microsoft/vscode/issues/286628>).
const REFUSED: [&str; 6] = ["image/svg+xml", "image/svg", "application/svg+xml", "image/xml", "image/jpg", "image/gif"];

/// Whether Gemini may read files of the type: what is not known here is not judged.
pub(super) fn may_be_read(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.contains('/') && !REFUSED.iter().any(|refused| essence.eq_ignore_ascii_case(refused))
}

/// Whether a part may stand at a place. It is one thing. What is known is native only if it is written in no known form, so it may
/// not; what the model wrote itself may be newer than this list.
pub(super) fn standing(part: Value<'_>, place: Place, files_in_outcomes: bool, goes_on: bool) -> Standing {
    let Some(kind) = kind_of(part).filter(|_| keys::count(part) < 2) else { return Standing::No };
    let given = place == Place::Input || (place == Place::Outcome && files_in_outcomes);
    let stands = match kind.as_str() {
        // The outcome of a call that the provider keeps.
        "functionResponse" | "function_response" => goes_on && place == Place::Input && is_response(part),
        "text" | "functionCall" | "function_call" => false,
        "inlineData" | "inline_data" => (given || place == Place::Answer) && is_data(part),
        "fileData" | "file_data" => (given || place == Place::Answer) && is_file(part),
        _ => place == Place::Answer && part.get(&kind).is_some_and(|value| value.kind() == Kind::Object),
    };
    Standing::yes_if(stands)
}

fn is_data(part: Value<'_>) -> bool {
    let Some(data) = keys::get(part, INLINE) else { return false };
    let base64 = data.get("data").and_then(Value::as_str);
    base64.is_some_and(|data| !data.is_empty() && is_base64_of_any_alphabet(&data))
        && keys::text(data, TYPE).is_some_and(|media_type| may_be_read(&media_type))
}

fn is_response(part: Value<'_>) -> bool {
    let Some(response) = keys::get(part, RESPONSE) else { return false };
    let name = response.get("name").and_then(Value::as_str);
    name.is_some_and(|name| !name.is_empty())
        && response.get("response").is_some_and(|response| response.kind() == Kind::Object && is_struct(response))
}

/// An address needs no type.
fn is_file(part: Value<'_>) -> bool {
    let Some(file) = keys::get(part, FILE) else { return false };
    keys::text(file, URI).is_some_and(|uri| !uri.is_empty())
        && keys::get(file, TYPE).is_none_or(|media_type| media_type.as_str().is_some_and(|media_type| may_be_read(&media_type)))
}
