//! `briefing forget`: erases, or tells what would be erased.

use std::process::ExitCode;

use briefing::log::{Address, Kind as EntryKind};
use briefing::message::ThreadId;
use briefing_store::{Forget, ForgetReport, Store};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::args::ForgetArgs;
use crate::database::{open, owner};
use crate::error::{Failure, Kind, Stop};
use crate::output::json::pretty;
use crate::output::{Output, counted};
use crate::shown::{Log, ask};

pub(crate) fn run(args: ForgetArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let log = Log::new(open(&args.db.db)?, owner(&args.db));
    let what = what(&args)?;
    let report = if args.dry_run {
        ask(log.store.would_forget(&log.owner, &what))?
    } else {
        ask(log.store.forget(&log.owner, &what, Timestamp::now()))?
    };
    let code = if args.dry_run || report.scrubbed { ExitCode::SUCCESS } else { ExitCode::from(Kind::Io.code()) };
    if args.told.json {
        out.write(&pretty(&json_of(&report, args.dry_run)))?;
        return Ok(code);
    }
    let lines = if is_empty(&report) { nothing(&what, out) } else { lines(&report, &args) };
    lines.iter().try_for_each(|line| out.line(line))?;
    if !(args.dry_run || report.scrubbed && is_empty(&report)) {
        out.line(scrubbed(&report))?;
    }
    Ok(code)
}

fn what(args: &ForgetArgs) -> Result<Forget, Failure> {
    Ok(match (&args.correspondent, args.thread, args.before) {
        (Some(address), _, _) => {
            let address = Address::new(address).email;
            if !address.contains('@') || address.contains([',', ' ', ':']) {
                return Err(Failure::new(Kind::Usage, format!("{address:?} is no address"))
                    .hint("give one address, as `briefing threads` shows it"));
            }
            Forget::Correspondent { address, whole_threads: args.whole_threads }
        }
        (None, Some(thread), _) => Forget::Thread(ThreadId::new(thread)),
        (None, None, Some(time)) => Forget::Before(time),
        (None, None, None) => Forget::Owner,
    })
}

fn is_empty(report: &ForgetReport) -> bool {
    report.entries.values().sum::<u64>() + report.runs + report.scheduled + report.requests == 0
}

fn nothing(what: &Forget, out: &mut Output) -> Vec<String> {
    match what {
        Forget::Correspondent { address, .. } => {
            out.note("hint: `briefing threads` shows the addresses");
            vec![format!("nothing to erase: no mail came from or went to {address}")]
        }
        Forget::Owner | Forget::Thread(_) | Forget::Before(_) | Forget::Requests(_) => vec!["nothing to erase".to_owned()],
    }
}

/// What was erased, a line a kind of thing; of what there was none, none.
fn lines(report: &ForgetReport, args: &ForgetArgs) -> Vec<String> {
    let ForgetReport {
        entries,
        threads,
        runs,
        scheduled,
        requests,
        raw,
        attachments,
        blobs,
        blob_bytes,
        shared_blobs,
        searchable,
        may_quote,
        ..
    } = report;
    let kinds = entries.iter().filter(|(_, number)| **number > 0);
    let kinds = kinds.map(|(kind, number)| counted(*number, kind_name(*kind))).collect::<Vec<_>>().join(", ");
    let kinds = if kinds.is_empty() { "no entry".to_owned() } else { kinds };
    let mut lines = vec![format!("{}: {kinds}", if args.dry_run { "would be erased" } else { "erased" })];
    let mut line = |number: u64, text: String| lines.extend((number > 0).then_some(text));
    line(*threads, format!("threads with nothing left: {threads}"));
    line(*runs, format!("runs: {runs}"));
    line(*scheduled, format!("scheduled runs: {scheduled}"));
    line(*requests, format!("requests of runs: {requests}"));
    line(*raw, format!("mails as they came: {raw}"));
    line(*attachments, format!("attachments: {attachments}"));
    line(*blobs, format!("stored contents: {blobs} ({})", counted(*blob_bytes, "byte")));
    line(*searchable, format!("entries in the search index: {searchable}"));
    line(*shared_blobs, format!("stored contents that stay, as other entries have the same: {shared_blobs}"));
    let whole = if args.correspondent.is_some() && !args.whole_threads { " (--whole-threads erases them too)" } else { "" };
    line(*may_quote, format!("entries that stay in those threads, and may quote it: {may_quote}{whole}"));
    lines
}

const fn kind_name(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Erased => "erased entry",
        EntryKind::Popped => "popped entry",
        EntryKind::Unreadable => "unreadable entry",
        EntryKind::ToolUse => "tool message",
        EntryKind::System => "system message",
        EntryKind::Mail
        | EntryKind::Round
        | EntryKind::Outcome
        | EntryKind::Message
        | EntryKind::Card
        | EntryKind::Notice
        | EntryKind::Reset
        | EntryKind::Edit => kind.name(),
    }
}

fn scrubbed(report: &ForgetReport) -> String {
    if report.scrubbed {
        return "the database was written anew: no byte of anything erased is left in it".to_owned();
    }
    let why = report.scrub_failure.as_deref().unwrap_or("it was not tried");
    format!(
        "the database could not be written anew, and bytes of what was erased may be left in it: {why}; once that is over, do \
         the same again"
    )
}

fn json_of(report: &ForgetReport, dry_run: bool) -> Value {
    let ForgetReport {
        entries,
        threads,
        runs,
        scheduled,
        requests,
        raw,
        attachments,
        blobs,
        blob_bytes,
        shared_blobs,
        searchable,
        may_quote,
        scrubbed,
        scrub_failure,
    } = report;
    let entries = EntryKind::ALL.into_iter().filter_map(|kind| Some((kind.name(), *entries.get(&kind)?)));
    json!({
        "dry_run": dry_run,
        "entries": entries.map(|(name, number)| (name.to_owned(), number.into())).collect::<serde_json::Map<_, _>>(),
        "threads": threads,
        "runs": runs,
        "scheduled": scheduled,
        "requests": requests,
        "raw": raw,
        "attachments": attachments,
        "contents": blobs,
        "content_bytes": blob_bytes,
        "shared_contents": shared_blobs,
        "searchable": searchable,
        "may_quote": may_quote,
        "scrubbed": scrubbed,
        "scrub_failure": scrub_failure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_scrubbed_is_told_with_what_to_do() {
        let told = |scrubbed| super::scrubbed(&ForgetReport { scrubbed, ..ForgetReport::default() });
        assert_eq!(told(true), "the database was written anew: no byte of anything erased is left in it");
        assert!(told(false).ends_with("once that is over, do the same again"));
    }
}
