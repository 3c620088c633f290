//! Two request bodies compared as a prompt cache sees them: where the prefix breaks, why, and what is paid again.
//!
//! [`diff`] takes the older and the newer body of one provider and gives a [`Diff`]: each [`Break`] has a place in both bodies and
//! a typed [`Cause`]; [`Tokens`] says what a cache of the older body can serve of the newer one.
//!
//! ```
//! use briefing_diff::{Cause, diff};
//!
//! let older = r#"{"model": "claude-sonnet-4-5", "system": "Now: 15:09:20", "messages": [{"role": "user", "content": "Hi"}]}"#;
//! let newer = r#"{"model": "claude-sonnet-4-5", "system": "Now: 15:09:51", "messages": [{"role": "user", "content": "Hi"}]}"#;
//! let diff = diff(older, newer, |text| text.len() as u64)?;
//! assert!(!diff.held());
//! assert_eq!(diff.breaks()[0].cause, Cause::Clock { older: "15:09:20".into(), newer: "15:09:51".into() });
//! assert_eq!(diff.breaks()[0].newer.as_ref().map(|spot| spot.place.as_str()), Some("/system"));
//! # Ok::<(), briefing_diff::DiffError>(())
//! ```
//!
//! Every provider builds a prompt out of tools, system text and messages in that order, whatever the order of a body's members;
//! so blocks are compared in that order, by what they say. The order of keys inside a block counts, as it changes the tokens of
//! schemas and inputs. [`Bytes`] tells beside it what a cache that compares bytes would see.

mod align;
mod cause;
mod classify;
mod clock;
mod compare;
mod messages;
mod params;
mod place;
mod prompt;
mod same;
mod wire;

use std::fmt;

use briefing_json::{Pointer, SyntaxError};
use serde::Serialize;

pub use briefing_check::Wire;
pub use cause::Cause;
pub use compare::diff;
pub use messages::MessageChange;
pub use params::{Change, Effect, ParameterChange, RULES, Rule};
pub use place::{EXCERPT_CHARS, Spot};
pub use prompt::Section;

/// Which of the two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The one that was sent first.
    Older,
    /// The one that was sent then.
    Newer,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Older => "older",
            Self::Newer => "newer",
        })
    }
}

/// Why two texts cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// One is no JSON.
    #[error("the {side} body is not JSON")]
    Syntax {
        /// Which one.
        side: Side,
        /// Where and why.
        source: SyntaxError,
    },
    /// One is JSON, but no object.
    #[error("the {side} body is no JSON object")]
    NotAnObject {
        /// Which one.
        side: Side,
    },
    /// One has no list of messages under any of the names that the four wires have for it.
    #[error("the {side} body has neither `messages`, `input` nor `contents`")]
    NoMessages {
        /// Which one.
        side: Side,
    },
    /// One is of Amazon Bedrock's Converse, which is not compared.
    #[error("the {side} body looks like one of Amazon Bedrock's Converse, which is not compared")]
    Bedrock {
        /// Which one.
        side: Side,
    },
    /// They are for two providers, which share no cache.
    #[error("the bodies are of different wires: {older} and {newer}")]
    DifferentWires {
        /// The older body's.
        older: Wire,
        /// The newer body's.
        newer: Wire,
    },
}

/// A place where the prefix breaks. Of each section the first one is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Break {
    /// Where the cache ends: nothing from this section's place on is served.
    pub section: Section,
    /// Why.
    pub cause: Cause,
    /// What the older body has there; none where it has nothing.
    pub older: Option<Spot>,
    /// What the newer body has there; none where it ends before.
    pub newer: Option<Spot>,
}

/// The bodies as a cache sees them that compares bytes, as some gateways do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bytes {
    /// Whether the newer body begins with the older one's bytes, up to the last byte of the last block of its list.
    pub held: bool,
    /// How many bytes both begin with.
    pub common: usize,
    /// How many would have to be the same: the offset behind that block.
    pub wanted: usize,
    /// The line of the first byte that differs, from one: the same in both.
    pub line: usize,
    /// Its character in the line, from one.
    pub column: usize,
}

/// Estimated tokens of the newer body's prompt. They are the caller's estimator's, and never the provider's own count. A file
/// counts [`FILE_TOKENS`]; signatures and encrypted texts count nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tokens {
    /// Those of the blocks before the first break: what a cache of the older body can serve.
    pub served: u64,
    /// Those from the block of the first break on: what it cannot serve, repeated or new.
    pub paid: u64,
    /// Those among them whose block the older body had as well, behind its own break: what is paid again.
    pub paid_again: u64,
}

/// What a picture or document counts: about what Claude's largest picture costs
/// (<https://platform.claude.com/docs/en/build-with-claude/vision>).
pub const FILE_TOKENS: u64 = 1_600;

/// Where marks of caches stand, if they moved. They are no part of the prompt, so this is no break.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MovedMarks {
    /// Blocks of the older body with a mark that the newer one has not.
    #[serde(serialize_with = "as_texts")]
    pub older: Vec<Pointer>,
    /// Blocks of the newer body with a mark that the older one has not.
    #[serde(serialize_with = "as_texts")]
    pub newer: Vec<Pointer>,
}

fn as_texts<S: serde::Serializer>(pointers: &[Pointer], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(pointers.iter().map(Pointer::as_str))
}

/// What is between two bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    wire: Wire,
    breaks: Vec<Break>,
    bytes: Bytes,
    tokens: Tokens,
    messages: Vec<MessageChange>,
    parameters: Vec<ParameterChange>,
    marks: MovedMarks,
}

impl Diff {
    /// The wire of both bodies.
    #[must_use]
    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// Whether the newer prompt begins with the older one, so that a cache of the older body serves all of it.
    #[must_use]
    pub fn held(&self) -> bool {
        self.breaks.is_empty()
    }

    /// Where the prefix breaks, in the prompt's order: the first one counts, those behind it would break it as well.
    #[must_use]
    pub fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    /// What a cache that compares bytes would see.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// What is served and what is paid.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// The messages that were added, gone, altered or moved, in order. The leading system text is not among them.
    #[must_use]
    pub fn messages(&self) -> &[MessageChange] {
        &self.messages
    }

    /// The other members of the body that are not the same, by name.
    #[must_use]
    pub fn parameters(&self) -> &[ParameterChange] {
        &self.parameters
    }

    /// The marks of caches that moved.
    #[must_use]
    pub fn marks(&self) -> &MovedMarks {
        &self.marks
    }
}
