//! `briefing verify`: everything in a database, held against its hashes and references.

use std::process::ExitCode;

use briefing_store::{Fault, Reference, Store, Verified};
use serde_json::{Value, json};

use crate::args::VerifyArgs;
use crate::database::open;
use crate::error::{Kind, Stop};
use crate::output::json::pretty;
use crate::output::{Output, counted, shown};
use crate::shown::ask;

pub(crate) fn run(args: VerifyArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let verified = ask(open(&args.db)?.verify())?;
    let Verified { owners, entries, blobs, faults, more } = &verified;
    if args.told.json {
        let faults = faults.iter().map(fault).collect::<Value>();
        let told = json!({ "owners": owners, "entries": entries, "contents": blobs, "faults": faults, "more": more });
        out.write(&pretty(&told))?;
    } else {
        for fault in faults {
            out.write(&format!("{}\n", out.paint().bad(&shown(&fault.to_string()))))?;
        }
        let number = u64::try_from(faults.len()).unwrap_or(u64::MAX).saturating_add(*more);
        let found = if number == 0 { "no faults".to_owned() } else { counted(number, "fault") };
        let not_told = if *more > 0 { format!(", of which {more} are not told") } else { String::new() };
        let looked = [counted(*owners, "owner"), counted(*entries, "entry"), counted(*blobs, "stored content")].join(", ");
        out.line(format_args!("{looked}: {found}{not_told}"))?;
    }
    Ok(if verified.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(Kind::Data.code()) })
}

fn fault(fault: &Fault) -> Value {
    let text = fault.to_string();
    let of = |code: &str, owner: &briefing::message::OwnerId, key: &str, number: u64| json!({ "code": code, "owner": owner.as_str(), key: number, "text": text });
    let of_run = |code: &str, owner: &briefing::message::OwnerId, run: &briefing::message::RunId| json!({ "code": code, "owner": owner.as_str(), "run": run.as_str(), "text": text });
    match fault {
        Fault::Database { .. } => json!({ "code": "database", "text": text }),
        Fault::OwnerMissing { number } => json!({ "code": "owner-missing", "number": number, "text": text }),
        Fault::OwnerMiscounted { owner } => json!({ "code": "owner-miscounted", "owner": owner.as_str(), "text": text }),
        Fault::Altered { owner, entry } => of("altered", owner, "entry", entry.get()),
        Fault::Unreadable { owner, entry } => of("unreadable", owner, "entry", entry.get()),
        Fault::Gap { owner, entry } => of("gap", owner, "entry", entry.get()),
        Fault::Misplaced { owner, entry } => of("misplaced", owner, "entry", entry.get()),
        Fault::Miscounted { owner, thread } => of("miscounted", owner, "thread", thread.get()),
        Fault::Dangling { owner, entry, to } => of(dangling(*to), owner, "entry", entry.get()),
        Fault::Leftover { owner, entry } => of("leftover", owner, "entry", entry.get()),
        Fault::KeyDangling { owner, entry } => of("key-dangling", owner, "entry", entry.get()),
        Fault::RunAltered { owner, run } => of_run("run-altered", owner, run),
        Fault::RunMisplaced { owner, run } => of_run("run-misplaced", owner, run),
        Fault::ScheduledMisplaced { owner, run } => of_run("scheduled-misplaced", owner, run),
        Fault::RequestAltered { owner, run, number } => {
            json!({ "code": "request-altered", "owner": owner.as_str(), "run": run.as_str(), "request": number, "text": text })
        }
        Fault::AnchorDangling { owner, thread } => of("anchor-dangling", owner, "thread", thread.get()),
        Fault::NameDangling { owner, thread } => of("name-dangling", owner, "thread", thread.get()),
        Fault::ForkDangling { owner, thread } => of("fork-dangling", owner, "thread", thread.get()),
        Fault::TextAltered { hash } => json!({ "code": "text-altered", "hash": hash, "text": text }),
        Fault::TextDangling { number } => json!({ "code": "text-dangling", "number": number, "text": text }),
        Fault::BlobMissing { hash } => json!({ "code": "content-missing", "hash": hash, "text": text }),
        Fault::BlobUnreadable { hash } => json!({ "code": "content-unreadable", "hash": hash, "text": text }),
        Fault::BlobAltered { hash } => json!({ "code": "content-altered", "hash": hash, "text": text }),
        Fault::BlobMiscounted { hash } => json!({ "code": "content-miscounted", "hash": hash, "text": text }),
        Fault::Index { owner, entry } => of("index", owner, "entry", entry.get()),
    }
}

