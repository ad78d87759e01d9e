//! `migrate`: rewrite legacy forms of a project's items, whole trees at once.
//!
//! Everything is worked out before the first write, and a known obstacle prevents every write. A directive that gets
//! another name is moved, and every reference to it in the other items is rewritten with it. A changed file loses its
//! signature line: its person reviews and signs it again. A remaining legacy form is named with its line and the
//! reason.

mod error;
mod options;
mod outcome;
mod plan;
mod renaming;
mod text;
mod write;

use self::plan::{Plan, Planned};
use crate::format::unified_diff;
use crate::project::Project;

pub use error::Error;
pub use options::Options;
pub use outcome::{Failure, File, Outcome, State, Status};

/// Rewrites legacy forms; without `write`, only says what would change.
///
/// # Errors
///
/// Fails when an id or path fits nothing, a file cannot be read, or is known not to be writable: then nothing is
/// written. A failed write is reported in the outcome, with the files written before it.
pub fn migrate(project: &Project, options: &Options) -> Result<Outcome, Error> {
    let mut plan = Plan::make(project, options)?;
    let uncommitted = if options.write { Vec::new() } else { plan.uncommitted(project) };
    let failure = if options.write { write::write(project, &mut plan.files)? } else { None };
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
