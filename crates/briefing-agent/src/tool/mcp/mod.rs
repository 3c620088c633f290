//! Tools of MCP servers. All that a server says is a stranger's: its names are mapped, its schemas compiled or left out, its answers
//! bounded, its hints about effects not believed, and what it asks of this side (sampling, elicitation, roots) is refused.

mod answer;
mod link;
mod names;
mod remote;
mod told;

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use briefing::message::RawJson;
use briefing::text::one_line;

use crate::tool::group::Program;
use crate::tool::schema::Schema;
use crate::tool::{Effect, SchemaFault, Tool, ToolSpec};
use link::{Link, Transport};
use names::Names;
use remote::RemoteTool;

/// The most tools that are taken of one server.
pub const MAX_TOOLS: usize = 200;

/// The most pages that a server may list them on.
const MAX_PAGES: usize = 50;

/// The most characters of a tool's description.
const DESCRIPTION_CHARS: usize = 4_000;

/// The most characters of a server's name before its tools' names.
const PREFIX_CHARS: usize = 32;

/// How long a call may take unless [`McpServer::timeout`] says otherwise.
const CALL_TIME: Duration = Duration::from_secs(60);

/// How long it may take to connect and list the tools unless [`McpServer::connect_timeout`] says otherwise.
const CONNECT_TIME: Duration = Duration::from_secs(30);

/// Which tools of a server a person confirms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum McpConfirm {
    /// None.
    #[default]
    None,
    /// Those that are not [said to read](McpServer::reading).
    Writes,
    /// All.
    All,
    /// Those of these names, as the server calls them.
    Named(HashSet<String>),
}

impl McpConfirm {
    fn holds(&self, tool: &str, effect: Effect) -> bool {
        match self {
            Self::None => false,
            Self::Writes => effect == Effect::Writes,
            Self::All => true,
            Self::Named(names) => names.contains(tool),
        }
    }

    /// The tools that are named.
    fn names(&self) -> impl Iterator<Item = &String> {
        match self {
            Self::None | Self::Writes | Self::All => None,
            Self::Named(names) => Some(names),
        }
        .into_iter()
        .flatten()
    }
}

/// An MCP server, as it is configured.
#[derive(Debug, Clone)]
pub struct McpServer {
    transport: Transport,
    prefix: Option<String>,
    reading: HashSet<String>,
    confirming: McpConfirm,
    timeout: Duration,
    connect_timeout: Duration,
}

/// The tools of a connected server. When they are dropped, all of them, so is the connection, and a server that was started for it
/// is killed with its process group.
pub struct McpTools {
    /// The tools, in the server's order.
    pub tools: Vec<Arc<dyn Tool>>,
    /// What of the server's list is not among them, or not as it says.
    pub findings: Vec<McpFinding>,
}

/// What was found in a server's list of tools. Names are the server's, on one line of at most 200 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum McpFinding {
    /// The tool is left out: its schema cannot be used.
    Schema {
        /// Its name.
        tool: String,
        /// Why.
        fault: SchemaFault,
    },
    /// The tool is called otherwise, because its name is not valid on every wire or another tool has it.
    Renamed {
        /// Its name at the server.
        tool: String,
        /// What it is called.
        called: Arc<str>,
    },
    /// The server lists two tools of that name; the second is left out, as a call could not tell them apart.
    Twice {
        /// The name.
        tool: String,
    },
    /// The list is longer than [`MAX_TOOLS`]; the rest is left out.
    TooMany,
    /// The configuration names a tool as reading or to be confirmed that the server does not have.
    NotThere {
        /// The name.
        tool: String,
    },
}

/// Why there is no connection to a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum McpFault {
    /// The prefix is not 1 to 32 of the characters of a tool's name.
    #[error("{prefix:?} is no prefix of tools' names: 1 to 32 characters of A-Z, a-z, 0-9, _ and -")]
    Prefix {
        /// The prefix.
        prefix: String,
    },
    /// A header is none of HTTP.
    #[error("{name:?} is no header of HTTP, or its value is none")]
    Header {
        /// Its name; never its value, which may be a key.
        name: String,
    },
    /// The server cannot be started.
    #[error("cannot start {program}: {kind}")]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        kind: std::io::ErrorKind,
    },
    /// The server did not answer as it should, or not at all.
    #[error("the MCP server does not answer as it should: {detail}")]
    Refused {
        /// How, with the last lines of what a server that was started printed as errors; a stranger's text.
        detail: String,
    },
    /// It took too long.
    #[error("the MCP server did not answer within {} s", after.as_secs())]
    TimedOut {
        /// The limit.
        after: Duration,
    },
}

