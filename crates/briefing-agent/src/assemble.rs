//! From what a run knows to a request: one way for the run itself and for its replay.

use std::sync::Arc;

use briefing::log::RecordedRound;
use briefing::message::{EntryId, ModelMessage, RawJson, RunId, ThreadId};
use briefing::persona::Persona;
use briefing::{
    Anchor, AssembleError, Briefing, Call, Chain, Context, Inbound, ModelProfile, Piece, Responsibility, Subject, Tool,
};
use briefing_store::{AnchorKey, Moment, OwnerStore, StoreError};
use briefing_wire::{Render, RenderError, Request};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::inner::Inner;

/// Everything that goes into a request beside the log, the persona and the settings. Kept with the request, as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inputs {
    /// When the run began: microseconds since 1970.
    pub(crate) now: i64,
    /// The owner's next entry when it was assembled: what came later was not seen.
    pub(crate) head: u64,
    /// Where the window began that was known.
    pub(crate) anchor: Option<u64>,
    /// A bound on tokens that was learned.
    pub(crate) tokens: Option<u64>,
    /// What the run was about.
    pub(crate) about: About,
    pub(crate) profile: ModelProfile,
    tools: Vec<Declared>,
    parameters: Vec<(Arc<str>, Box<RawValue>)>,
    output_reserve: u32,
    cache_marks: bool,
}

/// What a run is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum About {
    /// An entry is answered.
    Message {
        /// The thread.
        thread: u64,
        /// The entry.
        entry: u64,
    },
    /// Scheduled work is done.
    Responsibility {
        /// The thread that it is kept in.
        thread: u64,
        /// Its name.
        name: String,
        /// What is to be done.
        instructions: String,
    },
}

/// A tool as it was declared.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    name: String,
    description: Option<String>,
    schema: Box<RawValue>,
}

/// A request, and what it was made of.
pub(crate) struct Made {
    pub(crate) briefing: Briefing,
    pub(crate) request: Request,
}

/// Why there is no request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MakeError {
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("entry {entry} can no longer be answered")]
    Gone { entry: EntryId },
    #[error("what was kept of the call cannot be read: {detail}")]
    Kept { detail: String },
}

impl About {
    pub(crate) fn thread(&self) -> ThreadId {
        match self {
            Self::Message { thread, .. } | Self::Responsibility { thread, .. } => ThreadId::new(*thread),
        }
    }
}

impl Inputs {
    /// Of a call, at a moment.
    pub(crate) fn of(call: &Call, about: About, now: Timestamp, head: EntryId, tokens: Option<u64>) -> Result<Self, MakeError> {
        let raw = |json: &RawJson| {
            RawValue::from_string(json.as_str().to_owned()).map_err(|error| MakeError::Kept { detail: error.to_string() })
        };
        let mut tools = Vec::new();
        for tool in call.declared_tools() {
            // An agent's own tools are functions; what a provider runs is part of the parameters.
            if let Tool::Function { name, description, schema, .. } = tool {
                tools.push(Declared { name: name.clone(), description: description.clone(), schema: raw(schema)? });
            }
        }
        let parameters = call.parameters().iter().map(|(name, value)| Ok((Arc::clone(name), raw(value)?)));
        Ok(Self {
            now: now.as_microsecond(),
            head: head.get(),
            anchor: None,
            tokens,
            about,
            profile: call.profile().clone(),
            tools,
            parameters: parameters.collect::<Result<_, MakeError>>()?,
            output_reserve: call.reserved_output(),
            cache_marks: call.marks_cache(),
        })
    }

    /// The call that they were.
    fn call(&self) -> Result<Call, MakeError> {
        let raw = |value: &RawValue| RawJson::new(value.get()).map_err(|error| MakeError::Kept { detail: error.to_string() });
        let mut tools = Vec::with_capacity(self.tools.len());
        for tool in &self.tools {
            let (name, description) = (tool.name.clone(), tool.description.clone());
            tools.push(Tool::Function {
                name,
                description,
                schema: raw(&tool.schema)?,
                extra: briefing::message::Extra::default(),
            });
        }
        let parameters = self.parameters.iter().map(|(name, value)| Ok((Arc::clone(name), raw(value)?)));
        Ok(Call::new(self.profile.clone())
            .tools(tools)
            .parameters_of(parameters.collect::<Result<_, MakeError>>()?)
            .output_reserve(self.output_reserve)
            .cache_marks(self.cache_marks))
    }

    /// The key of the window that moves with the run, where the chain's view fills and is then cut.
    pub(crate) fn anchor_key(&self, persona: &Persona, chain: &Chain) -> Option<AnchorKey> {
        let view = chain.view().filter(briefing::view::HistoryView::strides)?;
        Some(AnchorKey {
            thread: self.about.thread(),
            persona: persona.address().to_owned(),
            view: view.key(),
            model: self.profile.name.to_string(),
        })
    }
}

