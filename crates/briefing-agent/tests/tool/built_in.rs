//! The tools that come with the library, over a real store.

use std::error::Error;
use std::sync::Arc;

use crate::support::{Desk, run, text};
use briefing::log::{Address, Arrival, Attachment, AttachmentId, Cause, Mail, Message, Reset, ResetKind, Run};
use briefing::message::{Assistant, Bytes, Item, Media, Outcome, OwnerId, Part, RunId, ThreadId, ToolCall};
use briefing::persona::Role;
use briefing::ports::{FileText, History};
use briefing::view::{HistoryView, Replay};
use briefing::{Bounds, Call, Chain, Context, Inbound, ModelMessage, Persona, Receipt, Subject, ThreadHistory};
use briefing_agent::tool::{Note, ReadAttachment, SearchThreads};
use briefing_agent::{ToolContext, ToolFailure, ToolOutput};
use briefing_store::{Append, Content, NewMail, NewMessage, OwnerStore, ReadText, Target};
use jiff::Timestamp;
use serde_json::json;

const NOW: Arrival = Arrival::Live(Timestamp::UNIX_EPOCH);

/// Reads everything as UTF-8; what begins with `none` has no text, with `part` holds less than its file.
struct Utf8;

impl ReadText for Utf8 {
    fn version(&self) -> u32 {
        1
    }

    fn read(&self, _: &Attachment, content: &[u8]) -> Result<Option<FileText>, Box<dyn Error + Send + Sync>> {
        let text = std::str::from_utf8(content)?;
        Ok((!text.starts_with("none")).then(|| FileText { text: text.into(), partial: text.starts_with("part") }))
    }
}

fn reading() -> ReadAttachment {
    ReadAttachment::default().with_reader(Arc::new(Utf8))
}

fn file(id: &str, name: &str, media_type: &str) -> Attachment {
    Attachment {
        id: AttachmentId::new(id),
        filename: Some(name.to_owned()),
        media_type: media_type.to_owned(),
        size: None,
        inline: false,
    }
}

async fn send(desk: &Desk, owner: &OwnerId, thread: ThreadId, files: &[(Attachment, &[u8])]) {
    let mut message = Message::from(ModelMessage::user("See the file."));
    message.attachments = files.iter().map(|(file, _)| file.clone()).collect();
    let files = files.iter().map(|(file, content)| (file.id.clone(), content.to_vec())).collect();
    let content = Content::Message(Box::new(NewMessage { message, files }));
    desk.store.append(owner, vec![Append::new(content, Target::Thread(thread), NOW)]).await.unwrap();
}

async fn read(tool: &ReadAttachment, cx: &ToolContext, attachment: &str) -> Result<String, ToolFailure> {
    run(tool, json!({"attachment": attachment}), cx).await.map(|output| text(&output))
}

fn not_there(name: &str) -> Result<String, ToolFailure> {
    let message = format!("[there is no file {name:?} in this thread; give the id that is listed under the message]");
    Err(ToolFailure::Failed { message })
}

#[tokio::test]
async fn a_file_is_read_by_id_and_by_name() {
    let desk = Desk::open().await;
    let owner = OwnerId::default();
    let files =
        [(file("f1", "list.txt", "text/plain"), &b"one\ntwo"[..]), (file("f2", "a\nb.txt", "text/plain"), b"part of it")];
    send(&desk, &owner, desk.thread, &files).await;
    let cx = desk.cx();
    assert_eq!(read(&reading(), &cx, "f1").await, Ok("[file: list.txt]\none\ntwo".to_owned()));
    assert_eq!(read(&reading(), &cx, "list.txt").await, Ok("[file: list.txt]\none\ntwo".to_owned()));
    let partial = "[file: a b.txt]\npart of it\n[partial: this text holds less than the file]";
    assert_eq!(read(&reading(), &cx, "a b.txt").await, Ok(partial.to_owned()));
    assert_eq!(read(&reading(), &cx, "f9\n").await, not_there("f9"));
    // What was read once is kept.
    assert_eq!(read(&ReadAttachment::default(), &cx, "f1").await, Ok("[file: list.txt]\none\ntwo".to_owned()));
}

