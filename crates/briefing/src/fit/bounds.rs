//! What a request may cost.

use std::fmt;

use crate::call::Call;
use crate::fit::cost::Cost;
use crate::fit::receipt::Origin;
use crate::fit::tokens::Estimator;
use crate::message::EntryId;

/// The bounds of one request. All hold together; the model profile's own limits hold beside them.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
    pub(crate) messages: Option<u64>,
    pub(crate) chars: Option<u64>,
    pub(crate) tokens: Option<(u64, Estimator)>,
    pub(crate) images: Option<u64>,
    pub(crate) image_bytes: Option<u64>,
    pub(crate) bytes: Option<u64>,
    pub(crate) edge: Edge,
    pub(crate) stride: Option<Stride>,
    pub(crate) anchor: Option<Anchor>,
}

/// Where a window may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Edge {
    /// At any unit: a message, or a round.
    #[default]
    Round,
    /// At an input only, so that the oldest turn shown is whole.
    Turn,
}

/// A window that fills to its bounds and is then cut to a low mark, so that most requests only add to the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stride {
    /// The share of what history may take that is kept when the window is cut.
    low: f64,
}

impl Default for Stride {
    fn default() -> Self {
        Self { low: 1.0 / 3.0 }
    }
}

/// `stride`, or `stride=0.5` where it is not cut to the usual third.
impl fmt::Display for Stride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::default() { f.write_str("stride") } else { write!(f, "stride={}", self.low) }
    }
}

impl Stride {
    /// A stride that keeps that share, between 0 and 1, when the window is cut.
    #[must_use]
    pub fn low(share: f64) -> Self {
        Self { low: share.clamp(0.0, 1.0) }
    }

    /// The low mark of each limit; where there is none, none.
    pub(crate) fn low_mark(self, most: Cost) -> Cost {
        most.share(self.low)
    }
}

/// Where a window with strides begins. Kept by the caller per thread, persona, view and model profile, and given to the next
/// run; only runs move it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct Anchor(EntryId);

impl Anchor {
    /// A window that begins with that entry.
    #[must_use]
    pub const fn at(entry: EntryId) -> Self {
        Self(entry)
    }

    /// The entry that it begins with.
    #[must_use]
    pub const fn entry(self) -> EntryId {
        self.0
    }

    pub(crate) fn is_of(self, origin: &Origin) -> bool {
        origin.holds(self.0)
    }
}

impl Bounds {
    /// No bounds but those of the model's profile; tokens are not counted.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// At most that many messages, each before a wire merges any; a round counts one and its outcomes, lines that the wire
    /// needs count too. The leading system text does not count.
    #[must_use]
    pub fn messages(mut self, most: u64) -> Self {
        self.messages = Some(most);
        self
    }

    /// At most that many characters (Unicode scalar values), the tools' schemas included.
    #[must_use]
    pub fn chars(mut self, most: u64) -> Self {
        self.chars = Some(most);
        self
    }

    /// At most that many tokens of input, by the o200k vocabulary times the profile's calibration; and never more than the
    /// model's context less what the call reserves for the answer.
    #[must_use]
    pub fn tokens(self, most: u64) -> Self {
        self.tokens_by(most, Estimator::o200k())
    }

    /// The same by another estimator.
    #[must_use]
    pub fn tokens_by(mut self, most: u64, estimator: Estimator) -> Self {
        self.tokens = Some((most, estimator));
        self
    }

    /// Tokens are counted, with no bound but the model's context.
    #[must_use]
    pub fn context(self) -> Self {
        self.tokens(u64::MAX)
    }

    /// At most that many pictures and documents, and recordings and films in blocks of the wire's own; beyond it the oldest become lines.
    #[must_use]
    pub fn images(mut self, most: u64) -> Self {
        self.images = Some(most);
        self
    }

    /// At most that many Base64 bytes of one of these; a larger one becomes a line.
    #[must_use]
    pub fn image_bytes(mut self, most: u64) -> Self {
        self.image_bytes = Some(most);
        self
    }

    /// At most that many bytes of the request's body.
    #[must_use]
    pub fn bytes(mut self, most: u64) -> Self {
        self.bytes = Some(most);
        self
    }

    /// Where the window may begin.
    #[must_use]
    pub fn edge(mut self, edge: Edge) -> Self {
        self.edge = edge;
        self
    }

    /// Fill and cut instead of sliding. The anchor is the receipt's of the run before, if there was one.
    #[must_use]
    pub fn stride(mut self, stride: Stride, anchor: Option<Anchor>) -> Self {
        self.stride = Some(stride);
        self.anchor = anchor;
        self
    }

    /// Where the window of the run before began, for a view whose window has strides of its own.
    #[must_use]
    pub fn anchor(mut self, anchor: Option<Anchor>) -> Self {
        self.anchor = anchor;
        self
    }
}

/// A bound by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Messages.
    Messages,
    /// Characters.
    Chars,
    /// Tokens.
    Tokens,
    /// Pictures and documents.
    Images,
    /// Bytes of the body.
    Bytes,
}

impl Bound {
    /// Every bound, in the order in which they are told.
    pub(crate) const ALL: [Self; 5] = [Self::Messages, Self::Chars, Self::Tokens, Self::Images, Self::Bytes];
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Messages => "messages",
            Self::Chars => "characters",
            Self::Tokens => "tokens",
            Self::Images => "images",
            Self::Bytes => "bytes",
        })
    }
}

/// The limits that hold: the bounds and the profile's own, each a number (none is the largest there is).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The limit on each kind of cost.
    pub(crate) most: Cost,
    /// Base64 bytes of one picture or document.
    pub(crate) image_bytes: u64,
}

impl Limits {
    pub(crate) fn of(call: &Call, bounds: &Bounds) -> Self {
        let profile = call.profile();
        let context = u64::from(profile.context.saturating_sub(call.reserved_output()));
        let most = Cost {
            messages: bounds.messages.unwrap_or(u64::MAX),
            chars: bounds.chars.unwrap_or(u64::MAX),
            tokens: bounds.tokens.as_ref().map_or(u64::MAX, |(most, _)| context.min(*most)),
            images: bounds.images.unwrap_or(u64::MAX).min(u64::from(profile.max_images)),
            bytes: bounds.bytes.unwrap_or(u64::MAX).min(profile.max_request_bytes),
        };
        Self { most, image_bytes: bounds.image_bytes.unwrap_or(u64::MAX).min(profile.max_image_bytes) }
    }
}
