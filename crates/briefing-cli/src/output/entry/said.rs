//! Messages, rounds and outcomes for people. What has no text, such as a picture, is named; `--json` has all of it.

use briefing::message::{Assistant, Item, Media, MediaSource, ModelMessage, Native, Outcome, Part, SystemPart, ToolCall};

use crate::output::count;
use crate::output::entry::text::Page;

pub(super) fn message(message: &ModelMessage, page: &mut Page) {
    match message {
        ModelMessage::System(system) => system.parts.iter().for_each(|part| match part {
            SystemPart::Text(text) => page.block(&text.text),
            SystemPart::Native(block) => native(block, page),
        }),
        ModelMessage::User(user) => parts(&user.parts, page),
        ModelMessage::Assistant(said) => assistant(said, page),
        ModelMessage::Tool(tool) => outcome(tool, page),
    }
}

pub(super) fn assistant(said: &Assistant, page: &mut Page) {
    if let Some(model) = &said.model {
        page.field("model", model);
    }
    for item in &said.items {
        match item {
            Item::Text(text) => page.block(&text.text),
            Item::Reasoning(reasoning) => page.field("reasoning", &format!("{} of {}", reasoning.kind, reasoning.wire)),
            Item::Call(made) => call(made, page),
            Item::Native(block) => native(block, page),
        }
    }
}

/// A call with its arguments as the model wrote them.
pub(super) fn call(call: &ToolCall, page: &mut Page) {
    page.field(
        if call.input.is_object() { "call" } else { "call with broken arguments" },
        &format!("{} {}", call.id, call.name),
    );
    page.block(call.input.raw());
}

pub(super) fn outcome(outcome: &Outcome, page: &mut Page) {
    let name = match outcome.failed {
        Some(true) => "of the call, failed",
        Some(false) | None => "of the call",
    };
    page.field(name, &outcome.call.to_string());
    parts(&outcome.parts, page);
}

fn parts(parts: &[Part], page: &mut Page) {
    for part in parts {
        match part {
            Part::Text(text) => page.block(&text.text),
            Part::Image(image) => media("picture", image, page),
            Part::Document(document) => media("document", document, page),
            Part::Native(block) => native(block, page),
        }
    }
}

fn media(name: &str, media: &Media, page: &mut Page) {
    let from = match &media.source {
        MediaSource::Data(bytes) => count(bytes.encoded_len(), "byte") + " in Base64",
        MediaSource::Url(url) => format!("at {url}"),
        MediaSource::File { wire, id } => format!("file {id} of {wire}"),
    };
    let known = [media.media_type.as_ref(), media.filename.as_deref().unwrap_or_default(), &from];
    page.field(name, &known.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("  "));
}

fn native(native: &Native, page: &mut Page) {
    page.field("block", &format!("{} of {}", native.kind, native.wire));
    page.block(native.reads_as.as_deref().unwrap_or_default());
}
