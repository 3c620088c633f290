//! One answer of a model: assembled, kept, sent; smaller, or to the next model, where it must be.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use briefing::message::{Assistant, EntryId, Input, Item, ToolCall};
use briefing_store::{KeptRequest, RunEnd};
use briefing_wire::{Answer, Stop as StopReason, StreamEvent, UnfinishedCall};
use futures_util::future::{Either, select};
use tracing::Instrument;

use crate::assemble::{Inputs, Made, MakeError, pieces};
use crate::model::{self, Model};
use crate::provider::{FaultKind, ProviderFault, Retrying, send_with_retries};
use crate::run::{Halt, Running};
use crate::{AgentError, Event};

/// How often an assembly is begun anew because somebody else wrote meanwhile; then it reads the log as it was.
const TRIES: u32 = 3;

/// What a model answered.
pub(super) struct Reply {
    answer: Answer,
}

impl Reply {
    /// Why it stopped.
    pub(super) fn stop(&self) -> &StopReason {
        &self.answer.stop
    }

    /// Whether calls are to be done, or the model is to go on.
    pub(super) fn goes_on(&self) -> bool {
        self.answer.stop == StopReason::Paused
            || !self.answer.unfinished.is_empty()
            || self.answer.said.calls().next().is_some()
    }

    /// What it said. A call that was cut off stands with the arguments as far as they came: it cannot be done, and the model is told.
    pub(super) fn said(&self) -> Assistant {
        let mut said = self.answer.said.clone();
        said.items.extend(self.answer.unfinished.iter().map(|call| {
            let UnfinishedCall { id, name, input } = call.clone();
            Item::Call(ToolCall { id, name, input: Input::new(input), extra: briefing::message::Extra::default() })
        }));
        said
    }
}

