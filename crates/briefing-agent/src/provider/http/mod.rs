//! Providers over HTTP: whatever speaks one of the four wires, whole or streamed. Rules and faults stand in `docs/providers.md`.

mod client;
mod endpoint;
mod headers;
mod reading;
mod refusal;
mod served;

use std::fmt;
use std::time::Duration;

use briefing::message::RawJson;
use briefing::{Call, Wire};
use briefing_wire::{Answer, Cut, CutWhy, Finished, MAX_EVENT_BYTES, ProviderError, Request, Stream, StreamEvent};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode};
use tokio::time::{Instant, timeout_at};

#[cfg(feature = "mcp")]
pub(crate) use client::guarded;
pub use client::{ClientError, HttpClient, HttpSettings, Proxies, Tls, tls};
pub use endpoint::{Endpoint, EndpointError};
pub use headers::HeaderError;
pub use served::ServedModel;

use super::{Provider, ProviderFault, Secret};
use crate::BoxFuture;
use headers::Headers;
use reading::{Ended, Reading};

/// How many bytes of a refusal are read.
const MAX_REFUSAL_BYTES: u64 = 64 * 1024;

/// How many bytes a list of models may take.
const MAX_LIST_BYTES: u64 = 4 * 1024 * 1024;

/// How many characters of what a server says are kept in a fault.
const MAX_SAID: usize = 2_000;

/// How an answer comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// Piece by piece, each told as it arrives.
    #[default]
    Streamed,
    /// As one body at its end.
    Whole,
}

/// What an answer may take. The time to connect is the client's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long it may be from sending to the first byte of the answer's body.
    pub first_byte: Duration,
    /// How long it may be from one byte of the body to the next.
    pub between_bytes: Duration,
    /// How many bytes the answer's body may take. More than [`MAX_EVENT_BYTES`] has an effect on streams alone.
    pub answer_bytes: u64,
}

impl Default for Limits {
    /// Ten minutes, one minute, 64 MiB.
    fn default() -> Self {
        Self { first_byte: Duration::from_secs(600), between_bytes: Duration::from_secs(60), answer_bytes: 64 * 1024 * 1024 }
    }
}

/// A provider that is a server: one [`Endpoint`], asked with one key.
///
/// It reads neither environment nor files, follows no redirect, and shows its key nowhere: in no `Debug` output, no fault and no event,
/// not even where the server repeats it. Dropping the future of a request drops its connection.
///
/// ```
/// use briefing::Wire;
/// use briefing_agent::provider::Secret;
/// use briefing_agent::provider::http::{Delivery, Endpoint, HttpClient, HttpProvider, HttpSettings};
///
/// let client = HttpClient::new(&HttpSettings::default())?;
/// let local = Endpoint::new(Wire::OpenAiChat, "http://localhost:8080/v1")?;
/// let provider = HttpProvider::new(&client, local).key(Secret::new("sk-1\n")?).delivery(Delivery::Whole);
/// # let _ = provider;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct HttpProvider {
    client: HttpClient,
    endpoint: Endpoint,
    headers: Headers,
    delivery: Delivery,
    limits: Limits,
}

