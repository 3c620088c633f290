//! The parts of the comparison (`scripts/compare/run`) that are Rust: `histories` prints the damaged histories, `briefing` the
//! requests that Briefing renders of them, `judge NAME REFUSED` tallies the requests on standard input by the checkers and puts the
//! refused ones into the file REFUSED. All of it is JSON Lines.

mod judge;
mod renders;
mod tally;

use std::error::Error;
use std::io::{self, BufWriter, Write};

use briefing_tests::damage::{cases, tools};
use serde_json::json;

/// Each wire by its name, and the model whose rules hold.
const WIRES: [(&str, &str); 4] = [
    ("openai-chat", "gpt-4o"),
    ("openai-responses", "gpt-4o"),
    ("anthropic", "claude-sonnet-4-5"),
    ("gemini", "gemini-2.5-flash"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["histories"] => histories(),
        ["briefing"] => renders::print(),
        ["judge", contender, refused] => judge::print(contender, refused),
        _ => Err("histories, briefing, or judge NAME REFUSED".into()),
    }
}

fn histories() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    let wires: serde_json::Map<String, serde_json::Value> =
        WIRES.into_iter().map(|(wire, model)| (wire.to_owned(), model.into())).collect();
    let tools = tools();
    for (id, case) in cases().iter().enumerate() {
        let kinds: Vec<&str> = case.kinds.iter().map(|kind| kind.name()).collect();
        let line = json!({
            "id": id,
            "kinds": kinds,
            "wires": wires,
            "window": case.history.window,
            "tools": tools,
            "messages": case.history.messages,
        });
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}
