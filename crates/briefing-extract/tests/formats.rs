//! What is read of each kind of file.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops at the first surprise")]

mod common;

use briefing_extract::{ExtractError, Extraction, Format, Limits, Partial, extract_here};
use common::{archive, document, docx, lines, ods, pages, paragraph, part, pdf, stream, whole, xlsx};

fn read(format: Format, bytes: &[u8]) -> Extraction {
    let limits = Limits::default();
    let here = extract_here(format, bytes, &limits).unwrap();
    let by_child = common::extractor().extract(format, bytes).unwrap();
    assert_eq!(here, by_child);
    here
}

#[test]
fn text_is_decoded_and_cleaned() {
    assert_eq!(read(Format::Text, b"# Titel\r\n\r\nna\xc3\xafve\x07  \r\n"), whole("# Titel\n\nnaïve  \n"));
    assert_eq!(read(Format::Text, b"\xff\xfeH\0i\0"), whole("Hi"));
    assert_eq!(read(Format::Text, b"caf\xe9 10 \x80"), whole("café 10 €"));
    assert_eq!(read(Format::Text, b"\xc3\xa4\xc3\xb6 \xff"), part("äö \u{fffd}", Partial::Decoding));
    assert_eq!(read(Format::Text, b""), whole(""));
}

#[test]
fn rows_of_csv_are_bounded() {
    assert_eq!(read(Format::Csv, b"a;b\r\n1;\"2\"\r\n"), whole("a;b\n1;\"2\"\n"));
    let limits = Limits { rows: 2, ..Limits::default() };
    let some = extract_here(Format::Csv, b"a\nb\nc\n", &limits).unwrap();
    assert_eq!(some, part("a\nb\n", Partial::Rows { most: 2 }));
    assert_eq!(extract_here(Format::Csv, b"a\nb\n", &limits).unwrap(), whole("a\nb\n"));
}

#[test]
fn html_is_what_a_browser_shows() {
    let html =
        b"<html><head><meta charset=iso-8859-2><title>x</title><style>p{}</style></head><body><p>\xe6a</p><p>b<br>c</body>";
    assert_eq!(read(Format::Html, html), whole("ća\n\nb\nc"));
}

#[test]
fn a_picture_has_no_text() {
    assert_eq!(read(Format::Picture, b"\x89PNG\r\n\x1a\n"), whole(""));
}

#[test]
fn a_text_is_cut_at_its_limit() {
    let limits = Limits { chars: 3, ..Limits::default() };
    let cut = part("zwö", Partial::Chars { most: 3 });
    assert_eq!(extract_here(Format::Text, "zwölf".as_bytes(), &limits).unwrap(), cut);
    assert_eq!(extract_here(Format::Csv, "zwölf".as_bytes(), &limits).unwrap(), cut);
    assert_eq!(extract_here(Format::Html, "<p>zwölf".as_bytes(), &limits).unwrap(), cut);
    assert_eq!(extract_here(Format::Docx, &docx(&paragraph("zwölf")), &limits).unwrap(), cut);
    let page = pdf(&pages(&[&lines(&["zw\\366lf"])]));
    assert_eq!(extract_here(Format::Pdf, &page, &limits).unwrap(), cut);
    let sheet = xlsx(&[("A", "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>")]);
    assert_eq!(extract_here(Format::Sheet, &sheet, &limits).unwrap(), part("[sh", Partial::Chars { most: 3 }));
}

#[test]
fn pages_of_a_pdf_are_parted_by_an_empty_line() {
    let file = pdf(&pages(&[&lines(&["Angebot 17", "Zweite Zeile"]), "", &lines(&["Gr\\374\\337e"])]));
    assert_eq!(read(Format::Pdf, &file), whole("Angebot 17\nZweite Zeile\n\nGrüße"));
}

#[test]
fn a_pdf_may_begin_behind_something_else() {
    let file = pdf(&pages(&[&lines(&["text"])]));
    assert_eq!(read(Format::Pdf, &[b"\r\n\r\n", file.as_slice()].concat()), whole("text"));
}

#[test]
fn a_pdf_without_text_says_so() {
    assert_eq!(read(Format::Pdf, &pdf(&pages(&["", "0 0 m 9 9 l S"]))), part("", Partial::NoText));
}

#[test]
fn a_page_that_draws_a_picture_is_read() {
    let mut objects = pages(&["q 99 0 0 99 0 0 cm /Im1 Do Q BT /F1 12 Tf 72 700 Td (beside it) Tj ET"]);
    objects[3] = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> \
                   /XObject << /Im1 6 0 R >> >> >>"
        .to_vec();
    let kind =
        "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode";
    objects.push(stream(kind, b"\xff\xd8\xff\xe0(Tj BT Q Q Q <<"));
    assert_eq!(read(Format::Pdf, &pdf(&objects)), whole("beside it"));
}

