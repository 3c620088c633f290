//! The request: the bytes of one body, and the only way to make one.

use std::sync::Arc;

use briefing::{Briefing, Wire};

use crate::finding::WireFinding;
use crate::{anthropic, gemini, openai_chat, openai_responses};

/// The one door to a wire.
pub trait Render {
    /// Writes the body for the wire of the briefing's call. Pure: the same briefing gives the same bytes.
    ///
    /// # Errors
    /// [`RenderError::TooLarge`] if the body is larger than the bound that the briefing was fitted in.
    fn render(&self) -> Result<Request, RenderError>;
}

/// A body as it is sent. Only [`Render::render`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    wire: Wire,
    model: Arc<str>,
    body: Vec<u8>,
    findings: Vec<WireFinding>,
}

/// Why a briefing cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The body is larger than it may be. `fit` counts bytes and never underestimates them, so this is a second fence.
    #[error("the body takes {bytes} bytes; at most {limit} may be sent")]
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
        /// The bound in bytes, the smaller of the caller's and the model profile's.
        limit: u64,
    },
}

impl Request {
    /// The wire that it is written for.
    #[must_use]
    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// The model's name, which on Gemini stands in the address and not in the body.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The body: one JSON object, in UTF-8.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body, without a copy.
    #[must_use]
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// The body's BLAKE3 hash. Computed each time it is asked for.
    #[must_use]
    pub fn hash(&self) -> blake3::Hash {
        blake3::hash(&self.body)
    }

    /// What the wire made different from the briefing's messages, in the order of the list.
    #[must_use]
    pub fn findings(&self) -> &[WireFinding] {
        &self.findings
    }
}

impl Render for Briefing {
    fn render(&self) -> Result<Request, RenderError> {
        let wire = self.call().wire();
        let (body, findings) = match wire {
            Wire::OpenAiChat => openai_chat::render(self),
            Wire::OpenAiResponses => openai_responses::render(self),
            Wire::Anthropic => anthropic::render(self),
            Wire::Gemini => gemini::render(self),
        };
        let (bytes, limit) = (body.len() as u64, self.receipt().most().bytes);
        if bytes > limit {
            return Err(RenderError::TooLarge { bytes, limit });
        }
        let model = Arc::clone(&self.call().profile().name);
        Ok(Request { wire, model, body, findings })
    }
}
