//! What Briefing renders of each history.

use std::error::Error;
use std::io::{self, BufWriter, Write};

use briefing::message::RawJson;
use briefing::{Bounds, Call, Edge, Stride, Tool, Wire, fit};
use briefing_json::Document;
use briefing_tests::damage::{Case, cases, tools};
use briefing_wire::{Render, parse_messages};
use serde_json::{Value, json};

use crate::WIRES;

pub(crate) fn print() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    let schema = RawJson::new(r#"{"type":"object","properties":{}}"#)?;
    let tools: Vec<Tool> = tools().iter().map(|name| Tool::function(name, name, schema.clone())).collect();
    for (id, case) in cases().iter().enumerate() {
        for (wire, model) in WIRES {
            let call = Call::model(model, Some(wire.parse()?)).tools(tools.clone());
            for (setting, bounded, bounds) in settings(u64::try_from(case.history.window)?) {
                let (request, error) = match request(case, &call, &bounds) {
                    Ok(request) => (Some(request), None),
                    Err(error) => (None, Some(error.to_string())),
                };
                let made = json!({
                    "id": id, "setting": setting, "bounded": bounded, "wire": wire, "request": request, "error": error,
                });
                writeln!(out, "{made}")?;
            }
        }
    }
    Ok(out.flush()?)
}

/// Each by its name, and whether it holds the window.
fn settings(window: u64) -> [(&'static str, bool, Bounds); 4] {
    let bounds = Bounds::none().messages(window);
    [
        ("window (default)", true, bounds.clone()),
        ("window, edge = turn", true, bounds.clone().edge(Edge::Turn)),
        ("window, stride", true, bounds.stride(Stride::default(), None)),
        ("no window", false, Bounds::none()),
    ]
}

fn request(case: &Case, call: &Call, bounds: &Bounds) -> Result<Value, Box<dyn Error>> {
    let text = serde_json::to_string(&case.history.messages)?;
    let document = Document::parse(&text)?;
    let messages = parse_messages(Wire::OpenAiChat, document.root())?.messages;
    Ok(serde_json::from_slice(fit(&messages, call, bounds)?.render()?.body())?)
}
