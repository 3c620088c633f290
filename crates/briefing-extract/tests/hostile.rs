//! Files that would do harm.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod common;

use std::fmt::Write as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use briefing_extract::{Crash, ExtractError, Extraction, Extractor, Format, Limits, MAX_UNPACKED_BYTES, Partial, extract_here};
use common::{archive, bomb, document, docx, lines, ods, pages, paragraph, part, pdf, stream, whole, xlsx, xlsx_entries};
use pdf_extract::{Document, EncryptionState, EncryptionVersion, Object, Permissions};

const GIB: u64 = 1 << 30;

/// The time is for a busy machine: all of these end by themselves, most within a tenth of a second.
fn extractor() -> Extractor {
    common::extractor().limits(Limits { time: Duration::from_secs(15), ..Limits::default() })
}

fn by_child(format: Format, bytes: &[u8]) -> Result<Extraction, ExtractError> {
    let start = Instant::now();
    let result = extractor().extract(format, bytes);
    assert!(start.elapsed() < Duration::from_secs(17), "{:?}", start.elapsed());
    result
}

/// A workbook whose last entry is 1 GiB of zeros, which deflates to 5 MiB.
static BIG: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let entries = xlsx_entries(&[("A", "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>")]);
    let entries: Vec<_> = entries.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    bomb(&entries, "xl/media/image1.png", GIB)
});

#[test]
fn a_workbook_that_unpacks_to_a_gibibyte_is_refused() {
    let error = by_child(Format::Sheet, &BIG).unwrap_err();
    assert!(matches!(error, ExtractError::UnpacksTooLarge { most: MAX_UNPACKED_BYTES }), "{error:?}");
}

#[test]
fn an_archive_within_an_archive_is_not_unpacked() {
    let body = document(&paragraph("text"));
    let file = archive(&[("word/document.xml", body.as_bytes()), ("word/embeddings/book.xlsx", &BIG)]);
    assert_eq!(by_child(Format::Docx, &file).unwrap(), whole("text"));
}

#[test]
fn a_body_that_unpacks_to_too_much_is_read_up_to_the_limit() {
    let file = bomb(&[], "word/document.xml", GIB / 8);
    assert_eq!(by_child(Format::Docx, &file).unwrap(), part("", Partial::Bytes { most: MAX_UNPACKED_BYTES }));
    let limits = Limits { unpacked_bytes: 400, ..Limits::default() };
    let file = docx(&paragraph("text").repeat(9));
    let bounded = extract_here(Format::Docx, &file, &limits).unwrap();
    assert_eq!(bounded, part("text\ntext", Partial::Bytes { most: 400 }));
}

#[test]
fn an_archive_of_many_entries_is_refused() {
    let limits = Limits { entries: 1, ..Limits::default() };
    for format in [Format::Docx, Format::Sheet] {
        let error = extract_here(format, &docx(""), &limits).unwrap_err();
        assert!(matches!(error, ExtractError::TooManyEntries { entries: 2, most: 1 }), "{error:?}");
    }
}

/// "Billion laughs".
fn laughs() -> String {
    let mut dtd = "<!DOCTYPE w [<!ENTITY a0 \"lol\">".to_owned();
    for n in 1..10 {
        write!(dtd, "<!ENTITY a{n} \"{}\">", format!("&a{};", n - 1).repeat(10)).unwrap();
    }
    dtd + "]>"
}

#[test]
fn entities_of_a_document_type_are_not_expanded() {
    let body = document(&paragraph("before &a9; after")).replacen('\n', &laughs(), 1);
    let file = archive(&[("word/document.xml", body.as_bytes())]);
    assert_eq!(by_child(Format::Docx, &file).unwrap(), whole("before  after"));
    let mut entries = xlsx_entries(&[("A", "<row r=\"1\"><c r=\"A1\" t=\"str\"><v>&a9;</v></c></row>")]);
    for (name, text) in &mut entries {
        if name.ends_with("sheet1.xml") {
            text.insert_str(0, &laughs());
        }
    }
    let entries: Vec<_> = entries.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let result = by_child(Format::Sheet, &archive(&entries));
    assert!(matches!(result, Err(ExtractError::Broken { .. })), "{result:?}");
    let text = laughs() + "<a>&a9;</a>";
    assert_eq!(by_child(Format::Text, text.as_bytes()).unwrap(), whole(&text));
}

#[test]
fn elements_within_elements_are_bounded() {
    let deep = "<w:tbl>".repeat(100_000);
    let error = by_child(Format::Docx, &docx(&deep)).unwrap_err();
    assert_eq!(error.to_string(), "the file cannot be read: its elements are nested too deeply");
    assert_eq!(by_child(Format::Docx, &docx(&(paragraph("a") + &deep))).unwrap(), part("a", Partial::Damaged));
    let html = "<div>".repeat(200_000) + "text";
    assert_eq!(by_child(Format::Html, html.as_bytes()).unwrap(), whole("text"));
}

#[test]
fn cells_far_apart_cost_nothing() {
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>";
    let text = format!("[sheet: A]\n1\n{}2", "\t".repeat(16_383));
    assert_eq!(by_child(Format::Sheet, &xlsx(&[("A", rows)])).unwrap(), whole(&text));
}

#[test]
fn a_cell_repeated_many_times_ends_the_child_at_most() {
    let row = |times: u32| {
        format!(
            "<table:table-row table:number-rows-repeated=\"{times}\"><table:table-cell table:number-columns-repeated=\"16384\" \
             office:value-type=\"string\"><text:p>lol</text:p></table:table-cell></table:table-row>"
        )
    };
    let error = by_child(Format::Sheet, &ods(&row(1_048_576))).unwrap_err();
    assert!(matches!(error, ExtractError::Broken { .. }), "{error:?}");
    // Just below what the reader itself takes for too many.
    let error = by_child(Format::Sheet, &ods(&row(6_000))).unwrap_err();
    assert!(matches!(error, ExtractError::Memory { .. } | ExtractError::TimedOut { .. }), "{error:?}");
}

