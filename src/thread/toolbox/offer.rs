//! How tools are described to a model.

use rye_plugin_abi::provider::ToolSpec;
use serde_json::{Value, json};

use super::search;
use crate::capability::Primary;

/// Describes a tool.
pub(super) fn spec(name: &str, description: &str, input_schema: Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema }
}

/// Describes a primary action.
pub(super) fn primary_spec(primary: Primary) -> ToolSpec {
    let item = |types: &[&str]| json!({"item_type": {"type": "string", "enum": types}, "item_id": {"type": "string"}});
    let schema =
        |properties: Value| json!({"type": "object", "properties": properties, "required": ["item_type", "item_id"]});
    match primary {
        Primary::Search => search::spec(),
        Primary::Execute => {
            let mut properties = item(&["directive", "tool", "knowledge"]);
            properties["parameters"] = json!({"type": "object"});
            spec("rye_execute", "Runs a tool, or takes a directive or knowledge in.", schema(properties))
        }
        Primary::Load => {
            let properties = item(&["directive", "tool", "knowledge"]);
            spec("rye_load", "Reads an item's raw text for inspection.", schema(properties))
        }
        Primary::Sign => {
            let properties = item(&["directive", "tool", "knowledge"]);
            spec("rye_sign", "Validates an item and signs it with the agent key.", schema(properties))
        }
    }
}
