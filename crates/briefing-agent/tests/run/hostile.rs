//! Models that ask for what cannot be done, and tools that fail.

use crate::support::Setup;
use briefing::Wire;
use briefing_agent::Settings;
use briefing_agent::scripted::{SaidCall, Say, Script, Turn};
use briefing_store::RunEnd;
use serde_json::json;

/// The outcomes that the model is told after a first answer with those calls, on every wire.
async fn outcomes_of(calls: Vec<SaidCall>) -> Vec<(String, Option<bool>, String)> {
    outcomes_on(&Wire::ALL, calls).await
}

async fn outcomes_on(wires: &[Wire], calls: Vec<SaidCall>) -> Vec<(String, Option<bool>, String)> {
    let mut told = Vec::new();
    for wire in wires.iter().copied() {
        let mut settings = Settings::default();
        settings.limits.failures = 1_000;
        settings.limits.calls = 1_000;
        let script = Script::turns([Turn::say(Say::calls(calls.clone())), Turn::say(Say::text("I see."))]);
        let desk = Setup { settings, ..Setup::on(wire) }.desk(script).await;
        let (ended, _) = desk.ask("Go").await;
        assert_eq!(ended.how, RunEnd::Answered, "{wire}: {:?}", ended.detail);
        assert_eq!(desk.bodies().len(), 2);
        assert_eq!(desk.replays().await, 2);
        told = desk.outcomes().await;
    }
    told
}

/// A call of `look_up` whose arguments are that text.
fn broken(id: &str, arguments: &str) -> SaidCall {
    SaidCall { id: id.to_owned(), name: "look_up".to_owned(), arguments: arguments.to_owned() }
}

fn texts(outcomes: &[(String, Option<bool>, String)]) -> Vec<(Option<bool>, &str)> {
    outcomes.iter().map(|(_, failed, text)| (*failed, text.as_str())).collect()
}

/// <https://github.com/openai/openai-agents-python/issues/2204>
#[tokio::test]
async fn b19_a_tool_that_there_is_not_is_an_outcome() {
    let told = outcomes_of(vec![("call_a", "fly", json!({})).into()]).await;
    assert_eq!(told[0].1, Some(true));
    assert!(told[0].2.contains("fly") && told[0].2.contains("look_up"), "{told:?}");
}

