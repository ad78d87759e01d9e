//! From the path of a file to the item that it is and back, without a look at the file.

use crate::id::{ItemPath, SPACE_FOLDER, Space, item_path};
use crate::trust::Subject;
use crate::workspace::Candidate;

/// Returns which item a file of a work tree or a commit is, by its path from the top; `None` for other files.
#[must_use]
pub fn subject_at(path: &str) -> Option<Subject> {
    ItemPath::in_project(path)?.ok().map(Subject::from)
}

/// Returns the path of a project's item from the top of the work tree.
#[must_use]
pub fn project_path(candidate: &Candidate) -> String {
    format!("{SPACE_FOLDER}/{}", item_path(candidate.item_type, &candidate.id, &candidate.extension))
}

/// Returns the path to show: an item of the project from the project's folder, so that what a thread records of it is
/// the same on every machine.
#[must_use]
pub fn shown_path(candidate: &Candidate) -> String {
    match candidate.space {
        Space::Project => project_path(candidate),
        Space::User | Space::System => candidate.path.display().to_string(),
    }
}
