//! Gemini's generateContent, of its own API and of Vertex.
//!
//! The body is proto JSON: a field has two names, `functionCall` and `function_call`, and one object may stand for a list of one.
//! The provider joins neighbouring contents of one role before it pairs calls and outcomes (recordings 07 and 09), so a *turn* here
//! is a run of contents of one role, and the calls of a model turn are answered in the turn behind it.

mod field;
mod parts;
mod signatures;
mod tools;
mod turns;

use briefing_json::{Kind, Path, Value, present};

use crate::fault::{Fault, Role, Shape, clip};
use crate::profile::Rules;
use crate::report::Findings;
use field::{Field, each, step};
use parts::{Held, Parts};
use turns::Turns;

const SYSTEM: Field = Field::new("systemInstruction", "system_instruction");

/// Contents and tools that the provider keeps, before those of the body.
const CACHED: Field = Field::new("cachedContent", "cached_content");

pub(crate) fn check(body: Value<'_>, rules: &Rules, out: &mut Findings) {
    let root = &Path::ROOT;
    if out.shaped(root, body, Shape::Object).is_none() {
        return;
    }
    system(body, out);
    let goes_on = CACHED.of(body).is_some();
    let declared = tools::check(body, goes_on, out);
    let Some(contents) = present(body, "contents") else {
        out.add(root, Fault::Missing { key: "contents" });
        return;
    };
    if !matches!(contents.kind(), Kind::Array | Kind::Object) {
        out.shaped(&root.key("contents"), contents, Shape::Array);
        return;
    }
    // "contents is not specified" (<https://github.com/langchain-ai/langchain-google/issues/1393>)
    if each(contents).next().is_none() {
        out.add(&root.key("contents"), Fault::NoMessages);
        return;
    }
    let calls = walk(contents, goes_on, rules, out);
    if rules.thought_signatures {
        signatures::check(contents, out);
    }
    if rules.tools_with_calls && calls && !declared && !goes_on {
        out.add(root, Fault::CallsWithoutTools);
    }
}

/// Goes along the contents and tells whether any of them holds a call.
fn walk(contents: Value<'_>, goes_on: bool, rules: &Rules, out: &mut Findings) -> bool {
    let above = Path::ROOT.key("contents");
    let mut turns = Turns::new(contents, goes_on);
    for (index, content) in each(contents) {
        let at = step(&above, index);
        if out.shaped(&at, content, Shape::Object).is_none() {
            continue;
        }
        let Some(role) = role(content, &at, out) else { continue };
        let held = checked(content, rules, &at, out);
        turns.content(role, held, index, &at, out);
    }
    turns.ends(rules, out);
    turns.has_calls()
}

/// "Please use a valid role: user, model." An absent role is the user's on the Gemini API; Vertex asks for one, and a body does not
/// tell them apart. `function` is the older form of a user content with outcomes.
fn role(content: Value<'_>, at: &Path<'_>, out: &mut Findings) -> Option<Role> {
    let Some(name) = present(content, "role") else { return Some(Role::User) };
    let at = at.key("role");
    let name = out.shaped(&at, name, Shape::String)?.as_str()?;
    match name.as_ref() {
        "user" | "" => Some(Role::User),
        "model" => Some(Role::Model),
        "function" => Some(Role::Function),
        role => {
            out.add(&at, Fault::UnknownRole { role: clip(role) });
            None
        }
    }
}

/// "contents.parts must not be empty" (<https://github.com/vercel/ai/issues/3775>)
fn checked<'d>(content: Value<'d>, rules: &Rules, at: &Path<'_>, out: &mut Findings) -> Vec<Held<'d>> {
    let Some(parts) = present(content, "parts") else {
        out.add(at, Fault::EmptyContent);
        return Vec::new();
    };
    if each(parts).next().is_none() {
        if out.shaped(&at.key("parts"), parts, Shape::Array).is_some() {
            out.add(at, Fault::EmptyContent);
        }
        return Vec::new();
    }
    Parts { rules, out }.walk(parts, &at.key("parts"))
}

/// "Currently, text only": the reference of `systemInstruction`.
fn system(body: Value<'_>, out: &mut Findings) {
    let Some((key, system)) = SYSTEM.of(body) else { return };
    let at = Path::ROOT.key(key);
    let Some(system) = out.shaped(&at, system, Shape::Object) else { return };
    let above = at.key("parts");
    for (index, part) in present(system, "parts").into_iter().flat_map(each) {
        parts::system(part, &step(&above, index), out);
    }
}
