//! The arguments of the commands of the agent.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Subcommand};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::args::WireArg;

/// Which configuration.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Configuration")]
pub(crate) struct ConfigArgs {
    /// The configuration [default: briefing.toml here, or in the nearest folder above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

const INIT_HELP: &str = "\
Asks for what is not given: which model, on which server, by which key. A key in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, \
GEMINI_API_KEY) or a server on this machine (Ollama, LM Studio, llama.cpp) makes the suggestion. Keys stay where they are: the \
configuration names the variable that holds one. Nothing that is there is overwritten. Where standard input is no terminal, or with --yes, \
nothing is asked.

Examples:
  briefing init
  briefing init desk --yes --wire anthropic --model claude-sonnet-4-5
  briefing init --yes --model qwen3 --base-url http://127.0.0.1:11434/v1";

/// `briefing init`
#[derive(Debug, ClapArgs)]
#[command(after_help = INIT_HELP)]
pub(crate) struct InitArgs {
    /// The folder; a new one is made if it is not there
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    pub(crate) folder: PathBuf,
    /// Ask nothing: take what is found
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// How the model is spoken to [default: by its name]
    #[arg(long, value_name = "WIRE")]
    pub(crate) wire: Option<WireArg>,
    /// The model
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The server's address, without what a wire puts behind it [default: the provider's]
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The variable of the environment that holds the key
    #[arg(long, value_name = "NAME")]
    pub(crate) key_env: Option<String>,
    /// The persona's name
    #[arg(long, value_name = "NAME")]
    pub(crate) persona_name: Option<String>,
    /// The persona's address: what is sent from it is its own
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) persona_address: Option<String>,
    /// Look for no server on this machine
    #[arg(long)]
    pub(crate) no_probe: bool,
}

/// Which thread of a chat.
#[derive(Debug, Clone, ClapArgs)]
#[command(group = ArgGroup::new("which").args(["thread", "resume", "new", "name"]))]
pub(crate) struct ChatThreadArgs {
    /// Go on in this thread
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<u64>,
    /// Go on in the newest chat
    #[arg(long)]
    pub(crate) resume: bool,
    /// Begin a new thread: what is done where nothing else is said
    #[arg(long)]
    pub(crate) new: bool,
    /// Go on in the thread of this name, or begin it
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

const CHAT_HELP: &str = "\
Each line is a message; one that ends with a backslash goes on in the next. What was said is kept in the database. An answer is shown as \
it comes, what the model calls and what that gives in dim lines. What a person must confirm is asked for when the answer is there: the card's number does it, no \
refuses it, Enter leaves it for later (`briefing cards`). Ctrl-C stops the answer, at the prompt the chat. Where standard input is no terminal each line of it is a message, and \
nothing is asked.

