//! The chat view against the conformance cases, the project's own and those of the folder that `BRIEFING_CASES` names.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use briefing::Language;
use briefing::view::chat::{ChatEntry, ChatFile, ChatMessage, ChatRole, FileContent, build};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    view: String,
    name: String,
    #[serde(rename = "note")]
    _note: Option<String>,
    #[serde(rename = "exact")]
    _exact: Option<bool>,
    messages: Option<Vec<Message>>,
    attachments: Option<Vec<Attachment>>,
    current: Entry,
    limit: usize,
    expect: Value,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Message {
    User {
        text: Option<String>,
        id: Option<Id>,
    },
    Assistant {
        text: Option<String>,
        #[serde(rename = "final")]
        is_final: Option<bool>,
    },
    ToolCall {
        id: Option<Id>,
        name: Option<String>,
        input: Option<Value>,
    },
    ToolResult {
        id: Option<Id>,
        text: Option<String>,
    },
    Card {
        card: Id,
        action: Option<String>,
        #[serde(rename = "input")]
        _input: Option<Value>,
    },
    CardNotice {
        card: Id,
        action: Option<String>,
        outcome: Option<String>,
        #[serde(rename = "result")]
        _result: Option<Value>,
    },
    Notice {
        text: Option<String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attachment {
    message: Option<Id>,
    filename: Option<String>,
    ready: Option<bool>,
    text: Option<String>,
    partial: Option<bool>,
    picture: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    role: ChatRole,
    content: String,
}

impl From<Entry> for ChatEntry {
    fn from(Entry { role, content }: Entry) -> Self {
        Self { role, content }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Checks {
    count: Option<usize>,
    roles: Option<Vec<ChatRole>>,
    first_has: Option<Vec<String>>,
    first_runs_max: Option<BTreeMap<char, usize>>,
    first_runs_min: Option<BTreeMap<char, usize>>,
    first_longer_than_whole: Option<bool>,
}

/// An id of a case: a text or a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(u64),
}

impl Id {
    fn text(self) -> String {
        match self {
            Self::Text(id) => id,
            Self::Number(id) => id.to_string(),
        }
    }
}

impl From<Message> for ChatMessage {
    fn from(message: Message) -> Self {
        let id = |id: Option<Id>| id.map(Id::text).unwrap_or_default();
        match message {
            Message::User { text, id } => Self::User { id: id.map(|id| id.text().into()), text: text.unwrap_or_default() },
            Message::Assistant { text, is_final } => {
                Self::Assistant { text: text.unwrap_or_default(), is_final: is_final.unwrap_or_default() }
            }
            Message::ToolCall { id: call, name, input } => {
                let input = input.map(|input| input.to_string()).unwrap_or_default();
                Self::ToolCall { id: id(call), name: name.unwrap_or_default(), input }
            }
            Message::ToolResult { id: call, text } => Self::ToolResult { id: id(call), text: text.unwrap_or_default() },
            Message::Card { card, action, .. } => Self::Card { card: card.text().into(), action: action.unwrap_or_default() },
            Message::CardNotice { card, action, outcome, .. } => Self::CardNotice {
                card: card.text().into(),
                action: action.unwrap_or_default(),
                outcome: outcome.unwrap_or_default(),
            },
            Message::Notice { text } => Self::Notice { text: text.unwrap_or_default() },
        }
    }
}

impl Attachment {
    /// None for a file of no message.
    fn file(self) -> Option<ChatFile> {
        let content = if self.picture.unwrap_or_default() {
            FileContent::Picture
        } else {
            FileContent::Text { text: self.text.unwrap_or_default(), partial: self.partial.unwrap_or_default() }
        };
        Some(ChatFile {
            message: self.message?.text().into(),
            filename: self.filename.unwrap_or_default(),
            ready: self.ready.unwrap_or_default(),
            content,
        })
    }
}

#[test]
fn every_case_of_the_chat_view() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/chat");
    assert!(run_folder(&own) > 0, "no case in {}", own.display());
    if let Some(more) = std::env::var_os("BRIEFING_CASES").map(|folder| PathBuf::from(folder).join("chat"))
        && more.is_dir()
    {
        run_folder(&more);
    }
}

fn run_folder(folder: &Path) -> usize {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let failures: Vec<String> = files.iter().filter_map(|file| run_file(file).err()).collect();
    println!("{} cases from {}", files.len(), folder.display());
    assert!(failures.is_empty(), "{} of {} cases fail\n{}", failures.len(), files.len(), failures.join("\n"));
    files.len()
}

fn run_file(file: &Path) -> Result<(), String> {
    let at = |problem: String| format!("{}: {problem}", file.display());
    let text = std::fs::read_to_string(file).unwrap();
    let case: Case = serde_json::from_str(&text).map_err(|error| at(error.to_string()))?;
    if case.view != "chat" {
        return Err(at("not a case of the chat view".to_owned()));
    }
    let name = case.name.clone();
    run(case).map_err(|problem| at(format!("{name}: {problem}")))
}

fn run(case: Case) -> Result<(), String> {
    let messages: Vec<ChatMessage> = case.messages.into_iter().flatten().map(ChatMessage::from).collect();
    let files: Vec<ChatFile> = case.attachments.into_iter().flatten().filter_map(Attachment::file).collect();
    let current = ChatEntry::from(case.current);
    let told = build(&messages, &files, current.clone(), case.limit, Language::English);
    let refused = |error: serde_json::Error| error.to_string();
    if case.expect.is_array() {
        let wanted: Vec<Entry> = serde_json::from_value(case.expect).map_err(refused)?;
        let wanted: Vec<ChatEntry> = wanted.into_iter().map(ChatEntry::from).collect();
        return if told == wanted { Ok(()) } else { Err(format!("expected {wanted:#?}\n     got {told:#?}")) };
    }
    let checks: Checks = serde_json::from_value(case.expect).map_err(refused)?;
    let first = told.first().unwrap().content.as_str();
    let check = |right: bool, what: &str| if right { Ok(()) } else { Err(format!("{what}, but got {told:#?}")) };
    check(checks.count.is_none_or(|count| count == told.len()), &format!("count {:?}", checks.count))?;
    let roles: Vec<ChatRole> = told.iter().map(|entry| entry.role).collect();
    check(checks.roles.as_ref().is_none_or(|wanted| *wanted == roles), &format!("roles {:?}", checks.roles))?;
    for has in checks.first_has.iter().flatten() {
        check(first.contains(has.as_str()), &format!("{has:?} in the first"))?;
    }
    for (letter, most) in checks.first_runs_max.iter().flatten() {
        check(longest_run(first, *letter) <= *most, &format!("at most {most} {letter}"))?;
    }
    for (letter, least) in checks.first_runs_min.iter().flatten() {
        check(longest_run(first, *letter) >= *least, &format!("at least {least} {letter}"))?;
    }
    if let Some(wanted) = checks.first_longer_than_whole {
        let mut whole = files;
        for file in &mut whole {
            if let FileContent::Text { partial, .. } = &mut file.content {
                *partial = false;
            }
        }
        let whole = build(&messages, &whole, current, case.limit, Language::English);
        let longer = first.chars().count() > whole.first().unwrap().content.chars().count();
        check(longer == wanted, &format!("longer than whole: {wanted}"))?;
    }
    Ok(())
}

fn longest_run(text: &str, letter: char) -> usize {
    text.split(|c| c != letter).map(str::len).max().unwrap_or(0) / letter.len_utf8()
}
