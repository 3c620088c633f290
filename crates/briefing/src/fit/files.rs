//! Files that cannot go to the model read as a line, so that one picture never makes a whole thread unsendable.

use std::sync::Arc;

use crate::fit::bounds::Limits;
use crate::fit::receipt::FileReason;
use crate::fit::unit::{Round, Unit};
use crate::message::{
    Assistant, Item, Media, MediaSource, Native, NativeFile, NativeKind, Outcome, Part, System, SystemPart, Text, User, file_in,
};
use crate::profile::ModelProfile;
use crate::texts;
use crate::wire::{Dialect, Wire};

/// Whether files of that type can be sent at all: as a document (true), as a picture (false). Parameters do not matter.
pub(crate) fn sendable(media_type: &str) -> Option<bool> {
    match media_type.split(';').next().unwrap_or_default().trim() {
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => Some(false),
        "application/pdf" => Some(true),
        _ => None,
    }
}

/// Whether a wire reads pictures, or documents, of that type: one table, wherever the content lies. `here`: as data in the body.
fn reads(wire: Wire, media_type: &str, document: bool, here: bool) -> bool {
    let picture = match media_type {
        "image/png" | "image/jpeg" | "image/webp" => true,
        // Gemini's documentation names no GIF.
        "image/gif" => wire != Wire::Gemini,
        "image/heic" | "image/heif" => wire == Wire::Gemini,
        _ => false,
    };
    match (document, here) {
        (false, _) => picture,
        (true, true) => media_type == "application/pdf",
        // What lies elsewhere providers read in more forms (text, sheets, and Gemini films), but no picture is a document.
        (true, false) => !media_type.is_empty() && !media_type.starts_with("image/"),
    }
}

/// Whether a type says nothing of the file: clients write these where they know an address alone.
fn is_vague(media_type: &str) -> bool {
    matches!(media_type, "" | "image/*" | "image/jpg" | "application/octet-stream")
}

/// Decides over files, from the newest to the oldest.
#[derive(Debug)]
pub(crate) struct FileGate<'a> {
    profile: &'a ModelProfile,
    limits: Limits,
    left: u64,
}

impl<'a> FileGate<'a> {
    pub(crate) fn new(profile: &'a ModelProfile, limits: Limits) -> Self {
        Self { profile, limits, left: limits.most.images }
    }

    /// So many files are in the list.
    pub(crate) fn take(&mut self, files: u64) {
        self.left = self.left.saturating_sub(files);
    }

    /// The unit with each file that cannot go replaced by a line, and why; none if all can go. Takes nothing yet.
    pub(crate) fn pass(&self, unit: &Unit) -> Option<(Unit, Vec<FileReason>)> {
        let mut pass = Pass { gate: self, left: self.left, reasons: Vec::new() };
        let unit = match unit {
            Unit::System(system) => {
                let parts = pass.system(&system.parts)?;
                Unit::System(Arc::new(System { parts, extra: system.extra.clone() }))
            }
            Unit::User(user) => {
                let parts = pass.parts(&user.parts)?;
                Unit::User(Arc::new(User { parts, extra: user.extra.clone() }))
            }
            Unit::Round(round) => Unit::Round(pass.round(round)?),
        };
        Some((unit, pass.reasons))
    }

    /// Why a file of that size in bytes could not go beside so many others, as far as can be told without its content.
    pub(crate) fn expects(&self, size: Option<u64>, document: bool, others: u64) -> Option<FileReason> {
        let takes = if document { self.profile.documents } else { self.profile.vision };
        let encoded = size.map_or(0, |size| size.div_ceil(3).saturating_mul(4));
        match () {
            () if !takes => Some(FileReason::Model),
            () if encoded > self.limits.image_bytes => Some(FileReason::TooLarge),
            () if others >= self.left => Some(FileReason::TooMany),
            () => None,
        }
    }

    /// Whether the wire has a form for such a file, by where its content lies and of which type it is.
    fn takes(&self, media: &Media, document: bool) -> bool {
        let (wire, dialect) = (self.profile.wire, self.profile.dialect);
        let here = matches!(media.source, MediaSource::Data(_));
        let known = if here || wire == Wire::Gemini {
            reads(wire, &media.media_type, document, here)
        } else {
            // The type is not told to the provider, which sees for itself what it fetches.
            let media_type = media.media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            is_vague(&media_type) || reads(wire, &media_type, document, here)
        };
        if !known {
            return false;
        }
        match (&media.source, document) {
            (MediaSource::Data(_), _) => true,
            (MediaSource::Url(_) | MediaSource::File { .. }, _) if wire == Wire::Gemini => true,
            (MediaSource::Url(_), true) => {
                wire == Wire::Anthropic
                    || dialect == Dialect::Mistral
                    || (wire == Wire::OpenAiResponses && dialect == Dialect::Original)
            }
            (MediaSource::File { .. }, false) => wire != Wire::OpenAiChat,
            (MediaSource::Url(_), false) | (MediaSource::File { .. }, true) => true,
        }
    }

    /// Why a file in a block of the wire's own cannot go. Its type was written for that wire, which sees to it.
    fn refuses_native(&self, file: &NativeFile, left: u64) -> Option<FileReason> {
        let takes = match file.kind {
            NativeKind::Image | NativeKind::Video => self.profile.vision,
            NativeKind::Document => self.profile.documents,
            // No profile says which model listens.
            NativeKind::Audio | NativeKind::Text => true,
        };
        let encoded = file.data.as_ref().map_or(0, |data| data.encoded as u64);
        match () {
            () if !takes => Some(FileReason::Model),
            () if encoded > self.limits.image_bytes => Some(FileReason::TooLarge),
            () if left == 0 => Some(FileReason::TooMany),
            () => None,
        }
    }

