//! Which provider's format a pair of bodies is in, told by the bodies alone.

use briefing_check::{Recognised, Unrecognised, Wire, recognise};
use briefing_json::{Kind, Value};

use crate::{DiffError, Side};

/// The wire that both bodies are in. A body of plain `messages` may be of two wires; then the other body decides.
pub(crate) fn wire_of_both(older: Value<'_>, newer: Value<'_>) -> Result<Wire, DiffError> {
    let (a, b) = (told(older, Side::Older)?, told(newer, Side::Newer)?);
    match (a.guessed, b.guessed) {
        _ if a.wire == b.wire => Ok(a.wire),
        _ if a.wire.list() != b.wire.list() => Err(DiffError::DifferentWires { older: a.wire, newer: b.wire }),
        (_, true) => Ok(a.wire),
        (true, false) => Ok(b.wire),
        (false, false) => Err(DiffError::DifferentWires { older: a.wire, newer: b.wire }),
    }
}

/// What one body alone tells, by the recogniser of `briefing-check`, so that no two parts of a program disagree.
fn told(body: Value<'_>, side: Side) -> Result<Recognised, DiffError> {
    let told = recognise(body).map_err(|error| match error {
        Unrecognised::NotAnObject => DiffError::NotAnObject { side },
        Unrecognised::Bedrock => DiffError::Bedrock { side },
        // What else may be said of a body one day: it is of no wire that is known here.
        Unrecognised::NoMessages | _ => DiffError::NoMessages { side },
    })?;
    let is_list = |list: Value<'_>| match list.kind() {
        Kind::Array => true,
        Kind::String => told.wire == Wire::OpenAiResponses,
        _ => false,
    };
    if body.get(told.wire.list()).is_none_or(|list| !is_list(list)) {
        return Err(DiffError::NoMessages { side });
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing_json::Document;

    fn both(a: &str, b: &str) -> Result<Wire, DiffError> {
        wire_of_both(Document::parse(a).unwrap().root(), Document::parse(b).unwrap().root())
    }

    #[test]
    fn the_list_tells_the_wire_and_the_other_body_decides_a_plain_one() {
        let plain = r#"{"messages": [{"role": "user", "content": "a"}]}"#;
        let anthropic = r#"{"system": "s", "messages": []}"#;
        let chat = r#"{"messages": [{"role": "system", "content": "s"}]}"#;
        let (responses, gemini) = (r#"{"input": "a"}"#, r#"{"contents": []}"#);
        assert_eq!(both(plain, plain), Ok(Wire::OpenAiChat));
        assert_eq!(both(plain, anthropic), Ok(Wire::Anthropic));
        assert_eq!(both(chat, plain), Ok(Wire::OpenAiChat));
        assert_eq!(both(responses, responses), Ok(Wire::OpenAiResponses));
        assert_eq!(both(gemini, gemini), Ok(Wire::Gemini));
        let different = |older, newer| Err(DiffError::DifferentWires { older, newer });
        assert_eq!(both(plain, gemini), different(Wire::OpenAiChat, Wire::Gemini));
        assert_eq!(both(anthropic, chat), different(Wire::Anthropic, Wire::OpenAiChat));
        assert_eq!(both(plain, responses), different(Wire::OpenAiChat, Wire::OpenAiResponses));
        assert_eq!(both(chat, r#"{"contents": {}}"#), Err(DiffError::NoMessages { side: Side::Newer }));
        let converse = r#"{"messages": [{"role": "user", "content": [{"text": "q"}]}]}"#;
        assert_eq!(both(converse, chat), Err(DiffError::Bedrock { side: Side::Older }));
        assert_eq!(both("[]", chat), Err(DiffError::NotAnObject { side: Side::Older }));
        assert_eq!(both(chat, "{}"), Err(DiffError::NoMessages { side: Side::Newer }));
    }
    #[test]
    fn a_body_is_of_the_wire_that_the_checkers_judge_it_by() {
        for (body, wire) in [
            (r#"{"model": "claude-sonnet-4-5", "n": 1, "messages": []}"#, Wire::OpenAiChat),
            (r#"{"model": "claude-sonnet-4-5", "messages": []}"#, Wire::Anthropic),
            (r#"{"model": "anthropic/claude-sonnet-4-5", "max_tokens": 5, "messages": []}"#, Wire::Anthropic),
            (r#"{"model": "m", "stop_sequences": ["a"], "messages": []}"#, Wire::Anthropic),
            (r#"{"anthropic_version": "vertex-2023-10-16", "messages": []}"#, Wire::Anthropic),
            (r#"{"messages": [{"role": "user", "content": [{"type": "document_url"}]}]}"#, Wire::OpenAiChat),
        ] {
            let checked = recognise(Document::parse(body).unwrap().root()).unwrap().wire;
            assert_eq!(checked, wire, "{body}");
            assert_eq!(both(body, body), Ok(wire), "{body}");
        }
    }
}
