//! Failed responses give the reason.

use rye_plugin_abi::provider::{Body, Decoded, FailureClass, Provider, ServerEvent};
use rye_provider_openai::OpenAi;
use serde_json::json;

use crate::support::{ask, decode};

fn failure(wire: &str, status: u16, body: Body) -> (FailureClass, String) {
    match decode(wire, status, body).decoded {
        Decoded::Failed { class, message, .. } => (class, message),
        Decoded::Events { events } => panic!("it is a turn: {events:?}"),
    }
}

fn text(status: u16, text: &str) -> (FailureClass, String) {
    let answers = ["chat", "responses"].map(|wire| failure(wire, status, Body::Text { text: text.to_owned() }));
    let [chat, responses] = answers;
    assert_eq!(chat, responses);
    chat
}

#[test]
fn each_status_has_its_class() {
    for (status, class) in [
        (302, FailureClass::Unreadable),
        (400, FailureClass::InvalidRequest),
        (401, FailureClass::Authentication),
        (402, FailureClass::Billing),
        (403, FailureClass::Authentication),
        (404, FailureClass::NotFound),
        (408, FailureClass::Server),
        (413, FailureClass::ContextExceeded),
        (422, FailureClass::InvalidRequest),
        (429, FailureClass::RateLimit),
        (500, FailureClass::Server),
        (502, FailureClass::Server),
        (503, FailureClass::Overloaded),
        (529, FailureClass::Overloaded),
    ] {
        let silent = "no reason given".to_owned();
        assert_eq!(text(status, ""), (class, silent.clone()));
        assert_eq!(text(status, "<html><body>nginx</body></html>"), (class, silent));
        assert_eq!(text(status, "no\n\tway\u{1b}[2J"), (class, "no way [2J".to_owned()));
        let error = json!({"error": {"message": "No.", "type": "invalid_request_error", "param": null, "code": null}});
        assert_eq!(text(status, &error.to_string()), (class, "No.".to_owned()));
    }
}

#[test]
fn a_specific_word_decides_before_the_status() {
    let error = |code: &str, kind: &str| json!({"error": {"message": "No.", "type": kind, "code": code}}).to_string();
    for (status, code, kind, class) in [
        (429, "insufficient_quota", "insufficient_quota", FailureClass::Billing),
        (400, "context_length_exceeded", "invalid_request_error", FailureClass::ContextExceeded),
        (400, "model_not_found", "invalid_request_error", FailureClass::NotFound),
        (400, "", "exceed_context_size_error", FailureClass::ContextExceeded),
        (413, "rate_limit_exceeded", "tokens", FailureClass::RateLimit),
        (500, "", "overloaded_error", FailureClass::Overloaded),
        (400, "content_filter", "", FailureClass::InvalidRequest),
    ] {
        assert_eq!(text(status, &error(code, kind)), (class, "No.".to_owned()), "{status} {code} {kind}");
    }
}

#[test]
fn errors_of_other_shapes_are_read() {
    let too_long = "This model's maximum context length is 8192 tokens.";
    for (status, body, class, message) in [
        (404, json!({"error": "model not found"}), FailureClass::NotFound, "model not found"),
        (400, json!({"object": "error", "message": too_long, "code": 400}), FailureClass::ContextExceeded, too_long),
        (422, json!({"detail": [{"msg": "a"}, {"msg": "b"}]}), FailureClass::InvalidRequest, "a, b"),
        (401, json!({"detail": "No key"}), FailureClass::Authentication, "No key"),
        (400, json!([{"error": {"message": "Bad", "status": "X"}}]), FailureClass::InvalidRequest, "Bad"),
    ] {
        assert_eq!(text(status, &body.to_string()), (class, message.to_owned()));
    }
}

#[test]
fn an_error_with_the_status_of_a_success_is_a_failure() {
    let limited = json!({"error": {"message": "Slow", "code": "429"}});
    let broken = json!({"error": {"message": "Broken"}});
    for (body, class, message) in [(limited, FailureClass::RateLimit, "Slow"), (broken, FailureClass::Server, "Broken")]
    {
        assert_eq!(text(200, &body.to_string()), (class, message.to_owned()));
        let events = vec![ServerEvent { event: "error".to_owned(), data: body.to_string() }];
        for wire in ["chat", "responses"] {
            let body = Body::Events { events: events.clone(), is_whole: false };
            assert_eq!(failure(wire, 200, body), (class, message.to_owned()));
        }
    }
}

#[test]
fn bodies_that_say_nothing_are_unreadable_or_cut_short() {
    for (body, class) in [
        ("", FailureClass::CutShort),
        ("{\"choices\": [", FailureClass::CutShort),
        ("OK", FailureClass::Unreadable),
        ("[]", FailureClass::Unreadable),
        ("{}", FailureClass::Unreadable),
    ] {
        for wire in ["chat", "responses"] {
            assert_eq!(failure(wire, 200, Body::Text { text: body.to_owned() }).0, class, "{wire}: {body}");
        }
    }
    for data in ["{\"choices\"", "OK"] {
        for (is_whole, class) in [(true, FailureClass::Unreadable), (false, FailureClass::CutShort)] {
            let events = vec![ServerEvent { event: String::new(), data: data.to_owned() }];
            assert_eq!(failure("chat", 200, Body::Events { events: events.clone(), is_whole }).0, class);
            assert_eq!(failure("responses", 200, Body::Events { events, is_whole }).0, class);
        }
    }
}

#[test]
fn a_response_that_is_still_made_is_unreadable() {
    let (class, message) = failure("responses", 200, Body::Text { text: json!({"status": "queued"}).to_string() });
    assert_eq!(class, FailureClass::Unreadable);
    assert_eq!(message, "cannot read the response: the response is still `queued`");
}

#[test]
fn a_server_that_stops_with_an_error_has_failed() {
    let chat = json!({"choices": [{"finish_reason": "error", "message": {"content": "Half"}}]});
    for (wire, body) in [("chat", chat), ("responses", json!({"status": "failed", "output": []}))] {
        let failed = (FailureClass::Server, "the server stopped with an error".to_owned());
        assert_eq!(failure(wire, 200, Body::Text { text: body.to_string() }), failed);
    }
}

#[test]
fn a_long_message_is_cut() {
    assert_eq!(text(500, &"ä".repeat(1_000_000)).1, "ä".repeat(1000));
}

#[test]
fn a_document_with_a_wrong_field_is_refused() {
    for (document, message) in [
        (json!({"wire": "grpc"}), "invalid `wire`: unknown variant `grpc`, expected `chat` or `responses`"),
        (json!({"stream": "yes"}), "invalid `stream`: invalid type: string \"yes\", expected a boolean"),
        (json!({"cache": 1}), "invalid `cache`: invalid type: integer `1`, expected a boolean"),
        (json!({"params": []}), "invalid `params`: invalid type: sequence, expected a map"),
        (json!({"max_tokens_field": 3}), "invalid `max_tokens_field`: invalid type: integer `3`, expected a string"),
        (json!({"params": {"model": "x"}}), "invalid `params`: `model` cannot be set here"),
        (
            json!({"params": {"max_completion_tokens": 1}}),
            "invalid `params`: `max_completion_tokens` cannot be set here",
        ),
        (json!({"max_tokens_field": "messages"}), "invalid `max_tokens_field`: `messages` is another field"),
    ] {
        let failure = OpenAi::encode(ask(document, "", Vec::new(), json!([]))).expect_err("it is refused");
        assert_eq!(failure.code, "document");
        assert_eq!(failure.message, format!("the provider document has an {message}"));
    }
}
