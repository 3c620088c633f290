//! Workbooks: each sheet begins with a line `[sheet: NAME]`, then a row is a line and its values are parted by tabs.
//!
//! All worksheets are read, hidden ones too, in the order of the book; of a formula its last value, if the file has it. Rows
//! without a value are left out.

use std::fmt::Display;
use std::io::Cursor;

use calamine::{Cell, Data, DataRef, ExcelDateTime, Ods, OdsError, Range, Reader, SheetType, Xls, XlsError, Xlsb, XlsbError};
use calamine::{Xlsx, XlsxError};

use crate::archive::{self, Holds};
use crate::docx::{self, is_compound, is_encrypted};
use crate::error::bounded;
use crate::text::Out;
use crate::{ExtractError, Extraction, Limits, Partial};

/// One day more than what a date in a workbook may be (31 December 9999).
const MAX_DAY: f64 = 2_958_466.0;

type Bytes<'a> = Cursor<&'a [u8]>;

pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Extraction, ExtractError> {
    let mut rows = Rows::new(limits);
    if is_compound(bytes) {
        if is_encrypted(bytes) {
            return Err(ExtractError::Encrypted);
        }
        rows.xls(Xls::new(Cursor::new(bytes)).map_err(xls_fault)?);
        return rows.finish();
    }
    let mut archive = archive::open(bytes, limits)?;
    let holds = archive::holds(&mut archive);
    if holds == Holds::Docx {
        return docx::read_archive(&mut archive, limits);
    }
    // The readers below unpack without a bound.
    archive::measure(&mut archive, limits.unpacked_bytes)?;
    match holds {
        Holds::Xlsx => rows.xlsx(Xlsx::new(Cursor::new(bytes)).map_err(xlsx_fault)?),
        Holds::Xlsb => rows.xlsb(Xlsb::new(Cursor::new(bytes)).map_err(xlsb_fault)?),
        Holds::Ods => rows.ods(Ods::new(Cursor::new(bytes)).map_err(ods_fault)?),
        Holds::Docx | Holds::Other => return Err(ExtractError::Unsupported),
    }
    rows.finish()
}

fn xlsx_fault(error: XlsxError) -> ExtractError {
    if matches!(error, XlsxError::Password) { ExtractError::Encrypted } else { ExtractError::broken(error) }
}

fn xlsb_fault(error: XlsbError) -> ExtractError {
    if matches!(error, XlsbError::Password) { ExtractError::Encrypted } else { ExtractError::broken(error) }
}

fn xls_fault(error: XlsError) -> ExtractError {
    if matches!(error, XlsError::Password) { ExtractError::Encrypted } else { ExtractError::broken(error) }
}

fn ods_fault(error: OdsError) -> ExtractError {
    if matches!(error, OdsError::Password) { ExtractError::Encrypted } else { ExtractError::broken(error) }
}

/// What is read.
struct Rows {
    out: Out,
    chars: usize,
    most: usize,
    /// How many rows were begun, in all sheets.
    rows: usize,
    /// There was one more.
    over: bool,
    /// The row and the column of the last value of this sheet.
    at: Option<(u32, u32)>,
    sheets: usize,
    unreadable: usize,
    /// What the reader says of the first sheet it could not read.
    detail: String,
}

impl Rows {
    fn new(limits: &Limits) -> Self {
        Self {
            out: Out::new(limits.chars),
            chars: limits.chars,
            most: limits.rows,
            rows: 0,
            over: false,
            at: None,
            sheets: 0,
            unreadable: 0,
            detail: String::new(),
        }
    }

    fn finish(self) -> Result<Extraction, ExtractError> {
        if self.sheets > 0 && self.unreadable == self.sheets && self.rows == 0 {
            return Err(ExtractError::Broken { detail: self.detail });
        }
        let partial = if self.out.is_cut() {
            Some(Partial::Chars { most: self.chars })
        } else if self.over {
            Some(Partial::Rows { most: self.most })
        } else if self.unreadable > 0 {
            Some(Partial::Unreadable { parts: self.unreadable })
        } else {
            None
        };
        Ok(Extraction { text: self.out.into_text(), partial })
    }

    fn xlsx(&mut self, mut book: Xlsx<Bytes<'_>>) {
        for name in worksheets(&book) {
            self.begin(&name);
            let read = book.worksheet_cells_reader(&name).and_then(|mut cells| self.stream(|| cells.next_cell()));
            if self.end(read) {
                return;
            }
        }
    }

