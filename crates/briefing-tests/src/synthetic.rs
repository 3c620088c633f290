//! A seeded conversation like the one that peers are timed on: every six messages a user, a call, its outcome, an answer, a
//! user, an answer; about 400 characters each.

use briefing::ModelMessage;
use briefing::message::ToolCall;

const WORDS: &str = "the order shipment refund policy account booking flight status update please check customer data report invoice \
                     total amount query result table index value error retry agent memory context window token budget summary";

/// A conversation of `count` messages, a system message of 800 characters first.
#[must_use]
pub fn conversation(count: usize) -> Vec<ModelMessage> {
    let mut random = Random(1);
    let mut messages = vec![ModelMessage::system(random.text(800))];
    for number in 1..count {
        let id = format!("call_{:08}", number / 6);
        messages.push(match (number - 1) % 6 {
            0 | 4 => ModelMessage::user(random.text(400)),
            1 => ModelMessage::calls([ToolCall::new(id, "lookup", format!(r#"{{"q":"{}"}}"#, random.text(360)))]),
            2 => ModelMessage::outcome(id, random.text(400)),
            _ => ModelMessage::assistant(random.text(400)),
        });
    }
    messages
}

/// A small generator of numbers (xorshift): the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn text(&mut self, length: usize) -> String {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        let mut text = String::with_capacity(length + 16);
        while text.len() < length {
            let at = usize::try_from(self.next() % words.len() as u64).unwrap_or_default();
            text.push_str(words.get(at).copied().unwrap_or_default());
            text.push(' ');
        }
        text.truncate(length);
        text
    }
}
