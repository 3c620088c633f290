//! The connections, shared by all providers of a program.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, RequestBuilder};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;

/// How to connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpSettings {
    /// How long a connection may take to be made.
    pub connect: Duration,
    /// Whether to go through proxies.
    pub proxies: Proxies,
}

/// Which proxies to go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Proxies {
    /// Those of the system: `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, or its settings.
    #[default]
    System,
    /// None.
    Direct,
}

impl Default for HttpSettings {
    /// Ten seconds, the system's proxies.
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), proxies: Proxies::default() }
    }
}

/// A pool of connections. Cloning shares it.
#[derive(Clone)]
pub struct HttpClient {
    client: Client,
    connect: Duration,
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpClient").field("connect", &self.connect).finish_non_exhaustive()
    }
}

/// Why there can be no client, such as certificates of the system that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot set up HTTP: {detail}")]
pub struct ClientError {
    /// Why.
    pub detail: String,
}

impl HttpClient {
    /// A pool without connections yet.
    ///
    /// # Errors
    /// [`ClientError`] if TLS cannot be set up.
    pub fn new(settings: &HttpSettings) -> Result<Self, ClientError> {
        let builder = guarded()?.connect_timeout(settings.connect).user_agent(concat!("briefing/", env!("CARGO_PKG_VERSION")));
        let builder = match settings.proxies {
            Proxies::System => builder,
            Proxies::Direct => builder.no_proxy(),
        };
        let client = builder.build().map_err(|error| ClientError { detail: causes(&error) })?;
        Ok(Self { client, connect: settings.connect })
    }

    pub(super) fn connect(&self) -> Duration {
        self.connect
    }

    pub(super) fn post(&self, address: &str, headers: &HeaderMap) -> RequestBuilder {
        self.client.post(address).headers(headers.clone())
    }

    pub(super) fn get(&self, address: &str, headers: &HeaderMap) -> RequestBuilder {
        self.client.get(address).headers(headers.clone())
    }
}

/// A client that goes nowhere by itself: a key must not go where its owner did not send it, and a conversation neither; and trying
/// again is told to the caller first.
pub(crate) fn guarded() -> Result<ClientBuilder, ClientError> {
    let tls = tls().map_err(|error| ClientError { detail: error.to_string() })?;
    Ok(Client::builder().tls_backend_preconfigured(tls).redirect(Policy::none()).retry(reqwest::retry::never()))
}

/// TLS with the certificates that the system trusts. Nothing of it is global: whoever uses this library may use another.
///
/// # Errors
/// If the system's certificates cannot be had.
pub fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = builder.with_platform_verifier()?.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// An error and what caused it, on one line.
pub(super) fn causes(error: &reqwest::Error) -> String {
    let mut out = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        out.push_str(": ");
        out.push_str(&error.to_string());
        cause = error.source();
    }
    out
}
