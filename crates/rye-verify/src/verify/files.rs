//! The files a verification looks at: of the work tree, a revision or a range, all or those named.
//!
//! Every file below a type's folder is here, also those that are not items; nothing is read or judged here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::super::locate::{LocateError, project_path, subject};
use super::content::{Content, Skill, Source};
use super::error::Error;
use super::lookalike::{self, SUBMODULE, SYMLINK, TRUST_FOLDER};
use super::twin::{Paths, Twins};
use crate::git::{self, BlobId, CommitId, Mode, Repository, StagedEntry, Tags, TreeChange, TreeEntry};
use crate::id::{ItemId, ItemPath, ItemType, SPACE_FOLDER, Space, nearest};
use crate::project::Project;
use crate::trust::Subject;
use crate::workspace::Candidate;

/// The most files a revision's `.ai/` may hold.
pub(super) const MAX_ENTRIES: usize = 200_000;

/// A file below `.ai/` that may be an item.
pub(super) struct File {
    pub(super) path: String,
    pub(super) content: Content,
    /// The commit it is found in; of a range the first that has it like this. None in the work tree.
    pub(super) commit_id: Option<CommitId>,
    /// Whether the verified revision has it in the end, and not only a commit on the way.
    pub(super) is_last: bool,
    /// Whether it is judged by itself. Files that a merge only takes from one of its parents must not go back, no more.
    pub(super) is_brought: bool,
}

impl File {
    /// Tells whether it is the signed manifest of a skill.
    pub(super) fn is_manifest(&self) -> bool {
        matches!(&self.content, Content::Item(subject, _) if subject.item_type == ItemType::Skill)
    }

    /// Makes a file of the work tree.
    const fn here(path: String, content: Content) -> Self {
        Self { path, content, commit_id: None, is_last: true, is_brought: true }
    }
}

/// Returns the space that is verified. Where the project is the home folder, its space is the user's.
pub(super) fn space(project: &Project) -> Space {
    if project.workspace().root(Space::Project).is_some() { Space::Project } else { Space::User }
}

/// Returns the project's files.
pub(super) fn work_tree(project: &Project) -> Result<Vec<File>, LocateError> {
    let root = project.root()?;
    let listing = project.workspace().list(None, Some(space(project)))?;
    let mut files: Vec<File> = listing.items.into_iter().map(of_candidate).collect();
    for stray in listing.strays {
        let path = stray.path.strip_prefix(root).unwrap_or(&stray.path).display().to_string();
        let content =
            if stray.fault.is_some() { Content::unusable(stray.reason) } else { Content::stray(stray.reason) };
        files.push(File::here(path, content));
    }
    mark_twins(&mut files)?;
    let submodules = submodules(project)?;
    let is_told = |path: &str| submodules.iter().any(|file| file.path == path);
    let lookalikes = lookalike::of_work_tree(root).into_iter().filter(|(path, _)| !is_told(path));
    files.extend(lookalikes.map(|(path, reason)| File::here(path, Content::unusable(reason))));
    files.extend(submodules);
    files.extend(left_out(project)?);
    Ok(files)
}

/// Returns the items that a sparse checkout leaves out, as the index has them: what is not here is judged all the same.
fn left_out(project: &Project) -> Result<Vec<File>, LocateError> {
    let file = |entry: StagedEntry| {
        let StagedEntry { path, mode, blob_id, .. } = entry;
        let content = content(&TreeEntry { path: path.clone(), mode, blob_id })?;
        Some(File::here(path, content))
    };
    Ok(project.left_out()?.items.into_iter().filter_map(file).collect())
}

/// Returns the submodules where items and trust files belong. They may be empty here, and filled by the next command.
fn submodules(project: &Project) -> Result<Vec<File>, LocateError> {
    let Some(repository) = project.repository() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in repository.submodules_at(SPACE_FOLDER)? {
        let is_place = folders().any(|folder| folder == entry.path) || Path::new(&entry.path).starts_with(TRUST_FOLDER);
        if is_place || content(&entry).is_some() {
            found.push(File::here(entry.path, Content::unusable(SUBMODULE)));
        }
    }
    Ok(found)
}

