//! Threads and hits for people.

use briefing_store::{Hit, ThreadSummary};

use crate::output::table::{aligned, cut};
use crate::output::time::to_minute;
use crate::output::{Paint, safe, shown};

const HEADER: [&str; 5] = ["thread", "newest", "entries", "people", "subject"];
/// How many characters the people of a thread take at most.
const PEOPLE: usize = 40;
/// The least columns that people and subject get.
const MIN_COLUMN: usize = 8;

/// A row a thread, cut to the width where that is bounded.
pub(crate) fn table(threads: &[ThreadSummary], width: Option<usize>, paint: Paint) -> String {
    let numbers = |summary: &ThreadSummary| [summary.thread.to_string(), newest(summary), summary.entries.to_string()];
    let (people, subject) = rooms(threads.iter().map(numbers), threads, width);
    let rows = threads.iter().map(|summary| {
        let mut row = numbers(summary).to_vec();
        row.extend([cut(&safe(&summary.people.join(", ")), people), cut(&self::subject(summary), subject)]);
        row
    });
    let mut lines = aligned(&HEADER, rows, &[0, 2]).into_iter().map(|line| line.trim_end().to_owned());
    let head = lines.next().map(|line| paint.strong(&line)).unwrap_or_default();
    std::iter::once(head).chain(lines).map(|line| line + "\n").collect()
}

/// How many columns people and subjects get of those that the other ones leave.
fn rooms(numbers: impl Iterator<Item = [String; 3]>, threads: &[ThreadSummary], width: Option<usize>) -> (usize, usize) {
    let Some(width) = width else { return (PEOPLE, usize::MAX) };
    let mut widths = [HEADER[0].len(), HEADER[1].len(), HEADER[2].len()];
    for row in numbers {
        widths.iter_mut().zip(row).for_each(|(width, cell)| *width = cell.chars().count().max(*width));
    }
    let left = width.saturating_sub(widths.iter().map(|width| width + 2).sum::<usize>() + 4);
    let people = threads.iter().map(|summary| safe(&summary.people.join(", ")).chars().count()).max().unwrap_or_default();
    let people = people.min(PEOPLE).min(left * 2 / 5).max(MIN_COLUMN);
    (people, left.saturating_sub(people).max(MIN_COLUMN))
}

fn newest(summary: &ThreadSummary) -> String {
    summary.newest.map(to_minute).unwrap_or_default()
}

/// The subject on one line. A thread without mail has none.
fn subject(summary: &ThreadSummary) -> String {
    let none = if summary.people.is_empty() { "" } else { "(no subject)" };
    shown(summary.subject.as_deref().unwrap_or(none))
}

/// A thread by its number and its subject.
pub(crate) fn title(summary: &ThreadSummary) -> String {
    [format!("thread {}", summary.thread), subject(summary)].join(": ").trim_end_matches([':', ' ']).to_owned()
}

/// A thread, with the hits in it below.
pub(crate) fn hits(summary: &ThreadSummary, hits: &[&Hit], paint: Paint) -> String {
    let people = cut(&safe(&summary.people.join(", ")), PEOPLE);
    let head = [format!("thread {}", summary.thread), newest(summary), people, subject(summary)];
    let head = head.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("  ");
    let line = |hit: &&Hit| format!("  entry {}  {}  {}\n", hit.entry, to_minute(hit.at), shown(&hit.excerpt));
    format!("{}\n{}", paint.strong(&head), hits.iter().map(line).collect::<String>())
}
