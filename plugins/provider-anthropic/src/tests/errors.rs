//! Errors by class, and responses that are not answers.

use rye_plugin_abi::provider::{FailureClass, Usage};

use super::*;

fn failed(class: FailureClass, message: &str) -> Decoded {
    Decoded::Failed { class, message: message.to_owned(), usage: Usage::default() }
}

fn error(kind: &str, message: &str) -> String {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_01"}).to_string()
}

#[test]
fn errors_have_a_class_by_type() {
    let long = "prompt is too long: 208310 tokens > 200000 maximum";
    let poor = "Your credit balance is too low to access the Anthropic API.";
    for (status, kind, message, class) in [
        (400, "invalid_request_error", "max_tokens: Field required", FailureClass::InvalidRequest),
        (400, "invalid_request_error", long, FailureClass::ContextExceeded),
        (400, "invalid_request_error", poor, FailureClass::Billing),
        (401, "authentication_error", "invalid x-api-key", FailureClass::Authentication),
        (402, "billing_error", "Pay.", FailureClass::Billing),
        (403, "permission_error", "No.", FailureClass::Authentication),
        (404, "not_found_error", "model: claude-x", FailureClass::NotFound),
        (409, "conflict_error", "Again.", FailureClass::Server),
        (413, "request_too_large", "Request exceeds the maximum size", FailureClass::ContextExceeded),
        (413, "invalid_request_error", "Too large.", FailureClass::ContextExceeded),
        (429, "rate_limit_error", "Slow down.", FailureClass::RateLimit),
        (500, "api_error", "Internal server error", FailureClass::Server),
        (504, "timeout_error", "Too slow.", FailureClass::Server),
        (529, "overloaded_error", "Overloaded", FailureClass::Overloaded),
        (429, "unheard_of_error", "Hm.", FailureClass::RateLimit),
    ] {
        let expected = failed(class, &format!("{kind}: {message}"));
        assert_eq!(decode_text(status, &error(kind, message)), expected);
    }
}

#[test]
fn a_stable_code_counts_more_than_the_type() {
    for (status, kind, code, class) in [
        (429, "rate_limit_error", "enforced_spend_limit_reached", FailureClass::Billing),
        (429, "rate_limit_error", "ramp_limit_exceeded", FailureClass::RateLimit),
        (400, "invalid_request_error", "organization_on_hold", FailureClass::Authentication),
        (413, "invalid_request_error", "request_body_too_large_after_decoding", FailureClass::ContextExceeded),
    ] {
        let body = json!({"type": "error", "error": {"type": kind, "message": "m", "details": {"error_code": code}}});
        let Decoded::Failed { class: found, .. } = decode_text(status, &body.to_string()) else { panic!("{code}") };
        assert_eq!(found, class, "{code}");
    }
}

#[test]
fn errors_of_others_have_a_class_by_status() {
    for (status, body, class, message) in [
        (502, "<html><h1>Bad Gateway</h1></html>", FailureClass::Server, "no reason given"),
        (503, "", FailureClass::Overloaded, "no reason given"),
        (401, "no\nkey\u{1b}[1m", FailureClass::Authentication, "no key [1m"),
        (403, r#"{"message": "blocked"}"#, FailureClass::Authentication, "blocked"),
        (404, r#"{"detail": "Not Found"}"#, FailureClass::NotFound, "Not Found"),
        (404, r#"{"error": "no such model"}"#, FailureClass::NotFound, "no such model"),
        (400, "[1]", FailureClass::InvalidRequest, "[1]"),
        (408, "null", FailureClass::Server, "null"),
        (418, "{}", FailureClass::InvalidRequest, "no reason given"),
        (302, "", FailureClass::Unreadable, "no reason given"),
        (0, "", FailureClass::Unreadable, "no reason given"),
    ] {
        assert_eq!(decode_text(status, body), failed(class, message));
    }
}

#[test]
fn a_long_error_is_shortened() {
    let Decoded::Failed { message, .. } = decode_text(500, &"ä".repeat(10_000_000)) else { panic!("a turn") };
    assert_eq!(message, "ä".repeat(500));
}

#[test]
fn a_success_that_is_no_message_is_unreadable_or_cut() {
    for (body, class) in [
        ("", FailureClass::CutShort),
        (r#"{"type": "message", "content": ["#, FailureClass::CutShort),
        ("<html>", FailureClass::Unreadable),
        ("{}", FailureClass::Unreadable),
        (r#"{"type": "message", "content": ["text"]}"#, FailureClass::Unreadable),
        (r#"{"type": "error", "error": {"type": "overloaded_error", "message": "o"}}"#, FailureClass::Overloaded),
    ] {
        let Decoded::Failed { class: found, .. } = decode_text(200, body) else { panic!("{body}") };
        assert_eq!(found, class, "{body}");
    }
}

#[test]
fn an_error_that_is_streamed_counts() {
    let events = |data: &str| {
        let events = vec![ServerEvent { event: "error".to_owned(), data: data.to_owned() }];
        let over = decode(529, Body::Events { events: events.clone(), is_whole: true }).decoded;
        (over, decode_events(events, false).decoded)
    };
    let message = "overloaded_error: Overloaded";
    let expected = (failed(FailureClass::Overloaded, message), failed(FailureClass::Overloaded, message));
    assert_eq!(events(&error("overloaded_error", "Overloaded")), expected);
    let expected = (failed(FailureClass::Overloaded, "broken"), failed(FailureClass::Server, "broken"));
    assert_eq!(events("broken"), expected);
}
