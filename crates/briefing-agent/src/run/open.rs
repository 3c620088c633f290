//! A run begins: what lapsed is settled, what died is closed or taken up, and the thread is its own.

use std::collections::HashSet;
use std::time::Duration;

use briefing::log::{Cause, RecordedRound, Run, Settled};
use briefing::message::{CallId, EntryId, Outcome, RunId, ThreadId, ToolCall};
use briefing::texts::OutcomeText;
use briefing_store::{Key, Lease, RunEnd, RunSummary, Spent, StoreError, Writer};
use uuid::Uuid;

use crate::agent::Inner;
use crate::assemble::About;
use crate::engine::StepKey;
use crate::run::Running;
use crate::run::answer::Answer;
use crate::{AgentError, Event, Stop, Told};

/// Whoever claimed a card and did not settle it for so long died over it: longer than any write may take.
const CLAIM_LASTS: Duration = Duration::from_secs(1_800);

/// How many cards of an owner are looked at.
const CARDS: usize = 1_000;

impl Inner {
    pub(super) async fn open<'a>(
        &'a self,
        about: About,
        cause: Cause,
        stop: &'a Stop,
        told: &'a mut Told<'_>,
    ) -> Result<Running<'a>, AgentError> {
        let (owner, thread) = (self.owner(), about.thread());
        let chain = self.chain(&about)?;
        for notice in self.store.settle_lapsed(owner, thread, self.clock.now()).await? {
            told(Event::CardLapsed { notice });
        }
        self.settle_lost_cards().await?;
        let (died, lease) = self.take_thread(thread, cause.clone(), told).await?;
        let resumed = died.is_some();
        let summary = self.store.run(owner, lease.run()).await?;
        let began = summary.as_ref().and_then(|run| run.began).unwrap_or_else(|| self.clock.now());
        let spent = summary.map_or_else(Spent::default, |run| run.spent);
        told(Event::Began { run: lease.run().clone(), thread: lease.thread(), resumed });
        let run = Run { id: lease.run().clone(), thread: lease.thread(), cause, persona: self.persona.address().into() };
        let deadline = self.settings.limits.deadline.and_then(|time| self.clock.now().checked_add(time).ok());
        Ok(Running {
            inner: self,
            about,
            chain,
            run,
            writer: Writer::from(&lease),
            lease,
            resumed,
            began,
            deadline,
            stop,
            told,
            round: 0,
            model: 0,
            calls: 0,
            failures: 0,
            spent,
            cost: 0,
            receipt: None,
        })
    }

    /// The lease of the thread: of the run for the same cause that died, if there is one. All others that died are closed.
    async fn take_thread(
        &self,
        thread: ThreadId,
        cause: Cause,
        told: &mut Told<'_>,
    ) -> Result<(Option<RunSummary>, Lease), AgentError> {
        let (owner, persona) = (self.owner(), self.persona.address());
        let mut unended = self.engine.unended(owner, thread).await?;
        let now = self.clock.now();
        if let Some((busy, lease)) = unended.iter().find_map(|run| Some((run, run.lease.filter(|lease| lease.holds_at(now))?)))
        {
            return Err(AgentError::Busy { run: busy.run.id.clone(), until: lease.until() });
        }
        let ours = |run: &RunSummary| {
            matches!(cause, Cause::Message(_)) && run.run.cause == cause && run.run.persona.eq_ignore_ascii_case(persona)
        };
        let died = unended.iter().position(ours).map(|at| unended.remove(at));
        // Those that began first are closed first.
        for dead in unended.iter().rev() {
            self.close(dead, told).await?;
        }
        if let Some(run) = died
            && let Some(lease) = self.resume(&run.run.id).await?
        {
            return Ok((Some(run), lease));
        }
        let run = Run { id: RunId::new(Uuid::now_v7().to_string()), thread, cause, persona: persona.into() };
        Ok((None, self.engine.begin(owner, &run, now).await?))
    }

    /// The lease of a run that died; none if another process has ended it meanwhile.
    async fn resume(&self, run: &RunId) -> Result<Option<Lease>, AgentError> {
        match self.engine.resume(self.owner(), run, self.clock.now()).await {
            Err(StoreError::RunEnded { .. }) => Ok(None),
            lease => Ok(Some(lease?)),
        }
    }

    /// Closes a run that died: a call without an outcome waits, if it was held as a card, and else is lost. If the answer was stored, the
    /// run has answered.
    async fn close(&self, dead: &RunSummary, told: &mut Told<'_>) -> Result<(), AgentError> {
        let (owner, id) = (self.owner(), &dead.run.id);
        let Some(lease) = self.resume(id).await? else { return Ok(()) };
        let writer = Writer::from(&lease);
        for (round, recorded) in (0..).zip(self.store.run_rounds(owner, id).await?) {
            for (at, call) in unanswered(&recorded) {
                let held = self.store.keyed(owner, &card_key(&StepKey::call(id, round, at))).await?.is_some();
                let text = if held { OutcomeText::Waiting } else { OutcomeText::Lost };
                self.store.append_outcome(owner, &writer, fixed(call.id.clone(), text), self.clock.now()).await?;
                if !held {
                    told(Event::CallLost { call: call.id.to_string(), tool: call.name.clone() });
                }
            }
        }
        let (how, detail) = match self.answer_of(&dead.run).await? {
            Answer::Written(_) => (RunEnd::Answered, None),
            Answer::Open(_) => (RunEnd::Lost, Some("its process died")),
        };
        Ok(self.engine.end(owner, &writer, how, detail, self.clock.now()).await?)
    }

    /// Settles cards whose claim is so old that whoever did them is gone: they may have been done.
    pub(crate) async fn settle_lost_cards(&self) -> Result<Vec<EntryId>, AgentError> {
        let now = self.clock.now();
        let mut settled = Vec::new();
        for waiting in self.store.waiting_cards(self.owner(), CARDS).await? {
            let gone = |claimed| now.duration_since(claimed) > CLAIM_LASTS.try_into().unwrap_or_default();
            if waiting.claimed.is_some_and(gone) {
                match self.store.settle(self.owner(), waiting.card.id, Settled::Lost, None, now).await {
                    Ok(notice) => settled.push(notice),
                    // Somebody else was there first.
                    Err(StoreError::Settled { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(settled)
    }

    /// Whether a thread shows an entry: one of its own, or of what it was forked off.
    pub(crate) async fn shows(&self, thread: ThreadId, entry: EntryId) -> Result<bool, AgentError> {
        use briefing::log::{Kind, Kinds};
        use briefing::ports::Back;

        let Some(found) = self.store.entry(self.owner(), entry).await? else { return Ok(false) };
        // The one behind its place, and the entry itself: read from just behind it.
        let behind = briefing::log::Place { at: found.at, entry: EntryId::new(entry.get() + 1) };
        let back = Back { thread, before: Some(behind), after: None, kinds: Kinds::of(&Kind::ALL), agent: None, count: 1 };
        let newest = self.store.read_back(self.owner(), back).await?;
        Ok(newest.first().is_some_and(|first| first.id == entry))
    }
}

/// The calls of a round that no outcome is recorded of, with their places among the calls.
pub(super) fn unanswered(round: &RecordedRound) -> impl Iterator<Item = (usize, &ToolCall)> {
    let answered: HashSet<&CallId> = round.outcomes.iter().map(|recorded| &recorded.outcome.call).collect();
    round.said.calls().enumerate().filter(move |(_, call)| !answered.contains(&call.id))
}

/// By which the card of a call is stored once.
pub(super) fn card_key(call: &StepKey) -> Key {
    Key::new(&format!("card {call}"))
}

/// An outcome of a fixed text.
pub(super) fn fixed(call: CallId, text: OutcomeText) -> Outcome {
    Outcome { failed: text.failed(), ..Outcome::text(call, text.text()) }
}
