//! The calls of a round: looked at, done side by side where they only read, and their outcomes recorded as they come.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use briefing::Receipt;
use briefing::log::{Arrival, Body, Card, RecordedRound};
use briefing::message::{Assistant, EntryId, Outcome, Part, RunId, ThreadId, ToolCall};
use briefing::texts::OutcomeText;
use briefing_store::{Append, Step, StoreError, Writer};
use futures_util::future::{Either, FutureExt, select};
use futures_util::stream::{self, StreamExt};
use serde_json::{Map, Value};
use tracing::Instrument;

use crate::Event;
use crate::engine::StepKey;
use crate::inner::Inner;
use crate::run::recover::{Stage, card_key, fixed, unanswered};
use crate::run::{Halt, Running, halt, told_text};
use crate::tool::{Checked, Effect, OwnerLog, Tool, ToolContext, ToolFailure, ToolOutput};

/// How many calls that only read are done at once.
const SIDE_BY_SIDE: usize = 8;

/// The most bytes of one outcome. Tools have limits of their own; this is the last fence.
const MAX_OUTCOME_BYTES: usize = 8 << 20;

/// A call that is to be done.
struct Job {
    call: ToolCall,
    tool: Arc<dyn Tool>,
    input: Map<String, Value>,
    key: StepKey,
    /// Whether it may have had an effect by now.
    begun: Arc<AtomicBool>,
}

impl Job {
    fn only_reads(&self) -> bool {
        reads(&*self.tool)
    }
}

/// What is to be done about a call.
enum Looked {
    /// Nothing: this is its outcome.
    Ended(Outcome),
    /// Nothing: it is held as that card.
    Held(EntryId),
    /// It is to be done.
    Job(Job),
}

/// How a job came to its end.
enum Done {
    /// With an outcome.
    Outcome(Outcome),
    /// As a card, whose call waits.
    Card(Box<Card>),
}

