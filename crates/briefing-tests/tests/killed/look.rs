//! What must hold after a story, however often it broke off.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use briefing::Wire;
use briefing::log::{Body, Settled};
use briefing::message::{EntryId, ModelMessage, ThreadId};
use briefing_agent::{Agent, AgentError};
use briefing_check::{Rules, check};
use briefing_json::Document;
use briefing_store::{Fault, RunEnd, RunsOf, Store};
use briefing_tests::watched::{Desk, FIRST, Hook, PAY, Question, SCHEDULED, Unwatched, owner};
use briefing_wire::parse_text;
use pollster::block_on;

use crate::log::{Effects, answers, calls, entries, runs};
use crate::play;

/// Looks at a story that was killed that often and then came to its end.
pub(crate) fn look(folder: &Path, wire: Wire, kills: usize) {
    let hook: Arc<dyn Hook> = Arc::new(Unwatched);
    let desk = play::desk(folder, &hook, kills + 1);
    let store = &*desk.store;
    let chat = block_on(store.named_thread(&owner(), FIRST)).unwrap();
    let work = block_on(store.named_thread(&owner(), SCHEDULED)).unwrap();

    let mut said = answers(store, chat);
    said.sort();
    assert_eq!(said, [Question::First.answer(), Question::Second.answer()]);
    assert_eq!(answers(store, work), [Question::Scheduled.answer()]);
    accepted(store, folder);
    goes_on(&desk, folder, chat, work, wire);
    let effects = effects(folder);
    let effects = Effects::of(&effects);
    let (chatted, worked) = (calls(store, chat, &effects), calls(store, work, &effects));
    assert!(chatted.broken + worked.broken <= kills * ROUND, "{chatted:?} {worked:?} by {kills} kills");
    assert_eq!(worked.held, 0);
    card(store, chat, &effects, chatted.held, kills);
    ended(store, chat, kills);
    ended(store, work, kills);
    replayed(&desk.agent(wire).unwrap(), store);
    assert_eq!(block_on(store.verify()).unwrap().faults, Vec::<Fault>::new());
}

/// The most calls of one round: what one kill can lose.
const ROUND: usize = 4;

fn effects(folder: &Path) -> String {
    std::fs::read_to_string(folder.join(play::EFFECTS)).unwrap()
}

/// Whatever was accepted is there, and is the same whoever came to it later.
fn accepted(store: &dyn Store, folder: &Path) {
    let lines = std::fs::read_to_string(folder.join(play::ACCEPTED)).unwrap();
    let accepted: BTreeSet<&str> = lines.lines().collect();
    let keys: Vec<&str> = accepted.iter().filter_map(|line| Some(line.split_once(' ')?.0)).collect();
    assert_eq!(keys, ["answer-chat", "answer-second", "chat", "second"]);
    let texts: Vec<String> = accepted
        .iter()
        .map(|line| {
            let entry = EntryId::new(line.split_once(' ').unwrap().1.parse().unwrap());
            block_on(store.entry(&owner(), entry)).unwrap().unwrap().message().unwrap().said.text()
        })
        .collect();
    let expected = [Question::First.answer(), Question::Second.answer(), Question::First.asks(), Question::Second.asks()];
    assert_eq!(texts, expected);
}

/// One card for a call that was held, settled once; done at most once.
fn card(store: &dyn Store, chat: ThreadId, effects: &Effects<'_>, held: usize, kills: usize) {
    let (mut cards, mut settled) = (0, Vec::new());
    for entry in entries(store, chat) {
        match &entry.body {
            Body::Card(_) => cards += 1,
            Body::Notice(notice) => settled.push(notice.settled),
            _ => {}
        }
    }
    assert_eq!(cards, held);
    match (&*settled, effects.of_tool(PAY)) {
        ([Settled::Done], 1) => assert_eq!(cards, 1),
        // Whoever claimed it died over it.
        ([Settled::Lost], 0 | 1) => assert!(cards == 1 && kills > 0),
        // Whoever was to hold it died before that, and another message came first.
        ([], 0) => assert!(cards == 0 && kills > 0),
        (settled, paid) => panic!("{cards} cards {settled:?}, paid {paid} times"),
    }
}

