//! Invariant 1: from any list or log whatever, every request passes the independent checker of its wire, within every bound.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod common;

use std::sync::Arc;

use briefing::persona::Role;
use briefing::{Chain, Context, Inbound, LoadText, Persona, Subject, ThreadHistory, fit};
use briefing_tests::list::{calls, messages, steps};
use briefing_tests::log::{PERSONA, build, events};
use common::{bounds, holds};
use jiff::Timestamp;
use proptest::prelude::*;

proptest! {
    #[test]
    fn i01_every_list_renders_valid(steps in steps(30), call in calls(), bounds in bounds()) {
        let Ok(briefing) = fit(&messages(&steps), &call, &bounds) else { return Ok(()) };
        holds(&briefing, &call)?;
    }

    #[test]
    fn i01_every_log_renders_valid(events in events(60), call in calls(), bounds in bounds()) {
        let built = build(&events);
        let chain = Chain::new().with(|| LoadText::system(|_| "Be kind.")).with(ThreadHistory::default);
        let persona = Persona::new(&Role::new().message(chain.clone()), "Sundae", PERSONA).unwrap();
        let current = Inbound::new(Arc::clone(built.mails.last().unwrap()), built.thread).unwrap();
        let ports = Arc::new(built.log.clone());
        let cx = Context::new(Arc::new(persona), Subject::Message(current), Timestamp::UNIX_EPOCH, ports.clone(), ports);
        let Ok(briefing) = pollster::block_on(chain.assemble(&cx, &call, &bounds)) else { return Ok(()) };
        holds(&briefing, &call)?;
    }
}
