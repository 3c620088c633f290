//! The receipt for people: plain text, a line per piece, then the totals against each bound.

use std::fmt;

use crate::fit::bounds::Bound;
use crate::fit::receipt::{Class, FileReason, Line, Origin, PrefixChange, Receipt, Rule, Unvisited, WalkEnd};
use crate::fit::unit::UnitKind;
use crate::message::EntryId;
use crate::text::one_line;

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unvisited != Unvisited::Nothing {
            writeln!(f, "{}", self.unvisited)?;
        }
        for kept in &self.kept {
            let tokens = if self.estimator.is_some() { format!(", {} tokens", kept.cost.tokens) } else { String::new() };
            writeln!(f, "kept {}: {} ({}), {} characters{tokens}", kept.from, kept.kind, kept.class, kept.cost.chars)?;
        }
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        for change in &self.changes {
            writeln!(f, "prefix: {change}")?;
        }
        self.write_totals(f)
    }
}

impl Receipt {
    /// The totals against each bound that holds or was counted, as `write!` lines.
    fn write_totals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.totals().into_iter().map(|(bound, used, most)| match most {
            Some(most) => format!("{}{used} of {most} {bound}", about(bound)),
            None => format!("{}{used} {bound}", about(bound)),
        });
        let by = self.estimator.as_ref().map_or(String::new(), |name| format!(" (tokens by {name})"));
        write!(f, "total: {}{by}", parts.collect::<Vec<_>>().join(", "))
    }

    /// What was used of each measure, and its limit where there is one. Tokens only where they were counted.
    #[must_use]
    pub fn totals(&self) -> Vec<(Bound, u64, Option<u64>)> {
        let counted = Bound::ALL.into_iter().filter(|bound| *bound != Bound::Tokens || self.estimator.is_some());
        counted.map(|bound| (bound, self.total.of(bound), Some(self.most.of(bound)).filter(|most| *most < u64::MAX))).collect()
    }
}

/// Bytes are never underestimated; the body itself tells them exactly.
fn about(bound: Bound) -> &'static str {
    if bound == Bound::Bytes { "at most " } else { "" }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = if self.rule.dropped() { "left out" } else { "changed" };
        write!(f, "{kept} {}: {}", self.from, self.rule)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolver(name) => f.write_str(name),
            Self::Entries(entries) => write!(f, "entry {}", ranges(entries)),
        }
    }
}

/// `3-5, 9`: neighbours are folded.
fn ranges(entries: &[EntryId]) -> String {
    let mut out: Vec<(u64, u64)> = Vec::new();
    for entry in entries {
        match out.last_mut() {
            Some((_, last)) if *last + 1 == entry.get() => *last = entry.get(),
            _ => out.push((entry.get(), entry.get())),
        }
    }
    let texts = out.into_iter().map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    texts.collect::<Vec<_>>().join(", ")
}

