//! The receipt, for people in a few lines and for programs whole.

use briefing::{Bound, Receipt, Unvisited};
use serde_json::Value;

/// How many changes are told; `explain` tells them all.
const TOLD: usize = 10;

/// The receipt in a few lines: what was left out or changed, and the totals.
pub(crate) fn summary(receipt: &Receipt) -> Vec<String> {
    let mut lines = Vec::new();
    if receipt.unvisited() != Unvisited::Nothing {
        lines.push(receipt.unvisited().to_string());
    }
    lines.extend(receipt.lines().iter().take(TOLD).map(ToString::to_string));
    let more = receipt.lines().len().saturating_sub(TOLD);
    if more > 0 {
        lines.push(format!("… and {more} more; `briefing explain` tells them all"));
    }
    lines.extend(receipt.changes().iter().map(|change| format!("prefix: {change}")));
    lines.push(format!("total: {}", totals(receipt)));
    lines
}

fn totals(receipt: &Receipt) -> String {
    let totals = receipt.totals().into_iter().filter(|(bound, used, _)| *bound != Bound::Images || *used > 0);
    let totals = totals.map(|(bound, used, most)| {
        let by = match (bound, receipt.estimator()) {
            (Bound::Tokens, Some(estimator)) => format!(" by {estimator}"),
            _ => String::new(),
        };
        // Bytes are an upper estimate.
        let about = if bound == Bound::Bytes { "at most " } else { "" };
        let name = bound.to_string();
        let name = if most.unwrap_or(used) == 1 { name.trim_end_matches('s') } else { &name };
        match most {
            Some(most) => format!("{about}{used} of {most} {name}{by}"),
            None => format!("{about}{used} {name}{by}"),
        }
    });
    totals.collect::<Vec<_>>().join(", ")
}

/// The receipt as JSON. A limit that does not hold is null.
pub(crate) fn json(receipt: &Receipt) -> Value {
    let mut value = serde_json::to_value(receipt).unwrap_or_default();
    for limit in value.get_mut("most").and_then(Value::as_object_mut).into_iter().flat_map(|most| most.values_mut()) {
        if limit.as_u64() == Some(u64::MAX) {
            *limit = Value::Null;
        }
    }
    value
}