impl McpServer {
    /// A program that speaks MCP over its standard input and output. Its environment has `PATH` and what is given, and nothing else;
    /// it leads a process group of its own.
    #[must_use]
    pub fn stdio<A: Into<OsString>>(
        command: impl Into<PathBuf>,
        args: impl IntoIterator<Item = A>,
        env: impl IntoIterator<Item = (OsString, OsString)>,
        dir: Option<PathBuf>,
    ) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        let program = Program { path: command.into(), args, env: env.into_iter().collect(), dir };
        Self::over(Transport::Stdio(program))
    }

    /// A server over streamable HTTP, with headers for every request, such as `Authorization`. Redirects are not followed.
    #[must_use]
    pub fn http(url: impl Into<Arc<str>>, headers: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::over(Transport::Http { url: url.into(), headers: headers.into_iter().collect() })
    }

    fn over(transport: Transport) -> Self {
        Self {
            transport,
            prefix: None,
            reading: HashSet::new(),
            confirming: McpConfirm::None,
            timeout: CALL_TIME,
            connect_timeout: CONNECT_TIME,
        }
    }

    /// The same; its tools are called by their names behind this and `_`.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// The same; the tools of these names, as the server calls them, only read. All others are taken to write, whatever the server
    /// says of them.
    #[must_use]
    pub fn reading<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.reading.extend(names.into_iter().map(Into::into));
        self
    }

    /// The same; each call of these tools must be confirmed by a person. By default none.
    #[must_use]
    pub fn confirming(mut self, which: McpConfirm) -> Self {
        self.confirming = which;
        self
    }

    /// The same; a call may take that long.
    #[must_use]
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = time;
        self
    }

    /// The same; to connect and list the tools may take that long, at first and whenever it is started again.
    #[must_use]
    pub fn connect_timeout(mut self, time: Duration) -> Self {
        self.connect_timeout = time;
        self
    }

    /// Connects and lists the tools. Inside a Tokio runtime with I/O and time, which must go on while the tools are used. Dropping
    /// the future ends what it began.
    ///
    /// # Errors
    /// [`McpFault`].
    pub async fn connect(self) -> Result<McpTools, McpFault> {
        if let Some(prefix) = &self.prefix
            && !(prefix.len() <= PREFIX_CHARS && crate::tool::is_name(prefix))
        {
            return Err(McpFault::Prefix { prefix: shown(prefix) });
        }
        let after = self.connect_timeout;
        let link = Arc::new(Link::new(self.transport.clone(), after));
        let listed = tokio::time::timeout(after, link.list()).await.map_err(|_| McpFault::TimedOut { after })??;
        Ok(self.take(&link, listed))
    }

    /// Makes tools of what the server lists.
    fn take(&self, link: &Arc<Link>, listed: link::Listed) -> McpTools {
        let mut findings = Vec::new();
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        let mut names = Names::new(self.prefix.as_deref());
        let mut there = HashSet::new();
        for tool in listed.tools {
            let server = tool.name.into_owned();
            if !there.insert(server.clone()) {
                findings.push(McpFinding::Twice { tool: shown(&server) });
                continue;
            }
            let schema = match schema(&tool.input_schema) {
                Ok(schema) => schema,
                Err(fault) => {
                    findings.push(McpFinding::Schema { tool: shown(&server), fault });
                    continue;
                }
            };
            let name = names.take(&server);
            if name.changed {
                findings.push(McpFinding::Renamed { tool: shown(&server), called: Arc::clone(&name.name) });
            }
            let effect = if self.reading.contains(&server) { Effect::Reads } else { Effect::Writes };
            let description = tool.description.as_deref().unwrap_or_default();
            let spec = ToolSpec {
                name: name.name,
                description: briefing::text::prefix(description, DESCRIPTION_CHARS).into(),
                schema,
                effect,
                confirm: self.confirming.holds(&server, effect),
                timeout: Some(self.timeout),
            };
            tools.push(Arc::new(RemoteTool::new(spec, server, Arc::clone(link), self.timeout)));
        }
        findings.extend(listed.more.then_some(McpFinding::TooMany));
        let named: BTreeSet<&String> = self.reading.iter().chain(self.confirming.names()).collect();
        let absent = named.into_iter().filter(|name| !there.contains(*name));
        findings.extend(absent.map(|name| McpFinding::NotThere { tool: shown(name) }));
        McpTools { tools, findings }
    }
}

fn shown(text: &str) -> String {
    one_line(text, 200).into_owned()
}

/// The schema as a tool has it, if it can be compiled. One that does not say so is of objects, as MCP wants it.
fn schema(schema: &rmcp::model::JsonObject) -> Result<RawJson, SchemaFault> {
    let mut schema = schema.clone();
    schema.entry("type").or_insert_with(|| "object".into());
    let invalid = |error: String| SchemaFault::Invalid { detail: shown(&error) };
    let text = serde_json::to_string(&schema).map_err(|error| invalid(error.to_string()))?;
    let raw = RawJson::new(text).map_err(|error| invalid(error.to_string()))?;
    Schema::compile(&raw)?;
    Ok(raw)
}
