//! An agent of rig whose conversation is kept in a store of Briefing. No network: the model is a script.
//!
//! cargo run -p briefing-rig --example memory

#![allow(clippy::print_stdout, clippy::indexing_slicing, reason = "an example shows what it does")]

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use briefing::message::OwnerId;
use briefing::{Bounds, Call};
use briefing_rig::BriefingMemory;
use briefing_store::{Settings, SqliteStore};
use jiff::Timestamp;
use rig_agent::AgentBuilder;
use rig_core::http_client::DynHttpClient;
use rig_core::providers::anthropic::wire::AnthropicConfig;
use rig_core::test_utils::{MockHttpResponse, SequencedHttpClient};
use rig_core::tool::{Tool, ToolContext};
use serde_json::{Value, json};

const MODEL: &str = "claude-sonnet-4-5";

/// A tool of the shop.
struct FindOrder;

impl Tool for FindOrder {
    const NAME: &'static str = "find_order";
    type Args = Value;
    type Output = String;
    type Error = Infallible;

    fn description(&self) -> String {
        "Finds an order by its number".to_owned()
    }

    fn parameters(&self) -> Value {
        json!({"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]})
    }

    async fn call(&self, _context: &mut ToolContext, _args: Value) -> Result<String, Infallible> {
        Ok("packed, leaves tomorrow for Lakeside Café".to_owned())
    }
}

/// What the model answers: a block.
fn answer(block: Value) -> MockHttpResponse {
    let stop_reason = if block["type"] == "tool_use" { "tool_use" } else { "end_turn" };
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "stop_reason": stop_reason, "stop_sequence": null,
        "content": [block], "usage": {"input_tokens": 1, "output_tokens": 1},
    });
    MockHttpResponse::success(body.to_string())
}

fn text(text: &str) -> MockHttpResponse {
    answer(json!({"type": "text", "text": text}))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(SqliteStore::create(&folder.path().join("briefing.db"), Settings::default())?);
    let script = SequencedHttpClient::new([
        answer(json!({"type": "tool_use", "id": "toolu_1", "name": "find_order", "input": {"number": 7}})),
        text("It leaves tomorrow."),
        text("To Lakeside Café."),
        text("You are welcome."),
    ]);

    for question in ["Where is order 7?", "Where does it go?", "Thank you."] {
        // A new agent each time, as after a restart. It is told five messages of the past at most, whole rounds only.
        let call = Call::model(MODEL, None);
        let memory = BriefingMemory::new(store.clone(), OwnerId::default(), call, Bounds::none().messages(5), Timestamp::now);
        let model = AnthropicConfig::new("no key").connect(DynHttpClient::new(script.clone())).completion(MODEL);
        let agent = AgentBuilder::new(model).preamble("Be brief.").default_max_turns(3).tool(FindOrder).memory(memory).build();
        agent.prompt(question).conversation("ines").await?;
    }

    for (number, request) in script.requests().iter().enumerate() {
        let body: Value = serde_json::from_slice(&request.body)?;
        println!("request {number}");
        for message in body["messages"].as_array().into_iter().flatten() {
            println!("  {message}");
        }
    }
    Ok(())
}
