//! Calls that are open: they wait for a person, were broken off, or nobody will ever answer them.

use briefing::log::{LogError, Settled};
use briefing::message::{EntryId, ModelMessage, Outcome, ToolCall};
use briefing::texts::OutcomeText;
use briefing::view::HistoryView;
use briefing::{Bound, Bounds, Call, Class, Kept, Line, Origin, PrefixChange, Rule, Stride, UnitKind, fit};

use crate::desk::{AGENT, Desk, MODELS, assert_told, chain_of, closed, failed, line, missing, reads};

fn refund() -> ToolCall {
    ToolCall::new("refund001", "refund_order", r#"{"order":7}"#)
}

fn letter() -> ToolCall {
    ToolCall::new("letter001", "send_email", r#"{"to":"Ann"}"#)
}

/// The call that waits reads as answered by a fixed text in the copy, or is left out with all tool use; it is stored without an
/// outcome, never run by itself, and can be settled turns later. <https://github.com/vercel/ai/issues/18451>
#[test]
fn b21_an_approval_that_was_never_answered() {
    let mut desk = Desk::new();
    let asked = desk.user("Refund order 7.");
    let run = desk.begin(&asked);
    let round = desk.calls(&run, [refund()]);
    let card = desk.card(&refund());
    let current = desk.user("And where is order 8?");
    let waits = line([card], Rule::CardWaits);

    let reads_all = [
        "system: Be kind.",
        "user: Refund order 7.",
        r#"assistant: refund_order refund001 {"order":7}"#,
        "outcome of refund001: [this call waits for a person to confirm it]",
        "user: [confirmation] waiting: refund_order",
        "user: And where is order 8?",
    ];
    let mistral = [
        "system: Be kind.",
        "user: Refund order 7.",
        r#"assistant: refund_order refund001 {"order":7}"#,
        "outcome of refund001: [this call waits for a person to confirm it]",
        "assistant: [no answer]",
        "user: [confirmation] waiting: refund_order | And where is order 8?",
    ];
    for view in [HistoryView::mail(), HistoryView::swarm(AGENT)] {
        let brief = |call: &Call| desk.brief(&view, &current, call, &Bounds::none());
        assert_told(brief, [&reads_all, &mistral, &reads_all], &[line([round], missing(&refund())), waits.clone()]);
    }
    let plain = [
        "system: Be kind.",
        "user: Refund order 7.",
        "user: [confirmation] waiting: refund_order",
        "user: And where is order 8?",
    ];
    let merged = ["system: Be kind.", "user: Refund order 7. | [confirmation] waiting: refund_order | And where is order 8?"];
    let brief = |call: &Call| desk.brief(&HistoryView::chat(), &current, call, &Bounds::none());
    assert_told(brief, [&plain, &merged, &plain], &[waits]);

    // Nothing was run or closed on the way, so the person can still confirm it.
    assert_eq!(desk.recorded(&asked), (vec!["refund001".to_owned()], Vec::new()));
    assert_eq!(desk.open(), [card]);
    desk.answer("In Tallinn.");
    desk.settle(card, Settled::Done);
    assert_eq!(desk.open(), [] as [EntryId; 0]);
    let current = desk.user("Thanks.");
    let done = [
        "system: Be kind.",
        "user: Refund order 7.",
        r#"assistant: refund_order refund001 {"order":7}"#,
        "outcome of refund001: [no outcome was recorded for this call]",
        "user: And where is order 8?",
        "assistant: In Tallinn.",
        "user: [confirmation] done: refund_order",
        "user: Thanks.",
    ];
    let mistral = [
        "system: Be kind.",
        "user: Refund order 7.",
        r#"assistant: refund_order refund001 {"order":7}"#,
        "outcome of refund001: [no outcome was recorded for this call]",
        "assistant: [no answer]",
        "user: And where is order 8?",
        "assistant: In Tallinn.",
        "user: [confirmation] done: refund_order | Thanks.",
    ];
    let brief = |call: &Call| desk.brief(&HistoryView::mail(), &current, call, &Bounds::none());
    let lines = [line([card], Rule::CardSettled), line([round], missing(&refund()))];
    assert_told(brief, [&done, &mistral, &done], &lines);
}

/// A call that waits is answered whichever way the list is loaded: as a run's round, as a message of the thread, or as a plain
/// list. The outcome that comes with the confirmation stands behind its call.
/// <https://github.com/Azure/azure-sdk-for-python/issues/45875>
#[test]
fn b23_a_question_while_a_confirmation_is_pending() {
    let list = [
        ModelMessage::system("Be kind."),
        ModelMessage::user("Write to Ann."),
        ModelMessage::calls([letter()]),
        ModelMessage::user("What does this do?"),
    ];
    let mut by_message = Desk::new();
    by_message.say(list[1].clone());
    let called = by_message.agent(list[2].clone());
    let card = by_message.card(&letter());
    let current = by_message.say(list[3].clone());

    let mut by_run = Desk::new();
    let asked = by_run.say(list[1].clone());
    let run = by_run.begin(&asked);
    by_run.calls(&run, [letter()]);
    by_run.card(&letter());
    let by_run_current = by_run.say(list[3].clone());
    assert_eq!((by_run.open(), by_run_current.id), (vec![card], current.id));

    let answered = "outcome of letter001: [this call waits for a person to confirm it]";
    let call = r#"assistant: send_email letter001 {"to":"Ann"}"#;
    let waits = "user: [confirmation] waiting: send_email";
    let told = ["system: Be kind.", "user: Write to Ann.", call, answered, waits, "user: What does this do?"];
    let both = "user: [confirmation] waiting: send_email | What does this do?";
    let mistral = ["system: Be kind.", "user: Write to Ann.", call, answered, "assistant: [no answer]", both];
    let lines = [line([called], missing(&letter())), line([card], Rule::CardWaits)];
    let view = HistoryView::swarm(AGENT);
    assert_told(|call| by_message.brief(&view, &current, call, &Bounds::none()), [&told, &mistral, &told], &lines);
    assert_told(|call| by_run.brief(&view, &by_run_current, call, &Bounds::none()), [&told, &mistral, &told], &lines);

    let unknown = "outcome of letter001: [no outcome was recorded for this call]";
    let told = ["system: Be kind.", "user: Write to Ann.", call, unknown, "user: What does this do?"];
    let mistral =
        ["system: Be kind.", "user: Write to Ann.", call, unknown, "assistant: [no answer]", "user: What does this do?"];
    let lines = [line([EntryId::new(2)], missing(&letter()))];
    assert_told(|call| fit(&list, call, &Bounds::none()).unwrap(), [&told, &mistral, &told], &lines);

    by_message.answer("It writes to Ann.");
    let outcome = by_message.agent(ModelMessage::outcome("letter001", "sent"));
    by_message.settle(card, Settled::Done);
    let current = by_message.user("Good.");
    let told = [
        "system: Be kind.",
        "user: Write to Ann.",
        call,
        "outcome of letter001: sent",
        "user: What does this do?",
        "assistant: It writes to Ann.",
        "user: [confirmation] done: send_email",
        "user: Good.",
    ];
    let mistral = [
        "system: Be kind.",
        "user: Write to Ann.",
        call,
        "outcome of letter001: sent",
        "assistant: [no answer]",
        "user: What does this do?",
        "assistant: It writes to Ann.",
        "user: [confirmation] done: send_email | Good.",
    ];
    let lines = [line([card], Rule::CardSettled), line([outcome], Rule::OutcomeMoved { call: "letter001".to_owned() })];
    assert_told(|call| by_message.brief(&view, &current, call, &Bounds::none()), [&told, &mistral, &told], &lines);
    let briefing = by_message.brief(&view, &current, &Call::model("gpt-5", None), &Bounds::none());
    assert_eq!(briefing.receipt().changes(), [PrefixChange::LateOutcome]);
}

/// A card that fell out of the window is told in one note before the current message, whatever view told the window; it is
/// settled like any other, and then its notice tells it. <https://github.com/google/adk-python/issues/4740>
#[test]
fn b24_a_pending_confirmation_outlives_the_window() {
    let mut desk = Desk::new();
    desk.user("Write to Ann.");
    desk.agent(ModelMessage::calls([letter()]));
    let card = desk.card(&letter());
    desk.answer("Please confirm.");
    let mut last = Vec::new();
    for turn in 1..=10 {
        last.push(desk.user(&format!("Question {turn}")).id);
        last.push(desk.answer(&format!("Answer {turn}")));
    }
    let current = desk.user("And now?");
    let told = [
        "system: Be kind.",
        "user: Question 9",
        "assistant: Answer 9",
        "user: Question 10",
        "assistant: Answer 10",
        "user: [confirmation] waiting: send_email",
        "user: And now?",
    ];
    let mistral = [
        "system: Be kind.",
        "user: Question 9",
        "assistant: Answer 9",
        "user: Question 10",
        "assistant: Answer 10",
        "user: [confirmation] waiting: send_email | And now?",
    ];
    let (swarm, chat, mail) =
        (HistoryView::swarm(AGENT).messages(5), HistoryView::chat().chars(50), HistoryView::mail().limit(4));
    let waits = line([card], Rule::CardWaits);
    let over = |bound| line([last[15]], Rule::Over { bound });
    let brief = |view: &HistoryView, call: &Call| desk.brief(view, &current, call, &Bounds::none());
    assert_told(|call| brief(&swarm, call), [&told, &mistral, &told], &[over(Bound::Messages), waits.clone()]);
    assert_told(|call| brief(&chat, call), [&told, &mistral, &told], &[over(Bound::Chars), waits.clone()]);
    assert_told(|call| brief(&mail, call), [&told, &mistral, &told], &[waits]);
    for view in [&swarm, &chat, &mail] {
        let briefing = brief(view, &Call::model("gpt-5", None));
        let pinned: Vec<&Kept> = briefing.receipt().kept().iter().filter(|kept| kept.class == Class::Pinned).collect();
        let [pinned] = pinned.as_slice() else { panic!("{pinned:?}") };
        assert_eq!((&pinned.from, pinned.kind), (&Origin::Entries(vec![card]), UnitKind::Input));
    }

    assert_eq!(desk.open(), [card]);
    desk.settle(card, Settled::Done);
    assert_eq!(desk.log.settle(card, Settled::Cancelled, current.at).unwrap_err(), LogError::Settled { card });
    let current = desk.user("Did it go out?");
    let told = [
        "system: Be kind.",
        "user: Question 10",
        "assistant: Answer 10",
        "user: And now?",
        "user: [confirmation] done: send_email",
        "user: Did it go out?",
    ];
    let mistral = [
        "system: Be kind.",
        "user: Question 10",
        "assistant: Answer 10",
        "user: And now? | [confirmation] done: send_email | Did it go out?",
    ];
    let lines = [line([last[17]], Rule::Over { bound: Bound::Messages })];
    assert_told(|call| desk.brief(&swarm, &current, call, &Bounds::none()), [&told, &mistral, &told], &lines);
}

/// A call that nobody will ever answer does not keep a window with strides from moving, and every step is told; whether a
/// program closes it after a deadline changes its text alone. <https://github.com/google/adk-python/issues/7236>
#[test]
fn b26_a_dead_call_never_blocks_the_window() {
    let view = HistoryView::mail().limit(None).messages(9).stride(Stride::default());
    for (closes, text) in [
        (false, "[no outcome was recorded for this call]"),
        (true, "[the run was lost during this call; it may have had its effect]"),
    ] {
        for model in MODELS {
            let call = Call::model(model, None);
            let mut desk = Desk::new();
            let first = desk.user("Write to Ann.");
            let run = desk.begin(&first);
            let dead = desk.calls(&run, [letter()]);
            if closes {
                desk.outcome(&run, closed(&letter(), OutcomeText::Lost));
            }
            let (mut anchor, mut briefings, mut told) = (None, Vec::new(), Vec::new());
            for turn in 2..=20 {
                let current = desk.user(&format!("Question {turn}"));
                let briefing = desk.brief(&view, &current, &call, &Bounds::none().anchor(anchor));
                anchor = briefing.receipt().anchor();
                briefings.push((turn, reads(&briefing), briefing));
                told.extend([current.id, desk.answer(&format!("Answer {turn}"))]);
            }
            let stepped =
                briefings.iter().filter(|(.., briefing)| briefing.receipt().changes().contains(&PrefixChange::WindowStepped));
            let stepped: Vec<(u32, &str)> = stepped.map(|(turn, read, _)| (*turn, read[1].as_str())).collect();
            let begins = ["user: Question 4", "user: Question 8", "user: Question 12", "user: Question 16"];
            assert_eq!(stepped, [(5, begins[0]), (9, begins[1]), (13, begins[2]), (17, begins[3])], "{model}");
            // As long as the window holds the call, it is answered; the step that leaves it behind says so.
            let (_, before, _) = &briefings[2];
            let outcome = format!("outcome of letter001: {text}");
            let begins = ["user: Write to Ann.", r#"assistant: send_email letter001 {"to":"Ann"}"#, &outcome];
            assert_eq!(before[1..4], begins);
            let (.., step) = &briefings[3];
            let answered = if closes { None } else { Some(line([dead], missing(&letter()))) };
            let run = Line { from: Origin::Entries(desk.stored_run(&first)), rule: Rule::Stepped };
            let mut lines = Vec::from_iter(answered);
            lines.extend([line([first.id], Rule::Over { bound: Bound::Messages }), run]);
            lines.extend(told[..4].iter().map(|entry| line([*entry], Rule::Stepped)));
            assert_eq!(step.receipt().lines(), lines);
            let outcomes = if closes { vec![("letter001".to_owned(), text.to_owned())] } else { Vec::new() };
            assert_eq!(desk.recorded(&first), (vec!["letter001".to_owned()], outcomes));
        }
    }
}

/// One call of a round was approved and one refused: both stay, each with its own outcome, in the order of the calls and
/// whichever was decided first. <https://github.com/langchain-ai/langchainjs/pull/11437>
#[test]
fn b27_mixed_decisions() {
    let mut desk = Desk::new();
    let asked = desk.user("Refund order 7 and write to Ann.");
    let run = desk.begin(&asked);
    let round = desk.calls(&run, [refund(), letter()]);
    let (refunds, writes) = (desk.card(&refund()), desk.card(&letter()));
    desk.outcome(&run, closed(&letter(), OutcomeText::Refused));
    desk.settle(writes, Settled::Cancelled);

    let calls = r#"assistant: refund_order refund001 {"order":7} | send_email letter001 {"to":"Ann"}"#;
    let refused = "outcome of letter001: [this call was refused and did not run]";
    let view = HistoryView::mail();
    let goes_on = |desk: &Desk, call: &Call| {
        desk.assemble(&chain_of(&view), &asked, &desk.rounds_so_far(&asked), call, &Bounds::none()).unwrap()
    };
    let open = "outcome of refund001: [this call waits for a person to confirm it]";
    let told = ["system: Be kind.", "user: Refund order 7 and write to Ann.", calls, open, refused];
    assert_told(|call| goes_on(&desk, call), [&told, &told, &told], &[line([round], missing(&refund()))]);
    assert_eq!(desk.open(), [refunds]);

    desk.outcome(&run, Outcome::text("refund001", "refunded 12.00"));
    desk.settle(refunds, Settled::Done);
    let refunded = "outcome of refund001: refunded 12.00";
    let told = ["system: Be kind.", "user: Refund order 7 and write to Ann.", calls, refunded, refused];
    assert_told(|call| goes_on(&desk, call), [&told, &told, &told], &[line([round], Rule::OutcomesReordered)]);
    for model in MODELS {
        assert_eq!(failed(&goes_on(&desk, &Call::model(model, None))), [None, Some(true)]);
    }
    let recorded = [("letter001", "[this call was refused and did not run]"), ("refund001", "refunded 12.00")];
    let recorded = recorded.map(|(call, text)| (call.to_owned(), text.to_owned()));
    assert_eq!(desk.recorded(&asked), (vec!["refund001".to_owned(), "letter001".to_owned()], recorded.to_vec()));

    let current = desk.user("Thanks.");
    let (cancelled, done) = ("user: [confirmation] cancelled: send_email", "user: [confirmation] done: refund_order");
    let told = [
        "system: Be kind.",
        "user: Refund order 7 and write to Ann.",
        calls,
        refunded,
        refused,
        cancelled,
        done,
        "user: Thanks.",
    ];
    let mistral = [
        "system: Be kind.",
        "user: Refund order 7 and write to Ann.",
        calls,
        refunded,
        refused,
        "assistant: [no answer]",
        "user: [confirmation] cancelled: send_email | [confirmation] done: refund_order | Thanks.",
    ];
    let settled = [line([writes], Rule::CardSettled), line([refunds], Rule::CardSettled)];
    let [first, second] = settled.clone();
    let lines = [first, second, line([round], Rule::OutcomesReordered)];
    assert_told(|call| desk.brief(&view, &current, call, &Bounds::none()), [&told, &mistral, &told], &lines);
    let told = ["system: Be kind.", "user: Refund order 7 and write to Ann.", cancelled, done, "user: Thanks."];
    let mistral = [
        "system: Be kind.",
        "user: Refund order 7 and write to Ann. | [confirmation] cancelled: send_email | [confirmation] done: refund_order \
         | Thanks.",
    ];
    let chat = HistoryView::chat();
    assert_told(|call| desk.brief(&chat, &current, call, &Bounds::none()), [&told, &mistral, &told], &settled);
}

/// A new prompt over an open call: what was interrupted is closed, once and in the store; what waits for a person is answered
/// in the copy alone, and stays open; what nobody recorded is answered in the copy, too, and no card waits for it.
/// <https://github.com/pydantic/pydantic-ai/issues/4728>
#[test]
fn b28_interrupted_is_closed_and_deferred_stays_open() {
    let begun = || {
        let mut desk = Desk::new();
        let asked = desk.user("Write to Ann.");
        let run = desk.begin(&asked);
        let round = desk.calls(&run, [letter()]);
        (desk, asked, run, round)
    };
    let call = r#"assistant: send_email letter001 {"to":"Ann"}"#;
    let view = HistoryView::mail();

    let (mut desk, asked, run, _) = begun();
    desk.outcome(&run, closed(&letter(), OutcomeText::Interrupted));
    let current = desk.user("Never mind.");
    let interrupted = "outcome of letter001: [interrupted before the call ended]";
    let told = ["system: Be kind.", "user: Write to Ann.", call, interrupted, "user: Never mind."];
    let mistral = ["system: Be kind.", "user: Write to Ann.", call, interrupted, "assistant: [no answer]", "user: Never mind."];
    assert_told(|call| desk.brief(&view, &current, call, &Bounds::none()), [&told, &mistral, &told], &[]);
    assert_eq!(failed(&desk.brief(&view, &current, &Call::model("gpt-5", None), &Bounds::none())), [Some(true)]);
    let stored = vec![("letter001".to_owned(), "[interrupted before the call ended]".to_owned())];
    assert_eq!((desk.recorded(&asked).1, desk.open()), (stored, Vec::new()));

    let missing_text = "outcome of letter001: [no outcome was recorded for this call]";
    let (mut desk, asked, _, round) = begun();
    let current = desk.user("Never mind.");
    let told = ["system: Be kind.", "user: Write to Ann.", call, missing_text, "user: Never mind."];
    let mistral =
        ["system: Be kind.", "user: Write to Ann.", call, missing_text, "assistant: [no answer]", "user: Never mind."];
    let lines = [line([round], missing(&letter()))];
    assert_told(|call| desk.brief(&view, &current, call, &Bounds::none()), [&told, &mistral, &told], &lines);
    assert_eq!((desk.recorded(&asked).1, desk.open()), (Vec::new(), Vec::new()));

    let (mut desk, asked, run, round) = begun();
    let card = desk.card(&letter());
    let current = desk.user("Never mind.");
    let deferred = "outcome of letter001: [this call waits for a person to confirm it]";
    let waits = "user: [confirmation] waiting: send_email";
    let told = ["system: Be kind.", "user: Write to Ann.", call, deferred, waits, "user: Never mind."];
    let both = "user: [confirmation] waiting: send_email | Never mind.";
    let mistral = ["system: Be kind.", "user: Write to Ann.", call, deferred, "assistant: [no answer]", both];
    let lines = [line([round], missing(&letter())), line([card], Rule::CardWaits)];
    assert_told(|call| desk.brief(&view, &current, call, &Bounds::none()), [&told, &mistral, &told], &lines);
    assert_eq!((desk.recorded(&asked).1, desk.open()), (Vec::new(), vec![card]));

    // The person says yes after all.
    desk.outcome(&run, Outcome::text("letter001", "sent"));
    desk.settle(card, Settled::Done);
    let current = desk.user("Good.");
    let (sent, done) = ("outcome of letter001: sent", "user: [confirmation] done: send_email");
    let told = ["system: Be kind.", "user: Write to Ann.", call, sent, "user: Never mind.", done, "user: Good."];
    let mistral = [
        "system: Be kind.",
        "user: Write to Ann.",
        call,
        sent,
        "assistant: [no answer]",
        "user: Never mind. | [confirmation] done: send_email | Good.",
    ];
    let lines = [line([card], Rule::CardSettled)];
    assert_told(|call| desk.brief(&view, &current, call, &Bounds::none()), [&told, &mistral, &told], &lines);
}
