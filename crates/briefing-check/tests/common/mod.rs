//! What the tests of several wires share.

#![allow(dead_code, reason = "no file of tests uses all of it")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use briefing_check::{Fault, Rules, check};
use briefing_json::Document;

/// The whole list of what is wrong with a body.
pub(crate) fn faults(rules: &Rules, body: &str) -> Vec<(String, Fault)> {
    let document = Document::parse(body).unwrap();
    let report = check(document.root(), rules);
    assert_eq!(report.omitted, 0);
    report.violations.into_iter().map(|violation| (violation.place.to_string(), violation.fault)).collect()
}

/// What the provider says to each fault of a body.
pub(crate) fn said(rules: &Rules, body: &str) -> Vec<Option<String>> {
    let document = Document::parse(body).unwrap();
    check(document.root(), rules).violations.iter().map(|violation| violation.provider_error(rules)).collect()
}

pub(crate) fn at<const N: usize>(expected: [(&str, Fault); N]) -> Vec<(String, Fault)> {
    expected.map(|(place, fault)| (place.to_owned(), fault)).into()
}
