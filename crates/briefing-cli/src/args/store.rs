//! The arguments of the commands over a database.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs};
use jiff::Timestamp;

/// Which database, and whose log in it.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Database")]
pub(crate) struct DbArgs {
    /// The database: one file, and a folder beside it for large attachments
    #[arg(long, value_name = "FILE", default_value = "briefing.db")]
    pub(crate) db: PathBuf,
    /// Whose log it is [default: `default`]
    #[arg(long, value_name = "OWNER")]
    pub(crate) owner: Option<String>,
}

/// Writes for programs, or for nobody.
#[derive(Debug, Clone, Copy, ClapArgs)]
#[command(next_help_heading = "Output")]
pub(crate) struct ToldArgs {
    /// Write nothing to standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print one JSON object; or an error
    #[arg(long)]
    pub(crate) json: bool,
}

const IMPORT_HELP: &str = "\
Mail is stored as it came, and parsed; each message joins the thread that its references lead to. Messages whose bytes are there \
already are passed over, so an import can be done again, and one that was stopped goes on. One that cannot be read stops nothing: \
those are told at the end, and the exit code is 65.

Mail from the persona's own address is what it said; mail from its domain that is not addressed to it is a colleague's. Nothing of \
that can be changed later, so say who answers: --persona, --address, or --received.

