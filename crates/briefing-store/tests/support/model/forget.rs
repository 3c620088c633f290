//! Erasure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use briefing::log::{Body, Entry, Erased, Kind};
use briefing::message::{EntryId, OwnerId, RunId, ThreadId};
use briefing_store::{BlobHash, Forget, ForgetReport, Scheduled, StoreError};
use jiff::Timestamp;

use super::log::{Log, Row, RunRow, cut};

/// What a search looks through.
const SEARCHABLE: [Kind; 4] = [Kind::Mail, Kind::Message, Kind::ToolUse, Kind::System];

/// What goes.
struct Reach {
    entries: BTreeSet<EntryId>,
    runs: BTreeSet<usize>,
    scheduled: Vec<RunId>,
    /// The threads that lose something, and those of them that have nothing left.
    touched: BTreeSet<ThreadId>,
    emptied: BTreeSet<ThreadId>,
}

pub(super) fn report(owners: &BTreeMap<OwnerId, Log>, owner: &OwnerId, what: &Forget) -> Result<ForgetReport, StoreError> {
    let nothing = Log::default();
    let log = owners.get(owner).unwrap_or(&nothing);
    if let Forget::Thread(thread) = what {
        let into = log.known(*thread)?;
        if into != *thread {
            return Err(StoreError::Merged { thread: *thread, into });
        }
    }
    let reach = reach(log, what);
    let rows: Vec<&Row> = log.rows.iter().filter(|row| reach.entries.contains(&row.entry.id)).collect();
    let mut report = ForgetReport {
        threads: reach.emptied.len() as u64,
        runs: reach.runs.len() as u64,
        scheduled: reach.scheduled.len() as u64,
        requests: asked(log, what, &reach).len() as u64,
        raw: rows.iter().filter(|row| row.raw.is_some()).count() as u64,
        attachments: rows.iter().map(|row| row.attachments().len() as u64).sum(),
        searchable: rows.iter().filter(|row| log.is(row, &SEARCHABLE)).count() as u64,
        ..ForgetReport::default()
    };
    for row in &rows {
        *report.entries.entry(log.kind(row)).or_default() += 1;
    }
    let stays = |row: &&Row| !row.erased() && !reach.entries.contains(&row.entry.id);
    report.may_quote = reach.touched.iter().map(|thread| log.members(*thread).filter(stays).count() as u64).sum();
    let asked = asked(log, what, &reach);
    let body = |&(run, at): &(usize, usize)| log.runs[run].work.requests[at].request.body.as_slice();
    let contents: BTreeSet<&[u8]> = rows.iter().flat_map(|row| row.contents()).chain(asked.iter().map(body)).collect();
    for content in contents {
        let mut others = log.rows.iter().filter(|row| !reach.entries.contains(&row.entry.id));
        let mut requests = requests(log).filter(|request| !asked.contains(request));
        if others.any(|row| row.contents().any(|other| other == content)) || requests.any(|request| body(&request) == content) {
            report.shared_blobs += 1;
        } else {
            report.blobs += 1;
            report.blob_bytes += content.len() as u64;
        }
    }
    Ok(report)
}

/// Every request: its run, and which of it.
fn requests(log: &Log) -> impl Iterator<Item = (usize, usize)> {
    log.runs.iter().enumerate().flat_map(|(run, row)| (0..row.work.requests.len()).map(move |at| (run, at)))
}

/// The requests that go.
fn asked(log: &Log, what: &Forget, reach: &Reach) -> BTreeSet<(usize, usize)> {
    let goes = |(run, at): &(usize, usize)| match what {
        Forget::Requests(time) => log.runs[*run].work.requests[*at].at < cut(*time),
        Forget::Owner | Forget::Correspondent { .. } | Forget::Thread(_) | Forget::Before(_) => {
            log.parts(log.runs[*run].run.thread).iter().any(|part| reach.touched.contains(&part.thread))
        }
    };
    requests(log).filter(goes).collect()
}

