//! The message being answered, read exactly as the view will read it later.

use std::sync::Arc;

use crate::call::Call;
use crate::context::{Context, Inbound};
use crate::fit::{Bounds, FileGate, FileReason, Limits, Line, Origin, Piece, Rule, sendable};
use crate::log::{Attachment, Mail};
use crate::message::{Bytes, Media, ModelMessage, Part, User};
use crate::ports::PortError;
use crate::texts::{self, Filler};
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
    let entry = current.entry().id;
    let mut lines = Vec::new();
    let (message, files) = reads(cx, current, view, &mut lines).await?;
    // What says nothing is left out when it is past; now somebody waits for an answer to it.
    let says_nothing = message.text().trim().is_empty() && !say::has_files(&message);
    let mut message = if says_nothing { ModelMessage::user(Filler::Silent.text()) } else { message };
    if !files.is_empty()
        && let ModelMessage::User(user) = &message
    {
        let mut parts = user.parts.clone();
        let gate = FileGate::new(call.profile(), Limits::of(call, bounds));
        for file in files {
            if let Some(why) = add(cx, file, view, &gate, &mut parts).await? {
                lines.push(Line { from: Origin::Entries(vec![entry]), rule: Rule::FileAsLine { why } });
            }
        }
        message = ModelMessage::User(Arc::new(User { parts, extra: user.extra.clone() }));
    }
    Ok((Some(Piece { message, entry: Some(entry) }), lines))
}

/// The message without its files, and the files that may go as parts.
async fn reads<'c>(
    cx: &Context,
    current: &'c Inbound,
    view: &HistoryView,
    lines: &mut Vec<Line>,
) -> Result<(ModelMessage, Vec<&'c Attachment>), PortError> {
    let entry = current.entry().id;
    let from = || Origin::Entries(vec![entry]);
    if let Some(message) = current.message() {
        let files = say::files(message);
        let ids: Vec<_> = files.iter().map(|file| file.id.clone()).collect();
        let texts = if ids.is_empty() { Vec::new() } else { cx.files().texts(&ids).await? };
        let texts = texts.into_iter().collect();
        let (said, left) = say::with_own_pictures(message);
        lines.extend((left > 0).then(|| Line { from: from(), rule: Rule::PicturesLeftOut { pictures: left } }));
        lines.extend(say::not_ready(files, &texts).map(|_| Line { from: from(), rule: Rule::FileNotReady }));
        let (said, places) = say::with_texts(view.hide(said, from, lines), message, &texts, view);
        lines.extend((places > 0).then(|| Line { from: from(), rule: Rule::Redacted { places } }));
        // Documents are told as text; only of pictures the model sees more in their own turn.
        let pictures = files.iter().filter(|file| say::is_picture(file)).collect();
        return Ok((said, pictures));
    }
    let Some(mail) = current.mail() else { return Ok((ModelMessage::user(""), Vec::new())) };
    // A mail without body and files still has its header: whoever wrote it wrote something.
    let text = mail_text(mail).or_else(|| mail_text(&Mail { body: Some(texts::NO_BODY.into()), ..mail.clone() }));
    let said = view.hide(ModelMessage::user(text.unwrap_or_default()), from, lines);
    Ok((said, mail.attachments.iter().collect()))
}

/// Adds a file as a part, or says why it cannot go.
async fn add(
    cx: &Context,
    file: &Attachment,
    view: &HistoryView,
    gate: &FileGate<'_>,
    parts: &mut Vec<Part>,
) -> Result<Option<FileReason>, PortError> {
    let Some(document) = sendable(&file.media_type) else { return Ok(None) };
    let refused = gate.expects(file.size, document, parts.len() as u64 - 1);
    let bytes = if refused.is_none() { cx.files().file(&file.id).await? } else { None };
    let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else { return Ok(refused.or(Some(FileReason::Missing))) };
    let filename =
        file.filename.as_deref().map(|name| Arc::from(view.hide_text(crate::text::one_line(name, 120).into_owned())));
    let media = Media { filename, ..Media::data(file.media_type.as_str(), Bytes::encode(&bytes)) };
    parts.push(if document { Part::Document(media) } else { Part::Image(media) });
    Ok(None)
}
