//! What a run tells, as people and programs read it while it works.

use briefing::message::EntryId;
use briefing_agent::{Event, Stop};
use jiff::Timestamp;

use crate::error::{self, Failure};
use crate::output::table::{brief, cut};
use crate::output::time::to_minute;
use crate::output::{Output, count, safe_json, safe_lines, shown};

/// How many characters of arguments and outcomes are told.
const TOLD: usize = 160;
/// How many characters of a fault: what servers say of one can be a page.
const FAULT: usize = 300;
/// How many rows of a preview are told at once.
const PAGE: usize = 40;
/// How many characters of a preview stand in one row.
const ROW: usize = 400;

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Somebody at a terminal: the answer as it comes, and what is done for it.
    Person,
    /// A script: what is done for the answer on standard error, the answer itself when it is whole.
    Script,
    /// A program: an object a line.
    Program,
}

/// A card that a run left, to be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) card: EntryId,
    pub(crate) action: String,
    /// The preview that a person was shown, if they were shown all of it.
    pub(crate) told: Option<String>,
}

/// Writes what a run tells.
pub(crate) struct Teller<'o> {
    out: &'o mut Output,
    reader: Reader,
    stop: Stop,
    /// Whether standard output stands within a line of the model's text.
    in_line: bool,
    /// Whether anything of the model's text was written since it was asked.
    begun: bool,
    /// Whether it was told that the model reasons.
    reasons: bool,
    pub(crate) cards: Vec<Waiting>,
    /// Why nothing more can be written.
    broken: Option<error::Stop>,
}

impl<'o> Teller<'o> {
    pub(crate) fn new(out: &'o mut Output, reader: Reader, stop: Stop) -> Self {
        Self { out, reader, stop, in_line: false, begun: false, reasons: false, cards: Vec::new(), broken: None }
    }

    /// Hears one step. If it cannot be written, the run is asked to stop.
    pub(crate) fn hear(&mut self, event: &Event) {
        if let Event::Card { card, action, preview, .. } = event {
            let told = (self.reader != Reader::Program && is_one_page(preview)).then(|| preview.clone());
            self.cards.push(Waiting { card: *card, action: action.clone(), told });
        }
        let told = match self.reader {
            Reader::Program => self.line_of(event),
            Reader::Person | Reader::Script => self.tell(event),
        };
        if let Err(broken) = told.and_then(|()| self.out.flush()) {
            self.stop.ask();
            self.broken.get_or_insert(broken);
        }
    }

    /// The cards that it left.
    ///
    /// # Errors
    /// If something could not be written.
    pub(crate) fn end(mut self) -> Result<Vec<Waiting>, error::Stop> {
        self.end_line();
        match self.broken {
            Some(broken) => Err(broken),
            None => Ok(self.cards),
        }
    }

    fn line_of(&mut self, event: &Event) -> Result<(), error::Stop> {
        let json = serde_json::to_string(event).unwrap_or_default();
        self.out.write(&(safe_json(json) + "\n"))
    }

    fn tell(&mut self, event: &Event) -> Result<(), error::Stop> {
        match event {
            Event::Began { resumed: true, .. } => self.note("going on where a run was broken off"),
            Event::Text { text } if self.reader == Reader::Person => {
                return self.text(text);
            }
            Event::Reasoning { .. } if !self.reasons && self.reader == Reader::Person => {
                self.reasons = true;
                self.note("thinking");
            }
            Event::Requested { .. } => (self.reasons, self.begun) = (false, false),
            Event::TakenBack => {
                self.begun = false;
                self.note("what was said above does not count: it broke off");
            }
            Event::Retry { attempt, fault, wait } => {
                self.note(&format!("try {attempt} failed, next in {:.1} s: {}", wait.as_secs_f64(), self::fault(fault)));
            }
            Event::Shrunk { tokens } => self.note(&format!("too large for the model; sent again within {tokens} tokens")),
            Event::FellBack { from, to, fault } => self.note(&format!("{from} failed, {to} goes on: {}", self::fault(fault))),
            Event::CallLost { tool, .. } => self.note(&format!("{tool}: lost when a process died; it is not done again")),
            Event::CardLapsed { .. } => self.note("a card lapsed before anybody looked at it"),
            Event::Called { tool, input, .. } => self.note(&format!("{tool} {}", brief(input, TOLD))),
            Event::Outcome { tool, failed, text, .. } => {
                let how = if *failed == Some(true) { "failed" } else { "gave" };
                self.note(&format!("  {tool} {how}: {}", brief(text, TOLD)));
            }
            Event::Card { card, action, preview, expires } => self.card(*card, action, preview, *expires),
            _ => {}
        }
        Ok(())
    }

