//! An agent: a persona with its models, its tools, and the log that it works in.

use std::sync::Arc;

use briefing::log::Cause;
use briefing::message::{EntryId, ThreadId};
use briefing::{Inbound, Persona, Responsibility};
use briefing_store::{Scheduled, Store};
use jiff::Timestamp;

use crate::assemble::About;
use crate::engine::{Engine, StoreEngine};
use crate::inner::Inner;
use crate::model::Model;
use crate::run::{Begins, Ended};
use crate::tool::ToolSet;
use crate::{AgentError, Clock, Settings, Stop, Told};

/// An agent. Cheap to clone; one agent serves many threads at once, and in each of them one run at a time.
///
/// Its futures need no runtime of their own: what providers, tools and the clock need, they need. A future that is dropped leaves a
/// run that did not end. Its lease lapses, and the next run in the thread takes it up, or closes it as lost.
#[derive(Clone)]
pub struct Agent {
    pub(crate) inner: Arc<Inner>,
}

impl Agent {
    /// An agent whose engine is the store itself.
    ///
    /// # Errors
    /// [`AgentError::NoModel`] without a model; [`AgentError::NoPrices`] if the cost is bounded and not known.
    pub fn new(
        store: Arc<dyn Store>,
        persona: Arc<Persona>,
        models: Vec<Model>,
        tools: Arc<ToolSet>,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Result<Self, AgentError> {
        if models.is_empty() {
            return Err(AgentError::NoModel);
        }
        if settings.limits.cost.is_some()
            && let Some(model) = models.iter().find(|model| model.prices.is_none())
        {
            return Err(AgentError::NoPrices { model: Arc::clone(model.name()) });
        }
        let engine = Arc::new(StoreEngine::new(Arc::clone(&store), StoreEngine::LASTS));
        let inner = Inner { store, engine, persona, models, tools, clock, settings, learned: Arc::default() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The same agent under another engine.
    #[must_use]
    pub fn with_engine(self, engine: Arc<dyn Engine>) -> Self {
        let inner = Inner { engine, ..(*self.inner).clone() };
        Self { inner: Arc::new(inner) }
    }

    /// Answers a mail, or what a user said in a chat. The answer is appended to the thread. A run for the same entry whose process died
    /// is taken up where it was; other runs of the thread that died are closed. What was answered before is not answered again, unless it
    /// was edited or its answer was popped since: the answer that there is is given back.
    ///
    /// That a model or a tool failed, or a limit was reached, is an [`Ended`] that says so.
    ///
    /// # Errors
    /// [`AgentError::Busy`] while another run is at work in the thread; [`AgentError::NotAnswerable`], [`AgentError::NotInThread`];
    /// [`AgentError::Store`] or [`AgentError::Fenced`] if it could not be written down what happened: the run can be taken up again.
    pub async fn answer(
        &self,
        thread: ThreadId,
        entry: EntryId,
        stop: &Stop,
        told: &mut Told<'_>,
    ) -> Result<Ended, AgentError> {
        let inner = &self.inner;
        let found = inner.store.entry(inner.owner(), entry).await?;
        if found.and_then(|found| Inbound::new(found, thread)).is_none() {
            return Err(AgentError::NotAnswerable { entry });
        }
        if !inner.shows(thread, entry).await? {
            return Err(AgentError::NotInThread { thread, entry });
        }
        let about = About::Message { thread: thread.get(), entry: entry.get() };
        inner.run(about, Begins::For(Cause::Message(entry)), stop, told).await
    }

    /// Does scheduled work once. What the model says at the end is appended to the thread.
    ///
    /// # Errors
    /// As [`answer`](Self::answer), and [`AgentError::Chain`] without a chain for scheduled work.
    pub async fn work(
        &self,
        thread: ThreadId,
        responsibility: Responsibility,
        stop: &Stop,
        told: &mut Told<'_>,
    ) -> Result<Ended, AgentError> {
        let Responsibility { name, instructions } = responsibility;
        let cause = Cause::Responsibility(name.clone());
        let about = About::Responsibility { thread: thread.get(), name, instructions };
        self.inner.chain(&about)?;
        self.inner.run(about, Begins::For(cause), stop, told).await
    }

    /// Keeps that this persona is to do the work of that name at a time, in that thread, as a run of a new id. Somebody has to look for
    /// [what is due](Self::due) then, and [do it](Self::work_due): nothing does so by itself.
    ///
    /// # Errors
    /// [`AgentError::Chain`] without a chain for scheduled work; [`AgentError::Store`].
    pub async fn schedule(&self, thread: ThreadId, responsibility: &str, at: Timestamp) -> Result<Scheduled, AgentError> {
        let inner = &self.inner;
        inner.persona.responsibility_chain()?;
        let (run, persona) = (inner.new_id(), inner.persona.address().into());
        let work = Scheduled { run, thread, persona, responsibility: responsibility.to_owned(), at };
        inner.engine.schedule(inner.owner(), &work).await?;
        Ok(work)
    }

    /// What is due now and for this persona, the first first, at most `count`. What somebody is doing now is among it.
    ///
    /// # Errors
    /// [`AgentError::Store`].
    pub async fn due(&self, count: usize) -> Result<Vec<Scheduled>, AgentError> {
        let (inner, now) = (&self.inner, self.inner.clock.now());
        let mut most = count;
        loop {
            let mut due = inner.engine.due(inner.owner(), now, most).await?;
            let all = due.len() < most;
            due.retain(|work| inner.is_ours(&work.persona));
            // What is due for other personas of the owner may stand before it.
            if all || due.len() >= count {
                due.truncate(count);
                return Ok(due);
            }
            most = most.saturating_mul(2);
        }
    }

    /// Does scheduled work that is due, as the run of its id: begins that, or takes it up where its process died. However many do so, it
    /// is done once.
    ///
    /// # Errors
    /// [`AgentError::EndedBefore`] if it was done or cancelled before: nothing is done then. [`AgentError::Busy`] while somebody does it,
    /// or another run is at work in its thread: it stays due. [`AgentError::NotDue`] before its time; [`AgentError::OtherWork`] if it is
    /// not for this persona, not of that name, or its run is that of something else; and as [`work`](Self::work).
    pub async fn work_due(
        &self,
        work: &Scheduled,
        responsibility: Responsibility,
        stop: &Stop,
        told: &mut Told<'_>,
    ) -> Result<Ended, AgentError> {
        let (inner, run) = (&self.inner, &work.run);
        let Responsibility { name, instructions } = responsibility;
        if !inner.is_ours(&work.persona) || name != work.responsibility {
            return Err(AgentError::OtherWork { run: run.clone() });
        }
        if work.at > inner.clock.now() {
            return Err(AgentError::NotDue { run: run.clone(), at: work.at });
        }
        inner.is_to_be_done(work).await?;
        let about = About::Responsibility { thread: work.thread.get(), name, instructions };
        inner.run(about, Begins::Due(work), stop, told).await
    }

    /// The persona.
    #[must_use]
    pub fn persona(&self) -> &Persona {
        &self.inner.persona
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.inner.engine
    }
}
