//! PDF: the text of the pages, parted by empty lines.

use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{ConvertToFmt, Dictionary, Document, Error, Object, ObjectId, OutputError, PlainTextOutput, output_doc_page};

use crate::text::{Out, tidy};
use crate::{ExtractError, Extraction, Limits, Partial};

/// How deep a tree of pages may be.
const MAX_TREE: usize = 256;

/// The size of a page that has none, in points.
const LETTER: [i64; 4] = [0, 0, 612, 792];

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Extraction, ExtractError> {
    let mut document = Document::load_mem(bytes).map_err(fault)?;
    // Many files have an empty password, which only says what may be done with them. The loader tries that one, and leaves this
    // entry if it is wrong.
    if document.trailer.has(b"Encrypt") {
        return Err(ExtractError::Encrypted);
    }
    drop_pictures(&mut document);
    let pages = document.get_pages();
    if pages.is_empty() {
        return Err(ExtractError::broken("it has no pages"));
    }
    let mut out = Out::new(limits.chars);
    let (mut unreadable, mut full) = (0, false);
    for (&number, &id) in pages.iter().take(limits.pages) {
        let Some(page) = page(&mut document, number, id, limits.chars) else {
            unreadable += 1;
            continue;
        };
        if !out.is_empty() && !page.text.is_empty() {
            out.push_str("\n\n");
        }
        out.push_str(&page.text);
        full = page.full || out.is_cut();
        if full {
            break;
        }
    }
    let read = pages.len().min(limits.pages);
    let partial = if full {
        Some(Partial::Chars { most: limits.chars })
    } else if unreadable > 0 && unreadable == read {
        return Err(ExtractError::broken("none of its pages can be read"));
    } else if read < pages.len() {
        Some(Partial::Pages { read, of: pages.len() })
    } else if unreadable > 0 {
        Some(Partial::Unreadable { parts: unreadable })
    } else {
        out.is_empty().then_some(Partial::NoText)
    };
    Ok(Extraction { text: out.into_text(), partial })
}

/// A page's text; none if it cannot be read.
fn page(document: &mut Document, number: u32, id: ObjectId, chars: usize) -> Option<Raw> {
    give_size(document, id)?;
    let mut text = Raw { text: String::new(), room: chars.saturating_mul(RAW_CHARS), full: false };
    let read = catch_unwind(AssertUnwindSafe(|| {
        let mut output = PlainTextOutput::new(&mut text);
        output_doc_page(document, &mut output, number)
    }));
    match read {
        Ok(Ok(())) => {}
        Ok(Err(_)) if text.full => {}
        Ok(Err(_)) | Err(_) => return None,
    }
    Some(Raw { text: tidy(&text.text), ..text })
}

/// The reader writes more than remains: spaces and line ends, up to so many for a character.
const RAW_CHARS: usize = 4;

/// Takes what the reader writes until there is no room, which stops it.
struct Raw {
    text: String,
    room: usize,
    full: bool,
}

impl fmt::Write for &mut Raw {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            let Some(room) = self.room.checked_sub(1) else {
                self.full = true;
                return Err(fmt::Error);
            };
            self.room = room;
            self.text.push(c);
        }
        Ok(())
    }
}

impl ConvertToFmt for &mut Raw {
    type Writer = Self;

    fn convert(self) -> Self {
        self
    }
}

/// Gives the page a size of its own if it inherits none, since the reader panics without; texts do not depend on it. None if
/// the way up from the page to the root of the tree has no end, which the reader would follow.
fn give_size(document: &mut Document, page: ObjectId) -> Option<()> {
    let (mut seen, mut sized) = (HashSet::new(), false);
    let mut id = Some(page);
    while let Some(node) = id {
        if !seen.insert(node) || seen.len() > MAX_TREE {
            return None;
        }
        let dictionary = document.get_dictionary(node).ok();
        let size = dictionary.and_then(|node| node.get_deref(b"MediaBox", document).and_then(Object::as_array).ok());
        sized |= size.is_some_and(|size| size.len() == 4);
        id = dictionary.and_then(|node| node.get(b"Parent").and_then(Object::as_reference).ok());
    }
    if !sized {
        let page = document.get_dictionary_mut(page).ok()?;
        page.set("MediaBox", LETTER.map(Object::Integer).to_vec());
    }
    Some(())
}

/// Empties the pictures: the reader takes each that a page draws for a part of the page.
fn drop_pictures(document: &mut Document) {
    let is_picture = |dict: &Dictionary| dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image");
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && is_picture(&stream.dict)
        {
            stream.dict.remove(b"Filter");
            stream.content = Vec::new();
        }
    }
}

fn fault(error: Error) -> ExtractError {
    match error {
        Error::InvalidPassword | Error::Decryption(_) | Error::UnsupportedSecurityHandler(_) => ExtractError::Encrypted,
        other => ExtractError::broken(OutputError::PdfError(other)),
    }
}
