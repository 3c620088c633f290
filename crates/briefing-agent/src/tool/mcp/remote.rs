//! One tool of a server.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, CallToolResponse};
use rmcp::service::ServiceError;
use serde_json::{Map, Value};

use super::answer::{of_error, of_result};
use super::link::Link;
use super::told::of_request;
use crate::BoxFuture;
use crate::tool::fingerprint::Fingerprint;
use crate::tool::{Proposal, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};

/// A tool that a server runs. A call is sent once. A server that is gone is started again before it is sent, never after.
pub(super) struct RemoteTool {
    spec: ToolSpec,
    /// Its name at the server.
    server: String,
    link: Arc<Link>,
    timeout: Duration,
    /// Of the server, its name there, and its schema.
    fingerprint: String,
}

impl RemoteTool {
    pub(super) fn new(spec: ToolSpec, server: String, link: Arc<Link>, timeout: Duration) -> Self {
        let declared = link.identity(Fingerprint::of("mcp")).with(server.as_bytes()).with_json(spec.schema.as_str());
        Self { spec, server, link, timeout, fingerprint: declared.finish() }
    }

    async fn call(&self, input: &Map<String, Value>) -> Result<ToolOutput, ToolFailure> {
        let hidden = self.link.hidden();
        let failed = |why: &str| of_error(why, hidden);
        // It was not sent.
        let live = self.link.live().await.map_err(|fault| failed(&format!("the call was not sent: {fault}")))?;
        let call = CallToolRequestParams::new(self.server.clone()).with_arguments(input.clone());
        // Dropped, it tells the server that the call is cancelled.
        let answer = tokio::time::timeout(self.timeout, live.service.peer().call_tool_once(call)).await;
        match answer.map_err(|_| ToolFailure::TimedOut { after: self.timeout })? {
            Ok(CallToolResponse::Complete(result)) => of_result(result, hidden),
            Ok(CallToolResponse::InputRequired(_)) => Err(failed("the tool asks for more input, which is refused")),
            Ok(CallToolResponse::Task(_)) => Err(failed("the tool answers with a task, which is not supported")),
            Ok(_) => Err(failed("the tool answers in a way that is not known")),
            Err(ServiceError::McpError(error)) => Err(failed(&error.message)),
            Err(error) => {
                if matches!(error, ServiceError::TransportSend(_) | ServiceError::TransportClosed) {
                    self.link.forget(&live).await;
                }
                Err(ToolFailure::Crashed { detail: format!("the MCP server: {}", self.link.told(of_request(&error, hidden))) })
            }
        }
    }
}

impl Tool for RemoteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn propose<'a>(
        &'a self,
        input: &'a Map<String, Value>,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Proposal, ToolFailure>> {
        let preview = serde_json::to_string_pretty(input).unwrap_or_default();
        Box::pin(std::future::ready(Ok(Proposal { preview, fingerprint: self.fingerprint.clone() })))
    }

    fn run<'a>(&'a self, input: &'a Map<String, Value>, _: &'a ToolContext) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.call(input))
    }
}