Examples:
  briefing import Archive.mbox --address me@shop.example
  briefing import Maildir more/*.eml --persona desk.toml --tool-use tool-use.jsonl
  briefing import --transcript runs.jsonl";

/// `briefing import`
#[derive(Debug, ClapArgs)]
#[command(after_help = IMPORT_HELP)]
#[command(group = ArgGroup::new("what").required(true).multiple(true).args(["paths", "transcript", "tool_use"]))]
#[command(group = ArgGroup::new("who").args(["persona", "address", "received"]))]
pub(crate) struct ImportArgs {
    /// Mailboxes: mbox files, Maildirs, .eml files, or folders of these
    #[arg(value_name = "PATH", requires = "who")]
    pub(crate) paths: Vec<PathBuf>,
    /// Conversations with a model, each to a thread of its own: what `assemble --transcript` reads, every conversation of it; a folder
    /// is read as agent-swarm-kit keeps one client's messages
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) transcript: Vec<PathBuf>,
    /// The tool calls made while answering mail that is imported: JSON Lines, a call a line
    #[arg(long, value_name = "FILE", requires = "who", conflicts_with = "received")]
    pub(crate) tool_use: Option<PathBuf>,
    /// Who answers: a TOML file
    #[arg(long, value_name = "FILE", help_heading = "Who answers")]
    pub(crate) persona: Option<PathBuf>,
    /// The address of who answers
    #[arg(long, value_name = "ADDRESS", help_heading = "Who answers")]
    pub(crate) address: Option<String>,
    /// Nobody here: all mail was received
    #[arg(long, help_heading = "Who answers")]
    pub(crate) received: bool,
    #[command(flatten)]
    pub(crate) db: ImportDbArgs,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}

/// The database that an import goes to.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Database")]
pub(crate) struct ImportDbArgs {
    /// The database; a new one is made if none is there
    #[arg(long, value_name = "FILE", default_value = "briefing.db")]
    pub(crate) db: PathBuf,
    /// Whose log it is [default: the persona's, else `default`]
    #[arg(long, value_name = "OWNER")]
    pub(crate) owner: Option<String>,
}

const THREADS_HELP: &str = "\
The thread with the newest entry comes first. --search finds mails and messages that hold all the words, \"words in quotes\" next to \
each other, whatever the case of letters and their accents.

Examples:
  briefing threads
  briefing threads --search 'refund \"order 7\"' --max 5";

/// `briefing threads`
#[derive(Debug, ClapArgs)]
#[command(after_help = THREADS_HELP)]
pub(crate) struct ThreadsArgs {
    /// Only threads with a message that holds all these words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) search: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max: usize,
    #[command(flatten)]
    pub(crate) db: DbArgs,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}

const SHOW_HELP: &str = "\
Everything stands as it was stored, in the order of the thread: mails, the tool calls of runs with their outcomes, cards. What could \
not be read of a mail, or not whole, is told below it.

Examples:
  briefing show 12
  briefing show --message '<a1@x.example>'
  briefing show --entry 40 --raw > mail.eml";

/// `briefing show`
#[derive(Debug, ClapArgs)]
#[command(after_help = SHOW_HELP)]
#[command(group = ArgGroup::new("what").required(true).args(["thread", "message", "entry"]))]
pub(crate) struct ShowArgs {
    /// A thread, by its number
    #[arg(value_name = "THREAD")]
    pub(crate) thread: Option<u64>,
    /// The mails of this Message-ID
    #[arg(long, value_name = "MESSAGE-ID")]
    pub(crate) message: Option<String>,
    /// One entry, by its number
    #[arg(long, value_name = "ENTRY")]
    pub(crate) entry: Option<u64>,
    /// The newest so many entries of the thread, or `all`
    #[arg(long, value_name = "N|all", default_value = "50")]
    pub(crate) limit: super::Limit,
    /// Of one mail, the bytes as they came
    #[arg(long, conflicts_with_all = ["thread", "json"])]
    pub(crate) raw: bool,
    #[command(flatten)]
    pub(crate) db: DbArgs,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}

const EXPORT_HELP: &str = "\
Standard output gets one JSON object a line: every entry of the owner in the order it was appended, with its thread, and of rounds \
and outcomes the run. With --mbox it gets the mails as they came, as an mbox file (mboxrd); what has no bytes of its own is told on \
standard error.

Examples:
  briefing export > everything.jsonl
  briefing export --mbox --thread 12 > thread.mbox";

/// `briefing export`
#[derive(Debug, ClapArgs)]
#[command(after_help = EXPORT_HELP)]
pub(crate) struct ExportArgs {
    /// Only this thread
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<u64>,
    /// Mails, as an mbox file
    #[arg(long)]
    pub(crate) mbox: bool,
    #[command(flatten)]
    pub(crate) db: DbArgs,
    /// Write nothing to standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

const FORGET_HELP: &str = "\
Erased are the entries with everything that came with them: mails as they came, attachments, runs, tool calls and their outcomes, \
and their words in the search index. A tombstone with a hash stays of each, so that the order of what is left stays whole and an \
import does not bring it back. The database is then written anew, so that no byte of it is left in the file. Backups and \
exports are yours to delete.

Nothing can be had back: try it with --dry-run first. Without --dry-run, --yes is needed.

Examples:
  briefing forget --correspondent ann@x.example --dry-run
  briefing forget --before 2025-01-01T00:00:00Z --yes";

/// `briefing forget`
#[derive(Debug, ClapArgs)]
#[command(after_help = FORGET_HELP)]
#[command(group = ArgGroup::new("what").required(true).args(["correspondent", "thread", "before", "everything"]))]
#[command(group = ArgGroup::new("how").required(true).args(["dry_run", "yes"]))]
pub(crate) struct ForgetArgs {
    /// The mails that this address wrote or got
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) correspondent: Option<String>,
    /// With --correspondent: everything else in its threads too, as others may quote it
    #[arg(long, requires = "correspondent")]
    pub(crate) whole_threads: bool,
    /// One thread, by its number
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<u64>,
    /// What is older than this, RFC 3339
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<Timestamp>,
    /// Everything of the owner
    #[arg(long)]
    pub(crate) everything: bool,
    /// Tell what would be erased, and erase nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Erase it
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) db: DbArgs,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}

/// `briefing merge`
#[derive(Debug, ClapArgs)]
pub(crate) struct MergeArgs {
    /// The thread that goes into the other one; its number leads there from then on
    #[arg(value_name = "FROM")]
    pub(crate) from: u64,
    /// The thread that gets it
    #[arg(value_name = "INTO")]
    pub(crate) into: u64,
    #[command(flatten)]
    pub(crate) db: DbArgs,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}

/// `briefing split`
#[derive(Debug, ClapArgs)]
pub(crate) struct SplitArgs {
    /// The entry with which the new thread begins, by its number
    #[arg(value_name = "ENTRY")]
    pub(crate) entry: u64,
    #[command(flatten)]
    pub(crate) db: DbArgs,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}

/// `briefing fork`
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Standard output gets the new thread's number. Nothing is copied: up to the entry, it included, the new thread reads as \
the old one; what comes to either from then on is not seen in the other.

Example:
  briefing fork --entry 40"
)]
pub(crate) struct ForkArgs {
    /// The entry that the new thread goes on from, by its number
    #[arg(long, value_name = "ENTRY")]
    pub(crate) entry: u64,
    /// The thread that holds it [default: the one that it was appended to]
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<u64>,
    #[command(flatten)]
    pub(crate) db: DbArgs,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}

/// `briefing edit`
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The message reads anew at its old place; the text that it had stays in the log, where `briefing forget` finds it. What the \
message holds beside text (calls, pictures, files) stays.

Examples:
  briefing edit --entry 40 --text 'Where is order 8?'
  briefing edit --entry 40 < text.txt"
)]
pub(crate) struct EditArgs {
    /// The message, by its number
    #[arg(long, value_name = "ENTRY")]
    pub(crate) entry: u64,
    /// What it says now [default: standard input]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) db: DbArgs,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}

/// `briefing backup`
#[derive(Debug, ClapArgs)]
pub(crate) struct BackupArgs {
    /// Where the copy goes; nothing may be there. Large attachments go to a folder beside it
    #[arg(value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// The database
    #[arg(long, value_name = "FILE", default_value = "briefing.db", help_heading = "Database")]
    pub(crate) db: PathBuf,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}

/// `briefing verify`
#[derive(Debug, ClapArgs)]
pub(crate) struct VerifyArgs {
    /// The database
    #[arg(long, value_name = "FILE", default_value = "briefing.db", help_heading = "Database")]
    pub(crate) db: PathBuf,
    #[command(flatten)]
    pub(crate) told: ToldArgs,
}
