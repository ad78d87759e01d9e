//! The primary actions as calls: how each is offered, and what its arguments mean.

use rye_plugin_abi::provider::ToolSpec;
use serde_json::{Map, Value, json};

use super::names::{spec, unknown_argument};
use super::permit::Action;
use super::search;
use crate::capability::{Primary, aliases};
use crate::execute::Given;
use crate::id::{ItemId, ItemType, Space};

/// Parses the arguments of a primary action.
///
/// # Errors
///
/// Says what is wrong with them.
pub fn parse_primary(primary: Primary, input: &Map<String, Value>) -> Result<Action, String> {
    if primary == Primary::Search {
        return search::parse(input).map(Action::Search);
    }
    // What cannot be done must not look as if it had been: no call overwrites.
    if let Some(name) = input.keys().find(|name| !arguments(primary).contains(&name.as_str())) {
        return Err(unknown_argument(name, arguments(primary)));
    }
    let no_string = |name: &str| format!("`{name}` is missing or not a string");
    let word = |name: &str| input.get(name).and_then(Value::as_str).ok_or_else(|| no_string(name));
    let item_type: ItemType = word("item_type")?.parse().map_err(|error| format!("{error}"))?;
    let id: ItemId = word("item_id")?.parse().map_err(|error| format!("{error}"))?;
    let id = aliases::resolve(item_type, id);
    if primary == Primary::Load {
        return Ok(Action::Load { item_type, id, is_copied: is_copied(input)? });
    }
    let parameters = match input.get("parameters") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(parameters)) => parameters.clone(),
        Some(_) => return Err("`parameters` must be a JSON object".to_owned()),
    };
    action(primary, item_type, id, parameters.into())
}

/// Returns the arguments of a primary action on an item.
const fn arguments(primary: Primary) -> &'static [&'static str] {
    match primary {
        Primary::Execute => &["item_type", "item_id", "parameters"],
        Primary::Load => &["item_type", "item_id", "to"],
        Primary::Sign => &["item_type", "item_id"],
        // Described by a table of its own.
        Primary::Search => &[],
    }
}

/// Tells whether the loaded item is copied into the project, too.
fn is_copied(input: &Map<String, Value>) -> Result<bool, String> {
    match input.get("to") {
        None | Some(Value::Null) => Ok(false),
        Some(to) if to.as_str() == Some(Space::Project.as_str()) => Ok(true),
        Some(_) => Err("`to` must be `project`: only a person copies elsewhere".to_owned()),
    }
}

/// Makes the action that a call or a hook asks for.
///
/// # Errors
///
/// Says what is wrong with the parameters of a built-in tool; and a search acts on no item.
pub fn action(primary: Primary, item_type: ItemType, id: ItemId, given: Given) -> Result<Action, String> {
    match (primary, item_type) {
        (Primary::Execute, ItemType::Tool) => Action::tool(id, given),
        (Primary::Execute, ItemType::Directive | ItemType::Knowledge | ItemType::Skill) => {
            Ok(Action::TakeIn { item_type, id, given })
        }
        (Primary::Load, _) => Ok(Action::Load { item_type, id, is_copied: false }),
        (Primary::Sign, _) => Ok(Action::Sign { item_type, id }),
        (Primary::Search, _) => Err("a search acts on no item: let a directive or the model search".to_owned()),
    }
}

/// Returns how a primary action is offered: its name, what it does, and the schema of its arguments.
#[must_use]
pub fn primary_spec(primary: Primary) -> ToolSpec {
    let mut properties = json!({"item_type": {"type": "string", "enum": ItemType::ALL}, "item_id": {"type": "string"}});
    let (name, description) = match primary {
        Primary::Search => return search::spec(),
        Primary::Execute => {
            properties["parameters"] = json!({"type": "object"});
            ("rye_execute", "Runs a tool, or takes a directive, knowledge or a skill in.")
        }
        Primary::Load => {
            properties["to"] = json!({"enum": [Space::Project]});
            ("rye_load", "Reads an item's raw text for inspection, and may copy it.")
        }
        Primary::Sign => ("rye_sign", "Validates an item and signs it with the agent key."),
    };
    let schema = json!({"type": "object", "properties": properties, "required": ["item_type", "item_id"]});
    spec(name, description, schema)
}
