//! The files of skills that a commit would have, by the skill that each belongs to.

use std::collections::{BTreeMap, BTreeSet};

use crate::capability::ProjectPath;
use crate::git::{BlobId, Mode};
use crate::item::{SKILL_FILE, is_skill_name};

/// A file that the commit would have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Taken {
    pub(super) path: String,
    pub(super) mode: Mode,
    /// None for a file that is taken from the work tree.
    pub(super) blob_id: Option<BlobId>,
}

/// Returns the names of the skills below a path that differ between two commits.
pub(super) fn differing(path: &ProjectPath, before: BTreeSet<Taken>, after: &[Taken]) -> BTreeSet<String> {
    let after: BTreeSet<Taken> = after.iter().cloned().collect();
    let differing = before.symmetric_difference(&after);
    differing.filter_map(|taken| Some(skill_of(path, &taken.path)?.to_owned())).collect()
}

/// Groups the files of a folder of skills by the skill they belong to; other files are left out.
pub(super) fn by_skill(path: &ProjectPath, taken: Vec<Taken>) -> BTreeMap<String, Vec<Taken>> {
    let mut skills: BTreeMap<String, Vec<Taken>> = BTreeMap::new();
    for taken in taken {
        if let Some(name) = skill_of(path, &taken.path).filter(|name| is_skill_name(name)) {
            skills.entry(name.to_owned()).or_default().push(taken);
        }
    }
    skills.retain(|name, taken| {
        let top = format!("{path}/{name}/{SKILL_FILE}");
        taken.iter().any(|taken| taken.path == top)
    });
    skills
}

/// Returns the name of the skill that a file belongs to.
fn skill_of<'p>(path: &ProjectPath, file: &'p str) -> Option<&'p str> {
    file.strip_prefix(path.as_str())?.strip_prefix('/')?.split_once('/').map(|(name, _)| name)
}