fn of_candidate(candidate: Candidate) -> File {
    let path = project_path(&candidate);
    File::here(path, Content::Item(subject(&candidate), Source::File(candidate)))
}

/// Returns the repository, unless it answers for an object with another one.
pub(super) fn repository(project: &Project) -> Result<Repository, LocateError> {
    let repository = project.require_repository()?;
    repository.refuse_rewrites()?;
    Ok(repository)
}

/// Returns the commit a revision names. Where history was cut off, it may only be missing.
pub(super) fn resolve(repository: &Repository, revision: &str, tags: Tags) -> Result<CommitId, Error> {
    repository.resolve_with(revision, tags).map_err(|error| of_revision(repository, error))
}

/// Tells a revision that is cut off from one that never was.
pub(super) fn of_revision(repository: &Repository, error: git::Error) -> Error {
    match error {
        git::Error::UnknownRevision { revision, .. } if repository.is_shallow() => Error::CutOff { revision },
        error => LocateError::from(error).into(),
    }
}

/// Returns the files of a commit, from its objects.
pub(super) fn revision(repository: &Repository, commit_id: &CommitId) -> Result<Vec<File>, LocateError> {
    let file = |path: String, content| File {
        path,
        content,
        commit_id: Some(commit_id.clone()),
        is_last: true,
        is_brought: true,
    };
    let mut files = Vec::new();
    for folder in folders() {
        if let Some(entry) = repository.entry_at(commit_id, &folder)? {
            files.push(file(folder, no_folder(entry.mode)));
        }
    }
    let lookalikes = lookalike::of_commit(repository, commit_id)?.into_iter();
    let lookalikes = Vec::from_iter(lookalikes.map(|(path, reason)| file(path, Content::unusable(reason))));
    let mut items = Vec::new();
    for item_type in ItemType::ALL {
        for entry in repository.entries_below(commit_id, &folder(item_type), MAX_ENTRIES)? {
            items.extend(content(&entry).map(|content| file(entry.path, content)));
        }
    }
    mark_ambiguous(&mut items);
    mark_twins(&mut items)?;
    files.extend(lookalikes.into_iter().chain(items));
    Ok(files)
}

/// Returns what a commit puts into the place of a folder for items: what none of its parents has there, or not each of them
/// and not the commit that its range begins after.
pub(super) fn brought_no_folders(
    repository: &Repository,
    commit_id: &CommitId,
    parents: &[CommitId],
    start: Option<&CommitId>,
) -> Result<Vec<(String, Content)>, LocateError> {
    let mut found = Vec::new();
    for folder in folders() {
        let Some(entry) = repository.entry_at(commit_id, &folder)? else { continue };
        let mut same = 0;
        for parent in parents {
            same += usize::from(repository.entry_at(parent, &folder)?.as_ref() == Some(&entry));
        }
        let is_new = match start {
            _ if same == 0 => true,
            _ if same == parents.len() => false,
            Some(start) => repository.entry_at(start, &folder)?.as_ref() != Some(&entry),
            None => true,
        };
        if is_new {
            found.push((folder, no_folder(entry.mode)));
        }
    }
    Ok(found)
}

/// Tells whether a commit has the same as what a change left.
pub(super) fn has_same(
    repository: &Repository,
    commit_id: Option<&CommitId>,
    change: &TreeChange,
) -> Result<bool, LocateError> {
    let Some(commit_id) = commit_id else { return Ok(false) };
    Ok(repository.entry_at(commit_id, &change.path)? == change.after)
}

/// Lists the folders that hold items: their own, and the one around them.
fn folders() -> impl Iterator<Item = String> {
    std::iter::once(SPACE_FOLDER.to_owned()).chain(ItemType::ALL.map(folder))
}

