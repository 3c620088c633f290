//! Fields of a body that stand there twice: readers take one of them, and do not say which.

use briefing_json::{Path, Value};

use crate::fault::Fault;
use crate::report::Findings;

/// The fields of which a second one changes what the model sees.
const KEYS: [&str; 9] =
    ["model", "system", "tools", "messages", "input", "instructions", "contents", "systemInstruction", "system_instruction"];

pub(crate) fn check(body: Value<'_>, out: &mut Findings) {
    for key in KEYS {
        if body.entries().filter(|(name, _)| name == key).nth(1).is_some() {
            out.add(&Path::ROOT.key(key), Fault::RepeatedKey { key });
        }
    }
}
