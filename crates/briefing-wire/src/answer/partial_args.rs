//! Arguments of a Gemini call that come value by value, each with its path: `$.recipe.ingredients[0].amount`.

use briefing::message::MAX_RAW_DEPTH;
use briefing_json::{Kind, Value, present};

use super::grow::{Node, Object};
use crate::raw::text_of;

/// A step of a path.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// Adds a value to the arguments. False if it has no path that can be followed, or no value: arrays grow by one at a time.
pub(super) fn add(args: &mut Node, arg: Value<'_>) -> bool {
    let Some(path) = text_of(arg, "jsonPath").and_then(|path| steps(&path)) else { return false };
    let mut at = args;
    for step in path {
        let Some(next) = go(at, step) else { return false };
        at = next;
    }
    if let Some(text) = present(arg, "stringValue").filter(|text| text.kind() == Kind::String) {
        match at {
            Node::Text(known) => drop(known.append(text)),
            Node::Raw(_) | Node::Json(_) | Node::Object(_) | Node::Array(_) => *at = Node::growing(text),
        }
        return true;
    }
    let value = ["numberValue", "boolValue"].iter().find_map(|key| present(arg, key));
    match value {
        Some(value) => *at = Node::raw(value),
        None if arg.get("nullValue").is_some() => *at = Node::Raw("null".to_owned()),
        None => return false,
    }
    true
}

/// The place that a step leads to, made if it is new.
fn go(at: &mut Node, step: Step) -> Option<&mut Node> {
    // A place that was just made takes the form that the step wants.
    if matches!(at, Node::Raw(raw) if raw.is_empty()) {
        *at = match step {
            Step::Key(_) => Node::Object(Object::default()),
            Step::Index(_) => Node::Array(Vec::new()),
        };
    }
    match (at, step) {
        (Node::Object(object), Step::Key(key)) => {
            if object.get(&key).is_none() {
                object.set(&key, Node::Raw(String::new()));
            }
            object.get_mut(&key)
        }
        (Node::Array(items), Step::Index(index)) => {
            if index == items.len() {
                items.push(Node::Raw(String::new()));
            }
            items.get_mut(index)
        }
        (Node::Raw(_) | Node::Text(_) | Node::Json(_) | Node::Object(_) | Node::Array(_), Step::Key(_) | Step::Index(_)) => {
            None
        }
    }
}

/// The steps of a path (RFC 9535, singular): names after a dot or quoted in brackets, and indices in brackets.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut out = Vec::new();
    while !rest.is_empty() {
        if out.len() >= MAX_RAW_DEPTH {
            return None;
        }
        let (step, behind) = if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, behind) = name.split_at(end);
            (Step::Key(name.to_owned()), behind)
        } else if let Some(quoted) = rest.strip_prefix("['") {
            quoted_name(quoted, '\'')?
        } else if let Some(quoted) = rest.strip_prefix("[\"") {
            quoted_name(quoted, '"')?
        } else {
            let (index, behind) = rest.strip_prefix('[')?.split_once(']')?;
            (Step::Index(index.parse().ok()?), behind)
        };
        out.push(step);
        rest = behind;
    }
    Some(out)
}

/// A quoted name up to its bracket; a backslash stands before a quote or a backslash.
fn quoted_name(text: &str, quote: char) -> Option<(Step, &str)> {
    let mut name = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '\\' => name.push(chars.next()?),
            end if end == quote => return Some((Step::Key(name), chars.as_str().strip_prefix(']')?)),
            other => name.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use briefing_json::Document;

    use super::*;

    fn built(values: &[&str]) -> (String, Vec<bool>) {
        let mut args = Node::Object(Object::default());
        let added = values.iter().map(|value| add(&mut args, Document::parse(value).unwrap().root())).collect();
        let mut out = String::new();
        args.write(&mut out);
        (out, added)
    }

    #[test]
    fn values_are_put_where_their_path_leads() {
        let values = [
            r#"{"jsonPath":"$.a.list[0].x","stringValue":"é","willContinue":true}"#,
            r#"{"jsonPath":"$.a.list[0].x","stringValue":"\n"}"#,
            r#"{"jsonPath":"$.a.list[1]","numberValue":1.50}"#,
            r#"{"jsonPath":"$['b.c\\'']","boolValue":false}"#,
            r#"{"jsonPath":"$[\"d\"][0][0]","nullValue":"NULL_VALUE"}"#,
        ];
        let (json, added) = built(&values);
        assert_eq!(json, r#"{"a":{"list":[{"x":"é\n"},1.50]},"b.c'":false,"d":[[null]]}"#);
        assert_eq!(added, [true; 5]);
    }

    #[test]
    fn what_cannot_be_placed_is_not() {
        let values = [
            r#"{"jsonPath":"$.a","numberValue":1}"#,
            r#"{"jsonPath":"$.a.b","numberValue":1}"#,
            r#"{"jsonPath":"$.c","numberValue":null}"#,
            r#"{"jsonPath":"a","numberValue":1}"#,
            r#"{"jsonPath":"$[0]","numberValue":1}"#,
            r#"{"jsonPath":"$['a","numberValue":1}"#,
            r#"{"numberValue":1}"#,
        ];
        let (json, added) = built(&values);
        assert_eq!((json.as_str(), added), (r#"{"a":1,"c":null}"#, vec![true, false, false, false, false, false, false]));
        let far = r#"{"jsonPath":"$.list[4000000000]","numberValue":1}"#;
        assert_eq!(built(&[far]), (r#"{"list":[]}"#.to_owned(), vec![false]));
        let deep = format!(r#"{{"jsonPath":"${}","numberValue":1}}"#, ".a".repeat(101));
        assert_eq!(built(&[&deep]), ("{}".to_owned(), vec![false]));
    }
}
