//! Refusals as the providers word them.

use briefing::Wire;
use serde_json::{Value, json};

/// Why a server refuses, told as the provider of the wire does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The request is too large for the model.
    Overflow,
    /// Too many requests for now.
    RateLimited,
    /// The provider failed.
    Failed,
    /// The provider has too much to do.
    Overloaded,
    /// The key is unknown.
    UnknownKey,
    /// There is no such path.
    NotFound,
}

impl Refusal {
    /// The status and the body.
    pub(super) fn said(self, wire: Wire) -> (u16, Value) {
        match wire {
            Wire::OpenAiChat | Wire::OpenAiResponses => self.openai(wire),
            Wire::Anthropic => self.anthropic(),
            Wire::Gemini => self.gemini(),
        }
    }

    fn openai(self, wire: Wire) -> (u16, Value) {
        let (status, kind, code, message) = match self {
            Self::Overflow => {
                let message = match wire {
                    Wire::OpenAiResponses => {
                        "Your input exceeds the context window of this model. Please adjust your input and try again."
                    }
                    Wire::OpenAiChat | Wire::Anthropic | Wire::Gemini => {
                        "This model's maximum context length is 128000 tokens. However, your messages resulted in 140342 tokens. \
                         Please reduce the length of the messages."
                    }
                };
                (400, "invalid_request_error", Some("context_length_exceeded"), message)
            }
            Self::RateLimited => {
                let message = "Rate limit reached for gpt-4o in organization org-scripted on requests per min (RPM): Limit 3, \
                               Used 3, Requested 1. Please try again in 20s.";
                (429, "requests", Some("rate_limit_exceeded"), message)
            }
            Self::Failed => {
                let message = "The server had an error while processing your request. Sorry about that!";
                (500, "server_error", None, message)
            }
            Self::Overloaded => (503, "server_error", None, "The engine is currently overloaded, please try again later"),
            Self::UnknownKey => (401, "invalid_request_error", Some("invalid_api_key"), "Incorrect API key provided."),
            Self::NotFound => (404, "invalid_request_error", None, "Invalid URL"),
        };
        (status, json!({"error": {"message": message, "type": kind, "param": null, "code": code}}))
    }

    fn anthropic(self) -> (u16, Value) {
        let (status, kind, message) = match self {
            Self::Overflow => (400, "invalid_request_error", "prompt is too long: 200251 tokens > 200000 maximum"),
            Self::RateLimited => {
                let message = "This request would exceed your organization's rate limit of 50 requests per minute.";
                (429, "rate_limit_error", message)
            }
            Self::Failed => (500, "api_error", "Internal server error"),
            Self::Overloaded => (529, "overloaded_error", "Overloaded"),
            Self::UnknownKey => (401, "authentication_error", "invalid x-api-key"),
            Self::NotFound => (404, "not_found_error", "Not Found"),
        };
        let error = json!({"type": kind, "message": message});
        (status, json!({"type": "error", "error": error, "request_id": "req_scripted"}))
    }

    fn gemini(self) -> (u16, Value) {
        let (code, status, message) = match self {
            Self::Overflow => {
                let message = "The input token count (1048579) exceeds the maximum number of tokens allowed (1048576).";
                (400, "INVALID_ARGUMENT", message)
            }
            Self::RateLimited => (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
            Self::Failed => (500, "INTERNAL", "An internal error has occurred. Please retry."),
            Self::Overloaded => (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
            Self::UnknownKey => (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
            Self::NotFound => (404, "NOT_FOUND", "Requested entity was not found."),
        };
        (code, json!({"error": {"code": code, "message": message, "status": status}}))
    }
}
