//! Rows and totals as aligned text, in colour where that is wanted.

use briefing::{Bound, Receipt};
use comfy_table::{CellAlignment, Table, presets::NOTHING};

use crate::explanation::{Fate, Row};
use crate::output::{Paint, safe};

/// The least columns that what a piece is, and why something was done to it, get.
const MIN_COLUMN: usize = 20;

/// The rows, each on one line; where the width is bounded, what a piece is is cut to it, and the reasons go on below.
pub(crate) fn rows(rows: &[Row], tokens: bool, width: Option<usize>, paint: Paint) -> String {
    let mut header = vec!["place", "what", "class", "kept", "chars"];
    header.extend(tokens.then_some("tokens"));
    let numbers: &[usize] = if tokens { &[4, 5] } else { &[4] };
    let most = width.map(|width| room_for_what(rows, &header, width));
    let cells = rows.iter().map(|row| cells(row, tokens, most));
    let reasons = std::iter::once("why".to_owned()).chain(rows.iter().map(|row| safe(&row.why.join("; ")).into_owned()));
    let mut out = String::new();
    for ((line, why), painted) in aligned(&header, cells, numbers).into_iter().zip(reasons).zip(paints(rows)) {
        let indent = line.chars().count();
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(MIN_COLUMN));
        for (at, part) in wrapped(&why, room).iter().enumerate() {
            let begin = if at == 0 { line.clone() } else { " ".repeat(indent) };
            out.push_str(&painted(paint, format!("{begin}{part}").trim_end()));
            out.push('\n');
        }
    }
    out
}

/// How each line is painted, the head first.
fn paints(rows: &[Row]) -> impl Iterator<Item = fn(Paint, &str) -> String> {
    let head: fn(Paint, &str) -> String = Paint::strong;
    std::iter::once(head).chain(rows.iter().map(|row| match row.fate {
        Fate::Kept { .. } if row.why.is_empty() => plain,
        Fate::Kept { .. } => Paint::changed,
        Fate::LeftOut => Paint::dim,
    }))
}

fn plain(_: Paint, line: &str) -> String {
    line.to_owned()
}

fn cells(row: &Row, tokens: bool, most: Option<usize>) -> Vec<String> {
    let (class, kept, cost) = match row.fate {
        Fate::Kept { class, cost } if row.why.is_empty() => (class.to_string(), "yes", Some(cost)),
        Fate::Kept { class, cost } => (class.to_string(), "changed", Some(cost)),
        Fate::LeftOut => (String::new(), "no", None),
    };
    let what = safe(&row.what);
    let what = most.map_or_else(|| what.clone().into_owned(), |most| cut(&what, most));
    let mut cells = vec![safe(&row.place).into_owned(), what, class, kept.to_owned()];
    cells.push(cost.map(|cost| cost.chars.to_string()).unwrap_or_default());
    cells.extend(tokens.then(|| cost.map(|cost| cost.tokens.to_string()).unwrap_or_default()));
    cells
}

/// How many columns the other ones, and the reasons if there are any, leave to what a piece is.
fn room_for_what(rows: &[Row], header: &[&str], width: usize) -> usize {
    let mut widths: Vec<usize> = header.iter().map(|name| name.len()).collect();
    for row in rows {
        let cells = cells(row, header.len() == 6, Some(MIN_COLUMN));
        widths.iter_mut().zip(cells).for_each(|(width, cell)| *width = cell.chars().count().max(*width));
    }
    let rest: usize = widths.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, width)| width + 2).sum();
    let why = if rows.iter().all(|row| row.why.is_empty()) { "why".len() } else { 3 * MIN_COLUMN / 2 };
    width.saturating_sub(rest + why + 2).max(MIN_COLUMN)
}

pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => format!("{}…", text.chars().take(most - 1).collect::<String>().trim_end()),
        None => text.to_owned(),
    }
}

/// A text on one line, safe and cut to that many characters.
#[cfg(feature = "agent")]
pub(crate) fn brief(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&safe(&line), most)
}

/// The text in lines of at most that many characters, parted between words; a word that is longer stands alone. One at least.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let (mut lines, mut line, mut length) = (Vec::new(), String::new(), 0);
    for word in text.split(' ') {
        let chars = word.chars().count();
        if !line.is_empty() && length + 1 + chars > most {
            lines.push(std::mem::take(&mut line));
            length = 0;
        }
        if !line.is_empty() {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += chars;
    }
    lines.push(line);
    lines
}

/// What was used of each bound.
pub(crate) fn totals(receipt: &Receipt, paint: Paint) -> String {
    let totals = receipt.totals();
    let cells = totals.iter().map(|(bound, used, most)| {
        let name = match (bound, receipt.estimator()) {
            (Bound::Tokens, Some(estimator)) => format!("tokens ({})", safe(estimator)),
            // An upper estimate.
            (Bound::Bytes, _) => "bytes, at most".to_owned(),
            _ => bound.to_string(),
        };
        vec![name, used.to_string(), most.map_or_else(|| "no bound".to_owned(), |most| most.to_string())]
    });
    let mut lines = aligned(&["total", "used", "of"], cells, &[1, 2]).into_iter().map(|line| line.trim_end().to_owned());
    let head = lines.next().map(|line| paint.strong(&line)).unwrap_or_default();
    std::iter::once(head).chain(lines).map(|line| line + "\n").collect()
}

/// Columns of text, two spaces apart; those in `numbers` to the right. A line a row: cells hold no line breaks.
pub(crate) fn aligned(header: &[&str], rows: impl Iterator<Item = Vec<String>>, numbers: &[usize]) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.to_vec()).add_rows(rows);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if numbers.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parted_and_never_lost() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("ab cd ef", 5), ["ab cd", "ef"]);
        assert_eq!(wrapped("a verylongword b", 5), ["a", "verylongword", "b"]);
        assert_eq!(wrapped("ab cd", usize::MAX), ["ab cd"]);
        assert_eq!((cut("abcdef", 6), cut("abcdefg", 6)), ("abcdef".to_owned(), "abcde…".to_owned()));
    }
}
