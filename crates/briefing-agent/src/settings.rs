//! What a run may spend, and what it is given.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use briefing::Bounds;
use briefing::ports::Records;
use briefing_store::ReadText;

/// What one run may take. Looked at between rounds; the deadline also breaks off what waits for a provider or a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Rounds: answers with calls.
    pub rounds: u32,
    /// How long it may take; none: as long as it does. A run that is taken up after its process died has that time anew.
    pub deadline: Option<Duration>,
    /// Tokens, read and written together, as the providers count.
    pub tokens: Option<u64>,
    /// Calls, refused ones included.
    pub calls: u32,
    /// Calls of one round that are done; the others are refused.
    pub calls_of_round: u32,
    /// Calls that failed or were refused.
    pub failures: u32,
    /// What it may cost, in the unit of [`Prices`](crate::Prices), by what the providers count; of one process, as above. Every model
    /// needs prices then.
    pub cost: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds: 20,
            deadline: Some(Duration::from_secs(600)),
            tokens: None,
            calls: 200,
            calls_of_round: 64,
            failures: 10,
            cost: None,
        }
    }
}

/// What an agent works with beside its persona, its models and its tools.
#[derive(Clone)]
pub struct Settings {
    /// What one run may take.
    pub limits: Limits,
    /// The person's language: that of cards and confirmations.
    pub language: Arc<str>,
    /// How long a card waits; none: for ever.
    pub card_lasts: Option<Duration>,
    /// Whether each request is kept, with its receipt, so that a run can be replayed.
    pub keep_requests: bool,
    /// The bounds of every request, beside those of the model and the view.
    pub bounds: Bounds,
    /// The folder that the persona's files are looked up in.
    pub root: PathBuf,
    /// The application's configuration, as templates read it.
    pub config: serde_json::Value,
    /// Reads records; none: a chain that asks for some fails the run.
    pub records: Option<Arc<dyn Records>>,
    /// Reads the texts of files that were not read before.
    pub reader: Option<Arc<dyn ReadText>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            language: "en".into(),
            card_lasts: Some(Duration::from_secs(24 * 3600)),
            keep_requests: true,
            bounds: Bounds::none().context(),
            root: PathBuf::from("."),
            config: serde_json::Value::Null,
            records: None,
            reader: None,
        }
    }
}
