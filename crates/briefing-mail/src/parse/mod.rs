//! From the bytes of a message to a [`Mail`].

mod charset;
mod fields;
mod files;
mod guard;
pub(crate) mod headers;
mod ids;
pub mod limits;
mod transfer;
mod walk;

use std::borrow::Cow;
use std::sync::Arc;

use self::files::{File, Files};
use self::headers::Headers;
use self::limits::{MAX_BODY, MAX_HTML, MAX_LINE_SEARCH, MAX_MESSAGE};
use self::walk::{Leaf, Parent};
use crate::finding::{Field, Finding, Place};
use crate::html::html_to_text;
use briefing::log::{AttachmentId, Delivery, Direction, Mail, MessageId};
use briefing::texts::MAIL_CUT;

/// A message that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The mail, inbound until [`mark_outbound`] says otherwise. A body of which not all was kept ends with a line that says
    /// so.
    pub mail: Mail,
    /// The content of its attachments, decoded, in their order. A file that the size limit cut is not here.
    pub files: Vec<(AttachmentId, Vec<u8>)>,
    /// What could not be read, or not whole; each once, the first [`MAX_FINDINGS`](limits::MAX_FINDINGS).
    pub findings: Vec<Finding>,
}

/// What was found so far; each finding once.
#[derive(Debug, Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn push(&mut self, finding: Finding) {
        if self.0.len() < limits::MAX_FINDINGS && !self.0.contains(&finding) {
            self.0.push(finding);
        }
    }
}

/// Reads one message (RFC 5322, MIME). Never fails and never panics: what cannot be read is a finding.
///
/// Of a message longer than [`MAX_MESSAGE`] only the beginning is read. Nested messages are listed as attachments and not
/// opened, so their text is never taken for this one's.
#[must_use]
pub fn parse(raw: &[u8]) -> Parsed {
    parse_cut(raw, u64::try_from(raw.len()).unwrap_or(u64::MAX))
}

/// Reads the beginning of a message of `size` bytes.
pub(crate) fn parse_cut(raw: &[u8], size: u64) -> Parsed {
    let mut findings = Findings::default();
    let raw = raw.get(..MAX_MESSAGE).unwrap_or(raw);
    let kept = u64::try_from(raw.len()).unwrap_or(u64::MAX);
    let cut = kept < size;
    if cut {
        findings.push(Finding::TooLarge { size, kept });
    }
    let raw = &*line_feeds(envelope_stripped(raw));
    let (root, _) = headers::read(raw, |_| false);
    if root.fields == 0 {
        findings.push(Finding::NoHeaders);
    }
    if root.bad_lines > 0 {
        findings.push(Finding::BadHeaderLines { lines: root.bad_lines });
    }
    let mut mail = head(&root, &mut findings);
    let leaves = walk::walk(raw, &mut findings);
    let lost = cut.then(|| Lost { at: raw.len(), bytes: size - kept });
    let (body, files) = content(&leaves, lost, &mut findings);
    mail.body = body;
    let (attachments, files) = files.finish();
    mail.attachments = attachments;
    Parsed { mail, files, findings: findings.0 }
}

/// The end of a message that was not read.
#[derive(Debug, Clone, Copy)]
struct Lost {
    /// Where it begins.
    at: usize,
    /// How long it is.
    bytes: u64,
}

/// A message whose lines end in a carriage return alone, as old Macs wrote them, with line feeds instead. It shows by having
/// no line feed where any other message has many.
pub(crate) fn line_feeds(raw: &[u8]) -> Cow<'_, [u8]> {
    let start = raw.get(..MAX_LINE_SEARCH).unwrap_or(raw);
    if start.contains(&b'\n') || !start.contains(&b'\r') {
        return Cow::Borrowed(raw);
    }
    let mut out = raw.to_vec();
    for (at, byte) in out.iter_mut().enumerate() {
        if *byte == b'\r' && raw.get(at + 1) != Some(&b'\n') {
            *byte = b'\n';
        }
    }
    Cow::Owned(out)
}

/// Without what mailboxes put before a message: a byte order mark, blank lines, a `From ` line.
fn envelope_stripped(raw: &[u8]) -> &[u8] {
    let mut raw = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw);
    while let [b'\r' | b'\n', rest @ ..] = raw {
        raw = rest;
    }
    while raw.starts_with(b"From ") || raw.starts_with(b">From ") {
        let end = headers::line_end(raw, 0).unwrap_or(raw.len());
        raw = raw.get(end..).unwrap_or_default();
    }
    raw
}

fn head(root: &Headers<'_>, findings: &mut Findings) -> Mail {
    let mut ids = |field, value: Option<&[u8]>| value.map(|value| ids::read(field, value, findings)).unwrap_or_default();
    let message_id: Option<MessageId> = ids(Field::MessageId, root.message_id).into_iter().next();
    let in_reply_to = ids(Field::InReplyTo, root.in_reply_to);
    let references = ids(Field::References, root.references);
    Mail {
        direction: Direction::Inbound,
        message_id,
        in_reply_to,
        references,
        date: root.date.and_then(|value| fields::date(value, findings)),
        from: fields::addresses(Field::From, root.from, findings),
        to: fields::addresses(Field::To, root.to.iter().copied(), findings),
        cc: fields::addresses(Field::Cc, root.cc.iter().copied(), findings),
        subject: root.subject.and_then(|value| fields::subject(value, findings)),
        body: None,
        attachments: Vec::new(),
    }
}

/// One piece of the readable body: a text that stands alone, or the versions of one that alternate.
#[derive(Debug, Default)]
struct Section {
    alternative: Option<usize>,
    text: Option<String>,
    html: Option<String>,
}

