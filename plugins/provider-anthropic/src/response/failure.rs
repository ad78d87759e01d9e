//! Errors of the server by class.
//!
//! Three fields name the error, in this order: `error.details.error_code`, which the package calls stable;
//! `error.type`; the HTTP status, where a proxy answers in the server's place. Two conditions have no code and no type
//! of their own, so the wording counts: a prompt that is too long, and an empty account.

use rye_plugin_abi::provider::{FailureClass, Usage};
use serde_json::Value;

/// The error of a server that gives no details.
const NO_REASON: &str = "no reason given";

/// How much of a server's text is passed on, in characters.
const LONGEST: usize = 500;

/// Why there is no turn.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) class: FailureClass,
    pub(super) message: String,
    /// What the server reported of tokens until then.
    pub(super) usage: Usage,
}

impl Refused {
    pub(super) fn new(class: FailureClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), usage: Usage::default() }
    }

    /// The same, after so many tokens.
    pub(super) fn after(self, usage: Usage) -> Self {
        Self { usage, ..self }
    }

    /// Classifies a body that is not a message: the server's error, a proxy's page, or nothing.
    pub(super) fn by_body(status: u16, body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(body) if body.is_object() => Self::by_error(Some(status), body.get("error").unwrap_or(&body)),
            Ok(_) | Err(_) => Self::by_error(Some(status), &page_text(body).into()),
        }
    }

    /// Classifies an `error` object, or a text in its place. An event of a stream has no status.
    pub(super) fn by_error(status: Option<u16>, error: &Value) -> Self {
        let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
        let message = [word("message"), word("detail"), error.as_str().unwrap_or_default()];
        let message = message.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default();
        let code = error.pointer("/details/error_code").and_then(Value::as_str).unwrap_or_default();
        let class = by_code(code)
            .or_else(|| by_type(word("type"), message, status))
            .unwrap_or_else(|| status.map_or(FailureClass::Server, by_status));
        Self::new(class, sentence(word("type"), message))
    }
}

fn by_code(code: &str) -> Option<FailureClass> {
    match code {
        "contract_spend_limit_reached"
        | "enforced_spend_limit_reached"
        | "linked_organization_billing_unavailable"
        | "linked_organization_spend_limit_reached" => Some(FailureClass::Billing),
        "request_body_too_large_after_decoding" => Some(FailureClass::ContextExceeded),
        "organization_on_hold" => Some(FailureClass::Authentication),
        _ => None,
    }
}

fn by_type(kind: &str, message: &str, status: Option<u16>) -> Option<FailureClass> {
    Some(match kind {
        "invalid_request_error" => by_wording(message, status),
        "authentication_error" | "permission_error" => FailureClass::Authentication,
        "billing_error" => FailureClass::Billing,
        "not_found_error" => FailureClass::NotFound,
        "request_too_large" => FailureClass::ContextExceeded,
        "rate_limit_error" => FailureClass::RateLimit,
        "overloaded_error" => FailureClass::Overloaded,
        "api_error" | "timeout_error" | "conflict_error" => FailureClass::Server,
        _ => return None,
    })
}

fn by_wording(message: &str, status: Option<u16>) -> FailureClass {
    let message = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
    if status == Some(413) || says(&["prompt is too long", "context limit", "context window"]) {
        return FailureClass::ContextExceeded;
    }
    if says(&["credit balance"]) { FailureClass::Billing } else { FailureClass::InvalidRequest }
}

fn by_status(status: u16) -> FailureClass {
    match status {
        401 | 403 => FailureClass::Authentication,
        402 => FailureClass::Billing,
        404 | 410 => FailureClass::NotFound,
        // The package asks again after these two.
        408 | 409 => FailureClass::Server,
        413 => FailureClass::ContextExceeded,
        429 => FailureClass::RateLimit,
        400..=499 => FailureClass::InvalidRequest,
        503 | 529 => FailureClass::Overloaded,
        500..=599 => FailureClass::Server,
        _ => FailureClass::Unreadable,
    }
}

/// `overloaded_error: Overloaded`, or as much of it as is known. The host names the status.
fn sentence(kind: &str, message: &str) -> String {
    let parts = [kind.to_owned(), one_line(message)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { NO_REASON.to_owned() } else { parts.join(": ") }
}

/// A body that is text, unless it is a page for browsers.
fn page_text(body: &str) -> &str {
    let body = body.trim_start();
    if body.starts_with('<') { "" } else { body }
}

/// The beginning of a text, on one line.
pub(super) fn one_line(text: &str) -> String {
    let start: String = text.trim().chars().take(LONGEST).collect();
    start
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
