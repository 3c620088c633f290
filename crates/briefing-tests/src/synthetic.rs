//! A seeded conversation like the one that peers are timed on: every six messages a user, a call, its outcome, an answer, a
//! user, an answer; about 400 characters each.

use briefing::ModelMessage;
use briefing::message::ToolCall;

use crate::random::Random;

const WORDS: &str = "the order shipment refund policy account booking flight status update please check customer data report invoice \
                     total amount query result table index value error retry agent memory context window token budget summary";

/// A conversation of `count` messages, a system message of 800 characters first.
#[must_use]
pub fn conversation(count: usize) -> Vec<ModelMessage> {
    let mut random = Random::new(1);
    let mut messages = vec![ModelMessage::system(text(&mut random, 800))];
    for number in 1..count {
        let id = format!("call_{:08}", number / 6);
        messages.push(match (number - 1) % 6 {
            0 | 4 => ModelMessage::user(text(&mut random, 400)),
            1 => ModelMessage::calls([ToolCall::new(id, "lookup", format!(r#"{{"q":"{}"}}"#, text(&mut random, 360)))]),
            2 => ModelMessage::outcome(id, text(&mut random, 400)),
            _ => ModelMessage::assistant(text(&mut random, 400)),
        });
    }
    messages
}

fn text(random: &mut Random, length: usize) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut text = String::with_capacity(length + 16);
    while text.len() < length {
        text.push_str(random.of(&words).copied().unwrap_or_default());
        text.push(' ');
    }
    text.truncate(length);
    text
}