    /// A piece of the model's text. Blank lines that it begins with are left off: some models begin every answer so.
    fn text(&mut self, text: &str) -> Result<(), error::Stop> {
        let text = if self.begun { text } else { text.trim_start_matches(['\n', '\r']) };
        if text.is_empty() {
            return Ok(());
        }
        self.begun = true;
        self.in_line = !text.ends_with('\n');
        self.out.write(&safe_lines(text))
    }

    /// A dim line on standard error, behind the model's text.
    fn note(&mut self, text: &str) {
        self.end_line();
        let line = self.out.err_paint().dim(&shown(&format!("· {text}")));
        self.out.aside(&line);
    }

    /// A card with its preview. Each line of that stands behind a mark, so that none can be taken for one of ours.
    fn card(&mut self, card: EntryId, action: &str, preview: &str, expires: Option<Timestamp>) {
        self.end_line();
        let until = expires.map(|at| format!(", until {} UTC", to_minute(at))).unwrap_or_default();
        let title = self.out.err_paint().changed(&shown(&format!("waits for you: {action} (card {card}{until})")));
        self.out.aside(&title);
        for line in preview_lines(preview) {
            self.out.aside(&line);
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.in_line)
            && let Err(broken) = self.out.write("\n").and_then(|()| self.out.flush())
        {
            self.broken.get_or_insert(broken);
        }
    }
}

/// A preview, or its beginning, with a mark of what is not shown.
pub(crate) fn preview_lines(preview: &str) -> Vec<String> {
    let mut pages = preview_pages(preview).into_iter();
    let mut told = pages.next().unwrap_or_default();
    let more: usize = pages.map(|page| page.len()).sum();
    if more > 0 {
        told.push(format!("  | … {} more (`briefing cards --json` gives all)", count(more, "line")));
    }
    told
}

/// Whether [`preview_lines`] shows all of it.
pub(crate) fn is_one_page(preview: &str) -> bool {
    preview_pages(preview).len() <= 1
}

/// All of a preview. Each line stands behind a mark, the rest of a long one behind another.
pub(crate) fn preview_pages(preview: &str) -> Vec<Vec<String>> {
    let rows: Vec<String> = preview.lines().flat_map(rows).collect();
    rows.chunks(PAGE).map(<[String]>::to_vec).collect()
}

fn rows(line: &str) -> Vec<String> {
    let (line, mut rows) = (line.replace('\t', "    "), Vec::new());
    let mut rest = line.as_str();
    loop {
        let row = briefing::text::prefix(rest, ROW);
        let mark = if rows.is_empty() { '|' } else { '¦' };
        rows.push(format!("  {mark} {}", shown(row)));
        rest = rest.get(row.len()..).unwrap_or_default();
        if row.is_empty() || rest.is_empty() {
            return rows;
        }
    }
}

/// Tells a failure that does not end the program.
pub(crate) fn failure(failure: &Failure, reader: Reader, out: &mut Output) -> Result<(), error::Stop> {
    out.failure(failure);
    if reader == Reader::Program {
        out.write(&(safe_json(failure.json().to_string()) + "\n"))?;
        out.flush()?;
    }
    Ok(())
}

/// A fault on one line, cut.
pub(crate) fn fault(text: &str) -> String {
    cut(&briefing::text::one_line(text, usize::MAX), FAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shown_of_a_preview_is_marked_and_all_of_it_is_on_its_pages() {
        assert_eq!(preview_lines("a\n\n\tb\u{1b}"), ["  | a", "  | ", "  |     b\\u{1b}"]);
        let long = "x".repeat(ROW * PAGE) + "end";
        assert!(is_one_page("a\nb") && is_one_page("") && !is_one_page(&long) && !is_one_page(&"a\n".repeat(PAGE + 1)));
        let shown = preview_lines(&long);
        assert_eq!(shown.len(), PAGE + 1);
        assert_eq!(shown.last().unwrap(), "  | … 1 line more (`briefing cards --json` gives all)");
        let whole: String = preview_pages(&long).concat().iter().map(|row| row.trim_start_matches(['|', '¦', ' '])).collect();
        assert_eq!(whole, long);
    }
}
