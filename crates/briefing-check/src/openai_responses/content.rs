//! The parts of a message, and of an output.

use std::borrow::Cow;

use briefing_json::{Path, Value, present};

use crate::fault::{Fault, Role, Shape, clip};
use crate::media;
use crate::profile::{Dialect, Rules};
use crate::report::Findings;

/// The types that OpenAI lists in its answer to a part of another: "Invalid value: 'text'. Supported values are: 'input_text',
/// 'input_image', 'input_audio', 'output_text', 'refusal', 'input_file', 'computer_screenshot', 'summary_text', and
/// 'encrypted_content'."
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    InputText,
    InputImage,
    InputFile,
    OutputText,
    Refusal,
    /// `input_audio` and `scoped_content`, which stand in messages to the model alone.
    Given,
    /// Those that stand in no message.
    Elsewhere,
}

impl Part {
    fn parse(kind: &str) -> Option<Self> {
        Some(match kind {
            "input_text" => Self::InputText,
            "input_image" => Self::InputImage,
            "input_file" => Self::InputFile,
            "output_text" => Self::OutputText,
            "refusal" => Self::Refusal,
            "input_audio" | "scoped_content" => Self::Given,
            "computer_screenshot" | "summary_text" | "encrypted_content" => Self::Elsewhere,
            _ => return None,
        })
    }

    /// "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."
    /// (<https://github.com/epam/ai-dial-adapter-openai/issues/511>); for users "'input_text', 'input_image', 'input_file',
    /// 'scoped_content', and 'input_audio'", for outputs "'input_text', 'input_image', and 'input_file'".
    fn may_stand(self, role: Role) -> bool {
        let input = matches!(self, Self::InputText | Self::InputImage | Self::InputFile);
        match role {
            Role::Assistant | Role::Model => matches!(self, Self::OutputText | Self::Refusal),
            Role::System | Role::Developer | Role::User => input || self == Self::Given,
            Role::Tool | Role::Function => input,
        }
    }
}

/// Checks content that is a string or an array of parts. It may be empty: recordings 10 and 16.
pub(super) fn check(content: Value<'_>, role: Role, rules: &Rules, at: &Path<'_>, out: &mut Findings) {
    for (index, part) in content.items().enumerate() {
        check_part(part, role, rules, &at.index(index), out);
    }
}

fn check_part(part: Value<'_>, role: Role, rules: &Rules, at: &Path<'_>, out: &mut Findings) {
    if out.shaped(at, part, Shape::Object).is_none() {
        return;
    }
    let Some(kind) = out.need_text(at, part, "type") else { return };
    let own = rules.dialect == Dialect::OpenAi;
    // What other hosts take is not known.
    let fault = match Part::parse(&kind) {
        Some(part) if part.may_stand(role) => None,
        Some(_) => Some(Fault::PartNotAllowed { kind: clip(&kind), role }),
        None => Some(Fault::UnknownPart { kind: clip(&kind) }),
    };
    if let Some(fault) = fault.filter(|_| own) {
        out.add(at, fault);
        return;
    }
    match Part::parse(&kind) {
        Some(Part::InputText | Part::OutputText) => drop(out.need(at, part, "text", Shape::String)),
        Some(Part::Refusal) => drop(out.need(at, part, "refusal", Shape::String)),
        Some(Part::InputImage) => image(part, rules, at, out),
        Some(Part::InputFile) => file(part, own, at, out),
        Some(Part::Given | Part::Elsewhere) | None => {}
    }
}

/// An image has an address, which may be a data URI, or a file id.
fn image(part: Value<'_>, rules: &Rules, at: &Path<'_>, out: &mut Findings) {
    if !rules.vision {
        out.add(at, Fault::ImageNotSupported);
    }
    let Some(url) = address(part, "image_url", &["file_id"], at, out) else { return };
    if let Some((media_type, data)) = media::data_uri(&url) {
        let at = at.key("image_url");
        if rules.dialect == Dialect::OpenAi {
            media::image_type(media_type, &at, out);
        }
        media::data(data, None, &at, out);
    }
}

/// A file has data, an address or a file id.
fn file(part: Value<'_>, own: bool, at: &Path<'_>, out: &mut Findings) {
    if let Some(data) = address(part, "file_data", &["file_id", "file_url"], at, out) {
        let at = at.key("file_data");
        let (media_type, bare) = media::data_uri(&data).unwrap_or(("", &data));
        if own && is_sound_or_film(media_type) {
            out.add(&at, Fault::MediaType { found: clip(media_type) });
        }
        media::data(bare, None, &at, out);
    }
    let Some(url) = out.optional(at, part, "file_url", Shape::String).and_then(Value::as_str) else { return };
    if let Some(found) = media_extension(&url).filter(|_| own) {
        out.add(&at.key("file_url"), Fault::MediaType { found });
    }
}

/// The text in that field. A fault if it is empty, or absent with nothing of the others in its place (report B72).
fn address<'d>(part: Value<'d>, key: &'static str, others: &[&str], at: &Path<'_>, out: &mut Findings) -> Option<Cow<'d, str>> {
    let Some(value) = present(part, key) else {
        if !others.iter().any(|key| present(part, key).is_some_and(|value| value.raw() != "\"\"")) {
            out.add(at, Fault::EmptyMedia);
        }
        return None;
    };
    let at = at.key(key);
    let value = out.shaped(&at, value, Shape::String)?.as_str()?;
    if value.is_empty() {
        out.add(&at, Fault::EmptyMedia);
        return None;
    }
    Some(value)
}

/// "The file type you uploaded is not supported. Please try again with a pdf" (recorded twice, for an address that ends in
/// `.mp3`). OpenAI reads many kinds of document, so only what is surely none is told.
fn is_sound_or_film(media_type: &str) -> bool {
    media_type.starts_with("audio/") || media_type.starts_with("video/")
}

/// The extension of an address's path, if it is one of sound or film.
fn media_extension(url: &str) -> Option<String> {
    const MEDIA: [&str; 14] =
        ["aac", "aiff", "avi", "flac", "m4a", "mkv", "mov", "mp3", "mp4", "mpeg", "ogg", "opus", "wav", "webm"];
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let file = path.split_once("://").map_or(path, |(_, rest)| rest).split('/').skip(1).last()?;
    let extension = file.rsplit_once('.')?.1.to_ascii_lowercase();
    MEDIA.contains(&extension.as_str()).then_some(extension)
}