impl Inner {
    /// The chain for that.
    pub(crate) fn chain(&self, about: &About) -> Result<Chain, briefing::persona::ChainUndeclared> {
        match about {
            About::Message { .. } => Ok(self.persona.message_chain().clone()),
            About::Responsibility { .. } => self.persona.responsibility_chain().cloned(),
        }
    }

    /// The log for a chain: as it is, or as it was when the inputs were taken.
    fn log(&self, moment: Moment) -> OwnerStore {
        let mut log = OwnerStore::new(Arc::clone(&self.store), self.owner().clone());
        if let Some(reader) = &self.settings.reader {
            log = log.with_reader(Arc::clone(reader));
        }
        match moment {
            Moment::Before(head) => log.as_of(head),
            Moment::Now => log,
        }
    }

    /// The request of these inputs. The same log and the same persona give the same bytes.
    pub(crate) async fn make(
        &self,
        inputs: &Inputs,
        chain: &Chain,
        rounds: &[Piece],
        moment: Moment,
    ) -> Result<Made, MakeError> {
        let call = inputs.call()?;
        let mut bounds = self.settings.bounds.clone().anchor(inputs.anchor.map(|entry| Anchor::at(EntryId::new(entry))));
        if let Some(tokens) = inputs.tokens {
            bounds = bounds.tokens(tokens);
        }
        let cx = self.context(inputs, moment).await?;
        let briefing = chain.assemble_run(&cx, rounds, &call, &bounds).await?;
        let request = briefing.render()?;
        Ok(Made { briefing, request })
    }

    async fn context(&self, inputs: &Inputs, moment: Moment) -> Result<Context, MakeError> {
        let subject = match &inputs.about {
            About::Message { thread, entry } => {
                let entry = EntryId::new(*entry);
                let found = self.store.entry_as_of(self.owner(), moment, entry).await?;
                let inbound = found.and_then(|found| Inbound::new(found, ThreadId::new(*thread)));
                Subject::Message(inbound.ok_or(MakeError::Gone { entry })?)
            }
            About::Responsibility { name, instructions, .. } => {
                Subject::Responsibility(Responsibility { name: name.clone(), instructions: instructions.clone() })
            }
        };
        let now = Timestamp::from_microsecond(inputs.now).unwrap_or_default();
        let log = Arc::new(self.log(moment));
        let (history, files) = (Arc::clone(&log), log);
        let mut cx = Context::new(Arc::clone(&self.persona), subject, now, history, files)
            .with_config(self.settings.config.clone())
            .with_root(self.settings.root.clone());
        if let Some(records) = &self.settings.records {
            cx = cx.with_records(Arc::clone(records));
        }
        Ok(cx)
    }

    /// The edit by which what a run is about reads as it did at that moment; none of what was not edited, and of scheduled work.
    pub(crate) async fn version(&self, about: &About, moment: Moment) -> Result<Option<EntryId>, StoreError> {
        let About::Message { entry, .. } = about else { return Ok(None) };
        let found = self.store.entry_as_of(self.owner(), moment, EntryId::new(*entry)).await?;
        Ok(found.and_then(|found| found.message()?.edited))
    }

    /// The rounds before that entry, as a chain takes them: of what is answered, also those of runs before this one that came to no
    /// answer. What was done for a version older than that is not among them.
    pub(crate) async fn rounds_before(
        &self,
        head: EntryId,
        about: &About,
        version: Option<EntryId>,
        run: &RunId,
    ) -> Result<Vec<Piece>, StoreError> {
        let rounds = match about {
            About::Message { entry, .. } => {
                self.store.rounds(self.owner(), self.persona.address(), &[EntryId::new(*entry)]).await?
            }
            About::Responsibility { .. } => self.store.run_rounds(self.owner(), run).await?,
        };
        Ok(pieces(&rounds, version, head))
    }
}

/// Rounds that were recorded after the one entry, if one is given, and before the other.
fn pieces(rounds: &[RecordedRound], after: Option<EntryId>, head: EntryId) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let is_told = |round: &&RecordedRound| round.entry < head && after.is_none_or(|after| after < round.entry);
    for round in rounds.iter().filter(is_told) {
        pieces.push(Piece { message: ModelMessage::Assistant(Arc::clone(&round.said)), entry: Some(round.entry) });
        let outcomes = round.outcomes.iter().filter(|outcome| outcome.entry < head);
        pieces.extend(
            outcomes.map(|recorded| Piece {
                message: ModelMessage::Tool(Arc::clone(&recorded.outcome)),
                entry: Some(recorded.entry),
            }),
        );
    }
    pieces
}
