//! What rig makes of each damaged history: a policy of rig-memory chooses the messages, rig-core's own wires write the request,
//! and a client that sends nothing keeps its body.

mod read;

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use rig_core::completion::{CompletionRequest, ToolDefinition};
use rig_core::driver::Model;
use rig_core::http_client::{self, HttpClientExt, LazyBody, MultipartForm, Request, Response, StreamingResponse};
use rig_core::message::ToolName;
use rig_core::providers::anthropic::AnthropicConfig;
use rig_core::providers::gemini::GeminiConfig;
use rig_core::providers::openai::OpenAIConfig;
use rig_memory::{HeuristicTokenCounter, MemoryPolicy, NoopMemoryPolicy, SlidingWindowMemory, TokenCounter, TokenWindowMemory};
use serde_json::{Value, json};

use crate::read::Case;

/// Keeps the body of the last request, and answers none.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Option<Bytes>>>);

impl HttpClientExt for Recorder {
    fn send<T, U>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        if let Ok(mut kept) = self.0.lock() {
            *kept = Some(request.into_body().into());
        }
        std::future::ready(Err(http_client::Error::StreamEnded))
    }

    fn send_multipart<U>(
        &self,
        _: Request<MultipartForm>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        std::future::ready(Err(http_client::Error::StreamEnded))
    }

    fn send_streaming<T>(&self, _: Request<T>) -> impl Future<Output = http_client::Result<StreamingResponse>> + Send
    where
        T: Into<Bytes> + Send,
    {
        std::future::ready(Err(http_client::Error::StreamEnded))
    }
}

type Policy = Box<dyn MemoryPolicy>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let case: Case = serde_json::from_str(&line?)?;
        for (wire, model) in &case.wires {
            for setting in SETTINGS {
                let (body, error) = match request(&case, wire, model, setting).await {
                    Ok(None) => continue,
                    Ok(Some(body)) => (Some(body), None),
                    Err(error) => (None, Some(error.to_string())),
                };
                let bounded = setting != "NoopMemoryPolicy";
                let made = json!({
                    "id": case.id, "setting": setting, "bounded": bounded, "wire": wire, "request": body, "error": error,
                });
                writeln!(out, "{made}")?;
            }
        }
    }
    Ok(out.flush()?)
}

/// `memory` is how an agent uses it: the policy shapes what was before the prompt; prompt and what followed it are not its.
const SETTINGS: [&str; 5] = [
    "SlidingWindowMemory, memory (default)",
    "TokenWindowMemory, memory",
    "SlidingWindowMemory, whole list",
    "TokenWindowMemory, whole list",
    "NoopMemoryPolicy",
];

async fn request(case: &Case, wire: &str, model: &str, setting: &str) -> Result<Option<Value>, Box<dyn Error>> {
    let (preamble, messages) = read::messages(&case.messages)?;
    let current = messages.iter().rposition(read::is_input).unwrap_or(0);
    let memory = setting.ends_with("memory (default)") || setting.ends_with("memory");
    let (history, rest) = messages.split_at(if memory { current } else { messages.len() });
    let most = case.window.saturating_sub(rest.len());
    let policy: Policy = match setting.split(',').next() {
        Some("SlidingWindowMemory") => Box::new(SlidingWindowMemory::last_messages(most)),
        Some("TokenWindowMemory") => {
            // What the newest messages cost, so that both hold as much.
            let counter = HeuristicTokenCounter::default();
            let tokens = history.iter().rev().take(most).map(|message| counter.count(message)).sum();
            Box::new(TokenWindowMemory::new(tokens, counter))
        }
        _ => Box::new(NoopMemoryPolicy),
    };
    let mut chat = policy.apply(history.to_vec())?;
    chat.extend_from_slice(rest);
    let prompt = chat.pop().ok_or("the policy left no message")?;
    let schema = json!({ "type": "object", "properties": {} });
    let tools = case.tools.iter().map(|name| Ok(ToolDefinition::new(ToolName::new(name)?, name, schema.clone())));
    let tools = tools.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let request = CompletionRequest::new(prompt).messages(chat).preamble(preamble).tools(tools).max_tokens(1_024);
    body(wire, model, request).await
}

/// The body; none for a wire that is not known here.
async fn body(wire: &str, model: &str, request: CompletionRequest) -> Result<Option<Value>, Box<dyn Error>> {
    let recorder = Recorder::default();
    let answer = match wire {
        "openai-chat" => sent(OpenAIConfig::new("none").connect(recorder.clone()).chat(model), request).await,
        "openai-responses" => sent(OpenAIConfig::new("none").connect(recorder.clone()).responses(model), request).await,
        "gemini" => sent(GeminiConfig::new("none").connect(recorder.clone()).completion(model), request).await,
        "anthropic" => sent(AnthropicConfig::new("none").connect(recorder.clone()).completion(model), request).await,
        _ => return Ok(None),
    };
    let body = recorder.0.lock().ok().and_then(|mut kept| kept.take());
    match body {
        Some(body) => Ok(Some(serde_json::from_slice(&body)?)),
        None => Err(answer.err().unwrap_or_else(|| "nothing was sent".into())),
    }
}

async fn sent<W>(model: Model<W>, request: CompletionRequest) -> Result<(), Box<dyn Error>>
where
    W: rig_core::wire::Wire<Op = rig_core::operation::Completion>,
    rig_core::http_client::DynHttpClient: rig_core::driver::Transport<W>,
{
    model.call(request).await?;
    Ok(())
}
