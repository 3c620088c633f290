//! `briefing import`: mailboxes, recorded tool use and transcripts into a database.

use std::path::Path;
use std::process::ExitCode;

use briefing::message::OwnerId;
use briefing_store::{ImportedMails, SqliteStore, Store, StoreError, import_mails, import_messages};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::args::ImportArgs;
use crate::commands::tell_notes;
use crate::config::{PersonaConfig, ViewOverride};
use crate::database::{create, failure};
use crate::error::{Failure, Kind, Stop};
use crate::input::mailbox::{mark_direction, unreadable};
use crate::input::notes::Note;
use crate::input::tool_use::{Answered, ToolUse};
use crate::input::{persona, swarm, transcript};
use crate::output::json::pretty;
use crate::output::progress::Progress;
use crate::output::{Output, count, counted, name_of};

/// What came of it.
#[derive(Default)]
struct Report {
    mails: ImportedMails,
    runs: usize,
    conversations: usize,
    messages: usize,
    notes: Vec<Note>,
}

pub(crate) fn run(args: ImportArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let who = PersonaConfig::new(args.persona, args.address);
    let answerer = persona::load(&who, &ViewOverride::default(), args.db.owner.clone().map(OwnerId::new))?;
    let (address, owner) = (answerer.persona.address().to_owned(), answerer.persona.owner().clone());
    // What cannot be read at all is told before a database is made for it.
    let tool_use = args.tool_use.as_deref().map(ToolUse::read).transpose()?;
    if !args.paths.iter().any(|path| path.exists())
        && let Some(error) = args.paths.first().and_then(|path| briefing_mail::read(path).err())
    {
        return Err(unreadable(&error, args.paths.len()).into());
    }
    if let Some(path) = args.transcript.iter().find(|path| *path != Path::new("-") && !path.exists()) {
        return Err(Failure::unreadable(&name_of(path), &std::io::ErrorKind::NotFound.into()).into());
    }
    let import = Import { store: create(&args.db.db)?, owner, now: Timestamp::now() };
    let mut report = Report { notes: answerer.notes, ..Report::default() };
    if !args.paths.is_empty() {
        import.mails(&args.paths, &address, &mut report, out)?;
    }
    if let Some(tool_use) = tool_use {
        import.tool_use(tool_use, &address, &mut report)?;
    }
    for path in &args.transcript {
        import.transcript(path, &mut report)?;
    }
    pollster::block_on(import.store.index()).map_err(failure)?;
    tell(&report, &args.db.db, out);
    if args.told.json {
        out.write(&pretty(&json_of(&report)))?;
    }
    let unread = report.notes.iter().filter(|note| matches!(note, Note::Unreadable(_) | Note::NotKept { .. })).count();
    if unread == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let failure = Failure::new(Kind::Data, format!("{} could not be read; the rest is stored", count(unread, "source")))
        .hint("each is named above; --json names them all");
    out.failure(&failure);
    Ok(ExitCode::from(failure.kind.code()))
}

struct Import {
    store: SqliteStore,
    owner: OwnerId,
    now: Timestamp,
}

impl Import {
    fn mails(&self, paths: &[std::path::PathBuf], address: &str, report: &mut Report, out: &mut Output) -> Result<(), Stop> {
        let mut progress = Progress::over(paths, out);
        let mails = import_mails(
            &self.store,
            &self.owner,
            briefing_mail::read_all(paths),
            self.now,
            |mail| mark_direction(mail, address),
            |source, so_far| progress.at(source, so_far.read),
        );
        let mut mails = pollster::block_on(mails).map_err(failure)?;
        drop(progress);
        let unread = mails.unreadable.len();
        if let Some(first) = mails.unreadable.first().cloned().filter(|_| mails.read == 0) {
            let all: Vec<Note> = mails.unreadable.into_iter().map(Note::Unreadable).collect();
            if all.len() > 1 {
                tell_notes(&all, out);
            }
            return Err(unreadable(&first, unread).into());
        }
        report.notes.extend(std::mem::take(&mut mails.unreadable).into_iter().map(Note::Unreadable));
        let findings = std::mem::take(&mut mails.findings).into_iter();
        report.notes.extend(findings.map(|(source, finding)| Note::Message { source, finding }));
        let reused = std::mem::take(&mut mails.reused).into_iter();
        report.notes.extend(reused.map(|(source, id)| Note::SharedId { source, id }));
        report.mails = mails;
        Ok(())
    }

