//! Which path of the project a call touches.

use serde_json::{Map, Value};

use crate::capability::{Access, ProjectPath};
use crate::id::ItemId;

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
