//! The text of a wrapper: YAML whose values are written as JSON, which YAML reads the same.

use serde_json::{Map, Value, json};

use crate::id::Version;
use crate::item::Tool;
use crate::mcp_client::ListedTool;

/// Writes the wrapper of a tool. Of the one before, what the person fixed stays.
pub(super) fn text(server: &str, tool: &ListedTool, before: Option<&Tool>) -> String {
    let version = before.and_then(|before| before.version).map_or_else(
        || "1.0.0".to_owned(),
        |Version { major, minor, .. }| format!("{major}.{}.0", minor.saturating_add(1)),
    );
    let fixed = before.map(|before| before.fixed_params.clone()).unwrap_or_default();
    let config = json!({"server": server, "tool": tool.name, "digest": tool.digest.to_string()});
    let description = match tool.description.trim() {
        "" => format!("A tool of the MCP server {server}"),
        said => said.to_owned(),
    };
    let mut keys: Vec<(&str, Value)> = vec![
        ("version", version.into()),
        ("category", format!("mcp/{server}").into()),
        ("description", description.into()),
        ("executor_id", "mcp".into()),
        ("config", config),
        ("parameters", schema(&tool.input_schema, &fixed)),
    ];
    if !fixed.is_empty() {
        keys.push(("fixed_params", Value::Object(fixed)));
    }
    if let Some(key) = before.and_then(|before| before.params_key.clone()) {
        keys.push(("params_key", key.into()));
    }
    let head =
        format!("# A tool of the MCP server `{server}`, as it lists it: `rye mcp import {server}` writes it anew.\n");
    keys.into_iter().fold(head, |text, (key, value)| text + &format!("{key}: {}\n", written(&value)))
}

/// A tool's schema without the parameters that the person fixed: a caller does not give them.
fn schema(listed: &Value, fixed: &Map<String, Value>) -> Value {
    let mut schema = listed.clone();
    let Some(members) = schema.as_object_mut() else { return schema };
    if let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !fixed.contains_key(name));
    }
    if let Some(required) = members.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !name.as_str().is_some_and(|name| fixed.contains_key(name)));
    }
    schema
}

/// A value as JSON, a nested one over several lines, which are indented as YAML needs it.
fn written(value: &Value) -> String {
    let text = match value {
        Value::Object(_) | Value::Array(_) => serde_json::to_string_pretty(value).unwrap_or_default(),
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => value.to_string(),
    };
    text.replace('\n', "\n  ")
}
