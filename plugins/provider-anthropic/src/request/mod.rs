//! The body of a request.
//!
//! The keys come in the order in which the server builds its prompt (tools, system, messages), and what changes from call to
//! call comes last: a body begins with the bytes of the one before, up to its last message.

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
    max_tokens: u64,
    stream: bool,
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
pub(crate) fn body(request: &EncodeRequest, document: &Document) -> Result<String, Failure> {
    let is_marked = document.cache && !document.params.contains_key("cache_control");
    let body = Body {
        model: &request.model,
        tools: request.tools.iter().map(tool).collect(),
        system: Some(request.system.as_str()).filter(|system| !system.trim().is_empty()),
        messages: conversation::messages(&request.messages)?,
        max_tokens: request.max_output_tokens,
        stream: document.stream,
        cache_control: is_marked.then(|| json!({"type": "ephemeral"})),
        params: &document.params,
    };
    serde_json::to_string(&body).map_err(|problem| Failure::new("request", format!("cannot write the body: {problem}")))
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
