//! Entries and threads as JSON: every value whole.

use briefing::log::{
    Address, Attachment, Body, Card, Cause, Delivery, Direction, Edit, Erased, Kind as EntryKind, Mail, Message, MessageId,
    Notice, Popped, Reset, Run, Settled,
};
use briefing::message::{ModelMessage, ToolCall, message_to_json};
use briefing_json::Document;
use briefing_store::{BlobHash, Logged, ThreadSummary};
use serde_json::{Value, json};

use crate::output::object::Object;
use crate::output::time::value;

/// An entry. Whoever asked adds what else is told of it.
pub(crate) fn object(shown: &Logged) -> Object {
    let entry = &shown.entry;
    let object = Object::default()
        .field("entry", entry.id.get())
        .field("thread", shown.thread.get())
        .field("at", value(entry.at))
        .field("kind", EntryKind::of(&entry.body).name());
    of_body(&entry.body, shown, object)
}

fn of_body(body: &Body, shown: &Logged, object: Object) -> Object {
    match body {
        Body::Mail(mail) => of_mail(mail, object),
        Body::Round(said) => of_run(shown, object).json("message", &message_to_json(&ModelMessage::Assistant(said.clone()))),
        Body::Outcome(outcome) => of_run(shown, object).json("message", &message_to_json(&ModelMessage::Tool(outcome.clone()))),
        Body::Message(message) => of_message(message, object),
        Body::Card(card) => of_card(card, shown, object),
        Body::Notice(notice) => {
            let Notice { card, settled, action, language } = &**notice;
            object
                .field("card", card.get())
                .field("settled", settled.name())
                .field("action", &**action)
                .field("language", &**language)
        }
        Body::Reset(reset) => {
            let Reset { kind, agent, reason, extra } = &**reset;
            object
                .field("reset", kind.name())
                .field("agent", agent.as_deref())
                .field("reason", reason.as_str())
                .field("extra", extra.clone())
        }
        Body::Edit(edit) => {
            let Edit { of, message } = &**edit;
            of_message(message, object.field("of", of.get()))
        }
        Body::Popped(Popped { at, hash, body }) => {
            let was = Object::default().field("kind", EntryKind::of(body).name());
            object
                .field("popped_at", value(*at))
                .field("hash", hash.map(|hash| BlobHash::new(hash).to_string()))
                .json("was", &of_body(body, shown, was).end())
        }
        Body::Erased(Erased { at, hash }) => {
            object.field("erased_at", value(*at)).field("hash", BlobHash::new(*hash).to_string())
        }
        Body::Unreadable => object,
    }
}

fn of_message(message: &Message, object: Object) -> Object {
    let Message { said, agent, interim, attachments, extra, edited } = message;
    object
        .json("message", &message_to_json(said))
        .field("agent", agent.as_deref())
        .field("interim", *interim)
        .field("attachments", attachments.iter().map(attachment).collect::<Value>())
        .field("extra", extra.clone())
        .field("edited", edited.map(|edit| edit.get()))
}

fn of_mail(mail: &Mail, object: Object) -> Object {
    let ids = |ids: &[MessageId]| ids.iter().map(MessageId::as_str).collect::<Value>();
    let addresses = |addresses: &[Address]| addresses.iter().map(address).collect::<Value>();
    let (direction, delivery) = match mail.direction {
        Direction::Inbound => ("inbound", None),
        Direction::Outbound(delivery) => ("outbound", Some(delivery_name(delivery))),
    };
    object
        .field("direction", direction)
        .field("delivery", delivery)
        .field("message_id", mail.message_id.as_ref().map(MessageId::as_str))
        .field("in_reply_to", ids(&mail.in_reply_to))
        .field("references", ids(&mail.references))
        .field("date", mail.date.map(|date| date.to_string()))
        .field("from", addresses(&mail.from))
        .field("to", addresses(&mail.to))
        .field("cc", addresses(&mail.cc))
        .field("subject", mail.subject.as_deref())
        .field("body", mail.body.as_deref())
        .field("attachments", mail.attachments.iter().map(attachment).collect::<Value>())
}

pub(super) fn delivery_name(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::Sent => "sent",
        Delivery::Draft => "draft",
        Delivery::Failed => "failed",
    }
}

fn address(address: &Address) -> Value {
    json!({ "name": address.name, "email": address.email })
}

fn attachment(attachment: &Attachment) -> Value {
    let Attachment { id, filename, media_type, size, inline } = attachment;
    json!({ "id": id.as_str(), "filename": filename, "media_type": media_type, "size": size, "inline": inline })
}

fn of_run(shown: &Logged, object: Object) -> Object {
    let Some((run, round)) = &shown.run else { return object.field("run", Value::Null).field("round", Value::Null) };
    let Run { id, cause, persona, thread: _ } = run;
    let (answers, responsibility) = match cause {
        Cause::Message(entry) => (Some(entry.get()), None),
        Cause::Responsibility(name) => (None, Some(name)),
    };
    let run = json!({ "id": id.as_str(), "persona": persona, "answers": answers, "responsibility": responsibility });
    object.field("run", run).field("round", *round)
}

fn of_card(card: &Card, shown: &Logged, object: Object) -> Object {
    let Card { run, call, action, language, preview, fingerprint, expires } = card;
    object
        .field("state", shown.settled.map_or("open", Settled::name))
        .field("run", run.as_ref().map(|run| json!({ "id": run.as_str() })))
        .json("call", &of_call(call))
        .field("action", action.as_str())
        .field("language", language.as_str())
        .field("preview", preview.as_str())
        .field("fingerprint", fingerprint.as_str())
        .field("expires", expires.map(|expires| expires.to_string()))
}

/// A call as it stands in the flat form of a message.
fn of_call(call: &ToolCall) -> String {
    let message = message_to_json(&ModelMessage::calls([call.clone()]));
    let document = Document::parse(&message).ok();
    let calls = document.as_ref().and_then(|document| document.root().get("tool_calls"));
    let call = calls.and_then(|calls| calls.items().next());
    call.map_or_else(|| "null".to_owned(), |call| call.raw().to_owned())
}

/// A thread as lists show it.
pub(crate) fn summary(summary: &ThreadSummary) -> Value {
    let ThreadSummary { thread, entries, newest, head, subject, people } = summary;
    json!({
        "thread": thread,
        "newest": newest.map_or(Value::Null, value),
        "entries": entries,
        "head": head,
        "subject": subject,
        "people": people,
    })
}
