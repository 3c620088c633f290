//! Files that cannot go to the model read as a line, so that one picture never makes a whole thread unsendable.

use std::sync::Arc;

use crate::fit::bounds::Limits;
use crate::fit::receipt::FileReason;
use crate::fit::unit::{Round, Unit};
use crate::message::{Media, MediaSource, Outcome, Part, User};
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
            Unit::System(_) => return None,
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
        match (&media.source, document) {
            (MediaSource::Data(_), true) => &*media.media_type == "application/pdf",
            // Gemini's documentation names no GIF.
            (MediaSource::Data(_), false) => match &*media.media_type {
                "image/png" | "image/jpeg" | "image/webp" => true,
                "image/gif" => wire != Wire::Gemini,
                "image/heic" | "image/heif" => wire == Wire::Gemini,
                _ => false,
            },
            // What it does not know the type of, Gemini does not read.
            (MediaSource::Url(_) | MediaSource::File { .. }, _) if wire == Wire::Gemini => !media.media_type.is_empty(),
            (MediaSource::Url(_), true) => {
                wire == Wire::Anthropic
                    || dialect == Dialect::Mistral
                    || (wire == Wire::OpenAiResponses && dialect == Dialect::Original)
            }
            (MediaSource::File { .. }, false) => wire != Wire::OpenAiChat,
            (MediaSource::Url(_), false) | (MediaSource::File { .. }, true) => true,
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
        let mut changed = false;
        for outcome in outcomes.iter_mut().rev() {
            if let Some(parts) = self.parts(&outcome.parts) {
                *outcome = Arc::new(Outcome { parts, ..Outcome::clone(outcome) });
                changed = true;
            }
        }
        changed.then(|| round.with_outcomes(outcomes))
    }

    fn parts(&mut self, parts: &[Part]) -> Option<Vec<Part>> {
        let mut lines: Vec<(usize, Part)> = Vec::new();
        for (at, part) in parts.iter().enumerate().rev() {
            let (what, media) = match part {
                Part::Image(media) => ("image", media),
                Part::Document(media) => ("document", media),
                Part::Text(_) | Part::Native(_) => continue,
            };
            match self.gate.refuses(media, matches!(part, Part::Document(_)), self.left) {
                None => self.left -= 1,
                Some(why) => {
                    self.reasons.push(why);
                    lines.push((at, Part::text(texts::file_line(what, media.filename.as_deref(), size(media)))));
                }
            }
        }
        if lines.is_empty() {
            return None;
        }
        let mut parts = parts.to_vec();
        for (at, line) in lines {
            if let Some(part) = parts.get_mut(at) {
                *part = line;
            }
        }
        Some(parts)
    }
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