#[tokio::test]
async fn a_long_text_comes_in_pages_of_characters() {
    let desk = Desk::open().await;
    let content = "ä".repeat(45_000);
    send(&desk, &OwnerId::default(), desk.thread, &[(file("f1", "long.txt", "text/plain"), content.as_bytes())]).await;
    let page = async |from: usize| {
        let output = run(&reading(), json!({"attachment": "f1", "from": from}), &desk.cx()).await.unwrap();
        text(&output)
    };
    let twenty = "ä".repeat(20_000);
    let mark = |from, to| format!("[characters {from} to {to} of 45000; call again with \"from\": {to} to go on]");
    assert_eq!(page(0).await, format!("[file: long.txt]\n{twenty}\n{}", mark(0, 20_000)));
    assert_eq!(page(20_000).await, format!("[file: long.txt]\n{twenty}\n{}", mark(20_000, 40_000)));
    assert_eq!(page(40_000).await, format!("[file: long.txt]\n{}", "ä".repeat(5_000)));
    assert_eq!(page(45_000).await, "[file: long.txt]\n[the text ends at character 45000]");
    assert_eq!(page(usize::MAX).await, "[file: long.txt]\n[the text ends at character 45000]");
}

#[tokio::test]
async fn a_file_without_a_text_says_so() {
    let desk = Desk::open().await;
    send(&desk, &OwnerId::default(), desk.thread, &[(file("f1", "scan.pdf", "application/pdf"), b"none")]).await;
    let cx = desk.cx();
    let not_ready = "[file: scan.pdf]\n[this file was not read yet, or is not kept; its text is not ready]";
    assert_eq!(read(&ReadAttachment::default(), &cx, "f1").await, Ok(not_ready.to_owned()));
    let none = "[file: scan.pdf]\n[this file has no text that can be read]";
    assert_eq!(read(&reading(), &cx, "f1").await, Ok(none.to_owned()));
}

#[tokio::test]
async fn files_of_one_name_are_listed() {
    let desk = Desk::open().await;
    let files = [(file("f1", "a.txt", "text/plain"), &b"one"[..]), (file("f2", "a.txt", "text/plain"), b"two")];
    send(&desk, &OwnerId::default(), desk.thread, &files).await;
    let message = "[several files have this name; give the id of one]\n- a.txt id=f1\n- a.txt id=f2".to_owned();
    assert_eq!(read(&reading(), &desk.cx(), "a.txt").await, Err(ToolFailure::Failed { message }));
    assert_eq!(read(&reading(), &desk.cx(), "f2").await, Ok("[file: a.txt]\ntwo".to_owned()));
}

#[tokio::test]
async fn files_of_other_threads_owners_and_from_before_a_reset_are_not_there() {
    let desk = Desk::open().await;
    let (owner, other) = (OwnerId::default(), OwnerId::new("other"));
    let elsewhere = desk.store.open_thread(&owner).await.unwrap();
    let foreign = desk.store.open_thread(&other).await.unwrap();
    send(&desk, &owner, elsewhere, &[(file("f1", "a.txt", "text/plain"), b"one")]).await;
    send(&desk, &other, foreign, &[(file("f2", "b.txt", "text/plain"), b"two")]).await;
    send(&desk, &owner, desk.thread, &[(file("f3", "c.txt", "text/plain"), b"three")]).await;
    let cx = desk.cx();
    for name in ["f1", "a.txt", "f2", "b.txt"] {
        assert_eq!(read(&reading(), &cx, name).await, not_there(name));
    }
    assert_eq!(read(&reading(), &cx, "f3").await, Ok("[file: c.txt]\nthree".to_owned()));
    let strange = ToolContext { log: desk.log(other), ..desk.cx() };
    assert_eq!(read(&reading(), &strange, "f3").await, not_there("f3"));
    let reset = Reset { kind: ResetKind::Flush, agent: None, reason: String::new(), extra: Default::default() };
    desk.store.append(&owner, vec![Append::reset(reset, desk.thread, NOW)]).await.unwrap();
    assert_eq!(read(&reading(), &cx, "f3").await, not_there("f3"));
}

