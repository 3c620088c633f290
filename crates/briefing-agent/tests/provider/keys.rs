//! Keys, headers and addresses: what is sent, what is refused, and what is shown nowhere.

use crate::support::{ask, client, provider};
use briefing::Wire;
use briefing_agent::ProviderFault;
use briefing_agent::provider::http::{Delivery, Endpoint, EndpointError, HeaderError, HttpProvider};
use briefing_agent::provider::{Secret, SecretError};
use briefing_agent::scripted::{Say, Script, ScriptedServer, Turn};
use briefing_wire::{CutWhy, StreamEvent};

const KEY: &str = "sk-very-secret-0123456789";

fn secret(text: &str) -> Secret {
    Secret::new(text).unwrap()
}

#[tokio::test]
async fn the_key_goes_where_the_wire_wants_it_and_is_recorded_nowhere() {
    for wire in Wire::ALL {
        let server = ScriptedServer::start(Script::turns([Say::text("Hi")]).key(KEY)).await.unwrap();
        let with_key = provider(&server, wire).key(secret(&format!("{KEY}\n")));
        assert!(ask(&provider(&server, wire).key(secret("sk-another"))).await.0.is_err());
        assert!(ask(&provider(&server, wire)).await.0.is_err());
        ask(&with_key).await.0.unwrap();
        let requests = server.requests();
        assert_eq!(requests.len(), 3);
        let name = match wire {
            Wire::OpenAiChat | Wire::OpenAiResponses => "authorization",
            Wire::Anthropic => "x-api-key",
            Wire::Gemini => "x-goog-api-key",
        };
        let last = requests.last().unwrap();
        assert_eq!(last.header(name), Some("[secret]"));
        assert!(!format!("{requests:?}{server:?}{with_key:?}").contains(KEY));
    }
}

