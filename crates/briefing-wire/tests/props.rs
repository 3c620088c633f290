//! Design invariants 1, 4, 6 and 7 on all wires and dialects. `PROPTEST_CASES` sets how many cases each test runs.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use briefing::message::{Assistant, Bytes, Extra, Item, Media, MediaSource, Outcome, Part, Text, ToolCall, User};
use briefing::{Briefing, Call, Dialect, ModelMessage, PrefixChange, Wire};
use briefing_json::{Document, Kind, Value};
use briefing_wire::{Render, WireChange};
use proptest::prelude::*;
use support::calls::call;
use support::lists::{groups, torn};
use support::{again, briefing, checked, text};

proptest! {
    /// Whatever the list, the body is one that the provider takes, and is within what the receipt counted.
    #[test]
    fn any_list_is_valid_and_costs_no_more_than_counted(list in torn(), call in call(), rules in any::<(bool, bool, bool)>()) {
        let call = if rules.0 { call } else { with_rules(&call, rules.1, rules.2) };
        let briefing = briefing(&list, &call);
        let request = briefing.render().unwrap();
        let report = checked(text(&request), call.profile());
        prop_assert!(report.is_clean(), "{:?}\n{}", report.violations, text(&request));
        let total = briefing.receipt().total();
        prop_assert!(request.body().len() as u64 <= total.bytes, "{} > {}\n{}", request.body().len(), total.bytes, text(&request));
        let leading = briefing.messages().take_while(|message| matches!(message, ModelMessage::System(_))).count();
        let none = usize::from(briefing.units().is_empty());
        let document = Document::parse(text(&request)).unwrap();
        let count = list_of(document.root(), call.wire()).items().count();
        // An answer of OpenAI Responses takes an item for each of its texts and calls.
        let counted = call.wire() != Wire::OpenAiResponses;
        prop_assert!(!counted || count as u64 <= total.messages + (leading + none) as u64, "{count} > {}", total.messages);
        prop_assert!(request.findings().iter().all(|finding| finding.message.is_none_or(|at| at <= briefing.messages().count())));
    }

    /// Reading a body and writing it again changes no byte.
    #[test]
    fn a_written_body_is_stable(list in torn(), call in call()) {
        let briefing = briefing(&list, &call);
        let request = briefing.render().unwrap();
        prop_assert_eq!(again(text(&request), call.wire()), text(&request));
        prop_assert_eq!(briefing.render().unwrap().hash(), request.hash());
    }

    /// A list with more behind it has the bytes of the shorter one before them, but for the listed causes.
    #[test]
    fn appending_adds_bytes_at_the_end(groups in groups(), more in groups(), call in call()) {
        let shorter: Vec<ModelMessage> = groups.into_iter().flatten().collect();
        let longer: Vec<ModelMessage> = shorter.iter().cloned().chain(more.into_iter().flatten()).collect();
        let (one, other) = (briefing(&shorter, &call), briefing(&longer, &call));
        let late = |briefing: &Briefing| briefing.receipt().changes().contains(&PrefixChange::LateOutcome);
        let tail = one.receipt().changes().contains(&PrefixChange::SyntheticTail);
        if tail || late(&one) || late(&other) || one.units().is_empty() {
            return Ok(());
        }
        let (one, other) = (one.render().unwrap(), other.render().unwrap());
        // Of more than four cache marks the newest stand, so older ones go as the list grows.
        let marks = WireChange::FieldLeftOut { name: "cache_control".into() };
        if other.findings().iter().any(|finding| finding.message.is_none() && finding.change == marks) {
            return Ok(());
        }
        let (one, other) = (messages_of(text(&one), call.wire(), call.profile().dialect), messages_of(text(&other), call.wire(), Dialect::Original));
        prop_assert!(other.starts_with(&one), "{one}\n{other}");
    }
}

