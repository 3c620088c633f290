//! `briefing assemble`: the list of messages, or the request body.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use briefing::message::messages_to_json;

use crate::args::AssembleArgs;
use crate::assembly::Assembly;
use crate::commands::{findings, tell};
use crate::config::Job;
use crate::error::{Failure, Kind, Stop};
use crate::input::is_read_from;
use crate::output::json::pretty;
use crate::output::{Output, name_of, receipt, safe_json};

pub(crate) fn run(args: AssembleArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.quiet || args.json);
    let job = Job::new(args.input)?;
    if let Some(path) = &args.receipt {
        refuse_input(path, &job)?;
    }
    let assembly = Assembly::of(&job)?;
    tell(&assembly, out);
    receipt::summary(assembly.briefing.receipt()).iter().for_each(|line| out.note(line));
    if args.json {
        out.write(&whole(&assembly))?;
        return Ok(ExitCode::SUCCESS);
    }
    match &assembly.request {
        None => out.write(&messages(&assembly))?,
        Some(request) => {
            out.bytes(request.body())?;
            out.write("\n")?;
        }
    }
    if let Some(path) = &args.receipt {
        write_receipt(path, &pretty(&receipt::json(assembly.briefing.receipt())), out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn messages(assembly: &Assembly) -> String {
    messages_to_json(&assembly.briefing.messages().collect::<Vec<_>>())
}

/// Everything in one object. The messages stand in it as they are written alone.
fn whole(assembly: &Assembly) -> String {
    let (key, value) = match &assembly.request {
        None => ("messages", safe_json(messages(assembly))),
        Some(request) => ("request", String::from_utf8_lossy(request.body()).into_owned()),
    };
    let receipt = pretty(&receipt::json(assembly.briefing.receipt()));
    let (findings, chosen) = (pretty(&findings(assembly)), pretty(&assembly.chosen.clone().into()));
    let fields = [(key, value), ("receipt", receipt), ("findings", findings), ("chosen", chosen)];
    let fields = fields.map(|(name, value)| format!("\"{name}\": {}", value.trim_end()));
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

/// A receipt over an input would destroy it; and so it would whatever an input names in its turn, or has beside it. So of what is
/// there only a receipt is overwritten.
fn refuse_input(receipt: &Path, job: &Job) -> Result<(), Failure> {
    let beside = |input: &&Path| {
        [".blobs", "-wal", "-shm"].iter().any(|suffix| {
            let mut name = input.as_os_str().to_owned();
            name.push(suffix);
            receipt.starts_with(Path::new(&name))
        })
    };
    if job.inputs().iter().any(beside) || holds_something_else(receipt) {
        let name = name_of(receipt);
        return Err(Failure::new(Kind::Usage, format!("the receipt would overwrite {name}, which is no receipt"))
            .hint("give --receipt a file of its own"));
    }
    match job.inputs().into_iter().find(|input| is_read_from(receipt, input)) {
        None => Ok(()),
        Some(input) => {
            let name = name_of(receipt);
            let what = if input == receipt { "an input".to_owned() } else { format!("read as {}", name_of(input)) };
            Err(Failure::new(Kind::Usage, format!("the receipt would overwrite {name}, which is {what}"))
                .hint("give --receipt a file of its own"))
        }
    }
}

/// Whether there is a file with something in it that is no receipt.
fn holds_something_else(path: &Path) -> bool {
    if !path.metadata().is_ok_and(|file| file.is_file() && file.len() > 0) {
        return false;
    }
    let mut beginning = [0; 64];
    let read = File::open(path).and_then(|mut file| file.read(&mut beginning)).unwrap_or_default();
    let beginning = beginning.get(..read).unwrap_or_default();
    let text: String = String::from_utf8_lossy(beginning).chars().filter(|c| !c.is_whitespace()).collect();
    !text.starts_with("{\"kept\":")
}

fn write_receipt(path: &Path, text: &str, out: &mut Output) -> Result<(), Stop> {
    if path == Path::new("-") {
        return out.write(text);
    }
    std::fs::write(path, text).map_err(|error| Stop::written(&name_of(path), &error))
}
