//! What a check found, and the collector that fills it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use briefing_json::{Path, Pointer, Value, present};

use crate::fault::{Fault, Shape};
use crate::locate::locate;
use crate::profile::Rules;

/// How many violations a report holds; what lies beyond is counted only.
pub const MAX_VIOLATIONS: usize = 1_000;

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What is wrong, at most [`MAX_VIOLATIONS`], in the order of the places in the body.
    pub violations: Vec<Violation>,
    /// How many more there are.
    pub omitted: usize,
}

impl Report {
    /// Whether the body has no fault that the checker knows of.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }
}

/// One fault and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The narrowest value that has to change; for something missing, the value that lacks it.
    pub place: Pointer,
    /// The bytes of the body's text that it stands at.
    pub span: Range<usize>,
    /// What is wrong there.
    pub fault: Fault,
}

impl Violation {
    /// What the provider answers to it. See [`Fault::provider_error`].
    #[must_use]
    pub fn provider_error(&self, rules: &Rules) -> Option<String> {
        self.fault.provider_error(rules, &self.place)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place.as_str().is_empty() { "the body" } else { self.place.as_str() };
        write!(f, "{place}: {}", self.fault)
    }
}

/// Collects violations up to the cap.
#[derive(Debug, Default)]
pub(crate) struct Findings(Report);

impl Findings {
    /// The report of that body.
    pub(crate) fn into_report(mut self, body: Value<'_>) -> Report {
        let places: Vec<&Pointer> = self.0.violations.iter().map(|violation| &violation.place).collect();
        let spans = if places.is_empty() { Vec::new() } else { locate(body, &places) };
        for (violation, span) in self.0.violations.iter_mut().zip(spans) {
            violation.span = span;
        }
        self.0.violations.sort_by_key(|violation| violation.span.start);
        self.0
    }

    pub(crate) fn add(&mut self, at: &Path<'_>, fault: Fault) {
        if self.0.violations.len() < MAX_VIOLATIONS {
            self.0.violations.push(Violation { place: at.pointer(), span: 0..0, fault });
        } else {
            self.0.omitted += 1;
        }
    }

    /// The value, if it is of that shape; else a fault.
    pub(crate) fn shaped<'d>(&mut self, at: &Path<'_>, value: Value<'d>, expected: Shape) -> Option<Value<'d>> {
        if expected.takes(value.kind()) {
            return Some(value);
        }
        self.add(at, Fault::WrongType { expected, found: value.kind() });
        None
    }

    /// The member of that name and shape; a fault if it is absent, `null` or of another shape.
    pub(crate) fn need<'d>(&mut self, at: &Path<'_>, object: Value<'d>, key: &'static str, shape: Shape) -> Option<Value<'d>> {
        match present(object, key) {
            Some(value) => self.shaped(&at.key(key), value, shape),
            None => {
                self.add(at, Fault::Missing { key });
                None
            }
        }
    }

    /// The member as text; a fault if it is absent or no string.
    pub(crate) fn need_text<'d>(&mut self, at: &Path<'_>, object: Value<'d>, key: &'static str) -> Option<Cow<'d, str>> {
        self.need(at, object, key, Shape::String)?.as_str()
    }

    /// The member of that name and shape, if it is there and not `null`; a fault if it is of another shape.
    pub(crate) fn optional<'d>(&mut self, at: &Path<'_>, object: Value<'d>, key: &str, shape: Shape) -> Option<Value<'d>> {
        self.shaped(&at.key(key), present(object, key)?, shape)
    }
}

/// The member as text, if it is a string.
pub(crate) fn text<'d>(object: Value<'d>, key: &str) -> Option<Cow<'d, str>> {
    object.get(key)?.as_str()
}
