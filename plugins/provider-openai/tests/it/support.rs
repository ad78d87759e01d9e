//! Reads recorded responses and asks the plugin.

use rye_plugin_abi::provider::{
    Answer, Body, DecodeRequest, DecodeResponse, EncodeRequest, Exchange, Message, Provider, ServerEvent,
};
use rye_provider_openai::OpenAi;
use serde_json::{Value, json};

macro_rules! files {
    ($($path:literal,)*) => { &[$(($path, include_str!(concat!("../", $path)))),*] };
}

/// The files by path, part of the program: a plugin's tests read no files either.
const FILES: &[(&str, &str)] = files![
    "requests/chat.json",
    "requests/chat_small.json",
    "requests/responses.json",
    "requests/responses_small.json",
    "servers/ollama_calls.sse",
    "servers/openrouter_error.sse",
    "servers/openrouter_reasoning.sse",
    "servers/ping_and_unknown.sse",
    "servers/responses_without_items.sse",
    "servers/vllm_error.sse",
    "servers/vllm_reasoning.sse",
    "servers/without_index_and_id.sse",
    "streams/chat_calls.sse",
    "streams/chat_empty.sse",
    "streams/chat_filtered.sse",
    "streams/chat_invalid_arguments.sse",
    "streams/chat_length.sse",
    "streams/chat_length_in_call.sse",
    "streams/chat_refusal.sse",
    "streams/chat_text.sse",
    "streams/chat_whole.json",
    "streams/responses_calls.sse",
    "streams/responses_cut_call.sse",
    "streams/responses_empty.sse",
    "streams/responses_error.sse",
    "streams/responses_failed.sse",
    "streams/responses_filtered.sse",
    "streams/responses_incomplete.sse",
    "streams/responses_refusal.sse",
    "streams/responses_text.sse",
    "streams/responses_whole.json",
];

/// The text of a file in `tests/`.
pub(crate) fn file(path: &str) -> &'static str {
    let (_, text) = FILES.iter().find(|(known, _)| *known == path).expect("the path is in the list");
    text
}

/// The wire format that a recorded response is of, by its name.
pub(crate) fn wire(name: &str) -> &'static str {
    if name.contains("responses") { "responses" } else { "chat" }
}

/// The whole events of a stream, cut off anywhere.
pub(crate) fn events(stream: &str) -> Vec<ServerEvent> {
    let Some((whole, _)) = stream.rsplit_once("\n\n") else { return Vec::new() };
    whole.split("\n\n").map(event).collect()
}

fn event(lines: &str) -> ServerEvent {
    let field = |name: &str| lines.lines().filter_map(|line| line.strip_prefix(name)).collect::<Vec<_>>().join("\n");
    ServerEvent { event: field("event: "), data: field("data: ") }
}

/// Asks for a turn of a conversation.
pub(crate) fn ask(document: Value, system: &str, messages: Vec<Message>, tools: Value) -> EncodeRequest {
    EncodeRequest {
        state: Value::Null,
        document,
        model: "gpt-6-luna".to_owned(),
        system: system.to_owned(),
        messages: messages.into(),
        tools: serde_json::from_value(tools).expect("the tools are valid"),
        max_output_tokens: 4096,
        directive: Default::default(),
        script: None,
    }
}

/// The request that a conversation becomes.
pub(crate) fn exchange(request: EncodeRequest) -> Exchange {
    match OpenAi::encode(request).expect("the conversation can be encoded").answer {
        Answer::Exchange(exchange) => exchange,
        Answer::Events { .. } => panic!("the plugin answered by itself"),
    }
}

/// What a response comes to.
pub(crate) fn decode(wire: &str, status: u16, body: Body) -> DecodeResponse {
    decode_after(Value::Null, wire, status, body)
}

/// What a response comes to after a request that left a state.
pub(crate) fn decode_after(state: Value, wire: &str, status: u16, body: Body) -> DecodeResponse {
    let document = json!({ "wire": wire });
    let model = "gpt-6-luna".to_owned();
    OpenAi::decode(DecodeRequest { state, document, model, status, body }).expect("the response can be decoded")
}

/// What a recorded response comes to.
pub(crate) fn decode_file(path: &str) -> DecodeResponse {
    let text = file(path);
    let is_stream = path.ends_with(".sse");
    let body = match is_stream {
        true => Body::Events { events: events(text), is_whole: true },
        false => Body::Text { text: text.to_owned() },
    };
    decode(wire(path), 200, body)
}

/// The events of a recorded response as JSON, or the failure.
pub(crate) fn decoded(path: &str) -> Value {
    let value = serde_json::to_value(decode_file(path).decoded).expect("a response is JSON");
    value.get("events").cloned().unwrap_or(value)
}
