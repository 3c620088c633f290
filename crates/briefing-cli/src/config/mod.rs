//! The arguments as they are meant: what belongs together is together, and every default is filled in.

mod view;

use std::path::{Path, PathBuf};

use briefing::log::MessageId;
use briefing::message::{EntryId, OwnerId, ThreadId};
use briefing::view::Preset;
use briefing::{Bounds, Edge, Estimator, Wire};
use jiff::Timestamp;

use crate::args::{BoundsArgs, EdgeArg, EstimatorArg, Form, InputArgs, MailArgs, TargetArgs, TranscriptArgs, WireArg};
use crate::error::{Failure, Kind};

pub(crate) use self::view::ViewOverride;

/// What `assemble` and `explain` do.
pub(crate) struct Job {
    pub(crate) source: SourceConfig,
    pub(crate) target: TargetConfig,
    pub(crate) bounds: Bounds,
}

/// Where the messages come from.
pub(crate) enum SourceConfig {
    Mail(Box<MailConfig>),
    Transcript(Box<TranscriptConfig>),
}

/// A thread of mail, or of a chat in a database.
pub(crate) struct MailConfig {
    pub(crate) place: MailPlace,
    pub(crate) answered: Which,
    pub(crate) persona: PersonaConfig,
    pub(crate) view: ViewOverride,
    pub(crate) now: Timestamp,
    pub(crate) owner: Option<OwnerId>,
}

/// What is answered.
pub(crate) enum Which {
    /// The newest that came in.
    Newest,
    /// The mail of that id.
    Message(MessageId),
    /// That entry.
    Entry(EntryId),
}

/// Where mail is read.
pub(crate) enum MailPlace {
    Mailboxes { paths: Vec<PathBuf>, tool_use: Option<PathBuf> },
    Database { path: PathBuf, thread: Option<ThreadId> },
}

/// Who answers.
pub(crate) enum PersonaConfig {
    File(PathBuf),
    Address(String),
    /// Nobody knows: all mail reads as others'.
    Unknown,
}

/// A transcript.
pub(crate) struct TranscriptConfig {
    pub(crate) path: PathBuf,
    pub(crate) id: Option<String>,
    /// How that of a swarm is told.
    pub(crate) view: ViewOverride,
}

/// What it is made for.
pub(crate) struct TargetConfig {
    pub(crate) form: Form,
    pub(crate) model: Option<String>,
    pub(crate) profiles: Option<PathBuf>,
    pub(crate) cache_marks: bool,
    pub(crate) output_reserve: Option<u32>,
}

impl Job {
    /// # Errors
    /// An empty Message-ID; options of the view that say different things.
    pub(crate) fn new(args: InputArgs) -> Result<Self, Failure> {
        let view = ViewOverride::new(args.view)?;
        let source = match args.transcript {
            TranscriptArgs { transcript: Some(path), id } => {
                SourceConfig::Transcript(Box::new(TranscriptConfig { path, id, view }))
            }
            TranscriptArgs { transcript: None, .. } => SourceConfig::Mail(Box::new(mail(args.mail, view)?)),
        };
        Ok(Self { source, target: target(args.target), bounds: bounds(&args.bounds) })
    }

    /// All files and folders that it names to be read.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        let mut inputs: Vec<&PathBuf> = self.target.profiles.iter().collect();
        match &self.source {
            SourceConfig::Transcript(transcript) => inputs.push(&transcript.path),
            SourceConfig::Mail(mail) => {
                match &mail.place {
                    MailPlace::Mailboxes { paths, tool_use } => inputs.extend(paths.iter().chain(tool_use)),
                    MailPlace::Database { path, .. } => inputs.push(path),
                }
                if let PersonaConfig::File(path) = &mail.persona {
                    inputs.push(path);
                }
            }
        }
        inputs.into_iter().map(PathBuf::as_path).collect()
    }
}

