//! What checking an input against a schema takes, counted before it is done: references that fan out can make a few lines of schema
//! take longer than anybody waits. Recursion is bounded here, so that the validator's is.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// The most parts of a schema with every reference followed.
const MAX_UNFOLDED: u64 = 100_000;

/// The most steps of one check.
const MAX_STEPS: u64 = 100_000;

/// The most levels that compiling or checking nests.
const MAX_NESTING: usize = 160;

/// So many bytes of a value count as a step where it is compared or copied.
const STEP_BYTES: u64 = 256;

/// It takes more than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooComplex;

/// The part that a reference names by a pointer.
pub(crate) fn referred<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#').filter(|pointer| !pointer.contains('%'))?;
    root.pointer(pointer)
}

/// Counts a schema's parts with every reference followed, once around each cycle.
pub(crate) fn unfolded(root: &Value) -> Result<(), TooComplex> {
    Unfolding { root, known: HashMap::new() }.count(root, 0).map(|_| ())
}

/// What is known of a part: none while it is being counted.
type Known<K> = HashMap<K, Option<Counted>>;

#[derive(Clone, Copy)]
struct Counted {
    steps: u64,
    nesting: usize,
}

struct Unfolding<'a> {
    root: &'a Value,
    known: Known<usize>,
}

impl Unfolding<'_> {
    fn count(&mut self, part: &Value, level: usize) -> Result<Counted, TooComplex> {
        let place = place(part);
        let found = match self.known.get(&place) {
            // A cycle: it is compiled once.
            Some(None) => return Ok(Counted { steps: 1, nesting: 0 }),
            Some(Some(counted)) => *counted,
            None => {
                if level > MAX_NESTING {
                    return Err(TooComplex);
                }
                self.known.insert(place, None);
                let counted = self.inside(part, level)?;
                self.known.insert(place, Some(counted));
                counted
            }
        };
        if found.steps > MAX_UNFOLDED || level.saturating_add(found.nesting) > MAX_NESTING {
            return Err(TooComplex);
        }
        Ok(found)
    }

    fn inside(&mut self, part: &Value, level: usize) -> Result<Counted, TooComplex> {
        let parts: Vec<&Value> = match part {
            Value::Object(fields) => fields.values().collect(),
            Value::Array(items) => items.iter().collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        };
        let target = part.get("$ref").and_then(Value::as_str).and_then(|reference| referred(self.root, reference));
        let mut all = Counted { steps: 1, nesting: 0 };
        for part in parts.into_iter().chain(target) {
            let counted = self.count(part, level + 1)?;
            all.steps = all.steps.saturating_add(counted.steps);
            all.nesting = all.nesting.max(counted.nesting + 1);
        }
        Ok(all)
    }
}

/// Counts the steps of checking `input`: every pair of a part of the schema and a part of the input, as often as it is met.
pub(crate) fn of_check(root: &Value, input: &Value) -> Result<(), TooComplex> {
    let mut sizes = HashMap::new();
    measure(input, &mut sizes);
    Check { root, sizes, known: HashMap::new() }.count(root, input, 0).map(|_| ())
}

struct Check<'a> {
    root: &'a Value,
    sizes: HashMap<usize, u64>,
    known: Known<(usize, usize)>,
}

impl<'a> Check<'a> {
    fn count(&mut self, schema: &'a Value, input: &'a Value, level: usize) -> Result<Counted, TooComplex> {
        let Value::Object(fields) = schema else { return Ok(Counted { steps: 1, nesting: 0 }) };
        let pair = (place(schema), place(input));
        let found = match self.known.get(&pair) {
            // The same question inside itself never ends.
            Some(None) => return Err(TooComplex),
            Some(Some(counted)) => *counted,
            None => {
                if level > MAX_NESTING {
                    return Err(TooComplex);
                }
                self.known.insert(pair, None);
                let counted = self.inside(fields, input, level)?;
                self.known.insert(pair, Some(counted));
                counted
            }
        };
        if found.steps > MAX_STEPS || level.saturating_add(found.nesting) > MAX_NESTING {
            return Err(TooComplex);
        }
        Ok(found)
    }

    fn inside(&mut self, fields: &'a Map<String, Value>, input: &'a Value, level: usize) -> Result<Counted, TooComplex> {
        let size = self.sizes.get(&place(input)).copied().unwrap_or(1);
        let mut steps = 1 + size / STEP_BYTES;
        if let Some(options) = fields.get("enum").and_then(Value::as_array) {
            steps = steps.saturating_add(u64::try_from(options.len()).unwrap_or(u64::MAX));
        }
        // A pattern looks at every byte, at worst once for each of its states.
        if fields.contains_key("pattern") || fields.contains_key("patternProperties") || fields.contains_key("uniqueItems") {
            steps = steps.saturating_add(size);
        }
        let mut all = Counted { steps, nesting: 0 };
        for (schema, input) in self.applied(fields, input) {
            let counted = self.count(schema, input, level + 1)?;
            all.steps = all.steps.saturating_add(counted.steps);
            all.nesting = all.nesting.max(counted.nesting + 1);
            if all.steps > MAX_STEPS {
                return Err(TooComplex);
            }
        }
        // What these leave over is found by asking everything once more.
        if fields.contains_key("unevaluatedProperties") || fields.contains_key("unevaluatedItems") {
            all.steps = all.steps.saturating_mul(2);
        }
        Ok(all)
    }

    /// The pairs that a schema leads to from an input; rather one too many.
    fn applied(&self, fields: &'a Map<String, Value>, input: &'a Value) -> Vec<(&'a Value, &'a Value)> {
        let mut pairs = Vec::new();
        for (keyword, value) in fields {
            match keyword.as_str() {
                "$ref" => {
                    let target = value.as_str().and_then(|reference| referred(self.root, reference));
                    pairs.extend(target.map(|schema| (schema, input)));
                }
                "allOf" | "anyOf" | "oneOf" => pairs.extend(items(value).map(|schema| (schema, input))),
                "not" | "if" | "then" | "else" => pairs.push((value, input)),
                "dependentSchemas" | "dependencies" => pairs.extend(members(value).map(|(_, schema)| (schema, input))),
                "properties" => {
                    let met = members(input).filter_map(|(name, input)| Some((value.get(name)?, input)));
                    pairs.extend(met);
                }
                "patternProperties" => {
                    let schemas = members(value).map(|(_, schema)| schema);
                    pairs.extend(schemas.flat_map(|schema| members(input).map(move |(_, input)| (schema, input))));
                }
                "additionalProperties" | "unevaluatedProperties" | "propertyNames" => {
                    pairs.extend(members(input).map(|(_, input)| (value, input)));
                }
                "items" | "prefixItems" if value.is_array() => pairs.extend(items(value).zip(items(input))),
                "items" | "additionalItems" | "unevaluatedItems" | "contains" => {
                    pairs.extend(items(input).map(|input| (value, input)));
                }
                _ => {}
            }
        }
        pairs
    }
}

/// How many bytes each part of a value takes, about.
fn measure(value: &Value, sizes: &mut HashMap<usize, u64>) -> u64 {
    let len = |text: &str| u64::try_from(text.len()).unwrap_or(u64::MAX);
    let size = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => 8 + len(text),
        Value::Array(items) => items.iter().fold(8, |sum, item| sum + measure(item, sizes)),
        Value::Object(fields) => fields.iter().fold(8, |sum, (name, value)| sum + len(name) + measure(value, sizes)),
    };
    sizes.insert(place(value), size);
    size
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Which value it is, among those that live now.
fn place(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
