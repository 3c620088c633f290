//! The arguments as they are typed. What they mean is in `config.rs`.

#[cfg(feature = "agent")]
mod agent;
mod diff;
mod store;
mod view;

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand, ValueEnum};
use jiff::Timestamp;

#[cfg(feature = "agent")]
pub(crate) use self::agent::{
    AskArgs, CardsArgs, CardsCommand, ChatArgs, ChatThreadArgs, ConfigArgs, DoctorArgs, InitArgs, ReplayArgs, RunOnceArgs,
    RunsArgs, StopArgs,
};
pub(crate) use self::diff::DiffArgs;
pub(crate) use self::store::{
    BackupArgs, DbArgs, EditArgs, ExportArgs, ForgetArgs, ForkArgs, ImportArgs, MergeArgs, ShowArgs, SplitArgs, ThreadsArgs,
    VerifyArgs,
};
pub(crate) use self::view::{Limit, Most, OutcomesArg, ToolsArg, ViewArg, ViewArgs, YesNo};

/// The codes that every command has, between those of the agent.
macro_rules! exit_codes {
    ($unavailable:literal, $busy:literal, $configuration:literal) => {
        concat!(
            "\
Exit codes: 0 done; 64 wrong usage; 65 the input is not right (or the body has violations, or the prefix broke); 66 the input is \
not there; ",
            $unavailable,
            "70 a fault of this program; 74 reading or writing failed; ",
            $busy,
            "78 a ",
            $configuration,
            "persona or a profile is not usable.

With --json standard output is one JSON object in every case: of a failure {\"error\": {\"kind\", \"message\", \"hint\"}}, \
which standard error tells too. What may be a stranger's text is shown with its control characters as \\u{1b}."
        )
    };
}

#[cfg(not(feature = "agent"))]
const EXIT_CODES: &str = exit_codes!("", "", "");
#[cfg(feature = "agent")]
const EXIT_CODES: &str = exit_codes!(
    "69 a model's server cannot be reached, or refuses; ",
    "75 another run is at work, or a limit was met; ",
    "configuration, a "
);

/// Decides exactly what a language model sees, and says for every piece why it is there.
#[derive(Debug, Parser)]
#[command(name = "briefing", version, propagate_version = true, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Command {
    /// Whether programs read the output.
    pub(crate) fn json(&self) -> bool {
        match self {
            // These write a line an event; see `lines`.
            #[cfg(feature = "agent")]
            Self::Init(_) | Self::Chat(_) | Self::Ask(_) | Self::RunOnce(_) => false,
            #[cfg(feature = "agent")]
            Self::Cards(args) => args.json(),
            #[cfg(feature = "agent")]
            Self::Runs(args) => args.json,
            #[cfg(feature = "agent")]
            Self::Replay(args) => args.json,
            #[cfg(feature = "agent")]
            Self::Stop(args) => args.json,
            #[cfg(feature = "agent")]
            Self::Doctor(args) => args.json,
            Self::Check(args) => args.json,
            Self::Diff(args) => args.json,
            Self::Assemble(args) => args.json,
            Self::Explain(args) => args.json,
            Self::Import(args) => args.told.json,
            Self::Threads(args) => args.told.json,
            Self::Show(args) => args.told.json,
            Self::Export(_) => false,
            Self::Forget(args) => args.told.json,
            Self::Merge(args) => args.told.json,
            Self::Split(args) => args.told.json,
            Self::Fork(args) => args.told.json,
            Self::Edit(args) => args.told.json,
            Self::Text(args) => args.json,
            Self::ReadFile => false,
            Self::Backup(args) => args.told.json,
            Self::Verify(args) => args.told.json,
        }
    }
}

