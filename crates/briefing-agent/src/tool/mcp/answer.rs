//! What a server answers, as an outcome.

use briefing::message::{Bytes, Media, Part};
use briefing::text::one_line;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::provider::Hidden;
use crate::tool::picture::{self, MAX_PICTURE};
use crate::tool::{ToolFailure, ToolOutput};

/// The most bytes of text of one answer.
pub(super) const MAX_TEXT: usize = 1024 * 1024;

/// The most parts of one answer.
const MAX_PARTS: usize = 200;

/// The most pictures of one answer.
const MAX_PICTURES: usize = 8;

/// The most characters of a failure's text.
pub(super) const FAILURE_CHARS: usize = 4_000;

/// The parts of an answer, within their bounds.
///
/// # Errors
/// [`ToolFailure::Failed`] where the server says so, [`ToolFailure::TooMuch`].
pub(super) fn of_result(result: CallToolResult, hidden: &Hidden) -> Result<ToolOutput, ToolFailure> {
    let failed = result.is_error == Some(true);
    let structured = result.structured_content.filter(|_| result.content.is_empty());
    let too_much = ToolFailure::TooMuch { limit: u64::try_from(MAX_TEXT).unwrap_or(u64::MAX) };
    if result.content.len() > MAX_PARTS {
        return Err(too_much);
    }
    let mut parts = Vec::with_capacity(result.content.len());
    let mut pictures = 0;
    for block in result.content {
        let part = of_block(block, pictures < MAX_PICTURES);
        pictures += usize::from(matches!(part, Part::Image(_)));
        parts.push(part);
    }
    parts.extend(structured.map(|value| Part::text(value.to_string())));
    let text: usize = parts.iter().filter_map(Part::as_text).map(str::len).sum();
    if text > MAX_TEXT {
        return Err(too_much);
    }
    if failed {
        let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
        return Err(of_error(&texts.join("\n"), hidden));
    }
    Ok(ToolOutput { parts })
}

/// A failure with what the server says of it, without the keys that it was sent.
pub(super) fn of_error(text: &str, hidden: &Hidden) -> ToolFailure {
    let text = hidden.redacted(text);
    let message = briefing::text::cut(&text, FAILURE_CHARS).unwrap_or_else(|| text.into_owned());
    let message = if message.trim().is_empty() { "the tool failed and does not say why".to_owned() } else { message };
    ToolFailure::Failed { message }
}

fn of_block(block: ContentBlock, room: bool) -> Part {
    match block {
        ContentBlock::Text(text) => Part::text(text.text),
        ContentBlock::Image(image) => of_picture(image.data, &image.mime_type, room),
        ContentBlock::Audio(audio) => not_shown("audio", &audio.mime_type),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                Part::text(format!("[resource: {}]\n{text}", line(&uri)))
            }
            ResourceContents::BlobResourceContents { uri, .. } => not_shown("resource", &uri),
            // A later version of the library may know more.
            _ => not_shown("resource", "of an unknown kind"),
        },
        ContentBlock::ResourceLink(link) => Part::text(format!("[resource: {}]", line(&link.uri))),
        _ => not_shown("content", "of an unknown kind"),
    }
}

fn of_picture(data: String, said: &str, room: bool) -> Part {
    let kind = picture::media_type(&data).filter(|_| room && data.len() <= MAX_PICTURE && picture::is_base64(&data));
    match kind {
        Some(kind) => Part::Image(Media::data(kind, Bytes::from_base64(data))),
        None => not_shown("picture", said),
    }
}

fn not_shown(what: &str, name: &str) -> Part {
    Part::text(format!("[{what}: {}, not shown]", line(name)))
}

fn line(text: &str) -> String {
    one_line(text, 200).into_owned()
}
