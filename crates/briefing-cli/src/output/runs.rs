//! Runs for people and for programs.

use std::fmt::Write;

use briefing::log::{Cause, RecordedRound};
use briefing::message::{Assistant, Item, ToolCall};
use briefing_store::{RunRequest, RunSummary, Scheduled, Spent};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::output::table::{aligned, brief, cut};
use crate::output::time::{to_minute, to_second, value};
use crate::output::{Paint, counted, safe, shown};

/// How many characters of arguments, outcomes and details are told.
const TOLD: usize = 100;
const HEADER: [&str; 8] = ["run", "began", "thread", "for", "rounds", "read", "written", "end"];
const SCHEDULED_HEADER: [&str; 5] = ["run", "due", "thread", "for", "persona"];

/// One run with everything that is kept of it.
pub(crate) struct Whole {
    pub(crate) summary: RunSummary,
    pub(crate) rounds: Vec<RecordedRound>,
    pub(crate) steps: Vec<(String, Timestamp)>,
    pub(crate) requests: Vec<RunRequest>,
    /// What it cost, at the prices of the configuration; none where they do not tell.
    pub(crate) cost: Option<u64>,
}

/// A row a run.
pub(crate) fn table(runs: &[RunSummary], paint: Paint) -> String {
    let rows = runs.iter().map(|run| {
        vec![
            run.number.get().to_string(),
            run.began.map(to_minute).unwrap_or_default(),
            run.run.thread.to_string(),
            cut(&safe(&cause(run)), 30),
            run.rounds.to_string(),
            run.spent.input.to_string(),
            run.spent.output.to_string(),
            cut(&safe(&end(run)), TOLD),
        ]
    });
    with_head(aligned(&HEADER, rows, &[0, 2, 4, 5, 6]), paint)
}

/// A row a scheduled run.
pub(crate) fn scheduled_table(works: &[Scheduled], paint: Paint) -> String {
    let rows = works.iter().map(|work| {
        vec![
            shown(work.run.as_str()),
            to_minute(work.at),
            work.thread.to_string(),
            cut(&safe(&work.responsibility), 30),
            cut(&safe(&work.persona), 40),
        ]
    });
    with_head(aligned(&SCHEDULED_HEADER, rows, &[2]), paint)
}

fn with_head(lines: Vec<String>, paint: Paint) -> String {
    let mut lines = lines.into_iter().map(|line| line.trim_end().to_owned());
    let head = lines.next().map(|line| paint.strong(&line)).unwrap_or_default();
    std::iter::once(head).chain(lines).map(|line| line + "\n").collect()
}

fn cause(run: &RunSummary) -> String {
    match &run.run.cause {
        Cause::Message(entry) => format!("entry {entry}"),
        Cause::Responsibility(name) => name.clone(),
    }
}

fn began(run: &RunSummary) -> String {
    match (run.began, &run.end, run.due) {
        (Some(at), _, _) => to_second(at),
        (None, None, None) => "elsewhere: it was imported".to_owned(),
        (None, Some(_), _) | (None, _, Some(_)) => "never".to_owned(),
    }
}

fn end(run: &RunSummary) -> String {
    match (&run.end, run.began) {
        (Some(end), _) => {
            let detail = end.detail.as_deref().map(|detail| format!(": {detail}")).unwrap_or_default();
            format!("{}{detail}", end.how.name())
        }
        (None, None) if run.due.is_some() => "open".to_owned(),
        (None, None) => "imported".to_owned(),
        (None, Some(_)) => match run.lease {
            Some(lease) => format!("open, has its thread until {}", to_second(lease.until())),
            None => "open".to_owned(),
        },
    }
}

/// Everything of one run.
pub(crate) fn text(whole: &Whole, paint: Paint) -> String {
    let run = &whole.summary;
    let title = format!("run {} of thread {}, for {}", run.number.get(), run.run.thread, cause(run));
    let mut out = format!("{}\n", paint.strong(&shown(&title)));
    let _ = writeln!(out, "id     {}", shown(run.run.id.as_str()));
    let _ = writeln!(out, "began  {}", began(run));
    let _ = writeln!(out, "end    {}", shown(&end(run)));
    let _ = writeln!(out, "spent  {}", spent(&run.spent));
    if let Some(cost) = whole.cost {
        let _ = writeln!(out, "cost   {} at the configured prices", money(cost));
    }
    for (at, round) in whole.rounds.iter().enumerate() {
        let _ = writeln!(out, "\n{}", paint.strong(&format!("round {at}")));
        let said = says(&round.said);
        if !said.trim().is_empty() {
            let _ = writeln!(out, "  says {}", brief(&said, TOLD));
        }
        for call in round.said.calls() {
            let _ = writeln!(out, "  {} {}", shown(&call.name), brief(call.input.raw(), TOLD));
            let _ = writeln!(out, "    {}", outcome(round, call));
        }
    }
    if !whole.steps.is_empty() {
        let _ = writeln!(out, "\n{}", paint.strong("steps, each begun once"));
    }
    for (key, at) in &whole.steps {
        let _ = writeln!(out, "  {}  {}", to_second(*at), shown(key));
    }
    if !whole.requests.is_empty() {
        let _ = writeln!(out, "\n{}", paint.strong("requests (`briefing replay` makes them again)"));
    }
    for kept in &whole.requests {
        let request = &kept.request;
        let what = format!("{} on {}, round {}, {} bytes", request.model, request.wire, request.round, request.body.len());
        let _ = writeln!(out, "  #{}  {}  {}", kept.number, to_second(kept.at), shown(&what));
    }
    out
}