impl Running<'_> {
    /// Records what the model said, and then does what it asked for.
    pub(super) async fn act(&mut self, said: Assistant) -> Result<(), Halt> {
        let inner = self.inner;
        let (round, writer) = (self.round, self.writer.clone());
        let recorded =
            inner.persist(|| inner.store.append_round(inner.owner(), &writer, round, said.clone(), inner.clock.now())).await?;
        self.round = round.saturating_add(1);
        for call in recorded.said.calls() {
            let (call, tool, input) = (call.id.to_string(), call.name.clone(), told_text(call.input.raw()));
            (self.told)(Event::Called { call, tool, input });
        }
        self.do_calls(round, &recorded).await
    }

    /// Goes on where a process died: calls of its rounds that have no outcome are done, or told as what became of them.
    pub(super) async fn take_up(&mut self) -> Result<(), Halt> {
        self.before = self.inner.begun_before(&self.run.id).await?;
        // What it was asked since, before anything is done.
        self.is_over().await?;
        let rounds = match self.inner.store.run_rounds(self.inner.owner(), &self.run.id).await {
            Err(error @ StoreError::Corrupt { .. }) => return Err(Halt::failed(error)),
            rounds => rounds?,
        };
        for recorded in rounds {
            let round = self.round;
            self.round = round.saturating_add(1);
            let failed = recorded.outcomes.iter().filter(|outcome| outcome.outcome.failed == Some(true)).count();
            self.calls = self.calls.saturating_add(u32::try_from(recorded.outcomes.len()).unwrap_or(u32::MAX));
            self.failures = self.failures.saturating_add(u32::try_from(failed).unwrap_or(u32::MAX));
            self.do_calls(round, &recorded).await?;
        }
        Ok(())
    }

    /// Does the calls of a round that have no outcome, in their order: neighbours that only read side by side, one that writes alone.
    async fn do_calls(&mut self, round: u32, recorded: &RecordedRound) -> Result<(), Halt> {
        let mut reads = Vec::new();
        for (at, call) in unanswered(recorded) {
            let key = StepKey::call(&self.run.id, round, at);
            match self.look_at(call, key, at).await? {
                Looked::Ended(outcome) => self.record(call, outcome).await?,
                Looked::Held(card) => self.hold_again(call, card).await?,
                Looked::Job(job) if job.only_reads() => reads.push(job),
                Looked::Job(job) => {
                    self.do_jobs(std::mem::take(&mut reads)).await?;
                    self.do_jobs(vec![job]).await?;
                }
            }
        }
        self.do_jobs(reads).await
    }

    /// What is to be done about a call. What the log says of it comes first: whatever the tools are now, what may have had its effect is
    /// not told as refused, and what is held is not held twice.
    async fn look_at(&mut self, call: &ToolCall, key: StepKey, at: usize) -> Result<Looked, Halt> {
        let inner = self.inner;
        let stage = inner.stage(&self.before, &key).await?;
        if let Stage::Held(card) = stage {
            return Ok(Looked::Held(card));
        }
        if self.halted().is_some() {
            return Ok(Looked::Ended(fixed(call.id.clone(), stage.end())));
        }
        let checked = inner.tools.check(call, |tool| inner.persona.may_use(tool));
        let most = inner.settings.limits.calls_of_round as usize;
        Ok(match (stage, checked) {
            (Stage::Fresh, _) if at >= most => {
                let text = format!("[not run: at most {most} calls of one round are done]");
                Looked::Ended(failed(call, text))
            }
            (Stage::Fresh, Checked::Refused(fault)) => Looked::Ended(failed(call, fault.to_string())),
            (stage, Checked::Ready { tool, input }) if stage == Stage::Fresh || reads(&*tool) => {
                Looked::Job(Job { call: call.clone(), tool, input, key, begun: Arc::default() })
            }
            (_, Checked::Ready { .. } | Checked::Refused(_)) => Looked::Ended(fixed(call.id.clone(), OutcomeText::Lost)),
        })
    }

    /// Does these side by side, and records each outcome when it comes. If the run is to stop, or its time is over, what is under way is
    /// broken off: what wrote may have had its effect.
    async fn do_jobs(&mut self, jobs: Vec<Job>) -> Result<(), Halt> {
        let inner = self.inner;
        let mut open: Vec<(ToolCall, Arc<AtomicBool>)> =
            jobs.iter().map(|job| (job.call.clone(), Arc::clone(&job.begun))).collect();
        let (writer, thread, receipt) = (self.writer.clone(), self.about.thread(), self.receipt.clone());
        {
            let done = jobs.into_iter().map(|job| {
                let cx = inner.tool_context(thread, &writer.run, job.key.shared(), receipt.clone());
                let writer = &writer;
                async move {
                    let done = inner.do_job(&job, writer, &cx).await;
                    (job, done)
                }
            });
            let mut done = pin!(stream::iter(done).buffer_unordered(SIDE_BY_SIDE));
            while !open.is_empty() {
                // What waits is looked at first: nothing is begun any more once the run is over.
                let over = pin!(halt(inner, self.stop, self.deadline));
                let Either::Right((Some((job, done)), _)) = select(over, done.next()).await else { break };
                open.retain(|(call, _)| call.id != job.call.id);
                match done? {
                    Done::Outcome(outcome) => self.record(&job.call, outcome).await?,
                    Done::Card(card) => self.hold(&job, *card).await?,
                }
            }
        }
        // Whatever was under way has been dropped by now, and its processes with it.
        for (call, begun) in open {
            let text = if begun.load(Ordering::Relaxed) { OutcomeText::Lost } else { OutcomeText::Interrupted };
            self.record(&call, fixed(call.id.clone(), text)).await?;
        }
        Ok(())
    }

    /// Appends a card, once, and the outcome by which the model knows that its call waits.
    async fn hold(&mut self, job: &Job, card: Card) -> Result<(), Halt> {
        let inner = self.inner;
        let key = card_key(&job.key);
        let (action, preview, expires) = (card.action.clone(), card.preview.clone(), card.expires);
        let thread = self.about.thread();
        let append = |now| Append::card(card.clone(), thread, Arrival::Live(now)).key(key).by(self.writer.clone());
        let appended = inner.persist(|| inner.store.append(inner.owner(), vec![append(inner.clock.now())])).await?;
        if let Some(appended) = appended.first() {
            (self.told)(Event::Card { card: appended.place.entry, action, preview, expires });
        }
        self.record(&job.call, fixed(job.call.id.clone(), OutcomeText::Waiting)).await
    }

    /// A card that was stored before its process died: its call waits.
    async fn hold_again(&mut self, call: &ToolCall, card: EntryId) -> Result<(), Halt> {
        let found = self.inner.store.entry(self.inner.owner(), card).await?;
        let settled = self.inner.store.notices(self.inner.owner(), &[card]).await?;
        if let (Some(Body::Card(held)), []) = (found.as_deref().map(|entry| &entry.body), settled.as_slice()) {
            let (action, preview, expires) = (held.action.clone(), held.preview.clone(), held.expires);
            (self.told)(Event::Card { card, action, preview, expires });
        }
        self.record(call, fixed(call.id.clone(), OutcomeText::Waiting)).await
    }

    /// Records an outcome. The tool has done what it did, so this is worth waiting for.
    async fn record(&mut self, call: &ToolCall, outcome: Outcome) -> Result<(), Halt> {
        let inner = self.inner;
        self.calls = self.calls.saturating_add(1);
        self.failures = self.failures.saturating_add(u32::from(outcome.failed == Some(true)));
        inner.persist(|| inner.store.append_outcome(inner.owner(), &self.writer, outcome.clone(), inner.clock.now())).await?;
        let texts: Vec<&str> = outcome.parts.iter().filter_map(Part::as_text).collect();
        let (id, tool, text) = (call.id.to_string(), call.name.clone(), told_text(&texts.join("\n\n")));
        (self.told)(Event::Outcome { call: id, tool, failed: outcome.failed, text });
        Ok(())
    }
}

