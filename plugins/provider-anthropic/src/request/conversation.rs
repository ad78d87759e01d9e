//! A conversation as the server takes it: user and assistant alternate.
//!
//! - The results of all calls of a message, and what the user says after them, are one user message.
//! - The server refuses blank text blocks and messages without content: they are left out.
//! - It refuses a message that ends with thinking, as one that was cut off does: that thinking is left out. It belongs to no
//!   call, and its signature may be missing.
//! - It refuses thinking without a signature, which other servers send: that is left out.
//! - A conversation that ends with a paused turn ends with the assistant's message, as the server demands.

use rye_plugin_abi::Failure;
use rye_plugin_abi::provider::{Message, ToolCall};
use serde::Serialize;
use serde_json::{Value, json};

use crate::state::{RawBlock, State, is_unsigned, wire_input, wire_name, wire_tool};

/// A message of the request.
#[derive(Debug, Serialize)]
pub(super) struct WireMessage {
    role: Role,
    content: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
}

/// Translates a conversation.
///
/// # Errors
///
/// Code `conversation` if nothing was said, code `state` if a message's state was not made here.
pub(super) fn messages(messages: Vec<Message>) -> Result<Vec<WireMessage>, Failure> {
    let mut wire = Vec::new();
    for message in messages {
        let (role, content) = translate(message)?;
        add(&mut wire, role, content);
    }
    drop_last_thinking(&mut wire);
    if wire.is_empty() {
        return Err(Failure::new("conversation", "the conversation is empty: the model needs at least one message"));
    }
    Ok(wire)
}

fn add(wire: &mut Vec<WireMessage>, role: Role, content: Vec<Value>) {
    if content.is_empty() {
        return;
    }
    if role == Role::User {
        drop_last_thinking(wire);
    }
    match wire.last_mut() {
        Some(last) if last.role == role => last.content.extend(content),
        _ => wire.push(WireMessage { role, content }),
    }
}

/// Drops the thinking at the end of an assistant message that nothing is added to.
fn drop_last_thinking(wire: &mut Vec<WireMessage>) {
    let Some(last) = wire.last_mut().filter(|last| last.role == Role::Assistant) else { return };
    while last.content.last().is_some_and(is_thinking) {
        last.content.pop();
    }
    if last.content.is_empty() {
        wire.pop();
    }
}

fn is_thinking(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

fn translate(message: Message) -> Result<(Role, Vec<Value>), Failure> {
    Ok(match message {
        Message::User { text } => (Role::User, text_blocks(text)),
        Message::Assistant { text, calls, state } => (Role::Assistant, assistant(text, &calls, state)?),
        Message::Tool { call_id, name: _, output, is_error, stderr } => {
            (Role::User, vec![tool_result(&call_id, output, is_error, stderr.as_deref())])
        }
    })
}

fn text_blocks(text: String) -> Vec<Value> {
    if text.trim().is_empty() { Vec::new() } else { vec![json!({"type": "text", "text": text})] }
}

fn assistant(text: String, calls: &[ToolCall], state: Value) -> Result<Vec<Value>, Failure> {
    let kept = State::read(state)?.and_then(|state| state.into_content(calls));
    Ok(match kept {
        Some(content) => {
            let is_taken = |block: &RawBlock| !is_blank(block) && !is_unsigned(block);
            content.into_iter().filter(is_taken).map(Value::Object).collect()
        }
        None => text_blocks(text).into_iter().chain(calls.iter().map(tool_use)).collect(),
    })
}

fn is_blank(block: &RawBlock) -> bool {
    let is_text = block.get("type").is_some_and(|kind| kind == "text");
    is_text && block.get("text").and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
}

fn tool_use(call: &ToolCall) -> Value {
    json!({
        "type": "tool_use",
        "id": wire_name(&call.call_id),
        "name": wire_tool(&call.name),
        "input": wire_input(&call.input),
    })
}

fn tool_result(call_id: &str, output: Value, is_error: bool, stderr: Option<&str>) -> Value {
    let mut result = json!({
        "type": "tool_result",
        "tool_use_id": wire_name(call_id),
        "content": with_stderr(result_text(output, is_error), stderr),
    });
    if is_error {
        result["is_error"] = true.into();
    }
    result
}

/// Adds what a tool wrote to standard error to its result, marked as that.
fn with_stderr(text: String, stderr: Option<&str>) -> String {
    match stderr {
        Some(said) => format!("{text}\n\n[stderr]\n{said}"),
        None => text,
    }
}

fn result_text(output: Value, is_error: bool) -> String {
    let text = match output {
        Value::String(text) => text,
        output => output.to_string(),
    };
    // The server refuses an error without content.
    if is_error && text.trim().is_empty() { "error without a message".to_owned() } else { text }
}
