//! The body of a request.
//!
//! The keys come in the order in which the server builds its prompt (tools, system, messages), and what changes from call to
//! call comes last: a body begins with the bytes of the one before, up to its last message.

use std::sync::Arc;

use rye_plugin_abi::Failure;
use rye_plugin_abi::provider::{EncodeRequest, ToolSpec};
use serde::Serialize;
use serde_json::{Map, Value, json};

mod conversation;

use crate::document::Document;
use conversation::WireMessage;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<&'a str>,
    messages: Vec<WireMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    /// Marks the last block that can be cached; the server moves the mark along with the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Value>,
    #[serde(flatten)]
    params: &'a Map<String, Value>,
}

#[derive(Serialize)]
struct WireTool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: Value,
}

/// Writes the body of a request.
///
/// # Errors
///
/// Code `conversation` if nothing was said, code `state` if a message's state was not made here.
pub(crate) fn body(mut request: EncodeRequest, document: &Document) -> Result<String, Failure> {
    let messages = taken(&mut request)?;
    let (max_tokens, stream) = (Some(request.max_output_tokens), Some(document.stream));
    write(&Body { max_tokens, stream, ..counted(&request, messages, document) })
}

/// Writes the body of a request to count: what the model reads, and nothing of the answer.
///
/// # Errors
///
/// As [`body`].
pub(crate) fn count_body(mut request: EncodeRequest, document: &Document) -> Result<String, Failure> {
    let messages = taken(&mut request)?;
    write(&counted(&request, messages, document))
}

/// Takes the conversation out of a request: it is long, and moved where it can be.
fn taken(request: &mut EncodeRequest) -> Result<Vec<WireMessage>, Failure> {
    conversation::messages(Arc::unwrap_or_clone(std::mem::take(&mut request.messages)))
}

fn counted<'a>(request: &'a EncodeRequest, messages: Vec<WireMessage>, document: &'a Document) -> Body<'a> {
    let is_marked = document.cache && !document.params.contains_key("cache_control");
    Body {
        model: &request.model,
        tools: request.tools.iter().map(tool).collect(),
        system: Some(request.system.as_str()).filter(|system| !system.trim().is_empty()),
        messages,
        max_tokens: None,
        stream: None,
        cache_control: is_marked.then(|| json!({"type": "ephemeral"})),
        params: &document.params,
    }
}

fn write(body: &Body<'_>) -> Result<String, Failure> {
    serde_json::to_string(body).map_err(|problem| Failure::new("request", format!("cannot write the body: {problem}")))
}

fn tool(spec: &ToolSpec) -> WireTool<'_> {
    WireTool { name: &spec.name, description: &spec.description, input_schema: input_schema(&spec.input_schema) }
}

/// The server requires `"type": "object"`; a schema that takes any parameters does not say it.
fn input_schema(schema: &Value) -> Value {
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.entry("type").or_insert_with(|| "object".into());
    schema.into()
}
