//! Pictures and documents.

use std::sync::Arc;

use crate::message::Extra;
use crate::wire::Wire;

/// Bytes of a file, Base64-encoded as every wire wants them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bytes(Arc<str>);

impl Bytes {
    /// Takes Base64 text. It is not decoded; a wire's checker sees to its alphabet.
    #[must_use]
    pub fn from_base64(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Encodes bytes (RFC 4648, with padding).
    #[must_use]
    pub fn encode(bytes: &[u8]) -> Self {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for chunk in bytes.chunks(3) {
            let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            for place in 0..4 {
                let index = bits >> (18 - 6 * place) & 63;
                let digit = usize::try_from(index).ok().and_then(|index| ALPHABET.get(index)).copied().unwrap_or(b'=');
                out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
            }
        }
        Self(out.into())
    }

    /// The Base64 text.
    #[must_use]
    pub fn as_base64(&self) -> &str {
        &self.0
    }

    /// The encoded size in bytes: what providers measure (report B66).
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.0.len()
    }
}

/// A file's content or where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaSource {
    /// The bytes themselves.
    Data(Bytes),
    /// An address that the provider fetches.
    Url(Arc<str>),
    /// An id in the file store of one provider.
    File {
        /// The wire of that provider.
        wire: Wire,
        /// The id.
        id: Arc<str>,
    },
}

impl MediaSource {
    /// Whether an address is that of a file in Gemini's store, or in the one of Vertex AI: there an address is the id.
    #[must_use]
    pub fn is_stored_at_gemini(address: &str) -> bool {
        address.starts_with("gs://") || address.starts_with("https://generativelanguage.googleapis.com/")
    }
}

/// A picture or a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Media {
    /// Where the content is.
    pub source: MediaSource,
    /// `image/png`, `application/pdf`, …; may be empty where only an address is known.
    pub media_type: Arc<str>,
    /// The file's name, where known.
    pub filename: Option<Arc<str>>,
    /// Unknown fields of the block.
    pub extra: Extra,
}

impl Media {
    /// A file by its bytes.
    #[must_use]
    pub fn data(media_type: impl Into<Arc<str>>, bytes: Bytes) -> Self {
        Self { source: MediaSource::Data(bytes), media_type: media_type.into(), filename: None, extra: Extra::default() }
    }

    /// The encoded size in bytes, where the bytes are here.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        match &self.source {
            MediaSource::Data(bytes) => bytes.encoded_len(),
            MediaSource::Url(text) | MediaSource::File { id: text, .. } => text.len(),
        }
    }
}
