//! Tools whose effects outlive the process, and are kept apart from the store.

use std::sync::Arc;

use briefing::message::RawJson;
use briefing_agent::tool::{AddError, ToolSet};
use briefing_agent::{BoxFuture, Effect, Proposal, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};
use serde_json::{Map, Value};

use super::{Hook, What};

/// Reads.
pub const LOOK: &str = "look";
/// Writes.
pub const PUT: &str = "put";
/// Writes, once a person agrees.
pub const PAY: &str = "pay";

/// Keeps that a tool did something: the tool, and the call's key.
pub type Effects = Arc<dyn Fn(&str, &str) + Send + Sync>;

struct Watching {
    name: &'static str,
    spec: ToolSpec,
    hook: Arc<dyn Hook>,
    effects: Effects,
}

/// The three tools.
///
/// # Errors
/// If one cannot be added.
pub fn tools(hook: &Arc<dyn Hook>, effects: &Effects) -> Result<ToolSet, AddError> {
    let mut tools = ToolSet::new();
    for (name, effect, confirm) in [(LOOK, Effect::Reads, false), (PUT, Effect::Writes, false), (PAY, Effect::Writes, true)] {
        let spec =
            ToolSpec { name: name.into(), description: "Does it.".into(), schema: schema(), effect, confirm, timeout: None };
        tools.add(Arc::new(Watching { name, spec, hook: Arc::clone(hook), effects: Arc::clone(effects) }))?;
    }
    Ok(tools)
}

#[expect(clippy::unwrap_used, reason = "the text is a constant")]
fn schema() -> RawJson {
    RawJson::new(r#"{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}"#).unwrap()
}

impl Tool for Watching {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn propose<'a>(
        &'a self,
        input: &'a Map<String, Value>,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Proposal, ToolFailure>> {
        Box::pin(async move {
            let point = What::Propose(self.name).point();
            let _ = self.hook.before(&point);
            let preview = Value::Object(input.clone()).to_string();
            self.hook.after(&point, true);
            Ok(Proposal { preview, fingerprint: "as it was".to_owned() })
        })
    }

    fn run<'a>(&'a self, input: &'a Map<String, Value>, cx: &'a ToolContext) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let point = What::Do(self.name).point();
            let _ = self.hook.before(&point);
            (self.effects)(self.name, &cx.key);
            self.hook.after(&point, true);
            let at = input.get("at").and_then(Value::as_str).unwrap_or_default();
            Ok(ToolOutput::text(format!("{} at {at}", self.name)))
        })
    }
}
