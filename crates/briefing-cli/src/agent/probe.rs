//! What models a server has: asked of its list of models, with a short patience.

use std::time::Duration;

use briefing::Wire;
use briefing_agent::provider::http::Endpoint;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use serde_json::Value;

use crate::setup::secret::redacted;

/// The most bytes of a list that are read.
const MOST: usize = 4 << 20;
/// How many characters of a refusal are kept.
const SAID: usize = 300;

/// A model that a server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) name: String,
    /// Input and output together, in tokens, if the server says so.
    pub(crate) context: Option<u32>,
}

/// A server to be asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Server<'a> {
    pub(crate) wire: Wire,
    pub(crate) base_url: &'a str,
    pub(crate) key: Option<&'a str>,
    pub(crate) headers: &'a [(String, String)],
    /// Headers whose values are told nowhere.
    pub(crate) secret: &'a [(String, String)],
}

/// Why there is no list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProbeFault {
    #[error("it cannot be reached: {detail}")]
    Unreachable { detail: String },
    #[error("it refuses the key ({status}): {said}")]
    Key { status: u16, said: String },
    #[error("it answers {status}: {said}")]
    Refused { status: u16, said: String },
    /// It is there, and lists nothing that can be read.
    #[error("it lists no models")]
    NoList,
}

/// The models of that server.
pub(crate) async fn models(server: Server<'_>, patience: Duration) -> Result<Vec<Served>, ProbeFault> {
    let asked = tokio::time::timeout(patience, ask(server, patience)).await;
    asked.unwrap_or_else(|_| Err(ProbeFault::Unreachable { detail: format!("no answer within {} ms", patience.as_millis()) }))
}

async fn ask(server: Server<'_>, patience: Duration) -> Result<Vec<Served>, ProbeFault> {
    let builder = Client::builder().connect_timeout(patience).redirect(Policy::none());
    let builder = if is_local(server.base_url) { builder.no_proxy() } else { builder };
    let client = builder.build().map_err(|error| unreachable(&error))?;
    let endpoint = Endpoint::new(server.wire, server.base_url);
    let endpoint = endpoint.map_err(|error| ProbeFault::Unreachable { detail: error.to_string() })?;
    let address = format!("{}/models", endpoint.base());
    let request = client.get(address).headers(headers(server));
    let mut response = request.send().await.map_err(|error| unreachable(&error))?;
    let status = response.status();
    let mut body = Vec::new();
    while body.len() < MOST {
        match response.chunk().await.map_err(|error| unreachable(&error))? {
            Some(chunk) => body.extend_from_slice(&chunk),
            None => break,
        }
    }
    // A server may repeat what it was sent.
    let secrets: Vec<&str> = server.key.into_iter().chain(server.secret.iter().map(|(_, value)| value.as_str())).collect();
    let text = redacted(&String::from_utf8_lossy(&body), &secrets);
    if !status.is_success() {
        let said = briefing::text::prefix(text.trim(), SAID).to_owned();
        return Err(match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ProbeFault::Key { status: status.as_u16(), said },
            _ if said.contains("API key not valid") => ProbeFault::Key { status: status.as_u16(), said },
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => ProbeFault::NoList,
            _ => ProbeFault::Refused { status: status.as_u16(), said },
        });
    }
    let list = serde_json::from_str(&text).map(|value| served(&value)).unwrap_or_default();
    if list.is_empty() { Err(ProbeFault::NoList) } else { Ok(list) }
}

/// Whether a server is on this machine: no proxy stands between.
pub(crate) fn is_local(base_url: &str) -> bool {
    let rest = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "[::1]") || name.strip_prefix("127.").is_some_and(|rest| !rest.contains(char::is_alphabetic))
}

/// An error with what caused it, without the address.
fn unreachable(error: &reqwest::Error) -> ProbeFault {
    let mut source = std::error::Error::source(error);
    let mut detail = "no connection".to_owned();
    while let Some(cause) = source {
        detail = cause.to_string();
        source = cause.source();
    }
    ProbeFault::Unreachable { detail }
}

fn headers(server: Server<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if server.wire == Wire::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    for (name, value) in server.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            headers.insert(name, value);
        }
    }
    for (name, value) in server.secret {
        if let (Ok(name), Ok(mut value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value.trim())) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    let Some(key) = server.key else { return headers };
    let (name, value) = match server.wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => ("authorization", format!("Bearer {key}")),
        Wire::Anthropic => ("x-api-key", key.to_owned()),
        Wire::Gemini => ("x-goog-api-key", key.to_owned()),
    };
    if let Ok(mut value) = HeaderValue::from_str(&value) {
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    headers
}

/// The models of a list: `data` of OpenAI and Anthropic, `models` of Gemini.
fn served(list: &Value) -> Vec<Served> {
    let items = list.get("data").or_else(|| list.get("models")).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(model).collect()
}

fn model(item: &Value) -> Option<Served> {
    let name = item.get("id").or_else(|| item.get("name"))?.as_str()?;
    let context = ["/meta/n_ctx", "/meta/n_ctx_train", "/max_model_len", "/context_length", "/inputTokenLimit"];
    let context = context.iter().find_map(|key| item.pointer(key)?.as_u64()).and_then(|tokens| u32::try_from(tokens).ok());
    Some(Served {
        name: name.strip_prefix("models/").unwrap_or(name).to_owned(),
        context: context.filter(|tokens| *tokens > 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_of_models_are_read() {
        let openai = json!({ "object": "list", "data": [{ "id": "qwen3", "meta": { "n_ctx_train": 8192 } }, { "no": 1 }] });
        let gemini = json!({ "models": [{ "name": "models/gemini-3-flash", "inputTokenLimit": 1_048_576 }] });
        let names = |list| served(&list).into_iter().map(|served| (served.name, served.context)).collect::<Vec<_>>();
        assert_eq!(names(openai), [("qwen3".to_owned(), Some(8_192))]);
        assert_eq!(names(gemini), [("gemini-3-flash".to_owned(), Some(1_048_576))]);
        assert_eq!(names(json!([])), []);
    }

    #[test]
    fn a_server_on_this_machine_is_known() {
        for local in ["http://127.0.0.1:8080/v1", "http://localhost/v1", "http://[::1]:1/v1", "http://127.0.0.1"] {
            assert!(is_local(local), "{local}");
        }
        for other in ["https://api.openai.com/v1", "http://127.evil.example/v1", "http://localhost.example:80/v1"] {
            assert!(!is_local(other), "{other}");
        }
    }
}
