//! The story, which can be begun anew wherever it broke off.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use briefing::Wire;
use briefing::message::{RunId, ThreadId};
use briefing_agent::{Agent, AgentError, StepKey};
use briefing_store::{Durability, Key, RunEnd, RunsOf, Scheduled, Settings, SqliteStore, StoreError};
use briefing_tests::watched::{Desk, FIRST, Hook, Question, SCHEDULED, SECOND, SetClock, Watched, owner};
use jiff::Timestamp;

use crate::child::append;

pub(crate) const DATABASE: &str = "briefing.db";
/// A line for each effect: the tool and the call's key.
pub(crate) const EFFECTS: &str = "effects";
/// A line for each message that was accepted, and for each answer: its key and its entry.
pub(crate) const ACCEPTED: &str = "accepted";

/// Seconds between two processes: longer than a lease, and than a claimed card may take.
const BETWEEN: i64 = 3_600;
/// When the first one begins.
const BEGINS: i64 = 1_700_000_000;
/// A wait that is looked at moves on by so much.
const STEP: Duration = Duration::from_secs(6);
/// How often a wait for the model is looked at: a sign of life falls due meanwhile.
const WAITS: u32 = 5;

/// The store of that folder.
pub(crate) fn store(folder: &Path) -> Arc<SqliteStore> {
    let settings = Settings { durability: Durability::Process, ..Settings::default() };
    Arc::new(SqliteStore::open(&folder.join(DATABASE), settings).unwrap())
}

/// The desk of the next process after so many.
pub(crate) fn desk(folder: &Path, hook: &Arc<dyn Hook>, before: usize) -> Desk {
    let effects = folder.join(EFFECTS);
    Desk {
        store: Arc::new(Watched::new(store(folder), Arc::clone(hook))),
        clock: Arc::new(SetClock::new(BEGINS + BETWEEN * i64::try_from(before).unwrap(), STEP)),
        hook: Arc::clone(hook),
        effects: Arc::new(move |tool, key| append(&effects, &format!("{tool} {key}"))),
        waits: WAITS,
    }
}

/// What is played first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The first message, its card, scheduled work, the second message.
    InOrder,
    /// The second message comes first: whatever run died over the first one is closed, and another goes on.
    SecondFirst,
}

/// Plays what was not played before.
pub(crate) async fn play(desk: &Desk, wire: Wire, folder: &Path, order: Order) -> Result<(), AgentError> {
    let agent = desk.agent(wire).unwrap();
    let chat = desk.store.named_thread(&owner(), FIRST).await?;
    if order == Order::SecondFirst {
        say(desk, &agent, chat, Question::Second, SECOND, folder).await?;
    }
    say(desk, &agent, chat, Question::First, FIRST, folder).await?;
    for waiting in desk.store.waiting_cards(&owner(), 10).await? {
        // What another process claimed is its own.
        if waiting.claimed.is_none() {
            agent.confirm(waiting.card.id).await?;
        }
    }
    let work = desk.store.named_thread(&owner(), SCHEDULED).await?;
    match works(wire) {
        Works::AtOnce if worked(desk, work).await? => {}
        Works::AtOnce => drop(Desk::work(&agent, work).await?),
        Works::WhenDue => work_due(desk, &agent, work).await?,
    }
    say(desk, &agent, chat, Question::Second, SECOND, folder).await
}

/// How the scheduled work of a story comes to be done.
enum Works {
    AtOnce,
    WhenDue,
}

/// Each wire has one of both.
const fn works(wire: Wire) -> Works {
    match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => Works::AtOnce,
        Wire::Anthropic | Wire::Gemini => Works::WhenDue,
    }
}

/// Schedules work as one run, whoever did so before, and does it if nobody has.
async fn work_due(desk: &Desk, agent: &Agent, thread: ThreadId) -> Result<(), AgentError> {
    let at = Timestamp::from_second(BEGINS).unwrap();
    let (run, persona) = (RunId::new(SCHEDULED), agent.persona().address().into());
    let work = Scheduled { run, thread, persona, responsibility: SCHEDULED.to_owned(), at };
    match agent.engine().schedule(&owner(), &work).await {
        // It was done, or was begun by one that died.
        Ok(()) | Err(StoreError::RunBegun { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let is_due = agent.due(10).await?.contains(&work);
    match Desk::work_due(agent, &work).await {
        Ok(_) if is_due => Ok(()),
        Err(AgentError::EndedBefore { how: RunEnd::Answered, .. }) if !is_due => {
            assert!(worked(desk, thread).await?);
            Ok(())
        }
        Ok(ended) => panic!("it was not due, and is done: {ended:?}"),
        Err(error) => Err(error),
    }
}

/// A person says that, and is answered.
pub(crate) async fn say(
    desk: &Desk,
    agent: &Agent,
    thread: ThreadId,
    question: Question,
    key: &str,
    folder: &Path,
) -> Result<(), AgentError> {
    let entry = desk.ask(thread, question, key).await?.unwrap();
    append(&folder.join(ACCEPTED), &format!("{key} {entry}"));
    let answer = Desk::answer(agent, thread, entry).await?.answer.unwrap();
    append(&folder.join(ACCEPTED), &format!("answer-{key} {answer}"));
    Ok(())
}

/// Whether some run of that thread has its answer in the log.
async fn worked(desk: &Desk, thread: ThreadId) -> Result<bool, StoreError> {
    for run in desk.store.runs(&owner(), RunsOf { thread: Some(thread), ..RunsOf::newest(100) }).await? {
        if desk.store.keyed(&owner(), &Key::new(StepKey::answer(&run.run.id).as_str())).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
