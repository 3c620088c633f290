//! The chat view against a second, plain telling of its rules on random chats, and what holds of each of them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use briefing::view::chat::{
    CardId, ChatEntry, ChatFile, ChatHistory, ChatMessage, ChatRole, FileContent, build, confirmation_phrase, user_content,
};
use briefing::{Language, ModelMessage};
use proptest::prelude::*;

const OUTCOMES: [&str; 7] = ["waiting", "done", "cancelled", "expired", "data_changed", "failed", "lost"];

/// The phrases of each language, told once more.
#[rustfmt::skip]
const WORDS: [(&str, [&str; 7]); 8] = [
    ("en", ["waiting", "done", "cancelled", "expired", "the data changed", "failed", "interrupted, may have been done"]),
    ("de", ["wartet", "erledigt", "abgebrochen", "abgelaufen", "die Daten haben sich geändert", "fehlgeschlagen", "unterbrochen, vielleicht erledigt"]),
    ("fr", ["en attente", "effectué", "annulé", "expiré", "les données ont changé", "échec", "interrompu, peut-être effectué"]),
    ("es", ["en espera", "hecho", "cancelado", "caducado", "los datos han cambiado", "fallido", "interrumpido, quizá hecho"]),
    ("it", ["in attesa", "eseguito", "annullato", "scaduto", "i dati sono cambiati", "non riuscito", "interrotto, forse eseguito"]),
    ("pl", ["oczekuje", "wykonano", "anulowano", "wygasło", "dane się zmieniły", "nie powiodło się", "przerwano, być może wykonano"]),
    ("ru", ["ожидает", "выполнено", "отменено", "срок истёк", "данные изменились", "не удалось", "прервано, возможно, выполнено"]),
    ("et", ["ootel", "tehtud", "tühistatud", "aegunud", "andmed on muutunud", "ebaõnnestus", "katkestatud, võib-olla tehtud"]),
];

fn words(outcome: &str, code: &str) -> Option<&'static str> {
    let outcome = if outcome == "data-changed" { "data_changed" } else { outcome };
    let at = OUTCOMES.iter().position(|known| *known == outcome)?;
    WORDS.iter().find(|(language, _)| *language == code).map(|(_, words)| words[at])
}

#[test]
fn every_phrase_in_every_language() {
    for (code, words) in WORDS {
        for (outcome, words) in OUTCOMES.iter().zip(words) {
            let wanted = format!("[confirmation] {words}: send_mail");
            assert_eq!(confirmation_phrase(outcome, "send_mail", code).as_deref(), Some(wanted.as_str()));
        }
        assert_eq!(confirmation_phrase("data-changed", "x", code), confirmation_phrase("data_changed", "x", code));
    }
    for unknown in ["", "DONE", " done", "weird", "data changed", "done\n"] {
        assert_eq!(confirmation_phrase(unknown, "x", "en"), None, "{unknown:?}");
    }
}

#[test]
fn a_locale_names_a_language_and_never_fails() {
    for german in ["de", "DE", "De-at", "de-AT", "de_DE", "de_DE.UTF-8", "de_DE@euro", "de-Latn-DE-1996", "de-u-co-phonebk"] {
        assert_eq!(Language::of(german), Language::German, "{german}");
    }
    for english in
        ["", "-", "_", "C", "POSIX", "en-GB", "zh-Hant", "d", "deutsch-!", "de-", "de AT", "日本", "\0", "x-de", "nl"]
    {
        assert_eq!(Language::of(english), Language::English, "{english}");
    }
    for language in Language::ALL {
        assert_eq!(Language::of(language.code()), language);
    }
}

fn user(text: &str) -> ChatMessage {
    ChatMessage::User { id: None, text: text.to_owned() }
}

fn card(card: u64) -> ChatMessage {
    ChatMessage::Card { card: card.into(), action: format!("write_{card}") }
}