#[test]
fn pages_beyond_the_limit_are_left_out() {
    let limits = Limits { pages: 2, ..Limits::default() };
    let file = pdf(&pages(&[&lines(&["one"]), &lines(&["two"]), &lines(&["three"])]));
    let some = extract_here(Format::Pdf, &file, &limits).unwrap();
    assert_eq!(some, part("one\n\ntwo", Partial::Pages { read: 2, of: 3 }));
}

#[test]
fn a_page_that_cannot_be_read_is_left_out() {
    let mut objects = pages(&[&lines(&["one", "two"]), &lines(&["three"])]);
    let page = |more: &str| format!("<< /Type /Page /Parent 2 0 R /Contents 5 0 R {more} >>").into_bytes();
    // Without a size.
    objects[3] = page("/Resources << /Font << /F1 3 0 R >> >>");
    assert_eq!(read(Format::Pdf, &pdf(&objects)), whole("one\ntwo\n\nthree"));
    // Without its font, too.
    objects[3] = page("");
    assert_eq!(read(Format::Pdf, &pdf(&objects)), part("three", Partial::Unreadable { parts: 1 }));
}

#[test]
fn paragraphs_and_tables_of_a_docx() {
    let cell = |paragraphs: &str| format!("<w:tc><w:tcPr/>{paragraphs}</w:tc>");
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let inner = format!("<w:tbl>{}</w:tbl>", row(&[cell(&paragraph("x")), cell(&paragraph("y"))]));
    let table = [
        row(&[cell(&paragraph("Menge")), cell(&paragraph("Preis")), cell("<w:p/>")]),
        row(&[cell("<w:p/>"), cell(&(paragraph("9") + &paragraph("netto"))), cell(&(inner + &paragraph("z")))]),
    ];
    let body = [
        paragraph("Räder &amp; Reifen &#x20AC; &unknown;"),
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>".to_owned(),
        "<w:p/><w:p/><w:p/>".to_owned(),
        format!("<w:tbl>{}</w:tbl>", table.concat()),
        "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>\
         <w:r><w:instrText>PAGE</w:instrText></w:r></w:p>"
            .to_owned(),
        "<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent>\
         </mc:Choice><mc:Fallback><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></mc:Fallback>\
         </mc:AlternateContent></w:r></w:p>"
            .to_owned(),
    ];
    let text = "Räder & Reifen €\na\tb\nc-d\n\nMenge\tPreis\n\t9 netto\tx y z\nnew\nbox";
    assert_eq!(read(Format::Docx, &docx(&body.concat())), whole(text));
}

#[test]
fn notes_of_a_docx_follow_its_body() {
    let notes = "<w:footnotes><w:footnote w:type=\"separator\"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote>"
        .to_owned()
        + &paragraph("a note")
        + "</w:footnote></w:footnotes>";
    let body = document(&paragraph("body"));
    let file = archive(&[("word/document.xml", body.as_bytes()), ("word/footnotes.xml", notes.as_bytes())]);
    assert_eq!(read(Format::Docx, &file), whole("body\n\na note"));
}

#[test]
fn a_docx_that_is_cut_off_is_read_up_to_there() {
    let body = document(&(paragraph("one") + &paragraph("two")));
    let cut = body.split_once("two").unwrap().0;
    let file = archive(&[("word/document.xml", cut.as_bytes())]);
    assert_eq!(read(Format::Docx, &file), part("one", Partial::Damaged));
}

#[test]
fn rows_of_a_workbook() {
    let first = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"inlineStr\"><is><t>two\nlines</t></is></c>\
         <c r=\"D1\"/></row><row r=\"5\"><c r=\"B5\"><v>1.5</v></c><c r=\"C5\" t=\"b\"><v>1</v></c>\
         <c r=\"D5\" t=\"e\"><v>#DIV/0!</v></c></row>\
         <row r=\"6\"><c r=\"A6\" s=\"1\"><v>46356</v></c><c r=\"B6\" s=\"2\"><v>46356.5</v></c>\
         <c r=\"C6\" s=\"3\"><v>1.0625</v></c><c r=\"D6\" s=\"2\"><v>0.25</v></c></row>";
    let second = "<row r=\"1\"><c r=\"A1\"><v>7</v></c></row>";
    let text = "[sheet: Preise]\nRäder & Reifen\t\ttwo lines\n\t1.5\tTRUE\t#DIV/0!\n\
         2026-11-30\t2026-11-30 12:00:00\t25:30:00\t06:00:00\n[sheet: Leer]\n[sheet: Ende]\n7";
    let file = xlsx(&[("Preise", first), ("Leer", ""), ("Ende", second)]);
    assert_eq!(read(Format::Sheet, &file), whole(text));
    let limits = Limits { rows: 2, ..Limits::default() };
    let (some, _) = text.split_once("\n2026").unwrap();
    assert_eq!(extract_here(Format::Sheet, &file, &limits).unwrap(), part(some, Partial::Rows { most: 2 }));
}

