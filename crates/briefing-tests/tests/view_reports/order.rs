//! Which role stands where: neighbours of one role, the ends of a list, system text in the middle.

use briefing::log::{Attachment, AttachmentId, Message};
use briefing::message::{EntryId, ModelMessage, ToolCall};
use briefing::view::{HistoryView, Reading};
use briefing::{Bound, Bounds, Briefing, Call, Edge, PrefixChange, Rule, fit, fit_contributions};
use briefing_tests::log::PERSONA;

use crate::desk::{AGENT, Desk, MAIL_TO, assert_told, chain_of, line, reads};

const VIEWS: [fn() -> HistoryView; 3] = [HistoryView::mail, HistoryView::chat, || HistoryView::swarm(AGENT)];

/// Neighbours stay apart where the provider takes them and become one message where it does not, with their files.
/// <https://github.com/etkecc/baibot/issues/13>
#[test]
fn b36_two_user_messages_in_a_row() {
    for view in VIEWS.map(|view| view()) {
        let mut desk = Desk::new();
        desk.user("Look at this.");
        let id = AttachmentId::new("cone");
        desk.log.put_file(id.clone(), &b"a cone"[..]);
        let filename = Some("cone.png".to_owned());
        let cone = Attachment { id, filename, media_type: "image/png".to_owned(), size: Some(6), inline: false };
        let said = Message::from(ModelMessage::user("What flavour is it?"));
        let current = desk.say(Message { attachments: vec![cone], ..said });
        let told = [
            "system: Be kind.",
            "user: Look at this.",
            "user: What flavour is it?\n\n[picture: cone.png] | <data:image/png;base64,YSBjb25l>",
        ];
        let mistral = [
            "system: Be kind.",
            "user: Look at this. | What flavour is it?\n\n[picture: cone.png] | <data:image/png;base64,YSBjb25l>",
        ];
        let brief = |current: &_, call: &Call| desk.brief(&view, current, call, &Bounds::none());
        assert_told(|call| brief(&current, call), [&told, &mistral, &told], &[]);

        desk.answer("Vanilla.");
        let current = desk.user("Thanks.");
        let told = [
            "system: Be kind.",
            "user: Look at this.",
            "user: What flavour is it?\n\n[picture: cone.png]",
            "assistant: Vanilla.",
            "user: Thanks.",
        ];
        let mistral = [
            "system: Be kind.",
            "user: Look at this. | What flavour is it?\n\n[picture: cone.png]",
            "assistant: Vanilla.",
            "user: Thanks.",
        ];
        let brief = |call: &Call| desk.brief(&view, &current, call, &Bounds::none());
        assert_told(brief, [&told, &mistral, &told], &[]);
    }

    let mut desk = Desk::new();
    desk.mail("Where is it?");
    desk.mail("Hello?");
    desk.reply("On its way.");
    let current = desk.mail("Good.");
    let user = |body: &str| format!("user: {MAIL_TO}{body}");
    let reply = "assistant: From: sundae@scoop.example\nTo: \nCc: \nDate: \nSubject: Order 7\n\nOn its way.";
    let (first, second, last) = (user("Where is it?"), user("Hello?"), user("Good."));
    let told = ["system: Be kind.", &first, &second, reply, &last];
    let both = format!("{first} | {MAIL_TO}Hello?");
    let mistral = ["system: Be kind.", &both, reply, &last];
    let brief = |call: &Call| desk.brief(&HistoryView::mail(), &current, call, &Bounds::none());
    assert_told(brief, [&told, &mistral, &told], &[]);
}

/// A reply run ends on what it answers, even one that is begun again when the answer is stored. A view without a message to
/// answer, and a plain list, end as they do: kept where the model takes that up, else followed by one line, which the receipt
/// announces. <https://github.com/cortexkit/magic-context/issues/512>
#[test]
fn b37_a_thread_that_ends_on_the_assistant() {
    let mut desk = Desk::new();
    let asked = desk.user("Hello.");
    desk.answer("Hi.");
    let told = ["system: Be kind.", "user: Hello."];
    for view in VIEWS.map(|view| view()) {
        let brief = |call: &Call| desk.brief(&view, &asked, call, &Bounds::none());
        assert_told(brief, [&told, &told, &told], &[]);
    }

    let tell = |view: &HistoryView, call: &Call| {
        let (history, files, thread) = (&desk.log, &desk.log, desk.thread);
        let reading = Reading { history, files, thread, before: None, address: PERSONA, agent: AGENT };
        fit_contributions([pollster::block_on(view.tell(reading)).unwrap()], call, &Bounds::none()).unwrap()
    };
    let list = [ModelMessage::user("Hello."), ModelMessage::assistant("Hi.")];
    let ends = ["user: Hello.", "assistant: Hi."];
    let followed = ["user: Hello.", "assistant: Hi.", "user: [continue]"];
    for view in VIEWS.map(|view| view()) {
        assert_told(|call| tell(&view, call), [&ends, &followed, &ends], &[]);
    }
    assert_told(|call| fit(&list, call, &Bounds::none()).unwrap(), [&ends, &followed, &ends], &[]);
    for (model, read, changes) in [
        ("gpt-5", &ends[..], &[][..]),
        ("mistral-large-latest", &followed, &[PrefixChange::SyntheticTail]),
        ("claude-sonnet-4-5", &ends, &[PrefixChange::SyntheticTail]),
        ("claude-opus-4-6", &followed, &[PrefixChange::SyntheticTail]),
    ] {
        for briefing in [
            tell(&HistoryView::chat(), &Call::model(model, None)),
            fit(&list, &Call::model(model, None), &Bounds::none()).unwrap(),
        ] {
            assert_eq!(reads(&briefing), read, "{model}");
            assert_eq!(briefing.receipt().changes(), changes, "{model}");
        }
    }
}