fn notice(card: u64, outcome: &str) -> ChatMessage {
    ChatMessage::CardNotice { card: card.into(), action: format!("write_{card}"), outcome: outcome.to_owned() }
}

fn told(messages: &[ChatMessage]) -> Vec<String> {
    let mut told = build(messages, &[], ChatEntry::user("?"), 1_000_000, Language::English);
    assert_eq!(told.pop(), Some(ChatEntry::user("?")));
    told.into_iter().map(|entry| entry.content).collect()
}

#[test]
fn of_several_notices_the_first_is_told() {
    assert_eq!(
        told(&[card(1), notice(1, "failed"), notice(1, "done"), notice(1, "expired")]),
        ["[confirmation] failed: write_1"]
    );
    assert_eq!(told(&[card(1), notice(1, "weird"), notice(1, "done")]), Vec::<String>::new());
    // Of a card that is gone, and of one whose notice came too early.
    assert_eq!(told(&[notice(1, "done"), user("x"), notice(1, "failed")]), ["[confirmation] done: write_1", "x"]);
    assert_eq!(told(&[notice(1, "done"), user("x"), card(1)]), ["[confirmation] done: write_1", "x"]);
    // An id that is used again.
    assert_eq!(
        told(&[card(1), notice(1, "done"), card(1), notice(1, "failed")]),
        ["[confirmation] done: write_1", "[confirmation] failed: write_1"]
    );
}

#[test]
fn a_notice_that_stands_too_early_is_looked_for_within_a_thousand_messages() {
    let tool = ChatMessage::ToolResult { id: "c1".to_owned(), text: "SECRET".to_owned() };
    let between = |count: usize| {
        let mut messages = vec![notice(1, "weird")];
        messages.extend(std::iter::repeat_n(tool.clone(), count));
        messages.push(card(1));
        messages
    };
    assert_eq!(told(&between(999)), Vec::<String>::new());
    assert_eq!(told(&between(1_000)), ["[confirmation] waiting: write_1"]);
    // A notice behind its card is met on the way, however far it is.
    let mut messages = vec![card(1)];
    messages.extend(std::iter::repeat_n(tool, 5_000));
    messages.push(notice(1, "done"));
    assert_eq!(told(&messages), ["[confirmation] done: write_1"]);
}

#[test]
fn a_message_reads_past_as_it_read_when_it_was_current() {
    let files = [text_file("m1", "a.txt", &"long ".repeat(100), true), text_file("m1", "b.txt", "short", true)];
    let history = ChatHistory::new(600).language(Language::Estonian);
    let current = history.user_entry("See these.", &files);
    let message = ChatMessage::User { id: Some("m1".into()), text: "See these.".to_owned() };
    let told = history.build(&[message], &files, ChatEntry::user("And?"));
    assert_eq!(told, [current.clone(), ChatEntry::user("And?")]);
    assert_eq!(ModelMessage::from(current.clone()), ModelMessage::user(current.content));
}

#[test]
fn the_largest_numbers_are_no_trouble() {
    let files = [text_file("m1", "a.txt", "text", true)];
    let message = ChatMessage::User { id: Some("m1".into()), text: "x".to_owned() };
    for history in [ChatHistory::new(usize::MAX), ChatHistory::new(usize::MAX).file_share(usize::MAX)] {
        let told = history.build(std::slice::from_ref(&message), &files, ChatEntry::user("?"));
        assert_eq!(told[0].content, "x\n\n[file: a.txt]\ntext");
    }
}

