//! The connection to a server: made when it is wanted, and made again when it is gone.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex as Lock, PoisonError};
use std::time::Duration;

use futures_util::lock::Mutex;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientResult, ErrorCode, ErrorData, Implementation, PaginatedRequestParams,
    ServerNotification, ServerRequest,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient, RunningService, Service, ServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;

use crate::provider::Hidden;
use crate::provider::http::guarded;

use super::{MAX_PAGES, MAX_TOOLS, McpFault, shown, told};
use crate::tool::command::{keep_tail, last_lines};
use crate::tool::fingerprint::Fingerprint;
use crate::tool::group::{Group, Program};

/// The most bytes of one message of a server.
const MAX_MESSAGE: usize = 16 * 1024 * 1024;

/// How long what a server that has ended printed as errors may take to arrive.
const GRACE: Duration = Duration::from_millis(200);

/// How a server is reached.
#[derive(Clone)]
pub(super) enum Transport {
    Stdio(Program),
    Http { url: Arc<str>, headers: Vec<(String, String)> },
}

/// Of the headers the names alone, and of the address the host and port: the rest may be a key.
impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(program) => f.debug_tuple("Stdio").field(program).finish(),
            Self::Http { url, headers } => {
                let names: Vec<_> = headers.iter().map(|(name, _)| name).collect();
                f.debug_struct("Http").field("host", &told::host(url)).field("headers", &names).finish()
            }
        }
    }
}

/// A server that is connected, or will be when it is wanted.
pub(super) struct Link {
    transport: Transport,
    /// What is left out of whatever the server says of a failure.
    hidden: Hidden,
    connect_timeout: Duration,
    live: Mutex<Option<Arc<Live>>>,
}

/// A connection. When it is dropped it is closed, and what was started for it is killed.
pub(super) struct Live {
    pub(super) service: RunningService<RoleClient, Refuser>,
    _group: Option<Group>,
}

/// What a server lists.
pub(super) struct Listed {
    pub(super) tools: Vec<rmcp::model::Tool>,
    pub(super) more: bool,
}

/// Refuses whatever a server asks of this side.
pub(super) struct Refuser;

impl Service<RoleClient> for Refuser {
    async fn handle_request(&self, request: ServerRequest, _: RequestContext<RoleClient>) -> Result<ClientResult, ErrorData> {
        match request {
            ServerRequest::PingRequest(_) => Ok(ClientResult::empty(())),
            // Sampling, elicitation, roots, and whatever else there will be.
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "not supported", None)),
        }
    }

    async fn handle_notification(&self, _: ServerNotification, _: NotificationContext<RoleClient>) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("briefing", env!("CARGO_PKG_VERSION")))
    }
}

impl Link {
    pub(super) fn new(transport: Transport, connect_timeout: Duration) -> Self {
        let hidden = transport.hidden();
        Self { transport, hidden, connect_timeout, live: Mutex::new(None) }
    }

    /// The connection, made anew if there is none or its other end is gone. Who comes while it is being made waits for it.
    ///
    /// # Errors
    /// [`McpFault`].
    pub(super) async fn live(&self) -> Result<Arc<Live>, McpFault> {
        let mut held = self.live.lock().await;
        if let Some(live) = held.as_ref().filter(|live| !live.service.peer().is_transport_closed()) {
            return Ok(Arc::clone(live));
        }
        *held = None;
        let after = self.connect_timeout;
        let connected = tokio::time::timeout(after, self.transport.connect(&self.hidden)).await;
        let live = Arc::new(connected.map_err(|_| McpFault::TimedOut { after })??);
        *held = Some(Arc::clone(&live));
        Ok(live)
    }

    /// What is left out of whatever the server says of a failure.
    pub(super) fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// A fault with the host, where there is one.
    pub(super) fn told(&self, fault: String) -> String {
        match &self.transport {
            Transport::Stdio(_) => fault,
            Transport::Http { url, .. } => format!("{}: {fault}", told::host(url)),
        }
    }

    /// Which server it is: the program with its arguments and folder, or the address without what may be a key.
    pub(super) fn identity(&self, fingerprint: Fingerprint) -> Fingerprint {
        match &self.transport {
            Transport::Stdio(Program { path, args, env: _, dir }) => fingerprint
                .with(b"stdio")
                .with(path.as_os_str().as_encoded_bytes())
                .with_all(args.iter().map(|arg| arg.as_encoded_bytes()))
                .with_all(dir.iter().map(|dir| dir.as_os_str().as_encoded_bytes())),
            Transport::Http { url, .. } => fingerprint.with(b"http").with(address(url).as_bytes()),
        }
    }

    /// Makes a new connection the next time, where this one turned out to be gone.
    pub(super) async fn forget(&self, gone: &Arc<Live>) {
        let mut held = self.live.lock().await;
        if held.as_ref().is_some_and(|live| Arc::ptr_eq(live, gone)) {
            *held = None;
        }
    }

