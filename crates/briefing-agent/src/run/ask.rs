//! One answer of a model: assembled, kept, sent; smaller, or to the next model, where it must be.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use briefing::message::{Assistant, EntryId, Input, Item, ToolCall};
use briefing_store::{KeptRequest, Moment, Spent, StoreError};
use briefing_wire::{Answer, Stop as StopReason, StreamEvent, UnfinishedCall};
use futures_util::future::{Either, select};
use tracing::Instrument;

use crate::assemble::{Inputs, Made, MakeError};
use crate::model::{self, Model};
use crate::provider::{FaultKind, ProviderFault, Retrying, send_with_retries};
use crate::run::{Halt, Running, halt};
use crate::{AgentError, Event, Told};

/// How often a request that is too large is made smaller. Once is the rule; a server that takes far less than its profile says needs
/// more.
const SHRINKS: u32 = 3;

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

    /// What it said. A call that was cut off stands with the arguments as far as they came and a mark behind them, so that nothing can
    /// run it, now or later, and the model is told.
    pub(super) fn said(&self) -> Assistant {
        let mut said = self.answer.said.clone();
        // Some wires tell a call that was cut off before its first argument as one that takes none.
        if let Some(Item::Call(last)) = said.items.last_mut()
            && !self.answer.stop.is_chosen()
            && matches!(last.input.raw().trim(), "" | "{}")
        {
            last.input = cut("");
        }
        said.items.extend(self.answer.unfinished.iter().map(|call| {
            let UnfinishedCall { id, name, input } = call.clone();
            Item::Call(ToolCall { id, name, input: cut(&input), extra: briefing::message::Extra::default() })
        }));
        said
    }
}

/// What stands behind arguments that were cut off: with it they are no JSON.
const CUT_OFF: &str = "[cut off]";

/// The most calls of one answer: beyond them it is none.
const MAX_CALLS: usize = 1_024;

fn cut(input: &str) -> Input {
    Input::new(format!("{input}{CUT_OFF}"))
}

