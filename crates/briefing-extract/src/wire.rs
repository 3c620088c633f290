//! What an extractor and its child say to one another.

use serde::{Deserialize, Serialize};

use crate::{Crash, ExtractError, Extraction, Format, Limits};

/// The first line that the child reads, as JSON; the bytes of the file follow.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub(crate) format: Format,
    pub(crate) limits: Limits,
    /// How many bytes follow.
    pub(crate) bytes: usize,
}

/// All that the child prints, as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Extraction(Extraction),
    TooLarge { bytes: usize, most: usize },
    UnpacksTooLarge { most: usize },
    TooManyEntries { entries: usize, most: usize },
    Broken { detail: String },
    Encrypted,
    Unsupported,
    Panicked,
}

impl From<Result<Extraction, ExtractError>> for Answer {
    fn from(result: Result<Extraction, ExtractError>) -> Self {
        match result {
            Ok(extraction) => Self::Extraction(extraction),
            Err(ExtractError::TooLarge { bytes, most }) => Self::TooLarge { bytes, most },
            Err(ExtractError::UnpacksTooLarge { most }) => Self::UnpacksTooLarge { most },
            Err(ExtractError::TooManyEntries { entries, most }) => Self::TooManyEntries { entries, most },
            Err(ExtractError::Broken { detail }) => Self::Broken { detail },
            Err(ExtractError::Encrypted) => Self::Encrypted,
            Err(ExtractError::Unsupported) => Self::Unsupported,
            Err(ExtractError::Crashed { .. }) => Self::Panicked,
            // The parent finds these; the child cannot.
            Err(
                error @ (ExtractError::TimedOut { .. }
                | ExtractError::Memory { .. }
                | ExtractError::Output { .. }
                | ExtractError::NoAnswer
                | ExtractError::Spawn { .. }),
            ) => Self::Broken { detail: error.to_string() },
        }
    }
}

impl Answer {
    pub(crate) fn into_result(self) -> Result<Extraction, ExtractError> {
        match self {
            Self::Extraction(extraction) => Ok(extraction),
            Self::TooLarge { bytes, most } => Err(ExtractError::TooLarge { bytes, most }),
            Self::UnpacksTooLarge { most } => Err(ExtractError::UnpacksTooLarge { most }),
            Self::TooManyEntries { entries, most } => Err(ExtractError::TooManyEntries { entries, most }),
            Self::Broken { detail } => Err(ExtractError::broken(detail)),
            Self::Encrypted => Err(ExtractError::Encrypted),
            Self::Unsupported => Err(ExtractError::Unsupported),
            Self::Panicked => Err(ExtractError::Crashed { how: Crash::Panic }),
        }
    }
}