    fn refuses(&self, media: &Media, document: bool, left: u64) -> Option<FileReason> {
        let takes = if document { self.profile.documents } else { self.profile.vision };
        if !takes {
            return Some(FileReason::Model);
        }
        let known = self.takes(media, document);
        match &media.source {
            MediaSource::Data(bytes) if bytes.encoded_len() == 0 => Some(FileReason::Missing),
            MediaSource::Url(text) | MediaSource::File { id: text, .. } if text.is_empty() => Some(FileReason::Missing),
            MediaSource::File { wire, .. } if !wire.shares_files_with(self.profile.wire) => Some(FileReason::Elsewhere),
            MediaSource::Data(bytes) if bytes.encoded_len() as u64 > self.limits.image_bytes => Some(FileReason::TooLarge),
            // Such an address is the file itself.
            MediaSource::Url(text) if text.starts_with("data:") && text.len() as u64 > self.limits.image_bytes => {
                Some(FileReason::TooLarge)
            }
            _ if !known => Some(FileReason::Type),
            _ if left == 0 => Some(FileReason::TooMany),
            _ => None,
        }
    }
}

/// One unit on its way through, its newest file first.
struct Pass<'g> {
    gate: &'g FileGate<'g>,
    left: u64,
    reasons: Vec<FileReason>,
}

impl Pass<'_> {
    fn round(&mut self, round: &Round) -> Option<Round> {
        let mut outcomes: Vec<Arc<Outcome>> = round.outcomes().to_vec();
        let mut said: Vec<Arc<Assistant>> = round.said().to_vec();
        let mut changed = false;
        for outcome in outcomes.iter_mut().rev() {
            if let Some(parts) = self.parts(&outcome.parts) {
                *outcome = Arc::new(Outcome { parts, ..Outcome::clone(outcome) });
                changed = true;
            }
        }
        for said in said.iter_mut().rev() {
            if let Some(items) = self.items(&said.items) {
                *said = Arc::new(Assistant { items, ..Assistant::clone(said) });
                changed = true;
            }
        }
        changed.then(|| Round::new(said, outcomes))
    }

    fn parts(&mut self, parts: &[Part]) -> Option<Vec<Part>> {
        with_lines(parts, |part| match part {
            Part::Text(_) => None,
            Part::Image(media) => self.media(media, false).map(Part::Text),
            Part::Document(media) => self.media(media, true).map(Part::Text),
            Part::Native(native) => self.native(native).map(Part::Text),
        })
    }

    fn items(&mut self, items: &[Item]) -> Option<Vec<Item>> {
        with_lines(items, |item| match item {
            Item::Text(_) | Item::Reasoning(_) | Item::Call(_) => None,
            Item::Native(native) => self.native(native).map(Item::Text),
        })
    }

    fn system(&mut self, parts: &[SystemPart]) -> Option<Vec<SystemPart>> {
        with_lines(parts, |part| match part {
            SystemPart::Text(_) => None,
            SystemPart::Native(native) => self.native(native).map(SystemPart::Text),
        })
    }

    /// The line that stands for the file, if it cannot go.
    fn media(&mut self, media: &Media, document: bool) -> Option<Text> {
        let why = self.gate.refuses(media, document, self.left);
        let what = if document { "document" } else { "image" };
        self.decided(why, || texts::file_line(what, media.filename.as_deref(), size(media)))
    }

    /// The same for a file that its wire alone knows. On another wire it reads as text.
    fn native(&mut self, native: &Native) -> Option<Text> {
        if native.wire != self.gate.profile.wire {
            return None;
        }
        let file = file_in(native)?;
        let what = match (file.kind, &file.data) {
            (NativeKind::Image, _) => "image",
            (NativeKind::Audio, _) => "audio",
            (NativeKind::Video, _) => "video",
            (NativeKind::Document, _) | (NativeKind::Text, None) => "document",
            // It counts as the text that it is.
            (NativeKind::Text, Some(_)) => return None,
        };
        let why = self.gate.refuses_native(&file, self.left);
        self.decided(why, || texts::file_line(what, None, file.data.map(|data| data.encoded / 4 * 3)))
    }

    fn decided(&mut self, why: Option<FileReason>, line: impl FnOnce() -> String) -> Option<Text> {
        match why {
            None => {
                self.left -= 1;
                None
            }
            Some(why) => {
                self.reasons.push(why);
                Some(Text::new(line()))
            }
        }
    }
}

/// The pieces with a line for each that `line` gives one for, asked from the newest to the oldest; none if there is no such line.
fn with_lines<T: Clone>(pieces: &[T], mut line: impl FnMut(&T) -> Option<T>) -> Option<Vec<T>> {
    let lines: Vec<Option<T>> = pieces.iter().rev().map(&mut line).collect();
    if lines.iter().all(Option::is_none) {
        return None;
    }
    Some(pieces.iter().zip(lines.into_iter().rev()).map(|(piece, line)| line.unwrap_or_else(|| piece.clone())).collect())
}

/// The size in bytes of the file itself, where the bytes are here.
fn size(media: &Media) -> Option<usize> {
    match &media.source {
        MediaSource::Data(bytes) => {
            let padding = bytes.as_base64().bytes().rev().take_while(|byte| *byte == b'=').count();
            Some((bytes.encoded_len() / 4 * 3).saturating_sub(padding))
        }
        MediaSource::Url(_) | MediaSource::File { .. } => None,
    }
}
