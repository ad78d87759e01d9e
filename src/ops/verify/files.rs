//! The files a verification looks at: of the work tree or of a revision, all or those named.
//!
//! Every file below a type's folder is here, also what is no item; nothing is read and nothing judged here.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::super::locate::{LocateError, Locator, subject};
use super::Error;
use crate::format::Severity;
use crate::git::{BlobId, CommitId, Mode, TreeEntry};
use crate::id::{Extension, ItemId, ItemType, Space};
use crate::trust::Subject;
use crate::workspace::Candidate;

/// The most files a revision's `.ai/` may hold.
const MAX_ENTRIES: usize = 200_000;

/// A file below `.ai/` that may be an item.
pub(super) struct File {
    pub(super) path: String,
    pub(super) content: Content,
}

/// What a file is to a verification.
pub(super) enum Content {
    Item(Subject, Source),
    Stray { reason: String, severity: Severity },
}

/// Where an item's bytes are.
pub(super) enum Source {
    File(Candidate),
    Blob(BlobId),
}

impl Content {
    /// A file that is nobody's item.
    fn stray(reason: impl Into<String>) -> Self {
        Self::Stray { reason: reason.into(), severity: Severity::Warning }
    }

    /// A file with an item's name that cannot be the item: what is left unchecked must not pass.
    fn unusable(reason: impl Into<String>) -> Self {
        Self::Stray { reason: reason.into(), severity: Severity::Error }
    }
}

/// Returns the project's files. Where the project is the home folder, its space is the user's.
pub(super) fn work_tree(locator: &Locator<'_>) -> Result<Vec<File>, LocateError> {
    let root = locator.project_root()?;
    let workspace = locator.workspace();
    let space = if workspace.root(Space::Project).is_some() { Space::Project } else { Space::User };
    let listing = workspace.list(None, Some(space))?;
    let mut files: Vec<File> = listing.items.into_iter().map(of_candidate).collect();
    for stray in listing.strays {
        let path = stray.path.strip_prefix(root).unwrap_or(&stray.path).display().to_string();
        let content =
            if stray.claimed.is_some() { Content::unusable(stray.reason) } else { Content::stray(stray.reason) };
        files.push(File { path, content });
    }
    Ok(files)
}

fn of_candidate(candidate: Candidate) -> File {
    let path = format!(".ai/{}", candidate.path_in_space().display());
    File { path, content: Content::Item(subject(&candidate), Source::File(candidate)) }
}

/// Returns the files of a commit, from its objects.
pub(super) fn revision(locator: &Locator<'_>, rev: &str) -> Result<(Vec<File>, CommitId), LocateError> {
    let no_project = || LocateError::NoProject { dir: locator.context().current_dir().to_path_buf() };
    let repository = locator.repository().ok_or_else(no_project)?;
    repository.refuse_rewrites()?;
    let commit_id = repository.resolve(rev)?;
    let mut files = Vec::new();
    for item_type in ItemType::ALL {
        let folder = format!(".ai/{}", item_type.folder());
        for entry in repository.entries_below(&commit_id, &folder, MAX_ENTRIES)? {
            files.extend(file_of(item_type, &folder, &entry));
        }
    }
    mark_ambiguous(&mut files);
    Ok((files, commit_id))
}

/// Takes one tree entry for an item, or says why it is none. Folders and hidden files are passed over.
fn file_of(item_type: ItemType, folder: &str, entry: &TreeEntry) -> Option<File> {
    let path = entry.path.clone();
    let name = path.strip_prefix(folder).and_then(|name| name.strip_prefix('/')).unwrap_or(&path);
    let is_hidden = name.split('/').any(|part| part.starts_with('.'));
    let content = match entry.mode {
        Mode::Tree => return None,
        Mode::Symlink | Mode::Submodule => Content::stray("it is no regular file"),
        Mode::File | Mode::Executable if is_hidden => return None,
        Mode::File | Mode::Executable => match named(item_type, name) {
            Err(reason) => Content::stray(reason),
            Ok(subject) => Content::Item(subject, Source::Blob(entry.blob_id.clone())),
        },
    };
    Some(File { path, content })
}

fn named(item_type: ItemType, name: &str) -> Result<Subject, String> {
    let (stem, extension) = name.rsplit_once('.').ok_or("it has no extension")?;
    let item_id: ItemId = stem.parse().map_err(|error| format!("{error}"))?;
    let extension: Extension = extension.parse().map_err(|error| format!("{error}"))?;
    if !extension.suits(item_type) {
        return Err(format!("a {item_type} cannot be a `.{extension}` file"));
    }
    Ok(Subject { item_type, item_id, extension })
}

/// Files that differ only by extension are no items, none of them (hole 13 of the threat model).
fn mark_ambiguous(files: &mut [File]) {
    let mut claims: BTreeMap<(ItemType, ItemId), Vec<usize>> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        if let Content::Item(subject, _) = &file.content {
            claims.entry((subject.item_type, subject.item_id.clone())).or_default().push(at);
        }
    }
    for at in claims.into_values().filter(|claim| claim.len() > 1) {
        let paths: Vec<String> = at.iter().map(|at| format!("`{}`", files[*at].path)).collect();
        for (nth, at) in at.into_iter().enumerate() {
            let others: Vec<&str> =
                paths.iter().enumerate().filter(|(other, _)| *other != nth).map(|(_, path)| path.as_str()).collect();
            files[at].content = Content::unusable(format!("it and {} differ only by extension", others.join(" and ")));
        }
    }
}

/// Returns the project's folder, and the current one as a path below it.
fn places(locator: &Locator<'_>) -> Result<(PathBuf, PathBuf), LocateError> {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let (root, here) = (canonical(locator.project_root()?), canonical(locator.context().current_dir()));
    let below = here.strip_prefix(&root).map(Path::to_path_buf).unwrap_or_default();
    Ok((root, below))
}

/// Keeps the files that are named by id or path; all when none is.
pub(super) fn selected(locator: &Locator<'_>, files: Vec<File>, only: &[String]) -> Result<Vec<File>, Error> {
    let (root, here) = places(locator)?;
    if only.is_empty() {
        return Ok(files);
    }
    if let Some(name) = only.iter().find(|name| !files.iter().any(|file| fits(file, name, &root, &here))) {
        return Err(Error::NoMatch { name: name.clone() });
    }
    Ok(files.into_iter().filter(|file| only.iter().any(|name| fits(file, name, &root, &here))).collect())
}

/// Tells whether an id, or a path from the current folder or the project's, names a file.
fn fits(file: &File, name: &str, root: &Path, here: &Path) -> bool {
    let is_id = || matches!(&file.content, Content::Item(subject, _) if subject.item_id.as_str() == name);
    let given = Path::new(name).strip_prefix(root).unwrap_or(Path::new(name));
    let is_below = |from: &Path| plain(&from.join(given)).is_some_and(|path| Path::new(&file.path).starts_with(path));
    !name.is_empty() && (is_id() || is_below(here) || is_below(Path::new("")))
}

/// Takes `.` and `..` out of a relative path; none if it leaves the project.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}
