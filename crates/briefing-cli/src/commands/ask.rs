//! `briefing ask`: one question, one answer.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use briefing_agent::{Ended, Stop as StopWish};
use briefing_store::RunEnd;

use crate::agent::build::{Keys, Tools};
use crate::agent::files::Files;
use crate::agent::runtime;
use crate::agent::session::{Session, code, ended, remark, spent};
use crate::agent::tell::{Reader, Teller};
use crate::args::AskArgs;
use crate::error::{Failure, Kind, Stop};
use crate::input::{MAX_INPUT, read};
use crate::output::{Output, safe_lines};
use crate::setup::Setup;

pub(crate) fn run(args: AskArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.quiet || args.json);
    let setup = Setup::load(args.config.config.as_deref())?;
    let question = question(&args.question)?;
    let files = Files::read(&args.files)?;
    let runtime = runtime()?;
    let _in = runtime.enter();
    let session = runtime.block_on(Session::open(&setup, Keys::Wanted, Tools::Wanted))?;
    session.notes.iter().for_each(|note| out.note(note));
    let thread = session.thread(&args.thread)?;
    let entry = session.say(thread, &question, files)?;
    let reader = reader(args.json);
    let stop = StopWish::new();
    let mut teller = Teller::new(out, reader, stop.clone());
    let done = runtime.block_on(async {
        let mut hear = |event| teller.hear(&event);
        session.wait_for(session.agent.answer(thread, entry, &stop, &mut hear), &stop).await
    });
    let cards = teller.end()?;
    if !cards.is_empty() {
        out.note("`briefing cards` tells what waits for you");
    }
    finish(&session, &done?, reader, out)
}

/// Who reads standard output.
pub(super) fn reader(json: bool) -> Reader {
    match (json, std::io::stdout().is_terminal()) {
        (true, _) => Reader::Program,
        (false, true) => Reader::Person,
        (false, false) => Reader::Script,
    }
}

/// Writes the answer where it was not shown as it came, tells how the run ended, and gives the exit code for that.
pub(super) fn finish(session: &Session, done: &Ended, reader: Reader, out: &mut Output) -> Result<ExitCode, Stop> {
    match (reader, done.answer) {
        (Reader::Script, Some(answer)) if done.how == RunEnd::Answered => {
            out.write(&safe_lines(session.log.said(answer)?.trim()))?;
            out.write("\n")?;
        }
        (Reader::Person, _) => out.aside(&out.err_paint().dim(&spent(done))),
        (Reader::Script | Reader::Program, _) => {}
    }
    if let Some(remark) = remark(done) {
        out.note(remark);
    }
    if let Some(what) = ended(done) {
        match reader {
            Reader::Program => {}
            Reader::Person | Reader::Script => out.failed(format_args!("{what} (`briefing runs {}` shows the run)", done.run)),
        }
    }
    Ok(ExitCode::from(code(done.how)))
}

/// The question, or standard input for `-`.
fn question(typed: &str) -> Result<String, Failure> {
    let text = if typed == "-" { read(Path::new("-"), MAX_INPUT)?.text } else { typed.to_owned() };
    if text.trim().is_empty() {
        return Err(Failure::new(Kind::Usage, "the question is empty").hint("give it as an argument, or pipe it in with `-`"));
    }
    Ok(text.trim_end().to_owned())
}
