//! Valid files with a few bytes changed: they are read or refused, and nothing panics outside of its guard.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod common;

use std::panic::{catch_unwind, set_hook};
use std::time::Duration;

use briefing_extract::{Crash, ExtractError, Extraction, Format, Limits, extract_here};
use common::{archive, document, lines, ods, pages, paragraph, pdf, xlsx_entries};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// How many mutated files are given to children.
const CHILDREN: u32 = 50;

/// A change: where, by a fraction of the whole, and what is put there for how many bytes.
#[derive(Debug, Clone)]
struct Change {
    at: u16,
    gone: usize,
    new: Vec<u8>,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let new = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..4),
        prop::sample::select(vec![
            "<",
            "</w:p>",
            "<w:tc>",
            "&#0;",
            "99999999999",
            "-1",
            "0 R",
            "<<",
            "]]>",
            "\u{feff}",
            "r=\"A0\""
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    let change = (any::<u16>(), 0_usize..6, new).prop_map(|(at, gone, new)| Change { at, gone, new });
    prop::collection::vec(change, 1..5)
}

fn mutate(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for Change { at, gone, new } in changes {
        let start = usize::from(*at) * bytes.len() / 65_536;
        let end = (start + gone).min(bytes.len());
        bytes.splice(start..end, new.iter().copied());
    }
    bytes
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

fn is_sound(result: &Result<Extraction, ExtractError>, limits: &Limits) {
    match result {
        Ok(extraction) => {
            assert!(extraction.text.chars().count() <= limits.chars);
            assert!(!extraction.text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        }
        Err(ExtractError::Broken { detail }) => assert!(detail.chars().count() <= 200),
        Err(ExtractError::Unsupported | ExtractError::Encrypted | ExtractError::UnpacksTooLarge { .. }) => {}
        Err(ExtractError::Crashed { how: Crash::Panic }) => {}
        Err(error) => panic!("{error:?}"),
    }
}

/// A file, or what is packed into one.
enum Sample {
    Flat(Format, Vec<u8>),
    Packed(Format, Vec<(String, Vec<u8>)>),
}

impl Sample {
    /// With the changes in it: in an archive, in the entry that this number picks, or in the archive itself.
    fn mutated(&self, pick: usize, changes: &[Change]) -> (Format, Vec<u8>) {
        match self {
            Self::Flat(format, bytes) => (*format, mutate(bytes, changes)),
            Self::Packed(format, entries) => {
                let picked = pick % (entries.len() + 1);
                let mut entries = entries.clone();
                if let Some((_, bytes)) = entries.get_mut(picked) {
                    *bytes = mutate(bytes, changes);
                }
                let packed =
                    archive(&entries.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect::<Vec<_>>());
                (*format, if picked == entries.len() { mutate(&packed, changes) } else { packed })
            }
        }
    }
}

fn samples() -> Vec<Sample> {
    let rows =
        "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" s=\"1\"><v>46356</v></c></row><row><c><v>1.5</v></c></row>";
    let body = document(&(paragraph("a &lt; b") + "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>"));
    let workbook = xlsx_entries(&[("A", rows), ("B", "")]).into_iter().map(|(name, text)| (name, text.into_bytes()));
    vec![
        Sample::Flat(Format::Text, "zwölf Räder\r\n\tund € mehr".into()),
        Sample::Flat(Format::Csv, b"a;b\r\n1;\"2\r\n3\"\r\n".to_vec()),
        Sample::Flat(
            Format::Html,
            b"<html><meta charset=utf-8><table><tr><td>a<td>b</table><p>c &amp; d<a href='http://a'>e</a>".to_vec(),
        ),
        Sample::Packed(Format::Docx, vec![("word/document.xml".to_owned(), body.into_bytes())]),
        Sample::Packed(Format::Sheet, workbook.collect()),
    ]
}

#[test]
fn mutated_files_are_read_or_refused() {
    // Panics of the readers are expected, and many.
    set_hook(Box::new(|_| {}));
    let samples = samples();
    let limits = Limits { chars: 200, rows: 20, unpacked_bytes: 1 << 20, ..Limits::default() };
    let strategy = (0..samples.len(), any::<usize>(), changes());
    let result = runner(Config::default().cases).run(&strategy, |(sample, pick, changes)| {
        let (format, bytes) = samples[sample].mutated(pick, &changes);
        let result = catch_unwind(|| extract_here(format, &bytes, &limits));
        let result = result.map_err(|_| TestCaseError::fail("a panic got out"))?;
        is_sound(&result, &limits);
        Ok(())
    });
    result.unwrap();
}

#[test]
fn mutated_files_end_a_child_at_most() {
    let cell = "<table:table-cell office:value-type=\"string\" table:number-columns-repeated=\"2\"><text:p>a</text:p>\
                </table:table-cell>";
    let samples = [
        (Format::Pdf, pdf(&pages(&[&lines(&["one", "two"]), &lines(&["three"])]))),
        (Format::Pdf, pdf(&pages(&[&lines(&["one"])]))),
        (Format::Sheet, ods(&format!("<table:table-row>{cell}</table:table-row>"))),
    ];
    let limits = Limits { time: Duration::from_secs(5), ..Limits::default() };
    let extractor = common::extractor().limits(limits);
    let strategy = (0..samples.len(), changes());
    let result = runner(CHILDREN).run(&strategy, |(sample, changes)| {
        let (format, bytes) = &samples[sample];
        let result = extractor.extract(*format, &mutate(bytes, &changes));
        match result {
            Err(ExtractError::TimedOut { .. } | ExtractError::Memory { .. } | ExtractError::Crashed { .. }) => {}
            Ok(_) | Err(_) => is_sound(&result, &limits),
        }
        Ok(())
    });
    result.unwrap();
}
