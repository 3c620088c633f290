//! The parameters of a query: which there are, how they stand in its text, and what each is in a run.

use std::fmt;

use serde_json::Value;

use crate::context::Context;
use crate::log::{Address, Mail};
use crate::ports::{Parameter, QueryError};
use crate::resolvers::RecordError;

/// Before the name of a value of the application's configuration.
const CONFIG: &str = "config_";

/// A value that a query may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParameterName {
    Fixed(Fixed),
    Config(String),
}

/// A value that every run has, or is known to lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fixed {
    FromAddress,
    FromName,
    ToAddresses,
    Subject,
    MessageId,
    Thread,
    PersonaName,
    PersonaAddress,
    Owner,
    Now,
    CorrelationId,
    Responsibility,
}

impl Fixed {
    const ALL: [Self; 12] = [
        Self::FromAddress,
        Self::FromName,
        Self::ToAddresses,
        Self::Subject,
        Self::MessageId,
        Self::Thread,
        Self::PersonaName,
        Self::PersonaAddress,
        Self::Owner,
        Self::Now,
        Self::CorrelationId,
        Self::Responsibility,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::FromAddress => "from_address",
            Self::FromName => "from_name",
            Self::ToAddresses => "to_addresses",
            Self::Subject => "subject",
            Self::MessageId => "message_id",
            Self::Thread => "thread",
            Self::PersonaName => "persona_name",
            Self::PersonaAddress => "persona_address",
            Self::Owner => "owner",
            Self::Now => "now",
            Self::CorrelationId => "correlation_id",
            Self::Responsibility => "responsibility",
        }
    }

    /// Whether a stranger wrote it: it stands in the message being answered. The thread's id is our own.
    fn is_of_message(self) -> bool {
        match self {
            Self::FromAddress | Self::FromName | Self::ToAddresses | Self::Subject | Self::MessageId => true,
            Self::Thread
            | Self::PersonaName
            | Self::PersonaAddress
            | Self::Owner
            | Self::Now
            | Self::CorrelationId
            | Self::Responsibility => false,
        }
    }

    fn value(self, cx: &Context) -> Parameter {
        let mail = cx.message().and_then(|message| message.mail());
        let from = mail.and_then(|mail| mail.from.first());
        match self {
            Self::FromAddress => text(from.map(|from| &from.email)),
            Self::FromName => text(from.and_then(|from| from.name.as_ref())),
            Self::ToAddresses => mail.map_or(Parameter::Null, to_addresses),
            Self::Subject => text(mail.and_then(|mail| mail.subject.as_ref())),
            Self::MessageId => text(mail.and_then(|mail| mail.message_id.as_ref()).map(|id| id.as_str())),
            Self::Thread => cx.message().map_or(Parameter::Null, |message| number(message.thread().get())),
            Self::PersonaName => text(Some(cx.persona().name())),
            Self::PersonaAddress => text(Some(cx.persona().address())),
            Self::Owner => text(Some(cx.persona().owner().as_str())),
            Self::Now => text(Some(crate::view::utc(cx.now()))),
            Self::CorrelationId => text(cx.correlation_id()),
            Self::Responsibility => text(cx.responsibility().map(|duty| &duty.name)),
        }
    }
}

/// Nothing where there is no text: an empty address must not find the records that lack one.
fn text(text: Option<impl AsRef<str>>) -> Parameter {
    match text {
        Some(text) if !text.as_ref().is_empty() => Parameter::Text(text.as_ref().to_owned()),
        _ => Parameter::Null,
    }
}

fn number(number: u64) -> Parameter {
    i64::try_from(number).map_or(Parameter::Null, Parameter::Integer)
}

/// A JSON list, as `json_each(:to_addresses)` takes it.
fn to_addresses(mail: &Mail) -> Parameter {
    let filled = |address: &&Address| !address.email.is_empty();
    Parameter::Text(
        mail.to.iter().filter(filled).map(|address| Value::from(address.email.as_str())).collect::<Value>().to_string(),
    )
}

impl fmt::Display for ParameterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(fixed) => f.write_str(fixed.name()),
            Self::Config(name) => write!(f, "{CONFIG}{name}"),
        }
    }
}

impl ParameterName {
    fn known(name: &str) -> Result<Self, QueryError> {
        let fixed = Fixed::ALL.into_iter().find(|fixed| fixed.name() == name).map(Self::Fixed);
        let config = || name.strip_prefix(CONFIG).filter(|name| !name.is_empty()).map(|name| Self::Config(name.to_owned()));
        fixed.or_else(config).ok_or_else(|| QueryError::UnknownParameter { name: name.to_owned() })
    }

    /// Whether a stranger wrote it.
    pub(crate) fn is_of_message(&self) -> bool {
        match self {
            Self::Fixed(fixed) => fixed.is_of_message(),
            Self::Config(_) => false,
        }
    }

    /// What it is in that run; null where the run lacks it.
    pub(crate) fn value(&self, cx: &Context) -> Result<Parameter, RecordError> {
        let name = match self {
            Self::Fixed(fixed) => return Ok(fixed.value(cx)),
            Self::Config(name) => name,
        };
        let found = cx.config().get(name);
        match found {
            None | Some(Value::Null) => Ok(Parameter::Null),
            // As it stands: an empty text of the owner's is meant.
            Some(Value::String(text)) => Ok(Parameter::Text(text.clone())),
            Some(Value::Number(number)) if number.is_i64() => Ok(number.as_i64().map_or(Parameter::Null, Parameter::Integer)),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Err(RecordError::Config { name: name.clone() })
            }
        }
    }
}

/// The names that a message may hold, for the sentence that lists them.
pub(crate) fn known_names() -> String {
    let mut names: Vec<&str> = Fixed::ALL.map(Fixed::name).into();
    names.push("config_NAME");
    names.join(", ")
}

/// The parameters of a query's text, each once, in the order in which they first stand. What is quoted ('…', "…", `…`, […])
/// or a comment (-- and /* */) holds none, and `::` is a cast.
///
/// # Errors
/// A parameter that is not written `:name`, or whose name is not known.
pub(crate) fn parameters(sql: &str) -> Result<Vec<ParameterName>, QueryError> {
    let mut names = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let behind = rest.strip_prefix(first).unwrap_or_default();
        rest = match first {
            // A doubled quote closes and opens again: nothing lies between.
            '\'' | '"' | '`' => after(behind, first),
            '[' => after(behind, ']'),
            '-' if behind.starts_with('-') => after(behind, '\n'),
            '/' if behind.starts_with('*') => {
                behind.get(1..).and_then(|text| text.split_once("*/")).map_or("", |(_, rest)| rest)
            }
            ':' if behind.starts_with(':') => behind.trim_start_matches(':'),
            ':' => {
                let (name, rest) = word(behind);
                if !name.is_empty() {
                    let name = ParameterName::known(name)?;
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                rest
            }
            '?' | '$' | '@' => {
                let (name, rest) = word(behind);
                if first != '@' || !name.is_empty() {
                    return Err(QueryError::OtherParameter { found: format!("{first}{name}") });
                }
                rest
            }
            _ if is_word(first) => word(rest).1,
            _ => behind,
        };
    }
    Ok(names)
}

fn after(text: &str, close: char) -> &str {
    text.split_once(close).map_or("", |(_, rest)| rest)
}

/// As SQLite has it: letters, digits, the underscore, the dollar, and everything beyond ASCII.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    text.split_at(end)
}