impl Running<'_> {
    /// Asks until there is an answer.
    pub(super) async fn ask(&mut self) -> Result<Reply, Halt> {
        let inner = self.inner;
        let mut shrunk = 0;
        loop {
            let Some(model) = inner.models.get(self.model) else { return Err(Halt::failed(AgentError::NoModel)) };
            let fault = match self.make(model).await {
                Ok((inputs, made)) => match self.send(model, &inputs, &made).await? {
                    Ok(answer) => match answer.said.calls().count().saturating_add(answer.unfinished.len()) {
                        calls if calls > MAX_CALLS => {
                            (self.told)(Event::TakenBack);
                            format!("the answer holds {calls} calls, more than {MAX_CALLS}")
                        }
                        _ => return Ok(Reply { answer }),
                    },
                    Err(fault) if fault.kind() == FaultKind::TooLarge && shrunk < SHRINKS => {
                        shrunk += 1;
                        let total = made.briefing.receipt().total().tokens;
                        let tokens = inner.learned.too_large(self.model, inputs.profile.calibration, total);
                        (self.told)(Event::Shrunk { tokens });
                        continue;
                    }
                    Err(fault) => fault.to_string(),
                },
                Err(MakeError::Store(error)) if !matches!(error, StoreError::Corrupt { .. }) => {
                    return Err(Halt::Broken(error.into()));
                }
                Err(error) => error.to_string(),
            };
            self.fall_back(model, fault)?;
            shrunk = 0;
        }
    }

    /// The next model of the list, if there is one.
    fn fall_back(&mut self, from: &Model, fault: String) -> Result<(), Halt> {
        let Some(next) = self.inner.models.get(self.model + 1) else { return Err(Halt::failed(fault)) };
        self.model += 1;
        (self.told)(Event::FellBack { from: Arc::clone(from.name()), to: Arc::clone(next.name()), fault });
        Ok(())
    }

    /// The request of now. If anybody writes meanwhile, wherever, the log is read as it was: what is kept to replay it by is its head.
    async fn make(&mut self, model: &Model) -> Result<(Inputs, Made), MakeError> {
        let inner = self.inner;
        let owner = inner.owner();
        let (calibration, tokens) = inner.learned.of(self.model, &model.profile);
        let call = model.call(&inner.tools.declare(|tool| inner.persona.may_use(tool)), calibration);
        let head = inner.store.next_entry(owner).await?;
        self.version = inner.version(&self.about, Moment::Before(head)).await?;
        let mut inputs = Inputs::of(&call, self.about.clone(), self.began, head, tokens)?;
        if let Some(key) = inputs.anchor_key(&inner.persona, &self.chain) {
            inputs.anchor = inner.store.anchor(owner, &key).await?.map(EntryId::get);
        }
        let rounds = inner.rounds_before(head, &self.about, self.version, &self.run.id).await?;
        let made = inner.make(&inputs, &self.chain, &rounds, Moment::Now).await;
        if inner.store.next_entry(owner).await? == head {
            return Ok((inputs, made?));
        }
        let made = inner.make(&inputs, &self.chain, &rounds, Moment::Before(head)).await?;
        Ok((inputs, made))
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
            self.spend(model, model::spent(&answer.usage)).await?;
            inner.learned.answered(self.model, &model.profile, inputs.profile.calibration, (tokens, answer.usage.input));
            self.move_anchor(inputs, made).await?;
        }
        Ok(sent)
    }

    /// Adds to what the run has spent.
    async fn spend(&mut self, model: &Model, spent: Spent) -> Result<(), Halt> {
        let inner = self.inner;
        self.spent = self.spent.plus(spent);
        self.cost = self.cost.saturating_add(model.prices.map_or(0, |prices| prices.cost(&spent)));
        inner.persist(|| inner.store.spend(inner.owner(), &self.writer, spent)).await?;
        (self.told)(Event::Spent { spent });
        Ok(())
    }

    /// The window begins where it did in the request that was answered.
    async fn move_anchor(&mut self, inputs: &Inputs, made: &Made) -> Result<(), Halt> {
        let inner = self.inner;
        let anchor = made.briefing.receipt().anchor().map(|anchor| anchor.entry());
        if let (Some(key), Some(entry)) = (inputs.anchor_key(&inner.persona, &self.chain), anchor)
            && inputs.anchor != Some(entry.get())
        {
            match inner.persist(|| inner.store.move_anchor(inner.owner(), &self.writer, &key, entry)).await {
                // The latter: it was split off or erased meanwhile. The window begins anew then, which costs a cache and no more.
                Ok(()) | Err(StoreError::UnknownEntry { .. } | StoreError::UnknownThread { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    async fn keep(&mut self, inputs: &Inputs, made: &Made) -> Result<(), Halt> {
        let inner = self.inner;
        let (owner, now) = (inner.owner(), inner.clock.now());
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

    /// Sends, with retries, until there is an answer, the run is to stop, or its time is over. What failed on the way is spent too.
    async fn wait_for(&mut self, model: &Model, made: &Made) -> Result<Result<Answer, ProviderFault>, Halt> {
        let inner = self.inner;
        let heard = Mutex::new(Heard { told: &mut *self.told, text: false, lost: Spent::default() });
        let lock = || heard.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hear = |event: &StreamEvent| lock().hear(event);
        let mut failed = |retrying: &Retrying<'_>| {
            let mut heard = lock();
            heard.fail(retrying.fault);
            let (attempt, fault, wait) = (retrying.attempt, retrying.fault.to_string(), retrying.wait);
            (heard.told)(Event::Retry { attempt, fault, wait });
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
        let halt = halt(inner, self.stop, self.deadline);
        let sending = send_with_retries(&*model.provider, &made.request, &model.retry, &*inner.clock, &mut failed, &mut hear);
        let sent = match select(pin!(sending.instrument(span.clone())), pin!(halt)).await {
            Either::Left((sent, _)) => Ok(sent),
            Either::Right((halt, _)) => Err(halt),
        };
        let lost = {
            let mut heard = lock();
            match &sent {
                // Who does not stream says it all at once.
                Ok(Ok(answer)) if !heard.text => {
                    answer.said.items.iter().filter_map(Item::text).for_each(|text| heard.text(text))
                }
                Ok(Ok(_)) => {}
                Ok(Err(fault)) => heard.fail(fault),
                Err(_) => heard.take_back(),
            }
            heard.lost
        };
        if let Ok(sent) = &sent {
            record(&span, sent);
        }
        if lost != Spent::default() {
            self.spend(model, lost).await?;
        }
        sent
    }
}

/// What is heard of a request on the way.
struct Heard<'t> {
    told: &'t mut Told<'t>,
    /// Whether text was told that an answer has yet to stand for.
    text: bool,
    /// What attempts that failed have cost.
    lost: Spent,
}

impl Heard<'_> {
    fn text(&mut self, text: &str) {
        self.text = true;
        (self.told)(Event::Text { text: text.to_owned() });
    }

    fn hear(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::Text { text } | StreamEvent::Refusal { text } => self.text(text),
            StreamEvent::Reasoning { text } => (self.told)(Event::Reasoning { text: text.clone() }),
            StreamEvent::CallBegun { .. }
            | StreamEvent::CallInput { .. }
            | StreamEvent::CallDone { .. }
            | StreamEvent::Native { .. }
            | StreamEvent::Usage(_)
            | StreamEvent::Stop(_)
            | StreamEvent::Cut(_) => {}
        }
    }

    /// What was told of the text is void.
    fn take_back(&mut self) {
        if std::mem::take(&mut self.text) {
            (self.told)(Event::TakenBack);
        }
    }

    fn fail(&mut self, fault: &ProviderFault) {
        self.take_back();
        let spent = match fault {
            ProviderFault::Cut { cut } => model::spent(&cut.usage),
            _ => Spent { requests: 1, ..Spent::default() },
        };
        self.lost = self.lost.plus(spent);
    }
}

/// What became of a request, in its span.
fn record(span: &tracing::Span, sent: &Result<Answer, ProviderFault>) {
    match sent {
        Ok(answer) => {
            let counts =
                [("gen_ai.usage.input_tokens", answer.usage.input), ("gen_ai.usage.output_tokens", answer.usage.output)];
            for (name, count) in counts {
                // What the provider does not tell is not told.
                count.map(|count| span.record(name, count));
            }
        }
        Err(fault) => {
            let kind = match fault.kind() {
                FaultKind::Transient { .. } => "transient",
                FaultKind::TooLarge => "too_large",
                FaultKind::Permanent => "permanent",
            };
            span.record("error.type", kind);
        }
    }
}
