//! Rows and totals as aligned text, in colour where that is wanted.

use briefing::{Bound, Receipt};
use comfy_table::{CellAlignment, Table, presets::NOTHING};

use crate::explanation::{Fate, Row};
use crate::output::Paint;

/// The rows, each on one line.
pub(crate) fn rows(rows: &[Row], tokens: bool, paint: Paint) -> String {
    let mut header = vec!["place", "what", "class", "kept", "chars"];
    header.extend(tokens.then_some("tokens"));
    header.push("why");
    let cells = rows.iter().map(|row| {
        let (class, kept, cost) = match row.fate {
            Fate::Kept { class, cost } if row.why.is_empty() => (class.to_string(), "yes", Some(cost)),
            Fate::Kept { class, cost } => (class.to_string(), "changed", Some(cost)),
            Fate::LeftOut => (String::new(), "no", None),
        };
        let mut cells = vec![row.place.clone(), row.what.clone(), class, kept.to_owned()];
        cells.push(cost.map(|cost| cost.chars.to_string()).unwrap_or_default());
        cells.extend(tokens.then(|| cost.map(|cost| cost.tokens.to_string()).unwrap_or_default()));
        cells.push(row.why.join("; "));
        cells
    });
    let numbers: &[usize] = if tokens { &[4, 5] } else { &[4] };
    let mut lines = aligned(&header, cells, numbers).into_iter();
    let mut out = String::new();
    out.extend(lines.next().map(|line| paint.strong(&line) + "\n"));
    for (line, row) in lines.zip(rows) {
        let line = match row.fate {
            Fate::Kept { .. } if row.why.is_empty() => line,
            Fate::Kept { .. } => paint.changed(&line),
            Fate::LeftOut => paint.dim(&line),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// What was used of each bound.
pub(crate) fn totals(receipt: &Receipt, paint: Paint) -> String {
    let totals = receipt.totals();
    let cells = totals.iter().map(|(bound, used, most)| {
        let name = match (bound, receipt.estimator()) {
            (Bound::Tokens, Some(estimator)) => format!("tokens ({estimator})"),
            _ => bound.to_string(),
        };
        vec![name, used.to_string(), most.map_or_else(|| "no bound".to_owned(), |most| most.to_string())]
    });
    let mut lines = aligned(&["total", "used", "of"], cells, &[1, 2]).into_iter();
    let head = lines.next().map(|line| paint.strong(&line)).unwrap_or_default();
    std::iter::once(head).chain(lines).map(|line| line + "\n").collect()
}

/// Columns of text, two spaces apart; those in `numbers` to the right. A line a row: cells hold no line breaks.
fn aligned(header: &[&str], rows: impl Iterator<Item = Vec<String>>, numbers: &[usize]) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.to_vec()).add_rows(rows);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if numbers.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}
