//! Personas from TOML: what is inherited, what is an error, what is warned of.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use briefing::persona::{LoadedPersona, PersonaWarning};

const DESK: &str = r#"
name = "Sundae"
address = "sundae@scoop.example"
instructions = "Be kind."
role = "desk"
grant = ["read_attachment"]

[roles.staff]
tools = ["find_order"]
[[roles.staff.message]]
text = "staff"

[roles.desk]
extends = "staff"
tools = ["send_email"]
[[roles.desk.message]]
text = "{{ persona.instructions }}"
[[roles.desk.message]]
history = { view = "mail", limit = 50 }

[[tools]]
name = "find_order"
description = "Finds an order"
input_schema = '{"type":"object"}'
"#;

fn error(text: &str) -> String {
    LoadedPersona::from_toml(text).unwrap_err().to_string()
}

fn minimal(rest: &str) -> String {
    format!("name = \"S\"\naddress = \"s@x.example\"\n{rest}")
}

#[test]
fn the_grant_is_inherited_and_the_chains_are_not() {
    let loaded = LoadedPersona::from_toml(DESK).unwrap();
    assert_eq!(loaded.persona.granted().collect::<Vec<_>>(), ["find_order", "read_attachment", "send_email"]);
    assert_eq!(format!("{:?}", loaded.persona.message_chain()), r#"["LoadText", "ThreadHistory"]"#);
    assert_eq!(loaded.tools.len(), 1);
    let undeclared = ["read_attachment", "send_email"].map(|name| PersonaWarning::ToolUndeclared { name: name.into() });
    assert_eq!(loaded.warnings, undeclared);
    assert_eq!(
        loaded.persona.responsibility_chain().unwrap_err().to_string(),
        "the responsibility chain of persona \"Sundae\" was not declared"
    );
    assert_eq!(
        error(&minimal("role = \"b\"\n[roles.a]\n[[roles.a.message]]\ntext = \"x\"\n[roles.b]\nextends = \"a\"")),
        "persona: the message chain of persona \"S\" was not declared"
    );
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    assert!(error(&minimal("nonsense = 1")).contains("unknown field `nonsense`"), "{}", error(&minimal("nonsense = 1")));
    assert_eq!(error(&minimal("role = \"x\"")), "role: no role \"x\"");
    assert_eq!(
        error(&minimal("role = \"a\"\n[roles.a]\nextends = \"b\"\n[roles.b]\nextends = \"a\"")),
        "roles.b.extends: role \"a\" extends itself"
    );
    assert_eq!(
        error(&minimal("[[message]]\ntext = \"a\"\nfile = \"b\"")),
        "message[0]: exactly one of text, file, record and history is wanted"
    );
    let tea = error(&minimal("[[message]]\nhistory = { view = \"tea\" }"));
    assert!(tea.contains("unknown variant `tea`, expected one of `mail`, `swarm`, `chat`"), "{tea}");
    let history = |table: &str| error(&minimal(&format!("[[message]]\nhistory = {{ {table} }}")));
    let twice = "message[0].history: include_tool_calls and replay say the same: give one";
    assert_eq!(history("replay = \"cut\", include_tool_calls = true"), twice);
    let cut = "message[0].history: outcome_chars is of cut outcomes; replay is \"whole\"";
    assert_eq!(history("replay = \"whole\", outcome_chars = 10"), cut);
    assert_eq!(history("stride = 1.5"), "message[0].history: stride: true, false, or a share between 0 and 1");
    assert_eq!(history("redact = [\"a\", \"\"]"), "message[0].history: redact: an empty text would hide everything");
    assert!(error(&minimal("[[message]]\ntext = \"{{ open\"")).starts_with("message[0]: template: syntax error"));
    assert!(error(&minimal("[[message]]\nhistory = { limit = -1 }")).contains("limit"));
}

#[test]
fn a_system_text_that_reads_the_message_is_warned_of() {
    let loaded = |entry: &str| LoadedPersona::from_toml(&minimal(entry)).unwrap().warnings;
    let place = "message[0]".to_owned();
    assert_eq!(loaded("[[message]]\ntext = \"about {{ message.subject }}\""), [PersonaWarning::SystemReadsMessage { place }]);
    assert_eq!(loaded("[[message]]\nrole = \"user\"\ntext = \"about {{ message.subject }}\""), []);
    let twice = "[[message]]\nhistory = {}\n[[message]]\nhistory = {}";
    assert_eq!(loaded(twice), [PersonaWarning::HistoryTwice { place: "message".into() }]);
}
