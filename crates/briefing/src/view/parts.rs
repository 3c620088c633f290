//! The parts of a history view: what is selected, how much of it, how tool use is replayed, how a message reads.

use std::fmt;
use std::sync::Arc;

use crate::fit::{Edge, Estimator, Stride};
use crate::log::Entry;
use crate::view::Redactor;

/// A policy that turns a thread into messages. Three presets ([`mail`](Self::mail), [`swarm`](Self::swarm),
/// [`chat`](Self::chat)), whose parts combine freely.
///
/// Every view tells mails and messages of chats, cards and their notices, and nothing that stands before the last reset.
///
/// ```
/// use briefing::view::{HistoryView, Replay};
/// use briefing::{Edge, Stride};
///
/// // What an agent of several may see, in at most 40 messages and 8,000 tokens, filled and then cut to a third.
/// let view = HistoryView::swarm("sales")
///     .messages(40)
///     .tokens(8_000)
///     .stride(Stride::default())
///     .edge(Edge::Turn)
///     .replay(Replay::Cut(2_000));
/// assert_eq!(view.key(), "swarm agent=\"sales\" tools=own system=yes messages=40 tokens=8000 stride edge=turn replay=cut:2000 files=20000");
/// ```
#[derive(Clone, Debug)]
pub struct HistoryView {
    pub(super) preset: Preset,
    pub(super) select: Select,
    pub(super) window: Window,
    pub(super) replay: Replay,
    pub(super) file_chars: Option<usize>,
    pub(super) redactor: Option<Redactor>,
}

/// The history views that come with the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preset {
    /// A thread of mail, as Protege's ThreadHistoryResolver tells it.
    Mail,
    /// A log that several agents share, as agent-swarm-kit's ClientHistory tells it, less its faults.
    Swarm,
    /// A chat with an assistant, as PhoenixKitAgent's turn history tells it.
    Chat,
}

/// Which entries are told.
#[derive(Debug, Clone)]
pub(super) struct Select {
    pub(super) limit: Option<usize>,
    pub(super) visit_limit: usize,
    pub(super) page: usize,
    pub(super) agent: Option<Arc<str>>,
    pub(super) tools: Tools,
    pub(super) system: bool,
    pub(super) filter: Option<Filter>,
}

/// Whose tool use is told, of messages that an agent wrote. (What runs record is always the persona's own.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tools {
    /// Everybody's.
    #[default]
    Everyones,
    /// The agent's own, and nobody's.
    Own,
}

/// How tool use is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Replay {
    /// Outcomes as they are.
    Whole,
    /// Outcomes cut to so many characters each.
    Cut(usize),
    /// Outcomes replaced by a line that names them, so that a tool can fetch them ([`crate::view::referred`]).
    Cleared,
    /// Nothing of it: neither calls nor outcomes, nor what was said on the way.
    LeftOut,
}

/// How much of a history is told: the newest units within every limit that is given, and the current message counts too.
#[derive(Debug, Clone, Default)]
pub struct Window {
    pub(crate) messages: Option<u64>,
    pub(crate) chars: Option<u64>,
    pub(crate) tokens: Option<(u64, Estimator)>,
    pub(crate) stride: Option<Stride>,
    pub(crate) edge: Edge,
}

/// Which entries a view leaves out beyond what its preset does. Called once for each entry that is visited, newest first. It
/// must say the same of the same entry always, or the prefix of requests changes. Where it fails, the entry stays, with a line in
/// the receipt.
#[derive(Clone)]
pub struct Filter(Arc<Told>);

type Told = dyn Fn(&Entry) -> Result<bool, String> + Send + Sync;

/// How many characters of an outcome are replayed, unless a view says otherwise.
pub(crate) const OUTCOME_CHARS: usize = 4_000;
/// How many mails the mail view tells.
const MAILS: usize = 50;
/// How many messages of the dialog the swarm view tells.
const KEEP: u64 = 15;
/// How many characters the chat view tells.
const CHAT_CHARS: u64 = 40_000;
/// How many characters the files of one message take where no limit on characters says otherwise.
const FILE_CHARS: usize = 20_000;
/// The files of one message take one of so many parts of the view's limit on characters.
const FILE_SHARE: u64 = 2;
/// How many entries are visited in vain before a walk gives up.
const VISITS: usize = 10_000;
/// How many entries are read at first where nothing tells how many are wanted.
const PAGE: usize = 64;

impl Default for HistoryView {
    fn default() -> Self {
        Self::mail()
    }
}

impl HistoryView {
    fn preset(preset: Preset, replay: Replay) -> Self {
        let select = Select {
            limit: None,
            visit_limit: VISITS,
            page: PAGE,
            agent: None,
            tools: Tools::Everyones,
            system: false,
            filter: None,
        };
        Self { preset, select, window: Window::default(), replay, file_chars: None, redactor: None }
    }