pub(super) fn forget(log: &mut Log, what: &Forget, now: Timestamp) {
    let reach = reach(log, what);
    for (run, at) in asked(log, what, &reach).into_iter().rev() {
        log.runs[run].work.requests.remove(at);
    }
    log.scheduled.retain(|work| !reach.scheduled.contains(&work.run));
    log.leases.retain(|held| !reach.runs.contains(&held.run));
    for row in log.rows.iter_mut().filter(|row| reach.entries.contains(&row.entry.id)) {
        let hash = *BlobHash::of(format!("{:?}", row.entry).as_bytes()).as_bytes();
        let body = Body::Erased(Erased { at: cut(now), hash });
        *row = Row { key: row.key, ..Row::new(Arc::new(Entry { body, ..*row.entry }), row.thread) };
    }
    for run in reach.runs {
        log.runs[run].gone = true;
    }
    for run in &mut log.runs {
        run.wrote.retain(|entry| !reach.entries.contains(entry));
    }
    // The numbers that a fork gives go on from those of the thread that it was forked off.
    let forked: Vec<ThreadId> = log.forks.iter().map(|fork| fork.of).collect();
    log.call_ids.retain(|(of, ..)| !reach.emptied.contains(of) || forked.contains(of));
    log.anchors.retain(|(key, _)| !reach.emptied.contains(&key.thread));
    log.settle_awaited();
}

fn reach(log: &Log, what: &Forget) -> Reach {
    let open = (0..log.threads.len()).filter(|at| log.threads[*at].is_none());
    let open: BTreeSet<ThreadId> = open.map(|at| ThreadId::new(at as u64)).collect();
    let writes = |row: &Row, address: &str| {
        row.mail().is_some_and(|mail| mail.from.iter().chain(&mail.to).chain(&mail.cc).any(|other| other.same_mailbox(address)))
    };
    // Threads that go whole.
    let whole: BTreeSet<ThreadId> = match what {
        Forget::Owner => open.clone(),
        Forget::Thread(thread) => log.resolve(*thread).into_iter().collect(),
        Forget::Correspondent { address, whole_threads: true } => {
            log.rows.iter().filter(|row| writes(row, address)).map(|row| row.thread).collect()
        }
        Forget::Correspondent { .. } | Forget::Before(_) | Forget::Requests(_) => BTreeSet::new(),
    };
    let mut entries: BTreeSet<EntryId> = BTreeSet::new();
    let mut runs: BTreeSet<usize> = BTreeSet::new();
    loop {
        let before = (entries.len(), runs.len());
        for (at, run) in log.runs.iter().enumerate().filter(|(_, run)| !run.gone) {
            let rounds = log.rows.iter().any(|row| row.run.is_some_and(|(of, _)| of == at));
            if whole.contains(&run.run.thread) || goes(run, rounds, what, &entries) {
                runs.insert(at);
            }
        }
        for row in log.rows.iter().filter(|row| !row.erased()) {
            let own = match what {
                Forget::Correspondent { address, .. } => writes(row, address),
                Forget::Before(time) => row.run.is_none() && row.entry.at < cut(*time),
                Forget::Owner | Forget::Thread(_) | Forget::Requests(_) => false,
            };
            if own
                || whole.contains(&row.thread)
                || row.run.is_some_and(|(run, _)| runs.contains(&run))
                || row.proposed.is_some_and(|run| runs.contains(&run))
                || row.notice().is_some_and(|notice| entries.contains(&notice.card))
                || row.edit().is_some_and(|edit| entries.contains(&edit.of))
            {
                entries.insert(row.entry.id);
            }
        }
        if before == (entries.len(), runs.len()) {
            break;
        }
    }
    let left = |thread: &ThreadId| log.members(*thread).any(|row| !row.erased() && !entries.contains(&row.entry.id));
    let mut touched: BTreeSet<ThreadId> = entries.iter().filter_map(|entry| log.row(*entry)).map(|row| row.thread).collect();
    touched.extend(runs.iter().map(|run| log.runs[*run].run.thread));
    let emptied = touched.iter().filter(|thread| !left(thread)).copied().collect();
    let goes = |work: &&Scheduled| whole.contains(&work.thread) || log.run(&work.run).is_ok_and(|run| runs.contains(&run));
    let scheduled = log.scheduled.iter().filter(goes).map(|work| work.run.clone()).collect();
    Reach { entries, runs, scheduled, touched, emptied }
}

/// Whether a run goes with what it answers or wrote, or is old itself where it has neither.
fn goes(run: &RunRow, rounds: bool, what: &Forget, entries: &BTreeSet<EntryId>) -> bool {
    let others = run.belongs_to();
    if let (true, Forget::Before(time)) = (others.is_empty(), what) {
        return rounds && run.last < cut(*time);
    }
    others.iter().any(|other| entries.contains(other))
}
