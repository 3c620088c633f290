//! What the command line says otherwise than a history view.

use briefing::Stride;
use briefing::view::{HistoryView, Preset, Redactor, Replay, Tools};

use crate::args::{Limit, Most, OutcomesArg, ToolsArg, ViewArg, ViewArgs, YesNo};
use crate::error::{Failure, Kind};

/// How many characters of an outcome are told where nothing else is said.
const OUTCOME_CHARS: usize = 4_000;

/// What the command line says otherwise than a chain's history view.
#[derive(Debug, Clone, Default)]
pub(crate) struct ViewOverride {
    preset: Option<Preset>,
    limit: Option<Limit>,
    agent: Option<String>,
    tools: Option<Tools>,
    system: Option<bool>,
    messages: Option<Most>,
    chars: Option<Most>,
    tokens: Option<u64>,
    stride: Option<Stride>,
    replay: Option<Replay>,
    file_chars: Option<usize>,
    redactor: Option<Redactor>,
    visit_limit: Option<usize>,
}

impl ViewOverride {
    /// # Errors
    /// Options that say different things; an empty text to hide.
    pub(crate) fn new(args: ViewArgs) -> Result<Self, Failure> {
        if args.redact.iter().any(String::is_empty) {
            return Err(Failure::new(Kind::Usage, "--redact: an empty text would hide everything")
                .hint("give a text that is to be hidden"));
        }
        Ok(Self {
            preset: args.view.map(preset),
            limit: args.limit,
            replay: replay(&args)?,
            agent: args.agent,
            tools: args.tools.map(|tools| match tools {
                ToolsArg::Own => Tools::Own,
                ToolsArg::Everyones => Tools::Everyones,
            }),
            system: args.stored_system.map(|told| told == YesNo::Yes),
            messages: args.window_messages,
            chars: args.window_chars,
            tokens: args.window_tokens,
            stride: args.stride.map(|low| low.map_or_else(Stride::default, |low| Stride::low(low.0))),
            file_chars: args.file_chars,
            redactor: (!args.redact.is_empty()).then(|| Redactor::texts(args.redact)),
            visit_limit: args.visit_limit,
        })
    }

    /// Whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { preset, limit, agent, tools, system, messages, chars, tokens, stride, replay, .. } = self;
        let Self { file_chars, redactor, visit_limit, .. } = self;
        let select = limit.is_none() && agent.is_none() && tools.is_none() && system.is_none() && visit_limit.is_none();
        let window = messages.is_none() && chars.is_none() && tokens.is_none() && stride.is_none();
        preset.is_none() && select && window && replay.is_none() && file_chars.is_none() && redactor.is_none()
    }

    /// The view that was named.
    pub(crate) fn preset(&self) -> Option<Preset> {
        self.preset
    }

    /// The agent that was named.
    pub(crate) fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// The limit on messages of the window: none if nothing is said of it.
    pub(crate) fn messages(&self) -> Option<Option<u64>> {
        self.messages.map(|Most(most)| most)
    }

    /// The view as the command line wants it. What it hides stays hidden.
    pub(crate) fn apply(&self, view: HistoryView) -> HistoryView {
        let view = match self.preset {
            Some(preset) => HistoryView::for_persona(preset).redact_as(&view),
            None => view,
        };
        let view = self.window(self.select(view));
        let view = set(view, self.replay, HistoryView::replay);
        let view = set(view, self.file_chars, HistoryView::file_chars);
        set(view, self.redactor.clone(), HistoryView::redact_also)
    }

    fn select(&self, view: HistoryView) -> HistoryView {
        let view = match self.limit {
            None => view,
            Some(Limit::All) => view.limit(None),
            Some(Limit::Mails(mails)) => view.limit(mails),
        };
        let view = set(view, self.agent.as_deref(), HistoryView::agent);
        let view = set(view, self.tools, HistoryView::tools_of);
        let view = set(view, self.system, HistoryView::stored_system);
        set(view, self.visit_limit, HistoryView::visit_limit)
    }

    fn window(&self, view: HistoryView) -> HistoryView {
        let view = set(view, self.messages(), HistoryView::messages);
        let view = set(view, self.chars.map(|Most(most)| most), HistoryView::chars);
        let view = set(view, self.tokens, HistoryView::tokens);
        set(view, self.stride, HistoryView::stride)
    }
}

/// The view with that option, if it is given.
fn set<T>(view: HistoryView, option: Option<T>, with: impl FnOnce(HistoryView, T) -> HistoryView) -> HistoryView {
    match option {
        Some(option) => with(view, option),
        None => view,
    }
}

fn preset(view: ViewArg) -> Preset {
    match view {
        ViewArg::Mail => Preset::Mail,
        ViewArg::Swarm => Preset::Swarm,
        ViewArg::Chat => Preset::Chat,
    }
}

fn replay(args: &ViewArgs) -> Result<Option<Replay>, Failure> {
    let not_cut = |name: &str| {
        Err(Failure::new(Kind::Usage, format!("--outcome-chars is of outcomes that are cut, and --outcomes is {name}"))
            .hint("leave one of the two out"))
    };
    Ok(match (args.outcomes, args.outcome_chars) {
        (None, None) if args.no_tool_calls => Some(Replay::LeftOut),
        (None, None) => None,
        (None | Some(OutcomesArg::Cut), Some(chars)) => Some(Replay::Cut(chars)),
        (Some(OutcomesArg::Cut), None) => Some(Replay::Cut(OUTCOME_CHARS)),
        (Some(OutcomesArg::Whole), None) => Some(Replay::Whole),
        (Some(OutcomesArg::Cleared), None) => Some(Replay::Cleared),
        (Some(OutcomesArg::None), None) => Some(Replay::LeftOut),
        (Some(OutcomesArg::Whole), Some(_)) => return not_cut("whole"),
        (Some(OutcomesArg::Cleared), Some(_)) => return not_cut("cleared"),
        (Some(OutcomesArg::None), Some(_)) => return not_cut("none"),
    })
}