impl fmt::Debug for HttpProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpProvider")
            .field("endpoint", &self.endpoint)
            .field("delivery", &self.delivery)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl HttpProvider {
    /// A provider at that endpoint, without a key, streamed, with the usual limits. Providers of one client share its connections.
    #[must_use]
    pub fn new(client: &HttpClient, endpoint: Endpoint) -> Self {
        let headers = Headers::of(endpoint.wire());
        Self { client: client.clone(), endpoint, headers, delivery: Delivery::default(), limits: Limits::default() }
    }

    /// The same with a key, sent as the wire wants it.
    #[must_use]
    pub fn key(mut self, key: Secret) -> Self {
        self.headers.key(self.endpoint.wire(), key);
        self
    }

    /// The same with one more header, such as `OpenAI-Organization`. One of that name set before is replaced.
    ///
    /// # Errors
    /// [`HeaderError`] for a name or a value that no header can have, and for one that the request itself sets.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, HeaderError> {
        self.headers.add(name, value)?;
        Ok(self)
    }

    /// The same with one more header whose value is secret, such as a gateway's key.
    ///
    /// # Errors
    /// As [`header`](Self::header).
    pub fn secret_header(mut self, name: &str, value: Secret) -> Result<Self, HeaderError> {
        self.headers.add_secret(name, value)?;
        Ok(self)
    }

    /// The same with answers that come so.
    #[must_use]
    pub fn delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// The same within these limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where it sends to.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The models that the server lists, at most a thousand; none if it has no list of them.
    ///
    /// # Errors
    /// [`ProviderFault`], as [`send`](Provider::send).
    pub async fn models(&self) -> Result<Vec<ServedModel>, ProviderFault> {
        let deadline = reading::within(self.limits.first_byte);
        let get = self.client.get(&self.endpoint.models(), self.headers.map());
        let response = self.answered(get, deadline).await?;
        match response.status() {
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => return Ok(Vec::new()),
            status if status.is_success() => {}
            _ => return Err(self.refused(response, deadline).await),
        }
        let limit = MAX_LIST_BYTES;
        let mut reading = Reading::new(response, deadline, Limits { answer_bytes: limit, ..self.limits });
        let mut body = Vec::new();
        loop {
            match reading.next().await {
                Ok(Some(bytes)) => body.extend_from_slice(&bytes),
                Ok(None) | Err(Ended::Broken) => return Ok(served::read(&String::from_utf8_lossy(&body))),
                Err(Ended::TimedOut { after }) => return Err(self.timed_out(after)),
                Err(Ended::TooLarge) => return Err(ProviderFault::AnswerTooLarge { limit }),
            }
        }
    }

    async fn answered(&self, request: RequestBuilder, deadline: Instant) -> Result<Response, ProviderFault> {
        if let Some(why) = self.client.untrusting()
            && self.endpoint.is_https()
        {
            return Err(ProviderFault::NoCertificates { host: self.endpoint.host().to_owned(), detail: why.to_owned() });
        }
        match timeout_at(deadline, request.send()).await {
            Err(_) => Err(self.timed_out(self.limits.first_byte)),
            Ok(Err(error)) => Err(self.unreachable(error)),
            Ok(Ok(response)) => Ok(response),
        }
    }

    async fn exchange(&self, request: &Request, told: &mut (dyn FnMut(&StreamEvent) + Send)) -> Result<Answer, ProviderFault> {
        let (of, speaks) = (request.wire(), self.endpoint.wire());
        if of != speaks {
            return Err(ProviderFault::WrongWire { of, speaks });
        }
        let deadline = reading::within(self.limits.first_byte);
        let post = self.client.post(&self.endpoint.address(request.model(), self.delivery), self.headers.map());
        let response = self.answered(post.body(request.body().to_vec()), deadline).await?;
        if !response.status().is_success() {
            return Err(self.refused(response, deadline).await);
        }
        self.read(response, deadline, told).await
    }

    async fn read(
        &self,
        response: Response,
        deadline: Instant,
        told: &mut (dyn FnMut(&StreamEvent) + Send),
    ) -> Result<Answer, ProviderFault> {
        let page = is_page(response.headers().get(CONTENT_TYPE));
        let mut stream = Stream::new(self.endpoint.wire());
        let mut reading = Reading::new(response, deadline, self.limits);
        let mut begun = false;
        loop {
            let bytes = match reading.next().await {
                Ok(Some(bytes)) => bytes,
                // What came before the connection broke may be all there is to say.
                Ok(None) | Err(Ended::Broken) => break,
                Err(Ended::TimedOut { after }) => {
                    return match stream.finish() {
                        // A server may leave the connection open behind an answer that ended.
                        Finished::Whole(answer) => Ok(answer),
                        Finished::Cut(_) => Err(self.timed_out(after)),
                    };
                }
                Err(Ended::TooLarge) => return Err(ProviderFault::AnswerTooLarge { limit: self.limits.answer_bytes }),
            };
            // Neither JSON nor an event begins so.
            if !std::mem::replace(&mut begun, true) && (page || bytes.trim_ascii_start().starts_with(b"<")) {
                return Err(
                    self.unreadable(&format!("a page in place of an answer: {}", String::from_utf8_lossy(bytes.trim_ascii())))
                );
            }
            for event in stream.push(&bytes) {
                self.tell(event, told);
            }
        }
        self.came_to(stream.finish())
    }

    fn tell(&self, event: StreamEvent, told: &mut (dyn FnMut(&StreamEvent) + Send)) {
        match self.delivery {
            Delivery::Whole => {}
            Delivery::Streamed => match event {
                StreamEvent::Cut(why) => told(&StreamEvent::Cut(self.clean_why(why))),
                event => told(&event),
            },
        }
    }

    fn came_to(&self, finished: Finished) -> Result<Answer, ProviderFault> {
        let cut = match finished {
            Finished::Whole(answer) => return Ok(answer),
            Finished::Cut(cut) => Cut { why: self.clean_why(cut.why), ..cut },
        };
        let nothing = cut.said.items.is_empty() && cut.unfinished.is_empty();
        Err(match cut.why {
            CutWhy::Provider(error) if nothing => {
                ProviderFault::Refused { status: StatusCode::OK.as_u16(), error, retry_after: None }
            }
            CutWhy::TooLarge(_) => ProviderFault::AnswerTooLarge { limit: MAX_EVENT_BYTES as u64 },
            why @ (CutWhy::NotJson(_) | CutWhy::NotAnObject | CutWhy::TooDeep { .. } | CutWhy::Unreadable(_)) if nothing => {
                self.unreadable(&why.to_string())
            }
            why => ProviderFault::Cut { cut: Box::new(Cut { why, ..cut }) },
        })
    }

    async fn refused(&self, response: Response, deadline: Instant) -> ProviderFault {
        let (status, headers) = (response.status(), response.headers().clone());
        if status.is_redirection() {
            let to = headers.get("location").and_then(|to| response.url().join(to.to_str().ok()?).ok());
            let to = to.map_or_else(|| "nowhere".to_owned(), |to| endpoint::host(&to));
            let message = format!("it redirects to {to}, where nothing is sent");
            let error = ProviderError { kind: briefing_wire::ErrorKind::Unknown, name: None, message };
            return ProviderFault::Refused { status: status.as_u16(), error, retry_after: None };
        }
        let limits = Limits { answer_bytes: MAX_REFUSAL_BYTES, ..self.limits };
        let mut reading = Reading::new(response, deadline, limits);
        let mut body = Vec::new();
        // However it ends, the status says enough.
        while let Ok(Some(bytes)) = reading.next().await {
            body.extend_from_slice(&bytes);
        }
        let body = String::from_utf8_lossy(&body);
        let error = self.clean_error(refusal::error(self.endpoint.wire(), &body));
        ProviderFault::Refused { status: status.as_u16(), error, retry_after: refusal::retry_after(&headers, &body) }
    }

    fn timed_out(&self, after: Duration) -> ProviderFault {
        ProviderFault::TimedOut { host: self.endpoint.host().to_owned(), after }
    }

    fn unreachable(&self, error: reqwest::Error) -> ProviderFault {
        if error.is_timeout() {
            return self.timed_out(self.client.connect());
        }
        let detail = self.clean(&client::causes(&error.without_url()));
        ProviderFault::Unreachable { host: self.endpoint.host().to_owned(), detail }
    }

    fn unreadable(&self, detail: &str) -> ProviderFault {
        ProviderFault::Unreadable { detail: self.clean(detail) }
    }

    /// What a server says, without a key that it repeats, on one line.
    fn clean(&self, text: &str) -> String {
        briefing::text::one_line(&self.headers.redacted(text), MAX_SAID).into_owned()
    }

    fn clean_error(&self, error: ProviderError) -> ProviderError {
        let ProviderError { kind, name, message } = error;
        ProviderError { kind, name: name.map(|name| self.clean(&name)), message: self.clean(&message) }
    }

    fn clean_why(&self, why: CutWhy) -> CutWhy {
        match why {
            CutWhy::Provider(error) => CutWhy::Provider(self.clean_error(error)),
            why => why,
        }
    }
}