/// The readable body and the files.
fn content(leaves: &[Leaf<'_>], lost: Option<Lost>, findings: &mut Findings) -> (Option<Arc<str>>, Files) {
    let mut sections: Vec<Section> = Vec::new();
    let mut files = Files::default();
    for (at, leaf) in leaves.iter().enumerate() {
        let part = at + 1;
        let kind = files::media_type(leaf);
        let encoding = leaf.headers.transfer_encoding;
        let bytes = transfer::decode(leaf.body, encoding, part, findings);
        let disposition =
            leaf.headers.content_disposition.and_then(|value| fields::parameters(Field::ContentDisposition, value, findings));
        let filename = files::filename(leaf, disposition.as_ref());
        if let Some(version) = version(leaf, &kind, disposition.as_ref().map(|value| value.kind.as_str()), filename.is_some()) {
            let label = leaf.content_type.as_ref().and_then(|kind| kind.get("charset"));
            let html = version == Version::Html;
            let own = if html && label.is_none() { charset::named_in_html(&bytes) } else { None };
            let text = charset::decode(&bytes, label.or(own.as_deref()), Place::Part(part), findings);
            section(&mut sections, leaf.alternative).put(version, text);
        } else {
            let lost = lost.filter(|lost| lost.at == leaf.end);
            let size = match lost {
                None => u64::try_from(bytes.len()).ok(),
                Some(lost) => files::size_of_cut(leaf, disposition.as_ref(), bytes.len(), lost.bytes),
            };
            let file = File { media_type: kind, filename, size, content: bytes.into_owned(), whole: lost.is_none() };
            files.push(leaf, disposition.as_ref(), file);
        }
    }
    let cut = lost.is_some() || findings.0.iter().any(|finding| matches!(finding, Finding::TooManyParts { .. }));
    (join(&sections, cut, findings), files)
}

/// Which version of the body a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Text,
    Html,
}

/// Whether a part belongs to the readable body (the rule of RFC 8621, 4.1.4); else it is a file.
fn version(leaf: &Leaf<'_>, kind: &str, disposition: Option<&str>, named: bool) -> Option<Version> {
    let version = match kind {
        "text/plain" => Version::Text,
        "text/html" => Version::Html,
        // The text of a message is shown, whatever it calls itself.
        _ if leaf.parent == Parent::None && kind.starts_with("text/") => Version::Text,
        _ => return None,
    };
    if disposition == Some("attachment") {
        return None;
    }
    match leaf.parent {
        Parent::None | Parent::First => Some(version),
        Parent::Other | Parent::Digest => (!named).then_some(version),
        Parent::Related => None,
    }
}

fn section(sections: &mut Vec<Section>, alternative: Option<usize>) -> &mut Section {
    let at = match sections.iter().position(|section| alternative.is_some() && section.alternative == alternative) {
        Some(at) => at,
        None => {
            sections.push(Section { alternative, ..Section::default() });
            sections.len() - 1
        }
    };
    #[expect(clippy::indexing_slicing, reason = "the place was just found or pushed")]
    &mut sections[at]
}

impl Section {
    fn put(&mut self, version: Version, more: String) {
        let slot = match version {
            Version::Text => &mut self.text,
            Version::Html => &mut self.html,
        };
        match slot {
            Some(text) => {
                text.push('\n');
                text.push_str(&more);
            }
            None => *slot = Some(more),
        }
    }
}

/// The sections one after another, a blank line between; behind them, if they or what follows were cut, a line that says so.
fn join(sections: &[Section], rest_lost: bool, findings: &mut Findings) -> Option<Arc<str>> {
    let mut body = String::new();
    let mut cut = false;
    for section in sections {
        let readable = readable_body(section.text.as_deref(), section.html.as_deref());
        cut |= section.html.as_ref().is_some_and(|html| html.len() > MAX_HTML) && is_blank(section.text.as_deref());
        let Some(readable) = readable else { continue };
        if !body.is_empty() {
            body.truncate(body.trim_end().len());
            body.push_str("\n\n");
        }
        body.push_str(&readable);
        if body.len() > MAX_BODY {
            cut = true;
            break;
        }
    }
    if cut || rest_lost {
        // The line has its place within the limit.
        body.truncate(body.floor_char_boundary(MAX_BODY - MAIL_CUT.len() - 1));
        cut.then(|| findings.push(Finding::BodyCut { kept: body.len() }));
        if !body.is_empty() && !body.ends_with('\n') {
            body.push('\n');
        }
        body.push_str(MAIL_CUT);
    }
    (!body.is_empty()).then(|| body.into())
}

/// What a reader would see: the plain text as it is, unless it is blank; else the HTML as text; else nothing.
///
/// Blank means nothing but white space and characters that show nothing.
#[must_use]
pub fn readable_body(text: Option<&str>, html: Option<&str>) -> Option<String> {
    match text {
        Some(text) if !is_blank(Some(text)) => Some(text.to_owned()),
        _ => html.map(html_to_text).filter(|text| !is_blank(Some(text))),
    }
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| {
        text.chars().all(|c| c.is_whitespace() || "\u{ad}\u{34f}\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}".contains(c))
    })
}

/// Takes a mail for sent by the persona if its first author has that address. A From is easily forged: use it on the
/// persona's own archive, not on mail that strangers deliver.
pub fn mark_outbound(mail: &mut Mail, persona: &str) {
    if mail.from.first().is_some_and(|author| author.same_mailbox(persona)) {
        mail.direction = Direction::Outbound(Delivery::Sent);
    }
}
