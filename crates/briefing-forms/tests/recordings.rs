//! Lists that the libraries themselves wrote, of recorded answers and transcripts (`data/make.py`, `data/make.mjs`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use briefing::message::messages_to_json;
use briefing::{ModelMessage, Wire};
use briefing_forms::{Form, FormMessages, ReadChange, WriteChange, read, recognise, write};
use briefing_json::Document;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(data(name)).unwrap()
}

fn of(form: Form, text: &str) -> FormMessages {
    read(form, Document::parse(text).unwrap().root()).unwrap()
}

/// Every file with the form that it has.
fn files() -> Vec<(String, Form)> {
    let mut files = Vec::new();
    for folder in ["langchain", "vercel", "hand-made"] {
        for entry in fs::read_dir(data(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let form = match name.strip_suffix(".json").unwrap_or_default() {
                "" => continue,
                stem if stem.ends_with("-openai") => continue,
                stem if stem.ends_with("-ui") => Form::VercelUi,
                stem if stem.ends_with("-model") => Form::VercelModel,
                _ => Form::LangChain,
            };
            files.push((format!("{folder}/{name}"), form));
        }
    }
    files.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(files.len() > 40, "{files:?}");
    files
}

#[test]
fn each_form_is_told_by_what_the_library_wrote() {
    for (name, form) in files() {
        let text = text(&name);
        assert_eq!(recognise(Document::parse(&text).unwrap().root()), Some(form), "{name}");
        if !text.starts_with('[') {
            continue;
        }
        let state = format!(r#"{{"values": {{"messages": {text}}}}}"#);
        assert_eq!(recognise(Document::parse(&state).unwrap().root()), Some(form), "{name}");
        assert_eq!(of(form, &state).messages, of(form, &text).messages, "{name}");
    }
}

#[test]
fn what_is_read_is_written_and_read_the_same_in_its_form() {
    for (name, form) in files() {
        let first = of(form, &text(&name));
        let written = write(form, &first.messages);
        let lost: Vec<_> =
            written.findings.iter().filter(|found| !matches!(found.change, WriteChange::OutcomeAsJson { .. })).collect();
        assert!(lost.is_empty(), "{name}: {lost:?}");
        let again = of(form, &written.json);
        assert_eq!(again.messages, first.messages, "{name}\n{}", written.json);
        let told: Vec<_> =
            again.findings.iter().filter(|found| !matches!(found.change, ReadChange::UnknownBlock { .. })).collect();
        assert!(told.is_empty(), "{name}: {told:?}\n{}", written.json);
        assert_eq!(write(form, &again.messages), written, "{name}");
    }
}

#[test]
fn a_transcript_reads_the_same_however_langchain_keeps_it() {
    for id in ["airline-018", "airline-040"] {
        let original = text(&format!("langchain/{id}-openai.json"));
        let original = Document::parse(&original).unwrap();
        let original = briefing_wire::parse_messages(Wire::OpenAiChat, original.root()).unwrap().messages;
        for kept in ["dict", "dump"] {
            let read = of(Form::LangChain, &text(&format!("langchain/{id}-{kept}.json")));
            assert_eq!(bare(&read.messages), bare(&original), "{id}-{kept}");
        }
    }
}

/// Without the names of tools, which LangChain's messages keep and OpenAI Chat's outcomes hold as a field of their own.
fn bare(messages: &[ModelMessage]) -> Vec<serde_json::Value> {
    let mut out = Vec::new();
    for message in messages {
        let ModelMessage::Tool(outcome) = message else {
            out.push(serde_json::from_str(&messages_to_json([message])).unwrap());
            continue;
        };
        let mut outcome = (**outcome).clone();
        outcome.extra = briefing::message::Extra::default();
        out.push(serde_json::from_str(&messages_to_json([&ModelMessage::Tool(outcome.into())])).unwrap());
    }
    out
}

#[test]
fn a_user_interface_and_a_model_are_told_the_same() {
    let mut seen = 0;
    for (name, form) in files() {
        if form == Form::VercelUi && name.starts_with("vercel/") {
            let shown = of(form, &text(&name));
            let sent = of(Form::VercelModel, &text(&name.replace("-ui.json", "-model.json")));
            let told = |list: &FormMessages| messages_to_json(&list.messages);
            assert_eq!(told(&shown), told(&sent), "{name}");
            seen += 1;
        }
    }
    assert_eq!(seen, 9);
}

/// What each hand-made file, and some of the recorded, reads as: `UPDATE_GOLDEN=1` writes it anew.
#[test]
fn goldens() {
    let mut seen = 0;
    for (name, form) in files() {
        const RECORDED: [&str; 5] =
            ["anthropic_messages_pos_04", "pos_18-v0", "openai_responses_pos_01", "openai_responses_pos_07", "gemini_pos_07"];
        let kept = name.starts_with("hand-made/") || RECORDED.iter().any(|recorded| name.contains(recorded));
        if !kept {
            continue;
        }
        let read = of(form, &text(&name));
        let told: String = read.findings.iter().map(|finding| format!("{finding}\n")).collect();
        let is = format!("{}{told}", messages_to_json(&read.messages));
        let file = data("golden").join(name.replace('/', "-").replace(".json", ".txt"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(data("golden")).unwrap();
            fs::write(&file, &is).unwrap();
        }
        assert_eq!(is, fs::read_to_string(&file).unwrap(), "{name}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}
