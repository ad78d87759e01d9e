//! The keys of a provider document that this plugin uses: `params`, `cache`, `stream`.
//!
//! All other keys belong to the host. A wrong type is a failure with the code `document`.

use rye_plugin_abi::Failure;
use serde_json::{Map, Value};

/// Keys of the body that `params` cannot set: they are the thread's, and its limits depend on them.
const RESERVED: [&str; 6] = ["model", "tools", "system", "messages", "max_tokens", "stream"];

/// What the document says about a request.
#[derive(Debug, PartialEq)]
pub(crate) struct Document {
    /// Added to the body, key by key.
    pub(crate) params: Map<String, Value>,
    /// Whether the server is asked to cache the conversation.
    pub(crate) cache: bool,
    /// Whether server-sent events are asked for.
    pub(crate) stream: bool,
}

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// Code `document`, naming the key that has a wrong type, or the parameter that is reserved.
    pub(crate) fn read(document: &Value) -> Result<Self, Failure> {
        let Value::Object(document) = document else {
            return Err(wrong("the provider document must be an object".to_owned()));
        };
        Ok(Self { params: params(document)?, cache: switch(document, "cache")?, stream: switch(document, "stream")? })
    }
}

fn params(document: &Map<String, Value>) -> Result<Map<String, Value>, Failure> {
    let params = match document.get("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params.clone(),
        Some(other) => return Err(wrong(format!("`params` must be an object, not `{}`", short(other)))),
    };
    match RESERVED.iter().find(|&&key| params.contains_key(key)) {
        None => Ok(params),
        Some(key) => Err(wrong(format!("`params` cannot set `{key}`"))),
    }
}

/// Reads a boolean that is true by default.
fn switch(document: &Map<String, Value>, key: &str) -> Result<bool, Failure> {
    match document.get(key) {
        None => Ok(true),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(wrong(format!("`{key}` must be true or false, not `{}`", short(other)))),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

fn wrong(message: String) -> Failure {
    Failure::new("document", message)
}
