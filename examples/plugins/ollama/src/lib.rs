//! A provider: Ollama's own protocol, `/api/chat`.

use std::collections::BTreeMap;

use rye_plugin_abi::provider::{
    Answer, Body, DecodeRequest, DecodeResponse, Decoded, EncodeRequest, EncodeResponse, Exchange, FailureClass,
    Message, ModelEvent, Provider, StopReason, ToolCall, Usage,
};
use rye_plugin_abi::{Description, Failure};
use serde_json::{Value, json};

rye_plugin_abi::export_provider!(acme_ollama, "ollama_chat", Ollama);

/// The provider. It keeps nothing: its state is the number of calls so far, which the host carries.
#[derive(Debug)]
pub struct Ollama;

impl Provider for Ollama {
    fn describe() -> Description {
        Description::new("ollama_chat", env!("CARGO_PKG_VERSION"), &[])
    }

    fn encode(request: EncodeRequest) -> Result<EncodeResponse, Failure> {
        let mut messages = vec![json!({"role": "system", "content": request.system})];
        messages.extend(request.messages.iter().map(message));
        let tools = request.tools.iter().map(|tool| {
            let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.input_schema});
            json!({"type": "function", "function": function})
        });
        let body = json!({
            "model": request.model,
            "messages": messages,
            "tools": tools.collect::<Vec<_>>(),
            "stream": false,
            "options": {"num_predict": request.max_output_tokens},
        });
        let (path, headers) = ("/api/chat".to_owned(), BTreeMap::new());
        let exchange = Exchange { path, headers, body: body.to_string(), stream: false };
        Ok(EncodeResponse { state: request.state, answer: Answer::Exchange(exchange) })
    }

    fn decode(request: DecodeRequest) -> Result<DecodeResponse, Failure> {
        let answer = match &request.body {
            Body::Text { text } => serde_json::from_str::<Value>(text).unwrap_or_default(),
            Body::Events { .. } => Value::Null,
        };
        let before = request.state.as_u64().unwrap_or(0);
        let calls = answer["message"]["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        let decoded = match (request.status, answer["message"].is_object()) {
            (200, true) => Decoded::Events { events: events(&answer, calls, before) },
            (status, _) => failed(status, answer["error"].as_str().unwrap_or("no answer of Ollama")),
        };
        let model = answer["model"].as_str().map(str::to_owned);
        Ok(DecodeResponse { state: json!(before + calls.len() as u64), decoded, model })
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { text } => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls, .. } => {
            let call = |call: &ToolCall| json!({"function": {"name": call.name, "arguments": call.input}});
            json!({"role": "assistant", "content": text, "tool_calls": calls.iter().map(call).collect::<Vec<_>>()})
        }
        Message::Tool { name, output, .. } => json!({"role": "tool", "tool_name": name, "content": output.to_string()}),
    }
}

fn events(answer: &Value, calls: &[Value], before: u64) -> Vec<ModelEvent> {
    let text = answer["message"]["content"].as_str().unwrap_or_default().to_owned();
    let mut events = vec![ModelEvent::Text { text }];
    for (number, call) in (before + 1..).zip(calls) {
        let (call_id, name) =
            (format!("call-{number}"), call["function"]["name"].as_str().unwrap_or_default().to_owned());
        events.push(ModelEvent::ToolCall(ToolCall { call_id, name, input: call["function"]["arguments"].clone() }));
    }
    let tokens = |key: &str| answer[key].as_u64().unwrap_or(0);
    let (input_tokens, output_tokens) = (tokens("prompt_eval_count"), tokens("eval_count"));
    events.push(ModelEvent::Usage(Usage { input_tokens, output_tokens, ..Usage::default() }));
    let reason = match answer["done_reason"].as_str() {
        Some("length") => StopReason::MaxTokens,
        _ if calls.is_empty() => StopReason::EndTurn,
        _ => StopReason::ToolUse,
    };
    events.push(ModelEvent::Stop { reason });
    events
}

fn failed(status: u16, message: &str) -> Decoded {
    let class = match status {
        404 => FailureClass::NotFound,
        400..500 => FailureClass::InvalidRequest,
        500..600 => FailureClass::Server,
        _ => FailureClass::Unreadable,
    };
    Decoded::Failed { class, message: message.to_owned(), usage: Usage::default() }
}
