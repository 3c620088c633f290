//! The message being answered, read exactly as the view will read it later.

use std::sync::Arc;

use crate::call::Call;
use crate::context::{Context, Inbound};
use crate::fit::{Bounds, FileGate, FileReason, Limits, Line, Origin, Piece, Rule, sendable};
use crate::log::{Attachment, Mail};
use crate::message::{Bytes, Extra, Media, ModelMessage, Part, User};
use crate::ports::PortError;
use crate::texts::Filler;
use crate::view::{HistoryView, mail_text, say};

/// The current message with its files as parts where the model takes them, and why others stay lines. None in a scheduled run. A
/// file that cannot go is not even read.
pub(crate) async fn current_message(
    cx: &Context,
    view: &HistoryView,
    call: &Call,
    bounds: &Bounds,
) -> Result<(Option<Piece>, Vec<Line>), PortError> {
    let Some(current) = cx.message() else { return Ok((None, Vec::new())) };
    let (mut message, files) = reads(cx, current, view).await?;
    let mut lines = Vec::new();
    if !files.is_empty()
        && let ModelMessage::User(user) = &message
    {
        let mut parts = user.parts.clone();
        let gate = FileGate::new(call.profile(), Limits::of(call, bounds));
        for file in files {
            if let Some(why) = add(cx, file, &gate, &mut parts).await? {
                lines.push(Line { from: Origin::Entries(vec![current.entry().id]), rule: Rule::FileAsLine { why } });
            }
        }
        message = ModelMessage::User(Arc::new(User { parts, extra: user.extra.clone() }));
    }
    let mut piece = [Piece { message, entry: Some(current.entry().id) }];
    view.hide(&mut piece, &mut lines);
    let [piece] = piece;
    Ok((Some(piece), lines))
}

/// The message without its files, and the files that may go as parts.
async fn reads<'c>(
    cx: &Context,
    current: &'c Inbound,
    view: &HistoryView,
) -> Result<(ModelMessage, Vec<&'c Attachment>), PortError> {
    if let Some(message) = current.message() {
        let ids: Vec<_> = say::files(message).iter().map(|file| file.id.clone()).collect();
        let texts = if ids.is_empty() { Vec::new() } else { cx.files().texts(&ids).await? };
        let said = say::message(message, &texts.into_iter().collect(), view.file_share());
        // What says nothing is left out when it is past; now somebody waits for an answer to it.
        let says_nothing = said.text().trim().is_empty() && !say::has_files(&said);
        let said = if says_nothing { ModelMessage::user(Filler::Silent.text()) } else { said };
        // Documents are told as text; only of pictures the model sees more in their own turn.
        let pictures = say::files(message).iter().filter(|file| say::is_picture(file)).collect();
        return Ok((said, pictures));
    }
    let Some(mail) = current.mail() else { return Ok((ModelMessage::user(""), Vec::new())) };
    // A mail without body and files still has its header: whoever wrote it wrote something.
    let text = mail_text(mail).or_else(|| mail_text(&Mail { body: Some("(no text)".into()), ..mail.clone() }));
    let parts = vec![Part::text(text.unwrap_or_default())];
    Ok((ModelMessage::User(Arc::new(User { parts, extra: Extra::default() })), mail.attachments.iter().collect()))
}

/// Adds a file as a part, or says why it cannot go.
async fn add(
    cx: &Context,
    file: &Attachment,
    gate: &FileGate<'_>,
    parts: &mut Vec<Part>,
) -> Result<Option<FileReason>, PortError> {
    let Some(document) = sendable(&file.media_type) else { return Ok(None) };
    let refused = gate.expects(file.size, document, parts.len() as u64 - 1);
    let bytes = if refused.is_none() { cx.files().file(&file.id).await? } else { None };
    let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else { return Ok(refused.or(Some(FileReason::Missing))) };
    let filename = file.filename.as_deref().map(|name| Arc::from(crate::text::one_line(name, 120)));
    let media = Media { filename, ..Media::data(file.media_type.as_str(), Bytes::encode(&bytes)) };
    parts.push(if document { Part::Document(media) } else { Part::Image(media) });
    Ok(None)
}
