//! The schema of a tool's input, compiled once. Schemas may come from anybody: nothing is fetched, and what one may cost is bounded.

use briefing::message::RawJson;
use briefing::text::one_line;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::tool::work::{self, TooComplex};

/// The most bytes of a schema.
pub const MAX_SCHEMA_BYTES: usize = 128 * 1024;

/// The most levels of a schema.
pub const MAX_SCHEMA_DEPTH: usize = 64;

/// The most problems that are told of one input.
pub const MAX_PROBLEMS: usize = 5;

/// The most characters of what is told of one problem, and of its pointer.
const PROBLEM_CHARS: usize = 200;

/// The most bytes that a compiled pattern takes, and the most that is cached while it is matched.
const PATTERN_BYTES: usize = 256 * 1024;

/// The stack of the thread that compiles: what is compiled nests at most as deep as [`work::unfolded`] allows.
const COMPILE_STACK: usize = 32 * 1024 * 1024;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// It takes too many bytes.
    #[error("the schema takes {bytes} bytes; at most {MAX_SCHEMA_BYTES} are taken")]
    TooLarge {
        /// Its bytes.
        bytes: usize,
    },
    /// It nests too deep.
    #[error("the schema nests deeper than {MAX_SCHEMA_DEPTH} levels")]
    TooDeep,
    /// It is not an object with `"type": "object"`, as the input of a tool is one.
    #[error("the schema is not of \"type\": \"object\"")]
    NotOfObjects,
    /// It refers to something that is not in it by a pointer (`#/$defs/…`). Nothing is fetched.
    #[error("the schema refers to {reference:?}, which is no pointer to a part of it")]
    ForeignReference {
        /// What it refers to, at most 200 characters.
        reference: String,
    },
    /// It changes what references mean, which tools' schemas have no use for.
    #[error("the schema uses {keyword:?} inside, which is not supported")]
    Unsupported {
        /// The keyword.
        keyword: &'static str,
    },
    /// Written out, with every reference followed, it is too large.
    #[error("the schema is too complex")]
    TooComplex,
    /// It is no schema, or has a pattern that the linear-time engine does not take.
    #[error("the schema does not compile: {detail}")]
    Invalid {
        /// Why, at most 200 characters.
        detail: String,
    },
}

/// What is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, as a JSON pointer; empty for the whole input.
    pub pointer: String,
    /// What, at most 200 characters.
    pub text: String,
}

/// Why an input does not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It is not as the schema wants it: the first [`MAX_PROBLEMS`].
    Problems(Vec<Problem>),
    /// Checking it would take too long.
    TooComplex,
}

/// A compiled schema.
pub(crate) struct Schema {
    value: Value,
    validator: Validator,
}

impl Schema {
    /// Checks and compiles it, in a thread of its own.
    ///
    /// # Errors
    /// [`SchemaFault`].
    pub(crate) fn compile(raw: &RawJson) -> Result<Self, SchemaFault> {
        let text = raw.as_str();
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(SchemaFault::TooLarge { bytes: text.len() });
        }
        let document = briefing_json::Document::parse(text).map_err(|error| invalid(&error.to_string()))?;
        if document.depth() > MAX_SCHEMA_DEPTH {
            return Err(SchemaFault::TooDeep);
        }
        let value: Value = serde_json::from_str(text).map_err(|error| invalid(&error.to_string()))?;
        if value.get("type").and_then(Value::as_str) != Some("object") {
            return Err(SchemaFault::NotOfObjects);
        }
        references(&value, &value, true)?;
        work::unfolded(&value).map_err(|TooComplex| SchemaFault::TooComplex)?;
        let compile = move || build(&value).map(|validator| Self { value, validator });
        let thread = std::thread::Builder::new().name("tool-schema".to_owned()).stack_size(COMPILE_STACK);
        let compiled = thread.spawn(compile).map_err(|error| invalid(&error.to_string()))?;
        compiled.join().map_err(|_| invalid("the compiler panicked"))?
    }

    /// Whether an input is as the schema wants it.
    pub(crate) fn check(&self, input: &Value) -> Result<(), Unfit> {
        work::of_check(&self.value, input).map_err(|TooComplex| Unfit::TooComplex)?;
        if self.validator.is_valid(input) {
            return Ok(());
        }
        let problems = self.validator.iter_errors(input).take(MAX_PROBLEMS).map(|error| Problem {
            pointer: shown(error.instance_path().as_str()),
            text: shown(&error.masked_with("the value").to_string()),
        });
        Err(Unfit::Problems(problems.collect()))
    }
}

fn build(value: &Value) -> Result<Validator, SchemaFault> {
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
    let options = jsonschema::options().offline().should_validate_formats(false).with_pattern_options(patterns);
    options.build(value).map_err(|error| invalid(&error.masked().to_string()))
}

fn invalid(detail: &str) -> SchemaFault {
    SchemaFault::Invalid { detail: shown(detail) }
}

fn shown(text: &str) -> String {
    one_line(text, PROBLEM_CHARS).into_owned()
}

/// Sees to it that every reference is a pointer to a part of the schema, and that nothing changes what a pointer means. Recurses as
/// deep as the schema nests.
fn references(root: &Value, part: &Value, outermost: bool) -> Result<(), SchemaFault> {
    match part {
        Value::Object(fields) => {
            for (keyword, value) in fields {
                let Some(text) = value.as_str() else { continue };
                match keyword.as_str() {
                    "$ref" if work::referred(root, text).is_none() => {
                        return Err(SchemaFault::ForeignReference { reference: shown(text) });
                    }
                    "$dynamicRef" => return Err(SchemaFault::Unsupported { keyword: "$dynamicRef" }),
                    "$recursiveRef" => return Err(SchemaFault::Unsupported { keyword: "$recursiveRef" }),
                    "$id" if !outermost => return Err(SchemaFault::Unsupported { keyword: "$id" }),
                    // The name of `$id` before draft 6.
                    "id" if !outermost && is_old(root) => return Err(SchemaFault::Unsupported { keyword: "id" }),
                    "$schema" if !outermost => return Err(SchemaFault::Unsupported { keyword: "$schema" }),
                    _ => {}
                }
            }
            fields.values().try_for_each(|value| references(root, value, false))
        }
        Value::Array(items) => items.iter().try_for_each(|value| references(root, value, false)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn is_old(root: &Value) -> bool {
    let draft = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
    draft.contains("draft-03") || draft.contains("draft-04")
}
