//! `tool_choice` agrees with the tools: "Tool choice 'web_search' not found in 'tools' parameter.", "Tool choice 'required' must be
//! specified with 'tools' parameter."

use std::borrow::Cow;

use briefing_json::{Document, Kind, Value};

use crate::finding::WireChange;
use crate::raw::{look, text_of};
use crate::scribe::Scribe;
use crate::tools::{Declared, Parameter};

/// Maps the name of the tool that is chosen as the tools are mapped, and leaves a choice out that the tools do not have.
pub(super) fn settle(parameters: &mut Vec<Parameter<'_>>, tools: &[Declared<'_>], scribe: &mut Scribe<'_>) {
    let Some(at) = parameters.iter().position(|(name, _)| *name == "tool_choice") else { return };
    let Some((_, choice)) = parameters.get_mut(at) else { return };
    let chosen = Choice { tools, scribe };
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
    tools: &'c [Declared<'c>],
    scribe: &'c Scribe<'p>,
}

impl Choice<'_, '_> {
    /// The choice with its name mapped, or (inside none) as it is; none if it may not stand.
    fn settled(&self, choice: Value<'_>) -> Option<Option<String>> {
        match choice.kind() {
            Kind::Null => Some(None),
            Kind::String => {
                let choice = choice.as_str()?;
                let stands = matches!(choice.as_ref(), "auto" | "none") || (choice == "required" && !self.tools.is_empty());
                stands.then_some(None)
            }
            Kind::Object => {
                let kind = text_of(choice, "type")?;
                match kind.as_str() {
                    "function" | "custom" => self.named(choice),
                    "allowed_tools" => self.allowed(choice).then_some(None),
                    kind => self.has_type(kind).then_some(None),
                }
            }
            Kind::True | Kind::False | Kind::Number | Kind::Array => None,
        }
    }

    fn named(&self, choice: Value<'_>) -> Option<Option<String>> {
        let name = text_of(choice, "name")?;
        let known = self.scribe.names.known(&name)?;
        self.tools.iter().find(|tool| tool.name() == Some(known))?;
        if **known == *name {
            return Some(None);
        }
        let (whole, place) = (choice.span(), choice.get("name")?.span());
        let mut mapped = choice.raw().to_owned();
        mapped.replace_range(place.start - whole.start..place.end - whole.start, &format!("\"{known}\""));
        Some(Some(mapped))
    }

    /// Of several that are allowed each must be one of the tools, under its own name.
    fn allowed(&self, choice: Value<'_>) -> bool {
        let list = choice.get("tools").filter(|list| list.kind() == Kind::Array && !self.tools.is_empty());
        let stands = |tool: Value<'_>| match text_of(tool, "type").as_deref() {
            Some("function" | "custom") => self.named(tool) == Some(None),
            Some(kind) => kind != "allowed_tools" && self.has_type(kind),
            None => false,
        };
        list.is_some_and(|list| list.items().all(stands))
    }

    /// Whether a tool of that type is there: their types are dated, and that of a choice need not be.
    fn has_type(&self, kind: &str) -> bool {
        let base = kind.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        self.tools.iter().any(|tool| match tool {
            Declared::Raw { raw, .. } => look(raw, |tool| text_of(tool, "type")).is_some_and(|kind| kind.starts_with(base)),
            Declared::Function { .. } => false,
        })
    }
}
