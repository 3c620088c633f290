//! What the tests of several wires share.

#![allow(dead_code, reason = "no file of tests uses all of it")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use briefing_check::{Fault, Rules, check, recognise};
use briefing_json::{Document, Value};

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

/// The bodies of the public fault reports.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/reports")
}

/// The whole list of what is wrong with a body, by the rules of the wire that it tells and the model that it names.
pub(crate) fn violations(body: &str) -> Vec<(String, Fault)> {
    let document = Document::parse(body).unwrap();
    let wire = recognise(document.root()).unwrap().wire;
    let model = document.root().get("model").and_then(Value::as_str).unwrap();
    faults(&Rules::for_model(wire, &model), body)
}

/// Asserts the whole list of faults of a body in the folder.
pub(crate) fn assert_faults(file: &str, expected: &[(&str, Fault)]) {
    let body = fs::read_to_string(folder().join(file).with_extension("json")).unwrap();
    let expected: Vec<_> = expected.iter().map(|(place, fault)| ((*place).to_owned(), fault.clone())).collect();
    assert_eq!(violations(&body), expected, "{file}");
}

pub(crate) fn orphan(id: &str) -> Fault {
    Fault::OrphanOutcome { id: id.into() }
}

pub(crate) fn missing(id: &str) -> Fault {
    Fault::MissingOutcome { id: id.into() }
}
