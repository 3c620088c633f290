//! Where requests go.

use std::net::IpAddr;

use briefing::Wire;
use reqwest::Url;

use super::Delivery;

/// A server that speaks a wire, by its base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    wire: Wire,
    base: String,
    host: String,
    loopback: bool,
}

/// Why an address cannot be a base. It does not show the address, which may hold a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It is no address with a host.
    #[error("the base is no address such as https://host/v1: {detail}")]
    NotAnAddress {
        /// Why.
        detail: String,
    },
    /// It is neither `http` nor `https`.
    #[error("the base begins with {scheme}: wanted http: or https:")]
    Scheme {
        /// What it begins with.
        scheme: String,
    },
    /// It holds a name or a password. A key is set apart, as a header.
    #[error("the base holds a user's name or password; a key is set apart")]
    UserInfo,
    /// It holds a query.
    #[error("the base holds a query (`?`)")]
    Query,
    /// It holds a fragment.
    #[error("the base holds a fragment (`#`)")]
    Fragment,
}

impl Endpoint {
    /// The base of the provider whose wire it is.
    #[must_use]
    pub const fn usual_base(wire: Wire) -> &'static str {
        match wire {
            Wire::OpenAiChat | Wire::OpenAiResponses => "https://api.openai.com/v1",
            Wire::Anthropic => "https://api.anthropic.com/v1",
            Wire::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }

    /// A server by its base, such as `https://api.openai.com/v1` or `http://localhost:8080/v1`. A slash at its end, and the wire's own
    /// path at its end, as in `https://api.openai.com/v1/chat/completions`, are left off.
    ///
    /// # Errors
    /// [`EndpointError`] if it is no address, or holds what does not belong in one.
    pub fn new(wire: Wire, base: &str) -> Result<Self, EndpointError> {
        let url = Url::parse(base.trim()).map_err(|error| EndpointError::NotAnAddress { detail: error.to_string() })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(EndpointError::Scheme { scheme: format!("{}:", url.scheme()) });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(EndpointError::UserInfo);
        }
        if url.query().is_some() {
            return Err(EndpointError::Query);
        }
        if url.fragment().is_some() {
            return Err(EndpointError::Fragment);
        }
        let path = without_endpoint(wire, url.path().trim_end_matches('/')).trim_end_matches('/');
        let base = format!("{}{path}", url.origin().ascii_serialization());
        Ok(Self { wire, base, host: host(&url), loopback: is_loopback(&url) })
    }

    /// The wire that the server speaks.
    #[must_use]
    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// The base, without a slash at its end.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The host and port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether it is on this machine: `localhost`, or an address of loopback.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Whether TLS is spoken with it.
    pub(super) fn is_https(&self) -> bool {
        self.base.starts_with("https:")
    }

    /// Where a request of that model goes. The model's name cannot leave its segment of the path.
    #[must_use]
    pub fn address(&self, model: &str, delivery: Delivery) -> String {
        let base = &self.base;
        match (self.wire, delivery) {
            (Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic, Delivery::Streamed | Delivery::Whole) => {
                format!("{base}{}", path(self.wire))
            }
            (Wire::Gemini, Delivery::Whole) => format!("{base}/models/{}:generateContent", segment(model)),
            (Wire::Gemini, Delivery::Streamed) => {
                format!("{base}/models/{}:streamGenerateContent?alt=sse", segment(model))
            }
        }
    }

    /// Where the list of models is. Anthropic and Gemini give a page of twenty or fifty unless they are asked for more.
    pub(super) fn models(&self) -> String {
        let base = &self.base;
        match self.wire {
            Wire::OpenAiChat | Wire::OpenAiResponses => format!("{base}/models"),
            Wire::Anthropic => format!("{base}/models?limit=1000"),
            Wire::Gemini => format!("{base}/models?pageSize=1000"),
        }
    }
}

/// Whether the host is this machine. Names other than `localhost` are not looked up.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let number = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host == "localhost" || number.parse::<IpAddr>().is_ok_and(|number| number.is_loopback())
}

/// The host and port of an address.
pub(super) fn host(url: &Url) -> String {
    match (url.host_str().unwrap_or_default(), url.port_or_known_default()) {
        (host, Some(port)) => format!("{host}:{port}"),
        (host, None) => host.to_owned(),
    }
}

/// The wire's path behind the base; of Gemini its beginning.
fn path(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat => "/chat/completions",
        Wire::OpenAiResponses => "/responses",
        Wire::Anthropic => "/messages",
        Wire::Gemini => "/models",
    }
}

fn without_endpoint(wire: Wire, given: &str) -> &str {
    let bare = match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic => given,
        Wire::Gemini => match given.rsplit_once('/') {
            Some((before, method)) if method.ends_with("enerateContent") => before,
            Some(_) | None => given,
        },
    };
    bare.strip_suffix(path(wire)).unwrap_or(given)
}

/// A model's name as one segment of a path: what RFC 3986 reserves is escaped. Google's own prefix `models/` is left off.
fn segment(model: &str) -> String {
    let mut out = String::new();
    for byte in model.strip_prefix("models/").unwrap_or(model).bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