#[cfg(feature = "agent")]
impl Command {
    /// Whether programs read the output, an object a line.
    pub(crate) fn lines(&self) -> bool {
        match self {
            Self::Chat(args) => args.json,
            Self::Ask(args) => args.json,
            Self::RunOnce(args) => args.json,
            _ => false,
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sets up an agent: a configuration, a persona, a database
    #[cfg(feature = "agent")]
    Init(InitArgs),
    /// Talks with the agent
    #[cfg(feature = "agent")]
    Chat(ChatArgs),
    /// Asks the agent one question
    #[cfg(feature = "agent")]
    Ask(AskArgs),
    /// Lets the agent do scheduled work, once
    #[cfg(feature = "agent")]
    RunOnce(RunOnceArgs),
    /// Lists what waits for a person, and confirms or cancels it
    #[cfg(feature = "agent")]
    Cards(CardsArgs),
    /// Lists the agent's runs, or shows one
    #[cfg(feature = "agent")]
    Runs(RunsArgs),
    /// Makes the requests of a run again, and says whether they are the same
    #[cfg(feature = "agent")]
    Replay(ReplayArgs),
    /// Asks a run to stop
    #[cfg(feature = "agent")]
    Stop(StopArgs),
    /// Looks for what is wrong with an agent's configuration
    #[cfg(feature = "agent")]
    Doctor(DoctorArgs),
    /// Says what a provider refuses in a request body, and mends it with --fix
    Check(CheckArgs),
    /// Says where the prefix of two request bodies breaks, why, and what is paid again
    Diff(DiffArgs),
    /// Makes the list of messages that answers a mail, or fits a transcript into bounds
    Assemble(AssembleArgs),
    /// Tells for every piece whether a model sees it, why, and what it costs
    Explain(ExplainArgs),
    /// Stores mailboxes and transcripts in a database
    Import(ImportArgs),
    /// Lists the threads of a database, or those that hold some words
    Threads(ThreadsArgs),
    /// Shows a thread, a mail or an entry as it was stored
    Show(ShowArgs),
    /// Writes out everything that is stored, as JSON Lines; or mails as an mbox file
    Export(ExportArgs),
    /// Erases a correspondent, a thread, or what is old, without a trace
    Forget(ForgetArgs),
    /// Makes one thread of two
    Merge(MergeArgs),
    /// Makes two threads of one
    Split(SplitArgs),
    /// Begins a thread that goes on from an entry of another one
    Fork(ForkArgs),
    /// Gives a message a new text
    Edit(EditArgs),
    /// Prints what a model would read of a file
    Text(TextArgs),
    /// Copies a database while it is in use
    Backup(BackupArgs),
    /// Holds everything in a database against its hashes and references
    Verify(VerifyArgs),
    /// Reads one file for another process of this program, within limits
    #[command(hide = true)]
    ReadFile,
}

const CHECK_HELP: &str = "\
Checked are the messages and the tools, their pairing and order, files, and a few parameters (token numbers, tool choice, \
thinking); not the rest of the parameters.

Each violation is told with its line, its place in the body (a JSON pointer), its cause, the provider's own words where they \
are known, and what mends it. The first line says for which wire the body was taken. No model is called; nothing has to be set up.

Messages as LangChain or the Vercel AI SDK store them (UIMessage, ModelMessage) are no body that a provider checks: told is how they are \
read, where the pairing of calls and outcomes is broken, which providers refuse if it is sent so, and what else changes on the wire that \
--as names (openai-chat if none). --fix is for bodies; `briefing assemble --transcript FILE --as WIRE` prints the body.

Examples:
  briefing check body.json
  curl … | briefing check --model claude-sonnet-4-5
  briefing check --fix body.json > mended.json

Exit codes: 0 without violations, 65 with some; with --fix, 65 if some are left. Of stored messages, 65 if the pairing is broken.";

/// `briefing check`
#[derive(Debug, ClapArgs)]
#[command(after_help = CHECK_HELP)]
pub(crate) struct CheckArgs {
    /// The request body; `-` or nothing reads standard input
    #[arg(default_value = "-", hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// The wire it is written for [default: told by the body]
    #[arg(long = "as", value_name = "WIRE")]
    pub(crate) wire: Option<WireArg>,
    /// Check by the rules of this model instead of the one that the body names
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Print the body mended. A body without a violation stays as it is, byte for byte, and of any other what the writing does not
    /// put in another form; what was changed is told on standard error. Of a body without a message that can be kept, nothing is
    /// printed
    #[arg(long)]
    pub(crate) fix: bool,
    /// Print one JSON object for programs, an error too: `{"error": {"kind", "message", "hint"}}`
    #[arg(long)]
    pub(crate) json: bool,
}

/// A wire by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WireArg {
    /// OpenAI Chat Completions, and what speaks it
    OpenaiChat,
    /// OpenAI Responses
    OpenaiResponses,
    /// Anthropic Messages
    Anthropic,
    /// Gemini generateContent
    Gemini,
}

const ASSEMBLE_HELP: &str = "\
Standard output gets the messages, or with --as WIRE the request body; standard error says in a few lines \
what was chosen, changed and left out.

Of a mailbox or a database, the thread of one message is told: --message, --entry, or the newest inbound one. Mail from the persona's \
own address is what it said; mail from its domain that is not addressed to it is a colleague's. Of a chat in a database the newest \
message of its user is answered where a persona or a view is given; else all of it is told, as a transcript is.

Examples:
  briefing assemble --from mailbox.mbox --address me@shop.example
  briefing assemble --from Maildir --persona desk.toml --message '<a1@x.example>' --as anthropic
  briefing assemble --db briefing.db --persona desk.toml --thread 12
  briefing assemble --db briefing.db --entry 40 --view chat --window-chars 8000 --stride
  briefing assemble --transcript runs.jsonl --id run-7 --max-tokens 8000 --as openai-chat
  briefing assemble --transcript body.json --max-messages 20 --edge turn --receipt receipt.json";

/// `briefing assemble`
#[derive(Debug, ClapArgs)]
#[command(after_help = ASSEMBLE_HELP)]
pub(crate) struct AssembleArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Write the receipt, as JSON, to this file, which may be none of the inputs; `-` writes it to standard output behind the
    /// messages
    #[arg(long, value_name = "FILE", help_heading = "Output", conflicts_with = "json")]
    pub(crate) receipt: Option<PathBuf>,
    /// Write nothing to standard error but errors
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Print one JSON object: messages or request, receipt, findings; or an error
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

const EXPLAIN_HELP: &str = "\
Takes the same input as `briefing assemble`. Each row is one piece: what it is, whether it is kept, its class, its cost, and \
what was done to it by which rule; below stand the totals against each bound.

Examples:
  briefing explain --from mailbox.mbox --persona persona.toml --tool-use tool-use.jsonl
  briefing explain --transcript runs.jsonl --max-tokens 4000";

/// `briefing explain`
#[derive(Debug, ClapArgs)]
#[command(after_help = EXPLAIN_HELP)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Write nothing to standard error but errors
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Print one JSON object: rows, totals, receipt; or an error
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

/// What `assemble` and `explain` read, and within which bounds.
#[derive(Debug, ClapArgs)]
#[command(group = ArgGroup::new("source").required(true).args(["from", "db", "transcript"]))]
pub(crate) struct InputArgs {
    #[command(flatten)]
    pub(crate) mail: MailArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    #[command(flatten)]
    pub(crate) transcript: TranscriptArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) bounds: BoundsArgs,
}

