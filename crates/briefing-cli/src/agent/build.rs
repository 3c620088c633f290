//! Models and tools, made of what a configuration says of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use briefing::Wire;
use briefing_agent::provider::http::{
    Delivery, Endpoint, HttpClient, HttpProvider, HttpSettings, Limits, Proxies, ServedModel,
};
use briefing_agent::provider::{Retry, Secret};
use briefing_agent::tool::mcp::{McpConfirm, McpFault, McpFinding, McpServer, McpTools};
use briefing_agent::tool::{AddError, CommandLimits, CommandTool, Note, ReadAttachment, SearchThreads, ToolSet};
use briefing_agent::{Effect, Model, Prices, Tool, ToolSpec};
use briefing_store::ReadText;
use futures_util::future::join_all;

use crate::error::{Failure, Kind};
use crate::setup::{self, CommandSetup, Confirm, ModelSetup, PricesSetup, Reach, ServerSetup, Setup};

/// Whether models are going to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// Each has its key.
    Wanted,
    /// Nothing is sent, and a key that is missing does not matter.
    Unused,
}

/// Whether tools are going to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tools {
    /// Servers of tools are connected to.
    Wanted,
    /// None is started, and there are no tools.
    Unused,
}

/// The models, in order.
pub(crate) fn models(setup: &Setup, keys: Keys) -> Result<Vec<Model>, Failure> {
    setup.models.iter().map(|model| self::model(model, keys)).collect()
}

/// One model with its provider.
pub(crate) fn model(setup: &ModelSetup, keys: Keys) -> Result<Model, Failure> {
    Ok(Model {
        provider: Arc::new(provider(setup, keys)?),
        profile: setup.profile.clone(),
        parameters: setup.parameters.clone(),
        output_reserve: setup.max_output,
        cache_marks: setup.cache_marks,
        prices: prices(setup),
        retry: Retry::default(),
    })
}

/// What it costs, where that is configured.
pub(crate) fn prices(setup: &ModelSetup) -> Option<Prices> {
    let of = |PricesSetup { input, output, cache_read, cache_written }| Prices { input, output, cache_read, cache_written };
    setup.prices.map(of)
}

/// Who is asked for a model.
pub(crate) fn provider(setup: &ModelSetup, keys: Keys) -> Result<HttpProvider, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::new(Kind::Config, format!("model {:?}: {error}", setup.name()))
            .hint("docs/agent.md lists the keys of [[model]]")
    };
    let endpoint = Endpoint::new(setup.wire(), &setup.base_url).map_err(|error| wrong(&error))?;
    let client = client(&endpoint, setup.connect_timeout)?;
    let usual = Limits::default();
    let between_bytes = setup.idle_timeout.unwrap_or(usual.between_bytes);
    let delivery = if setup.stream { Delivery::Streamed } else { Delivery::Whole };
    let mut provider = HttpProvider::new(&client, endpoint).delivery(delivery).limits(Limits { between_bytes, ..usual });
    let key = match (setup.key.read(), keys) {
        (Ok(key), _) => key,
        (Err(failure), Keys::Wanted) => return Err(failure),
        (Err(_), Keys::Unused) => None,
    };
    if let Some(key) = key {
        provider = provider.key(Secret::new(&key).map_err(|error| wrong(&error))?);
    }
    for (name, value) in &setup.headers {
        provider = provider.header(name, value).map_err(|error| wrong(&error))?;
    }
    let secret = match (setup.secret_headers(), keys) {
        (Ok(secret), _) => secret,
        (Err(failure), Keys::Wanted) => return Err(failure),
        (Err(_), Keys::Unused) => Vec::new(),
    };
    for (name, value) in secret {
        let value = Secret::new(&value).map_err(|error| wrong(&format!("headers_env.{name}: {error}")))?;
        provider = provider.secret_header(&name, value).map_err(|error| wrong(&error))?;
    }
    Ok(provider)
}

/// A client for that server. Between programs of this machine no proxy stands.
fn client(endpoint: &Endpoint, connect: Option<Duration>) -> Result<HttpClient, Failure> {
    let proxies = if endpoint.is_loopback() { Proxies::Direct } else { Proxies::System };
    let settings = HttpSettings { connect: connect.unwrap_or(HttpSettings::default().connect), proxies };
    HttpClient::new(&settings).map_err(|error| Failure::new(Kind::Internal, error.to_string()))
}

/// The models of a server that speaks OpenAI's wire and wants no key; none if they cannot be had.
pub(crate) async fn listed(base_url: &str, patience: Duration) -> Result<Vec<ServedModel>, Failure> {
    let Ok(endpoint) = Endpoint::new(Wire::OpenAiChat, base_url) else { return Ok(Vec::new()) };
    let client = client(&endpoint, Some(patience))?;
    let listed = HttpProvider::new(&client, endpoint).limits(patient(patience)).models().await;
    Ok(listed.unwrap_or_default())
}

/// Limits for a question that a server answers at once.
pub(crate) fn patient(patience: Duration) -> Limits {
    Limits { first_byte: patience, between_bytes: patience, ..Limits::default() }
}

/// The tools that this program has of its own.
pub(crate) fn built_in(reader: Arc<dyn ReadText>) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(ReadAttachment::default().with_reader(reader)), Arc::new(SearchThreads::default()), Arc::new(Note::default())]
}

