//! Entries for people.

use std::fmt::Write;

use briefing::log::{
    Address, Attachment, Body, Card, Cause, Direction, Edit, Erased, Kind as EntryKind, Mail, Message, Notice, Popped, Reset,
    Run,
};
use briefing::text::lf;
use briefing_store::{BlobHash, Logged};

use crate::output::entry::json::delivery_name;
use crate::output::entry::said;
use crate::output::time::to_second;
use crate::output::{Paint, counted, safe};

/// How many characters of a hash are shown.
const HASH: usize = 12;
/// How wide a tab is shown.
const TAB: &str = "    ";

/// Lines below a head, moved in so far that no text can be taken for a head, and no body for what is said about it.
#[derive(Debug, Default)]
pub(super) struct Page(String);

impl Page {
    /// Something in a few words. What is a stranger's stands last.
    pub(super) fn field(&mut self, name: &str, value: &str) {
        let line = format!("  {name}: {}", safe(value));
        let _ = writeln!(self.0, "{}", line.trim_end());
    }

    /// Text as it is stored, a line a line. Of none nothing.
    pub(super) fn block(&mut self, text: &str) {
        for line in lf(text).trim_end_matches('\n').lines() {
            let line = format!("    {}", safe(&line.replace('\t', TAB)));
            let _ = writeln!(self.0, "{}", line.trim_end());
        }
    }

    fn gap(&mut self) {
        self.0.push('\n');
    }
}

/// An entry with what was found in it.
pub(crate) fn text(shown: &Logged, findings: &[String], paint: Paint) -> String {
    let entry = &shown.entry;
    let mut head = vec![format!("entry {}", entry.id)];
    head.push(format!("thread {}", shown.thread));
    head.extend([EntryKind::of(&shown.entry.body).name().to_owned(), to_second(entry.at)]);
    let mut page = Page::default();
    of_body(&entry.body, shown, !findings.is_empty(), &mut head, &mut page);
    findings.iter().for_each(|finding| page.field("finding", finding));
    format!("{}\n{}", paint.strong(&safe(&head.join("  "))), page.0)
}

/// What it holds, and what of that stands in its head. `more` follows below it.
fn of_body(body: &Body, shown: &Logged, more: bool, head: &mut Vec<String>, page: &mut Page) {
    match body {
        Body::Mail(mail) => {
            head.push(direction(mail.direction).to_owned());
            of_mail(mail, more, page);
        }
        Body::Round(round) => {
            head.extend(run(shown));
            said::assistant(round, page);
        }
        Body::Outcome(outcome) => {
            head.extend(run(shown));
            said::outcome(outcome, page);
        }
        Body::Message(message) => of_message(message, head, page),
        Body::Card(card) => {
            head.push(shown.settled.map_or_else(|| "open".to_owned(), |settled| format!("settled: {}", settled.name())));
            of_card(card, page);
        }
        Body::Notice(notice) => {
            let Notice { card, settled, action, language } = &**notice;
            head.push(format!("card {card}: {}", settled.name()));
            page.field(&format!("action ({})", safe(language)), action);
        }
        Body::Reset(reset) => {
            let Reset { kind, agent, reason, extra: _ } = &**reset;
            head.push(kind.name().to_owned());
            head.extend(agent.as_ref().map(|agent| format!("by {agent}")));
            page.block(reason);
        }
        Body::Edit(edit) => {
            let Edit { of, message } = &**edit;
            head.push(format!("of entry {of}"));
            of_message(message, head, page);
        }
        Body::Popped(Popped { at, hash: _, body }) => {
            head.push(format!("popped {}, was: {}", to_second(*at), EntryKind::of(body).name()));
            of_body(body, shown, more, head, page);
        }
        Body::Unreadable => head.push("cannot be read: it is damaged in the database".to_owned()),
        Body::Erased(Erased { at, hash }) => {
            let hash: String = BlobHash::new(*hash).to_string().chars().take(HASH).collect();
            head.push(format!("erased {}, was {hash}…", to_second(*at)));
        }
    }
}

fn of_message(message: &Message, head: &mut Vec<String>, page: &mut Page) {
    let Message { said, agent, interim, attachments, extra: _, edited } = message;
    head.push(said.role().name().to_owned());
    head.extend(interim.then(|| "on the way".to_owned()));
    head.extend(edited.map(|edit| format!("edited by entry {edit}")));
    head.extend(agent.as_ref().map(|agent| format!("by {agent}")));
    said::message(said, page);
    attachments.iter().for_each(|attachment| page.field("attachment", &of_attachment(attachment)));
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Inbound => "inbound",
        Direction::Outbound(delivery) => match delivery_name(delivery) {
            "sent" => "outbound",
            name => name,
        },
    }
}

fn of_mail(mail: &Mail, more: bool, page: &mut Page) {
    let lists = [("From", &mail.from), ("To", &mail.to), ("Cc", &mail.cc)];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        page.field(name, &list.iter().map(Address::to_string).collect::<Vec<_>>().join(", "));
    }
    let date = mail.date.map(to_second);
    let id = mail.message_id.as_ref().map(ToString::to_string);
    let fields = [("Date", date.as_deref()), ("Subject", mail.subject.as_deref()), ("Message-ID", id.as_deref())];
    fields.into_iter().filter_map(|(name, value)| Some((name, value?))).for_each(|(name, value)| page.field(name, value));
    if let Some(body) = mail.body.as_deref().filter(|body| !body.trim().is_empty()) {
        page.gap();
        page.block(body);
        if more || !mail.attachments.is_empty() {
            page.gap();
        }
    }
    mail.attachments.iter().for_each(|attachment| page.field("attachment", &of_attachment(attachment)));
}

fn of_attachment(attachment: &Attachment) -> String {
    let Attachment { id, filename, media_type, size, inline } = attachment;
    let size = size.map_or_else(|| "unknown size".to_owned(), |size| counted(size, "byte"));
    let inline = if *inline { ", inline" } else { "" };
    format!("{id} ({size}{inline})  {media_type}  {}", filename.as_deref().unwrap_or("unnamed"))
}

/// The run of a round or an outcome, and the number of the round in it.
fn run(shown: &Logged) -> Option<String> {
    let (Run { id, cause, persona: _, thread: _ }, round) = shown.run.as_ref()?;
    let cause = match cause {
        Cause::Message(entry) => format!("answers entry {entry}"),
        Cause::Responsibility(name) => format!("responsibility {name}"),
    };
    Some(format!("round {round} of run {id}, {cause}"))
}

fn of_card(card: &Card, page: &mut Page) {
    let Card { run, call, action, language, preview, fingerprint, expires } = card;
    page.field(&format!("action ({})", safe(language)), action);
    page.field("preview", "");
    page.block(preview);
    said::call(call, page);
    page.field("fingerprint", fingerprint);
    if let Some(run) = run {
        page.field("run", run.as_str());
    }
    if let Some(expires) = expires {
        page.field("expires", &to_second(*expires));
    }
}
