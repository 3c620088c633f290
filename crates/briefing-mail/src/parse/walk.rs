//! The MIME structure (RFC 2046, 5.1), in one pass over the lines and without recursion.
//!
//! mail-parser finds the structure too, but scans to the end for each boundary that never comes and drops nested messages
//! recursively. So it reads fields and encodings here, and the walk is ours: each line is compared with the at most
//! [`MAX_DEPTH`] boundaries that are open.

use super::Findings;
use super::fields::{Parameters, parameters};
use super::headers::{self, Headers, line_end};
use super::limits::{MAX_DEPTH, MAX_PARTS};
use crate::finding::{Field, Finding};

/// A part that is not a multipart.
#[derive(Debug)]
pub(super) struct Leaf<'a> {
    pub(super) headers: Headers<'a>,
    /// Its Content-Type, where it has one that can be read.
    pub(super) content_type: Option<Parameters>,
    pub(super) body: &'a [u8],
    /// Where the body ends in the message.
    pub(super) end: usize,
    pub(super) parent: Parent,
    /// The outermost multipart/alternative around it, by number.
    pub(super) alternative: Option<usize>,
}

/// How a part stands in its multipart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent {
    /// It is the whole message.
    None,
    /// The first part of a multipart.
    First,
    /// A later part of a multipart/related.
    Related,
    /// A later part of another multipart.
    Other,
    /// Any part of a multipart/digest: a message unless it says otherwise.
    Digest,
}

/// A multipart that is open.
struct Level {
    boundary: Vec<u8>,
    kind: Kind,
    alternative: Option<usize>,
    begun: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Alternative,
    Related,
    Digest,
    Mixed,
}

/// A line that ends a part.
struct Delimiter {
    /// Where its line begins and ends.
    start: usize,
    end: usize,
    /// Whose it is.
    level: usize,
    /// Whether it closes that multipart.
    close: bool,
}

/// What became of a multipart.
enum Opened {
    /// It is open; its parts follow.
    Yes,
    /// It is left as it is.
    TooDeep,
    /// It has no boundary.
    No,
}

/// The parts of a message, in order.
pub(super) fn walk<'a>(raw: &'a [u8], findings: &mut Findings) -> Vec<Leaf<'a>> {
    let mut walk = Walk { raw, levels: Vec::new(), leaves: Vec::new(), alternatives: 0, too_deep: 0, findings };
    let mut pos = Some(0);
    while let Some(start) = pos {
        if walk.leaves.len() == MAX_PARTS {
            walk.findings.push(Finding::TooManyParts { kept: MAX_PARTS });
            break;
        }
        let next = walk.entity(start);
        pos = walk.next_part(next);
        if pos.is_none() && !walk.levels.is_empty() {
            walk.findings.push(Finding::Unclosed);
        }
    }
    if walk.too_deep > 0 {
        walk.findings.push(Finding::TooDeep { left: walk.too_deep });
    }
    walk.leaves
}

struct Walk<'a, 'f> {
    raw: &'a [u8],
    levels: Vec<Level>,
    leaves: Vec<Leaf<'a>>,
    alternatives: usize,
    too_deep: usize,
    findings: &'f mut Findings,
}

