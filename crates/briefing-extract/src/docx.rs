//! DOCX: the text of the body, then of the footnotes and endnotes. Headers, footers, comments, deletions and the text within
//! charts are left out.
//!
//! Office Open XML (ECMA-376): a paragraph is a line, cells of a table row are parted by a tab. Of entities only those that XML
//! itself defines are read; no document type is.

use std::io::{BufRead, BufReader, Read};

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, Event};

use crate::archive::{self, Archive, Counted, Holds};
use crate::format::find;
use crate::text::{Out, tidy};
use crate::{ExtractError, Extraction, Limits, Partial, sheet};

/// How many elements may stand inside one another.
const MAX_DEPTH: usize = 256;

/// How the name of a part begins; all end in `.xml`, some programs put a number between.
const BODY: &str = "word/document";
const NOTES: [&str; 2] = ["word/footnotes", "word/endnotes"];

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Extraction, ExtractError> {
    if is_compound(bytes) {
        return Err(if is_encrypted(bytes) { ExtractError::Encrypted } else { ExtractError::Unsupported });
    }
    let mut archive = archive::open(bytes, limits)?;
    match archive::holds(&mut archive) {
        Holds::Docx => read_archive(&mut archive, limits),
        Holds::Xlsx | Holds::Xlsb | Holds::Ods => sheet::read(bytes, limits),
        Holds::Other => Err(ExtractError::Unsupported),
    }
}

/// Whether it is a compound file, the container of old Office files and of encrypted new ones.
pub(crate) fn is_compound(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0])
}

/// Whether a compound file holds an encrypted package (MS-OFFCRYPTO, 2.3.4.4): its directory names that in UTF-16.
pub(crate) fn is_encrypted(bytes: &[u8]) -> bool {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    find(bytes, &name)
}

pub(crate) fn read_archive(archive: &mut Archive<'_>, limits: &Limits) -> Result<Extraction, ExtractError> {
    let mut left = u64::try_from(limits.unpacked_bytes).unwrap_or(u64::MAX);
    let mut body = Body::new(limits.chars);
    let mut partial = None;
    for name in [BODY].into_iter().chain(NOTES) {
        let Some(name) = archive::name(archive, name, ".xml") else { continue };
        let entry = archive.by_name(&name).map_err(archive::fault)?;
        let mut counted = Counted { inner: entry.take(left.saturating_add(1)), bytes: 0 };
        let end = body.read(BufReader::new(&mut counted));
        let over = counted.bytes > left;
        left = left.saturating_sub(counted.bytes);
        match end {
            _ if over => partial = Some(Partial::Bytes { most: limits.unpacked_bytes }),
            Err(detail) if body.out.is_empty() => return Err(ExtractError::broken(detail)),
            Err(_) => partial = partial.or(Some(Partial::Damaged)),
            Ok(()) => {}
        }
        if body.out.is_cut() || over {
            break;
        }
    }
    let partial = if body.out.is_cut() { Some(Partial::Chars { most: limits.chars }) } else { partial };
    Ok(Extraction { text: tidy(&body.out.into_text()), partial })
}

/// What is read, and where in it the reader is.
struct Body {
    out: Out,
    depth: usize,
    /// How deep it is in something that is left out.
    skipped: usize,
    runs: usize,
    texts: usize,
    cells: usize,
    /// A paragraph ended within a cell.
    gap: bool,
}

impl Body {
    fn new(chars: usize) -> Self {
        Self { out: Out::new(chars), depth: 0, skipped: 0, runs: 0, texts: 0, cells: 0, gap: false }
    }

    /// Reads one part to its end, or until there is no room.
    fn read(&mut self, part: impl BufRead) -> Result<(), String> {
        (self.depth, self.skipped, self.runs, self.texts, self.cells, self.gap) = (0, 0, 0, 0, 0, false);
        let mut xml = Reader::from_reader(part);
        let mut buffer = Vec::new();
        while !self.out.is_cut() {
            buffer.clear();
            match xml.read_event_into(&mut buffer).map_err(|error| error.to_string())? {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err("its elements are nested too deeply".to_owned());
                    }
                    self.open(tag.local_name().as_ref());
                }
                Event::End(tag) => {
                    self.depth = self.depth.saturating_sub(1);
                    self.close(tag.local_name().as_ref());
                }
                Event::Empty(tag) => {
                    self.open(tag.local_name().as_ref());
                    self.close(tag.local_name().as_ref());
                }
                Event::Text(text) => self.text(&text),
                Event::CData(text) => self.text(&text),
                Event::GeneralRef(reference) => self.reference(&reference),
                Event::Eof if self.depth > 0 => return Err("it ends too early".to_owned()),
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
        self.out.push('\n');
        Ok(())
    }

    fn open(&mut self, name: &str) {
        // A fallback says again what the choice before it says; what was moved stands at its new place.
        if self.skipped > 0 || matches!(name, "Fallback" | "moveFrom") {
            self.skipped += 1;
            return;
        }
        match name {
            "r" => self.runs += 1,
            "t" => self.texts += 1,
            "tc" => self.cells += 1,
            // Outside of a run it defines a stop.
            "tab" if self.runs > 0 => self.put(if self.cells > 0 { ' ' } else { '\t' }),
            "br" | "cr" if self.runs > 0 => self.line(),
            "noBreakHyphen" => self.put('-'),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match name {
            "r" => self.runs = self.runs.saturating_sub(1),
            "t" => self.texts = self.texts.saturating_sub(1),
            "p" => self.line(),
            "tc" => {
                self.cells = self.cells.saturating_sub(1);
                self.gap = self.cells > 0;
                if self.cells == 0 {
                    self.out.push('\t');
                }
            }
            "tr" if self.cells == 0 => self.out.push('\n'),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.texts > 0 && self.skipped == 0 {
            for c in text.chars() {
                if self.out.is_cut() {
                    return;
                }
                self.put(if c == '\n' || c == '\r' { ' ' } else { c });
            }
        }
    }

    fn reference(&mut self, reference: &BytesRef<'_>) {
        match reference.resolve_char_ref() {
            Ok(Some(c)) => self.text(c.encode_utf8(&mut [0; 4])),
            Ok(None) => self.text(resolve_predefined_entity(reference).unwrap_or_default()),
            Err(_) => {}
        }
    }

    fn put(&mut self, c: char) {
        if std::mem::take(&mut self.gap) {
            self.out.push(' ');
        }
        self.out.push(c);
    }

    /// The end of a line; a space if it is within a cell, whose row is one line.
    fn line(&mut self) {
        if self.cells > 0 {
            self.gap = true;
        } else {
            self.out.push('\n');
        }
    }
}
