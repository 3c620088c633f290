//! The files of a message: everything that is not its readable body.

use std::collections::HashMap;

use super::fields::Parameters;
use super::transfer;
use super::walk::{Leaf, Parent};
use briefing::log::{Attachment, AttachmentId};

/// How many hexadecimal digits of the content's hash an id shows.
const ID_DIGITS: usize = 16;

/// The files found so far.
#[derive(Debug, Default)]
pub(super) struct Files {
    listed: Vec<Attachment>,
    contents: Vec<(AttachmentId, Vec<u8>)>,
    seen: HashMap<String, usize>,
}

/// A file as it was found.
pub(super) struct File {
    pub(super) media_type: String,
    pub(super) filename: Option<String>,
    /// Its size, where known.
    pub(super) size: Option<u64>,
    pub(super) content: Vec<u8>,
    /// Whether all of its content is here.
    pub(super) whole: bool,
}

impl Files {
    /// Adds a file. One that is not whole is listed without its content.
    pub(super) fn push(&mut self, leaf: &Leaf<'_>, disposition: Option<&Parameters>, file: File) {
        let File { media_type, filename, size, content, whole } = file;
        let id = self.id(&content);
        let inline = match disposition.map(|value| value.kind.as_str()) {
            Some(kind) => kind == "inline",
            None => leaf.parent == Parent::Related && leaf.headers.content_id.is_some(),
        };
        self.listed.push(Attachment { id: id.clone(), filename, media_type, size, inline });
        if whole {
            self.contents.push((id, content));
        }
    }

    /// The list, and the contents.
    pub(super) fn finish(self) -> (Vec<Attachment>, Vec<(AttachmentId, Vec<u8>)>) {
        (self.listed, self.contents)
    }

    /// `att_` and the beginning of the content's hash; the second file of the same content gets `-2`, and so on.
    fn id(&mut self, content: &[u8]) -> AttachmentId {
        let hash = blake3::hash(content).to_hex();
        let mut id = format!("att_{}", hash.get(..ID_DIGITS).unwrap_or(hash.as_str()));
        let times = self.seen.entry(id.clone()).or_default();
        *times += 1;
        if *times > 1 {
            id = format!("{id}-{times}");
        }
        AttachmentId::new(id)
    }
}

/// The size of a file of which only `read` bytes are here: what it says itself (RFC 2183, 2.7), unless that is less; or all
/// that is left of the message, if it is the whole message and not encoded.
pub(super) fn size_of_cut(leaf: &Leaf<'_>, disposition: Option<&Parameters>, read: usize, lost: u64) -> Option<u64> {
    let read = u64::try_from(read).ok()?;
    let said = disposition.and_then(|value| value.get("size")).and_then(|size| size.trim().parse::<u64>().ok());
    if let Some(said) = said.filter(|said| *said > read) {
        return Some(said);
    }
    let plain = transfer::is_identity(leaf.headers.transfer_encoding);
    (leaf.parent == Parent::None && plain).then(|| read.saturating_add(lost))
}

/// The type of a part: what it says, else plain text, in a digest a message (RFC 2046, 5.1.5).
pub(super) fn media_type(leaf: &Leaf<'_>) -> String {
    let Some(Parameters { kind, subtype, .. }) = &leaf.content_type else {
        return if leaf.parent == Parent::Digest { "message/rfc822" } else { "text/plain" }.to_owned();
    };
    let is_token = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
    match (kind.as_str(), subtype.as_str()) {
        ("text", "") => "text/plain".to_owned(),
        (kind, subtype) if is_token(kind) && is_token(subtype) => format!("{kind}/{subtype}"),
        _ => "application/octet-stream".to_owned(),
    }
}

/// The name of a part, decoded, as it came.
pub(super) fn filename(leaf: &Leaf<'_>, disposition: Option<&Parameters>) -> Option<String> {
    let given = disposition.and_then(|value| value.get("filename"));
    given.or_else(|| leaf.content_type.as_ref()?.get("name")).map(|name| name.trim().to_owned())
}
