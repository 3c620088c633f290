//! A model in the process, whose answer is a function of the request alone: who comes back after a crash is told what comes next.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use briefing::Wire;
use briefing::message::ModelMessage;
use briefing_agent::scripted::{SaidCall, Say};
use briefing_agent::{BoxFuture, Provider, ProviderFault};
use briefing_wire::{Answer, Request, StreamEvent, parse_answer_text, parse_text};
use serde_json::json;

use super::desk::Question;
use super::{Hook, LOOK, PAY, PUT, What};

/// The model.
pub struct ScriptedModel {
    hook: Arc<dyn Hook>,
    /// How often a wait for it is looked at before it answers.
    waits: u32,
}

impl ScriptedModel {
    /// A model that is waited for.
    #[must_use]
    pub fn new(hook: Arc<dyn Hook>, waits: u32) -> Self {
        Self { hook, waits }
    }
}

impl Provider for ScriptedModel {
    fn send<'a>(
        &'a self,
        request: &'a Request,
        _: &'a mut (dyn FnMut(&StreamEvent) + Send),
    ) -> BoxFuture<'a, Result<Answer, ProviderFault>> {
        Box::pin(async move {
            let point = What::Ask.point();
            let _ = self.hook.before(&point);
            let mut left = self.waits;
            poll_fn(|cx| {
                if left == 0 {
                    return Poll::Ready(());
                }
                left -= 1;
                cx.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
            let answer = answer(request);
            self.hook.after(&point, answer.is_ok());
            answer.map_err(|detail| ProviderFault::Unreadable { detail })
        })
    }
}

fn answer(request: &Request) -> Result<Answer, String> {
    let (wire, body) = (request.wire(), std::str::from_utf8(request.body()).map_err(|error| error.to_string())?);
    let messages = parse_text(wire, body).map_err(|error| error.to_string())?.messages;
    let said = said(&messages).whole(wire, request.model());
    parse_answer_text(wire, &said).map_err(|error| format!("{error:?}"))
}

/// What it says next: by the question, and how many rounds there are since.
fn said(messages: &[ModelMessage]) -> Say {
    let asked = messages.iter().rposition(|message| question(message).is_some());
    let Some((question, at)) = asked.and_then(|at| Some((question(messages.get(at)?)?, at))) else {
        return Say::text("What do you want?");
    };
    let since = messages.iter().skip(at);
    let rounds = since
        .filter(|message| match message {
            ModelMessage::Assistant(said) => said.calls().next().is_some(),
            ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::Tool(_) => false,
        })
        .count();
    match question.rounds().get(rounds) {
        Some(calls) => Say::calls(calls.iter().map(|(tool, at)| call(tool, at))),
        None => Say::text(question.answer()),
    }
}

fn call(tool: &str, at: &str) -> SaidCall {
    SaidCall::from((format!("call_{tool}_{at}"), tool, json!({"at": at})))
}

fn question(message: &ModelMessage) -> Option<Question> {
    let ModelMessage::User(_) = message else { return None };
    let text = message.text();
    Question::ALL.into_iter().find(|question| text.contains(question.asks()))
}

impl Question {
    /// The calls of each round before the answer: a tool, and at what.
    #[must_use]
    pub const fn rounds(self) -> &'static [&'static [(&'static str, &'static str)]] {
        match self {
            Self::First => &[
                &[(LOOK, "shelf"), (LOOK, "till")],
                &[(PUT, "order"), (LOOK, "door")],
                &[(PAY, "bill")],
                &[(LOOK, "yard"), (PUT, "note"), (PUT, "label"), (LOOK, "roof")],
            ],
            Self::Second => &[&[(LOOK, "cellar")], &[(PUT, "sign")]],
            Self::Scheduled => &[&[(LOOK, "stock"), (PUT, "count")], &[(PUT, "report")]],
            Self::Further => &[],
        }
    }

    /// What is said at the end.
    #[must_use]
    pub const fn answer(self) -> &'static str {
        match self {
            Self::First => "The desk is kept.",
            Self::Second => "The sign is up.",
            Self::Scheduled => "All is counted.",
            Self::Further => "Good night.",
        }
    }
}

/// The model of each wire.
pub(super) const fn name(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => "gpt-4o",
        Wire::Anthropic => "claude-sonnet-4-5",
        Wire::Gemini => "gemini-2.5-flash",
    }
}
