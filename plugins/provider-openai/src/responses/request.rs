//! The body of a Responses request.

use std::collections::BTreeSet;

use rye_plugin_abi::Failure;
use rye_plugin_abi::provider::{EncodeRequest, Message, ToolCall, ToolSpec};
use serde_json::{Map, Value, json};

use super::item;
use crate::call::wire_name;
use crate::document::Document;
use crate::json::text;
use crate::output;
use crate::schema::parameters;
use crate::state::State;

/// Builds the body, without the document's parameters.
///
/// # Errors
///
/// Code `state` if a message's state is not one of this plugin.
pub(crate) fn request(
    request: &EncodeRequest,
    messages: Vec<Message>,
    document: &Document,
) -> Result<Map<String, Value>, Failure> {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    if !request.system.is_empty() {
        body.insert("instructions".to_owned(), json!(request.system));
    }
    body.insert("input".to_owned(), Value::Array(input(messages)?));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    body.insert(document.max_tokens_field.clone(), json!(request.max_output_tokens));
    if !document.cache {
        body.insert("prompt_cache_options".to_owned(), json!({ "mode": "explicit" }));
    }
    body.insert("store".to_owned(), json!(false));
    body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    body.insert("stream".to_owned(), json!(document.stream));
    Ok(body)
}

/// Not strict: a strict tool's schema has to name every parameter as required, and these are people's schemas.
fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters(&tool.input_schema),
        "strict": false,
    })
}

fn input(messages: Vec<Message>) -> Result<Vec<Value>, Failure> {
    let items: Result<Vec<_>, Failure> = messages.into_iter().map(message).collect();
    Ok(items?.into_iter().flatten().collect())
}

fn message(message: Message) -> Result<Vec<Value>, Failure> {
    Ok(match message {
        Message::User { text } => vec![json!({ "role": "user", "content": text })],
        Message::Assistant { text, calls, state } => match State::read(state)? {
            Some(State::Responses(kept)) => again(kept.items, &calls),
            Some(State::Chat(_)) | None => anew(&text, &calls),
        },
        Message::Tool { call_id, name: _, output, is_error, stderr } => {
            let output = output::render(&output, is_error, stderr.as_deref());
            vec![json!({ "type": "function_call_output", "call_id": call_id, "output": output })]
        }
    })
}

/// A message that another model, or another wire format, made. An empty one is not an item.
fn anew(text: &str, calls: &[ToolCall]) -> Vec<Value> {
    let text = (!text.is_empty()).then(|| json!({ "role": "assistant", "content": text }));
    text.into_iter().chain(calls.iter().map(call)).collect()
}

fn call(call: &ToolCall) -> Value {
    let name = wire_name(&call.name);
    json!({ "type": "function_call", "call_id": call.call_id, "name": name, "arguments": call.arguments() })
}

/// An item under a name that the server takes, if it is a call.
fn named(mut item: Value) -> Value {
    if item::is_call(&item) {
        let name = wire_name(text(&item, "name"));
        if text(&item, "name") != name {
            item["name"] = name.into();
        }
    }
    item
}

/// A message's own items, unchanged. The server refuses calls without an output, so calls that the host dropped are left
/// out; and reasoning that nothing follows, so that is left out too.
fn again(items: Vec<Value>, calls: &[ToolCall]) -> Vec<Value> {
    let wanted: BTreeSet<&str> = calls.iter().map(|call| call.call_id.as_str()).collect();
    let is_wanted = |item: &Value| !item::is_call(item) || wanted.contains(text(item, "call_id"));
    let mut items: Vec<Value> = items.into_iter().filter(is_wanted).map(named).collect();
    let sent: BTreeSet<String> = items.iter().map(|item| text(item, "call_id").to_owned()).collect();
    items.extend(calls.iter().filter(|call| !sent.contains(&call.call_id)).map(self::call));
    while items.last().is_some_and(item::is_reasoning) {
        items.pop();
    }
    items
}
