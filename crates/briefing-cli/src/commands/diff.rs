//! `briefing diff`: where the prefix of two request bodies breaks, why, and what is paid again.

use std::path::Path;
use std::process::ExitCode;

use briefing::Estimator;
use briefing_diff::{Diff, DiffError, Side, diff};
use serde_json::json;

use crate::args::DiffArgs;
use crate::error::{Failure, Kind, Stop};
use crate::input::{Input, InputError, MAX_INPUT, read};
use crate::output::Output;
use crate::output::difference::Difference;
use crate::output::json::pretty;

pub(crate) fn run(args: DiffArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    let stdin = Path::new("-");
    if args.older == stdin && args.newer == stdin {
        return Err(Failure::new(Kind::Usage, "both bodies would be read from standard input")
            .hint("give one of them as a file")
            .into());
    }
    let [older, newer] = bodies(&args)?;
    let estimator = Estimator::from(args.estimator);
    let diff = compare(&older, &newer, &estimator)?;
    let difference = Difference { diff: &diff, older: &older.name, newer: &newer.name, estimator: estimator.name() };
    if args.json {
        out.write(&pretty(&difference.json()))?;
    } else {
        out.write(&difference.text(out.paint()))?;
    }
    Ok(code(&diff))
}

/// What is between two bodies.
pub(crate) fn compare(older: &Input, newer: &Input, estimator: &Estimator) -> Result<Diff, Failure> {
    let count = |text: &str| estimator.count(text, u64::MAX);
    diff(&older.text, &newer.text, count).map_err(|error| failure(error, older, newer))
}

#[cfg(not(feature = "agent"))]
fn bodies(args: &DiffArgs) -> Result<[Input; 2], Failure> {
    Ok([read(&args.older, MAX_INPUT)?, read(&args.newer, MAX_INPUT)?])
}

/// The bodies: files, or requests that were kept of runs.
#[cfg(feature = "agent")]
fn bodies(args: &DiffArgs) -> Result<[Input; 2], Failure> {
    use crate::agent::kept::{Kept, Side, kept};

    let mut of = Kept::new(args.config.config.as_deref());
    let mut body = |path: &Path, side: Side| match kept(path, args.config.config.is_some()) {
        Some(named) => of.request(&named, side),
        None => Ok(read(path, MAX_INPUT)?),
    };
    Ok([body(&args.older, Side::Older)?, body(&args.newer, Side::Newer)?])
}

fn code(diff: &Diff) -> ExitCode {
    if diff.held() { ExitCode::SUCCESS } else { ExitCode::from(Kind::Data.code()) }
}

fn failure(error: DiffError, older: &Input, newer: &Input) -> Failure {
    let name = |side| match side {
        Side::Older => &older.name,
        Side::Newer => &newer.name,
    };
    let data = |message: String| Failure::new(Kind::Data, message);
    match error {
        DiffError::Syntax { side, source } => InputError::json(name(side), source).into(),
        DiffError::NotAnObject { side } => data(format!("{}: the body is no JSON object", name(side)))
            .hint("a bare list of messages can be wrapped: `jq '{messages: .}'`"),
        DiffError::NoMessages { side } => {
            data(format!("{}: the body has neither `messages`, `input` nor `contents`", name(side)))
                .hint("wanted is a request body, as it is sent")
        }
        DiffError::Bedrock { side } => {
            data(format!("{}: this looks like a body of Amazon Bedrock's Converse, which is not compared", name(side)))
                .hint("docs/diff.md names the four wires")
        }
        DiffError::DifferentWires { older: one, newer: other } => {
            data(format!("{} is of {one}, {} of {other}", older.name, newer.name)).hint("no cache is shared between providers")
        }
        error => data(error.to_string()),
    }
}

impl Difference<'_> {
    /// Everything, for programs.
    fn json(&self) -> serde_json::Value {
        let Self { diff, older, newer, estimator } = self;
        let breaks = diff.breaks().iter().map(|found| {
            json!({
                "section": found.section,
                "code": found.cause.code(),
                "cause": found.cause.to_string(),
                "detail": found.cause,
                "remedy": found.cause.remedy(),
                "older": found.older,
                "newer": found.newer,
            })
        });
        json!({
            "older": older,
            "newer": newer,
            "wire": diff.wire().name(),
            "held": diff.held(),
            "breaks": breaks.collect::<serde_json::Value>(),
            "bytes": diff.bytes(),
            "estimator": estimator,
            "tokens": diff.tokens(),
            "messages": diff.messages(),
            "parameters": diff.parameters(),
            "marks": diff.marks(),
        })
    }
}