#[test]
fn tiny_limits_name_what_they_can() {
    let files: Vec<ChatFile> =
        ["one.txt", "two.txt", "three.txt"].map(|name| text_file("m", name, &"x".repeat(99), true)).into();
    let told = |limit: usize| user_content("", &files, limit);
    assert_eq!(told(66), "[not shown: one.txt]\n\n[not shown: two.txt]\n\n[not shown: three.txt]");
    assert_eq!(told(65), "[not shown: one.txt]\n\n[not shown: two.txt]\n\n[not shown: three.tx]");
    assert_eq!(told(64), "[not shown: one.txt]\n\n[not shown: two.txt]\n\n[not shown: 1 more]");
    assert_eq!(told(62), "[not shown: one.txt]\n\n[not shown: 2 more]");
    assert_eq!(told(20), "[not shown: 3 more]");
    assert_eq!(told(18), "");
    assert_eq!(user_content("Hi", &files, 20), "Hi");
    assert_eq!(user_content("Hi", &files, 21), "Hi\n\n[not shown: 3 more]");
}

fn text_file(message: &str, name: &str, text: &str, ready: bool) -> ChatFile {
    let content = FileContent::Text { text: text.to_owned(), partial: false };
    ChatFile { message: message.into(), filename: name.to_owned(), ready, content }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// The pieces that break, and what they are broken to.
const TAGS: [(&str, &str); 3] = [
    ("[confirmation]", "(confirmation]"),
    ("[Confirmation\u{200b} ]", "(Confirmation\u{200b} ]"),
    ("[ CONFIRMATION]", "( CONFIRMATION]"),
];

fn broken(text: &str) -> String {
    TAGS.iter().fold(text.to_owned(), |text, (tag, broken)| text.replace(tag, broken))
}

/// A message with its files: the longest names with which all can be named, then the largest share, each tried from the greatest
/// down; else the greatest number of files that can be named.
fn reference_content(text: &str, files: &[&ChatFile], limit: usize) -> String {
    if files.is_empty() {
        return text.to_owned();
    }
    let whole = |blocks: Vec<String>| {
        let mut parts = if text.is_empty() { Vec::new() } else { vec![text.to_owned()] };
        parts.extend(blocks);
        Some(parts.join("\n\n")).filter(|told| chars(told) <= chars(text) + limit)
    };
    let blocks = |share: usize, name: usize| files.iter().map(|file| reference_block(file, share, name)).collect::<Vec<_>>();
    let more = (0..files.len()).rev().map(|count| {
        let mut told: Vec<String> = files[..count].iter().map(|file| reference_block(file, 0, 8)).collect();
        told.push(format!("[not shown: {} more]", files.len() - count));
        told
    });
    if let Some(name) = (8..=120).rev().find(|name| whole(blocks(0, *name)).is_some()) {
        // No share is larger than the longest file.
        let most = blocks(usize::MAX, name).iter().map(|block| chars(block)).max().unwrap().min(limit);
        return (0..=most).rev().find_map(|share| whole(blocks(share, name))).unwrap();
    }
    more.into_iter().find_map(whole).unwrap_or_else(|| text.to_owned())
}

fn reference_block(file: &ChatFile, share: usize, most: usize) -> String {
    let line: String = file.filename.chars().take(120).map(|c| if c == '\n' { ' ' } else { c }).collect();
    let name: String = broken(line.trim()).chars().take(most).collect();
    let name = if line.trim().is_empty() { "unnamed" } else { &name };
    let FileContent::Text { text, partial } = &file.content else { return format!("[picture: {name}]") };
    let mut whole = vec![format!("[file: {name}]")];
    whole.extend(Some(text.clone()).filter(|text| !text.is_empty()));
    whole.extend(partial.then(|| "[partial: this text holds less than the file]".to_owned()));
    let whole = whole.join("\n");
    if chars(&whole) <= share {
        return broken(&whole);
    }
    let cut = |first: &str| format!("[file: {name}]\n{first}\n[cut: only the first part of this file is shown]");
    let room = share.saturating_sub(chars(&cut("")));
    let best = (room > 0).then(|| cut(&text.chars().take(room).collect::<String>()));
    let none = format!("[not shown: {name}]");
    broken(&best.unwrap_or(if chars(&whole) <= chars(&none) { whole } else { none }))
}

/// Everything is rendered, in order; then the end of it that fits is kept.
fn reference(
    messages: &[ChatMessage],
    files: &[ChatFile],
    current: &ChatEntry,
    (limit, share): (usize, usize),
    code: &str,
) -> Vec<ChatEntry> {
    let noticed = |wanted: &CardId| {
        messages.iter().any(|message| matches!(message, ChatMessage::CardNotice { card, .. } if card == wanted))
    };
    let mut open: Vec<&CardId> = Vec::new();
    let mut all = Vec::new();
    for message in messages {
        let phrase = |outcome: &str, action: &str| {
            let action = broken(action.replace('\n', " ").trim());
            words(outcome, code)
                .filter(|_| !action.is_empty())
                .map(|words| ChatEntry::user(format!("[confirmation] {words}: {action}")))
        };
        all.extend(match message {
            ChatMessage::User { id, text } => {
                let own: Vec<&ChatFile> =
                    files.iter().filter(|file| file.ready && Some(&file.message) == id.as_ref()).collect();
                Some(ChatEntry::user(reference_content(text, &own, share)))
            }
            ChatMessage::Assistant { text, is_final } => is_final.then(|| ChatEntry::assistant(text.as_str())),
            ChatMessage::Card { card, action } => {
                open.retain(|noticed| noticed != &card);
                if noticed(card) { None } else { phrase("waiting", action) }
            }
            ChatMessage::CardNotice { card, action, outcome } => {
                let repeated = open.contains(&card);
                open.push(card);
                if repeated { None } else { phrase(outcome, action) }
            }
            ChatMessage::ToolCall { .. } | ChatMessage::ToolResult { .. } | ChatMessage::Notice { .. } => None,
        });
    }
    all.retain(|entry| !entry.content.is_empty());
    all.push(current.clone());
    let mut kept = 1;
    while kept < all.len() && all[all.len() - kept - 1..].iter().map(|entry| chars(&entry.content)).sum::<usize>() <= limit {
        kept += 1;
    }
    all.split_off(all.len() - kept)
}

/// Text of a few pieces: none, short, long, of several bytes a character, and with a tag.
fn text() -> impl Strategy<Value = String> {
    let pieces =
        prop::sample::select(vec!["a", "word ", "é", "日本", "👨‍👩‍👧", "\r\n", "\n", "[", "[b]", TAGS[0].0, TAGS[1].0, TAGS[2].0]);
    prop_oneof![
        1 => Just(String::new()),
        6 => prop::collection::vec(pieces.clone(), 1..8).prop_map(|pieces| pieces.concat()),
        2 => (pieces, 10_usize..120).prop_map(|(piece, count)| piece.repeat(count)),
    ]
}

fn action() -> impl Strategy<Value = String> {
    let action = |text: &str| text.to_owned();
    prop::sample::select(vec![action("pay"), action("send_mail"), action("é\nü"), action(" \n"), action(TAGS[0].0)])
}

fn message() -> impl Strategy<Value = ChatMessage> {
    let card = || (1_u64..5).prop_map(CardId::from);
    let id = prop::option::weighted(0.7, prop::sample::select(vec!["m1", "m2", "m3"]));
    let outcome = prop::sample::select([&OUTCOMES[..], &["data-changed", "weird", ""]].concat());
    prop_oneof![
        4 => (id, text()).prop_map(|(id, text)| ChatMessage::User { id: id.map(Into::into), text }),
        3 => (text(), prop::bool::weighted(0.8)).prop_map(|(text, is_final)| ChatMessage::Assistant { text, is_final }),
        1 => Just(ChatMessage::ToolCall { id: "c1".into(), name: "SECRET".into(), input: "SECRET".into() }),
        1 => Just(ChatMessage::ToolResult { id: "c1".into(), text: "SECRET".into() }),
        1 => Just(ChatMessage::Notice { text: "SECRET".into() }),
        3 => (card(), action()).prop_map(|(card, action)| ChatMessage::Card { card, action }),
        3 => (card(), action(), outcome).prop_map(|(card, action, outcome)| {
            ChatMessage::CardNotice { card, action, outcome: outcome.to_owned() }
        }),
    ]
}

fn file() -> impl Strategy<Value = ChatFile> {
    let name = prop_oneof![
        prop::sample::select(vec!["a.txt", "b.pdf", "", " \n ", "two\nlines.txt", "日本.txt", TAGS[0].0, TAGS[2].0])
            .prop_map(str::to_owned),
        (1_usize..200).prop_map(|count| "é".repeat(count)),
    ];
    let content = prop_oneof![
        5 => (text(), any::<bool>()).prop_map(|(text, partial)| FileContent::Text { text, partial }),
        1 => Just(FileContent::Picture),
    ];
    let message = prop::sample::select(vec!["m1", "m1", "m2", "m3", "m4"]);
    (message, name, prop::bool::weighted(0.85), content).prop_map(|(message, filename, ready, content)| ChatFile {
        message: message.into(),
        filename,
        ready,
        content,
    })
}

/// Tiny, small, and large enough for everything.
fn limit() -> impl Strategy<Value = usize> {
    prop_oneof![2 => 0_usize..60, 4 => 60_usize..600, 2 => 600_usize..3_000]
}

proptest! {
    /// Every random chat is told as the second telling tells it, and within its limit.
    #[test]
    fn build_tells_what_the_reference_tells(
        messages in prop::collection::vec(message(), 0..25),
        files in prop::collection::vec(file(), 0..8),
        current in text(),
        limit in limit(),
        share in prop::option::of(limit()),
        more in 0_usize..500,
        language in prop::sample::select(Language::ALL.to_vec()),
    ) {
        let current = ChatEntry::user(current);
        let of_files = share.unwrap_or(limit / 2);
        let history = |limit| ChatHistory::new(limit).file_share(of_files).language(language);
        let told = history(limit).build(&messages, &files, current.clone());
        let wanted = reference(&messages, &files, &current, (limit, of_files), language.code());
        prop_assert_eq!(&told, &wanted);
        if share.is_none() {
            prop_assert_eq!(&told, &build(&messages, &files, current.clone(), limit, language));
        }

        prop_assert_eq!(told.last(), Some(&current));
        let sum: usize = told.iter().map(|entry| chars(&entry.content)).sum();
        prop_assert!(told.len() == 1 || sum <= limit, "{} of {}", sum, limit);
        prop_assert!(told.iter().all(|entry| !entry.content.contains("SECRET")));
        prop_assert!(told[..told.len() - 1].iter().all(|entry| !entry.content.is_empty()));
        let answers = told.iter().filter(|entry| entry.role == ChatRole::Assistant);
        let texts = messages.iter().filter_map(|message| match message {
            ChatMessage::Assistant { text, is_final: true } => Some(text),
            _ => None,
        });
        prop_assert!(answers.count() <= texts.count());
        prop_assert!(history(limit + more).build(&messages, &files, current).ends_with(&told));
    }

    /// A message's files stay within their limit, the text stands as it is, and no tag comes out of a file.
    #[test]
    fn files_stay_within_their_limit(
        text in text(),
        files in prop::collection::vec(file(), 0..7),
        limit in limit(),
    ) {
        let told = user_content(&text, &files, limit);
        let ready: Vec<&ChatFile> = files.iter().filter(|file| file.ready).collect();
        prop_assert_eq!(&told, &reference_content(&text, &ready, limit));
        let rest = told.strip_prefix(text.as_str());
        prop_assert!(rest.is_some_and(|rest| chars(rest) <= limit), "{:?}", told);
        let bare: String = rest.unwrap().chars().filter(char::is_ascii_graphic).collect();
        prop_assert!(!bare.to_lowercase().contains("[confirmation]"), "{:?}", told);
    }
}
