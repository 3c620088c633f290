//! Spans: what a tracing subscriber is told of a run. In a program of its own, as what other tests do on other threads would decide
//! which spans there are.

#![cfg(all(feature = "http", feature = "scripted"))]
#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "run/support.rs"]
mod support;

use std::sync::{Arc, Mutex};

use briefing::Wire;
use briefing_agent::scripted::{Say, Script, Turn};
use serde_json::json;
use support::Setup;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// The spans of the agent with their parents, and the fields that a test looks at.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<String>>>);

struct Fields<'a>(&'a mut Vec<String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if ["gen_ai.tool.name", "gen_ai.request.model", "gen_ai.usage.input_tokens"].contains(&field.name()) {
            self.0.push(format!("{}={}", field.name(), format!("{value:?}").trim_matches('"')));
        }
    }
}

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: Context<'_, S>) {
        let span = cx.span(id).unwrap();
        if span.metadata().target().starts_with("briefing_agent") {
            let mut fields =
                vec![span.parent().map_or_else(String::new, |parent| format!("{} > ", parent.name())) + span.name()];
            attributes.record(&mut Fields(&mut fields));
            self.0.lock().unwrap().push(fields.join(" "));
        }
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut fields = Vec::new();
        values.record(&mut Fields(&mut fields));
        self.0.lock().unwrap().extend(fields);
    }
}

#[tokio::test]
async fn a_run_is_a_span_with_its_requests_and_tools_inside() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    let script = Script::turns([
        Turn::say(Say::calls([("call_a", "look_up", json!({"what": "ice"}))]).usage(120, 5)),
        Turn::say(Say::text("There is some.").usage(150, 7)),
    ]);
    Setup::on(Wire::OpenAiChat).desk(script).await.ask("Is there ice?").await;
    let seen = spans.0.lock().unwrap().clone();
    assert_eq!(
        seen,
        [
            "invoke_agent",
            "invoke_agent > chat gen_ai.request.model=gpt-4o",
            "gen_ai.usage.input_tokens=120",
            "invoke_agent > execute_tool gen_ai.tool.name=look_up",
            "invoke_agent > chat gen_ai.request.model=gpt-4o",
            "gen_ai.usage.input_tokens=150",
        ]
    );
}