/// Takes a tree entry from anywhere for an item; `None` if it is not one.
pub(super) fn item(entry: &TreeEntry) -> Option<(Subject, BlobId)> {
    match content(entry)? {
        Content::Item(subject, Source::Blob(blob_id)) => Some((subject, blob_id)),
        Content::Item(..) | Content::Skill(_) | Content::Stray { .. } => None,
    }
}

fn folder(item_type: ItemType) -> String {
    format!("{SPACE_FOLDER}/{}", item_type.folder())
}

/// The entry in the place of a folder of items. A checkout can fill a submodule with items that were not verified.
fn no_folder(mode: Mode) -> Content {
    match mode {
        Mode::Submodule => Content::unusable(SUBMODULE),
        Mode::Symlink => Content::unusable(SYMLINK),
        Mode::File | Mode::Executable | Mode::Tree => Content::stray("it is not a folder"),
    }
}

/// Takes an entry below a type's folder for an item, or says why it is not one. Hidden files are passed over.
pub(super) fn content(entry: &TreeEntry) -> Option<Content> {
    let named = ItemPath::in_project(&entry.path)?;
    let is_hidden = entry.path.split('/').skip(1).any(|part| part.starts_with('.'));
    if is_hidden {
        return None;
    }
    Some(match (entry.mode, named) {
        (Mode::Submodule, _) => Content::unusable(SUBMODULE),
        // In a work tree it may lead to a file of the space, and be an item there.
        (Mode::Symlink, _) => Content::unusable(SYMLINK),
        (Mode::Tree, _) => Content::stray("it is not a regular file"),
        (Mode::File | Mode::Executable, Err(error)) => Content::stray(error.to_string()),
        (Mode::File | Mode::Executable, Ok(path)) => Content::Item(path.into(), Source::Blob(entry.blob_id.clone())),
    })
}

/// Adds a finding for each file that some file system takes for another one. Other findings about an item stay.
fn mark_twins(files: &mut Vec<File>) -> Result<(), LocateError> {
    let mut twins = Twins::new(Paths::of(files.iter().map(|file| file.path.as_str())));
    for at in 0..files.len() {
        let Some(reason) = twins.fault(&files[at].path)? else { continue };
        let content = Content::unusable(reason);
        match files[at].content {
            Content::Stray { .. } => files[at].content = content,
            Content::Item(..) | Content::Skill(_) => {
                let File { path, commit_id, is_last, is_brought, .. } = &files[at];
                let (path, commit_id) = (path.clone(), commit_id.clone());
                files.push(File { path, content, commit_id, is_last: *is_last, is_brought: *is_brought });
            }
        }
    }
    Ok(())
}

/// Files that differ only by extension are all refused (hole 13 of the threat model).
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

/// What ids and paths of a command line name.
pub(super) struct Selection<'a> {
    only: &'a [String],
    /// The folders that names of links to skills mean, by the name.
    linked: BTreeMap<&'a str, String>,
    root: PathBuf,
    here: PathBuf,
}

impl<'a> Selection<'a> {
    /// Reads names of files; none means all. Paths are taken from the current folder and from the project's.
    pub(super) fn new(project: &Project, only: &'a [String]) -> Self {
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let here = canonical(project.context().current_dir());
        let root = project.work_dir().map_or_else(|| here.clone(), canonical);
        let here = here.strip_prefix(&root).map(Path::to_path_buf).unwrap_or_default();
        let linked = only.iter().filter_map(|name| {
            let given = Path::new(name).strip_prefix(&root).unwrap_or(Path::new(name));
            let path = plain(&here.join(given))?;
            // A link that cannot be followed means nothing else.
            let folder = project.linked_skill(space(project), path.to_str()?).ok()?;
            (Path::new(&folder) != path).then_some((name.as_str(), folder))
        });
        let linked = linked.collect();
        Self { only, linked, root, here }
    }

