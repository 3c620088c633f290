//! A JSON text while it is written, and what is told of it.

use briefing::message::Extra;
use briefing_json::WriteJson;

use crate::Written;
use crate::change::{WriteChange, WriteFinding};

/// Writes a message a line.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    out: Vec<u8>,
    findings: Vec<WriteFinding>,
    /// The message that is being written.
    message: usize,
}

impl Writer {
    pub(crate) fn finish(self) -> Written {
        let lines = if self.out.is_empty() { String::new() } else { String::from_utf8(self.out).unwrap_or_default() + "\n" };
        Written { json: format!("[\n{lines}]\n"), findings: self.findings }
    }

    /// Goes on with the message of that index.
    pub(crate) fn at(&mut self, message: usize) {
        self.message = message;
    }

    pub(crate) fn note(&mut self, change: WriteChange) {
        self.findings.push(WriteFinding { message: self.message, change });
    }

    /// A message of the form, on a line of its own.
    pub(crate) fn line(&mut self, write: impl FnOnce(&mut Self)) {
        self.push(if self.out.is_empty() { "" } else { ",\n" });
        self.object(write);
    }

    /// A block of that type.
    pub(crate) fn block(&mut self, kind: &str, write: impl FnOnce(&mut Self)) {
        self.object(|out| {
            out.field("type", kind);
            write(out);
        });
    }

    /// Tells of the unknown fields that `kept` does not name.
    pub(crate) fn fields_left_out(&mut self, extra: &Extra, kept: &[&str]) {
        let Some(wire) = extra.wire() else { return };
        for (name, _) in extra.on(wire).filter(|(name, _)| !kept.contains(name)) {
            self.note(WriteChange::FieldLeftOut { wire, name: name.to_owned() });
        }
    }
}

impl WriteJson for Writer {
    fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }
}
