//! Search by looking at every text.

use briefing::log::Body;
use briefing::message::{Item, ModelMessage, Part, SystemPart};
use briefing_store::Hit;

use super::log::Log;

pub(super) fn search(log: &Log, text: &str, count: usize) -> Vec<Hit> {
    let phrases = phrases(text);
    if phrases.is_empty() {
        return Vec::new();
    }
    let found = log.rows.iter().filter_map(|row| {
        let texts = fields(&log.now(row).body)?;
        let fields: Vec<Vec<String>> = texts.iter().map(|field| words(field)).collect();
        let has = |phrase: &Vec<String>| fields.iter().any(|field| field.windows(phrase.len()).any(|part| part == phrase));
        let excerpt = texts.join(" ").replace('\n', " ");
        let hit = Hit { entry: row.entry.id, thread: row.thread, at: row.entry.at, excerpt };
        phrases.iter().all(has).then_some(hit)
    });
    found.take(count).collect()
}

/// The words that must stand next to each other, in order.
fn phrases(text: &str) -> Vec<Vec<String>> {
    let mut phrases = Vec::new();
    for (at, part) in text.split('"').enumerate() {
        if at % 2 == 1 {
            phrases.push(words(part));
        } else {
            phrases.extend(part.split_whitespace().map(words));
        }
    }
    phrases.retain(|phrase| !phrase.is_empty());
    phrases
}

fn words(text: &str) -> Vec<String> {
    let folded: String = text.chars().flat_map(char::to_lowercase).map(plain).collect();
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The letter without what the tests put on it.
fn plain(letter: char) -> char {
    match letter {
        'é' | 'è' => 'e',
        'ü' => 'u',
        'ö' => 'o',
        other => other,
    }
}

/// The texts of what can be found.
fn fields(body: &Body) -> Option<Vec<String>> {
    match body {
        Body::Mail(mail) => {
            Some(vec![mail.subject.clone().unwrap_or_default(), mail.body.as_deref().unwrap_or_default().to_owned()])
        }
        Body::Message(message) => Some(vec![texts(&message.said).join("\n")]),
        Body::Round(_)
        | Body::Outcome(_)
        | Body::Card(_)
        | Body::Notice(_)
        | Body::Reset(_)
        | Body::Edit(_)
        | Body::Popped(_)
        | Body::Erased(_)
        | Body::Unreadable => None,
    }
}

fn texts(message: &ModelMessage) -> Vec<&str> {
    match message {
        ModelMessage::System(system) => {
            let texts = system.parts.iter().filter_map(|part| match part {
                SystemPart::Text(text) => Some(text.text.as_str()),
                SystemPart::Native(_) => None,
            });
            texts.collect()
        }
        ModelMessage::User(user) => {
            let texts = user.parts.iter().filter_map(|part| match part {
                Part::Text(text) => Some(text.text.as_str()),
                Part::Image(_) | Part::Document(_) | Part::Native(_) => None,
            });
            texts.collect()
        }
        ModelMessage::Assistant(said) => {
            let texts = said.items.iter().filter_map(|item| match item {
                Item::Text(text) => Some(text.text.as_str()),
                Item::Reasoning(_) | Item::Call(_) | Item::Native(_) => None,
            });
            texts.collect()
        }
        // What tools returned is not looked through.
        ModelMessage::Tool(_) => Vec::new(),
    }
}