fn mail(args: MailArgs, view: ViewOverride) -> Result<MailConfig, Failure> {
    if view.preset() == Some(Preset::Swarm) && view.agent().is_none() && args.persona.is_none() {
        return Err(Failure::new(Kind::Usage, "the view swarm tells what one agent sees, and none is named")
            .hint("name it with --agent, or give a persona of its name"));
    }
    let place = match args.db {
        Some(path) => MailPlace::Database { path, thread: args.thread.map(ThreadId::new) },
        None => MailPlace::Mailboxes { paths: args.from, tool_use: args.tool_use },
    };
    Ok(MailConfig {
        place,
        answered: match (args.message, args.entry) {
            (Some(id), _) => Which::Message(message_id(&id)?),
            (None, Some(entry)) => Which::Entry(EntryId::new(entry)),
            (None, None) => Which::Newest,
        },
        persona: PersonaConfig::new(args.persona, args.address),
        view,
        now: args.now.unwrap_or_else(Timestamp::now),
        owner: args.owner.map(OwnerId::new),
    })
}

/// A Message-ID as it is typed.
pub(crate) fn message_id(text: &str) -> Result<MessageId, Failure> {
    MessageId::new(text).ok_or_else(|| {
        Failure::new(Kind::Usage, "the Message-ID is empty").hint("give what stands between < and > in the mail's header")
    })
}

impl PersonaConfig {
    pub(crate) fn new(file: Option<PathBuf>, address: Option<String>) -> Self {
        match (file, address) {
            (Some(path), _) => Self::File(path),
            (None, Some(address)) => Self::Address(address),
            (None, None) => Self::Unknown,
        }
    }
}

fn target(args: TargetArgs) -> TargetConfig {
    let TargetArgs { form, model, profiles, cache_marks, output_reserve } = args;
    TargetConfig { form, model, profiles, cache_marks, output_reserve }
}

fn bounds(args: &BoundsArgs) -> Bounds {
    let mut bounds = Bounds::none().edge(match args.edge {
        EdgeArg::Round => Edge::Round,
        EdgeArg::Turn => Edge::Turn,
    });
    let set = |bounds: Bounds, most: Option<u64>, with: fn(Bounds, u64) -> Bounds| match most {
        Some(most) => with(bounds, most),
        None => bounds,
    };
    bounds = set(bounds, args.max_messages, Bounds::messages);
    bounds = set(bounds, args.max_chars, Bounds::chars);
    bounds = set(bounds, args.max_images, Bounds::images);
    bounds = set(bounds, args.max_image_bytes, Bounds::image_bytes);
    bounds = set(bounds, args.max_bytes, Bounds::bytes);
    if args.max_tokens.is_none() && args.estimator.is_none() {
        return bounds;
    }
    let estimator = args.estimator.unwrap_or(EstimatorArg::O200k).into();
    bounds.tokens_by(args.max_tokens.unwrap_or(u64::MAX), estimator)
}

impl From<EstimatorArg> for Estimator {
    fn from(name: EstimatorArg) -> Self {
        match name {
            EstimatorArg::O200k => Self::o200k(),
            EstimatorArg::Characters => Self::characters(),
        }
    }
}

impl Which {
    /// The id of the mail, if one was given.
    pub(crate) fn message(&self) -> Option<&MessageId> {
        match self {
            Self::Message(id) => Some(id),
            Self::Newest | Self::Entry(_) => None,
        }
    }
}

impl PersonaConfig {
    /// Whether it is a file, with a chain of its own.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }
}

impl TargetConfig {
    /// The wire that was asked for; none for Briefing's own messages.
    pub(crate) fn wire(&self) -> Option<Wire> {
        match self.form {
            Form::Messages => None,
            Form::OpenaiChat => Some(Wire::OpenAiChat),
            Form::OpenaiResponses => Some(Wire::OpenAiResponses),
            Form::Anthropic => Some(Wire::Anthropic),
            Form::Gemini => Some(Wire::Gemini),
        }
    }
}

impl From<WireArg> for Wire {
    fn from(arg: WireArg) -> Self {
        match arg {
            WireArg::OpenaiChat => Self::OpenAiChat,
            WireArg::OpenaiResponses => Self::OpenAiResponses,
            WireArg::Anthropic => Self::Anthropic,
            WireArg::Gemini => Self::Gemini,
        }
    }
}