#[tokio::test]
async fn a_server_that_repeats_the_key_gives_it_to_nobody() {
    let echo = format!(r#"{{"error":{{"message":"Incorrect API key\nprovided: {KEY}.","type":"{KEY}","code":"bad {KEY}"}}}}"#);
    let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
    let turns = [
        Turn::status(401, echo.clone()),
        Turn::status(502, format!("<html>{KEY}</html>")),
        Turn::status(302, "").header("Location", format!("http://127.0.0.1/{KEY}")),
        Turn::json(echo.clone()),
        Turn::json(format!("<html>{KEY}")),
        Turn::stream(format!("{begun}data: {echo}\n\n")),
        Turn::status(401, "the gateway does not know gw-9876543210"),
    ];
    let server = ScriptedServer::start(Script::turns(turns)).await.unwrap();
    let provider = provider(&server, Wire::OpenAiChat)
        .key(secret(KEY))
        .secret_header("x-gateway", secret("Bearer gw-9876543210"))
        .unwrap();
    let mut faults = Vec::new();
    let mut events = Vec::new();
    for _ in 0..7 {
        let (result, told) = ask(&provider).await;
        faults.push(result.unwrap_err());
        events.extend(told);
    }
    let shown = format!("{faults:?}{events:?}");
    assert!(!shown.contains(KEY) && !shown.contains("gw-9876543210"), "{shown}");
    assert_eq!(
        faults.first().unwrap().to_string(),
        "the provider refused (401): bad [secret]: Incorrect API key provided: [secret]."
    );
    let ProviderFault::Cut { cut } = &faults[5] else { panic!("{:?}", faults[5]) };
    assert_eq!(events.last(), Some(&StreamEvent::Cut(cut.why.clone())));
    assert!(matches!(cut.why, CutWhy::Provider(_)));
}

#[tokio::test]
async fn extra_headers_are_sent_and_those_of_the_request_stand() {
    let server = ScriptedServer::start(Script::turns([Say::text("Hi")])).await.unwrap();
    let provider = provider(&server, Wire::Anthropic)
        .header("Anthropic-Beta", "context-1m-2025-08-07")
        .unwrap()
        .header("X-Team", "one")
        .unwrap()
        .header("X-Team", "two")
        .unwrap();
    let refused = |name: &str, value: &str| provider.clone().header(name, value).unwrap_err();
    assert_eq!(refused("x y", "v"), HeaderError::Name { name: "x y".to_owned() });
    assert_eq!(refused("x", "v\r\nx-api-key: k"), HeaderError::Value { name: "x".to_owned() });
    assert_eq!(refused("Host", "h"), HeaderError::Reserved { name: "Host".to_owned() });
    assert_eq!(refused("content-length", "1"), HeaderError::Reserved { name: "content-length".to_owned() });
    ask(&provider).await.0.unwrap();
    let requests = server.requests();
    let request = requests.first().unwrap();
    let sent = ["anthropic-beta", "x-team", "anthropic-version"].map(|name| request.header(name));
    assert_eq!(sent, [Some("context-1m-2025-08-07"), Some("two"), Some("2023-06-01")]);
}

#[test]
fn a_key_is_printable_text_and_never_shown() {
    assert_eq!(Secret::new(" \n"), Err(SecretError::Empty));
    assert_eq!(Secret::new("sk-ä"), Err(SecretError::NotPrintable { at: 4 }));
    assert_eq!(Secret::new("sk\r\nx: y"), Err(SecretError::NotPrintable { at: 3 }));
    assert_eq!(secret(" sk-1\n").expose(), "sk-1");
    assert_eq!(format!("{0:?} {0}", secret(KEY)), "Secret([secret]) [secret]");
}

#[test]
fn a_base_leads_to_its_endpoint() {
    let address = |wire: Wire, base: &str| Endpoint::new(wire, base).unwrap().address("m", Delivery::Whole);
    let chat = "https://api.openai.com/v1/chat/completions";
    for base in [
        "https://api.openai.com/v1",
        "https://api.openai.com/v1/",
        " https://api.openai.com:443/v1//\n",
        "https://API.openai.com/v1/chat/completions",
        "https://api.openai.com/v1/chat/completions/",
    ] {
        assert_eq!(address(Wire::OpenAiChat, base), chat, "{base}");
    }
    assert_eq!(address(Wire::OpenAiChat, "http://localhost:8080"), "http://localhost:8080/chat/completions");
    assert_eq!(address(Wire::OpenAiChat, "http://[::1]:8080/v1"), "http://[::1]:8080/v1/chat/completions");
    assert_eq!(
        Wire::ALL.map(|wire| address(wire, Endpoint::usual_base(wire))),
        [
            chat,
            "https://api.openai.com/v1/responses",
            "https://api.anthropic.com/v1/messages",
            "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
        ]
    );
    assert_eq!(address(Wire::Anthropic, "http://h/anthropic/v1/messages"), "http://h/anthropic/v1/messages");
    for base in ["http://h/v1beta", "http://h/v1beta/models", "http://h/v1beta/models/x:streamGenerateContent"] {
        assert_eq!(address(Wire::Gemini, base), "http://h/v1beta/models/m:generateContent", "{base}");
    }
}

#[test]
fn a_server_on_this_machine_is_known() {
    let is_loopback = |base: &str| Endpoint::new(Wire::OpenAiChat, base).unwrap().is_loopback();
    for local in ["http://127.0.0.1:8080/v1", "http://localhost/v1", "http://[::1]/v1", "http://[::1]:1/v1", "http://127.1"] {
        assert!(is_loopback(local), "{local}");
    }
    for other in
        ["https://api.openai.com/v1", "http://127.evil.example/v1", "http://localhost.example:80/v1", "http://[::2]/v1"]
    {
        assert!(!is_loopback(other), "{other}");
    }
}

#[test]
fn a_models_name_stays_in_its_segment() {
    let gemini = Endpoint::new(Wire::Gemini, "http://h/v1beta").unwrap();
    let of = |model: &str| gemini.address(model, Delivery::Streamed);
    let within = |segment: &str| format!("http://h/v1beta/models/{segment}:streamGenerateContent?alt=sse");
    assert_eq!(of("models/gemini-2.5-pro"), within("gemini-2.5-pro"));
    assert_eq!(of("../../admin?x=1#y"), within("..%2F..%2Fadmin%3Fx%3D1%23y"));
    assert_eq!(of("a b\r\nü%"), within("a%20b%0D%0A%C3%BC%25"));
}

#[test]
fn a_base_that_holds_more_than_a_base_is_refused_without_being_shown() {
    let refused = |base: &str| Endpoint::new(Wire::OpenAiChat, base).unwrap_err();
    assert_eq!(refused("https://user:pw@h/v1"), EndpointError::UserInfo);
    assert_eq!(refused("https://user@h/v1"), EndpointError::UserInfo);
    assert_eq!(refused("https://h/v1?api-version=1"), EndpointError::Query);
    assert_eq!(refused("https://h/v1#x"), EndpointError::Fragment);
    assert_eq!(refused("ftp://h/v1"), EndpointError::Scheme { scheme: "ftp:".to_owned() });
    assert_eq!(refused("file:///etc/passwd"), EndpointError::Scheme { scheme: "file:".to_owned() });
    assert!(matches!(refused("api.openai.com/v1"), EndpointError::NotAnAddress { .. }));
    assert!(matches!(refused("http://"), EndpointError::NotAnAddress { .. }));
    let shown = format!("{:?}", HttpProvider::new(&client(), Endpoint::new(Wire::Gemini, "http://h/v1beta").unwrap()));
    assert!(shown.starts_with("HttpProvider { endpoint: Endpoint { wire: Gemini, base: \"http://h/v1beta\""), "{shown}");
}