    /// Mail: the newest 50, tool use between them, outcomes cut to 4,000 characters.
    #[must_use]
    pub fn mail() -> Self {
        Self::preset(Preset::Mail, Replay::Cut(OUTCOME_CHARS)).limit(MAILS)
    }

    /// What that agent sees of a log that it shares with others: the last 15 messages, its own tool use and not that of others,
    /// its own system messages before them.
    #[must_use]
    pub fn swarm(agent: impl Into<Arc<str>>) -> Self {
        Self::for_persona(Preset::Swarm).agent(agent)
    }

    /// What a turn of an assistant sees of a chat: what its user said, with the texts of the files, final answers, and how
    /// confirmations ended, within 40,000 characters. No tool use: after a loss of rights the model must not see old data.
    #[must_use]
    pub fn chat() -> Self {
        Self::preset(Preset::Chat, Replay::LeftOut).chars(CHAT_CHARS)
    }

    /// A preset for whoever it is that runs: the agent of the swarm view is the persona, by its name.
    #[must_use]
    pub fn for_persona(preset: Preset) -> Self {
        match preset {
            Preset::Mail => Self::mail(),
            Preset::Chat => Self::chat(),
            Preset::Swarm => Self::preset(preset, Replay::Whole).tools_of(Tools::Own).stored_system(true).messages(KEEP),
        }
    }

    /// The preset that it began as.
    #[must_use]
    pub fn began_as(&self) -> Preset {
        self.preset
    }

    /// Select: at most that many mails and messages of chats, blank ones included, tool use not; none = the whole thread; 0 =
    /// nothing.
    #[must_use]
    pub fn limit(mut self, entries: impl Into<Option<usize>>) -> Self {
        self.select.limit = entries.into();
        self
    }

    /// Select: how many entries may be visited in vain (drafts, what says nothing, what a filter leaves out; with a
    /// [`limit`](Self::limit) whatever it does not count) before the walk gives up with a line in the receipt; 10,000 by default.
    #[must_use]
    pub fn visit_limit(mut self, most: usize) -> Self {
        self.select.visit_limit = most;
        self
    }

    /// Select: how many entries are read at first where no limit tells how many are wanted; 64 by default, and more with each page.
    /// What is told does not depend on it.
    #[must_use]
    pub fn page(mut self, entries: usize) -> Self {
        self.select.page = entries;
        self
    }

