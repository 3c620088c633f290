//! `briefing cards`: what waits for a person, confirmed or cancelled.

use std::process::ExitCode;

use briefing::log::Settled;
use briefing::message::EntryId;
use briefing_store::WaitingCard;
use serde_json::{Value, json};

use crate::agent::build::{Keys, Tools};
use crate::agent::cards::{self, Done};
use crate::agent::place::LogPlace;
use crate::agent::runtime;
use crate::agent::session::Session;
use crate::args::{CardsArgs, CardsCommand};
use crate::error::{Kind, Stop};
use crate::output::Output;
use crate::output::json::pretty;
use crate::output::time::value;
use crate::setup::Setup;

pub(crate) fn run(args: CardsArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    let json = args.json();
    out.quiet(json);
    let (card, confirmed, told) = match &args.what {
        None => return list(&Setup::load(args.told.config.config.as_deref())?, json, out),
        Some(CardsCommand::Confirm(card)) => (card.card, true, &card.told),
        Some(CardsCommand::Cancel(card)) => (card.card, false, &card.told),
    };
    let setup = Setup::load(told.config.config.as_deref())?;
    let runtime = runtime()?;
    let _in = runtime.enter();
    let card = EntryId::new(card);
    let done = runtime.block_on(async {
        let tools = if confirmed { Tools::Wanted } else { Tools::Unused };
        let session = Session::open(&setup, Keys::Unused, tools).await?;
        session.notes.iter().for_each(|note| out.note(note));
        if confirmed { cards::confirm(&session, card, out).await } else { cards::cancel(&session, card).await }
    })?;
    tell(&done, json, out)?;
    let as_wanted = matches!(done.settled, Settled::Done | Settled::Cancelled);
    Ok(if as_wanted { ExitCode::SUCCESS } else { ExitCode::from(Kind::Data.code()) })
}

fn tell(done: &Done, json: bool, out: &mut Output) -> Result<(), Stop> {
    if json {
        let Done { card, settled, notice, said } = done;
        return out.write(&pretty(&json!({ "card": card, "settled": settled.name(), "notice": notice, "said": said })));
    }
    done.lines().iter().try_for_each(|line| out.write(&format!("{line}\n")))
}

fn list(setup: &Setup, json: bool, out: &mut Output) -> Result<ExitCode, Stop> {
    let waiting = cards::waiting(&LogPlace::of(setup)?)?;
    if json {
        out.write(&pretty(&json!({ "cards": waiting.iter().map(object).collect::<Value>() })))?;
        return Ok(ExitCode::SUCCESS);
    }
    if waiting.is_empty() {
        out.note("nothing waits for you");
    }
    for card in &waiting {
        for line in cards::lines(card, out.paint()) {
            out.write(&format!("{line}\n"))?;
        }
    }
    if !waiting.is_empty() {
        out.note("`briefing cards confirm N` does it, `briefing cards cancel N` refuses it");
    }
    Ok(ExitCode::SUCCESS)
}

fn object(waiting: &WaitingCard) -> Value {
    let card = cards::body(waiting);
    json!({
        "card": waiting.card.id,
        "thread": waiting.thread,
        "at": value(waiting.card.at),
        "action": card.map(|card| card.action.as_str()),
        "tool": card.map(|card| card.call.name.as_str()),
        "input": card.map(|card| card.call.input.raw()),
        "preview": card.map(|card| card.preview.as_str()),
        "expires": card.and_then(|card| card.expires).map(value),
        "claimed": waiting.claimed.map(value),
    })
}
