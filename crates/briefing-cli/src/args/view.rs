//! The arguments that change how a thread is told.

use std::str::FromStr;

use clap::{Args as ClapArgs, ValueEnum};

/// View: what of a thread is told, and how. It changes the view of the persona's chain; without a persona, that by which the thread
/// alone is told.
#[derive(Debug, Default, ClapArgs)]
#[command(next_help_heading = "View (of the persona's chain, or of the thread alone)")]
pub(crate) struct ViewArgs {
    /// Tell by this view instead; what else is given here changes it [default: the persona's; else mail for mail, chat for a chat]
    #[arg(long, value_name = "VIEW")]
    pub(crate) view: Option<ViewArg>,
    /// At most so many earlier mails and messages of the thread, or `all` [default: the view's]
    #[arg(long, value_name = "N|all", conflicts_with = "transcript")]
    pub(crate) limit: Option<Limit>,
    /// Leave the tool calls out
    #[arg(long, conflicts_with_all = ["transcript", "outcomes", "outcome_chars"])]
    pub(crate) no_tool_calls: bool,
    /// The agent that sees: whose system messages, and with --tools own whose tool use, are told [default: the persona's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Of messages that agents wrote, whose tool use is told
    #[arg(long, value_name = "WHOSE", conflicts_with = "transcript")]
    pub(crate) tools: Option<ToolsArg>,
    /// Whether the agent's stored system messages are told
    #[arg(long, value_name = "yes|no", conflicts_with = "transcript")]
    pub(crate) stored_system: Option<YesNo>,
    /// The newest so many messages of the thread, the current one counted, or `all`
    #[arg(long, value_name = "N|all")]
    pub(crate) window_messages: Option<Most>,
    /// The newest so many characters of the thread, the current message counted, or `all`
    #[arg(long, value_name = "N|all", conflicts_with = "transcript")]
    pub(crate) window_chars: Option<Most>,
    /// The newest so many tokens of the thread, the current message counted
    #[arg(long, value_name = "N", conflicts_with = "transcript")]
    pub(crate) window_tokens: Option<u64>,
    /// Fill the window, and then cut it to this share of it, instead of sliding [default: a third]
    #[arg(long, value_name = "LOW", num_args = 0..=1, conflicts_with = "transcript")]
    pub(crate) stride: Option<Option<ShareArg>>,
    /// How the outcomes of tool calls are told; `none` leaves the calls out too
    #[arg(long, value_name = "HOW", conflicts_with = "transcript")]
    pub(crate) outcomes: Option<OutcomesArg>,
    /// Cut each outcome to so many characters
    #[arg(long, value_name = "N", conflicts_with = "transcript")]
    pub(crate) outcome_chars: Option<usize>,
    /// Characters for the texts of one message's files [default: half of --window-chars, else 20000]
    #[arg(long, value_name = "N", conflicts_with = "transcript")]
    pub(crate) file_chars: Option<usize>,
    /// Hide this text wherever it was said; may be given again
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "transcript")]
    pub(crate) redact: Vec<String>,
    /// Visit at most so many entries in vain before giving up [default: 10000]
    #[arg(long, value_name = "N", conflicts_with = "transcript")]
    pub(crate) visit_limit: Option<usize>,
}

/// A view by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewArg {
    /// A thread of mail: the newest 50, tool use between them
    Mail,
    /// A log that several agents share: the newest 15 messages, the agent's own tool use
    Swarm,
    /// A chat: the newest 40,000 characters of what was said, no tool use
    Chat,
}

/// Whose tool use is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsArg {
    /// The agent's own, and nobody's
    Own,
    /// Everybody's
    Everyones,
}

/// How outcomes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutcomesArg {
    /// As they are
    Whole,
    /// Cut to --outcome-chars [default: 4000]
    Cut,
    /// As a line that names each
    Cleared,
    /// No tool use at all
    None,
}

/// Whether.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum YesNo {
    Yes,
    No,
}

/// A number of mails, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    Mails(usize),
    All,
}

/// A limit of a window, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Most(pub(crate) Option<u64>);

/// A share between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShareArg(pub(crate) f64);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            _ => text.parse().map(Self::Mails).map_err(|_| "a number or `all` is wanted".to_owned()),
        }
    }
}

impl FromStr for Most {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self(None)),
            _ => text.parse().map(|most| Self(Some(most))).map_err(|_| "a number or `all` is wanted".to_owned()),
        }
    }
}

impl FromStr for ShareArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        share.map(Self).ok_or_else(|| "a share between 0 and 1 is wanted".to_owned())
    }
}
