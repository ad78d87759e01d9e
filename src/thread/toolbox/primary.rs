//! The primary actions as calls: how each is offered, and what its arguments mean.

use rye_plugin_abi::provider::ToolSpec;
use serde_json::{Map, Value, json};

use super::{Action, search, spec};
use crate::capability::{Access, Primary, ProjectPath, aliases};
use crate::id::{ItemId, ItemType};

/// Parses the arguments of a primary action.
///
/// # Errors
///
/// Says what is wrong with them.
pub fn parse_primary(primary: Primary, input: &Map<String, Value>) -> Result<Action, String> {
    if primary == Primary::Search {
        return search::parse(input).map(Action::Search);
    }
    let word =
        |name: &str| input.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` is missing or no string"));
    let item_type: ItemType = word("item_type")?.parse().map_err(|error| format!("{error}"))?;
    let id: ItemId = word("item_id")?.parse().map_err(|error| format!("{error}"))?;
    let id = aliases::resolve(item_type, id);
    let parameters = match input.get("parameters") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(parameters)) => parameters.clone(),
        Some(_) => return Err("`parameters` must be a JSON object".to_owned()),
    };
    // What cannot be done must not look as if it had been: no call copies, or chooses a space.
    if let Some(name) = ["from", "to", "space", "force"].into_iter().find(|name| input.contains_key(*name)) {
        return Err(format!("`rye_{primary}` takes no `{name}`"));
    }
    action(primary, item_type, id, parameters)
}

/// Makes the action that a call or a hook asks for.
pub(in crate::thread) fn action(
    primary: Primary,
    item_type: ItemType,
    id: ItemId,
    parameters: Map<String, Value>,
) -> Result<Action, String> {
    match (primary, item_type) {
        (Primary::Execute, ItemType::Tool) => Action::tool(id, parameters),
        (Primary::Execute, _) => Ok(Action::TakeIn { item_type, id, parameters }),
        (Primary::Load, _) => Ok(Action::Load { item_type, id }),
        (Primary::Sign, _) => Ok(Action::Sign { item_type, id }),
        (Primary::Search, _) => Err("a search acts on no item: let a directive or the model search".to_owned()),
    }
}

/// Parses the path a built-in file tool would touch.
pub(super) fn touched_path(
    id: &ItemId,
    parameters: &Map<String, Value>,
) -> Result<Option<(Access, ProjectPath)>, String> {
    let access = match id.as_str() {
        "rye/file-system/read" | "rye/file-system/list" => Access::Read,
        "rye/file-system/write" => Access::Write,
        _ => return Ok(None),
    };
    let text = match parameters.get("path") {
        Some(Value::String(text)) => text.as_str(),
        None if id.name() == "list" => "",
        _ => return Err("`path` is missing or no string".to_owned()),
    };
    text.parse().map(|path| Some((access, path))).map_err(|error| format!("{error}"))
}

/// Returns how a primary action is offered: its name, what it does, and the schema of its arguments.
#[must_use]
pub fn primary_spec(primary: Primary) -> ToolSpec {
    let mut properties = json!({"item_type": {"type": "string", "enum": ItemType::ALL}, "item_id": {"type": "string"}});
    let (name, description) = match primary {
        Primary::Search => return search::spec(),
        Primary::Execute => {
            properties["parameters"] = json!({"type": "object"});
            ("rye_execute", "Runs a tool, or takes a directive or knowledge in.")
        }
        Primary::Load => ("rye_load", "Reads an item's raw text for inspection."),
        Primary::Sign => ("rye_sign", "Validates an item and signs it with the agent key."),
    };
    let schema = json!({"type": "object", "properties": properties, "required": ["item_type", "item_id"]});
    spec(name, description, schema)
}