#[tokio::test]
async fn a_picture_is_a_part_of_the_kind_that_its_bytes_are() {
    let desk = Desk::open().await;
    let png = b"\x89PNG\r\n\x1a\n and the rest";
    let files = [(file("f1", "a.jpg", "image/jpeg"), &png[..]), (file("f2", "b.png", "image/png"), b"<svg/>")];
    send(&desk, &OwnerId::default(), desk.thread, &files).await;
    let output = run(&reading(), json!({"attachment": "f1"}), &desk.cx()).await.unwrap();
    let media = Media { filename: Some("a.jpg".into()), ..Media::data("image/png", Bytes::encode(png)) };
    assert_eq!(output, ToolOutput { parts: vec![Part::text("[picture: a.jpg]"), Part::Image(media)] });
    let shown = read(&reading(), &desk.cx(), "f2").await;
    assert_eq!(shown, Ok("[picture: b.png]\n[of a kind that cannot be shown]".to_owned()));
}

const OTHER: &str = "sales@shop.example";

/// A persona that is told outcomes as references alone.
fn persona(address: &str) -> Persona {
    let history = || ThreadHistory::new(HistoryView::mail().replay(Replay::Cleared));
    Persona::new(&Role::new().message(Chain::new().with(history)), "Desk", address).unwrap()
}

/// A run of that persona in the desk's thread with one outcome of 30,000 characters; the receipt of the request of its next run,
/// which clears the outcome, and the reference.
async fn cleared(desk: &Desk, address: &str) -> (Arc<Receipt>, String) {
    let owner = OwnerId::default();
    let cx = desk.cx();
    let ask = |text: &str| Append::message(ModelMessage::user(text), Target::Thread(desk.thread), NOW);
    let asked = desk.store.append(&owner, vec![ask("Where is order 7?")]).await.unwrap().remove(0).place.entry;
    let run = Run { id: cx.run.clone(), thread: desk.thread, cause: Cause::Message(asked), persona: address.into() };
    desk.store.begin_run(&owner, run).await.unwrap();
    let said = Assistant { items: vec![Item::Call(ToolCall::new("c1", "find_order", "{}"))], ..Assistant::default() };
    desk.store.append_round(&owner, &cx.run.clone().into(), 0, said, cx.now).await.unwrap();
    let outcome = Outcome::text("c1", "x".repeat(30_000));
    let entry = desk.store.append_outcome(&owner, &cx.run.clone().into(), outcome, cx.now).await.unwrap();
    let now = desk.store.append(&owner, vec![ask("And?")]).await.unwrap().remove(0).place.entry;
    let now = desk.store.entry(&owner, now).await.unwrap().unwrap();
    let ports = Arc::new(OwnerStore::new(Arc::clone(&desk.store), owner));
    let persona = Arc::new(persona(address));
    let subject = Subject::Message(Inbound::new(now, desk.thread).unwrap());
    let context = Context::new(Arc::clone(&persona), subject, cx.now, Arc::clone(&ports) as Arc<dyn History>, ports);
    let briefing = persona.message_chain().assemble(&context, &Call::model("gpt-5", None), &Bounds::none()).await.unwrap();
    (Arc::new(briefing.receipt().clone()), format!("outcome:{}", entry.get()))
}