/// Input: mail.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Input: mail")]
pub(crate) struct MailArgs {
    /// Mailboxes: mbox files, Maildirs, .eml files, or folders of these
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "transcript")]
    pub(crate) from: Vec<PathBuf>,
    /// A database that `briefing import` made
    #[arg(long, value_name = "FILE", conflicts_with_all = ["transcript", "from"])]
    pub(crate) db: Option<PathBuf>,
    /// With --db: answer the newest inbound mail of this thread, or the newest message of its user; without a persona and a view, of
    /// a chat or an imported transcript tell all
    #[arg(long, value_name = "THREAD", requires = "db", conflicts_with = "message")]
    pub(crate) thread: Option<u64>,
    /// The Message-ID of the mail to be answered [default: the newest inbound]
    #[arg(long, value_name = "MESSAGE-ID", conflicts_with = "transcript")]
    pub(crate) message: Option<String>,
    /// With --db: answer this entry, a mail or a user's message, by its number: go on from there
    #[arg(long, value_name = "ENTRY", requires = "db", conflicts_with = "message")]
    pub(crate) entry: Option<u64>,
    /// Who answers: a TOML file; files it names are looked up in its folder
    #[arg(long, value_name = "FILE", conflicts_with = "transcript")]
    pub(crate) persona: Option<PathBuf>,
    /// The address of who answers, where there is no persona: the thread alone is told
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["persona", "transcript"])]
    pub(crate) address: Option<String>,
    /// The tool calls made while answering: JSON Lines, a call a line
    #[arg(long, value_name = "FILE", requires = "from", conflicts_with_all = ["transcript", "db"])]
    pub(crate) tool_use: Option<PathBuf>,
    /// When the answer is written, RFC 3339 [default: the system's clock]
    #[arg(long, value_name = "TIME", conflicts_with = "transcript")]
    pub(crate) now: Option<Timestamp>,
    /// Whose log it is [default: the persona's, else `default`]
    #[arg(long, value_name = "OWNER", conflicts_with = "transcript")]
    pub(crate) owner: Option<String>,
}

