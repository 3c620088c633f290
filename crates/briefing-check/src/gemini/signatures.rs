//! The thought signatures that Gemini 3 asks for (report B64), as <https://ai.google.dev/gemini-api/docs/thought-signatures> tells:
//! the first call of each step of the current turn has one. The current turn begins with the last user content that holds
//! something else than outcomes. "Function call is missing a thought_signature in functionCall parts."

use briefing_json::{Path, Value, present};

use super::field::{each, step};
use super::parts::{CALL, OUTCOME, SIGNATURE};
use crate::fault::{Fault, clip};
use crate::report::{Findings, text};

pub(super) fn check(contents: Value<'_>, out: &mut Findings) {
    let list: Vec<_> = each(contents).collect();
    let begin = list.iter().rposition(|(_, content)| asks(*content)).unwrap_or(0);
    let above = Path::ROOT.key("contents");
    for (index, content) in list.into_iter().skip(begin).filter(|(_, content)| is_model(*content)) {
        check_step(content, &step(&above, index).key("parts"), out);
    }
}

fn check_step(content: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    let calls = parts(content).filter_map(|(index, part)| Some((index, part, CALL.of(part)?.1)));
    let Some((index, part, call)) = calls.into_iter().next() else { return };
    let signed = SIGNATURE.of(part).is_some_and(|(_, signature)| signature.raw() != "\"\"");
    if !signed {
        out.add(&step(at, index), Fault::MissingSignature { name: clip(&text(call, "name").unwrap_or_default()) });
    }
}

/// Whether a turn begins with this content.
fn asks(content: Value<'_>) -> bool {
    !is_model(content) && parts(content).any(|(_, part)| OUTCOME.of(part).is_none())
}

fn is_model(content: Value<'_>) -> bool {
    text(content, "role").as_deref() == Some("model")
}

fn parts(content: Value<'_>) -> impl Iterator<Item = (Option<usize>, Value<'_>)> {
    present(content, "parts").into_iter().flat_map(each)
}
