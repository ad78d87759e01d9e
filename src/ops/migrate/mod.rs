//! `migrate`: rewrite legacy forms of a project's items, whole trees at once.
//!
//! Everything is worked out before the first write, and what is known to stand in the way keeps everything from being
//! written. A directive that gets another name is moved, and every reference to it in the other items is rewritten
//! with it. What changes loses its signature line: whoever migrates reviews and signs again. What stays in a legacy
//! form is named with its line and the reason.

mod plan;
mod renaming;
mod write;

use serde::Serialize;
use thiserror::Error;

use super::locate::{LocateError, Session};
use crate::format::{Remark, unified_diff};
use crate::item::Node;
use crate::workspace;
use plan::{Plan, Planned};

/// What to migrate.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Ids, files or folders of items, and capability documents; empty means every item.
    pub only: Vec<String>,
    /// Write what is to change.
    pub write: bool,
}

/// What is to change, or was changed.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// What it came to.
    pub status: Status,
    /// The files that change, and those somebody has to look at.
    pub files: Vec<File>,
    /// The items that lose their signature and have to be signed again, under their new ids.
    pub sign: Vec<Node>,
    /// The files that change and that the last commit does not hold as they were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncommitted: Vec<String>,
    /// Why not everything was written.
    #[serde(rename = "error", skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// What a migration came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// There is nothing to change.
    Unchanged,
    /// Something would change.
    Pending,
    /// It was changed.
    Migrated,
    /// A part of it was changed.
    Failed,
}

/// One file.
#[derive(Debug, Serialize)]
pub struct File {
    /// The item it is; none for a capability document, and for what is no item.
    #[serde(flatten)]
    pub item: Option<Node>,
    /// Where it lies, from the folder that holds `.ai`.
    pub path: String,
    /// Where it lies afterwards, when that is elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
    /// How far it is.
    pub state: State,
    /// What changes, in words; empty when nothing does.
    pub changes: Vec<String>,
    /// What somebody has to look at: what stays, and what was added for review.
    #[serde(rename = "review", skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// The change as a unified diff.
    pub diff: String,
}

/// How far a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing is to change in it.
    Kept,
    /// It would be changed.
    Pending,
    /// It was changed.
    Changed,
    /// It was changed, and lies where it lay before.
    Unmoved,
    /// It could not be changed.
    Failed,
    /// It was not changed, because another one failed before.
    Left,
}

/// Where a migration came to a stop.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// The file.
    pub path: String,
    /// Why.
    #[serde(rename = "message", serialize_with = "as_text")]
    pub source: workspace::Error,
}

fn as_text<S: serde::Serializer>(error: &workspace::Error, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}

/// Why nothing was migrated, or not everything.
#[derive(Debug, Error)]
pub enum Error {
    /// Nothing fits.
    #[error("no item and no capability document fits `{name}`")]
    NoMatch {
        /// The id or path asked for.
        name: String,
    },
    /// Files cannot be written, as was known before the first write.
    #[error("nothing was written, because this cannot be: {}", listed(paths))]
    Blocked {
        /// The files.
        paths: Vec<String>,
        /// What stands in the way of the first.
        #[source]
        source: workspace::Error,
    },
    /// A file could not be written.
    #[error("`{path}` could not be written; files written before it: {changed}, not reached: {left}")]
    Write {
        /// The file.
        path: String,
        /// How many files were changed before.
        changed: usize,
        /// How many were not reached.
        left: usize,
        /// Why not.
        #[source]
        source: workspace::Error,
    },
    /// The items cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

fn listed(paths: &[String]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

/// Rewrites legacy forms; without `write`, only says what would change.
///
/// # Errors
///
/// Fails when an id or path fits nothing, a file cannot be read, or is known not to be writable: then nothing is
/// written. A file that cannot be written in the end is told of in the outcome, with what was written before it.
pub fn migrate(session: &Session, options: &Options) -> Result<Outcome, Error> {
    let mut plan = Plan::make(session, options)?;
    let uncommitted = if options.write { Vec::new() } else { plan.uncommitted(session) };
    let failure = if options.write { write::write(session, &mut plan.files)? } else { None };
    Ok(outcome(plan.files, uncommitted, failure))
}

fn outcome(files: Vec<Planned>, uncommitted: Vec<String>, failure: Option<Failure>) -> Outcome {
    let status = match files.iter().find(|file| file.state != State::Kept) {
        _ if failure.is_some() => Status::Failed,
        None => Status::Unchanged,
        Some(file) if file.state == State::Pending => Status::Pending,
        Some(_) => Status::Migrated,
    };
    let sign = files.iter().filter(|file| file.is_to_sign()).filter_map(Planned::item).collect();
    Outcome { status, sign, files: files.into_iter().map(shown).collect(), uncommitted, failure }
}

fn shown(file: Planned) -> File {
    let (path, new_path, item) = (file.path(), file.new_path(), file.item());
    let diff = match std::str::from_utf8(&file.old) {
        Ok(old) if file.state != State::Kept => diff(&path, new_path.as_deref(), old, &file.migration.text),
        _ => String::new(),
    };
    let (changes, remarks) = (file.migration.changes, file.migration.remarks);
    File { item, path, new_path, state: file.state, changes, remarks, diff }
}

/// Returns a diff that `git apply` takes, moves included.
fn diff(path: &str, new_path: Option<&str>, old: &str, new: &str) -> String {
    let (old_name, new_name) = (format!("a/{path}"), format!("b/{}", new_path.unwrap_or(path)));
    let moved = new_path.map(|to| format!("diff --git {old_name} {new_name}\nrename from {path}\nrename to {to}\n"));
    moved.unwrap_or_default() + &unified_diff(&old_name, &new_name, old, new)
}