const fn dangling(to: Reference) -> &'static str {
    match to {
        Reference::Run => "run-missing",
        Reference::Round => "round-missing",
        Reference::Card => "card-missing",
        Reference::Notice => "notice-missing",
        Reference::Message => "message-missing",
        Reference::Edit => "edit-missing",
        Reference::Blob => "reference-missing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing::message::{EntryId, OwnerId, RunId, ThreadId};

    #[test]
    fn every_fault_has_its_code_and_its_place() {
        let (owner, entry) = (OwnerId::default(), EntryId::new(7));
        let faults = [
            Fault::Database { detail: "d".to_owned() },
            Fault::OwnerMissing { number: 2 },
            Fault::OwnerMiscounted { owner: owner.clone() },
            Fault::Altered { owner: owner.clone(), entry },
            Fault::Unreadable { owner: owner.clone(), entry },
            Fault::Gap { owner: owner.clone(), entry },
            Fault::Misplaced { owner: owner.clone(), entry },
            Fault::Miscounted { owner: owner.clone(), thread: ThreadId::new(3) },
            Fault::Dangling { owner: owner.clone(), entry, to: Reference::Run },
            Fault::Dangling { owner: owner.clone(), entry, to: Reference::Round },
            Fault::Dangling { owner: owner.clone(), entry, to: Reference::Card },
            Fault::Dangling { owner: owner.clone(), entry, to: Reference::Notice },
            Fault::Dangling { owner: owner.clone(), entry, to: Reference::Message },
            Fault::Dangling { owner: owner.clone(), entry, to: Reference::Edit },
            Fault::Dangling { owner: owner.clone(), entry, to: Reference::Blob },
            Fault::Leftover { owner: owner.clone(), entry },
            Fault::KeyDangling { owner: owner.clone(), entry },
            Fault::RunAltered { owner: owner.clone(), run: RunId::new("r") },
            Fault::RunMisplaced { owner: owner.clone(), run: RunId::new("r") },
            Fault::RequestAltered { owner: owner.clone(), run: RunId::new("r"), number: 4 },
            Fault::AnchorDangling { owner: owner.clone(), thread: ThreadId::new(3) },
            Fault::NameDangling { owner: owner.clone(), thread: ThreadId::new(3) },
            Fault::ForkDangling { owner: owner.clone(), thread: ThreadId::new(3) },
            Fault::TextAltered { hash: "h".to_owned() },
            Fault::TextDangling { number: 5 },
            Fault::BlobMissing { hash: "h".to_owned() },
            Fault::BlobUnreadable { hash: "h".to_owned() },
            Fault::BlobAltered { hash: "h".to_owned() },
            Fault::BlobMiscounted { hash: "h".to_owned() },
            Fault::Index { owner, entry },
        ];
        let without_text = faults.iter().map(|of| {
            let mut told = fault(of);
            assert_eq!(told["text"], of.to_string());
            told.as_object_mut().unwrap().remove("text");
            told
        });
        let of = |code: &str| json!({ "code": code, "owner": "default", "entry": 7 });
        let expected = [
            json!({ "code": "database" }),
            json!({ "code": "owner-missing", "number": 2 }),
            json!({ "code": "owner-miscounted", "owner": "default" }),
            of("altered"),
            of("unreadable"),
            of("gap"),
            of("misplaced"),
            json!({ "code": "miscounted", "owner": "default", "thread": 3 }),
            of("run-missing"),
            of("round-missing"),
            of("card-missing"),
            of("notice-missing"),
            of("message-missing"),
            of("edit-missing"),
            of("reference-missing"),
            of("leftover"),
            of("key-dangling"),
            json!({ "code": "run-altered", "owner": "default", "run": "r" }),
            json!({ "code": "run-misplaced", "owner": "default", "run": "r" }),
            json!({ "code": "request-altered", "owner": "default", "run": "r", "request": 4 }),
            json!({ "code": "anchor-dangling", "owner": "default", "thread": 3 }),
            json!({ "code": "name-dangling", "owner": "default", "thread": 3 }),
            json!({ "code": "fork-dangling", "owner": "default", "thread": 3 }),
            json!({ "code": "text-altered", "hash": "h" }),
            json!({ "code": "text-dangling", "number": 5 }),
            json!({ "code": "content-missing", "hash": "h" }),
            json!({ "code": "content-unreadable", "hash": "h" }),
            json!({ "code": "content-altered", "hash": "h" }),
            json!({ "code": "content-miscounted", "hash": "h" }),
            of("index"),
        ];
        assert_eq!(without_text.collect::<Vec<_>>(), expected);
    }
}
