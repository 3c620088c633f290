//! `briefing.toml` as it is written.

use std::collections::BTreeMap;

use briefing::Wire;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The file. An unknown key is an error.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) database: Option<String>,
    pub(super) persona: String,
    #[serde(default, rename = "model")]
    pub(super) models: Vec<ModelFile>,
    #[serde(default)]
    pub(super) limits: LimitsFile,
    #[serde(default)]
    pub(super) cards: CardsFile,
    #[serde(default)]
    pub(super) requests: RequestsFile,
    #[serde(default, rename = "command")]
    pub(super) commands: Vec<CommandFile>,
    #[serde(default, rename = "mcp")]
    pub(super) servers: Vec<ServerFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelFile {
    pub(super) name: String,
    pub(super) wire: Option<Wire>,
    pub(super) base_url: Option<String>,
    pub(super) key_env: Option<String>,
    pub(super) key_file: Option<String>,
    /// Refused, and known here so that no error shows an excerpt of it.
    pub(super) key: Option<IgnoredAny>,
    /// As `key`.
    pub(super) api_key: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    /// Headers by the names of the environment's variables that hold them.
    #[serde(default)]
    pub(super) headers_env: BTreeMap<String, String>,
    pub(super) stream: Option<bool>,
    pub(super) context: Option<u32>,
    pub(super) max_output: Option<u32>,
    pub(super) vision: Option<bool>,
    pub(super) documents: Option<bool>,
    pub(super) alternates: Option<bool>,
    pub(super) typed_messages: Option<bool>,
    pub(super) parameters: Option<toml::Table>,
    #[serde(default)]
    pub(super) cache_marks: bool,
    pub(super) prices: Option<PricesFile>,
    pub(super) connect_timeout_s: Option<u64>,
    pub(super) idle_timeout_s: Option<u64>,
}

/// Prices per million tokens, in any one currency.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PricesFile {
    pub(super) input: f64,
    pub(super) output: f64,
    pub(super) cache_read: Option<f64>,
    pub(super) cache_written: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsFile {
    pub(super) rounds: Option<u32>,
    pub(super) deadline_s: Option<u64>,
    pub(super) tokens: Option<u64>,
    pub(super) calls: Option<u32>,
    pub(super) failures: Option<u32>,
    pub(super) cost: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CardsFile {
    pub(super) expire_h: Option<u64>,
    pub(super) language: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestsFile {
    pub(super) keep_days: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandFile {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) input_schema: SchemaFile,
    pub(super) run: Vec<String>,
    pub(super) effect: EffectFile,
    pub(super) propose: Option<Vec<String>>,
    pub(super) confirm: Option<bool>,
    pub(super) timeout_s: Option<u64>,
    pub(super) memory_mb: Option<u64>,
    pub(super) output_kb: Option<u64>,
    pub(super) processes: Option<u64>,
    #[serde(default)]
    pub(super) env: Vec<String>,
}

/// A schema as JSON in a text, or as a table.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum SchemaFile {
    Text(String),
    Table(toml::Table),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EffectFile {
    Reads,
    Writes,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerFile {
    pub(super) name: String,
    pub(super) run: Option<Vec<String>>,
    pub(super) url: Option<String>,
    #[serde(default)]
    pub(super) env: Vec<String>,
    /// Headers by the names of the environment's variables that hold them.
    #[serde(default)]
    pub(super) headers_env: BTreeMap<String, String>,
    /// Refused, and known here so that no error shows an excerpt of it.
    pub(super) headers: Option<IgnoredAny>,
    /// As `headers`.
    pub(super) key: Option<IgnoredAny>,
    /// As `headers`.
    pub(super) api_key: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) reads: Vec<String>,
    pub(super) confirm: Option<ConfirmFile>,
    pub(super) prefix: Option<String>,
}

/// Which tools of a server a person confirms.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ConfirmFile {
    Which(ConfirmName),
    Tools(Vec<String>),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ConfirmName {
    All,
    Writes,
    None,
}
