//! What is wrong with a body, for people and for programs.

use std::fmt::Write;

use briefing_check::{Report, Rules, Violation};
use briefing_json::Pointer;
use serde_json::{Value, json};

use crate::output::{Paint, count, shown};

/// One fault as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) line: usize,
    pub(crate) place: Pointer,
    pub(crate) code: &'static str,
    pub(crate) cause: String,
    pub(crate) provider_error: Option<String>,
    pub(crate) remedy: &'static str,
}

impl Problem {
    /// A body of more bytes than its provider takes, which the checker of its content does not see.
    pub(crate) fn body_too_large(bytes: usize, most: u64) -> Self {
        Self {
            line: 1,
            place: Pointer::root(),
            code: "body-too-large",
            cause: format!("the body has {bytes} bytes, more than {most}"),
            provider_error: None,
            remedy: "send less of it: `briefing assemble --transcript FILE --as WIRE` keeps what fits",
        }
    }
}

/// Everything that is wrong with one body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Problems {
    pub(crate) list: Vec<Problem>,
    /// How many more there are.
    pub(crate) omitted: usize,
}

impl Problems {
    /// The faults of the body that stands in `text`.
    pub(crate) fn new(report: Report, rules: &Rules, text: &str) -> Self {
        let lines = lines(text, report.violations.iter().map(|violation| violation.span.start));
        let problem = |(violation, line): (Violation, usize)| Problem {
            line,
            code: violation.fault.code(),
            cause: violation.fault.to_string(),
            provider_error: violation.provider_error(rules),
            remedy: violation.fault.remedy(),
            place: violation.place,
        };
        Self { list: report.violations.into_iter().zip(lines).map(problem).collect(), omitted: report.omitted }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.list.is_empty()
    }

    /// What is wrong here and is not after a mending, by its code.
    pub(crate) fn gone(&self, after: &Self) -> Vec<String> {
        let mut order: Vec<&'static str> = Vec::new();
        for problem in &self.list {
            if !order.contains(&problem.code) {
                order.push(problem.code);
            }
        }
        let times = |list: &[Problem], code: &str| list.iter().filter(|problem| problem.code == code).count();
        let told = |code: &'static str| match times(&self.list, code).saturating_sub(times(&after.list, code)) {
            0 => None,
            1 => Some(code.to_owned()),
            many => Some(format!("{code} ({many} times)")),
        };
        order.into_iter().filter_map(told).collect()
    }

    fn count(&self) -> String {
        match self.list.len() + self.omitted {
            0 => "nothing wrong with the body".to_owned(),
            many => count(many, "violation"),
        }
    }

    /// A block of lines a fault, below a line with their number.
    pub(crate) fn text(&self, title: &str, paint: Paint) -> String {
        let mut out = format!("{}: {}\n", shown(title), self.count());
        for problem in &self.list {
            let place = if problem.place.as_str().is_empty() { "the body" } else { problem.place.as_str() };
            let _ = writeln!(out, "\n{} {}", paint.strong(&shown(place)), paint.dim(&format!("(line {})", problem.line)));
            let _ = writeln!(out, "  {}", paint.bad(&shown(&problem.cause)));
            if let Some(error) = &problem.provider_error {
                let _ = writeln!(out, "  the provider says: {}", shown(error));
            }
            let _ = writeln!(out, "  {} {}", paint.good("remedy:"), problem.remedy);
        }
        if self.omitted > 0 {
            let _ = writeln!(out, "\n… and {} more", self.omitted);
        }
        out
    }

    pub(crate) fn json(&self) -> Value {
        let problem = |problem: &Problem| {
            json!({
                "place": problem.place.as_str(),
                "line": problem.line,
                "code": problem.code,
                "cause": problem.cause,
                "provider_error": problem.provider_error,
                "remedy": problem.remedy,
            })
        };
        self.list.iter().map(problem).collect()
    }
}

/// The line of each byte offset, counted from one. The offsets ascend.
fn lines(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut line, mut done) = (1, 0);
    let line_of = |offset: usize| {
        let between = text.as_bytes().get(done..offset).unwrap_or_default();
        line += between.iter().filter(|byte| **byte == b'\n').count();
        done = done.max(offset);
        line
    };
    offsets.map(line_of).collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(lines("{\n \"a\":\n1}", [0, 3, 3, 8, 99].into_iter()), [1, 2, 2, 3, 3]);
    }
}
