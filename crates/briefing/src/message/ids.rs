//! Ids: one type each, so that none can stand for another.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(u64);

        impl $name {
            /// The id of that number.
            #[must_use]
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The number.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u64(self.0)
            }
        }
    };
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id of that text.
            #[must_use]
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    };
}

number_id! {
    /// An entry's sequence number in its owner's log, fixed at append. In a plain list of messages: the index.
    EntryId
}

number_id! {
    /// A thread of one owner. Two ids differ when the threads do, even if their messages are the same.
    ThreadId
}

text_id! {
    /// Whose log it is. Part of every key: a wrong owner finds nothing.
    OwnerId
}

text_id! {
    /// One execution of the agent loop.
    RunId
}

impl Default for OwnerId {
    fn default() -> Self {
        Self::new("default")
    }
}

/// The id of a call: what the provider gave and, where that repeats in the thread, a number set at append.
///
/// The id on a wire is a pure function of the two, never of the window.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId {
    given: Arc<str>,
    repeat: Option<NonZeroU32>,
}

impl CallId {
    /// The id as the provider gave it. It may be empty, odd, or very long.
    #[must_use]
    pub fn new(given: impl Into<Arc<str>>) -> Self {
        Self { given: given.into(), repeat: None }
    }

    /// The same given id, as its `repeat`th repetition in the thread: 1 is the second call of that id.
    #[must_use]
    pub fn repeated(&self, repeat: u32) -> Self {
        Self { given: Arc::clone(&self.given), repeat: NonZeroU32::new(repeat) }
    }

    /// What the provider gave.
    #[must_use]
    pub fn given(&self) -> &str {
        &self.given
    }

    /// How many calls of the same given id came before in the thread.
    #[must_use]
    pub fn repeat(&self) -> u32 {
        self.repeat.map_or(0, NonZeroU32::get)
    }
}

impl From<&str> for CallId {
    fn from(given: &str) -> Self {
        Self::new(given)
    }
}

impl From<String> for CallId {
    fn from(given: String) -> Self {
        Self::new(given)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.repeat {
            None => f.write_str(&self.given),
            Some(repeat) => write!(f, "{}#{}", self.given, repeat.get() + 1),
        }
    }
}
