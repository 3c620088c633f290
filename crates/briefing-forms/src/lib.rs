//! Messages as other libraries store them: LangChain's, and the Vercel AI SDK's `UIMessage` and `ModelMessage`, read and written.
//!
//! [`recognise`] tells which [`Form`] a value has, [`read`] gives Briefing's messages, [`write()`] gives the form's JSON. What a form
//! cannot hold becomes a text or is left out, and either is told.
//!
//! ```
//! use briefing_forms::{Form, read, recognise, write};
//! use briefing_json::Document;
//!
//! let stored = r#"[{"type":"human","data":{"content":"Where is order 7?"}}]"#;
//! let document = Document::parse(stored)?;
//! assert_eq!(recognise(document.root()), Some(Form::LangChain));
//! let messages = read(Form::LangChain, document.root())?.messages;
//! assert_eq!(messages, [briefing::ModelMessage::user("Where is order 7?")]);
//!
//! let written = write(Form::VercelModel, &messages);
//! assert_eq!(written.json, "[\n{\"role\":\"user\",\"content\":\"Where is order 7?\"}\n]\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/forms.md` tells what stands for what in each form.

mod change;
mod error;
mod item;
mod langchain;
mod opaque;
mod reader;
mod recognise;
mod vercel;
mod writer;

use std::fmt;

use briefing::ModelMessage;
use briefing_json::{Path, Value};

pub use change::{ReadChange, ReadFinding, WriteChange, WriteFinding};
pub use error::{FormError, FormFault};
pub use recognise::{recognise, recognise_message};

use reader::{Fails, Read, Reader};
use writer::Writer;

/// A stored form of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// LangChain's messages: `messages_to_dict`, `dumpd`, `model_dump`, and what LangChain.js writes.
    LangChain,
    /// `UIMessage` of the Vercel AI SDK, versions 4 to 6.
    VercelUi,
    /// `ModelMessage` of the Vercel AI SDK; `CoreMessage` in version 4.
    VercelModel,
}

/// A list of messages, read.
#[derive(Debug, Clone, PartialEq)]
pub struct FormMessages {
    /// The messages, in order. A message of the form may be several: a user interface keeps a whole turn in one.
    pub messages: Vec<ModelMessage>,
    /// What was read otherwise than it was written, in the order of reading.
    pub findings: Vec<ReadFinding>,
}

/// A list of messages, written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// An array, a message a line.
    pub json: String,
    /// What the form does not hold, in the order of the messages.
    pub findings: Vec<WriteFinding>,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::LangChain, Self::VercelUi, Self::VercelModel];

    /// The form's name in programs and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LangChain => "langchain",
            Self::VercelUi => "vercel-ui",
            Self::VercelModel => "vercel-model",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a list of messages of that form: the array itself, or an object that holds it as `messages`, `values.messages` or
/// `channel_values.messages`. Linear in the value.
///
/// # Errors
/// [`FormError`] for a value that holds no list, a message or a part that is no object, a message without a role, or content
/// that is neither text nor parts. Whatever else is unknown is kept or told.
pub fn read(form: Form, value: Value<'_>) -> Result<FormMessages, FormError> {
    let mut reader = Reader::default();
    let messages = messages(form, value, &mut reader)?;
    Ok(FormMessages { messages, findings: reader.into_findings() })
}

fn messages(form: Form, value: Value<'_>, reader: &mut Reader) -> Read<Vec<ModelMessage>> {
    let root = Path::Root;
    match recognise::holder(value) {
        Some([]) => list(form, value, &root, reader),
        Some([key]) => list(form, recognise::inside(value, &[key]), &root.key(key), reader),
        Some([outer, key]) => list(form, recognise::inside(value, &[outer, key]), &root.key(outer).key(key), reader),
        Some(_) | None => Err(root.wanted("an array of messages", value)),
    }
}

fn list(form: Form, list: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<ModelMessage>> {
    let mut out = Vec::new();
    for (index, message) in list.items().enumerate() {
        let at = at.index(index);
        reader::object(message, &at)?;
        match form {
            Form::LangChain => langchain::read(message, &at, reader, &mut out)?,
            Form::VercelUi => vercel::read_ui(message, &at, reader, &mut out)?,
            Form::VercelModel => vercel::read_model(message, &at, reader, &mut out)?,
        }
    }
    Ok(out)
}

/// Writes messages in that form: LangChain's as `messages_to_dict` does, the Vercel AI SDK's as version 6 takes them. Linear in
/// the messages. The same messages give the same bytes.
#[must_use]
pub fn write(form: Form, messages: &[ModelMessage]) -> Written {
    let mut out = Writer::default();
    match form {
        Form::LangChain => langchain::write(messages, &mut out),
        Form::VercelUi => vercel::write_ui(messages, &mut out),
        Form::VercelModel => vercel::write_model(messages, &mut out),
    }
    out.finish()
}