/// A window that would begin with a call has one fixed line before it where the wire wants an input first, or, told to begin
/// with a turn, drops units until it does. Rounds of the run stand behind what it answers, however small the window.
/// <https://github.com/mastra-ai/mastra/issues/4816>
#[test]
fn b38_a_window_that_would_begin_with_a_call() {
    let find = |id: &str, number: u8| ToolCall::new(id, "find_order", format!(r#"{{"number":{number}}}"#));
    let mut desk = Desk::new();
    let first = desk.user("Where is order 7?").id;
    let called = desk.agent(ModelMessage::calls([find("order0007", 7)]));
    let found = desk.agent(ModelMessage::outcome("order0007", "Tallinn"));
    let said = desk.answer("It is in Tallinn.");
    desk.user("And order 8?");
    desk.agent(ModelMessage::calls([find("order0008", 8)]));
    desk.agent(ModelMessage::outcome("order0008", "Tartu"));
    desk.answer("It is in Tartu.");
    let current = desk.user("Thanks.");

    let older =
        [r#"assistant: find_order order0007 {"number":7}"#, "outcome of order0007: Tallinn", "assistant: It is in Tallinn."];
    let newer = [
        "user: And order 8?",
        r#"assistant: find_order order0008 {"number":8}"#,
        "outcome of order0008: Tartu",
        "assistant: It is in Tartu.",
        "user: Thanks.",
    ];
    let anywhere = [&["system: Be kind."][..], &older, &newer].concat();
    let opened = [&["system: Be kind.", "user: [the conversation so far]"][..], &older, &newer].concat();
    let whole_turn = [&["system: Be kind."][..], &newer].concat();

    let over = line([first], Rule::Over { bound: Bound::Messages });
    let view = HistoryView::swarm(AGENT).messages(8);
    let brief = |view: &HistoryView, call: &Call| desk.brief(view, &current, call, &Bounds::none());
    assert_told(|call| brief(&view, call), [&anywhere, &opened, &opened], std::slice::from_ref(&over));
    let lines = [over, line([called, found], Rule::BeforeInput), line([said], Rule::BeforeInput)];
    let view = view.edge(Edge::Turn);
    assert_told(|call| brief(&view, call), [&whole_turn, &whole_turn, &whole_turn], &lines);

    // The last two messages are a call and its outcome: of the run itself.
    let mut desk = Desk::new();
    let earlier = desk.user("Hello.").id;
    let current = desk.user("And order 8?");
    let run = desk.begin(&current);
    desk.calls(&run, [find("order0008", 8)]);
    desk.outcome(&run, briefing::message::Outcome::text("order0008", "Tartu"));
    let so_far = desk.rounds_so_far(&current);
    let told = ["system: Be kind.", newer[0], newer[1], newer[2]];
    let over = [line([earlier], Rule::Over { bound: Bound::Messages })];
    for view in VIEWS.map(|view| view().messages(1)) {
        let goes_on = |call: &Call| desk.assemble(&chain_of(&view), &current, &so_far, call, &Bounds::none()).unwrap();
        assert_told(goes_on, [&told, &told, &told], &over);
    }
}

/// The swarm view tells what was stored as instructions to its agent before everything else, the others not at all. In a plain
/// list it stays where it stands: as it is, or as a user line where only a user may speak there.
/// <https://github.com/raullenchai/Rapid-MLX/issues/1543>
#[test]
fn b39_a_system_message_in_the_middle() {
    let mut desk = Desk::new();
    desk.user("Hello.");
    desk.answer("Hi.");
    desk.agent(ModelMessage::system("Answer only BLUE."));
    desk.say(Message::from(ModelMessage::system("Answer only RED.")).by("triage"));
    let current = desk.user("What colour is it?");
    let brief = |view: &HistoryView, call: &Call| desk.brief(view, &current, call, &Bounds::none());
    let dialog = ["user: Hello.", "assistant: Hi.", "user: What colour is it?"];
    let two = [&["system: Be kind.", "system: Answer only BLUE."][..], &dialog].concat();
    let one = [&["system: Be kind. | Answer only BLUE."][..], &dialog].concat();
    let none = [&["system: Be kind."][..], &dialog].concat();
    let swarm = HistoryView::swarm(AGENT);
    assert_told(|call| brief(&swarm, call), [&two, &one, &one], &[]);
    for view in [HistoryView::mail(), HistoryView::chat()] {
        assert_told(|call| brief(&view, call), [&none, &none, &none], &[]);
    }
    // It never yields: a window of one message holds the question alone.
    let small = swarm.messages(1);
    let [two, one] = [&two, &one].map(|told| [&told[..told.len() - 3], &told[told.len() - 1..]].concat());
    let lines = [line([EntryId::new(1)], Rule::Over { bound: Bound::Messages })];
    assert_told(|call| brief(&small, call), [&two, &one, &one], &lines);

    let list = [
        ModelMessage::system("Be kind."),
        ModelMessage::user("Hello."),
        ModelMessage::assistant("Hi."),
        ModelMessage::system("Answer only BLUE."),
        ModelMessage::user("What colour is it?"),
    ];
    let head = ["system: Be kind.", "user: Hello.", "assistant: Hi."];
    let stays = [&head[..], &["system: Answer only BLUE.", "user: What colour is it?"]].concat();
    let merged = [&head[..], &["user: [system] Answer only BLUE. | What colour is it?"]].concat();
    let as_user = [&head[..], &["user: [system] Answer only BLUE.", "user: What colour is it?"]].concat();
    let plain = |call: &Call| -> Briefing { fit(&list, call, &Bounds::none()).unwrap() };
    assert_told(plain, [&stays, &merged, &as_user], &[]);
}