/// Money of millionths.
pub(crate) fn money(millionths: u64) -> String {
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

/// What was spent.
pub(crate) fn spent(spent: &Spent) -> String {
    let Spent { requests, input, output, cache_read, cache_written, reasoning } = *spent;
    let mut told = format!("{}, {} read", counted(requests, "request"), counted(input, "token"));
    let mut more = |number: u64, what: &str| {
        if number > 0 {
            told.push_str(&format!(" ({number} {what})"));
        }
    };
    more(cache_read, "out of a cache");
    more(cache_written, "into a cache");
    told.push_str(&format!(", {output} written"));
    if reasoning > 0 {
        told.push_str(&format!(" ({reasoning} of them reasoning)"));
    }
    told
}

/// The text beside the calls.
fn says(said: &Assistant) -> String {
    said.items.iter().filter_map(Item::text).collect::<Vec<_>>().join("\n")
}

fn outcome(round: &RecordedRound, call: &ToolCall) -> String {
    match round.outcomes.iter().find(|recorded| recorded.outcome.call == call.id) {
        None => "no outcome".to_owned(),
        Some(recorded) => {
            let how = if recorded.outcome.failed == Some(true) { "failed" } else { "gave" };
            format!("{how}: {}", brief(&plain(&recorded.outcome.parts), TOLD))
        }
    }
}

fn plain(parts: &[briefing::message::Part]) -> String {
    parts.iter().map(|part| part.as_text().map_or("[a file]", |text| text)).collect::<Vec<_>>().join(" ")
}

/// Runs for programs.
pub(crate) fn list(runs: &[RunSummary], more: bool) -> Value {
    json!({ "runs": runs.iter().map(summary).collect::<Value>(), "more": more })
}

/// Scheduled runs for programs.
pub(crate) fn scheduled_list(works: &[Scheduled], more: bool) -> Value {
    let work = |work: &Scheduled| {
        json!({
            "run": work.run.as_str(),
            "due": value(work.at),
            "thread": work.thread,
            "responsibility": work.responsibility,
            "persona": work.persona,
        })
    };
    json!({ "scheduled": works.iter().map(work).collect::<Value>(), "more": more })
}

/// One run for programs.
pub(crate) fn object(whole: &Whole) -> Value {
    let rounds = whole.rounds.iter().map(|round| {
        let calls = round.said.calls().map(|call| {
            let found = round.outcomes.iter().find(|recorded| recorded.outcome.call == call.id);
            json!({
                "call": call.id.to_string(),
                "tool": call.name,
                "input": call.input.raw(),
                "failed": found.and_then(|recorded| recorded.outcome.failed),
                "outcome": found.map(|recorded| plain(&recorded.outcome.parts)),
            })
        });
        json!({ "entry": round.entry, "says": says(&round.said), "calls": calls.collect::<Value>() })
    });
    let step = |(key, at): &(String, Timestamp)| json!({ "key": key, "at": value(*at) });
    let requests = whole.requests.iter().map(|kept| {
        let request = &kept.request;
        json!({
            "number": kept.number,
            "at": value(kept.at),
            "wire": request.wire,
            "model": request.model,
            "round": request.round,
            "bytes": request.body.len(),
        })
    });
    let mut told = summary(&whole.summary);
    if let Some(members) = told.as_object_mut() {
        members.insert("recorded_rounds".to_owned(), rounds.collect());
        members.insert("steps".to_owned(), whole.steps.iter().map(step).collect());
        members.insert("requests".to_owned(), requests.collect());
        members.insert("cost".to_owned(), whole.cost.map(|cost| cost as f64 / 1e6).into());
    }
    told
}

fn summary(run: &RunSummary) -> Value {
    let (entry, responsibility) = match &run.run.cause {
        Cause::Message(entry) => (Some(entry), None),
        Cause::Responsibility(name) => (None, Some(name)),
    };
    let Spent { requests, input, output, cache_read, cache_written, reasoning } = run.spent;
    json!({
        "run": run.number.get(),
        "id": run.run.id.as_str(),
        "thread": run.run.thread,
        "entry": entry,
        "responsibility": responsibility,
        "persona": run.run.persona,
        "due": run.due.map(value),
        "began": run.began.map(value),
        "ended": run.end.as_ref().map(|end| value(end.at)),
        "how": run.end.as_ref().map(|end| end.how.name()),
        "detail": run.end.as_ref().and_then(|end| end.detail.as_deref()),
        "rounds": run.rounds,
        "lease_until": run.lease.map(|lease| value(lease.until())),
        "spent": {
            "requests": requests, "input": input, "output": output, "cache_read": cache_read,
            "cache_written": cache_written, "reasoning": reasoning,
        },
    })
}
