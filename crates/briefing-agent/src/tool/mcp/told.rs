//! What is told of a fault between here and a server: fixed words, the host at most. A library's own text names the whole address, which
//! may hold a key, and the model, the log and events would read it. What the server itself says is told without the keys that it was sent;
//! what it says of a call stands in `answer`.

use std::error::Error;
use std::io;

use reqwest::Url;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::shown;
use crate::provider::Hidden;

/// The host and port of an address.
pub(super) fn host(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return "an address that is none".to_owned() };
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => "an address without a host".to_owned(),
    }
}

/// Why there is no connection.
pub(super) fn of_start(error: &ClientInitializeError, hidden: &Hidden) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => of_transport(&*error.error),
        ClientInitializeError::JsonRpcError(error) => shown(&hidden.redacted(&error.message)),
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it speaks no version of MCP that is known here".to_owned()
        }
        _ => "its first answer is none of MCP".to_owned(),
    }
}

/// Why a request has no answer.
pub(super) fn of_request(error: &ServiceError, hidden: &Hidden) -> String {
    match error {
        ServiceError::McpError(error) => shown(&hidden.redacted(&error.message)),
        ServiceError::TransportSend(error) => of_transport(&*error.error),
        ServiceError::TransportClosed => "the connection is closed".to_owned(),
        ServiceError::UnexpectedResponse => "its answer is none of MCP".to_owned(),
        ServiceError::Cancelled { .. } => "the request was cancelled".to_owned(),
        ServiceError::Timeout { .. } => "it did not answer in time".to_owned(),
        _ => "it does not keep to MCP".to_owned(),
    }
}

fn of_transport(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        return of_http(error);
    }
    match error.downcast_ref::<io::Error>() {
        Some(error) => format!("the connection failed: {}", error.kind()),
        None => "the connection failed".to_owned(),
    }
}

fn of_http(error: &StreamableHttpError<reqwest::Error>) -> String {
    match error {
        StreamableHttpError::Client(error) => of_client(error),
        StreamableHttpError::HttpStatus(error) => format!("it answered with HTTP {}", error.status),
        StreamableHttpError::AuthRequired(_) => "it wants a key, or another one (HTTP 401)".to_owned(),
        StreamableHttpError::InsufficientScope(_) => "the key does not allow it (HTTP 403)".to_owned(),
        StreamableHttpError::SessionExpired => "its session has expired".to_owned(),
        StreamableHttpError::ResponseBodyTooLarge { max_size } => format!("its answer takes more than {max_size} bytes"),
        StreamableHttpError::UnexpectedServerResponse(_)
        | StreamableHttpError::UnexpectedContentType(_)
        | StreamableHttpError::Deserialize(_)
        | StreamableHttpError::Sse(_)
        | StreamableHttpError::MissingSessionIdInResponse => "its answer is none of MCP".to_owned(),
        StreamableHttpError::Io(error) => format!("the connection failed: {}", error.kind()),
        _ => "the connection failed".to_owned(),
    }
}

fn of_client(error: &reqwest::Error) -> String {
    if let Some(status) = error.status() {
        format!("it answered with HTTP {}", status.as_u16())
    } else if error.is_timeout() {
        "it did not answer in time".to_owned()
    } else if error.is_connect() {
        "it cannot be reached".to_owned()
    } else if error.is_builder() {
        "its address or a header is none of HTTP".to_owned()
    } else if error.is_body() || error.is_decode() {
        "its answer broke off".to_owned()
    } else {
        "the connection broke".to_owned()
    }
}
