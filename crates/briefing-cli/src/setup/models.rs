//! The models of `briefing.toml`, resolved.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use briefing::message::RawJson;
use briefing::{ModelProfile, Profiles, Wire};
use briefing_agent::provider::http::Endpoint;

use crate::error::{Failure, Kind};
use crate::setup::file::{ModelFile, PricesFile};
use crate::setup::{filled, positive, secret};

/// A model and how it is reached.
#[derive(Debug)]
pub(crate) struct ModelSetup {
    pub(crate) profile: ModelProfile,
    pub(crate) base_url: String,
    pub(crate) key: KeySource,
    pub(crate) headers: Vec<(String, String)>,
    /// Secret headers, each with the variable of the environment that holds it.
    pub(crate) headers_env: Vec<(String, String)>,
    pub(crate) stream: bool,
    /// Tokens kept for the answer; none: as the core says.
    pub(crate) max_output: Option<u32>,
    pub(crate) parameters: Vec<(Arc<str>, RawJson)>,
    pub(crate) cache_marks: bool,
    pub(crate) prices: Option<PricesSetup>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) idle_timeout: Option<Duration>,
}

/// Where a key is read, each time it is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// A variable of the environment.
    Env(String),
    /// A file that holds nothing else.
    File(PathBuf),
    /// None is sent: a server of one's own.
    None,
}

/// Prices per million tokens, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PricesSetup {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: Option<u64>,
    pub(crate) cache_written: Option<u64>,
}

/// The most a price or a cost may be: beyond it a mistake is likelier.
const MOST_MONEY: f64 = 1e9;

impl ModelSetup {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.profile.name
    }

    /// The wire that it is spoken to on.
    pub(crate) fn wire(&self) -> Wire {
        self.profile.wire
    }

    /// The secret headers with their values.
    ///
    /// # Errors
    /// A variable is not set. No value is told.
    pub(crate) fn secret_headers(&self) -> Result<Vec<(String, String)>, Failure> {
        headers_of_environment(&self.headers_env, &format!("model {:?}", self.name()))
    }
}

/// Headers with the values of the variables that hold them; `whose` says of what they are.
///
/// # Errors
/// A variable is not set. No value is told.
pub(crate) fn headers_of_environment(named: &[(String, String)], whose: &str) -> Result<Vec<(String, String)>, Failure> {
    let read = |(header, variable): &(String, String)| match std::env::var(variable) {
        Ok(value) => Ok((header.clone(), value)),
        Err(_) => Err(Failure::new(Kind::Config, format!("the environment's variable {variable} is not set"))
            .hint(format!("it holds the header {header} of {whose}: export it"))),
    };
    named.iter().map(read).collect()
}

impl KeySource {
    /// The key, or none where none is sent.
    ///
    /// # Errors
    /// The variable is not set, the file cannot be read, or there is nothing in it. The key itself is never told.
    pub(crate) fn read(&self) -> Result<Option<String>, Failure> {
        let key = match self {
            Self::None => return Ok(None),
            Self::Env(name) => std::env::var(name).map_err(|_| {
                Failure::new(Kind::Config, format!("the environment's variable {name} is not set"))
                    .hint(format!("export {name}=… with the provider's key, or name another variable with key_env"))
            })?,
            Self::File(path) => {
                std::fs::read_to_string(path).map_err(|error| Failure::unreadable(&path.display().to_string(), &error))?
            }
        };
        let key = key.trim();
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(
                Failure::new(Kind::Config, format!("{self} holds no key")).hint("a key is one line of ASCII characters")
            );
        }
        Ok(Some(key.to_owned()))
    }
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
            Self::None => f.write_str("no key"),
        }
    }
}

/// The variable that holds the key of that provider by custom.
pub(crate) const fn default_key(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => "OPENAI_API_KEY",
        Wire::Anthropic => "ANTHROPIC_API_KEY",
        Wire::Gemini => "GEMINI_API_KEY",
    }
}

/// The wire of a model's family, else OpenAI Chat, which most servers speak.
pub(crate) fn standard_wire(model: &str) -> Wire {
    Profiles::built_in().model(model, None).wire
}