/// Every run that had its thread has ended: one for each answer well, and the others as lost, no more than there were kills.
fn ended(store: &dyn Store, thread: ThreadId, kills: usize) {
    let (leased, never): (Vec<_>, Vec<_>) = runs(store, thread).into_iter().partition(|run| run.began.is_some());
    let how: Vec<RunEnd> = leased.iter().map(|run| run.end.as_ref().unwrap().how).collect();
    let lost = how.iter().filter(|how| **how == RunEnd::Lost).count();
    assert!(how.iter().all(|how| matches!(how, RunEnd::Answered | RunEnd::Lost)) && lost + never.len() <= kills, "{how:?}");
}

/// The thread takes further messages, on every wire, and shows what was done in it.
fn goes_on(desk: &Desk, folder: &Path, chat: ThreadId, work: ThreadId, wire: Wire) {
    let done: BTreeSet<(String, String)> = [Question::First, Question::Second]
        .iter()
        .flat_map(|question| question.rounds().iter().copied().flatten())
        .map(|(tool, at)| ((*tool).to_owned(), (*at).to_owned()))
        .collect();
    for wire in Wire::ALL {
        let agent = desk.agent(wire).unwrap();
        block_on(play::say(desk, &agent, chat, Question::Further, &format!("further on {wire}"), folder)).unwrap();
        let run = runs(&*desk.store, chat).pop().unwrap();
        let requests = block_on(desk.store.requests(&owner(), &run.run.id)).unwrap();
        assert_eq!(requests.len(), 1);
        for request in requests {
            let body = String::from_utf8(request.request.body).unwrap();
            let rules = Rules::for_model(checked(wire), &request.request.model);
            assert_eq!(check(Document::parse(&body).unwrap().root(), &rules).violations, [], "{body}");
            assert_eq!(shown(wire, &body), (done.clone(), true), "{body}");
        }
    }
    // Whatever died in the other thread is closed by whoever works there next.
    let agent = desk.agent(wire).unwrap();
    let ended = block_on(Desk::work(&agent, work)).unwrap();
    assert_eq!(ended.how, RunEnd::Answered);
}

/// The wire as the checkers call it.
const fn checked(wire: Wire) -> briefing_check::Wire {
    match wire {
        Wire::OpenAiChat => briefing_check::Wire::OpenAiChat,
        Wire::OpenAiResponses => briefing_check::Wire::OpenAiResponses,
        Wire::Anthropic => briefing_check::Wire::Anthropic,
        Wire::Gemini => briefing_check::Wire::Gemini,
    }
}

/// The calls that a request shows, and whether each has an outcome.
fn shown(wire: Wire, body: &str) -> (BTreeSet<(String, String)>, bool) {
    let (mut calls, mut made, mut outcomes) = (BTreeSet::new(), 0, 0);
    for message in parse_text(wire, body).unwrap().messages {
        match message {
            ModelMessage::Assistant(said) => {
                for call in said.calls() {
                    let at = call.input.as_json().unwrap().get("at").unwrap().as_str().unwrap().to_owned();
                    calls.insert((call.name.clone(), at));
                    made += 1;
                }
            }
            ModelMessage::Tool(_) => outcomes += 1,
            ModelMessage::System(_) | ModelMessage::User(_) => {}
        }
    }
    (calls, made == outcomes)
}

/// Every kept request is made again, to the byte.
fn replayed(agent: &Agent, store: &dyn Store) {
    for run in block_on(store.runs(&owner(), RunsOf::newest(1_000))).unwrap() {
        match block_on(agent.replay(&run.run.id)) {
            Ok(replayed) => {
                for replayed in replayed {
                    assert_eq!(replayed.made.map(text), Ok(text(replayed.kept)));
                }
            }
            Err(AgentError::NothingKept { .. }) => assert_eq!(run.spent.requests, 0),
            Err(error) => panic!("{error}"),
        }
    }
}

fn text(body: Vec<u8>) -> String {
    String::from_utf8(body).unwrap()
}
