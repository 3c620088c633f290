//! `note`: a persona writes something down for itself.

use serde_json::{Map, Value};

use crate::BoxFuture;
use crate::tool::{Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};

/// Writes a note. The note is the recorded call itself: views that replay tool use show it to the persona later, with its outcome,
/// and to nobody else. Nothing more is kept, so a call that is done again keeps nothing twice, and no text of a model or of a
/// stranger is lifted to another role.
#[derive(Debug, Clone)]
pub struct Note {
    spec: ToolSpec,
}

impl Default for Note {
    fn default() -> Self {
        let description = "Write a note to yourself in this thread. You will see it later in this thread; nobody else does.";
        let schema = r#"{
  "type": "object",
  "properties": {
    "text": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "What to remember."}
  },
  "required": ["text"],
  "additionalProperties": false
}"#;
        Self { spec: ToolSpec::built_in("note", description, schema) }
    }
}

impl Tool for Note {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        _input: &'a Map<String, Value>,
        _cx: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(std::future::ready(Ok(ToolOutput::text("[noted]"))))
    }
}
