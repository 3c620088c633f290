//! `briefing explain`: the receipt, a row a piece.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::args::ExplainArgs;
use crate::assembly::Assembly;
use crate::commands::{findings, tell};
use crate::config::Job;
use crate::error::Stop;
use crate::explanation::{Fate, Row, rows};
use crate::output::json::pretty;
use crate::output::{Output, count, receipt, table};

pub(crate) fn run(args: ExplainArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.quiet || args.json);
    let assembly = Assembly::of(&Job::new(args.input)?)?;
    let rows = rows(&assembly.briefing, &assembly.material);
    tell(&assembly, out);
    if args.json {
        out.write(&pretty(&whole(&assembly, &rows)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let receipt = assembly.briefing.receipt();
    let paint = out.paint();
    out.line(target(&assembly))?;
    out.line("")?;
    out.write(&table::rows(&rows, receipt.estimator().is_some(), out.width(), paint))?;
    out.line("")?;
    out.write(&table::totals(receipt, paint))?;
    let changes: Vec<String> = receipt.changes().iter().map(ToString::to_string).collect();
    if !changes.is_empty() {
        out.line("")?;
        out.line(format_args!("the next request may not share this one's beginning: {}", changes.join(", ")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What it is made for, and what stands around the messages.
fn target(assembly: &Assembly) -> String {
    let call = assembly.briefing.call();
    let (profile, around) = (call.profile(), assembly.briefing.receipt().around());
    format!(
        "for {} on {} (context {} tokens, {} kept for the answer); {} and the frame take {} characters",
        profile.name,
        call.wire(),
        profile.context,
        call.reserved_output(),
        count(call.declared_tools().len(), "tool"),
        around.chars,
    )
}

fn whole(assembly: &Assembly, rows: &[Row]) -> Value {
    let receipt = assembly.briefing.receipt();
    let totals = receipt.totals().into_iter().map(|(bound, used, most)| json!({ "bound": bound, "used": used, "limit": most }));
    json!({
        "chosen": assembly.chosen,
        "rows": rows.iter().map(row).collect::<Value>(),
        "totals": totals.collect::<Value>(),
        "receipt": receipt::json(receipt),
        "findings": findings(assembly),
    })
}

fn row(row: &Row) -> Value {
    let (class, cost) = match row.fate {
        Fate::Kept { class, cost } => (json!(class), json!(cost)),
        Fate::LeftOut => (Value::Null, Value::Null),
    };
    json!({
        "place": row.place,
        "what": row.what,
        "kept": matches!(row.fate, Fate::Kept { .. }),
        "class": class,
        "cost": cost,
        "why": row.why,
    })
}