/// A program as a tool. What it names is looked up in the configuration's folder, where it also works.
pub(crate) fn command(setup: &CommandSetup, root: &Path) -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: setup.name.as_str().into(),
        description: setup.description.as_str().into(),
        schema: setup.schema.clone(),
        effect: match setup.effect {
            setup::Effect::Reads => Effect::Reads,
            setup::Effect::Writes => Effect::Writes,
        },
        confirm: setup.confirm,
        timeout: setup.timeout,
    };
    let usual = CommandLimits::default();
    let limits = CommandLimits {
        memory: setup.memory.or(usual.memory),
        processes: setup.processes.or(usual.processes),
        output_bytes: setup.output.and_then(|most| usize::try_from(most).ok()).unwrap_or(usual.output_bytes),
        ..usual
    };
    let tool = CommandTool::new(spec, program(&setup.program, root)).args(&setup.arguments).dir(root).limits(limits);
    let tool = match &setup.propose {
        Some((name, arguments)) => tool.proposing(program(name, root), arguments),
        None => tool,
    };
    Arc::new(environment(&setup.env).into_iter().fold(tool, |tool, (name, value)| tool.env(name, value)))
}

/// A program without a folder in its name is looked for where programs are.
pub(crate) fn program(name: &str, root: &Path) -> PathBuf {
    if name.contains('/') { root.join(name) } else { PathBuf::from(name) }
}

/// Those of the variables that are set.
fn environment(names: &[String]) -> Vec<(OsString, OsString)> {
    names.iter().filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?))).collect()
}

/// Connects to a server of tools.
async fn server(setup: &ServerSetup, root: &Path) -> Result<McpTools, Failure> {
    let server = match &setup.reach {
        Reach::Run { program: name, arguments, env } => {
            McpServer::stdio(program(name, root), arguments, environment(env), Some(root.to_owned()))
        }
        Reach::Url { url, headers_env } => {
            McpServer::http(url.as_str(), setup::headers_of_environment(headers_env, &format!("mcp {:?}", setup.name))?)
        }
    };
    let server = match &setup.prefix {
        Some(prefix) => server.prefix(prefix),
        None => server,
    };
    let confirm = match &setup.confirm {
        Confirm::All => McpConfirm::All,
        Confirm::Writes => McpConfirm::Writes,
        Confirm::None => McpConfirm::None,
        Confirm::Tools(tools) => McpConfirm::Named(tools.iter().cloned().collect()),
    };
    let connected = server.reading(&setup.reads).confirming(confirm).connect().await;
    connected.map_err(|fault| unreached(&setup.name, &fault))
}

/// Connects to all servers of tools side by side, as each may take half a minute to fail; what came of it, in their order.
pub(crate) async fn servers(setup: &Setup) -> Vec<Result<McpTools, Failure>> {
    join_all(setup.servers.iter().map(|server| self::server(server, &setup.root))).await
}

fn unreached(name: &str, fault: &McpFault) -> Failure {
    let kind = match fault {
        McpFault::Prefix { .. } | McpFault::Header { .. } => Kind::Config,
        _ => Kind::Unavailable,
    };
    Failure::new(kind, format!("mcp {name:?}: {fault}")).hint("run it by hand: does it start, and speak MCP?")
}

/// Everything that can be had of the tools, and what could not.
pub(crate) async fn tools(setup: &Setup, reader: Arc<dyn ReadText>) -> Result<(ToolSet, Vec<String>), Failure> {
    let (mut set, mut notes) = (ToolSet::new(), Vec::new());
    let commands = setup.commands.iter().map(|command| self::command(command, &setup.root));
    for tool in built_in(reader).into_iter().chain(commands) {
        set.add(tool).map_err(|error| unusable(setup, &error))?;
    }
    for (server, connected) in setup.servers.iter().zip(servers(setup).await) {
        // One that is down takes its own tools with it, and nothing else.
        match connected {
            Ok(found) => {
                let mut told: Vec<String> = found.findings.iter().map(finding).collect();
                for tool in found.tools {
                    // What a server lists is not the user's mistake, and is no reason to stop.
                    if let Err(error) = set.add(tool) {
                        told.push(left_out(&error));
                    }
                }
                notes.extend(noticed(&server.name, &told));
            }
            Err(failure) => notes.push(format!("{}; its tools are not there", failure.message)),
        }
    }
    Ok((set, notes))
}

/// How many findings of one server are told.
const TOLD: usize = 5;

/// What was noticed of one server's tools, on one line.
fn noticed(server: &str, told: &[String]) -> Option<String> {
    let more = told.len().saturating_sub(TOLD);
    let more = if more > 0 { format!("; {more} more (`briefing doctor` tells all)") } else { String::new() };
    let first = told.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join("; ");
    (!told.is_empty()).then(|| format!("mcp {server:?}: {first}{more}"))
}

/// Why a tool of a server is not among the others.
pub(crate) fn left_out(error: &AddError) -> String {
    match error {
        AddError::Twice { name } => format!("{name} is left out: another tool is called so (a prefix would tell them apart)"),
        error => format!("a tool is left out: {error}"),
    }
}

/// What was found in a server's list of tools.
pub(crate) fn finding(finding: &McpFinding) -> String {
    match finding {
        McpFinding::Schema { tool, fault } => format!("{tool} is left out: {fault}"),
        McpFinding::Renamed { tool, called } => format!("{tool} is called {called}"),
        McpFinding::Twice { tool } => format!("{tool} is listed twice, and the second left out"),
        McpFinding::TooMany => "it has more tools than are taken".to_owned(),
        McpFinding::NotThere { tool } => format!("reads or confirm names {tool}, which it does not have"),
        other => format!("{other:?}"),
    }
}

fn unusable(setup: &Setup, error: &AddError) -> Failure {
    let hint = match error {
        AddError::Twice { .. } => "rename one of them",
        _ => "mend it; `briefing doctor` looks at all of them",
    };
    Failure::new(Kind::Config, format!("{}: {error}", setup.name())).hint(hint)
}

/// How long a server may take to list its models.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
