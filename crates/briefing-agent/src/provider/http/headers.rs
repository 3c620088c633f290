//! The headers of a request, and which of their values are secret.

use std::borrow::Cow;

use briefing::Wire;
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue,
    TRANSFER_ENCODING,
};

use crate::provider::{Hidden, Secret};

/// The version of Anthropic's wire.
const ANTHROPIC_VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// Why a header cannot be sent. It does not show the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// No header can have that name.
    #[error("{name:?} is no name of a header")]
    Name {
        /// The name.
        name: String,
    },
    /// No header can have that value: it holds a line end or another control character.
    #[error("the value of the header {name:?} holds what no header can")]
    Value {
        /// The header's name.
        name: String,
    },
    /// The request sets that header itself.
    #[error("the header {name:?} is set by the request itself")]
    Reserved {
        /// The header's name.
        name: String,
    },
}

/// Headers that are sent with every request.
#[derive(Clone)]
pub(super) struct Headers {
    map: HeaderMap,
    hidden: Hidden,
}

impl Headers {
    /// Those of the wire.
    pub(super) fn of(wire: Wire) -> Self {
        let mut map = HeaderMap::new();
        map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match wire {
            Wire::Anthropic => {
                map.insert("anthropic-version", ANTHROPIC_VERSION);
            }
            Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Gemini => {}
        }
        Self { map, hidden: Hidden::default() }
    }

    pub(super) fn map(&self) -> &HeaderMap {
        &self.map
    }

    /// Sets the key where the wire wants it.
    pub(super) fn key(&mut self, wire: Wire, key: Secret) {
        let (name, value) = match wire {
            Wire::OpenAiChat | Wire::OpenAiResponses => (AUTHORIZATION, format!("Bearer {}", key.expose())),
            Wire::Anthropic => (HeaderName::from_static("x-api-key"), key.expose().to_owned()),
            Wire::Gemini => (HeaderName::from_static("x-goog-api-key"), key.expose().to_owned()),
        };
        // A secret holds printable characters alone, so it is always a value.
        if let Ok(value) = HeaderValue::from_str(&value) {
            self.hide(name, value, &key);
        }
    }

    pub(super) fn add(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        let (name, value) = header(name, value)?;
        self.map.insert(name, value);
        Ok(())
    }

    pub(super) fn add_secret(&mut self, name: &str, value: Secret) -> Result<(), HeaderError> {
        let (name, shown) = header(name, value.expose())?;
        self.hide(name, shown, &value);
        Ok(())
    }

    fn hide(&mut self, name: HeaderName, mut value: HeaderValue, secret: &Secret) {
        value.set_sensitive(true);
        self.map.insert(name, value);
        self.hidden.hide(secret.expose());
    }

    /// The text without any secret that stands in it.
    pub(super) fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.hidden.redacted(text)
    }
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), HeaderError> {
    let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| HeaderError::Name { name: name.to_owned() })?;
    // An answer that comes compressed could not be read.
    if [ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING].contains(&known) {
        return Err(HeaderError::Reserved { name: name.to_owned() });
    }
    let value = HeaderValue::from_str(value).map_err(|_| HeaderError::Value { name: name.to_owned() })?;
    Ok((known, value))
}
