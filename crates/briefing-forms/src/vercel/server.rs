//! Tools that the provider runs itself: a call and its result in one assistant message.
//!
//! The SDK keeps Anthropic's results with its own spelling of their fields (`encryptedContent` for `encrypted_content`).

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Item, Native, RawJson, Text};
use briefing::texts::native_elsewhere;
use briefing_json::{Document, Kind, Path, Value, quoted};

use super::options::raw_object;
use crate::change::ReadChange;
use crate::reader::{Reader, str_of};

/// How Anthropic's ids of such calls begin.
const ANTHROPIC: &str = "srvtoolu_";

/// Anthropic's tools whose results are the same but for the spelling.
const TOOLS: [&str; 3] = ["web_search", "web_fetch", "code_execution"];

/// A call; a text where it is not known whose it is.
pub(super) fn call(id: &str, tool: &str, input: &str, at: &Path<'_>, reader: &mut Reader) -> Item {
    let raw = [
        ("type", quoted("server_tool_use")),
        ("id", quoted(id)),
        ("name", quoted(tool)),
        ("input", if input.is_empty() { "{}" } else { input }.to_owned()),
    ];
    let raw = raw_object(&raw).filter(|_| id.starts_with(ANTHROPIC));
    raw.map(|raw| native("server_tool_use", raw, None)).unwrap_or_else(|| {
        reader.note(at, ReadChange::ServerToolAsText { tool: tool.to_owned() });
        Item::Text(Text::new(native_elsewhere(tool)))
    })
}

/// A result; a text where it is not known whose it is.
pub(super) fn result(id: &str, tool: &str, value: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Item {
    let kind = format!("{tool}_tool_result");
    let known = id.starts_with(ANTHROPIC) && TOOLS.contains(&tool) && matches!(value.kind(), Kind::Array | Kind::Object);
    let raw = if known {
        let raw = [("type", quoted(&kind)), ("tool_use_id", quoted(id)), ("content", respelled(value, &snake))];
        raw_object(&raw).map(|raw| native(&kind, raw, Some(id)))
    } else {
        None
    };
    raw.unwrap_or_else(|| {
        reader.note(at, ReadChange::ServerToolAsText { tool: tool.to_owned() });
        let text = value.as_str().map_or_else(|| reader.json(value, at), |text| text.into_owned());
        Item::Text(Text::new(text))
    })
}

fn native(kind: &str, raw: RawJson, needs: Option<&str>) -> Item {
    Item::Native(Native { wire: Wire::Anthropic, kind: kind.into(), raw, reads_as: None, needs: needs.map(Arc::from) })
}

/// A native block that the forms hold as a call or a result.
pub(super) enum Served {
    Call { id: String, tool: String, input: String },
    Result { id: String, tool: String, value: String },
}

/// None for a block that has no place in the forms.
pub(super) fn written(native: &Native) -> Option<Served> {
    if native.wire != Wire::Anthropic || native.reads_as.is_some() {
        return None;
    }
    let document = Document::parse(native.raw.as_str()).ok()?;
    let root = document.root();
    let only = |known: &[&str]| root.entries().all(|(name, _)| known.contains(&name.as_ref()));
    if str_of(root, "type").as_deref() != Some(&native.kind) {
        return None;
    }
    if &*native.kind == "server_tool_use" && only(&["type", "id", "name", "input"]) {
        let (id, input) = (str_of(root, "id")?, root.get("input")?);
        let known = id.starts_with(ANTHROPIC) && input.kind() == Kind::Object;
        return known.then_some(Served::Call { id, tool: str_of(root, "name")?, input: input.raw().to_owned() });
    }
    let tool = native.kind.strip_suffix("_tool_result").filter(|tool| TOOLS.contains(tool))?;
    let (id, content) = (str_of(root, "tool_use_id")?, root.get("content")?);
    let value = respelled(content, &camel);
    let same = respelled(content, &str::to_owned);
    let back = Document::parse(&value).is_ok_and(|document| respelled(document.root(), &snake) == same);
    let known = only(&["type", "tool_use_id", "content"])
        && id.starts_with(ANTHROPIC)
        && native.needs.as_deref() == Some(&*id)
        && matches!(content.kind(), Kind::Array | Kind::Object);
    (back && known).then_some(Served::Result { id, tool: tool.to_owned(), value })
}

fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut up = false;
    for c in name.chars() {
        match c {
            '_' => up = true,
            c => {
                out.push(if up { c.to_ascii_uppercase() } else { c });
                up = false;
            }
        }
    }
    out
}

/// The value with the names of all members respelled. Documents nest 127 levels at most, so it may recurse.
fn respelled(value: Value<'_>, spell: &impl Fn(&str) -> String) -> String {
    match value.kind() {
        Kind::Null | Kind::True | Kind::False | Kind::Number => value.raw().to_owned(),
        Kind::String => quoted(&value.as_str().unwrap_or_default()),
        Kind::Array => {
            let items: Vec<String> = value.items().map(|item| respelled(item, spell)).collect();
            format!("[{}]", items.join(","))
        }
        Kind::Object => {
            let member = |(name, value): (std::borrow::Cow<'_, str>, Value<'_>)| {
                format!("{}:{}", quoted(&spell(&name)), respelled(value, spell))
            };
            let members: Vec<String> = value.entries().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}
