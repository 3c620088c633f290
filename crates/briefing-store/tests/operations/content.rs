//! What is appended: mails, messages, resets.

use briefing::log::{Address, Attachment, AttachmentId, Delivery, Direction, Mail, Message, MessageId, Reset, ResetKind};
use briefing::message::{Assistant, Item, ModelMessage, Text, ToolCall};
use briefing_store::{NewMail, NewMessage};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::plan::{PEOPLE, Time, WORDS, pick, text, time, times};
use super::{AGENTS, FILES, IDS, RAWS, file_id};

#[derive(Debug, Clone)]
pub(super) struct PlannedMail {
    id: Option<u8>,
    references: Vec<u8>,
    reply: Vec<u8>,
    people: Vec<u8>,
    copies: Vec<u8>,
    date: Option<Time>,
    raw: Option<u8>,
    files: Vec<(u8, bool)>,
    words: Vec<u8>,
    direction: u8,
}

/// A message, in numbers.
#[derive(Debug, Clone)]
pub(super) struct PlannedMessage {
    role: u8,
    words: Vec<u8>,
    agent: Option<u8>,
    interim: bool,
    extra: u8,
    files: Vec<(u8, bool)>,
}

fn files() -> impl Strategy<Value = Vec<(u8, bool)>> {
    prop::collection::vec((any::<u8>(), prop::bool::weighted(0.8)), 0..3)
}

pub(super) fn mails() -> impl Strategy<Value = PlannedMail> {
    let some = |most| prop::collection::vec(any::<u8>(), 0..most);
    let heads = (prop::option::weighted(0.8, any::<u8>()), some(3), some(2), some(3), some(2));
    let rest = (prop::option::weighted(0.5, times()), prop::option::weighted(0.4, any::<u8>()), files(), some(4), any::<u8>());
    (heads, rest).prop_map(|((id, references, reply, people, copies), (date, raw, files, words, direction))| PlannedMail {
        id,
        references,
        reply,
        people,
        copies,
        date,
        raw,
        files,
        words,
        direction,
    })
}

pub(super) fn messages() -> impl Strategy<Value = PlannedMessage> {
    let words = prop::collection::vec(any::<u8>(), 0..4);
    let agent = prop::option::of(any::<u8>());
    (any::<u8>(), words, agent, prop::bool::weighted(0.2), any::<u8>(), files())
        .prop_map(|(role, words, agent, interim, extra, files)| PlannedMessage { role, words, agent, interim, extra, files })
}

fn agent(n: Option<u8>) -> Option<std::sync::Arc<str>> {
    n.map(|n| pick(&AGENTS, n).into())
}

fn extra(n: u8) -> Map<String, Value> {
    let text = match n % 12 {
        0 => r#"{"role": "tool"}"#,
        1 => r#"{"tool_calls": []}"#,
        2 => r#"{"role": "developer", "a": [null, 1]}"#,
        _ => "{}",
    };
    serde_json::from_str(text).unwrap()
}

pub(super) fn new_message(plan: &PlannedMessage) -> NewMessage {
    let (attachments, files) = listed(&plan.files);
    let (agent, extra) = (agent(plan.agent), extra(plan.extra));
    let said = said(plan.role, text(&plan.words));
    NewMessage { message: Message { agent, interim: plan.interim, attachments, extra, ..said.into() }, files }
}

fn said(role: u8, text: String) -> ModelMessage {
    match role % 6 {
        0 | 1 => ModelMessage::user(text),
        2 => ModelMessage::assistant(text),
        3 => ModelMessage::system(text),
        4 => ModelMessage::outcome("c", text),
        _ => {
            let items = vec![Item::Text(Text::new(text)), Item::Call(ToolCall::new("c", "find", "{}"))];
            ModelMessage::Assistant(Assistant { items, ..Assistant::default() }.into())
        }
    }
}

pub(super) fn reset(n: u8) -> Reset {
    Reset {
        kind: if n.is_multiple_of(2) { ResetKind::Flush } else { ResetKind::Rescue },
        agent: agent((!n.is_multiple_of(3)).then_some(n)),
        reason: pick(&WORDS, n).to_owned(),
        extra: extra(n),
    }
}

/// Files as they are listed, and the contents of those that are kept.
fn listed(plan: &[(u8, bool)]) -> (Vec<Attachment>, Vec<(AttachmentId, Vec<u8>)>) {
    let attachments = plan.iter().map(|(n, _)| {
        let content = pick(&FILES, *n);
        Attachment {
            id: file_id(content),
            filename: n.is_multiple_of(2).then(|| "plan.txt".to_owned()),
            media_type: "text/plain".to_owned(),
            size: Some(content.len() as u64),
            inline: n.is_multiple_of(3),
        }
    });
    let kept = plan.iter().filter(|(_, kept)| *kept).map(|(n, _)| pick(&FILES, *n));
    (attachments.collect(), kept.map(|content| (file_id(content), content.to_vec())).collect())
}

pub(super) fn new_mail(plan: &PlannedMail) -> NewMail {
    let id = |n: &u8| MessageId::new(pick(&IDS, *n)).unwrap();
    let people = |list: &[u8]| list.iter().map(|n| Address::new(pick(&PEOPLE, *n))).collect::<Vec<_>>();
    let mut from = people(&plan.people);
    let to = from.split_off(from.len().min(1));
    let (attachments, files) = listed(&plan.files);
    let mail = Mail {
        direction: match plan.direction % 6 {
            0..3 => Direction::Inbound,
            3 => Direction::Outbound(Delivery::Sent),
            4 => Direction::Outbound(Delivery::Draft),
            _ => Direction::Outbound(Delivery::Failed),
        },
        message_id: plan.id.as_ref().map(id),
        in_reply_to: plan.reply.iter().map(id).collect(),
        references: plan.references.iter().map(id).collect(),
        date: plan.date.map(time),
        from,
        to,
        cc: people(&plan.copies),
        subject: plan.words.first().map(|word| pick(&WORDS, *word).to_owned()),
        body: (plan.words.len() > 1).then(|| text(&plan.words[1..]).into()),
        attachments,
    };
    NewMail { mail, raw: plan.raw.map(|n| pick(&RAWS, n).to_vec()), files }
}