    /// The tools, page by page.
    ///
    /// # Errors
    /// [`McpFault`].
    pub(super) async fn list(&self) -> Result<Listed, McpFault> {
        let live = self.live().await?;
        let mut listed = Listed { tools: Vec::new(), more: false };
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let page = cursor.take().map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let page = live.service.peer().list_tools(page).await;
            let page = page.map_err(|error| McpFault::Refused { detail: self.told(told::of_request(&error, &self.hidden)) })?;
            listed.tools.extend(page.tools);
            cursor = page.next_cursor;
            if cursor.is_none() || listed.tools.len() > MAX_TOOLS {
                break;
            }
        }
        listed.more = cursor.is_some() || listed.tools.len() > MAX_TOOLS;
        listed.tools.truncate(MAX_TOOLS);
        Ok(listed)
    }
}

/// Words in the names of variables that hold secrets.
const SECRET: [&str; 6] = ["auth", "key", "token", "secret", "cookie", "pass"];

impl Transport {
    /// The keys that the server is given: every header's value, and the variables whose names tell it.
    fn hidden(&self) -> Hidden {
        let mut hidden = Hidden::default();
        match self {
            Self::Stdio(program) => {
                for (name, value) in &program.env {
                    let name = name.to_string_lossy().to_ascii_lowercase();
                    if SECRET.iter().any(|word| name.contains(word)) {
                        hidden.hide(&value.to_string_lossy());
                    }
                }
            }
            Self::Http { headers, .. } => headers.iter().for_each(|(_, value)| hidden.hide(value)),
        }
        hidden
    }

    async fn connect(&self, hidden: &Hidden) -> Result<Live, McpFault> {
        match self {
            Self::Stdio(program) => start(program, hidden).await,
            Self::Http { url, headers } => {
                let mut config = StreamableHttpClientTransportConfig::with_uri(Arc::clone(url));
                config.custom_headers = taken(headers)?;
                config.max_sse_event_size = MAX_MESSAGE;
                config.max_json_response_size = MAX_MESSAGE;
                // Both would send a call again that may have had its effect.
                config.reinit_on_expired_session = false;
                let refused = |why: String| McpFault::Refused { detail: format!("{}: {why}", told::host(url)) };
                let (client, untrusting) = guarded().map_err(|error| refused(error.to_string()))?;
                if let Some(why) = untrusting.filter(|_| address(url).starts_with("https:")) {
                    return Err(refused(format!("no https: {why}")));
                }
                let client = client.pool_max_idle_per_host(0).build();
                let client = client.map_err(|_| refused("no client of HTTP can be made".to_owned()))?;
                let transport = StreamableHttpClientTransport::with_client(client, config);
                let service = Refuser.serve(transport).await;
                let service = service.map_err(|error| refused(told::of_start(&error, hidden)))?;
                Ok(Live { service, _group: None })
            }
        }
    }
}

async fn start(program: &Program, hidden: &Hidden) -> Result<Live, McpFault> {
    let started = Group::start(program.command(None));
    let (group, pipes) = started.map_err(|error| McpFault::Start { program: program.path.clone(), kind: error.kind() })?;
    let (Some(stdin), Some(stdout)) = (pipes.stdin, pipes.stdout) else {
        return Err(McpFault::Start { program: program.path.clone(), kind: std::io::ErrorKind::BrokenPipe });
    };
    let errors = Arc::new(Lock::new(Vec::new()));
    // Ends with the pipe, which nobody holds open once the group is killed.
    let drain = tokio::spawn(drain(pipes.stderr, Arc::clone(&errors)));
    let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE);
    match Refuser.serve(transport).await {
        Ok(service) => Ok(Live { service, _group: Some(group) }),
        Err(error) => {
            drop(group);
            let _ = tokio::time::timeout(GRACE, drain).await;
            let printed = String::from_utf8_lossy(&errors.lock().unwrap_or_else(PoisonError::into_inner)).into_owned();
            let said = last_lines(hidden.redacted(&printed).as_bytes());
            let detail = told::of_start(&error, hidden);
            Err(McpFault::Refused { detail: if said.is_empty() { detail } else { format!("{detail}\n{said}") } })
        }
    }
}

/// Takes what a server prints as errors and keeps the end of it, so that it does not stop at a full pipe.
async fn drain(pipe: Option<ChildStderr>, errors: Arc<Lock<Vec<u8>>>) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = vec![0; 4096];
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
        keep_tail(&mut errors, buffer.get(..read).unwrap_or_default());
    }
}

/// An address without user, query and fragment.
fn address(url: &str) -> String {
    match reqwest::Url::parse(url) {
        Ok(url) => format!("{}{}", url.origin().ascii_serialization(), url.path()),
        Err(_) => String::new(),
    }
}

fn taken(headers: &[(String, String)]) -> Result<HashMap<HeaderName, HeaderValue>, McpFault> {
    let taken = headers.iter().map(|(name, value)| {
        let header = HeaderName::try_from(name.as_str()).ok().zip(HeaderValue::try_from(value.as_str()).ok());
        let (header, mut value) = header.ok_or_else(|| McpFault::Header { name: shown(name) })?;
        value.set_sensitive(true);
        Ok((header, value))
    });
    taken.collect()
}