#[test]
fn a_tree_of_pages_that_is_a_ring_ends() {
    let page = lines(&["text"]);
    let mut objects = pages(&[&page]);
    objects[1] = b"<< /Type /Pages /Kids [2 0 R 2 0 R 4 0 R] /Count 3 /Parent 2 0 R >>".to_vec();
    let error = by_child(Format::Pdf, &pdf(&objects)).unwrap_err();
    assert!(matches!(error, ExtractError::Broken { .. }), "{error:?}");
    let mut objects = pages(&[&page]);
    objects[1] = b"<< /Type /Pages /Kids 6 0 R /Count 1 >>".to_vec();
    objects.push(b"6 0 R".to_vec());
    assert!(by_child(Format::Pdf, &pdf(&objects)).is_err());
}

#[test]
fn a_form_that_draws_itself_ends_the_child_alone() {
    let mut objects = pages(&["/Fm Do"]);
    objects[3] =
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /XObject << /Fm 6 0 R >> >> >>"
            .to_vec();
    objects.push(stream("/Type /XObject /Subtype /Form /Resources << /XObject << /Fm 6 0 R >> >>", b"/Fm Do /Fm Do"));
    let error = by_child(Format::Pdf, &pdf(&objects)).unwrap_err();
    let crash = matches!(error, ExtractError::Crashed { how: Crash::Signal(_) });
    assert!(crash || matches!(error, ExtractError::TimedOut { .. } | ExtractError::Memory { .. }), "{error:?}");
}

#[test]
fn a_stream_of_a_pdf_that_unpacks_to_too_much_ends_the_child_alone() {
    use std::io::Write as _;
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    (0..600).for_each(|_| zlib.write_all(&[b' '; 1 << 20]).unwrap());
    let mut objects = pages(&[""]);
    objects[4] = stream("/Filter /FlateDecode", &zlib.finish().unwrap());
    let error = by_child(Format::Pdf, &pdf(&objects)).unwrap_err();
    assert!(matches!(error, ExtractError::Memory { .. }), "{error:?}");
}

#[test]
fn a_stream_that_says_it_is_huge_is_none() {
    let mut objects = pages(&[""]);
    objects[4] = b"<< /Length 99999999999 >>\nstream\nBT ET\nendstream".to_vec();
    let result = by_child(Format::Pdf, &pdf(&objects));
    assert!(matches!(result, Ok(Extraction { ref text, .. }) if text.is_empty()), "{result:?}");
}

/// A PDF under these passwords.
fn encrypted(owner_password: &str, user_password: &str) -> Vec<u8> {
    let mut document = Document::load_mem(&pdf(&pages(&[&lines(&["secret"])]))).unwrap();
    let id = Object::string_literal("0123456789abcdef");
    document.trailer.set("ID", vec![id.clone(), id]);
    let permissions = Permissions::all();
    let version = EncryptionVersion::V2 { document: &document, owner_password, user_password, key_length: 128, permissions };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    let mut file = Vec::new();
    document.save_to(&mut file).unwrap();
    file
}

#[test]
fn an_encrypted_pdf_says_so() {
    let error = by_child(Format::Pdf, &encrypted("owner", "user")).unwrap_err();
    assert!(matches!(error, ExtractError::Encrypted), "{error:?}");
    // A password for its owner alone, who bounds what others may do with it.
    assert_eq!(by_child(Format::Pdf, &encrypted("owner", "")).unwrap(), whole("secret"));
}

#[test]
fn an_encrypted_workbook_says_so() {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let file = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 600], &name].concat();
    for format in [Format::Docx, Format::Sheet] {
        let error = by_child(format, &file).unwrap_err();
        assert!(matches!(error, ExtractError::Encrypted), "{error:?}");
    }
}

#[test]
fn a_pdf_cut_off_anywhere_is_read_or_refused() {
    let texts: Vec<String> = (0..12).map(|n| lines(&[&format!("Seite {n}"), "Text"])).collect();
    let file = pdf(&pages(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
    assert!(file.len() > 3_000);
    for end in (0..file.len()).step_by(97) {
        match by_child(Format::Pdf, &file[..end]) {
            Ok(extraction) => assert!(extraction.text.len() < 400, "{extraction:?}"),
            Err(ExtractError::Broken { detail }) => assert!(detail.len() < 800),
            Err(ExtractError::Crashed { how: Crash::Panic }) => {}
            Err(error) => panic!("{end}: {error:?}"),
        }
    }
}

#[test]
fn bytes_of_chance_are_read_or_refused() {
    let mut state = 20_261_129_u64;
    let mut chance = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    let bytes: Vec<u8> = (0..20_000).map(|_| chance()).collect();
    let starts: [&[u8]; 4] = [b"", b"%PDF-1.7\n", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"];
    for start in starts {
        let bytes = [start, &bytes].concat();
        for format in [Format::Pdf, Format::Docx, Format::Sheet] {
            let error = by_child(format, &bytes).unwrap_err();
            let told = matches!(error, ExtractError::Broken { .. } | ExtractError::Unsupported);
            assert!(told || matches!(error, ExtractError::Crashed { how: Crash::Panic }), "{format:?} {start:?}: {error:?}");
        }
        for format in [Format::Text, Format::Csv, Format::Html] {
            let text = by_child(format, &bytes).unwrap().text;
            assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        }
    }
}
