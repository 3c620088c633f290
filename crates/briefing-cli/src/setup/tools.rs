//! The tools of `briefing.toml`, resolved.

use std::time::Duration;

use briefing::message::RawJson;

use crate::error::{Failure, Kind};
use crate::setup::file::{CommandFile, ConfirmFile, ConfirmName, EffectFile, SchemaFile, ServerFile};
use crate::setup::models::{checked_url, json_value};
use crate::setup::{filled, positive, secret};

/// A program as a tool.
#[derive(Debug)]
pub(crate) struct CommandSetup {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) schema: RawJson,
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) effect: Effect,
    /// Whether a person confirms each call.
    pub(crate) confirm: bool,
    /// A program that tells the person what a call would do, and its arguments.
    pub(crate) propose: Option<(String, Vec<String>)>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) memory: Option<u64>,
    pub(crate) output: Option<u64>,
    /// How many processes the user that it runs as may have in all.
    pub(crate) processes: Option<u64>,
    /// The variables of the environment that it gets.
    pub(crate) env: Vec<String>,
}

/// Whether a tool changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    Writes,
}

/// A server of tools.
#[derive(Debug)]
pub(crate) struct ServerSetup {
    pub(crate) name: String,
    pub(crate) reach: Reach,
    /// Its tools that change nothing.
    pub(crate) reads: Vec<String>,
    pub(crate) confirm: Confirm,
    /// What stands before the names of its tools.
    pub(crate) prefix: Option<String>,
}

/// How a server is reached.
#[derive(Debug)]
pub(crate) enum Reach {
    /// As a child process, over its standard input and output.
    Run {
        program: String,
        arguments: Vec<String>,
        /// The variables of the environment that it gets.
        env: Vec<String>,
    },
    /// Over HTTP.
    Url {
        url: String,
        /// Headers, each with the variable of the environment that holds it.
        headers_env: Vec<(String, String)>,
    },
}

/// Which tools of a server a person confirms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Confirm {
    All,
    /// Those that are not said to read only.
    Writes,
    None,
    Tools(Vec<String>),
}

pub(super) fn command(file: CommandFile) -> Result<CommandSetup, Failure> {
    let name = filled("command.name", file.name)?;
    let place = |key: &str| format!("command {name:?}, {key}");
    let (program, arguments) = self::program(&place("run"), file.run)?;
    let schema = match file.input_schema {
        SchemaFile::Text(text) => text,
        SchemaFile::Table(table) => json_value(toml::Value::Table(table)).to_string(),
    };
    let schema = RawJson::new(schema.trim()).map_err(|error| {
        Failure::new(Kind::Config, format!("{}: {error}", place("input_schema"))).hint("a JSON Schema of an object is wanted")
    })?;
    variables(&place("env"), &file.env)?;
    let effect = match file.effect {
        EffectFile::Reads => Effect::Reads,
        EffectFile::Writes => Effect::Writes,
    };
    // Who changes something is confirmed unless it is said otherwise.
    let confirm = file.confirm.unwrap_or(effect == Effect::Writes);
    let propose = file.propose.map(|run| self::program(&place("propose"), run)).transpose()?;
    if propose.is_some() && !confirm {
        return Err(Failure::new(Kind::Config, format!("{}: nothing is confirmed, so nothing is proposed", place("propose")))
            .hint("leave it out, or set confirm = true"));
    }
    Ok(CommandSetup {
        description: file.description,
        schema,
        program,
        arguments,
        effect,
        confirm,
        propose,
        timeout: positive(&place("timeout_s"), file.timeout_s)?.map(Duration::from_secs),
        memory: positive(&place("memory_mb"), file.memory_mb)?.map(|most| most.saturating_mul(1 << 20)),
        output: positive(&place("output_kb"), file.output_kb)?.map(|most| most.saturating_mul(1 << 10)),
        processes: positive(&place("processes"), file.processes)?,
        env: file.env,
        name,
    })
}

/// Variables of the environment by their names.
fn variables(place: &str, names: &[String]) -> Result<(), Failure> {
    names.iter().try_for_each(|name| secret::variable(place, name))
}

const SUCH_AS: &str = "such as https://host/mcp; a key goes into the environment, and its variable is named with headers_env";

pub(super) fn server(file: ServerFile) -> Result<ServerSetup, Failure> {
    let name = filled("mcp.name", file.name)?;
    let place = |key: &str| format!("mcp {name:?}, {key}");
    let wrong = |message: String, hint: &str| Failure::new(Kind::Config, message).hint(hint);
    if file.headers.is_some() || file.key.is_some() || file.api_key.is_some() {
        let key = if file.headers.is_some() { "headers" } else { "key" };
        return Err(wrong(
            format!("{}: a key does not belong into this file", place(key)),
            "export it into the environment, and name the variable: headers_env = { Authorization = \"…\" }",
        ));
    }
    variables(&place("env"), &file.env)?;
    for (header, variable) in &file.headers_env {
        secret::variable(&place(&format!("headers_env.{header}")), variable)?;
    }
    let reach = match (file.run, file.url) {
        (Some(run), None) if file.headers_env.is_empty() => {
            let (program, arguments) = program(&place("run"), run)?;
            Reach::Run { program, arguments, env: file.env }
        }
        (Some(_), None) => return Err(wrong(place("headers_env: it is run, and takes no headers"), "give it env instead")),
        (None, Some(url)) if file.env.is_empty() => {
            checked_url(&place("url"), &url).map_err(|failure| failure.hint(SUCH_AS))?;
            Reach::Url { url, headers_env: file.headers_env.into_iter().collect() }
        }
        (None, Some(_)) => return Err(wrong(place("env: it has a url, and is not run here"), "give it headers_env instead")),
        (Some(_), Some(_)) | (None, None) => return Err(wrong(place("exactly one of run and url is wanted"), "mend it")),
    };
    let confirm = match file.confirm {
        None | Some(ConfirmFile::Which(ConfirmName::Writes)) => Confirm::Writes,
        Some(ConfirmFile::Which(ConfirmName::All)) => Confirm::All,
        Some(ConfirmFile::Which(ConfirmName::None)) => Confirm::None,
        Some(ConfirmFile::Tools(tools)) => Confirm::Tools(tools),
    };
    Ok(ServerSetup { reach, reads: file.reads, confirm, prefix: file.prefix, name })
}

/// A program with its arguments.
fn program(place: &str, run: Vec<String>) -> Result<(String, Vec<String>), Failure> {
    let mut run = run.into_iter();
    let program = run.next().filter(|program| !program.trim().is_empty()).ok_or_else(|| {
        Failure::new(Kind::Config, format!("{place}: no program is named")).hint("such as [\"python3\", \"tools/order.py\"]")
    })?;
    let arguments: Vec<String> = run.collect();
    if arguments.iter().any(|argument| secret::holds_key(argument)) {
        return Err(Failure::new(
            Kind::Config,
            format!("{place}: a key does not belong into this file, which is copied and shown"),
        )
        .hint("put it into the environment, and name the variable with env"));
    }
    Ok((program, arguments))
}