#[tokio::test]
async fn an_outcome_that_the_request_tells_to_be_left_out_is_given_back() {
    let desk = Desk::open().await;
    let (receipt, reference) = cleared(&desk, "desk@shop.example").await;
    let cx = ToolContext { receipt: Some(receipt), ..desk.cx() };
    let page = "x".repeat(20_000);
    let expected = format!("{page}\n[characters 0 to 20000 of 30000; call again with \"from\": 20000 to go on]");
    assert_eq!(read(&reading(), &cx, &reference).await, Ok(expected.clone()));
    assert_eq!(read(&reading(), &cx, &format!("[outcome left out to save room: {reference}]")).await, Ok(expected));
    let rest = run(&reading(), json!({"attachment": reference, "from": 20_000}), &cx).await.unwrap();
    assert_eq!(text(&rest), "x".repeat(10_000));
}

#[tokio::test]
async fn an_outcome_that_the_request_does_not_tell_of_is_not_there() {
    let desk = Desk::open().await;
    let (receipt, reference) = cleared(&desk, "desk@shop.example").await;
    assert_eq!(read(&reading(), &desk.cx(), &reference).await, not_there(&reference));
    let silent = ToolContext { receipt: Some(Arc::default()), ..desk.cx() };
    assert_eq!(read(&reading(), &silent, &reference).await, not_there(&reference));
    // Not even with the receipt of another persona's request, or in another thread, or for another owner.
    let other = ToolContext { receipt: Some(Arc::clone(&receipt)), persona: OTHER.into(), ..desk.cx() };
    assert_eq!(read(&reading(), &other, &reference).await, not_there(&reference));
    let thread = desk.store.open_thread(&OwnerId::default()).await.unwrap();
    let elsewhere = ToolContext { receipt: Some(Arc::clone(&receipt)), thread, ..desk.cx() };
    assert_eq!(read(&reading(), &elsewhere, &reference).await, not_there(&reference));
    let strange = ToolContext { receipt: Some(receipt), log: desk.log(OwnerId::new("other")), ..desk.cx() };
    assert_eq!(read(&reading(), &strange, &reference).await, not_there(&reference));
}

#[tokio::test]
async fn a_search_tells_who_wrote_what_when() {
    let desk = Desk::open().await;
    let (owner, other) = (OwnerId::default(), OwnerId::new("other"));
    let mail = |subject: &str, body: &str| {
        let mail = Mail {
            from: vec![Address::new("Ann\n <ann@x.example>")],
            subject: Some(subject.to_owned()),
            body: Some(body.into()),
            ..Mail::default()
        };
        Append::mail(NewMail { mail, ..NewMail::default() }, NOW)
    };
    let first = desk.store.append(&owner, vec![mail("Order\n7", "The zebra is late.")]).await.unwrap().remove(0);
    desk.store.append(&other, vec![mail("Secret", "Another zebra.")]).await.unwrap();
    let tool = SearchThreads::default();
    let found = run(&tool, json!({"query": "zebra"}), &desk.cx()).await.unwrap();
    let thread = first.thread.get();
    assert_eq!(
        text(&found),
        format!("thread {thread}, 1970-01-01T00:00:00Z\nFrom: Ann <ann@x.example>\nSubject: Order 7\n> The zebra is late.")
    );
    let said = Append::message(ModelMessage::user(format!("zebra {}", "x ".repeat(2_000))), Target::Thread(desk.thread), NOW);
    desk.store.append(&owner, vec![said]).await.unwrap();
    let found = text(&run(&tool, json!({"query": "zebra", "limit": 20}), &desk.cx()).await.unwrap());
    assert_eq!(found.matches("thread ").count(), 2);
    assert!(found.lines().all(|line| line.chars().count() <= 310), "{found}");
    assert!(found.contains("From: user\n"), "{found}");
    let found = text(&run(&tool, json!({"query": "zebra", "limit": 1}), &desk.cx()).await.unwrap());
    assert_eq!(found.matches("thread ").count(), 1);
    assert_eq!(text(&run(&tool, json!({"query": "giraffe"}), &desk.cx()).await.unwrap()), "[nothing found]");
}

