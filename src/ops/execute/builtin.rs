//! The built-in file tools: `rye/file-system/read`, `write` and `list`.
//!
//! They work through a handle on the project's folder; places that no tool may touch are refused there, whatever the
//! caller's permissions say. What a file holds is data and is marked as such.

use serde_json::{Map, Value, json};

use super::super::locate::Locator;
use super::Error;
use super::tool::ToolStatus;
use crate::capability::ProjectPath;
use crate::id::ItemId;
use crate::workspace::{self, ProjectDir};

/// The most bytes one read returns.
pub const MAX_READ_BYTES: u64 = 256 * 1024;

/// The most names one listing returns.
pub const MAX_ENTRIES: usize = 1000;

type Performed = (ToolStatus, Value, bool);

/// Performs a built-in tool.
pub(super) fn perform(
    locator: &Locator<'_>,
    item_id: &ItemId,
    parameters: &Map<String, Value>,
) -> Result<Performed, Error> {
    let private = locator.context().config_dir().map_err(super::LocateError::from)?;
    let project = ProjectDir::open_without(locator.project_root()?, &private).map_err(super::LocateError::from)?;
    let path: ProjectPath = match parameters.get("path").and_then(Value::as_str).unwrap_or_default().parse() {
        Ok(path) => path,
        Err(error) => return Ok(refused(&error.to_string())),
    };
    let done = match item_id.as_str() {
        "rye/file-system/read" => read(&project, &path),
        "rye/file-system/write" => write(&project, &path, parameters),
        "rye/file-system/list" => list(&project, &path),
        _ => {
            let reason = "it is marked as built in, and this version has no such tool".to_owned();
            return Err(Error::NoKind { item_id: item_id.clone(), reason });
        }
    };
    Ok(match done {
        Ok(result) => (ToolStatus::Ok, result, false),
        Err(error) => refused(&sentence(&error)),
    })
}

fn read(project: &ProjectDir, path: &ProjectPath) -> Result<Value, workspace::Error> {
    let content = project.read(path, MAX_READ_BYTES)?;
    let bytes = content.bytes.len();
    let text = String::from_utf8_lossy(&content.bytes).into_owned();
    let mut result = json!({"path": path, "content": text, "bytes": bytes, "truncated": content.truncated});
    if std::str::from_utf8(&content.bytes).is_err() {
        // Written back, this text would not be the file again: whoever reads it must know.
        result["lossy"] = json!(true);
    }
    Ok(result)
}

fn write(project: &ProjectDir, path: &ProjectPath, parameters: &Map<String, Value>) -> Result<Value, workspace::Error> {
    let content = parameters.get("content").and_then(Value::as_str).unwrap_or_default();
    let written = project.write(path, content.as_bytes(), true)?;
    Ok(json!({"path": path, "bytes_written": content.len(), "created": written.created}))
}

fn list(project: &ProjectDir, path: &ProjectPath) -> Result<Value, workspace::Error> {
    let (entries, truncated) = project.list(path, MAX_ENTRIES)?;
    Ok(json!({"path": path, "entries": entries, "truncated": truncated}))
}

fn refused(message: &str) -> Performed {
    (ToolStatus::Error, json!({"error": {"code": "file_system", "message": message}}), false)
}

/// Joins an error with its causes: a tool's result has no other place for them.
fn sentence(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
