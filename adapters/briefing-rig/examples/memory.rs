//! An agent of rig whose conversation is kept in a store of Briefing. No network: the model is a script.
//!
//! cargo run -p briefing-rig --example memory

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

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
use serde_json::{Value, json};

const MODEL: &str = "claude-sonnet-4-5";

fn answer(text: &str) -> MockHttpResponse {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "stop_reason": "end_turn", "stop_sequence": null,
        "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 1, "output_tokens": 1},
    });
    MockHttpResponse::success(body.to_string())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(SqliteStore::create(&folder.path().join("briefing.db"), Settings::default())?);
    let script =
        SequencedHttpClient::new([answer("Order 7 leaves tomorrow."), answer("To Lakeside Café."), answer("You are welcome.")]);

    for question in ["Where is order 7?", "Where does it go?", "Thank you."] {
        // A new agent each time, as after a restart. It may be told four messages of the past.
        let call = Call::model(MODEL, None);
        let memory = BriefingMemory::new(store.clone(), OwnerId::default(), call, Bounds::none().messages(4), Timestamp::now);
        let model = AnthropicConfig::new("no key").connect(DynHttpClient::new(script.clone())).completion(MODEL);
        let agent = AgentBuilder::new(model).preamble("Be brief.").memory(memory).build();
        agent.prompt(question).conversation("ines").await?;
    }

    for request in script.requests() {
        let body: Value = serde_json::from_slice(&request.body)?;
        println!("{}", serde_json::to_string_pretty(&body["messages"])?);
    }
    Ok(())
}