#[tokio::test]
async fn a_search_finds_nothing_from_before_a_reset_and_nothing_of_other_personas_chats() {
    let desk = Desk::open().await;
    let owner = OwnerId::default();
    let chat = async |agent: Option<&str>, text: &str| {
        let thread = desk.store.open_thread(&owner).await.unwrap();
        let asked = Append::message(ModelMessage::user(format!("zebra {text}")), Target::Thread(thread), NOW);
        let mut answer = Message::from(ModelMessage::assistant(format!("zebra answer {text}")));
        answer.agent = agent.map(Into::into);
        let answer = Content::Message(Box::new(NewMessage { message: answer, files: Vec::new() }));
        let answer = Append::new(answer, Target::Thread(thread), NOW);
        let asked = desk.store.append(&owner, vec![asked, answer]).await.unwrap().remove(0);
        (thread, asked.place.entry)
    };
    let mail = |subject: &str| {
        let mail = Mail { subject: Some(subject.to_owned()), body: Some("zebra".into()), ..Mail::default() };
        Append::mail(NewMail { mail, ..NewMail::default() }, NOW)
    };
    let run_of = async |id: &str, thread: ThreadId, asked, persona: &str| {
        let run = Run { id: RunId::new(id), thread, cause: Cause::Message(asked), persona: persona.into() };
        desk.store.begin_run(&owner, run).await.unwrap();
    };
    // Chats of this persona, of another one by its name, of another one by its runs, of both, and of nobody.
    chat(Some("Desk"), "own").await;
    chat(Some("Sales"), "foreign").await;
    let (foreign, asked) = chat(None, "runs").await;
    run_of("run-7", foreign, asked, OTHER).await;
    let (both, asked) = chat(Some("Sales"), "both").await;
    run_of("run-8", both, asked, "DESK@shop.example").await;
    chat(None, "nobody").await;
    // Mails that others answer are found, those from before a reset are not.
    let answered = desk.store.append(&owner, vec![mail("Answered")]).await.unwrap().remove(0);
    run_of("run-9", answered.thread, answered.place.entry, OTHER).await;
    let reset = Reset { kind: ResetKind::Flush, agent: None, reason: String::new(), extra: Default::default() };
    let (own, _) = chat(None, "before").await;
    let past = desk.store.append(&owner, vec![mail("Past")]).await.unwrap().remove(0).thread;
    let resets = [own, past].map(|thread| Append::reset(reset.clone(), thread, NOW));
    desk.store.append(&owner, resets.into()).await.unwrap();
    let behind = Append::message(ModelMessage::user("zebra behind"), Target::Thread(own), NOW);
    desk.store.append(&owner, vec![behind]).await.unwrap();
    let found = text(&run(&SearchThreads::default(), json!({"query": "zebra", "limit": 20}), &desk.cx()).await.unwrap());
    let mut said: Vec<&str> =
        found.lines().filter_map(|line| line.strip_prefix("> zebra ").or(line.strip_prefix("Subject: "))).collect();
    said.sort_unstable();
    assert_eq!(said, ["Answered", "answer nobody", "answer own", "behind", "both", "nobody", "own"]);
    // What may not be told takes nobody's room.
    let found = text(&run(&SearchThreads::default(), json!({"query": "zebra", "limit": 7}), &desk.cx()).await.unwrap());
    assert_eq!(found.matches("thread ").count(), 7);
    // In its own thread a persona reads what is nobody's, whoever else runs there.
    let there = ToolContext { thread: foreign, ..desk.cx() };
    let found = text(&run(&SearchThreads::default(), json!({"query": "zebra runs", "limit": 20}), &there).await.unwrap());
    assert_eq!(found.matches("thread ").count(), 2);
}

#[tokio::test]
async fn a_note_is_its_own_call() {
    let desk = Desk::open().await;
    let output = run(&Note::default(), json!({"text": "Ann is away until May."}), &desk.cx()).await;
    assert_eq!(output, Ok(ToolOutput::text("[noted]")));
    assert_eq!(desk.store.log(&OwnerId::default(), briefing::message::EntryId::new(0), 10).await.unwrap(), []);
}
