//! Where a part that only OpenAI Chat understands may stand. What a server refuses reads as text.

use briefing::Dialect;
use briefing_json::{Kind, Value};

use crate::raw::{is_base64, text_of};
use crate::scribe::{Place, Standing};

/// Whether a part may stand at a place. A file is native only if it is written in no known form, so it may not. OpenAI takes no
/// part that it does not know ("Invalid value"), and its system and tool messages hold text alone.
pub(super) fn standing(part: Value<'_>, place: Place, dialect: Dialect) -> Standing {
    let Some(kind) = text_of(part, "type") else { return Standing::No };
    let text_alone = place == Place::System || (place == Place::Outcome && dialect == Dialect::Original);
    let stands = match kind.as_str() {
        _ if text_alone => false,
        "refusal" => place != Place::Input && text_of(part, "refusal").is_some(),
        "input_audio" => place != Place::Answer && is_audio(part, dialect),
        "reference" | "thinking" => dialect == Dialect::Mistral,
        "audio_url" | "video_url" => dialect == Dialect::Compatible && place != Place::Answer,
        _ => false,
    };
    Standing::yes_if(stands)
}

/// Mistral takes the data itself, too.
fn is_audio(part: Value<'_>, dialect: Dialect) -> bool {
    let Some(audio) = part.get("input_audio") else { return false };
    match audio.kind() {
        Kind::Object => text_of(audio, "data").is_some_and(|data| !data.is_empty() && is_base64(&data)),
        Kind::String => dialect == Dialect::Mistral,
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Array => false,
    }
}