#[test]
fn a_damaged_sheet_is_left_out() {
    let good = "<row r=\"1\"><c r=\"A1\"><v>7</v></c></row>";
    let file = xlsx(&[("Eins", "<row r=\"1\"><c r=\"A1\"><v></row>"), ("Zwei", good)]);
    assert_eq!(read(Format::Sheet, &file), part("[sheet: Eins]\n[sheet: Zwei]\n7", Partial::Unreadable { parts: 1 }));
}

#[test]
fn rows_of_an_open_document() {
    let cell =
        |text: &str| format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>");
    let row = format!("<table:table-row>{}{}</table:table-row>", cell("a"), cell("b"));
    assert_eq!(read(Format::Sheet, &ods(&row)), whole("[sheet: Preise]\na\tb"));
}

#[test]
fn an_archive_is_read_by_what_it_holds() {
    let sheet = xlsx(&[("A", "<row r=\"1\"><c r=\"A1\"><v>7</v></c></row>")]);
    assert_eq!(read(Format::Docx, &sheet), whole("[sheet: A]\n7"));
    assert_eq!(read(Format::Sheet, &docx(&paragraph("text"))), whole("text"));
    let slides = archive(&[("ppt/presentation.xml", b"<p/>")]);
    for format in [Format::Docx, Format::Sheet] {
        let error = extract_here(format, &slides, &Limits::default()).unwrap_err();
        assert!(matches!(error, ExtractError::Unsupported), "{error:?}");
    }
}

#[test]
fn the_format_is_told_by_content_then_type_then_name() {
    use Format::{Csv, Docx, Html, Pdf, Picture, Sheet, Text};
    let (word, book) = (docx(&paragraph("a")), xlsx(&[]));
    let compound: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
    let octets = "application/octet-stream";
    type Case<'a> = (Option<&'a str>, &'a str, &'a [u8], Option<Format>);
    let cases: [Case<'_>; 31] = [
        (Some("a.txt"), "text/plain", b"%PDF-1.4", Some(Pdf)),
        (None, octets, b"junk\n%PDF-1.4", Some(Pdf)),
        (Some("a.pdf"), "application/pdf", b"\x01\x02", None),
        (Some("a.pdf"), "application/pdf", b"no PDF", Some(Text)),
        (Some("a.doc"), "image/png", b"\x89PNG\r\n\x1a\n", Some(Picture)),
        (None, "", b"\xff\xd8\xff\xe0", Some(Picture)),
        (None, "", b"GIF89a", Some(Picture)),
        (None, "", b"RIFF\0\0\0\0WEBPVP8 ", Some(Picture)),
        (None, "audio/wav", b"RIFF\0\0\0\0WAVEfmt ", None),
        (None, octets, &word, Some(Docx)),
        (None, octets, &book, Some(Sheet)),
        (Some("a.XLSX"), octets, b"PK\x03\x04", Some(Sheet)),
        (Some("a.zip"), "application/zip", b"PK\x03\x04", None),
        (Some("a.jar"), "application/pdf", b"PK\x03\x04", None),
        (Some("a.xls"), "application/vnd.ms-excel", compound, Some(Sheet)),
        (Some("a.docx"), "", compound, Some(Docx)),
        (Some("a.doc"), "application/msword", compound, None),
        (Some("a.xls"), "application/vnd.ms-excel", b"<html><table>", Some(Html)),
        (Some("a.csv"), "application/vnd.ms-excel", b"a;b", Some(Text)),
        (Some("a.csv"), octets, b"a;b", Some(Csv)),
        (None, "text/csv; charset=utf-8", b"a;b", Some(Csv)),
        (Some("a.tsv"), "text/plain", b"a\tb", Some(Csv)),
        (Some("a.html"), "", b"hello", Some(Html)),
        (None, "text/html", b"hello", Some(Html)),
        (None, "", b"  <!DOCTYPE HTML>", Some(Html)),
        (Some("a.json"), "application/json", b"{}", Some(Text)),
        (Some("notes"), octets, b"\xff\xfea\0", Some(Text)),
        (Some("a.bin"), octets, b"\x00\x01", None),
        (Some("a.rtf"), "text/rtf", b"{\\rtf1", None),
        (Some("a.svg"), "image/svg+xml", b"<svg/>", None),
        (Some("empty.txt"), "text/plain", b"", Some(Text)),
    ];
    for (name, media_type, beginning, format) in cases {
        assert_eq!(Format::of(name, media_type, beginning), format, "{name:?} {media_type} {beginning:?}");
    }
}

#[test]
fn the_same_bytes_give_the_same_text() {
    let file = pdf(&pages(&[&lines(&["one", "two"]), &lines(&["three"])]));
    let first = read(Format::Pdf, &file);
    assert!((0..5).all(|_| read(Format::Pdf, &file) == first));
}