impl Provider for HttpProvider {
    fn prepare(&self, call: Call) -> Call {
        match (call.wire(), self.delivery) {
            // The address tells it.
            (Wire::Gemini, Delivery::Streamed | Delivery::Whole) => call,
            (Wire::OpenAiResponses | Wire::Anthropic, Delivery::Streamed) => with(call, "stream", "true"),
            (Wire::OpenAiChat, Delivery::Streamed) => {
                let call = with(call, "stream", "true");
                let chosen = call.parameters().iter().any(|(name, _)| &**name == "stream_options");
                if chosen { call } else { with(call, "stream_options", r#"{"include_usage":true}"#) }
            }
            (Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic, Delivery::Whole) => {
                let kept = call.parameters().iter().filter(|(name, _)| !matches!(&**name, "stream" | "stream_options"));
                let kept = kept.cloned().collect();
                call.parameters_of(kept)
            }
        }
    }

    fn send<'a>(
        &'a self,
        request: &'a Request,
        told: &'a mut (dyn FnMut(&StreamEvent) + Send),
    ) -> BoxFuture<'a, Result<Answer, ProviderFault>> {
        Box::pin(self.exchange(request, told))
    }
}

fn with(call: Call, name: &'static str, json: &'static str) -> Call {
    match RawJson::new(json) {
        Ok(value) => call.parameter(name, value),
        Err(_) => call,
    }
}

/// Whether it is a page for people.
fn is_page(kind: Option<&HeaderValue>) -> bool {
    kind.and_then(|kind| kind.to_str().ok()).is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/html"))
}
