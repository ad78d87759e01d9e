//! The built-in tools: `rye/file-system/read`, `write` and `list`, and by way of the caller those of registries.
//!
//! File tools work through a handle on the project's folder; places that no tool may touch are refused there, whatever the
//! caller's permissions say. The path rules of the bounds are checked again here, on the parameters that count, as seen
//! from the outermost work tree and through links. What a
//! file holds is data and is marked as such.

use serde_json::{Map, Value, json};

use super::super::locate::{LocateError, Session};
use super::super::sign::remember_written;
use super::bounds::Bounds;
use super::error::Error;
use super::status::ToolStatus;
use crate::capability::{Access, ProjectPath, Standpoint, check_path_from};
use crate::error::with_causes;
use crate::item::{Builtin, Touch};
use crate::workspace::{self, ProjectDir};

/// The most bytes one read returns.
const MAX_READ_BYTES: u64 = 256 * 1024;

/// The most names one listing returns.
const MAX_ENTRIES: usize = 1000;

type Performed = (ToolStatus, Value, bool);

/// Performs a built-in tool.
pub(super) fn perform(
    session: &Session,
    builtin: Builtin,
    parameters: &Map<String, Value>,
    bounds: &Bounds<'_>,
) -> Result<Performed, Error> {
    match builtin {
        Builtin::Read | Builtin::List | Builtin::Write => {}
        Builtin::RegistrySearch | Builtin::RegistryPull | Builtin::RegistryPublish => {
            return of_registries(session, builtin, parameters, bounds);
        }
    }
    let project = session.open_files(session.project_root()?).map_err(LocateError::from)?;
    let touches = match builtin.touches(parameters) {
        Ok(touches) => touches,
        Err(message) => return Ok(refused(&message)),
    };
    touches.iter().try_for_each(|touch| within(session, touch, bounds))?;
    let [Touch { path, .. }] = &touches[..] else { return Ok(refused("it touches one path")) };
    let done = match builtin {
        Builtin::Read => read(&project, path),
        Builtin::List => list(&project, path),
        Builtin::Write => match parameters.get("content").and_then(Value::as_str) {
            Some(content) => match remember_written(session.context(), path.as_str(), content.as_bytes()) {
                Ok(()) => write(&project, path, content),
                Err(error) => return Ok(refused(&with_causes(&error))),
            },
            None => return Ok(refused("`content` is missing or not a string")),
        },
        Builtin::RegistrySearch | Builtin::RegistryPull | Builtin::RegistryPublish => {
            return Ok(refused("it touches no path"));
        }
    };
    Ok(match done {
        Ok(result) => (ToolStatus::Ok, result, false),
        Err(error) => refused(&with_causes(&error)),
    })
}

/// Performs a tool that works with registries.
fn of_registries(
    session: &Session,
    builtin: Builtin,
    parameters: &Map<String, Value>,
    bounds: &Bounds<'_>,
) -> Result<Performed, Error> {
    let Some(registries) = bounds.registries else {
        let verb = builtin.id().rsplit('/').next().unwrap_or_default();
        let command = if verb == "search" { "rye search --registry" } else { &format!("rye {verb}") };
        let message = format!("this tool is for threads and agent clients: run `{command}`");
        return Ok((ToolStatus::Error, json!({"error": {"code": "registry", "message": message}}), false));
    };
    let (status, result) = registries(session, builtin, parameters, bounds)?;
    Ok((status, result, false))
}

fn within(session: &Session, touch: &Touch, bounds: &Bounds<'_>) -> Result<(), Error> {
    let Some(rules) = bounds.paths else { return Ok(()) };
    let standpoint = match touch.access {
        Access::Read => Standpoint::default(),
        Access::Write => session.standpoint().map_err(LocateError::from)?,
    };
    Ok(check_path_from(&standpoint, rules, touch.access, &touch.path)?)
}

fn read(project: &ProjectDir, path: &ProjectPath) -> Result<Value, workspace::Error> {
    project.check_no_repository(path)?;
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

fn write(project: &ProjectDir, path: &ProjectPath, content: &str) -> Result<Value, workspace::Error> {
    let written = project.write(path, content.as_bytes(), true)?;
    Ok(json!({"path": path, "bytes_written": content.len(), "created": written.created}))
}

fn list(project: &ProjectDir, path: &ProjectPath) -> Result<Value, workspace::Error> {
    project.check_no_repository(path)?;
    let (entries, truncated) = project.list(path, MAX_ENTRIES)?;
    Ok(json!({"path": path, "entries": entries, "truncated": truncated}))
}

fn refused(message: &str) -> Performed {
    (ToolStatus::Error, json!({"error": {"code": "file_system", "message": message}}), false)
}
