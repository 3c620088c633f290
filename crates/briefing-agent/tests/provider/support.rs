//! What the tests of providers share.

use briefing::{Bounds, Call, ModelMessage, Wire, fit};
use briefing_agent::provider::http::{Delivery, Endpoint, HttpClient, HttpProvider, HttpSettings, Limits, Proxies};
use briefing_agent::scripted::{Script, ScriptedServer, Turn};
use briefing_agent::{Provider, ProviderFault};
use briefing_wire::{Answer, Render, Request, StreamEvent};

pub(crate) const DELIVERIES: [Delivery; 2] = [Delivery::Streamed, Delivery::Whole];

/// A model of each wire.
pub(crate) fn model(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => "gpt-4o",
        Wire::Anthropic => "claude-sonnet-4-5",
        Wire::Gemini => "gemini-2.5-flash",
    }
}

pub(crate) fn client() -> HttpClient {
    HttpClient::new(&HttpSettings { proxies: Proxies::Direct, ..HttpSettings::default() }).unwrap()
}

pub(crate) fn provider(server: &ScriptedServer, wire: Wire) -> HttpProvider {
    HttpProvider::new(&client(), Endpoint::new(wire, &server.base(wire)).unwrap())
}

/// What the provider sends for that text.
pub(crate) fn request(provider: &dyn Provider, wire: Wire, text: &str) -> Request {
    let call = provider.prepare(Call::model(model(wire), Some(wire)));
    fit(&[ModelMessage::user(text)], &call, &Bounds::none()).unwrap().render().unwrap()
}

/// Asks once. What it came to, and what was told.
pub(crate) async fn ask(provider: &HttpProvider) -> (Result<Answer, ProviderFault>, Vec<StreamEvent>) {
    let request = request(provider, provider.endpoint().wire(), "Hello");
    let mut told = Vec::new();
    let result = provider.send(&request, &mut |event| told.push(event.clone())).await;
    (result, told)
}

/// Asks a server that answers with that turn, once.
pub(crate) async fn asked(wire: Wire, delivery: Delivery, limits: Limits, turn: Turn) -> Result<Answer, ProviderFault> {
    let server = ScriptedServer::start(Script::turns([turn])).await.unwrap();
    ask(&provider(&server, wire).delivery(delivery).limits(limits)).await.0
}

/// The fault that a turn comes to.
pub(crate) async fn fault(wire: Wire, turn: Turn) -> ProviderFault {
    asked(wire, Delivery::Streamed, Limits::default(), turn).await.unwrap_err()
}
