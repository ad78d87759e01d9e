//! Why a response has no turn.
//!
//! OpenAI's servers send `{"error": {"message", "type", "param", "code"}}`. Others send `{"error": "text"}` (Ollama), a
//! numeric `code` that repeats the status, also as text (OpenRouter, LiteLLM), `{"detail": …}` (FastAPI, vLLM),
//! `{"message": …}` (gateways), a list around all of it (Gemini), or a page in HTML.
//!
//! The class is decided by the most specific word, then the status, then the general words: `invalid_request_error`
//! comes with almost every status.

use rye_plugin_abi::provider::{Body, Decoded, FailureClass, Usage};
use serde_json::Value;

use crate::json::{list, present, text};

/// Characters of a server's message that are handed on.
const MESSAGE_LIMIT: usize = 1000;

/// A response without a turn.
#[derive(Debug)]
pub(crate) struct Failed {
    class: FailureClass,
    message: String,
    /// What the server reported of tokens until then.
    usage: Usage,
}

impl Failed {
    fn new(class: FailureClass, message: &str) -> Self {
        Self { class, message: message.to_owned(), usage: Usage::default() }
    }

    /// The same, after so many tokens; nothing if the server reported none.
    pub(crate) fn after(self, usage: Option<Usage>) -> Self {
        Self { usage: usage.unwrap_or_default(), ..self }
    }

    /// The response ended before the turn did.
    pub(crate) fn cut_short() -> Self {
        Self::new(FailureClass::CutShort, "the response ended before the turn did")
    }

    /// The response contains nothing that the plugin understands.
    pub(crate) fn unreadable(problem: &str) -> Self {
        Self::new(FailureClass::Unreadable, &format!("cannot read the response: {problem}"))
    }

    /// The server gave up.
    pub(crate) fn server(problem: &str) -> Self {
        Self::new(FailureClass::Server, problem)
    }
}

impl From<Failed> for Decoded {
    fn from(failed: Failed) -> Self {
        Self::Failed { class: failed.class, message: failed.message, usage: failed.usage }
    }
}

/// Reads a response whose status says that it failed.
pub(crate) fn of_response(status: u16, body: &Body) -> Decoded {
    let body = match body {
        Body::Text { text } => text,
        Body::Events { events, .. } => events.first().map_or("", |event| event.data.as_str()),
    };
    let value = serde_json::from_str(body).unwrap_or_else(|_| plain(body));
    of_value(Some(status), &value).into()
}

/// Reads an error that came with the status of a success.
pub(crate) fn of_error(error: &Value) -> Failed {
    of_value(None, error)
}

/// A body that is not JSON is a message, unless it is a page.
fn plain(body: &str) -> Value {
    if body.trim_start().starts_with('<') { Value::Null } else { Value::String(body.to_owned()) }
}

fn of_value(status: Option<u16>, value: &Value) -> Failed {
    let value = value.get(0).unwrap_or(value);
    let error = present(value, "error").unwrap_or(value);
    let status = status.or_else(|| numeric_code(error));
    let message = message(error);
    let class = class(status, &[text(error, "code"), text(error, "type")], &message);
    Failed::new(class, if message.is_empty() { "no reason given" } else { &message })
}

fn numeric_code(error: &Value) -> Option<u16> {
    let code = error.get("code")?;
    let code = code.as_u64().and_then(|code| u16::try_from(code).ok()).or_else(|| code.as_str()?.parse().ok());
    code.filter(|code| (400..600).contains(code))
}

fn class(status: Option<u16>, words: &[&str], message: &str) -> FailureClass {
    let is_too_long = matches!(status, None | Some(400 | 413 | 422 | 500)) && is_about_context(message);
    let too_long = is_too_long.then_some(FailureClass::ContextExceeded);
    let specific = words.iter().find_map(|word| specific(word));
    let general = || words.iter().find_map(|word| general(word));
    specific.or(too_long).or_else(|| by_status(status?)).or_else(general).unwrap_or(FailureClass::Server)
}

fn specific(word: &str) -> Option<FailureClass> {
    match word {
        "rate_limit_exceeded" | "rate_limit_error" => Some(FailureClass::RateLimit),
        "insufficient_quota" | "exceeded_current_quota_error" | "billing_hard_limit_reached" | "billing_not_active" => {
            Some(FailureClass::Billing)
        }
        "invalid_api_key" | "authentication_error" | "permission_error" => Some(FailureClass::Authentication),
        "model_not_found" | "not_found_error" | "NotFoundError" => Some(FailureClass::NotFound),
        "context_length_exceeded" | "exceed_context_size_error" => Some(FailureClass::ContextExceeded),
        "overloaded_error" | "server_is_overloaded" | "slow_down" => Some(FailureClass::Overloaded),
        "invalid_prompt" | "content_filter" | "content_policy_violation" | "bio_policy" => {
            Some(FailureClass::InvalidRequest)
        }
        "misalignment_policy_violation" | "data_residency_mismatch" => Some(FailureClass::InvalidRequest),
        _ => None,
    }
}

fn general(word: &str) -> Option<FailureClass> {
    match word {
        "invalid_request_error" | "BadRequestError" => Some(FailureClass::InvalidRequest),
        _ => None,
    }
}

fn by_status(status: u16) -> Option<FailureClass> {
    match status {
        401 | 403 => Some(FailureClass::Authentication),
        402 => Some(FailureClass::Billing),
        404 => Some(FailureClass::NotFound),
        408 | 409 => Some(FailureClass::Server),
        413 => Some(FailureClass::ContextExceeded),
        429 => Some(FailureClass::RateLimit),
        400..=499 => Some(FailureClass::InvalidRequest),
        503 | 529 => Some(FailureClass::Overloaded),
        500..=599 => Some(FailureClass::Server),
        _ => Some(FailureClass::Unreadable),
    }
}

/// Servers that have no code for it: llama.cpp, vLLM, Anthropic's models behind a proxy.
fn is_about_context(message: &str) -> bool {
    let message = message.to_lowercase();
    let phrases = ["context length", "context window", "context size", "prompt is too long", "input is too long"];
    phrases.iter().any(|phrase| message.contains(phrase))
}

/// What the server said, on one line. `OpenRouter` puts the words of the model's own provider into `metadata.raw`.
fn message(error: &Value) -> String {
    let details: Vec<&str> = list(error, "detail").iter().map(|detail| text(detail, "msg")).collect();
    let details = details.join(", ");
    let texts = [error.as_str().unwrap_or_default(), text(error, "message"), text(error, "detail"), &details];
    let said = texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    let raw = error.get("metadata").map(|metadata| text(metadata, "raw")).unwrap_or_default();
    one_line(if raw.is_empty() { said.to_owned() } else { format!("{said}: {raw}") }.as_str())
}

/// The beginning of a text, on one line.
pub(crate) fn one_line(message: &str) -> String {
    let start: String = message.chars().take(MESSAGE_LIMIT).collect();
    let words: Vec<&str> = start.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
