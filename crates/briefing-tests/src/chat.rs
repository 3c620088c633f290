//! Threads in which everything meets: mails, messages of several agents, files, tool use of both kinds, cards, resets, edits, and
//! what was popped. Every text that is not blank carries a mark of its own.

use std::sync::Arc;

use briefing::Wire;
use briefing::log::{
    Arrival, Attachment, AttachmentId, Body, Card, Cause, Entry, Mail, MemoryLog, Message, OwnerLog, RecordedRound, Reset,
    ResetKind, Run, Settled,
};
use briefing::message::{
    Assistant, EntryId, Item, ModelMessage, Native, Outcome, OwnerId, RawJson, Reasoning, RunId, Text, ThreadId, ToolCall,
};
use briefing::ports::FileText;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::list::text;
use crate::log::PERSONA;

/// The agents of generated threads.
pub const AGENTS: [&str; 2] = ["sales", "triage"];

/// One thing that happens.
#[derive(Debug, Clone)]
pub enum Act {
    /// A mail comes in.
    Mail(u8),
    /// Somebody says something: who, in which role, words, and files.
    Said(u8, u8, u8, Vec<u8>),
    /// An agent calls tools, in a message: who, ids, words beside.
    Calls(u8, Vec<u8>, u8),
    /// An outcome of the call made so many calls ago, in a message.
    Answered(u8, u8, u8),
    /// A reset.
    Reset(bool),
    /// A card in a language.
    Card(u8),
    /// The card proposed so many cards ago is settled.
    Settled(u8, u8),
    /// The entry appended so long ago is edited.
    Edited(u8, u8),
    /// The newest is popped.
    Popped,
    /// A run on the entry appended so long ago: rounds of calls, some of them answered.
    Run(u8, Vec<(u8, bool)>),
}

/// A strategy for threads of up to `most` acts.
pub fn acts(most: usize) -> impl Strategy<Value = Vec<Act>> {
    let files = prop::collection::vec(any::<u8>(), 0..3);
    let act = prop_oneof![
        2 => any::<u8>().prop_map(Act::Mail),
        6 => (any::<u8>(), any::<u8>(), any::<u8>(), files).prop_map(|(who, role, words, files)| Act::Said(who, role, words, files)),
        4 => (any::<u8>(), prop::collection::vec(0_u8..6, 1..3), any::<u8>()).prop_map(|(who, ids, words)| Act::Calls(who, ids, words)),
        5 => (any::<u8>(), 0_u8..4, any::<u8>()).prop_map(|(who, ago, words)| Act::Answered(who, ago, words)),
        1 => any::<bool>().prop_map(Act::Reset),
        2 => any::<u8>().prop_map(Act::Card),
        2 => (0_u8..4, any::<u8>()).prop_map(|(ago, how)| Act::Settled(ago, how)),
        1 => (0_u8..6, any::<u8>()).prop_map(|(ago, words)| Act::Edited(ago, words)),
        1 => Just(Act::Popped),
        2 => (0_u8..3, prop::collection::vec((0_u8..6, any::<bool>()), 1..3)).prop_map(|(ago, rounds)| Act::Run(ago, rounds)),
    ];
    prop::collection::vec(act, 0..most)
}

/// A log with one thread.
pub struct Thread {
    /// The owner's log.
    pub log: OwnerLog,
    /// The thread.
    pub thread: ThreadId,
    /// The message that is to be answered: the last.
    pub current: Arc<Entry>,
    marks: u32,
    entries: Vec<EntryId>,
    cards: Vec<EntryId>,
    calls: Vec<String>,
    runs: u32,
    clock: Timestamp,
}

/// Does those things, and behind them one message that is to be answered.
pub fn thread(acts: &[Act]) -> Option<Thread> {
    let log = MemoryLog::default().owner(&OwnerId::default());
    let thread = log.new_thread();
    let clock = Timestamp::from_second(1_770_000_000).ok()?;
    let first = log.append_message(thread, ModelMessage::user("hello").into(), Arrival::Live(clock)).ok()?;
    let mut built = Thread {
        log,
        thread,
        current: first,
        marks: 0,
        entries: Vec::new(),
        cards: Vec::new(),
        calls: Vec::new(),
        runs: 0,
        clock,
    };
    acts.iter().for_each(|act| built.act(act));
    built.tick();
    let files = vec![5, 0];
    let last = built.message(0, 0, 9, &files);
    built.current = built.log.append_message(thread, last, built.live()).ok()?;
    Some(built)
}

