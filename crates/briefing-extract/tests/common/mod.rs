//! Small writers of real files.

#![allow(dead_code, reason = "each test file uses some of them")]

use std::fmt::Write as _;
use std::io::{self, Cursor, Read, Write};

use briefing_extract::{Extraction, Extractor, Partial};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The real child.
pub(crate) fn extractor() -> Extractor {
    Extractor::new(env!("CARGO_BIN_EXE_briefing-extract"), [""; 0])
}

pub(crate) fn whole(text: &str) -> Extraction {
    Extraction { text: text.to_owned(), partial: None }
}

pub(crate) fn part(text: &str, partial: Partial) -> Extraction {
    Extraction { text: text.to_owned(), partial: Some(partial) }
}

pub(crate) fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An archive with one entry of so many zeros, behind others.
pub(crate) fn bomb(entries: &[(&str, &[u8])], name: &str, zeros: u64) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_level(Some(1));
    for (name, bytes) in entries {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.start_file(name, options).unwrap();
    io::copy(&mut io::repeat(0).take(zeros), &mut zip).unwrap();
    zip.finish().unwrap().into_inner()
}

/// Word's document of this body.
pub(crate) fn docx(body: &str) -> Vec<u8> {
    archive(&[("[Content_Types].xml", CONTENT_TYPES.as_bytes()), ("word/document.xml", document(body).as_bytes())])
}

pub(crate) fn document(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:document xmlns:w=\"http://schemas.openxmlformats.org/\
         wordprocessingml/2006/main\"><w:body>{body}</w:body></w:document>"
    )
}

pub(crate) fn paragraph(text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>"
    )
}

const CONTENT_TYPES: &str = "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
     <Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>";

/// A workbook of these sheets: a name, and what stands within `sheetData`.
pub(crate) fn xlsx(sheets: &[(&str, &str)]) -> Vec<u8> {
    let entries = xlsx_entries(sheets);
    archive(&entries.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect::<Vec<_>>())
}

pub(crate) fn xlsx_entries(sheets: &[(&str, &str)]) -> Vec<(String, String)> {
    let (mut listed, mut related, mut entries) = (String::new(), String::new(), Vec::new());
    for (number, (name, rows)) in (1..).zip(sheets) {
        write!(listed, "<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"rId{number}\"/>").unwrap();
        write!(
            related,
            "<Relationship Id=\"rId{number}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/\
             worksheet\" Target=\"worksheets/sheet{number}.xml\"/>"
        )
        .unwrap();
        let sheet = format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>");
        entries.push((format!("xl/worksheets/sheet{number}.xml"), sheet));
    }
    let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let workbook = format!("<workbook xmlns=\"{MAIN}\" xmlns:r=\"{relations}\"><sheets>{listed}</sheets></workbook>");
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let related = format!("<Relationships xmlns=\"{package}\">{related}</Relationships>");
    let root = format!(
        "<Relationships xmlns=\"{package}\"><Relationship Id=\"rId1\" Type=\"{relations}/officeDocument\" \
         Target=\"xl/workbook.xml\"/></Relationships>"
    );
    let styles = format!(
        "<styleSheet xmlns=\"{MAIN}\"><cellXfs count=\"4\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"22\"/>\
         <xf numFmtId=\"46\"/></cellXfs></styleSheet>"
    );
    let shared = format!("<sst xmlns=\"{MAIN}\" count=\"1\" uniqueCount=\"1\"><si><t>Räder &amp; Reifen</t></si></sst>");
    entries.insert(0, ("xl/workbook.xml".to_owned(), workbook));
    entries.insert(0, ("[Content_Types].xml".to_owned(), CONTENT_TYPES.to_owned()));
    entries.push(("_rels/.rels".to_owned(), root));
    entries.push(("xl/_rels/workbook.xml.rels".to_owned(), related));
    entries.push(("xl/styles.xml".to_owned(), styles));
    entries.push(("xl/sharedStrings.xml".to_owned(), shared));
    entries
}

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// A workbook of OpenDocument with one sheet of these rows.
pub(crate) fn ods(rows: &str) -> Vec<u8> {
    let content = format!(
        "<?xml version=\"1.0\"?><office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
         xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" \
         xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\"><office:body><office:spreadsheet>\
         <table:table table:name=\"Preise\">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    let manifest = "<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"/>";
    archive(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", manifest.as_bytes()),
        ("content.xml", content.as_bytes()),
    ])
}

/// A PDF of these objects, numbered from 1, the catalog first.
pub(crate) fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(objects) {
        offsets.push(file.len());
        file.extend(format!("{number} 0 obj\n").into_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let count = objects.len() + 1;
    let mut end = format!("xref\n0 {count}\n0000000000 65535 f \n");
    for offset in offsets {
        writeln!(end, "{offset:010} 00000 n ").unwrap();
    }
    write!(end, "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").unwrap();
    file.extend(end.into_bytes());
    file
}

pub(crate) fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< /Length {} {entries} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

/// Objects of a PDF with one page for each of these contents: the catalog, the tree of pages, a font, then a page and its
/// content each.
pub(crate) fn pages(contents: &[&str]) -> Vec<Vec<u8>> {
    let mut kids = String::new();
    let mut objects = Vec::new();
    for (number, content) in (4..).step_by(2).zip(contents) {
        write!(kids, "{number} 0 R ").unwrap();
        let content_number = number + 1;
        let resources = "/Resources << /Font << /F1 3 0 R >> >>";
        let page =
            format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {content_number} 0 R >>");
        objects.push(page.into_bytes());
        objects.push(stream("", content.as_bytes()));
    }
    let tree = format!("<< /Type /Pages /Kids [ {kids}] /Count {} >>", contents.len());
    let font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec();
    objects.splice(0..0, [b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(), tree.into_bytes(), font]);
    objects
}

pub(crate) fn lines(lines: &[&str]) -> String {
    let mut content = "BT /F1 12 Tf 72 720 Td ".to_owned();
    for line in lines {
        write!(content, "({line}) Tj 0 -14 Td ").unwrap();
    }
    content + "ET"
}
