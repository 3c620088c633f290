//! An agent in a folder of its own, whose model is a script.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use briefing::Wire;
use briefing_agent::scripted::{Script, ScriptedServer, Turn};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::support::{code, program, scratch, stderr};

/// A tool that reads, one that writes and is confirmed, and one that fails.
const TOOLS: &str = r#"
[[command]]
name = "find_order"
description = "Finds an order."
input_schema = '{ "type": "object", "properties": { "number": { "type": "integer" } }, "required": ["number"] }'
run = ["./find-order"]
effect = "reads"

[[command]]
name = "cancel_order"
description = "Cancels an order."
input_schema = { type = "object" }
run = ["./cancel-order"]
effect = "writes"

[[command]]
name = "broken"
description = "Fails."
input_schema = '{ "type": "object" }'
run = ["false"]
effect = "reads"
"#;

const PERSONA: &str = r#"
name = "Sundae"
address = "sundae@scoop.example"
instructions = "You are Sundae."
grant = ["find_order", "cancel_order", "broken"]

[[message]]
text = "{{ persona.instructions }}"

[[message]]
history = { view = "chat", chars = 20000, replay = "cut", outcome_chars = 400, stride = true }

[[responsibility]]
text = "{{ persona.instructions }}"

[[responsibility]]
role = "user"
text = "{{ responsibility.instructions }}"

[[responsibilities]]
name = "report"
instructions = "Write the report of the day."
"#;

/// The agent, with the model that it asks.
pub(crate) struct Clerk {
    pub(crate) folder: PathBuf,
    pub(crate) server: ScriptedServer,
    _runtime: Runtime,
}

impl Clerk {
    /// An agent whose model says this, over OpenAI Chat.
    pub(crate) fn new<T: Into<Turn>>(name: &str, turns: impl IntoIterator<Item = T>) -> Self {
        Self::with(name, Wire::OpenAiChat, Script::turns(turns))
    }

    pub(crate) fn with(name: &str, wire: Wire, script: Script) -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(ScriptedServer::start(script)).unwrap();
        let folder = scratch(name);
        let model = format!(
            "persona = \"persona.toml\"\n[[model]]\nname = \"scripted-1\"\nwire = \"{}\"\nbase_url = \"{}\"\n\
             prices = {{ input = 3.0, output = 15.0 }}\n",
            wire.name(),
            server.base(wire)
        );
        fs::write(folder.join("briefing.toml"), model + TOOLS).unwrap();
        fs::write(folder.join("persona.toml"), PERSONA).unwrap();
        script_file(&folder.join("find-order"), "#!/bin/sh\ncat >/dev/null\nprintf '{\"status\":\"packed\"}'\n");
        script_file(&folder.join("cancel-order"), "#!/bin/sh\ncat >>cancelled\nprintf 'cancelled'\n");
        Self { folder, server, _runtime: runtime }
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        program(args).current_dir(&self.folder).output().unwrap()
    }

    /// What a command that succeeds writes to standard output.
    pub(crate) fn out(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.out(&[args, &["--json"]].concat())).unwrap()
    }

    /// The bodies that the model was sent.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let sent = self.server.requests();
        // A list of models is asked for without a body.
        sent.iter().filter(|sent| !sent.body.is_empty()).map(|sent| serde_json::from_slice(&sent.body).unwrap()).collect()
    }
}

/// A program.
fn script_file(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;

    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