fn list_of(body: Value<'_>, wire: Wire) -> Value<'_> {
    body.get(support::list_name(wire)).unwrap()
}

/// The call of a model with other rules for the end of a list and for system text, as a user's own profile may say.
fn with_rules(call: &Call, prefill: bool, system_anywhere: bool) -> Call {
    let mut profile = call.profile().clone();
    profile.prefill = prefill;
    profile.system_anywhere = system_anywhere;
    Call::new(profile).tools(call.declared_tools().to_vec()).parameters_of(call.parameters().to_vec())
}

/// The text of the messages up to the last byte of the last block. What stands before them (the tools that Anthropic needs for a
/// history with calls, `thinking`) may depend on the history.
fn messages_of(body: &str, wire: Wire, dialect: Dialect) -> String {
    let document = Document::parse(body).unwrap();
    let messages = list_of(document.root(), wire);
    let last = messages.items().last().unwrap();
    let block = last.get("content").filter(|content| dialect == Dialect::Mistral && content.kind() == Kind::Array);
    let end = block.and_then(|content| content.items().last()).map_or(last.span().end, |block: Value<'_>| block.span().end);
    body[messages.span().start..end].to_owned()
}

#[test]
fn arguments_beyond_the_limit_cost_what_is_sent() {
    for (wire, model) in support::lists::MODELS {
        let call = Call::model(model, Some(wire));
        let mut said = briefing::message::ToolCall::new("c1", "write", "");
        said.input = support::lists::long_input();
        let list = [ModelMessage::user("go"), ModelMessage::calls([said]), ModelMessage::outcome("c1", "ok")];
        let briefing = briefing(&list, &call);
        let request = briefing.render().unwrap();
        let (bytes, counted) = (request.body().len() as u64, briefing.receipt().total().bytes);
        assert!(bytes <= counted && counted < 20_000, "{bytes} {counted}");
        assert!(checked(text(&request), call.profile()).is_clean());
        assert_eq!(briefing.call().wire() == Wire::Anthropic, model.starts_with("claude"));
    }
}

/// What a body needs beside what is counted does not hide in what else is counted: there are many of each.
#[test]
fn many_texts_files_and_calls_cost_no_more_than_counted() {
    let extra = Extra::default;
    let media = |media_type: &str, source: MediaSource| Media { source, ..Media::data(media_type, Bytes::from_base64("")) };
    let (png, pdf) = ("image/png", "application/pdf");
    for (wire, model) in support::lists::MODELS {
        let sources = [
            MediaSource::Data(Bytes::from_base64("AAAA")),
            MediaSource::Url("https://x.example/a".into()),
            MediaSource::File { wire, id: "f".into() },
        ];
        let parts = sources.into_iter().flat_map(|source| {
            let named = Media { filename: Some("".into()), ..media(pdf, source.clone()) };
            [Part::Image(media(png, source.clone())), Part::Document(media(pdf, source)), Part::Document(named)]
        });
        for part in parts.chain([Part::text("t")]) {
            let mut call = Call::model(model, Some(wire));
            let mut profile = call.profile().clone();
            profile.max_images = u32::MAX;
            (profile.vision, profile.documents) = (true, true);
            call = Call::new(profile);
            let given = ModelMessage::User(Arc::new(User { parts: vec![part.clone(); 400], extra: extra() }));
            let outcome = Outcome { parts: vec![part.clone(); 400], ..Outcome::text("c1", "") };
            let said = ModelMessage::calls([ToolCall::new("c1", "f", "{}")]);
            let list = [ModelMessage::user("go"), said, ModelMessage::Tool(Arc::new(outcome))];
            let ids = || (0..400).map(|id| id.to_string());
            let items = ids().flat_map(|id| [Item::Text(Text::new("t")), Item::Call(ToolCall::new(id.as_str(), "f", "{}"))]);
            let said = Assistant { items: items.collect(), ..Assistant::default() };
            let outcomes = ids().map(|id| ModelMessage::outcome(id.as_str(), "1"));
            let calls = [ModelMessage::user("go"), ModelMessage::Assistant(Arc::new(said))].into_iter().chain(outcomes);
            let calls: Vec<ModelMessage> = calls.collect();
            for list in [&[given][..], &list, &calls] {
                let briefing = briefing(list, &call);
                let (bytes, counted) = (briefing.render().unwrap().body().len() as u64, briefing.receipt().total().bytes);
                assert!(bytes <= counted, "{model} {part:?}: {bytes} > {counted}");
            }
        }
    }
}
