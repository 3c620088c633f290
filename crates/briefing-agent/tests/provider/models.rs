//! Lists of models: what is asked for, and what comes of the answers.

use briefing::Wire;
use briefing_agent::ProviderFault;
use briefing_agent::provider::Secret;
use briefing_agent::provider::http::{Endpoint, HttpProvider, Limits, ServedModel};
use briefing_wire::ErrorKind;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::client;

/// Asks a server that answers once with that text. What it came to, and the head of the request.
async fn listed(wire: Wire, answer: &str) -> (Result<Vec<ServedModel>, ProviderFault>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let provider = HttpProvider::new(&client(), Endpoint::new(wire, &base).unwrap()).key(Secret::new("sk-abc").unwrap());
    let limits = Limits { first_byte: Duration::from_secs(20), ..Limits::default() };
    let asking = tokio::spawn(async move { provider.limits(limits).models().await });
    let (mut connection, _) = listener.accept().await.unwrap();
    let mut head = vec![0; 4096];
    let read = connection.read(&mut head).await.unwrap();
    connection.write_all(answer.as_bytes()).await.unwrap();
    drop(connection);
    (asking.await.unwrap(), String::from_utf8_lossy(&head[..read]).to_lowercase())
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn each_wire_asks_for_its_list_with_its_key() {
    let one = |name: &str| vec![ServedModel { name: name.to_owned(), context: None }];
    let openai = ok(r#"{"data":[{"id":"m"}]}"#);
    for (wire, path, key) in [
        (Wire::OpenAiChat, "/v1/models ", "authorization: bearer sk-abc"),
        (Wire::OpenAiResponses, "/v1/models ", "authorization: bearer sk-abc"),
        (Wire::Anthropic, "/v1/models?limit=1000 ", "x-api-key: sk-abc"),
    ] {
        let (list, head) = listed(wire, &openai).await;
        assert_eq!(list.unwrap(), one("m"), "{wire}");
        assert!(head.starts_with(&format!("get {path}")) && head.contains(key), "{head}");
    }
    let (list, head) = listed(Wire::Gemini, &ok(r#"{"models":[{"name":"models/g","inputTokenLimit":8}]}"#)).await;
    assert_eq!(list.unwrap(), [ServedModel { name: "g".to_owned(), context: Some(8) }]);
    assert!(head.starts_with("get /v1/models?pagesize=1000 ") && head.contains("x-goog-api-key: sk-abc"), "{head}");
}

#[tokio::test]
async fn a_server_without_a_list_has_none() {
    for answer in ["HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n"] {
        assert_eq!(listed(Wire::OpenAiChat, answer).await.0.unwrap(), []);
    }
    assert_eq!(listed(Wire::OpenAiChat, &ok("<html>")).await.0.unwrap(), []);
}

#[tokio::test]
async fn a_refusal_is_told_without_the_key() {
    let body = r#"{"error":{"message":"bad key sk-abc","type":"invalid_request_error","code":"invalid_api_key"}}"#;
    let answer = format!("HTTP/1.1 401 Unauthorized\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let fault = listed(Wire::OpenAiChat, &answer).await.0.unwrap_err();
    assert_eq!(fault.to_string().matches("sk-abc").count(), 0, "{fault}");
    assert!(matches!(fault, ProviderFault::Refused { status: 401, error, .. } if error.kind == ErrorKind::Denied));
    let huge = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{{", 1_u64 << 40);
    let fault = listed(Wire::OpenAiChat, &huge).await.0.unwrap_err();
    assert!(matches!(fault, ProviderFault::AnswerTooLarge { .. }), "{fault}");
}
