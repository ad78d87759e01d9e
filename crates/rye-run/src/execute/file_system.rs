//! The tools of `rye/file-system/`: they read, look for, write, edit, move and delete files of the project.
//!
//! All work through a handle on the project's folder; places that no tool may touch are refused there, whatever the
//! caller's permissions say. The path rules of the bounds are checked again here, on the parameters that count, as seen
//! from the outermost work tree and through links. The content of a file is data and is marked as such.

mod edit;
mod glob;
mod grep;
mod parameters;
mod private_key;
mod read;
mod walk;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use self::parameters::Parameters;
pub(crate) use self::private_key::holds_private_key;
use self::walk::Walk;
use super::super::locate::LocateError;
use super::super::sign::remember_written;
use super::bounds::Bounds;
use super::error::Error;
use crate::capability::{Access, ProjectPath, Standpoint, check_path_from};
use crate::error::with_causes;
use crate::item::{FileTool, Touch};
use crate::project::Project;
use crate::workspace::ProjectDir;

/// Held by a tool that changes files.
static WRITING: Mutex<()> = Mutex::new(());

/// How long a search may take.
const LONGEST: Duration = Duration::from_secs(30);
const TOO_LONG: &str = "it took too long: look in fewer files with `path` or `glob`, or for a simpler pattern";

/// The most names one listing returns.
const MAX_ENTRIES: usize = 1000;

/// The largest file that is moved into a space of items, in bytes.
const MAX_MOVED_BYTES: u64 = 8 * 1024 * 1024;

/// Performs a tool. A failure is reported in a sentence for the caller.
pub(super) fn perform(
    project: &Project,
    tool: FileTool,
    parameters: &Map<String, Value>,
    bounds: &Bounds<'_>,
) -> Result<Result<Value, String>, Error> {
    let files = project.open_files(project.root()?).map_err(LocateError::from)?;
    let touches = match tool.touches(parameters) {
        Ok(touches) => touches,
        Err(message) => return Ok(Err(message)),
    };
    touches.iter().try_for_each(|touch| within(project, touch, bounds))?;
    let given = Parameters(parameters);
    let walk =
        || Walk { project: &files, rules: bounds.paths, with_ignored: given.flag("ignored"), cancel: bounds.cancel };
    let path = || given.path("path");
    let started = project.context().elapsed_ms();
    let longest = bounds.timeout.map_or(LONGEST, |timeout| timeout.min(LONGEST));
    let is_over = || {
        let taken = u128::from(project.context().elapsed_ms().saturating_sub(started));
        let is_late = taken > longest.as_millis();
        let reason = if bounds.cancel.is_set() { Some("the run was stopped") } else { is_late.then_some(TOO_LONG) };
        reason.map(str::to_owned)
    };
    // Calls at the same time would take each other's changes for another program's.
    let _turn = match tool.access() {
        Access::Read => None,
        Access::Write => Some(WRITING.lock().unwrap_or_else(PoisonError::into_inner)),
    };
    Ok(match tool {
        FileTool::Read => path().and_then(|path| read::read(&files, &path, given, bounds.secrets)),
        FileTool::List => path().and_then(|path| list(&files, &path)),
        FileTool::Glob => path().and_then(|path| glob::glob(&walk(), &path, given)),
        FileTool::Grep => path().and_then(|path| grep::grep(&walk(), &path, given, bounds.secrets, &is_over)),
        FileTool::Write => path().and_then(|path| write(project, &files, &path, given)),
        FileTool::Edit => path().and_then(|path| edit::edit(project.context(), &files, &path, given, bounds.secrets)),
        FileTool::Move => move_file(project, &files, given),
        FileTool::Delete => path().and_then(|path| delete(&files, &path)),
    })
}

fn within(project: &Project, touch: &Touch, bounds: &Bounds<'_>) -> Result<(), Error> {
    let Some(rules) = bounds.paths else { return Ok(()) };
    let standpoint = match touch.access {
        Access::Read => Standpoint::default(),
        Access::Write => project.standpoint().map_err(LocateError::from)?,
    };
    Ok(check_path_from(&standpoint, rules, touch.access, &touch.path)?)
}

fn list(files: &ProjectDir, path: &ProjectPath) -> Result<Value, String> {
    files.check_no_repository(path).map_err(|error| with_causes(&error))?;
    let (entries, truncated) = files.list(path, MAX_ENTRIES).map_err(|error| with_causes(&error))?;
    Ok(json!({"path": path, "entries": entries, "truncated": truncated}))
}

fn write(
    project: &Project,
    files: &ProjectDir,
    path: &ProjectPath,
    parameters: Parameters<'_>,
) -> Result<Value, String> {
    let content = parameters.text("content")?;
    remember_written(project.context(), path.as_str(), content.as_bytes()).map_err(|error| with_causes(&error))?;
    let written = files.write(path, content.as_bytes(), true).map_err(|error| with_causes(&error))?;
    Ok(json!({"success": true, "path": path, "bytes_written": content.len(), "created": written.created}))
}

fn move_file(project: &Project, files: &ProjectDir, parameters: Parameters<'_>) -> Result<Value, String> {
    let (from, to) = (parameters.path("from")?, parameters.path("to")?);
    // A file that becomes an item by a move was not written there by its person.
    let content = files.read(&from, MAX_MOVED_BYTES).map_err(|error| with_causes(&error))?;
    remember_written(project.context(), to.as_str(), &content.bytes).map_err(|error| with_causes(&error))?;
    files.move_file(&from, &to).map_err(|error| with_causes(&error))?;
    Ok(json!({"success": true, "from": from, "path": to}))
}

fn delete(files: &ProjectDir, path: &ProjectPath) -> Result<Value, String> {
    files.remove_file(path).map_err(|error| with_causes(&error))?;
    Ok(json!({"success": true, "path": path}))
}