    /// Select: the agent that sees; without it the persona of the run, by its name.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<Arc<str>>) -> Self {
        self.select.agent = Some(agent.into());
        self
    }

    /// Select: whose tool use is told.
    #[must_use]
    pub fn tools_of(mut self, tools: Tools) -> Self {
        self.select.tools = tools;
        self
    }

    /// Select: whether the agent's own system messages are told, before everything else; they never yield.
    #[must_use]
    pub fn stored_system(mut self, told: bool) -> Self {
        self.select.system = told;
        self
    }

    /// Select: which mails and messages are told.
    #[must_use]
    pub fn filter(mut self, filter: impl Into<Option<Filter>>) -> Self {
        self.select.filter = filter.into();
        self
    }

    /// Window: at most that many messages; a round counts one and its outcomes.
    #[must_use]
    pub fn messages(mut self, most: impl Into<Option<u64>>) -> Self {
        self.window.messages = most.into();
        self
    }

    /// Window: at most that many characters (Unicode scalar values) of what is told.
    #[must_use]
    pub fn chars(mut self, most: impl Into<Option<u64>>) -> Self {
        self.window.chars = most.into();
        self
    }

    /// Window: at most that many tokens by the o200k vocabulary times the model profile's calibration.
    #[must_use]
    pub fn tokens(self, most: u64) -> Self {
        self.tokens_by(most, Estimator::o200k())
    }

    /// Window: the same by another estimator. Where the request's bounds name one too, that one counts.
    #[must_use]
    pub fn tokens_by(mut self, most: u64, estimator: Estimator) -> Self {
        self.window.tokens = Some((most, estimator));
        self
    }

    /// Window: fill, and then cut to a low mark, instead of sliding. The anchor is given with the request's bounds
    /// ([`crate::Bounds::anchor`]).
    #[must_use]
    pub fn stride(mut self, stride: impl Into<Option<Stride>>) -> Self {
        self.window.stride = stride.into();
        self
    }

    /// Window: where it may begin.
    #[must_use]
    pub fn edge(mut self, edge: Edge) -> Self {
        self.window.edge = edge;
        self
    }

    /// Replay: how tool use is told.
    #[must_use]
    pub fn replay(mut self, replay: Replay) -> Self {
        self.replay = replay;
        self
    }

    /// How tool use is told.
    #[must_use]
    pub fn replays(&self) -> Replay {
        self.replay
    }

    /// Whether it fills its window and cuts it then.
    #[must_use]
    pub fn strides(&self) -> bool {
        self.window.stride.is_some()
    }

    /// Replay: whether tool use is told at all. If not, it is not even read; if so, as before, or cut to 4,000 characters where it was
    /// left out.
    #[must_use]
    pub fn include_tool_calls(self, include: bool) -> Self {
        match (include, self.replay) {
            (true, Replay::LeftOut) => self.replay(Replay::Cut(OUTCOME_CHARS)),
            (true, _) => self,
            (false, _) => self.replay(Replay::LeftOut),
        }
    }

    /// Render: how many characters the texts of one message's files take together, labels included; half of the window's limit on
    /// characters by default, else 20,000.
    #[must_use]
    pub fn file_chars(mut self, most: impl Into<Option<usize>>) -> Self {
        self.file_chars = most.into();
        self
    }

    /// Render: what is hidden in everything that was said, the current message and the run's rounds included.
    #[must_use]
    pub fn redact(mut self, redactor: impl Into<Option<Redactor>>) -> Self {
        self.redactor = redactor.into();
        self
    }

    /// How many characters the texts of one message's files take together.
    pub(crate) fn file_share(&self) -> usize {
        let half = |chars: u64| usize::try_from(chars / FILE_SHARE).unwrap_or(usize::MAX);
        self.file_chars.or(self.window.chars.map(half)).unwrap_or(FILE_CHARS)
    }

    /// The view and its options as one text: what a window's anchor is kept by. Two views whose texts are equal tell the same of
    /// the same log, but for what filters, redactors and estimators of their own do, of which it names only that they are there.
    #[must_use]
    pub fn key(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for HistoryView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { preset, select, window, replay, redactor, .. } = self;
        f.write_str(preset.name())?;
        let mut option = |name: &str, value: Option<&dyn fmt::Display>| match value {
            Some(value) => write!(f, " {name}={value}"),
            None => Ok(()),
        };
        fn shown<T: fmt::Display>(value: &Option<T>) -> Option<&dyn fmt::Display> {
            value.as_ref().map(|value| value as &dyn fmt::Display)
        }
        option("agent", shown(&select.agent.as_ref().map(|agent| format!("{agent:?}"))))?;
        option("limit", shown(&select.limit))?;
        option("visits", shown(&(select.visit_limit != VISITS).then_some(select.visit_limit)))?;
        option("tools", shown(&(select.tools == Tools::Own).then_some("own")))?;
        option("system", shown(&select.system.then_some("yes")))?;
        option("filter", shown(&select.filter.as_ref().map(|_| "yes")))?;
        option("messages", shown(&window.messages))?;
        option("chars", shown(&window.chars))?;
        let tokens = window.tokens.as_ref();
        option("tokens", shown(&tokens.map(|(most, _)| most)))?;
        option("by", shown(&tokens.map(|(_, by)| by.name()).filter(|name| *name != "o200k")))?;
        if let Some(stride) = window.stride {
            write!(f, " {stride}")?;
        }
        if window.edge == Edge::Turn {
            f.write_str(" edge=turn")?;
        }
        write!(f, " replay={replay} files={}", self.file_share())?;
        if redactor.is_some() { f.write_str(" redacted") } else { Ok(()) }
    }
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Mail, Self::Swarm, Self::Chat];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Swarm => "swarm",
            Self::Chat => "chat",
        }
    }
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole"),
            Self::Cut(chars) => write!(f, "cut:{chars}"),
            Self::Cleared => f.write_str("cleared"),
            Self::LeftOut => f.write_str("none"),
        }
    }
}

impl Filter {
    /// Tells what `told` says yes to.
    #[must_use]
    pub fn new<E: fmt::Display>(told: impl Fn(&Entry) -> Result<bool, E> + Send + Sync + 'static) -> Self {
        Self(Arc::new(move |entry| told(entry).map_err(|error| error.to_string())))
    }

    pub(super) fn tells(&self, entry: &Entry) -> Result<bool, String> {
        (self.0)(entry)
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Filter")
    }
}

impl Window {
    /// What both hold: of each limit the smaller one. What one of them does not say, the other does.
    pub(crate) fn and(self, other: Self) -> Self {
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        let tokens = match (self.tokens, other.tokens) {
            (Some(one), Some(other)) => Some(if one.0 <= other.0 { one } else { other }),
            (one, other) => one.or(other),
        };
        Self {
            messages: least(self.messages, other.messages),
            chars: least(self.chars, other.chars),
            tokens,
            stride: self.stride.or(other.stride),
            edge: if self.edge == Edge::Turn { self.edge } else { other.edge },
        }
    }

    /// Whether nothing is limited.
    pub(crate) fn is_open(&self) -> bool {
        self.messages.is_none() && self.chars.is_none() && self.tokens.is_none()
    }
}