impl Running<'_> {
    /// Asks until there is an answer.
    pub(super) async fn ask(&mut self) -> Result<Reply, Halt> {
        let inner = self.inner;
        let mut shrunk = false;
        loop {
            let Some(model) = inner.models.get(self.model) else { return Err(Halt::failed(AgentError::NoModel)) };
            let fault = match self.make(model).await {
                Ok((inputs, made)) => match self.send(model, &inputs, &made).await? {
                    Ok(answer) => return Ok(Reply { answer }),
                    Err(fault) if fault.kind() == FaultKind::TooLarge && !shrunk => {
                        shrunk = true;
                        let tokens = inner.learned.too_large(&model.profile, made.briefing.receipt().total().tokens);
                        (self.told)(Event::Shrunk { tokens });
                        continue;
                    }
                    Err(fault) => fault.to_string(),
                },
                Err(MakeError::Store(error)) => return Err(Halt::Broken(error.into())),
                Err(error) => error.to_string(),
            };
            self.fall_back(model, fault)?;
            shrunk = false;
        }
    }

    /// The next model of the list, if there is one.
    fn fall_back(&mut self, from: &Model, fault: String) -> Result<(), Halt> {
        let Some(next) = self.inner.models.get(self.model + 1) else { return Err(Halt::failed(fault)) };
        self.model += 1;
        (self.told)(Event::FellBack { from: Arc::clone(from.name()), to: Arc::clone(next.name()), fault });
        Ok(())
    }

    /// The request of now.
    async fn make(&self, model: &Model) -> Result<(Inputs, Made), MakeError> {
        let inner = self.inner;
        let owner = inner.owner();
        let (calibration, tokens) = inner.learned.of(&model.profile);
        let call = model.call(&inner.tools.declare(|tool| inner.persona.may_use(tool)), calibration);
        for tries in 0..=TRIES {
            let head = inner.store.next_entry(owner).await?;
            let mut inputs = Inputs::of(&call, self.about.clone(), self.began, head, tokens)?;
            if let Some(key) = inputs.anchor_key(&inner.persona, &self.chain) {
                inputs.anchor = inner.store.anchor(owner, &key).await?.map(EntryId::get);
            }
            let rounds = inner.rounds_so_far(&self.about, &self.writer.run).await?;
            let log = inner.log((tries == TRIES).then_some(head));
            let made = inner.make(&inputs, &self.chain, &pieces(&rounds, head), log).await?;
            if tries == TRIES || inner.store.next_entry(owner).await? == head {
                return Ok((inputs, made));
            }
        }
        Err(MakeError::Kept { detail: "the log does not stand still".to_owned() })
    }

    /// Keeps the request and sends it. What the inner result says is the provider's.
    async fn send(&mut self, model: &Model, inputs: &Inputs, made: &Made) -> Result<Result<Answer, ProviderFault>, Halt> {
        let inner = self.inner;
        self.keep(inputs, made).await?;
        let receipt = made.briefing.receipt();
        let (bytes, tokens) = (made.request.body().len() as u64, receipt.total().tokens);
        (self.told)(Event::Requested { round: self.round, model: Arc::clone(model.name()), bytes, tokens });
        let sent = self.wait_for(model, made).await?;
        self.receipt = Some(Arc::new(receipt.clone()));
        if let Ok(answer) = &sent {
            let spent = model::spent(&answer.usage);
            self.spent = added(self.spent, spent);
            self.cost = self.cost.saturating_add(model.prices.map_or(0, |prices| prices.cost(&spent)));
            inner.persist(|| inner.store.spend(inner.owner(), &self.writer, spent)).await?;
            (self.told)(Event::Spent { spent });
            if let Some(counted) = answer.usage.input {
                inner.learned.counted(&model.profile, inputs.profile.calibration, tokens, counted);
            }
        }
        Ok(sent)
    }

    async fn keep(&self, inputs: &Inputs, made: &Made) -> Result<(), Halt> {
        let inner = self.inner;
        let (owner, now) = (inner.owner(), inner.clock.now());
        let anchor = made.briefing.receipt().anchor().map(|anchor| anchor.entry());
        if let (Some(key), Some(entry)) = (inputs.anchor_key(&inner.persona, &self.chain), anchor)
            && inputs.anchor != Some(entry.get())
        {
            inner.persist(|| inner.store.move_anchor(owner, &self.writer, &key, entry)).await?;
        }
        if !inner.settings.keep_requests {
            return Ok(());
        }
        let json = |made: Result<String, serde_json::Error>| made.map_err(Halt::failed);
        let request = KeptRequest {
            wire: made.request.wire().name().to_owned(),
            model: made.request.model().to_owned(),
            round: self.round,
            body: made.request.body().to_vec(),
            receipt: json(serde_json::to_string(made.briefing.receipt()))?,
            inputs: json(serde_json::to_string(inputs))?,
        };
        inner.persist(|| inner.store.keep_request(owner, &self.writer, request.clone(), now)).await?;
        Ok(())
    }

    /// Sends, with retries, until there is an answer, the run is to stop, or its time is over.
    async fn wait_for(&mut self, model: &Model, made: &Made) -> Result<Result<Answer, ProviderFault>, Halt> {
        let (inner, stop, left) = (self.inner, self.stop, self.left());
        let streamed = Mutex::new((&mut *self.told, false));
        let tell = |event: Event, is_text: bool| {
            let mut told = streamed.lock().unwrap_or_else(PoisonError::into_inner);
            told.1 |= is_text;
            (told.0)(event);
        };
        let mut hear = |event: &StreamEvent| match event {
            StreamEvent::Text { text } | StreamEvent::Refusal { text } => tell(Event::Text { text: text.clone() }, true),
            StreamEvent::Reasoning { text } => tell(Event::Reasoning { text: text.clone() }, false),
            StreamEvent::CallBegun { .. }
            | StreamEvent::CallInput { .. }
            | StreamEvent::CallDone { .. }
            | StreamEvent::Native { .. }
            | StreamEvent::Usage(_)
            | StreamEvent::Stop(_)
            | StreamEvent::Cut(_) => {}
        };
        let mut failed = |retrying: &Retrying<'_>| {
            if std::mem::take(&mut streamed.lock().unwrap_or_else(PoisonError::into_inner).1) {
                tell(Event::TakenBack, false);
            }
            let (attempt, fault, wait) = (retrying.attempt, retrying.fault.to_string(), retrying.wait);
            tell(Event::Retry { attempt, fault, wait }, false);
        };
        let span = tracing::info_span!(
            "chat",
            gen_ai.operation.name = "chat",
            gen_ai.request.model = made.request.model(),
            briefing.wire = made.request.wire().name(),
            gen_ai.usage.input_tokens = tracing::field::Empty,
            gen_ai.usage.output_tokens = tracing::field::Empty,
            "error.type" = tracing::field::Empty,
            briefing.bytes = made.request.body().len(),
        );
        let measured = span.clone();
        let sending = send_with_retries(&*model.provider, &made.request, &model.retry, &*inner.clock, &mut failed, &mut hear);
        let over = async {
            match left {
                Some(left) => inner.clock.sleep(left).await,
                None => std::future::pending().await,
            }
        };
        let halted = async {
            match select(pin!(stop.wait()), pin!(over)).await {
                Either::Left(_) => Halt::End(RunEnd::Stopped, None),
                Either::Right(_) => inner.late(),
            }
        };
        match select(pin!(sending.instrument(span)), pin!(halted)).await {
            Either::Right((halt, _)) => Err(halt),
            Either::Left((sent, _)) => {
                record(&measured, &sent);
                // Who does not stream says it all at once.
                if let Ok(answer) = &sent
                    && !streamed.lock().unwrap_or_else(PoisonError::into_inner).1
                {
                    for text in answer.said.items.iter().filter_map(Item::text) {
                        tell(Event::Text { text: text.to_owned() }, true);
                    }
                }
                Ok(sent)
            }
        }
    }
}

/// What became of a request, in its span.
fn record(span: &tracing::Span, sent: &Result<Answer, ProviderFault>) {
    match sent {
        Ok(answer) => {
            span.record("gen_ai.usage.input_tokens", answer.usage.input.unwrap_or_default());
            span.record("gen_ai.usage.output_tokens", answer.usage.output.unwrap_or_default());
        }
        Err(fault) => {
            span.record("error.type", tracing::field::display(fault));
        }
    }
}

fn added(one: briefing_store::Spent, other: briefing_store::Spent) -> briefing_store::Spent {
    briefing_store::Spent {
        requests: one.requests.saturating_add(other.requests),
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
        cache_read: one.cache_read.saturating_add(other.cache_read),
        cache_written: one.cache_written.saturating_add(other.cache_written),
        reasoning: one.reasoning.saturating_add(other.reasoning),
    }
}
