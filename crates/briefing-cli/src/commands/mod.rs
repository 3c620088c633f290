//! One file a subcommand.

#[cfg(feature = "agent")]
pub(crate) mod ask;
pub(crate) mod assemble;
pub(crate) mod backup;
#[cfg(feature = "agent")]
pub(crate) mod cards;
#[cfg(feature = "agent")]
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod diff;
#[cfg(feature = "agent")]
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod fork;
pub(crate) mod import;
#[cfg(feature = "agent")]
pub(crate) mod init;
pub(crate) mod merge;
#[cfg(feature = "agent")]
pub(crate) mod replay;
#[cfg(feature = "agent")]
pub(crate) mod run_once;
#[cfg(feature = "agent")]
pub(crate) mod runs;
pub(crate) mod show;
pub(crate) mod split;
#[cfg(feature = "agent")]
pub(crate) mod stop;
pub(crate) mod text;
pub(crate) mod threads;
pub(crate) mod verify;

use crate::assembly::Assembly;
use crate::input::notes::Note;
use crate::output::Output;

/// How many notes are written to standard error.
const TOLD: usize = 20;

/// Tells what was chosen and what was noticed.
fn tell(assembly: &Assembly, out: &mut Output) {
    assembly.chosen.iter().for_each(|line| out.note(line));
    tell_notes(&assembly.notes, out);
}

/// Tells what was noticed: the first of many.
fn tell_notes(notes: &[Note], out: &mut Output) {
    notes.iter().take(TOLD).for_each(|note| out.note(format_args!("note: {note}")));
    let more = notes.len().saturating_sub(TOLD);
    if more > 0 {
        out.note(format_args!("note: … and {more} more (--json gives them all)"));
    }
}

/// What was noticed, for programs.
fn findings(assembly: &Assembly) -> serde_json::Value {
    assembly.notes.iter().map(Note::to_string).collect()
}