impl<'a> Walk<'a, '_> {
    /// Reads one entity: opens a multipart, or adds a leaf. Gives the delimiter behind it.
    fn entity(&mut self, start: usize) -> Option<Delimiter> {
        let (headers, length) = headers::read(self.raw.get(start..).unwrap_or_default(), |line| self.matches(line).is_some());
        let body = start + length;
        let content_type = headers.content_type.and_then(|value| parameters(Field::ContentType, value, self.findings));
        let parent = self.enter();
        let leaf = Leaf { headers, content_type, body: &[], end: body, parent, alternative: self.alternative() };
        if leaf.content_type.as_ref().is_none_or(|kind| kind.kind != "multipart") {
            return self.leaf(leaf, body);
        }
        match self.open(leaf.content_type.as_ref()) {
            Opened::Yes => match self.delimiter(body) {
                Some(next) if next.level + 1 == self.levels.len() && !next.close => Some(next),
                _ => {
                    self.levels.pop();
                    self.unopened(leaf, body)
                }
            },
            Opened::TooDeep => {
                self.too_deep += 1;
                self.leaf(leaf, body)
            }
            Opened::No => self.unopened(leaf, body),
        }
    }

    /// A multipart that cannot be one is text.
    fn unopened(&mut self, mut leaf: Leaf<'a>, body: usize) -> Option<Delimiter> {
        self.findings.push(Finding::NoBoundary { part: self.leaves.len() + 1 });
        leaf.content_type = None;
        self.leaf(leaf, body)
    }

    fn leaf(&mut self, mut leaf: Leaf<'a>, body: usize) -> Option<Delimiter> {
        let next = self.delimiter(body);
        leaf.end = next.as_ref().map_or(self.raw.len(), |next| next.start);
        leaf.body = self.raw.get(body..leaf.end).unwrap_or_default();
        if next.is_some() {
            // The line end before a delimiter belongs to the delimiter.
            leaf.body = leaf.body.strip_suffix(b"\n").unwrap_or(leaf.body);
            leaf.body = leaf.body.strip_suffix(b"\r").unwrap_or(leaf.body);
        }
        self.leaves.push(leaf);
        next
    }

    /// How the entity that begins here stands in its multipart.
    fn enter(&mut self) -> Parent {
        let Some(level) = self.levels.last_mut() else { return Parent::None };
        let first = !std::mem::replace(&mut level.begun, true);
        match level.kind {
            Kind::Digest => Parent::Digest,
            Kind::Alternative | Kind::Related | Kind::Mixed if first => Parent::First,
            Kind::Related => Parent::Related,
            Kind::Alternative | Kind::Mixed => Parent::Other,
        }
    }

    fn alternative(&self) -> Option<usize> {
        self.levels.last().and_then(|level| level.alternative)
    }

    fn open(&mut self, content_type: Option<&Parameters>) -> Opened {
        let boundary = content_type.and_then(|kind| kind.get("boundary"));
        let (Some(content_type), Some(boundary)) = (content_type, boundary) else { return Opened::No };
        if self.levels.len() == MAX_DEPTH {
            return Opened::TooDeep;
        }
        let kind = match content_type.subtype.as_str() {
            "alternative" => Kind::Alternative,
            "related" => Kind::Related,
            "digest" => Kind::Digest,
            _ => Kind::Mixed,
        };
        let mut alternative = self.alternative();
        if kind == Kind::Alternative && alternative.is_none() {
            alternative = Some(self.alternatives);
            self.alternatives += 1;
        }
        self.levels.push(Level { boundary: boundary.trim_end().into(), kind, alternative, begun: false });
        Opened::Yes
    }

    /// Where the next part begins. Closes what the delimiter closes; what follows a closed multipart is passed over.
    fn next_part(&mut self, next: Option<Delimiter>) -> Option<usize> {
        let mut next = next?;
        loop {
            self.levels.truncate(next.level + 1);
            if !next.close {
                return Some(next.end);
            }
            self.levels.pop();
            next = self.delimiter(next.end)?;
        }
    }

    /// The next line, from `pos` on, that delimits a part of any open multipart.
    fn delimiter(&self, mut pos: usize) -> Option<Delimiter> {
        if self.levels.is_empty() {
            return None;
        }
        while let Some(end) = line_end(self.raw, pos) {
            let line = self.raw.get(pos..end).unwrap_or_default();
            if let Some((level, close)) = self.matches(line) {
                return Some(Delimiter { start: pos, end, level, close });
            }
            pos = end;
        }
        None
    }

    /// Whose delimiter the line is, innermost first, and whether it closes.
    fn matches(&self, line: &[u8]) -> Option<(usize, bool)> {
        let line = line.strip_prefix(b"--")?.trim_ascii_end();
        self.levels.iter().enumerate().rev().find_map(|(at, level)| match line.strip_prefix(level.boundary.as_slice())? {
            b"" => Some((at, false)),
            b"--" => Some((at, true)),
            _ => None,
        })
    }
}
