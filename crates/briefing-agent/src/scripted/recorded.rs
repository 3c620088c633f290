//! A request as it came.

use briefing::Wire;
use briefing_json::{Document, Value};

/// What stands for a secret.
const HIDDEN: &str = "[secret]";

/// A request as it came, its secrets left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The path with its query.
    pub path: String,
    /// The headers in their order, names in lower case. For the value of one that holds a key stands `[secret]`.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Recorded {
    /// The wire whose path it is.
    #[must_use]
    pub fn wire(&self) -> Option<Wire> {
        let path = self.bare_path();
        let of = |end: &str| path.ends_with(end);
        if of("/chat/completions") {
            Some(Wire::OpenAiChat)
        } else if of("/responses") {
            Some(Wire::OpenAiResponses)
        } else if of("/messages") {
            Some(Wire::Anthropic)
        } else if of(":generateContent") || of(":streamGenerateContent") {
            Some(Wire::Gemini)
        } else {
            None
        }
    }

    /// Whether the answer is wanted as a stream.
    #[must_use]
    pub fn wants_stream(&self) -> bool {
        self.bare_path().ends_with(":streamGenerateContent")
            || self.in_body("stream", |stream| stream.as_bool()).unwrap_or(false)
    }

    /// The model that is asked, as it is written.
    #[must_use]
    pub fn model(&self) -> String {
        let in_path = self.bare_path().rsplit_once("/models/").and_then(|(_, model)| model.split_once(':'));
        match in_path {
            Some((model, _)) => model.to_owned(),
            None => self.in_body("model", |model| model.as_str().map(|model| model.into_owned())).unwrap_or_default(),
        }
    }

    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn bare_path(&self) -> &str {
        self.path.split_once('?').map_or(self.path.as_str(), |(path, _)| path)
    }

    fn in_body<T>(&self, key: &str, read: impl FnOnce(Value<'_>) -> Option<T>) -> Option<T> {
        let document = Document::parse(std::str::from_utf8(&self.body).ok()?).ok()?;
        document.root().get(key).and_then(read)
    }

    /// The same without its secrets.
    pub(super) fn hidden(mut self) -> Self {
        for (name, value) in &mut self.headers {
            let secret = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "proxy-authorization", "cookie"];
            if secret.contains(&name.as_str()) {
                HIDDEN.clone_into(value);
            }
        }
        if let Some((path, query)) = self.path.split_once('?') {
            let pairs = query.split('&').map(|pair| match pair.split_once('=') {
                Some(("key", _)) => format!("key={HIDDEN}"),
                Some(_) | None => pair.to_owned(),
            });
            self.path = format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"));
        }
        self
    }

    /// Whether that key stands where the wire wants it. Only before secrets are left out.
    pub(super) fn has_key(&self, wire: Wire, key: &str) -> bool {
        match wire {
            Wire::OpenAiChat | Wire::OpenAiResponses => {
                self.header("authorization").and_then(|value| value.strip_prefix("Bearer ")) == Some(key)
            }
            Wire::Anthropic => self.header("x-api-key") == Some(key),
            Wire::Gemini => self.header("x-goog-api-key") == Some(key),
        }
    }
}
