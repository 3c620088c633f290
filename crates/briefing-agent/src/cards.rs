//! Cards: a person confirms, and what was proposed is done, once; or says no.

use std::sync::Arc;
use std::time::Duration;

use briefing::log::{Body, Card, Settled};
use briefing::message::{EntryId, Part, ThreadId};
use briefing_store::StoreError;

use crate::AgentError;
use crate::agent::Agent;
use crate::inner::Inner;
use crate::run::guarded;
use crate::tool::Checked;

/// What became of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    /// How it ended.
    pub settled: Settled,
    /// The entry that says so. The model is told no more than that.
    pub notice: EntryId,
    /// What the tool said, or why it was not done: for the person alone.
    pub said: String,
}

impl Agent {
    /// A person confirms that card. Whether the persona may still do it, and whether what it touches is as it was, is looked at again;
    /// then it is done, and its outcome is a notice in the thread. Only one of two who confirm at once does it.
    ///
    /// # Errors
    /// [`AgentError::Settled`] if it was settled before, or has lapsed; [`AgentError::NotOurs`] of another persona's card;
    /// [`AgentError::ToolMissing`] while its tool is not there, as when its server is down: it waits on;
    /// [`AgentError::Store`] with [`StoreError::CardClaimed`] while somebody else does it, or died over it, and with
    /// [`StoreError::NotACard`] and [`StoreError::UnknownEntry`].
    pub async fn confirm(&self, card: EntryId) -> Result<Confirmed, AgentError> {
        let inner = &*self.inner;
        let (owner, found) = (inner.owner(), inner.own_card(card).await?);
        if inner.tools.get(&found.call.name).is_none() {
            return Err(AgentError::ToolMissing { tool: found.call.name.clone() });
        }
        let thread = inner.store.thread_of(owner, card).await?.ok_or(StoreError::UnknownEntry { entry: card })?;
        inner.engine.claim(owner, card, inner.clock.now()).await?;
        let (settled, said) = match inner.do_card(card, thread, &found).await {
            Ok(said) => (Settled::Done, said),
            Err(NotDone::Lost(why)) => (Settled::Lost, why),
            Err(NotDone::Changed) => (Settled::DataChanged, "what it touches has changed since it was proposed".to_owned()),
            Err(NotDone::Failed(why)) => (Settled::Failed, why),
        };
        let language = Some(&*inner.settings.language);
        let notice = inner.persist(|| inner.store.settle(owner, card, settled, language, inner.clock.now())).await?;
        Ok(Confirmed { settled, notice, said })
    }

    /// A person says no. The entry that tells it.
    ///
    /// # Errors
    /// As [`confirm`](Self::confirm).
    pub async fn cancel(&self, card: EntryId) -> Result<EntryId, AgentError> {
        let inner = &*self.inner;
        inner.own_card(card).await?;
        let language = Some(&*inner.settings.language);
        Ok(inner.store.settle(inner.owner(), card, Settled::Cancelled, language, inner.clock.now()).await?)
    }
}

/// Why a confirmed card was not done.
enum NotDone {
    Changed,
    Failed(String),
    /// It was begun, and nobody knows whether it was done.
    Lost(String),
}

/// How long a confirmed card may take, looking at it again and doing it together; shorter than a claim lasts.
pub(crate) const CARD_TIME: Duration = Duration::from_secs(1_200);

impl Inner {
    /// The card, if this persona proposed it.
    async fn own_card(&self, entry: EntryId) -> Result<Arc<Card>, AgentError> {
        let found = self.store.entry(self.owner(), entry).await?.ok_or(StoreError::UnknownEntry { entry })?;
        let Body::Card(card) = &found.body else { return Err(StoreError::NotACard { entry }.into()) };
        let proposer = match &card.run {
            Some(run) => self.store.run(self.owner(), run).await?,
            None => None,
        };
        // Whose it is must be known.
        if proposer.is_none_or(|run| !run.run.persona.eq_ignore_ascii_case(self.persona.address())) {
            return Err(AgentError::NotOurs { card: entry });
        }
        Ok(Arc::clone(card))
    }

    /// Does what a claimed card proposes.
    async fn do_card(&self, entry: EntryId, thread: ThreadId, card: &Card) -> Result<String, NotDone> {
        let Checked::Ready { tool, input } = self.tools.check(&card.call, |tool| self.persona.may_use(tool)) else {
            return Err(NotDone::Failed(format!(
                "the persona may not use {} any more, or it takes something else now",
                card.call.name
            )));
        };
        let Some(run) = &card.run else {
            return Err(NotDone::Failed("the card does not say which run proposed it".to_owned()));
        };
        let cx = self.tool_context(thread, run, format!("{run}/card/{entry}").into(), None);
        let began = self.clock.now();
        let time = tool.spec().timeout.unwrap_or(CARD_TIME).min(CARD_TIME);
        let proposed = self.within(Some(time), guarded(async { tool.propose(&input, &cx).await })).await;
        let now = proposed.map_err(|failure| NotDone::Failed(failure.to_string()))?;
        if now.fingerprint != card.fingerprint {
            return Err(NotDone::Changed);
        }
        let spent = Duration::try_from(self.clock.now().duration_since(began)).unwrap_or_default();
        let left = time.min(CARD_TIME.saturating_sub(spent));
        let output = self.perform(&*tool, &input, &cx, Some(left)).await.map_err(|failure| match failure.may_have_done() {
            true => NotDone::Lost(failure.to_string()),
            false => NotDone::Failed(failure.to_string()),
        })?;
        let texts: Vec<&str> = output.parts.iter().filter_map(Part::as_text).collect();
        Ok(texts.join("\n\n"))
    }
}
