//! What several tests hold a briefing against.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::sync::Arc;

use briefing::log::Message;
use briefing::message::{Bytes, Item, Media, ModelMessage, Part, User};
use briefing::ports::Files;
use briefing::view::chat::{ChatFile, ChatMessageId, FileContent, confirmation_phrase, user_content};
use briefing::{Bounds, Briefing, Call, Edge, Unit, Wire};
use briefing_check::{Report, Rules, Wire as Checked, check};
use briefing_json::{Document, Kind};
use briefing_tests::chat::Thread;
use briefing_wire::{Render, Request};
use proptest::prelude::*;

/// What the independent checker of its wire says of a request, by the rules of its model.
pub(crate) fn verdict(request: &Request) -> Report {
    let document = Document::parse(std::str::from_utf8(request.body()).unwrap()).unwrap();
    let wire = match request.wire() {
        Wire::OpenAiChat => Checked::OpenAiChat,
        Wire::OpenAiResponses => Checked::OpenAiResponses,
        Wire::Anthropic => Checked::Anthropic,
        Wire::Gemini => Checked::Gemini,
    };
    check(document.root(), &Rules::for_model(wire, request.model()))
}

/// Invariants 1, 4 and 13: the request passes the checker of its wire, and costs no more than it was counted.
pub(crate) fn holds(briefing: &Briefing, call: &Call) -> Result<(), TestCaseError> {
    let request = briefing.render().unwrap();
    let body = String::from_utf8_lossy(request.body());
    let report = verdict(&request);
    prop_assert!(report.is_clean(), "{:?}\n{body}", report.violations);
    let total = briefing.receipt().total();
    prop_assert!(request.body().len() as u64 <= total.bytes, "{} bytes, counted {}\n{body}", request.body().len(), total.bytes);
    let document = Document::parse(&body).unwrap();
    let sent = document.root().get(list_name(call.wire())).unwrap();
    prop_assert_eq!(sent.kind(), Kind::Array);
    // An answer of OpenAI Responses takes an item for each of its texts and calls.
    if call.wire() == Wire::OpenAiResponses {
        return opaque(briefing, call, &body);
    }
    let role = |message: briefing_json::Value<'_>| message.get("role").unwrap().as_str().unwrap().into_owned();
    let leading = sent.items().take_while(|message| matches!(role(*message).as_str(), "system" | "developer")).count();
    let sent = (sent.items().count() - leading) as u64;
    prop_assert!(sent <= total.messages, "{sent} messages sent, {} counted\n{body}", total.messages);
    opaque(briefing, call, &body)
}

/// The field of a body that holds its list.
pub(crate) fn list_name(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::Anthropic => "messages",
        Wire::OpenAiResponses => "input",
        Wire::Gemini => "contents",
    }
}

/// Invariant 13: what is opaque is there byte for byte on its own wire, and nowhere else.
fn opaque(briefing: &Briefing, call: &Call, body: &str) -> Result<(), TestCaseError> {
    for placed in briefing.units() {
        let Unit::Round(round) = placed.unit() else { continue };
        for item in round.said().iter().flat_map(|said| &said.items) {
            let (wire, raw) = match item {
                Item::Reasoning(reasoning) => (reasoning.wire, &reasoning.raw),
                Item::Native(native) => (native.wire, &native.raw),
                Item::Text(_) | Item::Call(_) => continue,
            };
            if wire != call.wire() {
                prop_assert!(!body.contains(raw.as_str()), "{} of another wire\n{body}", raw.as_str());
            }
        }
    }
    Ok(())
}

/// Bounds of all sorts.
pub(crate) fn bounds() -> impl Strategy<Value = Bounds> {
    let most = |most: std::ops::Range<u64>| prop::option::weighted(0.3, most);
    (most(2..30), most(100..3_000), most(0..3), most(1_000..20_000), any::<bool>()).prop_map(
        |(messages, chars, images, bytes, turn)| {
            let mut bounds = Bounds::none().edge(if turn { Edge::Turn } else { Edge::Round });
            bounds = messages.map_or(bounds.clone(), |most| bounds.messages(most));
            bounds = chars.map_or(bounds.clone(), |most| bounds.chars(most));
            bounds = images.map_or(bounds.clone(), |most| bounds.images(most));
            bytes.map_or(bounds.clone(), |most| bounds.bytes(most))
        },
    )
}

/// How a confirmation reads, as a user line.
pub(crate) fn phrase(state: &str, action: &str, language: &str) -> Option<ModelMessage> {
    confirmation_phrase(state, action, language).map(ModelMessage::user)
}

/// Whether a user or somebody's instructions say nothing.
pub(crate) fn is_empty(message: &ModelMessage) -> bool {
    match message {
        ModelMessage::User(user) => user.parts.iter().all(|part| part.as_text() == Some("")),
        other => other.text().is_empty(),
    }
}

/// The files of a message with what is known of them.
pub(crate) fn chat_files(built: &Thread, message: &Message, id: &str) -> Vec<ChatFile> {
    let file = |file: &briefing::log::Attachment| {
        let text = pollster::block_on(built.log.texts(std::slice::from_ref(&file.id))).unwrap().pop();
        let picture = file.media_type.starts_with("image/");
        let content = match &text {
            _ if picture => FileContent::Picture,
            Some((_, text)) => FileContent::Text { text: text.text.to_string(), partial: text.partial },
            None => FileContent::Text { text: String::new(), partial: false },
        };
        let filename = file.filename.clone().unwrap_or_default();
        ChatFile { message: ChatMessageId::from(id), filename, ready: picture || text.is_some(), content }
    };
    message.attachments.iter().map(file).collect()
}

/// A message as the views read it, by the public functions for texts. Of another agent's only the text.
pub(crate) fn read_by(built: &Thread, message: &Message, others: bool) -> ModelMessage {
    match &message.said {
        ModelMessage::Assistant(_) if others => ModelMessage::assistant(message.said.text()),
        ModelMessage::User(_) => {
            let text = user_content(&message.said.text(), &chat_files(built, message, "m"), 20_000);
            if !message.extra.contains_key("images") {
                return ModelMessage::user(text);
            }
            let picture = Part::Image(Media::data("image/png", Bytes::from_base64("iVBORw0KGgo=")));
            let text = (!text.is_empty()).then(|| Part::text(text));
            // Where the text is nothing but that of files, it stands behind the picture.
            let mut parts: Vec<Part> = text.into_iter().chain([picture]).collect();
            if message.said.text().is_empty() && parts.len() == 2 {
                parts.reverse();
            } else if let (true, [Part::Text(whole), ..]) = (!message.attachments.is_empty(), parts.as_mut_slice()) {
                let said = message.said.text();
                let files = user_content("", &chat_files(built, message, "m"), 20_000);
                whole.text = said;
                if !files.is_empty() {
                    parts.push(Part::text(files));
                }
            }
            ModelMessage::User(Arc::new(User { parts, extra: briefing::message::Extra::default() }))
        }
        ModelMessage::System(_) | ModelMessage::Assistant(_) | ModelMessage::Tool(_) => message.said.clone(),
    }
}
