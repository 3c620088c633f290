//! Files that cannot go to the model read as a line, so that one picture never makes a whole thread unsendable.

use std::sync::Arc;

use crate::fit::bounds::Limits;
use crate::fit::receipt::FileReason;
use crate::fit::unit::{Round, Unit};
use crate::message::{Media, MediaSource, Outcome, Part, User};
use crate::profile::ModelProfile;
use crate::texts;
use crate::wire::{Dialect, Wire};

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

    /// The unit with each file that cannot go replaced by a line, and why; none if all can go.
    pub(crate) fn pass(&mut self, unit: &Unit) -> Option<(Unit, Vec<FileReason>)> {
        let mut reasons = Vec::new();
        let unit = match unit {
            Unit::System(_) => return None,
            Unit::User(user) => {
                let parts = self.parts(&user.parts, &mut reasons)?;
                Unit::User(Arc::new(User { parts, extra: user.extra.clone() }))
            }
            Unit::Round(round) => Unit::Round(self.round(round, &mut reasons)?),
        };
        Some((unit, reasons))
    }

    fn round(&mut self, round: &Round, reasons: &mut Vec<FileReason>) -> Option<Round> {
        let mut outcomes: Vec<Arc<Outcome>> = round.outcomes().to_vec();
        let mut changed = false;
        for outcome in outcomes.iter_mut().rev() {
            if let Some(parts) = self.parts(&outcome.parts, reasons) {
                *outcome = Arc::new(Outcome { parts, ..Outcome::clone(outcome) });
                changed = true;
            }
        }
        changed.then(|| round.with_outcomes(outcomes))
    }

    fn parts(&mut self, parts: &[Part], reasons: &mut Vec<FileReason>) -> Option<Vec<Part>> {
        let mut lines: Vec<(usize, Part)> = Vec::new();
        for (at, part) in parts.iter().enumerate().rev() {
            let (what, media) = match part {
                Part::Image(media) => ("image", media),
                Part::Document(media) => ("document", media),
                Part::Text(_) | Part::Native(_) => continue,
            };
            match self.refuses(media, matches!(part, Part::Document(_))) {
                None => self.left -= 1,
                Some(why) => {
                    reasons.push(why);
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

    fn refuses(&self, media: &Media, document: bool) -> Option<FileReason> {
        let takes = if document { self.profile.documents } else { self.profile.vision };
        if !takes {
            return Some(FileReason::Model);
        }
        let known = match (&media.source, document) {
            (MediaSource::Data(_), true) => &*media.media_type == "application/pdf",
            (MediaSource::Data(_), false) => {
                matches!(&*media.media_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
            }
            (MediaSource::Url(_), true) => self.profile.wire == Wire::Anthropic || self.profile.dialect == Dialect::Mistral,
            (MediaSource::File { .. }, false) => self.profile.wire == Wire::Anthropic,
            (MediaSource::Url(_), false) | (MediaSource::File { .. }, true) => true,
        };
        match &media.source {
            MediaSource::Data(bytes) if bytes.encoded_len() == 0 => Some(FileReason::Missing),
            MediaSource::Url(text) | MediaSource::File { id: text, .. } if text.is_empty() => Some(FileReason::Missing),
            MediaSource::File { wire, .. } if *wire != self.profile.wire => Some(FileReason::Elsewhere),
            MediaSource::Data(bytes) if bytes.encoded_len() as u64 > self.limits.image_bytes => Some(FileReason::TooLarge),
            _ if !known => Some(FileReason::Type),
            _ if self.left == 0 => Some(FileReason::TooMany),
            _ => None,
        }
    }
}

/// The size in bytes of the file itself, as near as it is known.
fn size(media: &Media) -> usize {
    match &media.source {
        MediaSource::Data(bytes) => bytes.encoded_len() / 4 * 3,
        MediaSource::Url(_) | MediaSource::File { .. } => 0,
    }
}
