//! The connections, shared by all providers of a program.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, RequestBuilder};
use rustls::{ClientConfig, RootCertStore};
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
    untrusting: Option<Arc<str>>,
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpClient").field("connect", &self.connect).finish_non_exhaustive()
    }
}

/// Why there can be no client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot set up HTTP: {detail}")]
pub struct ClientError {
    /// Why.
    pub detail: String,
}

impl HttpClient {
    /// A pool without connections yet. Where the system has no certificates, `http:` can be spoken, and `https:` is a
    /// [fault](crate::ProviderFault::NoCertificates) of each request.
    ///
    /// # Errors
    /// [`ClientError`] if TLS cannot be set up for another reason.
    pub fn new(settings: &HttpSettings) -> Result<Self, ClientError> {
        let (builder, untrusting) = guarded()?;
        let builder = builder.connect_timeout(settings.connect).user_agent(concat!("briefing/", env!("CARGO_PKG_VERSION")));
        let builder = match settings.proxies {
            Proxies::System => builder,
            Proxies::Direct => builder.no_proxy(),
        };
        let client = builder.build().map_err(|error| ClientError { detail: causes(&error) })?;
        Ok(Self { client, connect: settings.connect, untrusting })
    }

    pub(super) fn connect(&self) -> Duration {
        self.connect
    }

    /// Why no server's certificate can be trusted, if none can.
    pub(super) fn untrusting(&self) -> Option<&str> {
        self.untrusting.as_deref()
    }

    pub(super) fn post(&self, address: &str, headers: &HeaderMap) -> RequestBuilder {
        self.client.post(address).headers(headers.clone())
    }

    pub(super) fn get(&self, address: &str, headers: &HeaderMap) -> RequestBuilder {
        self.client.get(address).headers(headers.clone())
    }
}

/// A client that goes nowhere by itself: a key must not go where its owner did not send it, and a conversation neither; and trying
/// again is told to the caller first. Beside it why no certificate can be trusted, if none can.
pub(crate) fn guarded() -> Result<(ClientBuilder, Option<Arc<str>>), ClientError> {
    let Tls { config, untrusting } = tls().map_err(|error| ClientError { detail: error.to_string() })?;
    let builder = Client::builder().tls_backend_preconfigured(config).redirect(Policy::none()).retry(reqwest::retry::never());
    Ok((builder, untrusting.map(|error| error.to_string().into())))
}

/// How TLS is spoken.
#[derive(Debug, Clone)]
pub struct Tls {
    /// The configuration.
    pub config: ClientConfig,
    /// Why it trusts no certificate, where those of the system cannot be had; else none.
    pub untrusting: Option<rustls::Error>,
}

/// TLS with the certificates that the system trusts, or without any where they cannot be had: whoever speaks `http:` alone needs none.
/// Nothing of it is global: whoever uses this library may use another.
///
/// # Errors
/// If the provider of cryptography has no version of TLS.
pub fn tls() -> Result<Tls, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = || ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let (builder, untrusting) = match builder()?.with_platform_verifier() {
        Ok(trusting) => (trusting, None),
        Err(error) => (builder()?.with_root_certificates(RootCertStore::empty()), Some(error)),
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Tls { config, untrusting })
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
