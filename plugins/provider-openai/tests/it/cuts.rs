//! Streams cut anywhere, streams of 10 MB and arbitrary JSON end defined, and never in a panic.

use proptest::prelude::*;
use rye_plugin_abi::provider::{
    Body, DecodeResponse, Decoded, FailureClass, ModelEvent, PeekRequest, Provider, ServerEvent,
};
use rye_provider_openai::OpenAi;
use serde_json::{Value, json};

use crate::support::{decode, events, file, wire};

const STREAMS: &[&str] = &[
    "streams/chat_text.sse",
    "streams/chat_calls.sse",
    "streams/chat_length_in_call.sse",
    "streams/responses_text.sse",
    "streams/responses_calls.sse",
    "streams/responses_cut_call.sse",
    "servers/ollama_calls.sse",
    "servers/openrouter_reasoning.sse",
];

fn is_cut_short(decoded: &Decoded) -> bool {
    matches!(decoded, Decoded::Failed { class: FailureClass::CutShort, .. })
}

#[test]
fn a_stream_cut_at_any_byte_is_cut_short() {
    for path in STREAMS {
        let stream = file(path);
        let whole = events(stream);
        let mut at_every_byte = (0..=stream.len()).filter_map(|at| stream.get(..at)).map(events).collect::<Vec<_>>();
        at_every_byte.dedup();
        assert_eq!(at_every_byte.len(), whole.len() + 1, "{path}");
        for events in at_every_byte {
            let is_complete = events == whole;
            let decoded = decode(wire(path), 200, Body::Events { events, is_whole: false }).decoded;
            assert_ne!(is_cut_short(&decoded), is_complete, "{path}");
        }
    }
}

#[test]
fn a_stream_that_ends_without_its_end_is_cut_short_up_to_the_finish_reason() {
    for path in STREAMS {
        let events = events(file(path));
        let finished = |event: &ServerEvent| event.data.contains("finish_reason\":\"") || event.data == "[DONE]";
        let end = events.iter().position(finished).unwrap_or(events.len() - 1);
        for count in 0..events.len() {
            let body = Body::Events { events: events[..count].to_vec(), is_whole: true };
            assert_eq!(is_cut_short(&decode(wire(path), 200, body).decoded), count <= end, "{path} at {count}");
        }
    }
}

#[test]
fn ten_megabytes_are_read() {
    let piece = "0123456789".repeat(100);
    let chat = |delta: Value, reason: Value| {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
        ServerEvent { event: String::new(), data: chunk.to_string() }
    };
    let mut events = vec![chat(json!({"content": piece}), Value::Null); 5_000];
    let call = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "b", "arguments": piece}}]});
    events.extend(vec![chat(call, Value::Null); 5_000]);
    events.push(chat(json!({}), json!("tool_calls")));
    let Decoded::Events { events } = decode("chat", 200, Body::Events { events, is_whole: true }).decoded else {
        panic!("it is not a turn");
    };
    let [ModelEvent::Text { text }, ModelEvent::ToolCall(call), ModelEvent::Stop { .. }] = events.as_slice() else {
        panic!("it has other events");
    };
    assert_eq!((text.len(), call.arguments().len()), (5_000_000, 5_000_000));
}

#[test]
fn deep_nesting_never_reaches_the_host() {
    let nested = |depth: usize| format!("{}{}", "{\"a\":".repeat(depth) + "1", "}".repeat(depth));
    for (depth, is_text) in [(60, false), (120, true), (1_000_000, true)] {
        let function = json!({"name": "b", "arguments": nested(depth)});
        let message = json!({"tool_calls": [{"function": function}]});
        let text = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
        let response = decode("chat", 200, Body::Text { text });
        let text = serde_json::to_string(&response).expect("it is JSON");
        assert_eq!(serde_json::from_str::<DecodeResponse>(&text).expect("the host can read it"), response);
        let Decoded::Events { events } = response.decoded else { panic!("it is not a turn") };
        let Some(ModelEvent::ToolCall(call)) = events.first() else { panic!("it is not a call") };
        assert_eq!(call.input.is_string(), is_text, "{depth}");
    }
    for depth in [100, 1_000_000] {
        let text = format!("{{\"status\":\"completed\",\"output\":[{}]}}", nested(depth));
        let decoded = decode("responses", 200, Body::Text { text }).decoded;
        assert!(matches!(decoded, Decoded::Failed { class: FailureClass::Unreadable, .. }), "{decoded:?}");
    }
}

/// Texts that mean something in some place of an answer.
const WORDS: [&str; 19] = [
    "response.output_item.done",
    "response.completed",
    "response.failed",
    "response.incomplete",
    "error",
    "message",
    "reasoning",
    "function_call",
    "output_text",
    "refusal",
    "completed",
    "incomplete",
    "stop",
    "length",
    "tool_calls",
    "",
    "{}",
    "{\"a\":",
    "call_1",
];

/// Names of fields, of both forms of the protocol.
const FIELDS: [&str; 36] = [
    "type",
    "item",
    "response",
    "output",
    "output_index",
    "status",
    "content",
    "text",
    "summary",
    "call_id",
    "name",
    "arguments",
    "usage",
    "input_tokens",
    "total_tokens",
    "prompt_tokens",
    "error",
    "code",
    "message",
    "choices",
    "index",
    "delta",
    "finish_reason",
    "tool_calls",
    "id",
    "function",
    "reasoning_details",
    "reasoning",
    "detail",
    "metadata",
    "raw",
    "signature",
    "incomplete_details",
    "reason",
    "input_tokens_details",
    "cached_tokens",
];

/// JSON made of the words of both wire formats.
fn any_value() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(&WORDS[..]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.prop_map(Value::from),
    ];
    let field = prop::sample::select(&FIELDS[..]);
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((field.clone(), inner), 0..6)
                .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_json_never_panics(
        values in prop::collection::vec(any_value(), 0..6),
        is_whole: bool,
        status in prop::sample::select(vec![200_u16, 400, 429, 500, 999]),
    ) {
        let text = values.first().map(Value::to_string).unwrap_or_default();
        let events: Vec<_> =
            values.iter().map(|value| ServerEvent { event: String::new(), data: value.to_string() }).collect();
        for event in events.clone() {
            let peeked = OpenAi::peek(PeekRequest { event });
            prop_assert!(peeked.is_ok());
        }
        for wire in ["chat", "responses"] {
            let decoded = decode(wire, status, Body::Events { events: events.clone(), is_whole }).decoded;
            if let Decoded::Events { events } = decoded {
                let is_stopped = matches!(events.last(), Some(ModelEvent::Stop { .. }));
                prop_assert!(is_stopped);
            }
            decode(wire, status, Body::Text { text: text.clone() });
        }
    }

    #[test]
    fn a_recorded_stream_with_an_event_of_any_json_never_panics(
        path in prop::sample::select(STREAMS.to_vec()),
        value in any_value(),
        place in any::<prop::sample::Index>(),
    ) {
        let mut events = events(file(path));
        let place = place.index(events.len());
        events[place].data = value.to_string();
        decode(wire(path), 200, Body::Events { events, is_whole: true });
    }
}
