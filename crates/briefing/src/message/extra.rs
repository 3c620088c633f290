//! What only one wire understands, kept verbatim.

use std::collections::HashMap;
use std::sync::Arc;

use briefing_json::{Document, SyntaxError, quoted_len};

use crate::message::MAX_RAW_DEPTH;
use crate::wire::Wire;

/// A JSON value, byte for byte as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawJson(Arc<str>);

/// Why a text cannot be kept as raw JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RawJsonError {
    /// It is no JSON.
    #[error("not JSON: {0}")]
    Syntax(#[from] SyntaxError),
    /// It nests too deep to stand inside a body.
    #[error("nested {depth} levels deep; at most {MAX_RAW_DEPTH} can be sent")]
    TooDeep {
        /// Its levels.
        depth: usize,
    },
    /// It holds half of a surrogate pair, which no provider accepts.
    #[error("holds a lone surrogate, which is no text")]
    LoneSurrogate,
}

impl RawJson {
    /// Takes one JSON value as it is written.
    ///
    /// # Errors
    /// [`RawJsonError`] if the text could not be sent as it stands.
    pub fn new(text: impl Into<Arc<str>>) -> Result<Self, RawJsonError> {
        let text = text.into();
        let document = Document::parse(&text)?;
        if document.depth() > MAX_RAW_DEPTH {
            return Err(RawJsonError::TooDeep { depth: document.depth() });
        }
        if document.has_lone_surrogate() {
            return Err(RawJsonError::LoneSurrogate);
        }
        Ok(Self(text))
    }

    /// The value as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Unknown fields of one wire, in order. Rendered on that wire alone; eight bytes when absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extra(Option<Box<Fields>>);

#[derive(Debug, Clone, PartialEq)]
struct Fields {
    wire: Wire,
    fields: Vec<(Arc<str>, RawJson)>,
}

impl Extra {
    /// The fields of that wire; absent if there are none. Of several of one name the last stands, as most readers take it.
    #[must_use]
    pub fn new(wire: Wire, fields: Vec<(Arc<str>, RawJson)>) -> Self {
        if fields.is_empty() {
            return Self(None);
        }
        let last: HashMap<Arc<str>, usize> = fields.iter().enumerate().map(|(at, (name, _))| (Arc::clone(name), at)).collect();
        let fields = if last.len() == fields.len() {
            fields
        } else {
            let kept = fields.into_iter().enumerate().filter(|(at, (name, _))| last.get(name) == Some(at));
            kept.map(|(_, field)| field).collect()
        };
        Self(Some(Box::new(Fields { wire, fields })))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The wire that the fields belong to.
    #[must_use]
    pub fn wire(&self) -> Option<Wire> {
        self.0.as_ref().map(|fields| fields.wire)
    }

    /// The fields, if they belong to `wire`; else none.
    pub fn on(&self, wire: Wire) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0
            .iter()
            .filter(move |fields| fields.wire == wire)
            .flat_map(|fields| fields.fields.iter().map(|(name, raw)| (&**name, raw)))
    }

    /// The fields, whatever wire they belong to.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().flat_map(|fields| fields.fields.iter().map(|(name, raw)| (&**name, raw)))
    }

    /// How many bytes the fields take on `wire`.
    #[must_use]
    pub fn bytes_on(&self, wire: Wire) -> usize {
        self.on(wire).map(|(name, raw)| quoted_len(name) + raw.as_str().len() + 2).sum()
    }
}