    fn tool_use(&self, tool_use: ToolUse, address: &str, report: &mut Report) -> Result<(), Stop> {
        let (store, owner) = (&self.store, &self.owner);
        let notes = &mut report.notes;
        report.runs = tool_use.record(
            address,
            |id| {
                pollster::block_on(async {
                    let Some(entry) = store.by_message_id(owner, id).await?.into_iter().next() else { return Ok(None) };
                    let (Some(entry), Some(thread)) = (store.entry(owner, entry).await?, store.thread_of(owner, entry).await?)
                    else {
                        return Ok(None);
                    };
                    Ok(Some(Answered { entry: entry.id, thread, at: entry.at }))
                })
                .map_err(failure)
            },
            // The mail may have been forgotten.
            |missing| {
                notes.push(Note::RunLeftOut { why: missing.message });
                Ok(())
            },
            |run, rounds, at| pollster::block_on(store.import_run(owner, run, rounds, at)).map_err(failure),
        )?;
        Ok(())
    }

    fn transcript(&self, path: &Path, report: &mut Report) -> Result<(), Stop> {
        let notes = transcript::each(path, |id, conversation| {
            report.notes.extend(conversation.notes);
            let (store, owner, now) = (&self.store, &self.owner, self.now);
            let imported = match &conversation.swarm {
                Some(log) => pollster::block_on(swarm::import(store, owner, id, log, now)),
                None => pollster::block_on(import_messages(store, owner, id, &conversation.messages, now)),
            };
            // What cannot be kept is named, and the rest is stored.
            if let Err(StoreError::TooDeep { .. } | StoreError::TooLarge { .. }) = &imported {
                let id = id.map_or_else(String::new, |id| format!(", conversation {id:?}"));
                let why = imported.err().map(|error| error.to_string()).unwrap_or_default();
                report.notes.push(Note::NotKept { name: format!("{}{id}", name_of(path)), why });
                return Ok(());
            }
            if let Some(imported) = imported.map_err(failure)? {
                report.conversations += usize::from(imported.new > 0);
                report.messages += imported.new;
                if imported.differs {
                    let id = id.unwrap_or_default().to_owned();
                    report.notes.push(Note::OtherConversation { id, thread: imported.thread });
                }
            }
            Ok(())
        })?;
        report.notes.extend(notes);
        Ok(())
    }
}

fn tell(report: &Report, db: &Path, out: &mut Output) {
    tell_notes(&report.notes, out);
    let Report { mails, runs, conversations, messages, .. } = report;
    if mails.more_findings > 0 {
        out.note(format_args!("note: … and {} more about messages", mails.more_findings));
    }
    let unreadable = report.notes.iter().filter(|note| matches!(note, Note::Unreadable(_) | Note::NotKept { .. })).count();
    let mut parts = Vec::new();
    let mut part = |number: u64, text: String| parts.extend((number > 0).then_some(text));
    part(mails.new, format!("{} stored", counted(mails.new, "message")));
    part(mails.before, format!("{} there before", counted(mails.before, "message")));
    part(mails.merged, format!("{} found to be one with another", counted(mails.merged, "thread")));
    part(*runs as u64, format!("{} of tool use stored", count(*runs, "run")));
    part(*messages as u64, format!("{} of {} stored", count(*messages, "message"), count(*conversations, "conversation")));
    part(unreadable as u64, format!("{} not readable", count(unreadable, "source")));
    let parts = if parts.is_empty() { "nothing new".to_owned() } else { parts.join(", ") };
    out.note(format_args!("{}: {parts}", db.display()));
}

fn json_of(report: &Report) -> Value {
    let Report { mails, runs, conversations, messages, notes } = report;
    json!({
        "messages": { "read": mails.read, "stored": mails.new, "before": mails.before },
        "threads_merged": mails.merged,
        "runs_stored": runs,
        "conversations_stored": conversations,
        "conversation_messages_stored": messages,
        "findings": notes.iter().map(Note::to_string).collect::<Value>(),
    })
}
