//! What a log and the effects of its tools tell.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;

use briefing::log::{Entry, Kind, Kinds};
use briefing::message::{ModelMessage, ThreadId};
use briefing::ports::Back;
use briefing::texts::OutcomeText;
use briefing_agent::StepKey;
use briefing_store::{RunSummary, RunsOf, Store};
use briefing_tests::watched::{LOOK, PAY, PUT, owner};
use pollster::block_on;

/// Every entry of a thread, oldest first.
pub(crate) fn entries(store: &dyn Store, thread: ThreadId) -> Vec<Arc<Entry>> {
    let back = Back { thread, before: None, after: None, kinds: Kinds::of(&Kind::ALL), agent: None, count: 10_000 };
    let mut entries = block_on(store.read_back(&owner(), back)).unwrap();
    entries.reverse();
    entries
}

/// What the persona said at last in a thread.
pub(crate) fn answers(store: &dyn Store, thread: ThreadId) -> Vec<String> {
    let said = |entry: Arc<Entry>| match &entry.message()?.said {
        said @ ModelMessage::Assistant(_) => Some(said.text()),
        ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::Tool(_) => None,
    };
    entries(store, thread).into_iter().filter_map(said).collect()
}

/// The runs of a thread, oldest first.
pub(crate) fn runs(store: &dyn Store, thread: ThreadId) -> Vec<RunSummary> {
    let mut runs = block_on(store.runs(&owner(), RunsOf { thread: Some(thread), ..RunsOf::newest(1_000) })).unwrap();
    runs.reverse();
    runs
}

/// How often each tool had its effect, by its call.
pub(crate) struct Effects<'a>(BTreeMap<(&'a str, &'a str), usize>);

impl<'a> Effects<'a> {
    pub(crate) fn of(lines: &'a str) -> Self {
        let mut effects = BTreeMap::new();
        for line in lines.lines() {
            *effects.entry(line.split_once(' ').unwrap()).or_default() += 1;
        }
        let twice: Vec<_> = effects.iter().filter(|((tool, _), times)| *tool != LOOK && **times > 1).collect();
        assert_eq!(twice, [], "what writes was done twice");
        Self(effects)
    }

    pub(crate) fn times(&self, tool: &str, key: &str) -> usize {
        self.0.get(&(tool, key)).copied().unwrap_or_default()
    }

    pub(crate) fn of_tool(&self, tool: &str) -> usize {
        self.0.iter().filter(|((name, _), _)| *name == tool).map(|(_, times)| times).sum()
    }
}

/// What came of the calls of a thread that were not done.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotDone {
    /// They were broken off.
    pub(crate) broken: usize,
    /// They wait as a card, or did.
    pub(crate) held: usize,
}

/// Every call has one outcome, which says what came of it.
pub(crate) fn calls(store: &dyn Store, thread: ThreadId, effects: &Effects<'_>) -> NotDone {
    let mut not_done = NotDone::default();
    for run in runs(store, thread) {
        let id = &run.run.id;
        for (round, recorded) in (0..).zip(block_on(store.run_rounds(&owner(), id)).unwrap()) {
            assert_eq!(recorded.outcomes.len(), recorded.said.calls().count(), "{recorded:?}");
            for (at, call) in recorded.said.calls().enumerate() {
                let outcome = recorded.outcomes.iter().find(|recorded| recorded.outcome.call == call.id);
                let outcome = ModelMessage::Tool(Arc::clone(&outcome.unwrap().outcome)).text();
                let (key, done) = (StepKey::call(id, round, at), format!("{} at", call.name));
                let times = effects.times(&call.name, key.as_str());
                if outcome == OutcomeText::Lost.text() || outcome == OutcomeText::Interrupted.text() {
                    not_done.broken += 1;
                } else if call.name == PAY {
                    not_done.held += 1;
                    assert_eq!((&*outcome, times), (OutcomeText::Waiting.text(), 0));
                } else {
                    assert!(outcome.starts_with(&done) && times > 0, "{outcome}, done {times} times");
                    assert!(call.name != PUT || times == 1);
                }
            }
        }
    }
    not_done
}
