//! Times as they are told: in UTC. The least of all is that of an entry without one.

use jiff::Timestamp;
use serde_json::Value;

/// To the minute, as lists show it.
pub(crate) fn to_minute(at: Timestamp) -> String {
    told(at, "%Y-%m-%d %H:%M")
}

/// To the second, RFC 3339.
pub(crate) fn to_second(at: Timestamp) -> String {
    told(at, "%Y-%m-%dT%H:%M:%SZ")
}

fn told(at: Timestamp, format: &str) -> String {
    if at == Timestamp::MIN { "no date".to_owned() } else { at.strftime(format).to_string() }
}

/// As precise as it is, for programs; null for none.
pub(crate) fn value(at: Timestamp) -> Value {
    if at == Timestamp::MIN { Value::Null } else { at.to_string().into() }
}