impl Rule {
    /// Whether the piece is not in the briefing.
    #[must_use]
    pub fn dropped(&self) -> bool {
        match self {
            Self::OutcomeRepeated { .. }
            | Self::OutcomeWithoutCall { .. }
            | Self::Blank
            | Self::NotSent
            | Self::Unreadable
            | Self::Filtered
            | Self::CardSettled
            | Self::ToolUseLeftOut
            | Self::Twice
            | Self::Over { .. }
            | Self::BeforeInput
            | Self::Stepped => true,
            Self::OutcomeMissing { .. }
            | Self::OutcomeMoved { .. }
            | Self::OutcomesReordered
            | Self::OutcomeEmpty { .. }
            | Self::OutcomeCut { .. }
            | Self::OutcomeCleared { .. }
            | Self::IdRepeated { .. }
            | Self::FileAsLine { .. }
            | Self::FilterFailed { .. }
            | Self::Redacted { .. }
            | Self::CardWaits
            | Self::TextAlone
            | Self::FileNotReady
            | Self::PicturesLeftOut { .. }
            | Self::Edited
            | Self::VisitLimit { .. }
            | Self::RowLimit { .. } => false,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutcomeMissing { call } => write!(f, "call {call:?} has no outcome; a fixed text stands for it"),
            Self::OutcomeMoved { call } => write!(f, "the outcome of {call:?} stood elsewhere and was put behind its call"),
            Self::OutcomesReordered => f.write_str("outcomes were put in the order of their calls"),
            Self::OutcomeRepeated { call } => write!(f, "a second outcome of {call:?}"),
            Self::OutcomeWithoutCall { call } => write!(f, "an outcome of {call:?}, which no call before it asked for"),
            Self::OutcomeEmpty { call } => write!(f, "the outcome of {call:?} is empty; a fixed text stands for it"),
            Self::OutcomeCut { call, chars, shown } => {
                write!(f, "the outcome of {call:?} was cut from {chars} to {shown} characters")
            }
            Self::OutcomeCleared { call } => write!(f, "the outcome of {call:?} was left out to save room"),
            Self::IdRepeated { call } => write!(f, "the id {call:?} repeats; this call got another"),
            Self::FileAsLine { why } => write!(f, "a file reads as a line: {why}"),
            Self::Blank => f.write_str("says nothing"),
            Self::NotSent => f.write_str("was not sent"),
            Self::Unreadable => f.write_str("cannot be read: it is damaged in the store"),
            Self::Filtered => f.write_str("the view's filter leaves it out"),
            Self::FilterFailed { error } => write!(f, "the view's filter failed on it, so it stays: {}", one_line(error, 200)),
            Self::Redacted { places: 1 } => f.write_str("something in it was hidden"),
            Self::Redacted { places } => write!(f, "something in it was hidden, in {places} places"),
            Self::ToolUseLeftOut => f.write_str("tool use, or what may hold it, is not told by this view"),
            Self::TextAlone => f.write_str("of an answer this view tells the text alone"),
            Self::FileNotReady => f.write_str("a file of it has no text that could be told"),
            Self::PicturesLeftOut { pictures } => write!(f, "{pictures} pictures of it cannot be sent"),
            Self::Edited => f.write_str("was edited since"),
            Self::CardSettled => f.write_str("a settled card; its notice tells how it ended"),
            Self::CardWaits => f.write_str("a card that waits for a person"),
            Self::Twice => f.write_str("is in the list already"),
            Self::Over { bound } => write!(f, "does not fit: {bound}"),
            Self::BeforeInput => f.write_str("stood before the first input of the window"),
            Self::Stepped => f.write_str("the window was full and was cut to its low mark"),
            Self::VisitLimit { visited } => write!(f, "the walk ended after {visited} entries"),
            Self::RowLimit { most } => write!(f, "the query found more than its limit of {most} records"),
        }
    }
}

impl fmt::Display for FileReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Model => "the model takes no such file",
            Self::Type => "the wire takes no such type there",
            Self::TooLarge => "it is larger than one file may be",
            Self::TooMany => "no more files fit",
            Self::Missing => "its content is not there",
            Self::Elsewhere => "it lies with another provider",
        })
    }
}

impl fmt::Display for Unvisited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing older"),
            Self::Older { entries: 1, why } => write!(f, "1 older entry not shown: {why}"),
            Self::Older { entries, why } => write!(f, "{entries} older entries not shown: {why}"),
            Self::OlderUncounted { why } => write!(f, "older entries not shown: {why}"),
        }
    }
}

impl fmt::Display for WalkEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit => f.write_str("the view's limit"),
            Self::Reset => f.write_str("a reset stands here"),
            Self::Window(bound) => write!(f, "the view's window of {bound}"),
            Self::Bound(bound) => write!(f, "the bound on {bound}"),
            Self::Anchor => f.write_str("the window begins here"),
        }
    }
}

impl fmt::Display for PrefixChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WindowStepped => "the window has moved",
            Self::LateOutcome => "an outcome came late",
            Self::Shortened => "outcomes were cut or files became lines",
            Self::TurnOver => "files and long outcomes of this turn read shorter in the next",
            Self::CacheMarks => "marks for the prompt cache move along; what is cached stays the same",
            Self::ToolsDeclared => "the tools of the history are declared, as the call declares none",
            Self::IdRepeated => "an id repeats",
            Self::Edited => "a message was edited",
            Self::CardWaits => "a card that waits reads otherwise once it is settled",
            Self::SyntheticTail => "the list ends with a line of its own",
        })
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fixed => "fixed",
            Self::Pinned => "pinned",
            Self::Current => "current",
            Self::Run => "run",
            Self::History => "history",
            Self::Summary => "summary",
            Self::Recall => "recall",
        })
    }
}

impl fmt::Display for UnitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "system",
            Self::Input => "input",
            Self::Answer => "answer",
            Self::Round => "round",
        })
    }
}
