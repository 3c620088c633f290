//! Writing the flat form.

use briefing_json::quote;

use crate::message::{
    Assistant, CallId, Extra, Item, Media, MediaSource, ModelMessage, Native, Part, SystemPart, Text, ToolCall,
};

/// Writes messages as an array, a message a line.
#[must_use]
pub fn messages_to_json<'a>(messages: impl IntoIterator<Item = &'a ModelMessage>) -> String {
    let mut out = Writer(b"[".to_vec());
    for (index, message) in messages.into_iter().enumerate() {
        out.push(if index == 0 { "\n" } else { ",\n" });
        out.message(message);
    }
    out.push("\n]\n");
    String::from_utf8(out.0).unwrap_or_default()
}

/// Writes one message as an object, without a line break of its own: raw JSON of a provider keeps its own.
#[must_use]
pub fn message_to_json(message: &ModelMessage) -> String {
    let mut out = Writer(Vec::new());
    out.message(message);
    String::from_utf8(out.0).unwrap_or_default()
}

struct Writer(Vec<u8>);

impl Writer {
    fn push(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    fn field(&mut self, name: &str, value: &str) {
        self.name(name);
        quote(value, &mut self.0);
    }

    fn name(&mut self, name: &str) {
        if !self.0.ends_with(b"{") {
            self.push(",");
        }
        quote(name, &mut self.0);
        self.push(":");
    }

    fn array<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.push("[");
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(",");
            }
            write(self, item);
        }
        self.push("]");
    }

    fn message(&mut self, message: &ModelMessage) {
        self.push("{");
        self.field("role", message.role().name());
        let extra = match message {
            ModelMessage::System(system) => {
                match system.parts.as_slice() {
                    [SystemPart::Text(text)] if text.extra.is_empty() => self.field("content", &text.text),
                    parts => {
                        self.name("content");
                        self.array(parts, |out, part| match part {
                            SystemPart::Text(text) => out.text(text),
                            SystemPart::Native(native) => out.native(native),
                        });
                    }
                }
                &system.extra
            }
            ModelMessage::User(user) => {
                self.parts(&user.parts);
                &user.extra
            }
            ModelMessage::Assistant(said) => {
                self.assistant(said);
                &said.extra
            }
            ModelMessage::Tool(outcome) => {
                self.call_id("tool_call_id", &outcome.call);
                self.parts(&outcome.parts);
                if let Some(failed) = outcome.failed {
                    self.name("failed");
                    self.push(if failed { "true" } else { "false" });
                }
                &outcome.extra
            }
        };
        self.extra(extra);
        self.push("}");
    }

    fn parts(&mut self, parts: &[Part]) {
        match parts {
            [Part::Text(text)] if text.extra.is_empty() => self.field("content", &text.text),
            parts => {
                self.name("content");
                self.array(parts, |out, part| match part {
                    Part::Text(text) => out.text(text),
                    Part::Image(media) => out.media("image", media),
                    Part::Document(media) => out.media("document", media),
                    Part::Native(native) => out.native(native),
                });
            }
        }
    }

    /// Texts first and calls behind them is what `content` and `tool_calls` say by themselves; anything else needs `items`.
    fn assistant(&mut self, said: &Assistant) {
        let texts = said
            .items
            .iter()
            .take_while(|item| matches!(item, Item::Text(text) if text.extra.is_empty() && !text.text.is_empty()))
            .count();
        let plain = texts <= 1 && said.items.iter().skip(texts).all(|item| matches!(item, Item::Call(_)));
        if plain {
            let text = said.items.first().map_or("", |item| match item {
                Item::Text(text) => &text.text,
                Item::Reasoning(_) | Item::Call(_) | Item::Native(_) => "",
            });
            self.field("content", text);
            if said.calls().next().is_some() {
                self.name("tool_calls");
                self.array(said.calls(), |out, call| {
                    out.push("{");
                    out.call(call);
                });
            }
        } else {
            self.name("items");
            self.array(&said.items, Self::item);
        }
        if let Some(model) = &said.model {
            self.field("model", model);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Text(text) => self.text(text),
            Item::Native(native) => self.native(native),
            Item::Call(call) => {
                self.push("{");
                self.field("type", "call");
                self.call(call);
            }
            Item::Reasoning(reasoning) => {
                self.push("{");
                self.field("type", "reasoning");
                self.field("wire", reasoning.wire.name());
                self.field("kind", &reasoning.kind);
                self.name("raw");
                self.push(reasoning.raw.as_str());
                self.push("}");
            }
        }
    }

    fn call_id(&mut self, name: &str, id: &CallId) {
        self.field(name, id.given());
        if id.repeat() > 0 {
            self.name("repeat");
            self.push(&id.repeat().to_string());
        }
    }

    fn call(&mut self, call: &ToolCall) {
        self.call_id("id", &call.id);
        self.field("name", &call.name);
        self.name("input");
        if call.input.is_object() {
            self.push(call.input.raw());
        } else {
            quote(call.input.raw(), &mut self.0);
        }
        self.extra(&call.extra);
        self.push("}");
    }

    fn text(&mut self, text: &Text) {
        self.push("{");
        self.field("type", "text");
        self.field("text", &text.text);
        self.extra(&text.extra);
        self.push("}");
    }

    fn media(&mut self, kind: &str, media: &Media) {
        self.push("{");
        self.field("type", kind);
        if let Some(filename) = &media.filename {
            self.field("filename", filename);
        }
        if !media.media_type.is_empty() {
            self.field("media_type", &media.media_type);
        }
        match &media.source {
            MediaSource::Data(bytes) => self.field("data", bytes.as_base64()),
            MediaSource::Url(url) => self.field("url", url),
            MediaSource::File { wire, id } => {
                self.field("wire", wire.name());
                self.field("file_id", id);
            }
        }
        self.extra(&media.extra);
        self.push("}");
    }

    fn native(&mut self, native: &Native) {
        self.push("{");
        self.field("type", "native");
        self.field("wire", native.wire.name());
        self.field("kind", &native.kind);
        self.name("raw");
        self.push(native.raw.as_str());
        if let Some(reads_as) = &native.reads_as {
            self.field("reads_as", reads_as);
        }
        if let Some(needs) = &native.needs {
            self.field("needs", needs);
        }
        self.push("}");
    }

    fn extra(&mut self, extra: &Extra) {
        let Some(wire) = extra.wire() else { return };
        self.name("extra");
        self.push("{");
        self.field("wire", wire.name());
        self.name("fields");
        self.push("{");
        for (name, raw) in extra.on(wire) {
            self.name(name);
            self.push(raw.as_str());
        }
        self.push("}}");
    }
}
