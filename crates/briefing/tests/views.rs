//! What each option of a view does, one at a time, over a log in memory.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::Arc;

use briefing::log::{
    Arrival, Attachment, AttachmentId, Card, Cause, Entry, MemoryLog, Message, OwnerLog, Reset, ResetKind, Run, Settled,
};
use briefing::message::{
    Assistant, EntryId, Extra, Item, Media, MediaSource, ModelMessage, Native, Outcome, OwnerId, Part, RawJson, Reasoning,
    RunId, Text, ThreadId, ToolCall, User,
};
use briefing::persona::Role;
use briefing::ports::FileText;
use briefing::view::{Filter, HistoryView, Redactor, Replay, referred};
use briefing::{
    Bounds, Briefing, Call, Chain, Context, Edge, Inbound, Line, Origin, Persona, PrefixChange, Rule, Subject, ThreadHistory,
    Wire,
};
use jiff::Timestamp;

struct Desk {
    log: OwnerLog,
    thread: ThreadId,
    second: i64,
}

impl Desk {
    fn new() -> Self {
        let log = MemoryLog::default().owner(&OwnerId::default());
        let thread = log.new_thread();
        Self { log, thread, second: 0 }
    }

    fn now(&mut self) -> Timestamp {
        self.second += 1;
        Timestamp::from_second(self.second).unwrap()
    }

    fn say(&mut self, message: impl Into<Message>) -> Arc<Entry> {
        let live = Arrival::Live(self.now());
        self.log.append_message(self.thread, message.into(), live).unwrap()
    }

    fn user(&mut self, text: &str) -> Arc<Entry> {
        self.say(ModelMessage::user(text))
    }

    fn answer(&mut self, text: &str) -> Arc<Entry> {
        self.say(ModelMessage::assistant(text))
    }

    fn card(&mut self, language: &str) -> Arc<Entry> {
        let card = Card {
            run: None,
            call: ToolCall::new("c1", "send_email", "{}"),
            action: "send_email".to_owned(),
            language: language.to_owned(),
            preview: "To Ann".to_owned(),
            fingerprint: String::new(),
            expires: None,
        };
        let live = Arrival::Live(self.now());
        self.log.append_card(self.thread, card, live).unwrap()
    }