    /// Keeps the files that are named; all when none is. A name may mean one of some `others` instead.
    pub(super) fn of(&self, files: Vec<File>, others: &BTreeSet<String>) -> Result<Vec<File>, Error> {
        let fits = |file: &File, name: &str| match &file.content {
            Content::Item(subject, _) => self.fits(&file.path, Some(subject), name),
            Content::Skill(skill) => {
                let linked = self.linked.get(name);
                self.fits_skill(skill, &file.path, name)
                    || linked.is_some_and(|folder| skill.folders.iter().any(|it| it.path() == folder))
            }
            Content::Stray { .. } => self.fits(&file.path, None, name),
        };
        let is_other = |name: &str| others.iter().any(|path| self.fits(path, None, name));
        let is_unknown = |name: &&String| !files.iter().any(|file| fits(file, name)) && !is_other(name);
        if let Some(name) = self.only.iter().find(is_unknown) {
            let ids = files.iter().filter_map(|file| match &file.content {
                Content::Item(subject, _) => Some(subject.item_id.as_str()),
                Content::Skill(skill) => Some(skill.name.as_str()),
                Content::Stray { .. } => None,
            });
            let suggestion = nearest(name, ids.chain(files.iter().map(|file| file.path.as_str()))).map(str::to_owned);
            return Err(Error::NoMatch { name: name.clone(), suggestion });
        }
        let is_named = |file: &File| self.only.is_empty() || self.only.iter().any(|name| fits(file, name));
        // What is wrong on the way to a skill keeps it from being used: it is named with it.
        let skill = |file: &File| match &file.content {
            Content::Skill(skill) if skill.fault.is_none() && is_named(file) => Some(skill.name.clone()),
            Content::Skill(_) | Content::Item(..) | Content::Stray { .. } => None,
        };
        let skills: BTreeSet<String> = files.iter().filter_map(skill).collect();
        let concerns = |file: &File| match &file.content {
            Content::Skill(skill) => skill.fault.iter().any(|(_, concerns)| !concerns.is_disjoint(&skills)),
            Content::Item(..) | Content::Stray { .. } => false,
        };
        Ok(files.into_iter().filter(|file| is_named(file) || concerns(file)).collect())
    }

    /// Tells whether a skill is named: by its name, by the id of a manifest, or by the path of a folder or of a file in
    /// it.
    fn fits_skill(&self, skill: &Skill, path: &str, name: &str) -> bool {
        let is_id = |id: &str| id == name;
        let is_in = |folder: &str| self.names_folder(folder, name);
        let manifest = |id: &str| format!("{}/{id}.sig", super::content::MANIFESTS);
        is_id(&skill.name)
            || skill.manifests.iter().any(|(subject, _)| self.fits(&manifest(subject.item_id.as_str()), None, name))
            || skill.manifests.iter().any(|(subject, _)| is_id(subject.item_id.as_str()))
            || is_in(path)
            || skill.folders.iter().any(|folder| is_in(folder.path()))
    }

    /// Tells whether a path names a folder, one above it, or what is in it.
    fn names_folder(&self, folder: &str, name: &str) -> bool {
        let given = Path::new(name).strip_prefix(&self.root).unwrap_or(Path::new(name));
        let inside = |from: &Path| plain(&from.join(given)).is_some_and(|named| named.starts_with(folder));
        self.fits(folder, None, name) || inside(&self.here) || inside(Path::new(""))
    }

    /// Tells whether a file that is not an item is named.
    pub(super) fn names_file(&self, path: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| self.fits(path, None, name))
    }

    /// Tells whether a path or the item there is named.
    pub(super) fn names(&self, path: &str, subject: &Subject) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| self.fits(path, Some(subject), name))
    }

    /// Tells whether an id, or a path from the current folder or the project's, names a file.
    fn fits(&self, path: &str, subject: Option<&Subject>, name: &str) -> bool {
        let is_id = || subject.is_some_and(|subject| subject.item_id.as_str() == name);
        let given = Path::new(name).strip_prefix(&self.root).unwrap_or(Path::new(name));
        let is_below = |from: &Path| plain(&from.join(given)).is_some_and(|named| Path::new(path).starts_with(named));
        !name.is_empty() && (is_id() || is_below(&self.here) || is_below(Path::new("")))
    }
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
