//! A provider of rig without a network.

use std::sync::OnceLock;

use briefing::{Call, Wire};
use briefing_adapter_tests::recordings;
use briefing_rig::origin;
use rig_core::completion::CompletionRequest;
use rig_core::http_client::DynHttpClient;
use rig_core::message::AssistantMessage;
use rig_core::providers::anthropic::wire::AnthropicConfig;
use rig_core::providers::gemini::GeminiConfig;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::test_utils::RecordingHttpClient;

/// A recorded answer of that wire.
fn answer(wire: Wire) -> String {
    static ANSWERS: OnceLock<Vec<(Wire, String)>> = OnceLock::new();
    let recorded = |wire| recordings(wire).into_iter().find_map(|recording| recording.response).unwrap().to_string();
    let answers = ANSWERS.get_or_init(|| Wire::ALL.into_iter().map(|wire| (wire, recorded(wire))).collect());
    answers.iter().find(|(known, _)| *known == wire).unwrap().1.clone()
}

/// What rig sends to that call's model, and the turn that it reads from a recorded answer of the wire.
pub(crate) fn send(call: &Call, request: CompletionRequest) -> (String, AssistantMessage) {
    send_for(call, request, answer(call.wire()))
}

/// What rig sends to that call's model, and the turn that it reads from that answer.
pub(crate) fn send_for(call: &Call, request: CompletionRequest, answer: String) -> (String, AssistantMessage) {
    let recorder = RecordingHttpClient::new(answer);
    let http = DynHttpClient::new(recorder.clone());
    let model = call.profile().name.to_string();
    let response = pollster::block_on(async {
        match call.wire() {
            Wire::OpenAiChat => OpenAIConfig::new("key").connect(http).chat(model).call(request).await,
            Wire::OpenAiResponses => OpenAIConfig::new("key").connect(http).responses(model).call(request).await,
            Wire::Gemini => GeminiConfig::new("key").connect(http).completion(model).call(request).await,
            Wire::Anthropic => AnthropicConfig::new("key").connect(http).completion(model).call(request).await,
        }
    });
    let response = response.unwrap();
    let body = String::from_utf8(recorder.requests()[0].body.to_vec()).unwrap();
    (body, AssistantMessage::new(response.choice).with_origin(origin(call)))
}
