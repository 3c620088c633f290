//! rig's conversation memory over a store: once, within bounds, and gone when it is cleared.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::{Arc, Mutex};

use briefing::message::OwnerId;
use briefing::view::HistoryView;
use briefing::{Bounds, Call};
use briefing_rig::{BriefingMemory, Found, MemoryFinding};
use briefing_store::{Settings, SqliteStore, Store};
use jiff::Timestamp;
use pollster::block_on;
use rig_core::id::ConversationId;
use rig_core::memory::ConversationMemory;
use rig_core::message::{
    AssistantContent, AssistantMessage, Message, Opaque, Origin, ToolCall, ToolFunction, ToolName, ToolResultContent,
};
use serde_json::json;

struct Shop {
    store: Arc<dyn Store>,
    _folder: tempfile::TempDir,
}

impl Shop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::create(&folder.path().join("briefing.db"), Settings::default()).unwrap();
        Self { store: Arc::new(store), _folder: folder }
    }

    fn memory(&self, owner: &str, bounds: Bounds) -> BriefingMemory {
        let call = Call::model("claude-sonnet-4-5", None);
        BriefingMemory::new(Arc::clone(&self.store), OwnerId::new(owner), call, bounds, || Timestamp::UNIX_EPOCH)
    }
}

fn id(text: &str) -> ConversationId {
    text.into()
}

fn load(memory: &BriefingMemory, conversation: &str) -> Vec<Message> {
    block_on(memory.load(&id(conversation))).unwrap()
}

fn append(memory: &BriefingMemory, conversation: &str, messages: &[Message]) {
    block_on(memory.append(&id(conversation), messages.to_vec())).unwrap();
}

fn model() -> Origin {
    Origin::new("anthropic.messages", "anthropic", "claude-sonnet-4-5")
}

fn said(content: Vec<AssistantContent>) -> Message {
    Message::Assistant(AssistantMessage::new(content).with_origin(model()))
}

/// A turn with signed reasoning, a call, its failed outcome and an answer.
fn turn(number: u8) -> Vec<Message> {
    let name = ToolName::new("find_order").unwrap();
    let call = ToolCall::from_wire(format!("toolu_{number}"), ToolFunction::new(name, json!({"number": number})));
    let thinking = json!({"type": "thinking", "thinking": "Look it up.", "signature": "c2ln"});
    vec![
        Message::user(format!("Where is order {number}?")),
        said(vec![AssistantContent::reasoning("Look it up.").with_native(thinking), AssistantContent::ToolCall(call.clone())]),
        Message::tool_results(vec![call.error_result(vec![ToolResultContent::text("no such order")])]),
        said(vec![AssistantContent::text(format!("There is no order {number}."))]),
    ]
}

#[test]
fn what_is_appended_is_loaded_as_it_was_said() {
    let shop = Shop::new();
    let memory = shop.memory("ann", Bounds::none());
    assert_eq!(load(&memory, "t1"), []);
    append(&memory, "t1", &turn(7));
    append(&memory, "t2", &turn(8));
    assert_eq!(load(&memory, "t1"), turn(7));
    // Another process, another owner.
    assert_eq!(load(&shop.memory("ann", Bounds::none()), "t1"), turn(7));
    assert_eq!(load(&shop.memory("bo", Bounds::none()), "t1"), []);
}

#[test]
fn an_append_that_is_tried_again_is_done_once_and_the_same_words_later_once_more() {
    let shop = Shop::new();
    let memory = shop.memory("ann", Bounds::none());
    for expected in 1..=2 {
        load(&memory, "t1");
        for _ in 0..3 {
            append(&memory, "t1", &turn(7));
        }
        assert_eq!(load(&memory, "t1").len(), 4 * expected);
    }
    // Without a load of its own it cannot know that it was done before, and stores rather than loses.
    append(&shop.memory("ann", Bounds::none()), "t1", &turn(7));
    assert_eq!(load(&memory, "t1").len(), 12);
}

#[test]
fn a_long_conversation_is_told_within_bounds_in_whole_rounds() {
    let shop = Shop::new();
    let memory = shop.memory("ann", Bounds::none().messages(6));
    for number in 0..5 {
        load(&memory, "t1");
        append(&memory, "t1", &turn(number));
    }
    let opening = Message::user("[the conversation so far]");
    assert_eq!(load(&memory, "t1"), [&[opening], &turn(3)[3..], &turn(4)[..]].concat());
    let texts_alone = shop.memory("ann", Bounds::none().messages(2)).view(HistoryView::chat());
    assert_eq!(load(&texts_alone, "t1"), [turn(4)[0].clone(), turn(4)[3].clone()]);
}

#[test]
fn what_a_run_left_unanswered_is_answered() {
    let shop = Shop::new();
    let memory = shop.memory("ann", Bounds::none());
    append(&memory, "t1", &turn(7)[..2]);
    append(&memory, "t1", &[Message::user("Never mind.")]);
    let loaded = load(&memory, "t1");
    assert_eq!(loaded.len(), 4);
    assert_eq!(
        serde_json::to_value(&loaded[2]).unwrap()["content"][0]["content"][0]["text"],
        "[no outcome was recorded for this call]"
    );
}

#[test]
fn a_cleared_conversation_is_gone_and_goes_on_afresh() {
    let shop = Shop::new();
    let memory = shop.memory("ann", Bounds::none());
    append(&memory, "t1", &turn(7));
    block_on(memory.clear(&id("t1"))).unwrap();
    assert_eq!(load(&memory, "t1"), []);
    assert_eq!(block_on(shop.store.search(&OwnerId::new("ann"), "order", 9)).unwrap(), []);
    append(&memory, "t1", &turn(7));
    assert_eq!(load(&memory, "t1"), turn(7));
}

#[test]
fn what_is_not_kept_is_told() {
    let shop = Shop::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    let memory = shop.memory("ann", Bounds::none()).on_finding(move |conversation, finding| {
        kept.lock().unwrap().push((conversation.to_string(), finding.clone()));
    });
    let block = AssistantContent::Opaque(Opaque { item: json!({"type": "item"}), replay: true });
    let turn = AssistantMessage::new(vec![block, AssistantContent::text("Hello")]);
    append(&memory, "t1", &[Message::Assistant(turn.with_origin(Origin::new("cohere.chat", "cohere", "command-a")))]);
    let heard = heard.lock().unwrap();
    let [(conversation, MemoryFinding::Stored(finding))] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!((conversation.as_str(), finding.part, &finding.found), ("t1", Some(0), &Found::BlockLeftOut));
}