#[tokio::test]
async fn broken_and_invalid_arguments_are_outcomes() {
    let calls =
        vec![broken("call_a", r#"{"what": "#), broken("call_b", "[1]"), ("call_c", "look_up", json!({"what": 7})).into()];
    // Gemini gives arguments as an object, or none.
    let mut told = outcomes_on(&[Wire::OpenAiChat, Wire::OpenAiResponses, Wire::Anthropic], calls).await;
    told.sort_unstable();
    assert!(told.iter().all(|(_, failed, _)| *failed == Some(true)), "{told:?}");
    assert!(told[2].2.contains("/what"), "{told:?}");
}

#[tokio::test]
async fn a_tool_that_crashes_or_hangs_has_failed_and_nothing_else() {
    let told = outcomes_of(vec![
        ("call_a", "crash", json!({})).into(),
        ("call_b", "hang", json!({})).into(),
        ("call_c", "look_up", json!({"what": "ice"})).into(),
    ])
    .await;
    assert_eq!(
        texts(&told),
        [
            (Some(true), "the tool crashed and may have had its effect: out of ice"),
            (Some(true), "the tool took longer than 0 s and was ended; it may have had its effect"),
            (Some(false), "found ice"),
        ]
    );
}

/// <https://github.com/bvcyber/Cyber-AutoAgent-ng/issues/72>
#[tokio::test]
async fn b48_repeated_ids_are_kept_apart() {
    let told = outcomes_of(vec![
        ("call_1", "look_up", json!({"what": "a"})).into(),
        ("call_1", "look_up", json!({"what": "b"})).into(),
        ("", "look_up", json!({"what": "c"})).into(),
    ])
    .await;
    let mut texts = texts(&told);
    texts.sort_unstable();
    assert_eq!(texts, [(Some(false), "found a"), (Some(false), "found b"), (Some(false), "found c")]);
}

#[tokio::test]
async fn of_five_hundred_calls_in_a_round_the_first_are_done() {
    let calls = (0..500).map(|at| (format!("call_{at}"), "look_up", json!({"what": at.to_string()})).into());
    let told = outcomes_of(calls.collect()).await;
    assert_eq!(told.len(), 500);
    assert_eq!(told.iter().filter(|(_, failed, _)| *failed == Some(false)).count(), 64);
    assert_eq!(told.iter().filter(|(_, _, text)| text == "[not run: at most 64 calls of one round are done]").count(), 436);
}

#[tokio::test]
async fn a_model_that_never_stops_is_stopped() {
    let script = Script::answering(|_| Turn::say(Say::calls([("call", "look_up", json!({"what": "more"}))])));
    let desk = Setup::on(Wire::Anthropic).desk(script).await;
    let (ended, _) = desk.ask("Go").await;
    assert_eq!((ended.how, ended.detail.as_deref()), (RunEnd::Limit, Some("20 rounds without an answer")));
    assert_eq!(desk.bodies().len(), 20);
    assert_eq!(desk.replays().await, 20);
    // Ids repeat in every round, and each outcome is that of its own call.
    assert_eq!(desk.outcomes().await.len(), 20);
}

#[tokio::test]
async fn failures_and_tokens_and_cost_have_budgets() {
    type Change = fn(&mut Settings);
    let cases: [(Change, &str); 3] = [
        (|settings| settings.limits.failures = 2, "2 calls that failed"),
        (|settings| settings.limits.tokens = Some(250), "330 tokens"),
        (|settings| settings.limits.cost = Some(1_000), "the cost it may have"),
    ];
    for (change, detail) in cases {
        let mut settings = Settings::default();
        change(&mut settings);
        let script = Script::answering(|_| Turn::say(Say::calls([("call", "fly", json!({}))]).usage(100, 10)));
        let setup = Setup {
            settings,
            change: |model| model.prices = Some(briefing_agent::Prices { input: 5_000_000, output: 0, ..Default::default() }),
            ..Setup::on(Wire::OpenAiChat)
        };
        let (ended, _) = setup.desk(script).await.ask("Go").await;
        assert_eq!((ended.how, ended.detail.as_deref()), (RunEnd::Limit, Some(detail)));
    }
}

#[tokio::test]
async fn a_call_that_was_cut_off_is_never_run() {
    let script = Script::turns([
        Turn::say(
            Say::calls([SaidCall { name: "add_note".to_owned(), ..broken("call_a", r#"{"what": "a very lo"#) }]).cut_by_limit(),
        ),
        Turn::say(Say::text("I will be brief.")),
    ]);
    let desk = Setup::on(Wire::OpenAiChat).desk(script).await;
    let (ended, _) = desk.ask("Note it").await;
    assert_eq!(ended.how, RunEnd::Answered, "{:?}", ended.detail);
    assert_eq!(desk.deeds.all(), Vec::<String>::new());
    assert_eq!(desk.bodies().len(), 2);
}

/// A call whose arguments had not begun when the model met its limit reads as one that takes none.
#[tokio::test]
async fn a_call_that_was_cut_off_before_its_arguments_is_never_run() {
    for wire in Wire::ALL {
        for arguments in ["", "{}"] {
            let call = SaidCall { name: "add_note".to_owned(), ..broken("call_a", arguments) };
            let script =
                Script::turns([Turn::say(Say::calls([call]).cut_by_limit()), Turn::say(Say::text("I will be brief."))]);
            let desk = Setup::on(wire).desk(script).await;
            let (ended, _) = desk.ask("Note it").await;
            assert_eq!(ended.how, RunEnd::Answered, "{wire}: {:?}", ended.detail);
            assert_eq!(desk.deeds.all(), Vec::<String>::new(), "{wire} {arguments:?}");
            assert_eq!(desk.outcomes().await[0].1, Some(true), "{wire} {arguments:?}");
        }
    }
}

#[tokio::test]
async fn scheduled_work_reads_its_instructions_and_is_kept() {
    let script = Script::turns([
        Turn::say(Say::calls([("call_a", "look_up", json!({"what": "stock"}))])),
        Turn::say(Say::text("Order more cones.")),
    ]);
    let desk = Setup::on(Wire::OpenAiChat).desk(script).await;
    let work = briefing::Responsibility { name: "stock".to_owned(), instructions: "Look at the stock.".to_owned() };
    let mut told = |_| {};
    let ended = desk.agent.work(desk.thread, work, &briefing_agent::Stop::new(), &mut told).await.unwrap();
    assert_eq!(desk.text(ended.answer.unwrap()).await, "Order more cones.");
    let bodies = desk.bodies();
    assert!(bodies[0].contains("Look at the stock."), "{}", bodies[0]);
    assert!(bodies[1].contains("found stock"), "{}", bodies[1]);
    assert_eq!(desk.replays().await, 2);
}