/// Input: a transcript.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Input: transcript")]
pub(crate) struct TranscriptArgs {
    /// A request body or a list of messages of any wire, Briefing's own JSON, messages as LangChain or the Vercel AI SDK store
    /// them, agent-swarm-kit's messages (with --agent), or JSON Lines of these or of the messages of one conversation; `-` is
    /// standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,
    /// Of JSON Lines, the conversation of this `id` [default: the first]
    #[arg(long, value_name = "ID", requires = "transcript", conflicts_with = "from")]
    pub(crate) id: Option<String>,
}

const TEXT_HELP: &str = "\
Plain text, CSV, HTML, PDF, DOCX and spreadsheets, told apart by their content. What the text does not hold of the file is told on \
standard error. The file is read in a process of its own, which has limits on memory and time.

Exit codes: 0 with a text, 65 where there is none to be had.";

/// `briefing text`
#[derive(Debug, ClapArgs)]
#[command(after_help = TEXT_HELP)]
pub(crate) struct TextArgs {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write nothing to standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print one JSON object: format, text, what is missing; or an error
    #[arg(long)]
    pub(crate) json: bool,
}

/// Output.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Target")]
pub(crate) struct TargetArgs {
    /// What to print: Briefing's own messages, or a request body
    #[arg(long = "as", value_name = "FORM", default_value = "messages")]
    pub(crate) form: Form,
    /// The model it is for [default: the transcript's; else gpt-5, claude-sonnet-4-5 or gemini-3-flash, by the wire]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Facts of more models: TOML, a table per family, with the keys of the built-in table
    #[arg(long, value_name = "FILE")]
    pub(crate) profiles: Option<PathBuf>,
    /// Mark the stable boundaries for the provider's prompt cache, where it wants that (anthropic)
    #[arg(long)]
    pub(crate) cache_marks: bool,
    /// Tokens kept for the answer [default: an eighth of the model's context, at most 4096]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) output_reserve: Option<u32>,
}

/// What to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Briefing's own JSON: a flat list of messages
    Messages,
    /// A body of OpenAI Chat Completions
    OpenaiChat,
    /// A body of OpenAI Responses
    OpenaiResponses,
    /// A body of Anthropic Messages
    Anthropic,
    /// A body of Gemini generateContent
    Gemini,
}

/// Bounds. All hold together.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Bounds (all hold together)")]
pub(crate) struct BoundsArgs {
    /// Messages, the leading system text not counted
    #[arg(long, value_name = "N")]
    pub(crate) max_messages: Option<u64>,
    /// Characters, the tools' schemas included
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<u64>,
    /// Tokens of input, by the estimator
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// How tokens are counted; given alone, they are counted against the model's context [default: o200k]
    #[arg(long, value_name = "NAME")]
    pub(crate) estimator: Option<EstimatorArg>,
    /// Pictures and documents; the oldest beyond it become lines
    #[arg(long, value_name = "N")]
    pub(crate) max_images: Option<u64>,
    /// Base64 bytes of one picture or document; a larger one becomes a line
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_image_bytes: Option<u64>,
    /// Bytes of the request body
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_bytes: Option<u64>,
    /// Where the window may begin: at any message or round, or only where a turn begins
    #[arg(long, value_name = "EDGE", default_value = "round")]
    pub(crate) edge: EdgeArg,
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EstimatorArg {
    /// The vocabulary of GPT-4o and later
    O200k,
    /// A quarter of the characters: rough, off by up to three times
    Characters,
}

/// Where a window may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EdgeArg {
    /// At any unit: a message, or a round
    Round,
    /// At an input only
    Turn,
}
