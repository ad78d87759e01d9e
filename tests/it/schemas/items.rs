//! JSON Schemas for editors, of the YAML that people write: tools and capability documents.
//!
//! What an editor can say while one types; the rules say more. Tests hold both to each other. The files are
//! docs/schemas/*.json.

use rye::capability::Primary;
use rye::id::ItemType;
use serde_json::{Map, Value, json};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Returns the schema of a YAML tool.
pub(super) fn tool_json_schema() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let map = |description: &str| json!({"type": ["object", "null"], "description": description});
    let parameters = json!({"type": ["object", "null"], "description": "JSON Schema 2020-12 of the parameters, without references that leave the file."});
    json!({
        "$schema": DIALECT,
        "title": "A Rye tool in YAML",
        "description": "A file below .ai/tools. Other keys have no effect, but in a provider document.",
        "type": "object",
        "required": ["version"],
        "properties": {
            "version": {"type": "string", "pattern": VERSION, "description": "Three numbers, in quotes."},
            "description": text("One line that says what the tool does: people and models find it by this."),
            "tool_id": text("The tool's id, or its last segment."),
            "category": text("The folder below .ai/tools."),
            "tool_type": text("What kind of tool it is."),
            "executor_id": json!({"type": ["string", "null"], "description": "What runs it; without one the extension decides."}),
            "parameters": parameters.clone(),
            "schema": deprecated(parameters.clone(), "Another name of `parameters`.", false),
            "config_schema": deprecated(parameters.clone(), "An older name of `parameters`.", true),
            "input_schema": deprecated(parameters, "An older name of `parameters`.", true),
            "fixed_params": map("Parameters that the caller cannot change."),
            "params_key": text("The key under which the caller's parameters are nested."),
            "config": {"description": "Settings of the tool; no effect yet."},
            "env": {
                "type": ["object", "null"],
                "description": "Environment variables the tool asks for; no effect yet.",
                "additionalProperties": {"type": "string"},
            },
            "companions": companions(),
            "capabilities": {"type": "array", "items": capability(), "description": "No effect yet."},
        },
    })
}

/// Returns the schema of a capability document.
pub(super) fn capabilities_json_schema() -> Value {
    json!({
        "$schema": DIALECT,
        "title": "A Rye capability document",
        "description": "Permissions as YAML.",
        "type": "object",
        "required": ["capabilities"],
        "additionalProperties": false,
        "properties": {
            "capabilities": {"type": "array", "items": capability()},
        },
    })
}

pub(super) const VERSION: &str = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$";

fn deprecated(mut schema: Value, description: &str, is_deprecated: bool) -> Value {
    if let Value::Object(keys) = &mut schema {
        keys.insert("description".to_owned(), description.into());
        if is_deprecated {
            keys.insert("deprecated".to_owned(), true.into());
        }
    }
    schema
}

fn companions() -> Value {
    json!({
        "type": ["array", "null"],
        "maxItems": 64,
        "description": "Files that lie beside the tool when it runs, and no others.",
        "items": {
            "type": "object",
            "required": ["path", "sha256"],
            "additionalProperties": false,
            "properties": {
                "path": {
                    "type": "string",
                    "maxLength": 200,
                    "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$",
                    "description": "From the tool's own folder.",
                },
                "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "Of all bytes of the file."},
            },
        },
    })
}

fn capability() -> Value {
    let primaries: Vec<&str> = Primary::ALL.iter().map(|primary| primary.as_str()).collect();
    let types: Vec<&str> = ItemType::ALL.iter().map(|item_type| item_type.as_str()).chain(["*"]).collect();
    let spelled = json!({
        "type": "object",
        "required": ["primary"],
        "additionalProperties": false,
        "properties": {
            "primary": {"enum": primaries, "description": "What may be done."},
            "item_type": {"enum": types, "description": "With items of which type; without it, of every type."},
            "specifics": {"type": "string", "description": "An id or a pattern with `*`, `?` and `[…]`; `/` and `.` mean the same."},
        },
    });
    let mut whole = Map::new();
    whole.insert("type".to_owned(), "string".into());
    whole.insert("pattern".to_owned(), r"^rye\.".into());
    whole.insert("deprecated".to_owned(), true.into());
    whole.insert("description".to_owned(), "A whole capability: `rye migrate` spells it out.".into());
    json!({"anyOf": [spelled, whole]})
}