pub(super) fn resolve(file: ModelFile, root: &Path) -> Result<ModelSetup, Failure> {
    let name = filled("model.name", file.name)?;
    let place = |key: &str| format!("model {name:?}, {key}");
    if file.key.is_some() || file.api_key.is_some() {
        return Err(key_in_file(&place("key")));
    }
    if let Some((header, _)) = file.headers.iter().find(|(header, value)| secret::is_named(header) || secret::is_value(value)) {
        return Err(Failure {
            hint: Some(format!("export it into the environment, and name the variable: headers_env = {{ {header} = \"…\" }}")),
            ..key_in_file(&place(&format!("headers.{header}")))
        });
    }
    for (header, variable) in &file.headers_env {
        secret::variable(&place(&format!("headers_env.{header}")), variable)?;
    }
    let own_server = file.base_url.is_some();
    let wire = file.wire.unwrap_or_else(|| standard_wire(&name));
    let key = match (file.key_env, file.key_file) {
        (Some(_), Some(_)) => {
            return Err(Failure::new(Kind::Config, format!("{} and key_file are both given", place("key_env")))
                .hint("leave one of them out"));
        }
        (Some(env), None) => {
            secret::variable(&place("key_env"), &env)?;
            KeySource::Env(env)
        }
        (None, Some(path)) if secret::holds_key(&path) => return Err(key_in_file(&place("key_file"))),
        (None, Some(path)) => KeySource::File(root.join(filled(&place("key_file"), path)?)),
        (None, None) if own_server => KeySource::None,
        (None, None) => KeySource::Env(default_key(wire).to_owned()),
    };
    let base_url = file.base_url.unwrap_or_else(|| Endpoint::usual_base(wire).to_owned());
    checked_url(&place("base_url"), &base_url)?;
    let mut profile = Profiles::built_in().model(&name, Some(wire));
    profile.context = positive(&place("context"), file.context)?.unwrap_or(profile.context);
    profile.max_output = positive(&place("max_output"), file.max_output)?.unwrap_or(profile.max_output);
    profile.vision = file.vision.unwrap_or(profile.vision);
    profile.documents = file.documents.unwrap_or(profile.documents);
    profile.alternates = file.alternates.unwrap_or(profile.alternates);
    // A server of one's own may want it, and OpenAI's wire allows it everywhere.
    profile.typed_messages = file.typed_messages.unwrap_or(own_server);
    let parameters = file.parameters.unwrap_or_default();
    // `prompt_cache_key` is no secret.
    if let Some((key, _)) = parameters.iter().find(|(key, value)| {
        value.as_str().is_some_and(|text| (secret::is_named(key) && !key.contains("cache")) || secret::holds_key(text))
    }) {
        return Err(key_in_file(&place(&format!("parameters.{key}"))));
    }
    Ok(ModelSetup {
        profile,
        base_url: base_url.trim_end_matches('/').to_owned(),
        key,
        headers: file.headers.into_iter().collect(),
        headers_env: file.headers_env.into_iter().collect(),
        stream: file.stream.unwrap_or(true),
        max_output: file.max_output,
        parameters: parameters
            .into_iter()
            .map(|(key, value)| Ok((Arc::from(key.as_str()), json(&place(&format!("parameters.{key}")), value)?)))
            .collect::<Result<_, Failure>>()?,
        cache_marks: file.cache_marks,
        prices: file.prices.map(|prices| self::prices(&place("prices"), &prices)).transpose()?,
        connect_timeout: positive(&place("connect_timeout_s"), file.connect_timeout_s)?.map(Duration::from_secs),
        idle_timeout: positive(&place("idle_timeout_s"), file.idle_timeout_s)?.map(Duration::from_secs),
    })
}

fn key_in_file(place: &str) -> Failure {
    Failure::new(Kind::Config, format!("{place}: a key does not belong into this file, which is copied and shown"))
        .hint("put it into the environment and name the variable with key_env, or into a file of its own with key_file")
}

/// Holds an address to what may stand in the file: a host and a path, and nothing that could be a key. No part of it is told.
pub(crate) fn checked_url(place: &str, url: &str) -> Result<(), Failure> {
    let wrong = |why: &str| Failure::new(Kind::Config, format!("{place}: {why}")).hint("such as http://127.0.0.1:8080/v1");
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let rest = rest.ok_or_else(|| wrong("an address begins with https:// or http://"))?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() || rest.contains(['?', '#']) || rest.contains(char::is_whitespace) {
        return Err(wrong("an address is a host and a path"));
    }
    // What stands before the host is a name and a password.
    if host.contains('@') {
        return Err(key_in_file(place));
    }
    Ok(())
}

fn prices(place: &str, file: &PricesFile) -> Result<PricesSetup, Failure> {
    let some = |key: &str, price: Option<f64>| price.map(|price| millionths(&format!("{place}.{key}"), price)).transpose();
    Ok(PricesSetup {
        input: millionths(&format!("{place}.input"), file.input)?,
        output: millionths(&format!("{place}.output"), file.output)?,
        cache_read: some("cache_read", file.cache_read)?,
        cache_written: some("cache_written", file.cache_written)?,
    })
}

/// Money in millionths.
pub(super) fn millionths(place: &str, money: f64) -> Result<u64, Failure> {
    if !(0.0..=MOST_MONEY).contains(&money) {
        return Err(Failure::new(Kind::Config, format!("{place}: {money} is no price")).hint("such as 2.5"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1e15, as was looked at")]
    Ok((money * 1e6).round() as u64)
}

/// A value of TOML as JSON.
fn json(place: &str, value: toml::Value) -> Result<RawJson, Failure> {
    let wrong = |why: &dyn fmt::Display| Failure::new(Kind::Config, format!("{place}: {why}")).hint("give what JSON can hold");
    let text = serde_json::to_string(&json_value(value)).map_err(|error| wrong(&error))?;
    RawJson::new(text).map_err(|error| wrong(&error))
}

/// The same; a date is a text, and a number that JSON cannot hold is null.
pub(super) fn json_value(value: toml::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(yes) => yes.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(json_value).collect()),
        toml::Value::Table(table) => Value::Object(table.into_iter().map(|(key, value)| (key, json_value(value))).collect()),
    }
}