    fn xlsb(&mut self, mut book: Xlsb<Bytes<'_>>) {
        for name in worksheets(&book) {
            self.begin(&name);
            let read = book.worksheet_cells_reader(&name).and_then(|mut cells| self.stream(|| cells.next_cell()));
            if self.end(read) {
                return;
            }
        }
    }

    fn xls(&mut self, mut book: Xls<Bytes<'_>>) {
        for name in worksheets(&book) {
            self.begin(&name);
            let read = book.worksheet_range(&name).map(|range| self.range(&range));
            if self.end(read) {
                return;
            }
        }
    }

    fn ods(&mut self, mut book: Ods<Bytes<'_>>) {
        for name in worksheets(&book) {
            self.begin(&name);
            let read = book.worksheet_range(&name).map(|range| self.range(&range));
            if self.end(read) {
                return;
            }
        }
    }

    fn begin(&mut self, name: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str("[sheet: ");
        self.value(name);
        self.out.push(']');
        self.sheets += 1;
        self.at = None;
    }

    /// Whether the text is full.
    fn end<E: Display>(&mut self, read: Result<(), E>) -> bool {
        if let Err(error) = read {
            self.unreadable += 1;
            if self.detail.is_empty() {
                self.detail = bounded(&error.to_string());
            }
        }
        self.is_full()
    }

    fn is_full(&self) -> bool {
        self.out.is_cut() || self.over
    }

    /// Cells one by one: a sheet may have two cells that are a thousand million others apart.
    fn stream<'a, E>(&mut self, mut next: impl FnMut() -> Result<Option<Cell<DataRef<'a>>>, E>) -> Result<(), E> {
        while !self.is_full() {
            let Some(cell) = next()? else { break };
            let (row, column) = cell.get_position();
            self.cell(row, column, &cell.get_value().clone().into());
        }
        Ok(())
    }

    fn range(&mut self, range: &Range<Data>) {
        let (first_row, first_column) = range.start().unwrap_or_default();
        for (row, values) in (first_row..).zip(range.rows()) {
            for (column, value) in (first_column..).zip(values) {
                self.cell(row, column, value);
            }
            if self.is_full() {
                return;
            }
        }
    }

    fn cell(&mut self, row: u32, column: u32, value: &Data) {
        let value = shown(value);
        if value.is_empty() {
            return;
        }
        let before = match self.at {
            Some((last_row, last_column)) if last_row == row => last_column,
            Some(_) | None if self.rows == self.most => {
                self.over = true;
                return;
            }
            Some(_) | None => {
                self.rows += 1;
                self.out.push('\n');
                0
            }
        };
        for _ in before..column {
            if self.out.is_cut() {
                break;
            }
            self.out.push('\t');
        }
        self.at = Some((row, column));
        self.value(&value);
    }

    /// A value on one line, without a tab.
    fn value(&mut self, value: &str) {
        for part in value.trim().split(['\t', '\n', '\r']).enumerate() {
            if part.0 > 0 {
                self.out.push(' ');
            }
            self.out.push_str(part.1);
        }
    }
}

fn worksheets<'a, R: Reader<Bytes<'a>>>(book: &R) -> Vec<String> {
    let sheets = book.sheets_metadata().iter();
    sheets.filter(|sheet| sheet.typ == SheetType::WorkSheet).map(|sheet| sheet.name.clone()).collect()
}

fn shown(value: &Data) -> String {
    match value {
        Data::DateTime(time) => date(time),
        Data::Bool(true) => "TRUE".to_owned(),
        Data::Bool(false) => "FALSE".to_owned(),
        Data::Int(_)
        | Data::Float(_)
        | Data::String(_)
        | Data::DateTimeIso(_)
        | Data::DurationIso(_)
        | Data::Error(_)
        | Data::Empty => value.to_string(),
    }
}

/// A date as `2026-11-30`, with its time unless that is midnight; a day's time as `09:30:00`; a duration as `26:30:00`.
fn date(time: &ExcelDateTime) -> String {
    let days = time.as_f64();
    if !(0.0..MAX_DAY).contains(&days) {
        return days.to_string();
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    if time.is_duration() {
        return format!("{}:{minute:02}:{second:02}", days.floor() * 24.0 + f64::from(hour));
    }
    match (days < 1.0, (hour, minute, second)) {
        (true, _) => format!("{hour:02}:{minute:02}:{second:02}"),
        (false, (0, 0, 0)) => format!("{year:04}-{month:02}-{day:02}"),
        (false, _) => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
    }
}