impl Thread {
    fn tick(&mut self) {
        // Some things happen in one moment.
        let step = i64::from(self.marks % 3);
        self.clock = self.clock.checked_add(SignedDuration::from_secs(step)).unwrap_or(self.clock);
    }

    fn live(&self) -> Arrival {
        Arrival::Live(self.clock)
    }

    /// A text with a mark of its own, unless it is blank.
    fn marked(&mut self, words: u8) -> String {
        let text = text(words);
        if text.trim().is_empty() {
            return text;
        }
        self.marks += 1;
        format!("{text} ~{}~", self.marks)
    }

    fn act(&mut self, act: &Act) {
        self.tick();
        let live = self.live();
        let (log, thread) = (self.log.clone(), self.thread);
        let appended = match act {
            Act::Mail(words) => {
                let body = Some(self.marked(*words).into());
                log.append_mail(thread, Mail { body, ..Mail::default() }, live).ok()
            }
            Act::Said(who, role, words, files) => {
                let message = self.message(*who, *role, *words, files);
                log.append_message(thread, message, live).ok()
            }
            Act::Calls(who, ids, words) => {
                let message = self.calls(*who, ids, *words);
                log.append_message(thread, message, live).ok()
            }
            Act::Answered(who, ago, words) => {
                let id = ago_of(&self.calls, *ago).cloned().unwrap_or_else(|| "nobody".to_owned());
                let outcome = ModelMessage::outcome(id.as_str(), self.marked(*words));
                log.append_message(thread, by(outcome.into(), *who), live).ok()
            }
            Act::Reset(flush) => {
                let kind = if *flush { ResetKind::Flush } else { ResetKind::Rescue };
                let reason = self.marked(9);
                log.append_reset(thread, Reset { kind, agent: None, reason, extra: serde_json::Map::new() }, live).ok()
            }
            Act::Card(language) => {
                let card = log.append_card(thread, self.card(*language), live).ok();
                self.cards.extend(card.as_ref().map(|card| card.id));
                card
            }
            Act::Settled(ago, how) => {
                let how = Settled::ALL.into_iter().cycle().nth(usize::from(*how)).unwrap_or(Settled::Done);
                ago_of(&self.cards, *ago).and_then(|card| log.settle(*card, how, self.clock).ok())
            }
            Act::Edited(ago, words) => {
                let edited = ago_of(&self.entries, *ago).and_then(|entry| log.entry(*entry));
                let said = ModelMessage::user(self.marked(*words));
                let edit = edited.and_then(|entry| entry.message().cloned()).and_then(|message| match &message.said {
                    ModelMessage::User(_) => Some(Message { said, ..Message::clone(&message) }),
                    ModelMessage::System(_) | ModelMessage::Assistant(_) | ModelMessage::Tool(_) => None,
                });
                let of = ago_of(&self.entries, *ago).copied();
                edit.zip(of).and_then(|(message, of)| log.edit(of, message, self.clock).ok())
            }
            Act::Popped => {
                let _ = log.pop(thread, self.clock);
                None
            }
            Act::Run(ago, rounds) => {
                self.run(*ago, rounds);
                None
            }
        };
        self.entries.extend(appended.map(|entry| entry.id));
    }

    fn message(&mut self, who: u8, role: u8, words: u8, files: &[u8]) -> Message {
        let text = self.marked(words);
        let said = match role % 8 {
            0..=3 => ModelMessage::user(text),
            4..=6 => self.answer(text, role),
            _ => ModelMessage::system(text),
        };
        let interim = role % 16 == 4;
        let attachments = files.iter().map(|file| self.file(*file)).collect();
        let extra = extra(role);
        by(Message { attachments, interim, extra, ..said.into() }, who)
    }