impl Inner {
    /// What a call may know.
    pub(crate) fn tool_context(
        &self,
        thread: ThreadId,
        run: &RunId,
        key: Arc<str>,
        receipt: Option<Arc<Receipt>>,
    ) -> ToolContext {
        ToolContext {
            persona: self.persona.address().into(),
            agent: self.persona.name().into(),
            thread,
            run: run.clone(),
            key,
            now: self.clock.now(),
            receipt,
            log: OwnerLog::new(Arc::clone(&self.store), self.owner().clone()),
        }
    }

    async fn do_job(&self, job: &Job, writer: &Writer, cx: &ToolContext) -> Result<Done, Halt> {
        let spec = job.tool.spec();
        let id = job.call.id.clone();
        if spec.confirm {
            let proposed = guarded(async { job.tool.propose(&job.input, cx).await });
            return Ok(match self.within(spec.timeout, proposed).await {
                Ok(proposal) => Done::Card(Box::new(Card {
                    run: Some(cx.run.clone()),
                    call: job.call.clone(),
                    action: format!("{} {}", spec.name, named(&id.to_string())),
                    language: self.settings.language.to_string(),
                    preview: proposal.preview,
                    fingerprint: proposal.fingerprint,
                    expires: self.settings.card_lasts.and_then(|lasts| cx.now.checked_add(lasts).ok()),
                })),
                Err(failure) => Done::Outcome(failed(&job.call, failure.to_string())),
            });
        }
        let step = self.persist(|| self.engine.step(self.owner(), writer, &job.key, self.clock.now())).await?;
        if spec.effect == Effect::Writes {
            if step == Step::Again {
                return Ok(Done::Outcome(fixed(id, OutcomeText::Lost)));
            }
            job.begun.store(true, Ordering::Relaxed);
        }
        let span = tracing::info_span!(
            "execute_tool",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = &*spec.name,
            gen_ai.tool.call.id = %id,
        );
        let outcome = match self.perform(&*job.tool, &job.input, cx, spec.timeout).instrument(span).await {
            Ok(ToolOutput { parts }) => Outcome { parts, failed: Some(false), ..Outcome::text(id, "") },
            Err(failure) => failed(&job.call, failure.to_string()),
        };
        Ok(Done::Outcome(outcome))
    }

    /// Does what a tool does, within its time and a size.
    pub(crate) async fn perform(
        &self,
        tool: &dyn Tool,
        input: &Map<String, Value>,
        cx: &ToolContext,
        time: Option<Duration>,
    ) -> Result<ToolOutput, ToolFailure> {
        let ToolOutput { parts } = self.within(time, guarded(async { tool.run(input, cx).await })).await?;
        Ok(ToolOutput { parts: bounded(parts) })
    }

    /// Within that time, or not at all.
    pub(crate) async fn within<T>(
        &self,
        time: Option<Duration>,
        work: impl Future<Output = Result<T, ToolFailure>>,
    ) -> Result<T, ToolFailure> {
        let Some(after) = time else { return work.await };
        match select(pin!(work), pin!(self.clock.sleep(after))).await {
            Either::Left((done, _)) => done,
            Either::Right(((), _)) => Err(ToolFailure::TimedOut { after }),
        }
    }
}

/// A tool that panics has failed, and nothing else has.
pub(crate) async fn guarded<T>(work: impl Future<Output = Result<T, ToolFailure>>) -> Result<T, ToolFailure> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(ToolFailure::Crashed { detail: told_text(said.unwrap_or("it panicked")) })
    })
}

/// Whether a call of it may be done beside others, and again.
fn reads(tool: &dyn Tool) -> bool {
    tool.spec().effect == Effect::Reads && !tool.spec().confirm
}

/// A provider's id, as far as it is harmless in a line that reads as a user's.
fn named(id: &str) -> String {
    /// Characters of an id in the name of an action.
    const MOST: usize = 64;
    id.chars().filter(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '#')).take(MOST).collect()
}

/// Parts within the size of an outcome: what is beyond it is named and left out, as what was done was done.
fn bounded(parts: Vec<Part>) -> Vec<Part> {
    let mut taken = 0_usize;
    let fit = |part: Part| {
        let bytes = size(&part);
        if taken.saturating_add(bytes) > MAX_OUTCOME_BYTES {
            return Part::text(format!("[left out: {bytes} bytes beyond the {MAX_OUTCOME_BYTES} of one outcome]"));
        }
        taken += bytes;
        part
    };
    parts.into_iter().map(fit).collect()
}

fn failed(call: &ToolCall, text: String) -> Outcome {
    Outcome { failed: Some(true), ..Outcome::text(call.id.clone(), text) }
}

fn size(part: &Part) -> usize {
    match part {
        Part::Text(text) => text.text.len(),
        Part::Image(media) | Part::Document(media) => media.encoded_len(),
        Part::Native(native) => native.raw.as_str().len(),
    }
}