    fn round(&mut self, answers: &Entry, outcome: &str) -> EntryId {
        let (run, now) = (RunId::new("run"), self.now());
        let cause = Cause::Message(answers.id);
        self.log.begin_run(Run { id: run.clone(), thread: self.thread, cause, persona: "a@x.example".into() }).unwrap();
        let call = ToolCall::new("c1", "find_order", r#"{"number":7}"#);
        let said = Assistant { items: vec![Item::Text(Text::new("Let me look.")), Item::Call(call)], ..Assistant::default() };
        self.log.append_round(&run, 0, said, now).unwrap();
        self.log.append_outcome(&run, Outcome::text("c1", outcome), now).unwrap()
    }

    fn brief(&self, view: &HistoryView, current: &Arc<Entry>) -> Briefing {
        let view = view.clone();
        let chain = Chain::new().with(move || ThreadHistory::new(view.clone()));
        let persona = Persona::new(&Role::new().message(chain.clone()), "sales", "a@x.example").unwrap();
        let inbound = Inbound::new(Arc::clone(current), self.thread).unwrap();
        let ports = Arc::new(self.log.clone());
        let cx = Context::new(Arc::new(persona), Subject::Message(inbound), Timestamp::UNIX_EPOCH, ports.clone(), ports);
        pollster::block_on(chain.assemble(&cx, &Call::model("gpt-5", None), &Bounds::none())).unwrap()
    }

    fn told(&self, view: &HistoryView, current: &Arc<Entry>) -> Vec<String> {
        self.brief(view, current).messages().map(|message| message.text()).collect()
    }
}

fn line(entry: EntryId, rule: Rule) -> Line {
    Line { from: Origin::Entries(vec![entry]), rule }
}

#[test]
fn nothing_before_the_last_reset_is_told_whoever_wrote_it() {
    let mut desk = Desk::new();
    desk.say(Message::from(ModelMessage::system("old rules")).by("sales"));
    desk.user("before");
    let card = desk.card("en");
    let live = Arrival::Live(desk.now());
    let reset = Reset {
        kind: ResetKind::Rescue,
        agent: Some("triage".into()),
        reason: "broke".to_owned(),
        extra: serde_json::Map::new(),
    };
    desk.log.append_reset(desk.thread, reset, live).unwrap();
    desk.user("after");
    let current = desk.user("now");
    for view in [HistoryView::mail(), HistoryView::swarm("sales"), HistoryView::chat()] {
        assert_eq!(desk.told(&view, &current), ["after", "now"], "{view}");
    }
    // The reset is popped: what stood before it is told again.
    desk.log.pop(desk.thread, Timestamp::MAX).unwrap();
    desk.log.pop(desk.thread, Timestamp::MAX).unwrap();
    desk.log.pop(desk.thread, Timestamp::MAX).unwrap();
    let current = desk.user("again");
    let waits = "[confirmation] waiting: send_email";
    assert_eq!(desk.told(&HistoryView::swarm("sales"), &current), ["old rules", "before", waits, "again"]);
    assert_eq!(desk.log.entry(card.id), Some(card));
}

#[test]
fn an_edited_message_reads_anew_at_its_old_place() {
    let mut desk = Desk::new();
    let first = desk.user("Where is order 7?");
    desk.answer("It left.");
    let edit = desk.log.edit(first.id, ModelMessage::user("Where is order 8?").into(), Timestamp::MAX).unwrap();
    let current = desk.user("And?");
    assert_eq!(desk.told(&HistoryView::chat(), &current), ["Where is order 8?", "It left.", "And?"]);
    assert_eq!(desk.log.entry(first.id).unwrap().message().unwrap().edited, Some(edit.id));
}

#[test]
fn outcomes_are_told_whole_cut_cleared_or_not_at_all() {
    let mut desk = Desk::new();
    let first = desk.user("Where is order 7?");
    let outcome = desk.round(&first, &"word ".repeat(100));
    desk.answer("It left.");
    let current = desk.user("And?");
    let told = |replay| desk.told(&HistoryView::chat().replay(replay), &current);
    assert_eq!(told(Replay::LeftOut), ["Where is order 7?", "It left.", "And?"]);
    assert_eq!(told(Replay::Whole)[1..3], ["Let me look.".to_owned(), "word ".repeat(100)]);
    assert_eq!(told(Replay::Cut(50))[2], "word word word word \n[cut: 500 characters in full]");
    let cleared = told(Replay::Cleared).remove(2);
    assert_eq!(cleared, format!("[outcome left out to save room: outcome:{outcome}]"));
    // What the line names can be fetched, by what a model makes of it.
    let view = HistoryView::chat().replay(Replay::Cleared);
    let briefing = desk.brief(&view, &current);
    let fetch = |briefing: &Briefing, reference: &str| {
        pollster::block_on(referred(&desk.log, briefing.receipt(), reference))
            .unwrap()
            .map(|fetched| ModelMessage::Tool(fetched).text())
    };
    for reference in [cleared, format!("outcome:{outcome}")] {
        assert_eq!(fetch(&briefing, &reference), Some("word ".repeat(100)));
    }
    for nothing in ["", "outcome:", "outcome:x", "outcome:0", "outcome:99999999999999999999"] {
        assert_eq!(fetch(&briefing, nothing), None, "{nothing}");
    }
    // A model cannot read what its request did not name, whoever asks it to.
    let other = desk.brief(&HistoryView::chat(), &current);
    assert_eq!(fetch(&other, &format!("outcome:{outcome}")), None);
}

#[test]
fn a_filter_leaves_out_and_one_that_fails_keeps() {
    let mut desk = Desk::new();
    let first = desk.user("secret");
    let second = desk.user("plain");
    let current = desk.user("now");
    let filter = Filter::new(|entry: &Entry| match entry.message().unwrap().said.text().as_str() {
        "secret" => Ok(false),
        "plain" => Err("cannot tell"),
        _ => Ok(true),
    });
    let briefing = desk.brief(&HistoryView::chat().filter(filter), &current);
    assert_eq!(briefing.messages().map(|message| message.text()).collect::<Vec<_>>(), ["plain", "now"]);
    let lines = [line(second.id, Rule::FilterFailed { error: "cannot tell".to_owned() }), line(first.id, Rule::Filtered)];
    assert_eq!(briefing.receipt().lines(), lines);
}

#[test]
fn what_is_hidden_is_hidden_in_history_run_and_current_message() {
    let mut desk = Desk::new();
    let first = desk.user("My account is DE02.");
    desk.round(&first, "DE02 holds 5 EUR");
    let current = desk.user("Is DE02 right?");
    let view = HistoryView::mail().redact(Redactor::texts(["DE02"]));
    let briefing = desk.brief(&view, &current);
    let texts: Vec<String> = briefing.messages().map(|message| message.text()).collect();
    assert_eq!(texts, ["My account is [redacted].", "Let me look.", "[redacted] holds 5 EUR", "Is [redacted] right?"]);
    let hidden = briefing.receipt().lines().iter().filter(|line| line.rule == Rule::Redacted { places: 1 });
    assert_eq!(hidden.count(), 3);
    assert_eq!(desk.log.entry(first.id).unwrap().message().unwrap().said.text(), "My account is DE02.");
}

#[test]
fn hiding_reaches_into_arguments_however_they_are_escaped() {
    let redactor = Redactor::texts(["DE02"]);
    let call = ToolCall::new("c", "pay", r#"{"to":"\u0044E02","DE02":[1,{"deep":"xDE02x"}]}"#);
    let (hidden, places) = redactor.message(&ModelMessage::calls([call]));
    let ModelMessage::Assistant(said) = hidden else { panic!("{hidden:?}") };
    let input = said.calls().next().unwrap().input.raw().to_owned();
    assert_eq!((input.as_str(), places), (r#"{"to":"[redacted]","[redacted]":[1,{"deep":"x[redacted]x"}]}"#, 1));
    let plain = ModelMessage::user("nothing to hide");
    assert_eq!(redactor.message(&plain), (plain, 0));
}

#[test]
fn reasoning_in_a_row_goes_together_and_takes_along_what_names_it() {
    let wire = Wire::OpenAiResponses;
    let raw = |json: &str| RawJson::new(json).unwrap();
    let thought = |id: &str, text: &str| {
        let raw = raw(&format!(r#"{{"type":"reasoning","id":"{id}","summary":[{{"type":"summary_text","text":"{text}"}}]}}"#));
        Item::Reasoning(Reasoning { wire, kind: "reasoning".into(), raw })
    };
    let named = |id: &str| Extra::new(wire, vec![("id".into(), raw(&format!("\"{id}\"")))]);
    let call = |extra: Extra| Item::Call(ToolCall { extra, ..ToolCall::new("c", "f", "{}") });
    let search = |id: &str, query: &str| {
        let raw = raw(&format!(r#"{{"type":"web_search_call","{id}":"ws","action":{{"query":"{query}"}}}}"#));
        Item::Native(Native { wire, kind: "web_search_call".into(), raw, reads_as: None, needs: None })
    };
    let gone = || Item::Text(Text::new("[redacted]"));
    let redactor = Redactor::texts(["4711"]);
    let hidden = |items: Vec<Item>| {
        let said = Assistant { items, ..Assistant::default() };
        let (hidden, places) = redactor.message(&ModelMessage::Assistant(Arc::new(said)));
        let ModelMessage::Assistant(said) = hidden else { panic!("{hidden:?}") };
        (said.items.clone(), places)
    };
    // Whichever of them holds it.
    for row in [["4711", "ok"], ["ok", "4711"]] {
        let [one, other] = row;
        let items = vec![thought("rs_1", one), thought("rs_2", other), call(named("fc_1"))];
        assert_eq!(hidden(items), (vec![call(Extra::default())], 2));
    }
    // A block of the provider's with an id becomes a text; one without goes on; and other reasoning leads to what is behind it.
    let items = vec![
        thought("rs_1", "4711"),
        search("id", "x"),
        search("no", "x"),
        call(named("fc_1")),
        thought("rs_2", "ok"),
        call(named("fc_2")),
    ];
    let left = vec![gone(), search("no", "x"), call(Extra::default()), thought("rs_2", "ok"), call(named("fc_2"))];
    assert_eq!(hidden(items), (left, 2));
    // What reasoning led to is hidden in its place.
    let items = vec![thought("rs_1", "ok"), search("id", "4711"), call(named("fc_1"))];
    assert_eq!(hidden(items), (vec![thought("rs_1", "ok"), gone(), call(named("fc_1"))], 1));
}

#[test]
fn hiding_looks_at_names_of_unknown_fields_and_at_ids_and_types_of_files() {
    let redactor = Redactor::texts(["4711"]);
    let extra = |name: &str| Extra::new(Wire::Gemini, vec![(name.into(), RawJson::new("1").unwrap())]);
    let user = |parts: Vec<Part>| ModelMessage::User(Arc::new(User { parts, extra: Extra::default() }));
    let text = |extra: Extra| Part::Text(Text { text: "hi".into(), extra });
    let file = |id: &str, media_type: &str, extra: Extra| {
        let source = MediaSource::File { wire: Wire::Gemini, id: id.into() };
        Part::Document(Media { source, media_type: media_type.into(), filename: None, extra })
    };
    let address = |url: &str| {
        let source = MediaSource::Url(url.into());
        Part::Image(Media { source, media_type: "image/png".into(), filename: None, extra: Extra::default() })
    };
    let pdf = "application/pdf";
    let given = user(vec![
        text(extra("x4711")),
        file("gs://bucket/4711.pdf", pdf, Extra::default()),
        file("gs://bucket/a.pdf", "application/4711", Extra::default()),
        file("gs://bucket/a.pdf", pdf, extra("4711")),
        address("https://x.example/4711.png"),
        file("gs://bucket/a.pdf", pdf, extra("known")),
    ]);
    let gone = || Part::text("[redacted]");
    let left = user(vec![
        text(Extra::default()),
        gone(),
        gone(),
        file("gs://bucket/a.pdf", pdf, Extra::default()),
        gone(),
        file("gs://bucket/a.pdf", pdf, extra("known")),
    ]);
    assert_eq!(redactor.message(&given), (left, 5));
}

#[test]
fn a_confirmation_begins_no_turn() {
    let mut desk = Desk::new();
    desk.user("Write to Ann.");
    desk.card("en");
    desk.answer("Please confirm.");
    let current = desk.user("Well?");
    let view = HistoryView::chat().messages(3).edge(Edge::Turn);
    // Neither the confirmation nor the answer begins a turn, so the window is the current message; the card is told in a note.
    assert_eq!(desk.told(&view, &current), ["[confirmation] waiting: send_email", "Well?"]);
    let last = desk.brief(&view, &current);
    assert_eq!(
        last.receipt().kept().iter().map(|kept| kept.class).collect::<Vec<_>>(),
        [briefing::Class::Pinned, briefing::Class::Current]
    );
    assert!(last.receipt().changes().contains(&PrefixChange::CardWaits));
}

#[test]
fn a_card_reads_in_the_language_of_its_person() {
    let mut desk = Desk::new();
    let card = desk.card("de-AT");
    let current = desk.user("Und?");
    assert_eq!(desk.told(&HistoryView::chat(), &current), ["[confirmation] wartet: send_email", "Und?"]);
    desk.log.settle(card.id, Settled::DataChanged, Timestamp::MAX).unwrap();
    // Its notice stands behind the message that is answered.
    let told = desk.told(&HistoryView::chat(), &current);
    assert_eq!(told, ["[confirmation] die Daten haben sich geändert: send_email", "Und?"]);
}

#[test]
fn a_message_that_says_nothing_is_still_answered() {
    let mut desk = Desk::new();
    desk.user("Hello.");
    desk.answer("Hi.");
    let file = |id: &str| Attachment {
        id: AttachmentId::new(id),
        filename: Some("a.pdf".to_owned()),
        media_type: "application/pdf".to_owned(),
        size: None,
        inline: false,
    };
    let current = desk.say(Message { attachments: vec![file("later")], ..ModelMessage::user(" ").into() });
    assert_eq!(desk.told(&HistoryView::chat(), &current), ["Hello.", "Hi.", "[no text]"]);
    desk.log.put_text(AttachmentId::new("later"), FileText { text: "ten pages".into(), partial: true });
    let partial = " \n\n[file: a.pdf]\nten pages\n[partial: this text holds less than the file]";
    assert_eq!(desk.told(&HistoryView::chat(), &current), ["Hello.", "Hi.", partial]);
}

#[test]
fn a_chat_tells_nothing_of_tools_of_the_provider() {
    let mut desk = Desk::new();
    let raw = |json: &str| RawJson::new(json).unwrap();
    let items = vec![
        Item::Reasoning(Reasoning { wire: Wire::Anthropic, kind: "thinking".into(), raw: raw(r#"{"thinking":"SECRET"}"#) }),
        Item::Text(Text::new("Three are left.")),
        Item::Native(Native {
            wire: Wire::Anthropic,
            kind: "mcp_tool_result".into(),
            raw: raw(r#"{"type":"mcp_tool_result","content":"SECRET"}"#),
            reads_as: Some("SECRET".to_owned()),
            needs: None,
        }),
    ];
    desk.user("How many?");
    let answer = desk.say(ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() })));
    let mut odd = Message::from(ModelMessage::user("SECRET of a function"));
    odd.extra.insert("role".to_owned(), "function".into());
    let odd = desk.say(odd);
    let current = desk.user("Thanks.");
    let briefing = desk.brief(&HistoryView::chat(), &current);
    let told = [ModelMessage::user("How many?"), ModelMessage::assistant("Three are left."), ModelMessage::user("Thanks.")];
    assert_eq!(briefing.messages().collect::<Vec<_>>(), told);
    assert_eq!(briefing.receipt().lines(), [line(odd.id, Rule::ToolUseLeftOut), line(answer.id, Rule::TextAlone)]);
}

#[test]
fn what_is_hidden_is_hidden_before_anything_is_cut() {
    let mut desk = Desk::new();
    let first = desk.user("Where is order 7?");
    desk.round(&first, &format!("{}DE02120300000000202051 and so on and so on", "x".repeat(15)));
    let file = Attachment {
        id: AttachmentId::new("f"),
        filename: Some("DE02120300000000202051.txt".to_owned()),
        media_type: "text/plain".to_owned(),
        size: None,
        inline: false,
    };
    desk.log.put_text(AttachmentId::new("f"), FileText { text: "yy DE02120300000000202051 zz".into(), partial: false });
    let current = desk.say(Message { attachments: vec![file], ..ModelMessage::user("12345678").into() });
    let redactor = Redactor::texts(["DE02120300000000202051", "12345678"]);
    let view = HistoryView::mail().replay(Replay::Cut(50)).file_chars(60).redact(redactor.clone());
    let told = desk.told(&view, &current).join("\n");
    assert!(!told.contains("DE0") && !told.contains("1234"), "{told}");
    let twice = r#"{"account":12345678,"a":"DE02120300000000202051","a":"x"}"#;
    let (hidden, _) = redactor.message(&ModelMessage::calls([ToolCall::new("c", "pay", twice)]));
    let ModelMessage::Assistant(said) = hidden else { panic!("{hidden:?}") };
    assert_eq!(said.calls().next().unwrap().input.raw(), r#"{"account":"[redacted]","a":"[redacted]","a":"x"}"#);
    // Everything else stays byte for byte; and JSON in a text is looked into.
    let big =
        ToolCall::new("c", "pay", r#"{"id": 98765432109876543210987, "e":1e2, "b":"Bob", "j":"{\"in\":\"J\\u00f6rg\"}"}"#);
    let (hidden, _) = Redactor::texts(["Bob", "Jörg"]).message(&ModelMessage::calls([big]));
    let ModelMessage::Assistant(said) = hidden else { panic!("{hidden:?}") };
    let told = r#"{"id": 98765432109876543210987, "e":1e2, "b":"[redacted]", "j":"{\"in\":\"[redacted]\"}"}"#;
    assert_eq!(said.calls().next().unwrap().input.raw(), told);
    // Texts that overlap are hidden together, in whatever order they are given.
    for texts in [["1234", "1234-5678"], ["1234-5678", "1234"], ["234-56", "1234-5"]] {
        let (hidden, _) = Redactor::texts(texts).message(&ModelMessage::user("card 1234-5678"));
        assert!(!hidden.text().contains('4'), "{}", hidden.text());
    }
}

#[test]
fn a_walk_in_vain_ends() {
    let mut desk = Desk::new();
    (0..50).for_each(|_| drop(desk.user("")));
    let current = desk.user("now");
    let briefing = desk.brief(&HistoryView::chat().visit_limit(10).page(4), &current);
    let limits = briefing.receipt().lines().iter().filter(|line| matches!(line.rule, Rule::VisitLimit { .. }));
    assert_eq!((briefing.messages().count(), limits.count()), (1, 1));
    // However large a limit is.
    assert_eq!(desk.told(&HistoryView::mail().limit(usize::MAX), &current), ["now"]);
}

#[test]
fn a_reset_stands_behind_everything_whatever_the_clock_says() {
    for arrival in [Arrival::Live, Arrival::Imported] {
        let mut desk = Desk::new();
        (0..5).for_each(|_| drop(desk.user("before")));
        let newest = desk.user("before").at;
        let reset = Reset { kind: ResetKind::Flush, agent: None, reason: String::new(), extra: serde_json::Map::new() };
        let reset = desk.log.append_reset(desk.thread, reset, arrival(Timestamp::UNIX_EPOCH)).unwrap();
        assert_eq!(reset.at, newest);
        let current = desk.user("now");
        assert_eq!(desk.told(&HistoryView::chat(), &current), ["now"]);
    }
}