    /// An answer; some with reasoning, or a block that may hold data of a tool of the provider's.
    fn answer(&mut self, text: String, role: u8) -> ModelMessage {
        let mut items = vec![Item::Text(Text::new(text))];
        let raw = |kind: &str, mark: String| RawJson::new(format!(r#"{{"type":"{kind}","text":"{mark}"}}"#)).ok();
        if role.is_multiple_of(5)
            && let Some(raw) = raw("thinking", self.marked(9))
        {
            items.insert(0, Item::Reasoning(Reasoning { wire: Wire::Anthropic, kind: "thinking".into(), raw }));
        }
        if role.is_multiple_of(6)
            && let Some(raw) = raw("mcp_tool_result", self.marked(9))
        {
            let (kind, reads_as) = ("mcp_tool_result".into(), Some(self.marked(9)));
            items.push(Item::Native(Native { wire: Wire::Anthropic, kind, raw, reads_as, needs: None }));
        }
        ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() }))
    }

    /// A file: a picture, one that is not ready, one whose text is whole, or part of it.
    fn file(&mut self, kind: u8) -> Attachment {
        let text = self.marked(kind);
        let id = AttachmentId::new(format!("file_{}_{kind}", self.marks));
        let (media_type, ready) = match kind % 5 {
            0 => ("image/png", false),
            1 => ("application/pdf", false),
            _ => ("text/plain", true),
        };
        if ready {
            self.log.put_text(
                id.clone(),
                FileText { text: text.repeat(usize::from(kind % 7)).into(), partial: kind.is_multiple_of(2) },
            );
        }
        let filename = Some(format!("file\n{kind}.txt"));
        Attachment { id, filename, media_type: media_type.to_owned(), size: Some(10), inline: false }
    }

    fn calls(&mut self, who: u8, ids: &[u8], words: u8) -> Message {
        let mut items = Vec::new();
        if words.is_multiple_of(2) {
            items.push(Item::Text(Text::new(self.marked(words))));
        }
        for id in ids {
            let id = call_id(*id, self.calls.len());
            self.calls.push(id.clone());
            let input = serde_json::json!({ "of": self.marked(9) }).to_string();
            items.push(Item::Call(ToolCall::new(id, "find_order", input)));
        }
        by(ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() })).into(), who)
    }

    fn card(&mut self, language: u8) -> Card {
        let languages = ["en", "de-AT", "fr", "es", "it", "pl", "ru", "et", "xx", ""];
        Card {
            run: None,
            call: ToolCall::new("c", "send_email", serde_json::json!({ "of": self.marked(9) }).to_string()),
            action: format!("send_email\n{}", self.cards.len()),
            language: languages.into_iter().cycle().nth(usize::from(language)).unwrap_or_default().to_owned(),
            preview: self.marked(9),
            fingerprint: self.marked(9),
            expires: None,
        }
    }

    fn run(&mut self, ago: u8, rounds: &[(u8, bool)]) {
        let answered = self.entries.iter().rev().filter(|entry| {
            self.log.entry(**entry).is_some_and(|entry| matches!(entry.body, Body::Mail(_) | Body::Message(_)))
        });
        let Some(entry) = answered.copied().nth(usize::from(ago)) else { return };
        self.runs += 1;
        let id = RunId::new(format!("run{}", self.runs));
        let run = Run { id: id.clone(), thread: self.thread, cause: Cause::Message(entry), persona: PERSONA.into() };
        if self.log.begin_run(run).is_err() {
            return;
        }
        for (index, (call, is_answered)) in (0_u32..).zip(rounds) {
            let input = serde_json::json!({ "of": self.marked(9) }).to_string();
            let call = ToolCall::new(call_id(*call, self.calls.len()), "find_order", input);
            let said = Assistant { items: vec![Item::Call(call)], ..Assistant::default() };
            let recorded: Option<RecordedRound> = self.log.append_round(&id, index, said, self.clock).ok();
            let called = recorded.and_then(|round| round.said.calls().next().map(|call| call.id.clone()));
            if let Some(called) = called.filter(|_| *is_answered) {
                let text = self.marked(index.to_le_bytes().first().copied().unwrap_or(0).wrapping_add(8));
                let _ = self.log.append_outcome(&id, Outcome::text(called, text), self.clock);
            }
        }
    }
}

/// What only the original's shape of a message tells: an unknown role, pictures of all sorts.
fn extra(role: u8) -> serde_json::Map<String, serde_json::Value> {
    let mut extra = serde_json::Map::new();
    if role > 0 && role.is_multiple_of(17) {
        extra.insert("role".to_owned(), "function".into());
    }
    if role > 0 && role.is_multiple_of(19) {
        extra.insert("images".to_owned(), serde_json::json!(["iVBORw0KGgo=", "no picture", 7]));
    }
    extra
}

/// Nobody, or one of the agents.
fn by(message: Message, who: u8) -> Message {
    match AGENTS.get(usize::from(who % 3)) {
        Some(agent) => message.by(*agent),
        None => message,
    }
}

fn ago_of<T>(list: &[T], ago: u8) -> Option<&T> {
    list.len().checked_sub(usize::from(ago) + 1).and_then(|at| list.get(at))
}

fn call_id(kind: u8, number: usize) -> String {
    match kind {
        0 => String::new(),
        1 | 2 => "call_0".to_owned(),
        _ => format!("call_{number}"),
    }
}

/// The marks in a text.
pub fn marks(text: &str) -> Vec<u32> {
    text.split('~').filter_map(|between| between.parse().ok()).collect()
}
