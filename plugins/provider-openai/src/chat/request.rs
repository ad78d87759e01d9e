//! The body of a Chat Completions request.

use rye_plugin_abi::Failure;
use rye_plugin_abi::provider::{EncodeRequest, Message, ToolCall, ToolSpec};
use serde_json::{Map, Value, json};

use crate::call;
use crate::document::Document;
use crate::json::text;
use crate::output;
use crate::schema::parameters;
use crate::state::{Chat, State};

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
    body.insert("messages".to_owned(), Value::Array(self::messages(&request.system, messages)?));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    body.insert(document.max_tokens_field.clone(), json!(request.max_output_tokens));
    if !document.cache {
        body.insert("prompt_cache_options".to_owned(), json!({ "mode": "explicit" }));
    }
    body.insert("stream".to_owned(), json!(document.stream));
    if document.stream {
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    Ok(body)
}

fn tool(tool: &ToolSpec) -> Value {
    let function =
        json!({ "name": tool.name, "description": tool.description, "parameters": parameters(&tool.input_schema) });
    json!({ "type": "function", "function": function })
}

fn messages(system: &str, messages: Vec<Message>) -> Result<Vec<Value>, Failure> {
    let system = (!system.is_empty()).then(|| Ok(json!({ "role": "system", "content": system })));
    system.into_iter().chain(messages.into_iter().map(message)).collect()
}

fn message(message: Message) -> Result<Value, Failure> {
    Ok(match message {
        Message::User { text } => json!({ "role": "user", "content": text }),
        Message::Assistant { text, calls, state } => assistant(&text, &calls, &kept(state)?),
        Message::Tool { call_id, name: _, output, is_error, stderr } => {
            let content = output::render(&output, is_error, stderr.as_deref());
            json!({ "role": "tool", "tool_call_id": call_id, "content": content })
        }
    })
}

/// What a message of this wire format has kept; nothing if the other format made it.
fn kept(state: Value) -> Result<Chat, Failure> {
    Ok(match State::read(state)? {
        Some(State::Chat(kept)) => kept,
        Some(State::Responses(_)) | None => Chat::default(),
    })
}

/// A message without text has no content, unless it has no calls either: servers refuse a message of nothing.
fn assistant(text: &str, calls: &[ToolCall], kept: &Chat) -> Value {
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { json!(text) };
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), content);
    message.extend(kept.fields.clone().into_iter().filter_map(signed));
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.iter().map(|call| tool_call(call, kept)).collect());
    }
    Value::Object(message)
}

/// A field of reasoning without the blocks of thinking that have no signature: a server that wants them back refuses those.
fn signed((field, mut value): (String, Value)) -> Option<(String, Value)> {
    if field != "thinking_blocks" {
        return Some((field, value));
    }
    let blocks = value.as_array_mut()?;
    blocks.retain(|block| text(block, "type") != "thinking" || !text(block, "signature").is_empty());
    (!blocks.is_empty()).then_some((field, value))
}

/// A call as the server sent it, if other servers can read its arguments too.
fn tool_call(call: &ToolCall, kept: &Chat) -> Value {
    let sent = kept.calls.iter().find(|sent| text(sent, "id") == call.call_id).cloned();
    let mut sent = sent.unwrap_or_else(|| json!({ "id": call.call_id, "type": "function", "function": Value::Null }));
    if sent["function"].is_null() || !call.input.is_object() {
        sent["function"] = json!({ "name": call.name, "arguments": call::readable_arguments(call) });
    }
    let name = call::wire_name(text(&sent["function"], "name"));
    sent["function"]["name"] = name.into();
    sent
}
