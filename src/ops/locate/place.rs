//! From the path of a file to the item that it is, without a look at the file.

use crate::id::{Extension, ItemId, ItemType, Space};
use crate::trust::Subject;
use crate::workspace::Candidate;

/// Returns which item a file of a work tree or a commit is, by its path from the top; none for what is no item.
#[must_use]
pub fn subject_at(path: &str) -> Option<Subject> {
    named_at(path)?.ok()
}

/// Returns which item a file below a type's folder is by its path from the top, or why it is none; none for a file that
/// lies elsewhere.
pub fn named_at(path: &str) -> Option<Result<Subject, String>> {
    let (folder, name) = path.strip_prefix(".ai/")?.split_once('/')?;
    let item_type = ItemType::ALL.into_iter().find(|item_type| item_type.folder() == folder)?;
    Some(named(item_type, name))
}

fn named(item_type: ItemType, name: &str) -> Result<Subject, String> {
    let (stem, extension) = name.rsplit_once('.').ok_or("it has no extension")?;
    let item_id: ItemId = stem.parse().map_err(|error| format!("{error}"))?;
    let extension: Extension = extension.parse().map_err(|error| format!("{error}"))?;
    if extension.suits(item_type) {
        Ok(Subject { item_type, item_id, extension })
    } else {
        Err(format!("a {item_type} cannot be a `.{extension}` file"))
    }
}

/// Returns the path to show: an item of the project from the project's folder, so that what a thread records of it is
/// the same on every machine.
#[must_use]
pub fn shown_path(candidate: &Candidate) -> String {
    match candidate.space {
        Space::Project => format!(".ai/{}", candidate.path_in_space().display()),
        Space::User | Space::System => candidate.path.display().to_string(),
    }
}
