//! Merges the provider document's `params` into a request, as a JSON merge patch (RFC 7396): objects are merged, null
//! removes a field (`{"stream_options": null}` for a server that refuses it), anything else replaces.
//!
//! The fields for the content and the cost of a request are not parameters.

use rye_plugin_abi::Failure;
use serde_json::{Map, Value};

use crate::document::{self, Document};

const NOT_PARAMETERS: &[&str] = &["model", "messages", "input", "instructions", "tools", "stream"];

/// Merges the document's parameters into a request's body.
///
/// # Errors
///
/// Code `document`, naming a field that is not a parameter.
pub(crate) fn merge(body: &mut Map<String, Value>, document: &Document) -> Result<(), Failure> {
    let limit = document.max_tokens_field.as_str();
    let refused = document.params.keys().find(|&name| NOT_PARAMETERS.contains(&name.as_str()) || name == limit);
    match refused {
        Some(name) => Err(document::invalid(&format!("invalid `params`: `{name}` cannot be set here"))),
        None if NOT_PARAMETERS.contains(&limit) => {
            Err(document::invalid(&format!("invalid `max_tokens_field`: `{limit}` is another field")))
        }
        None => {
            patch_all(body, &document.params);
            Ok(())
        }
    }
}

fn patch_all(target: &mut Map<String, Value>, params: &Map<String, Value>) {
    for (name, value) in params {
        patch(target, name, value);
    }
}

fn patch(target: &mut Map<String, Value>, name: &str, value: &Value) {
    match value {
        Value::Null => {
            target.shift_remove(name);
        }
        Value::Object(fields) => {
            let slot = target.entry(name).or_insert(Value::Null);
            if !slot.is_object() {
                *slot = Value::Object(Map::new());
            }
            if let Value::Object(slot) = slot {
                patch_all(slot, fields);
            }
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            target.insert(name.to_owned(), value.clone());
        }
    }
}
