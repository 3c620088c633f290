//! `tool_choice` agrees with the tools: "Tool choice 'web_search' not found in 'tools' parameter.", "Tool choice 'required' must be
//! specified with 'tools' parameter."

use std::borrow::Cow;
use std::collections::HashSet;

use briefing_json::{Document, Kind, Value};

use crate::finding::WireChange;
use crate::raw::{look, text_of};
use crate::scribe::Scribe;
use crate::tools::{Declared, Parameter};

/// Maps the names of the tools that are chosen as the tools are mapped, and leaves out what the tools do not have: of several that are
/// allowed that one, else the choice.
pub(super) fn settle(parameters: &mut Vec<Parameter<'_>>, tools: &[Declared<'_>], scribe: &mut Scribe<'_>) {
    let Some(at) = parameters.iter().position(|(name, _)| *name == "tool_choice") else { return };
    let Some((_, choice)) = parameters.get_mut(at) else { return };
    let mut chosen = Choice::new(tools, scribe);
    match Document::parse(choice).ok().and_then(|document| chosen.settled(document.root())) {
        Some(Some(mapped)) => *choice = Cow::Owned(mapped),
        Some(None) => {}
        None => {
            parameters.remove(at);
            scribe.note_body(WireChange::ToolChoiceLeftOut);
        }
    }
}

struct Choice<'c, 'p> {
    names: HashSet<&'c str>,
    /// The types of the tools of the provider's own.
    types: HashSet<String>,
    scribe: &'c mut Scribe<'p>,
}

impl<'c, 'p> Choice<'c, 'p> {
    fn new(tools: &'c [Declared<'c>], scribe: &'c mut Scribe<'p>) -> Self {
        let of_raw = |tool: &Declared<'_>| match tool {
            Declared::Raw { raw, .. } => look(raw, |tool| text_of(tool, "type")),
            Declared::Function { .. } => None,
        };
        let types = tools.iter().filter_map(of_raw).collect();
        Self { names: tools.iter().filter_map(Declared::name).collect(), types, scribe }
    }

    /// The choice with its names mapped, or (inside none) as it is; none if it may not stand.
    fn settled(&mut self, choice: Value<'_>) -> Option<Option<String>> {
        match choice.kind() {
            Kind::Null => Some(None),
            Kind::String => {
                let choice = choice.as_str()?;
                let any = !self.names.is_empty() || !self.types.is_empty();
                let stands = matches!(choice.as_ref(), "auto" | "none") || (choice == "required" && any);
                stands.then_some(None)
            }
            Kind::Object => match text_of(choice, "type")?.as_str() {
                "allowed_tools" => self.allowed(choice),
                _ => self.one(choice),
            },
            Kind::True | Kind::False | Kind::Number | Kind::Array => None,
        }
    }

    /// One tool, by its name or its type.
    fn one(&self, tool: Value<'_>) -> Option<Option<String>> {
        match text_of(tool, "type")?.as_str() {
            "function" | "custom" => self.named(tool),
            "allowed_tools" => None,
            kind => self.types.iter().any(|declared| declared.starts_with(base(kind))).then_some(None),
        }
    }

    fn named(&self, choice: Value<'_>) -> Option<Option<String>> {
        let name = text_of(choice, "name")?;
        let known = self.scribe.names.known(&name).filter(|known| self.names.contains(&***known))?;
        if **known == *name {
            return Some(None);
        }
        Some(Some(replaced(choice, choice.get("name")?, &format!("\"{known}\""))))
    }

    /// Several that are allowed: those that the request has. If it has none of them, none may be used; not all of them.
    fn allowed(&mut self, choice: Value<'_>) -> Option<Option<String>> {
        let list = choice.get("tools").filter(|list| list.kind() == Kind::Array)?;
        let settled: Vec<_> = list.items().map(|tool| (tool, self.one(tool))).collect();
        if settled.iter().all(|(_, tool)| *tool == Some(None)) && !settled.is_empty() {
            return Some(None);
        }
        let gone = settled.iter().filter(|(_, stands)| stands.is_none());
        let names: Vec<String> =
            gone.map(|(tool, _)| text_of(*tool, "name").or_else(|| text_of(*tool, "type")).unwrap_or_default()).collect();
        let kept = settled.into_iter().filter_map(|(tool, stands)| Some(stands?.unwrap_or_else(|| tool.raw().to_owned())));
        let kept = kept.collect::<Vec<_>>().join(",");
        if !names.is_empty() {
            self.scribe.note_body(WireChange::ChosenToolsLeftOut { names });
        }
        Some(Some(if kept.is_empty() { "\"none\"".to_owned() } else { replaced(choice, list, &format!("[{kept}]")) }))
    }
}

/// The value with another text in place of that part.
fn replaced(whole: Value<'_>, part: Value<'_>, text: &str) -> String {
    let (span, place) = (whole.span(), part.span());
    let mut out = whole.raw().to_owned();
    out.replace_range(place.start - span.start..place.end - span.start, text);
    out
}

/// A type without its date: those of tools are dated, and that of a choice need not be.
fn base(kind: &str) -> &str {
    kind.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
}