  /retry   answers the last message again, if it has no answer
  /cards   tells what waits for you
  /new     begins a new thread
  /help    tells this
  /quit    ends

Examples:
  briefing chat
  briefing chat --resume
  printf 'Where is order 7?\\nAnd order 8?\\n' | briefing chat --name orders

Exit codes: 0; of a chat that is piped in, that of the last answer that failed, as `briefing ask` has them.";

/// `briefing chat`
#[derive(Debug, ClapArgs)]
#[command(after_help = CHAT_HELP)]
pub(crate) struct ChatArgs {
    #[command(flatten)]
    pub(crate) thread: ChatThreadArgs,
    /// Print events, a JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

const ASK_HELP: &str = "\
Standard output gets the answer, standard error what was done for it. With --json standard output gets events instead, a JSON object a \
line, the last of which tells how the run ended.

Examples:
  briefing ask 'Where is order 7?'
  briefing ask --resume 'And order 8?'
  git diff | briefing ask - --file CONTRIBUTING.md

Exit codes: 0 answered; 69 the model failed; 75 a limit or the deadline was met, or another run has the thread; 130 stopped.";

/// `briefing ask`
#[derive(Debug, ClapArgs)]
#[command(after_help = ASK_HELP)]
pub(crate) struct AskArgs {
    /// The question; `-` reads standard input
    #[arg(value_name = "QUESTION", allow_hyphen_values = true)]
    pub(crate) question: String,
    /// Files that go with it
    #[arg(long = "file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) thread: ChatThreadArgs,
    /// Write nothing to standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print events, a JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

const RUN_ONCE_HELP: &str = "\
What is to be done is told in the persona's file, in a table [[responsibilities]] with `name` and `instructions`. All runs of one \
responsibility share a thread.

With --at it is kept until then, as a run whose id is told; nothing does it by itself. --due does what is due by now, one after the other, \
each once however many processes look for it, and is meant for cron. What is due and cannot be begun now stays due; a run that failed is over. \
`briefing runs --scheduled` lists what is scheduled, `briefing stop` cancels it.

Examples:
  briefing run-once --responsibility morning-report
  briefing run-once --responsibility morning-report --at 2026-12-01T08:00
  */5 * * * * briefing run-once --due --quiet --config /srv/desk/briefing.toml

Exit codes: those of `briefing ask`; of --due 0 if nothing is due, else that of the last run that failed or could not be begun.";

/// `briefing run-once`
#[derive(Debug, ClapArgs)]
#[command(after_help = RUN_ONCE_HELP, group = ArgGroup::new("work").required(true).args(["responsibility", "due"]))]
pub(crate) struct RunOnceArgs {
    /// The name of what is to be done
    #[arg(long, value_name = "NAME")]
    pub(crate) responsibility: Option<String>,
    /// Keep it for this time: RFC 3339, or without an offset one of the system's zone
    #[arg(long, value_name = "TIME", requires = "responsibility", value_parser = time)]
    pub(crate) at: Option<Timestamp>,
    /// Do all that is due
    #[arg(long, conflicts_with = "at")]
    pub(crate) due: bool,
    /// Write nothing to standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print events, a JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

/// A time as it is typed. One without an offset is of the system's zone.
fn time(typed: &str) -> Result<Timestamp, jiff::Error> {
    match (typed.parse::<Timestamp>(), typed.parse::<DateTime>()) {
        (Ok(at), _) => Ok(at),
        // What names its zone in brackets is no local time.
        (Err(_), Ok(local)) if !typed.contains('[') => TimeZone::try_system()?.to_timestamp(local),
        (Err(error), _) => Err(error),
    }
}

const RUNS_HELP: &str = "\
The newest comes first. With RUN one is shown: its rounds with their calls, the steps that it began, its requests, what it spent. A run is \
named by its number or its id. A scheduled run that was not begun has no number; those that are due first come first.

Examples:
  briefing runs --open
  briefing runs --scheduled
  briefing runs 12";

/// `briefing runs`
#[derive(Debug, ClapArgs)]
#[command(after_help = RUNS_HELP)]
pub(crate) struct RunsArgs {
    /// Show this run
    #[arg(value_name = "RUN", conflicts_with_all = ["thread", "open", "scheduled", "max"])]
    pub(crate) run: Option<String>,
    /// Only runs of this thread
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<u64>,
    /// Only runs that have not ended
    #[arg(long)]
    pub(crate) open: bool,
    /// What is scheduled and has not ended
    #[arg(long, conflicts_with_all = ["thread", "open"])]
    pub(crate) scheduled: bool,
    /// At most so many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) max: usize,
    /// Print one JSON object; or an error
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

const REPLAY_HELP: &str = "\
Every request that was kept of the run is assembled again, from the log as it was then, and held against the bytes that were sent. Where \
they differ, the persona, the tools or the program were changed since; it is told where the prefix breaks, as `briefing diff` tells it.

Exit codes: 0 if all are the same, 1 if one is not.";

/// `briefing replay`
#[derive(Debug, ClapArgs)]
#[command(after_help = REPLAY_HELP)]
pub(crate) struct ReplayArgs {
    /// The run, by its number or its id
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Print one JSON object; or an error
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

const CARDS_HELP: &str = "\
A card is a call that a person must confirm before it is done. Confirming one does it, once; if what it touches has changed meanwhile, \
nothing is done.

Examples:
  briefing cards
  briefing cards confirm 41";

/// `briefing cards`
#[derive(Debug, ClapArgs)]
#[command(after_help = CARDS_HELP, args_conflicts_with_subcommands = true)]
pub(crate) struct CardsArgs {
    #[command(subcommand)]
    pub(crate) what: Option<CardsCommand>,
    #[command(flatten)]
    pub(crate) told: CardsToldArgs,
}

/// How cards are told.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct CardsToldArgs {
    /// Print one JSON object; or an error
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

/// What becomes of a card.
#[derive(Debug, Subcommand)]
pub(crate) enum CardsCommand {
    /// Does what the card proposes
    Confirm(CardArgs),
    /// Refuses it
    Cancel(CardArgs),
}

/// One card.
#[derive(Debug, ClapArgs)]
pub(crate) struct CardArgs {
    /// The card, by its number
    #[arg(value_name = "N")]
    pub(crate) card: u64,
    #[command(flatten)]
    pub(crate) told: CardsToldArgs,
}

const DOCTOR_HELP: &str = "\
Looks at the configuration, the persona, the database, each model's server and key, each server of tools, and whether what is granted \
is there. Each line says ok, warning or fault, and what to do.

Exit codes: 0 without a fault, 78 with one.";

/// `briefing doctor`
#[derive(Debug, ClapArgs)]
#[command(after_help = DOCTOR_HELP)]
pub(crate) struct DoctorArgs {
    /// Reach no server
    #[arg(long)]
    pub(crate) offline: bool,
    /// Print one JSON object; or an error
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

const STOP_HELP: &str = "\
The run ends before its next round, whichever process works for it. One that is scheduled and was not begun is cancelled: it is named by its \
id, as `briefing runs --scheduled` tells it.";

/// `briefing stop`
#[derive(Debug, ClapArgs)]
#[command(after_help = STOP_HELP)]
pub(crate) struct StopArgs {
    /// The run, by its number or its id
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Print one JSON object; or an error
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

impl CardsArgs {
    /// Whether programs read the output.
    pub(crate) fn json(&self) -> bool {
        match &self.what {
            None => self.told.json,
            Some(CardsCommand::Confirm(card) | CardsCommand::Cancel(card)) => card.told.json,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_an_offset_or_is_local() {
        let at = |typed: &str| time(typed).map(|at| at.to_string()).ok();
        assert_eq!(at("2026-12-01T08:00:00+02:00").as_deref(), Some("2026-12-01T06:00:00Z"));
        assert_eq!(at("2026-12-01T08:00Z").as_deref(), Some("2026-12-01T08:00:00Z"));
        for wrong in ["", "8", "tomorrow", "2026-13-01T08:00Z", "2026-12-01T08:00[Europe/Tallinn]", "2026-12-01T25:00"] {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }
}
