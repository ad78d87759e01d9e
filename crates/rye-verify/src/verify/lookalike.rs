//! Names that some file system takes for those of items, trust files and the configuration: `.AI`, `.ai/Trust`, `one.SH`.
//!
//! Here they belong to no item, and elsewhere they take the place of verified files. So they are findings everywhere.

use std::path::Path;

use super::super::locate::LocateError;
use crate::capability::{folded, is_taken_for};
use crate::git::{CommitId, Mode, Repository};
use crate::id::{ItemPath, ItemType, SPACE_FOLDER};
use crate::trust::{MANIFEST, TrustFile, trust_file_path};

/// Where trust files are kept.
pub(super) const TRUST_FOLDER: &str = ".ai/trust";

/// Why a submodule is not an item.
pub(super) const SUBMODULE: &str = "it is a submodule, whose items no commit of this project has";

/// Why a symlink is not one.
pub(super) const SYMLINK: &str = "it is a symlink, which cannot be followed in a commit";

/// The folders whose names are looked at by themselves.
const FOLDERS: [&str; 3] = ["", SPACE_FOLDER, TRUST_FOLDER];

/// Returns the paths of a commit that look like trust files or folders of items, with the fault of each; and entries
/// next to trust files that are not files.
pub(super) fn of_commit(repository: &Repository, commit_id: &CommitId) -> Result<Vec<(String, String)>, LocateError> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for name in repository.names_in(commit_id, folder)? {
            let path = join(folder, &name);
            let other = match lookalike(folder, &name) {
                None if is_beside_trust_files(&path) => match repository.entry_at(commit_id, &path)? {
                    Some(entry) => no_file(entry.mode),
                    None => no_file(Mode::Tree),
                },
                _ => None,
            };
            found.extend(lookalike(folder, &name).or(other.map(str::to_owned)).map(|reason| (path, reason)));
        }
    }
    Ok(found)
}

/// Returns those of a work tree. Folders that cannot be listed are reported by the walk.
pub(super) fn of_work_tree(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = join(folder, &name);
            let mode = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => Mode::Symlink,
                Ok(kind) if kind.is_dir() => Mode::Tree,
                Ok(_) | Err(_) => Mode::File,
            };
            let other = if is_beside_trust_files(&path) { no_file(mode).map(str::to_owned) } else { None };
            found.extend(lookalike(folder, &name).or(other).map(|reason| (path, reason)));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

/// Returns those that a commit brings: not each of its parents has them, and not the commit that its range begins after.
pub(super) fn brought(
    repository: &Repository,
    commit_id: &CommitId,
    parents: &[CommitId],
    start: Option<&CommitId>,
) -> Result<Vec<(String, String)>, LocateError> {
    let mut found = of_commit(repository, commit_id)?;
    if found.is_empty() {
        return Ok(found);
    }
    let mut before = Vec::new();
    for parent in parents {
        before.push(of_commit(repository, parent)?);
    }
    let start = start.map(|start| of_commit(repository, start)).transpose()?.unwrap_or_default();
    let has = |known: &[(String, String)], path: &str| known.iter().any(|(known, _)| known == path);
    found.retain(|(path, _)| {
        let having = before.iter().filter(|known| has(known, path)).count();
        having == 0 || having < before.len() && !has(&start, path)
    });
    Ok(found)
}

/// Says what a path below a type's folder is taken for, whatever else is there: `one.SH` is read where `one.sh` is asked for.
pub(super) fn instead_of_item(path: &str) -> Option<String> {
    if ItemPath::in_project(path)?.is_ok() {
        return None;
    }
    let parts: Vec<String> = path.split('/').map(folded).collect();
    let plain = parts.join("/");
    ItemPath::in_project(&plain)?.ok()?;
    Some(taken_for(&plain))
}

/// Says it.
pub(super) fn taken_for(place: &str) -> String {
    format!("some file systems take it for `{place}`")
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn lookalike(folder: &str, name: &str) -> Option<String> {
    let places = places().into_iter().filter(|place| place.rsplit_once('/').map_or("", |(above, _)| above) == folder);
    let found = places.into_iter().find(|place| {
        let place = place.rsplit_once('/').map_or(place.as_str(), |(_, name)| name);
        is_taken_for(name, place)
    })?;
    Some(taken_for(&found))
}

/// Lists what other names may be taken for.
fn places() -> Vec<String> {
    let folders = ItemType::ALL.map(|item_type| format!("{SPACE_FOLDER}/{}", item_type.folder()));
    let above = [SPACE_FOLDER.to_owned(), TRUST_FOLDER.to_owned()];
    above.into_iter().chain(folders).chain(trust_files()).collect()
}

fn trust_files() -> impl Iterator<Item = String> {
    TrustFile::ALL.map(TrustFile::as_str).into_iter().chain([MANIFEST]).map(trust_file_path)
}

/// Tells whether something lies next to trust files and is not one itself: these are judged by their manifest.
fn is_beside_trust_files(path: &str) -> bool {
    path.strip_prefix(TRUST_FOLDER).is_some_and(|rest| rest.starts_with('/')) && !trust_files().any(|file| file == path)
}

/// Says why something does not belong next to trust files; `None` for a file.
const fn no_file(mode: Mode) -> Option<&'static str> {
    match mode {
        Mode::File | Mode::Executable => None,
        Mode::Symlink => Some(SYMLINK),
        Mode::Tree => Some("it is a folder, and only files belong next to trust files"),
        Mode::Submodule => Some(SUBMODULE),
    }
}
