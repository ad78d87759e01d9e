//! Attributes of git by which every checkout has other bytes of an item than the signed ones: the item is good here, and refused
//! wherever git writes it.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::{CommitTree, LocateError, attributes_at, subject_at};
use super::content::Content;
use super::files::{self, File, MAX_ENTRIES};
use crate::git::{CommitId, RangeCommit, Repository, changed_by_attributes};
use crate::id::SPACE_FOLDER;
use crate::item::{ATTRIBUTES, AttributesFile};
use crate::project::Project;

/// An item whose bytes attributes change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangedItem {
    /// Its file.
    pub(super) path: String,
    /// The file of attributes that says so.
    pub(super) by: String,
    pub(super) commit_id: Option<CommitId>,
}

/// Finds the items among some files, of a commit with those on the way to it.
pub(super) fn of(
    project: &Project,
    files: &[File],
    last: Option<&CommitId>,
    commits: &[RangeCommit],
) -> Result<Vec<ChangedItem>, LocateError> {
    let Some(last) = last else { return Ok(of_work_tree(project, files)) };
    let mut changed = of_commit(project, last, files)?;
    changed.extend(on_the_way(project, commits, last)?);
    Ok(changed)
}

/// Finds the items of the work tree among some files.
fn of_work_tree(project: &Project, files: &[File]) -> Vec<ChangedItem> {
    let space = files::space(project);
    let paths: Vec<&str> = items(files).collect();
    let places: BTreeSet<String> = paths.iter().flat_map(|path| places(path)).collect();
    let read = |path: String| {
        let file = project.workspace().attributes(space, &path);
        (path, file)
    };
    let changed = changed_by_attributes(&Vec::from_iter(places.into_iter().map(read)), paths);
    changed.into_iter().map(|(path, by)| ChangedItem { path, by, commit_id: None }).collect()
}

/// Finds the items of a commit among some files.
fn of_commit(project: &Project, commit_id: &CommitId, files: &[File]) -> Result<Vec<ChangedItem>, LocateError> {
    let paths: BTreeSet<&str> = items(files).collect();
    let mut changed = Tree::read(&files::repository(project)?, commit_id)?.changed();
    changed.retain(|path, _| paths.contains(path.as_str()));
    let found = |(path, by)| ChangedItem { path, by, commit_id: Some(commit_id.clone()) };
    Ok(changed.into_iter().map(found).collect())
}

/// Finds the items for which a commit of a range changes attributes: what each of its parents has is not its own.
fn on_the_way(project: &Project, commits: &[RangeCommit], last: &CommitId) -> Result<Vec<ChangedItem>, LocateError> {
    let repository = files::repository(project)?;
    let mut found = Vec::new();
    for RangeCommit { commit_id, info } in commits.iter().filter(|commit| commit.commit_id != *last) {
        let attributes = |commit_id: &CommitId| repository.entry_at(commit_id, ATTRIBUTES);
        let items = |commit_id: &CommitId| repository.folder_id_at(commit_id, SPACE_FOLDER);
        let (own, own_items) = (attributes(commit_id)?, items(commit_id)?);
        let mut is_changed = info.parents.is_empty();
        for parent in &info.parents {
            is_changed |= own != attributes(parent)? || own_items != items(parent)?;
        }
        if !is_changed || own_items.is_none() {
            continue;
        }
        let mut changed = Tree::read(&repository, commit_id)?.changed();
        for parent in info.parents.iter().filter(|_| !changed.is_empty()).collect::<Vec<_>>() {
            let before = Tree::read(&repository, parent)?.changed();
            changed.retain(|path, _| !before.contains_key(path));
        }
        found.extend(changed.into_iter().map(|(path, by)| ChangedItem {
            path,
            by,
            commit_id: Some(commit_id.clone()),
        }));
    }
    Ok(found)
}

fn items(files: &[File]) -> impl Iterator<Item = &str> {
    let is_item = |file: &&File| matches!(file.content, Content::Item(..)) && file.is_last;
    files.iter().filter(is_item).map(|file| file.path.as_str())
}

/// Returns the places of files of attributes for a path.
fn places(path: &str) -> impl Iterator<Item = String> {
    let above = path.match_indices('/').map(|(at, _)| format!("{}/{ATTRIBUTES}", &path[..at]));
    std::iter::once(ATTRIBUTES.to_owned()).chain(above)
}

/// What a commit has of items and of attributes that are about them.
struct Tree {
    attributes: Vec<(String, AttributesFile)>,
    items: Vec<String>,
}

impl Tree {
    fn read(repository: &Repository, commit_id: &CommitId) -> Result<Self, LocateError> {
        let tree = CommitTree { repository, commit_id };
        let mut attributes = vec![(ATTRIBUTES.to_owned(), attributes_at(&tree, ATTRIBUTES)?)];
        let mut items = Vec::new();
        for entry in repository.entries_below(commit_id, SPACE_FOLDER, MAX_ENTRIES)? {
            if entry.path.ends_with(&format!("/{ATTRIBUTES}")) {
                let file = attributes_at(&tree, &entry.path)?;
                attributes.push((entry.path, file));
            } else if subject_at(&entry.path).is_some() {
                items.push(entry.path);
            }
        }
        Ok(Self { attributes, items })
    }

    fn changed(&self) -> BTreeMap<String, String> {
        changed_by_attributes(&self.attributes, self.items.iter().map(String::as_str))
    }
}
