//! What is between two bodies, for people.

use std::fmt::Write;

use briefing_diff::{Break, Change, Diff, Effect, MessageChange, ParameterChange, Section, Spot};

use crate::output::{Paint, count, shown};

/// How many places of one kind are told in a line.
const TOLD: usize = 12;

/// A diff with the names of its bodies and of what counted the tokens.
pub(crate) struct Difference<'a> {
    pub(crate) diff: &'a Diff,
    pub(crate) older: &'a str,
    pub(crate) newer: &'a str,
    pub(crate) estimator: &'a str,
}

impl Difference<'_> {
    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut out = self.title();
        for found in self.diff.breaks() {
            told_break(found, paint, &mut out);
        }
        out.push('\n');
        self.tokens(&mut out);
        self.messages(&mut out);
        for change in self.diff.parameters().iter().take(TOLD) {
            let _ = writeln!(out, "parameter {}", parameter(change));
        }
        let more = self.diff.parameters().len().saturating_sub(TOLD);
        if more > 0 {
            let _ = writeln!(out, "{} (--json gives them all)", count(more, "more parameter"));
        }
        self.marks(&mut out);
        self.bytes(&mut out);
        out
    }

    fn title(&self) -> String {
        let title = shown(&format!("{}, {}: {}", self.older, self.newer, self.diff.wire()));
        let result = match self.diff.breaks() {
            [] => "the prefix held".to_owned(),
            [first] => format!("the prefix breaks in {}", section(first.section)),
            [first, more @ ..] => {
                format!("the prefix breaks in {}; {} behind it", section(first.section), count(more.len(), "more break"))
            }
        };
        format!("{title}: {result}\n")
    }

    fn tokens(&self, out: &mut String) {
        let tokens = self.diff.tokens();
        let new = tokens.paid.saturating_sub(tokens.paid_again);
        let (served, again) = (tokens.served, tokens.paid_again);
        let _ = writeln!(out, "tokens by {}: {served} a cache can serve, {again} paid again, {new} new", self.estimator);
    }

    fn messages(&self, out: &mut String) {
        let [mut added, mut gone, mut altered, mut moved] = [const { Vec::new() }; 4];
        for change in self.diff.messages() {
            match *change {
                MessageChange::Added { newer } => added.push(newer.to_string()),
                MessageChange::Gone { older } => gone.push(older.to_string()),
                MessageChange::Altered { older, newer } if older == newer => altered.push(newer.to_string()),
                MessageChange::Altered { older, newer } => altered.push(format!("{newer} (was {older})")),
                MessageChange::Moved { older, newer } => moved.push(format!("{newer} (was {older})")),
            }
        }
        for (what, places) in [("added", added), ("gone", gone), ("altered", altered), ("moved", moved)] {
            if places.is_empty() {
                continue;
            }
            let _ = write!(out, "{} {what}: {}", count(places.len(), "message"), first(&places));
            let more = places.len().saturating_sub(TOLD);
            let _ = if more > 0 { writeln!(out, " and {more} more (--json gives them all)") } else { writeln!(out) };
        }
    }

    fn marks(&self, out: &mut String) {
        let marks = self.diff.marks();
        if !marks.older.is_empty() || !marks.newer.is_empty() {
            let _ = writeln!(out, "marks of caches moved: {} gone, {} added; no break", marks.older.len(), marks.newer.len());
        }
    }

    fn bytes(&self, out: &mut String) {
        let bytes = self.diff.bytes();
        let _ = if bytes.held {
            writeln!(out, "bytes: the newer body begins with the older one's {}", bytes.wanted)
        } else {
            let (line, column) = (bytes.line, bytes.column);
            writeln!(
                out,
                "bytes: the first {} of {} are the same (to line {line}, column {column})",
                bytes.common, bytes.wanted
            )
        };
    }
}

fn first(places: &[String]) -> String {
    places.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join(", ")
}

const fn section(section: Section) -> &'static str {
    match section {
        Section::Tools => "the tools",
        Section::System => "the system text",
        Section::Messages => "the messages",
    }
}

fn told_break(found: &Break, paint: Paint, out: &mut String) {
    let at = |spot: &Spot| {
        let place = if spot.place.as_str().is_empty() { "the body" } else { spot.place.as_str() };
        (shown(place), format!("line {}, column {}", spot.line, spot.column))
    };
    let (place, mut note) = match (&found.newer, &found.older) {
        (Some(spot), _) => at(spot),
        (None, Some(spot)) => (at(spot).0, "nothing there any more".to_owned()),
        (None, None) => ("the body".to_owned(), String::new()),
    };
    if let (Some(newer), Some(older)) = (&found.newer, &found.older) {
        let (was, line) = at(older);
        let _ = match older.place == newer.place {
            true if line == note => Ok(()),
            true => write!(note, "; was {line}"),
            false => write!(note, "; was {was}, {line}"),
        };
    }
    let _ = writeln!(out, "\n{} {}", paint.strong(&place), paint.dim(&format!("({note})")));
    let _ = writeln!(out, "  {}", paint.bad(&shown(&found.cause.to_string())));
    for (side, spot) in [("older", &found.older), ("newer", &found.newer)] {
        let excerpt = spot.as_ref().map_or_else(|| "nothing".to_owned(), |spot| shown(&spot.excerpt));
        let _ = writeln!(out, "  {} {excerpt}", paint.dim(&format!("{side}:")));
    }
    let _ = writeln!(out, "  {} {}", paint.good("remedy:"), found.cause.remedy());
}

fn parameter(change: &ParameterChange) -> String {
    let how = match change.change {
        Change::Added => "was added",
        Change::Gone => "is gone",
        Change::Altered => "changed",
    };
    let effect = match change.effect {
        Effect::None => "no part of the prompt".to_owned(),
        Effect::Breaks(from) => format!("a break: no cache is served from {} on", section(from)),
        Effect::BreaksOnSomeModels(from) => format!("on some models no cache is served from {} on", section(from)),
        Effect::Routing => "decides which cache is asked, or how long one is kept".to_owned(),
        Effect::KeptAtProvider => "names what the provider keeps, and these bodies do not show".to_owned(),
        Effect::Undocumented => "not known whether a cache minds".to_owned(),
    };
    let source = change.source.map(|source| format!(" ({source})")).unwrap_or_default();
    shown(&format!("`{}` {how}: {effect}{source}", change.name))
}
