//! What rig sends, kept by a client without a network: valid, and of what is valid everything.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use briefing::message::{ModelMessage, OwnerId};
use briefing::{Bounds, Briefing, Wire, fit};
use briefing_adapter_tests::{reasoned, recordings, told, violations};
use briefing_rig::{BriefingMemory, Converted, Lost, from_messages, origin, to_messages, to_request};
use briefing_store::{Settings, SqliteStore, Store};
use briefing_tests::list::{calls, messages, steps};
use briefing_wire::{Render, parse_answer_text, parse_text};
use jiff::Timestamp;
use proptest::prelude::*;
use rig_core::completion::{CompletionRequest, ToolDefinition};
use rig_core::memory::ConversationMemory;
use rig_core::message::{Message, ToolName};
use support::{send, send_for};

fn rendered(briefing: &Briefing) -> String {
    String::from_utf8(briefing.render().unwrap().into_body()).unwrap()
}

fn converted(briefing: &Briefing) -> Converted {
    to_request(briefing, &origin(briefing.call())).unwrap()
}

#[test]
fn a_recorded_request_is_sent_valid_and_an_answer_read() {
    let mut sent = 0;
    for wire in Wire::ALL {
        for recording in recordings(wire) {
            let parsed = parse_text(wire, &recording.request.to_string()).unwrap();
            let briefing = fit(&parsed.messages, &parsed.call, &Bounds::none()).unwrap();
            let Some(response) = recording.response else { continue };
            let (body, turn) = send_for(&parsed.call, converted(&briefing).request, response.to_string());
            assert_eq!(violations(&body, &parsed.call), [], "{}\n{body}", recording.name);
            let read = from_messages(&[Message::Assistant(turn)], wire);
            let said = parse_answer_text(wire, &response.to_string()).unwrap().said;
            let expected = [ModelMessage::Assistant(said.into())];
            assert_eq!((told(&read.messages), read.findings), (told(&expected), vec![]), "{}", recording.name);
            assert_eq!(reasoned(&read.messages), reasoned(&expected), "{}", recording.name);
            sent += 1;
        }
    }
    assert!(sent > 50, "only {sent} recordings");
}

proptest! {
    #[test]
    fn any_list_is_sent_valid_and_comes_back(steps in steps(20), call in calls()) {
        let Ok(briefing) = fit(&messages(&steps), &call, &Bounds::none()) else { return Ok(()) };
        let made = converted(&briefing);
        prop_assert_eq!(&made.read, &[]);
        let body = rendered(&briefing);
        let normalised = parse_text(call.wire(), &body).unwrap().messages;
        let back = from_messages(&made.request.chat_history, call.wire());
        prop_assert_eq!(&back.findings, &[]);
        prop_assert_eq!(reasoned(&back.messages), reasoned(&normalised));
        // Which kinds of loss these lists have; others would be news.
        for loss in &made.losses {
            let field = matches!(&loss.lost, Lost::Field { name } if name == "prefix" || name == "filename");
            prop_assert!(field || matches!(loss.lost, Lost::FileAsText | Lost::BlockAsText { .. }), "{loss:?}");
        }
        if made.losses.iter().all(|loss| matches!(loss.lost, Lost::Field { .. })) {
            prop_assert_eq!(told(&back.messages), told(&normalised));
        }
        let (sent, _) = send(&call, made.request);
        let found = violations(&sent, &call);
        prop_assert!(found.is_empty(), "{found:?}\nrendered {body}\nsent {sent}");
    }

    /// What a memory gives back of any valid conversation, however it was cut, is valid with a prompt behind it.
    #[test]
    fn any_conversation_is_loaded_valid(steps in steps(20), call in calls(), most in 1_u64..12) {
        let Ok(briefing) = fit(&messages(&steps), &call, &Bounds::none()) else { return Ok(()) };
        let mut said = parse_text(call.wire(), &rendered(&briefing)).unwrap().messages;
        said.retain(|message| !matches!(message, ModelMessage::System(_)));
        let appended = to_messages(&said, call.wire(), &origin(&call)).messages;

        static STORE: OnceLock<(tempfile::TempDir, Arc<dyn Store>)> = OnceLock::new();
        static CONVERSATIONS: AtomicUsize = AtomicUsize::new(0);
        let (_, store) = STORE.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let store = SqliteStore::create(&folder.path().join("briefing.db"), Settings::default()).unwrap();
            (folder, Arc::new(store))
        });
        let bounds = Bounds::none().messages(most);
        let memory = BriefingMemory::new(Arc::clone(store), OwnerId::default(), call.clone(), bounds, || Timestamp::UNIX_EPOCH);
        let conversation = CONVERSATIONS.fetch_add(1, Ordering::Relaxed).to_string().into();
        pollster::block_on(memory.append(&conversation, appended)).unwrap();
        let loaded = pollster::block_on(memory.load(&conversation)).unwrap();
        prop_assert!(loaded.len() as u64 <= most + 1, "{loaded:?}");

        let mut request = CompletionRequest::new("And now?");
        request.chat_history.splice(0..0, loaded);
        let schema = serde_json::json!({"type": "object"});
        request.tools = vec![ToolDefinition::new(ToolName::new("find_order").unwrap(), "Finds an order", schema)];
        request.max_tokens = Some(100);
        let (sent, _) = send(&call, request);
        let found = violations(&sent, &call);
        prop_assert!(found.is_empty(), "{found:?}\nsent {sent}");
    }
}
