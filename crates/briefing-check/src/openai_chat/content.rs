//! The content of a message: a string, or typed parts.

use briefing_json::{Kind, Path, Value, present};

use crate::fault::{Fault, Role, Shape, clip};
use crate::media;
use crate::profile::{Dialect, Rules};
use crate::report::Findings;

/// The types of part that OpenAI or another host knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Text,
    Refusal,
    ImageUrl,
    InputAudio,
    File,
    /// Mistral's own.
    DocumentUrl,
    Reference,
    Thinking,
    /// vLLM's own, and of the hosts that run it.
    OtherUrl,
}

impl Part {
    fn parse(kind: &str, dialect: Dialect) -> Option<Self> {
        Some(match kind {
            "text" => Self::Text,
            "refusal" => Self::Refusal,
            "image_url" => Self::ImageUrl,
            "input_audio" => Self::InputAudio,
            "file" => Self::File,
            "document_url" if dialect == Dialect::Mistral => Self::DocumentUrl,
            "reference" if dialect == Dialect::Mistral => Self::Reference,
            "thinking" if dialect == Dialect::Mistral => Self::Thinking,
            "audio_url" | "video_url" if dialect == Dialect::Compatible => Self::OtherUrl,
            _ => return None,
        })
    }

    fn may_stand(self, role: Role, dialect: Dialect) -> bool {
        let given = matches!(self, Self::ImageUrl | Self::InputAudio | Self::File | Self::DocumentUrl | Self::OtherUrl);
        match role {
            Role::System | Role::Developer | Role::Function => self == Self::Text,
            Role::User => self != Self::Refusal,
            Role::Assistant | Role::Model => !given,
            Role::Tool => self == Self::Text || dialect != Dialect::OpenAi,
        }
    }
}

/// Checks content that is a string or an array. A string may be empty.
pub(super) fn check(content: Value<'_>, role: Role, rules: &Rules, at: &Path<'_>, out: &mut Findings) {
    if content.kind() == Kind::Array && content.items().next().is_none() {
        out.add(at, Fault::EmptyContent);
    }
    for (index, part) in content.items().enumerate() {
        check_part(part, role, rules, &at.index(index), out);
    }
}

fn check_part(part: Value<'_>, role: Role, rules: &Rules, at: &Path<'_>, out: &mut Findings) {
    if out.shaped(at, part, Shape::Object).is_none() {
        return;
    }
    let Some(kind) = out.need_text(at, part, "type") else { return };
    let Some(known) = Part::parse(&kind, rules.dialect) else {
        out.add(at, Fault::UnknownPart { kind: clip(&kind) });
        return;
    };
    if !known.may_stand(role, rules.dialect) {
        out.add(at, Fault::PartNotAllowed { kind: clip(&kind), role });
        return;
    }
    match known {
        Part::Text => drop(out.need(at, part, "text", Shape::String)),
        Part::Refusal => drop(out.need(at, part, "refusal", Shape::String)),
        Part::ImageUrl => image(part, rules, at, out),
        Part::InputAudio => audio(part, rules.dialect, at, out),
        Part::File => file(part, at, out),
        Part::DocumentUrl | Part::Reference | Part::Thinking | Part::OtherUrl => {}
    }
}

fn image(part: Value<'_>, rules: &Rules, at: &Path<'_>, out: &mut Findings) {
    if !rules.vision {
        out.add(at, Fault::ImageNotSupported);
    }
    let at = at.key("image_url");
    let Some(image) = present(part, "image_url") else {
        out.add(&at, Fault::EmptyMedia);
        return;
    };
    // Mistral takes the address itself, too.
    let url = match image.as_str() {
        Some(url) if rules.dialect == Dialect::Mistral => Some(url),
        _ => out.shaped(&at, image, Shape::Object).and_then(|image| out.need_text(&at, image, "url")),
    };
    let Some(url) = url else { return };
    if url.is_empty() {
        out.add(&at, Fault::EmptyMedia);
    } else if let Some((media_type, data)) = media::data_uri(&url) {
        if rules.dialect != Dialect::Compatible {
            media::image_type(media_type, &at, out);
        }
        media::data(data, None, &at, out);
    }
}

fn audio(part: Value<'_>, dialect: Dialect, at: &Path<'_>, out: &mut Findings) {
    // Mistral takes the data itself, too.
    let shape = if dialect == Dialect::Mistral { Shape::StringOrObject } else { Shape::Object };
    let Some(audio) = out.need(at, part, "input_audio", shape) else { return };
    let at = at.key("input_audio");
    if audio.kind() == Kind::Object
        && let Some(data) = out.need_text(&at, audio, "data")
    {
        media::data(&data, None, &at.key("data"), out);
    }
}

fn file(part: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    let Some(file) = out.need(at, part, "file", Shape::Object) else { return };
    let at = at.key("file");
    let data = out.optional(&at, file, "file_data", Shape::String).and_then(Value::as_str);
    match data {
        Some(data) => {
            let bare = media::data_uri(&data).map_or(data.as_ref(), |(_, data)| data);
            media::data(bare, None, &at.key("file_data"), out);
        }
        None if present(file, "file_id").is_none() => out.add(&at, Fault::EmptyMedia),
        None => {}
    }
}
