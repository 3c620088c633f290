//! `briefing export`: everything that is stored, as JSON Lines; or mails, as an mbox.

use std::process::ExitCode;

use briefing::log::{Body, Kind as EntryKind};
use briefing::message::{Bytes, EntryId, ThreadId};
use briefing_store::{Logged, Store};

use crate::args::ExportArgs;
use crate::database::{open, owner};
use crate::error::{Failure, Kind, Stop};
use crate::output::{Output, count, entry, mbox, name_of};
use crate::shown::{Log, PAGE, Raw, ask};

/// How many entries are named on standard error.
const TOLD: usize = 20;

pub(crate) fn run(args: ExportArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.quiet);
    let log = Log::new(open(&args.db.db)?, owner(&args.db));
    let mut export = Export { mbox: args.mbox, ..Export::default() };
    match args.thread {
        Some(thread) => {
            let mut entries = log.newest(log.thread(ThreadId::new(thread))?.thread, None)?;
            entries.sort_unstable();
            for id in entries {
                let shown = log.entry(id)?;
                export.entry(&log, &shown, out)?;
            }
        }
        None => everything(&log, &mut export, out)?,
    }
    if !export.anything {
        out.note(format_args!("{} has nothing of owner {} to export", name_of(&args.db.db), log.owner));
    }
    export.end(out)
}

fn everything(log: &Log, export: &mut Export, out: &mut Output) -> Result<(), Stop> {
    let mut first = EntryId::new(0);
    loop {
        let page = ask(log.store.log(&log.owner, first, PAGE))?;
        let Some(last) = page.last() else { return Ok(()) };
        first = EntryId::new(last.entry.id.get().saturating_add(1));
        for logged in page {
            export.entry(log, &logged, out)?;
        }
    }
}

/// What is told at the end.
#[derive(Default)]
struct Export {
    mbox: bool,
    anything: bool,
    /// Mails whose bytes were not kept.
    without: Vec<EntryId>,
    /// Mails whose last line got an end.
    unended: Vec<EntryId>,
    /// Mails whose bytes are missing or damaged.
    lost: Vec<EntryId>,
}

impl Export {
    fn entry(&mut self, log: &Log, shown: &Logged, out: &mut Output) -> Result<(), Stop> {
        self.anything = true;
        let id = shown.entry.id;
        let raw = if EntryKind::of(&shown.entry.body) == EntryKind::Mail { log.raw(id)? } else { Raw::None };
        self.lost.extend(matches!(raw, Raw::Lost(_)).then_some(id));
        if self.mbox { self.mail(shown, &raw, out) } else { object(shown, &raw, out) }
    }

    fn mail(&mut self, shown: &Logged, raw: &Raw, out: &mut Output) -> Result<(), Stop> {
        let Body::Mail(mail) = &shown.entry.body else { return Ok(()) };
        match raw {
            Raw::Kept(bytes) => {
                self.unended.extend((!mbox::is_ended(bytes)).then_some(shown.entry.id));
                out.bytes(&mbox::message(&shown.entry, mail, bytes))
            }
            Raw::None => {
                self.without.push(shown.entry.id);
                Ok(())
            }
            Raw::Lost(_) => Ok(()),
        }
    }

    fn end(&self, out: &mut Output) -> Result<ExitCode, Stop> {
        if !self.without.is_empty() {
            out.note(format_args!("left out, as stored without the bytes that they came in: {}", named(&self.without)));
        }
        if !self.unended.is_empty() {
            out.note(format_args!("given a line end behind the last line, as an mbox needs one: {}", named(&self.unended)));
        }
        if self.lost.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        let message = format!("missing or damaged, and not exported, are the bytes of {}", named(&self.lost));
        Err(Failure::new(Kind::Data, message).hint("restore them from a backup; everything else was exported").into())
    }
}

fn object(shown: &Logged, raw: &Raw, out: &mut Output) -> Result<(), Stop> {
    let object = entry::object(shown);
    let object = match raw {
        Raw::Kept(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => object.field("raw", text),
            Err(_) => object.field("raw_base64", Bytes::encode(bytes).as_base64()),
        },
        Raw::None | Raw::Lost(_) => object,
    };
    out.write(&(object.end() + "\n"))
}

/// The first ones by their number.
fn named(entries: &[EntryId]) -> String {
    let first = entries.iter().take(TOLD).map(EntryId::to_string).collect::<Vec<_>>().join(", ");
    let more = if entries.len() > TOLD { ", …" } else { "" };
    format!("{} ({first}{more})", count(entries.len(), "mail"))
}
