//! Invariant 1: from any list or log whatever, every request passes the independent checker of its wire, within every bound.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::Arc;

use briefing::message::Item;
use briefing::persona::Role;
use briefing::{Bounds, Briefing, Call, Chain, Context, Edge, Inbound, LoadText, Persona, Subject, ThreadHistory, Unit, fit};
use briefing_check::{Report, Rules, check};
use briefing_json::{Document, Kind};
use briefing_tests::list::{calls, messages, steps};
use briefing_tests::log::{PERSONA, build, events};
use briefing_wire::{Render, Request};
use jiff::Timestamp;
use proptest::prelude::*;

fn verdict(request: &Request, call: &Call) -> Report {
    let document = Document::parse(std::str::from_utf8(request.body()).unwrap()).unwrap();
    let wire = match call.wire() {
        briefing::Wire::OpenAiChat => briefing_check::Wire::OpenAiChat,
        briefing::Wire::Anthropic => briefing_check::Wire::Anthropic,
    };
    check(document.root(), &Rules::for_model(wire, &call.profile().name))
}

fn holds(briefing: &Briefing, call: &Call) -> Result<(), TestCaseError> {
    let request = briefing.render().unwrap();
    let body = String::from_utf8_lossy(request.body());
    let report = verdict(&request, call);
    prop_assert!(report.is_clean(), "{:?}\n{body}", report.violations);
    let total = briefing.receipt().total();
    prop_assert!(request.body().len() as u64 <= total.bytes, "{} bytes, counted {}\n{body}", request.body().len(), total.bytes);
    let document = Document::parse(&body).unwrap();
    let sent = document.root().get("messages").unwrap();
    prop_assert_eq!(sent.kind(), Kind::Array);
    let role = |message: briefing_json::Value<'_>| message.get("role").unwrap().as_str().unwrap().into_owned();
    let leading = sent.items().take_while(|message| matches!(role(*message).as_str(), "system" | "developer")).count();
    let sent = (sent.items().count() - leading) as u64;
    prop_assert!(sent <= total.messages, "{sent} messages sent, {} counted\n{body}", total.messages);
    opaque(briefing, call, &body)
}

/// Invariant 13: what is opaque is there byte for byte on its own wire, and nowhere else.
fn opaque(briefing: &Briefing, call: &Call, body: &str) -> Result<(), TestCaseError> {
    for placed in briefing.units() {
        let Unit::Round(round) = placed.unit() else { continue };
        for item in round.said().iter().flat_map(|said| &said.items) {
            let (wire, raw) = match item {
                Item::Reasoning(reasoning) => (reasoning.wire, &reasoning.raw),
                Item::Native(native) => (native.wire, &native.raw),
                Item::Text(_) | Item::Call(_) => continue,
            };
            if wire != call.wire() {
                prop_assert!(!body.contains(raw.as_str()), "{} of another wire\n{body}", raw.as_str());
            }
        }
    }
    Ok(())
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let most = |most: std::ops::Range<u64>| prop::option::weighted(0.3, most);
    (most(2..30), most(100..3_000), most(0..3), most(1_000..20_000), any::<bool>()).prop_map(
        |(messages, chars, images, bytes, turn)| {
            let mut bounds = Bounds::none().edge(if turn { Edge::Turn } else { Edge::Round });
            bounds = messages.map_or(bounds.clone(), |most| bounds.messages(most));
            bounds = chars.map_or(bounds.clone(), |most| bounds.chars(most));
            bounds = images.map_or(bounds.clone(), |most| bounds.images(most));
            bytes.map_or(bounds.clone(), |most| bounds.bytes(most))
        },
    )
}

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
