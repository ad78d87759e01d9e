//! `migrate`: rewrite legacy forms of a project's items, whole trees at once.
//!
//! Everything is worked out before the first write, and each file is written completely or not at all. A directive that
//! gets another name is moved, and every reference to it in the other items is rewritten with it. What changes loses
//! its signature line: whoever migrates reviews and signs again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::locate::{LocateError, Locator, subject};
use crate::capability::ProjectPath;
use crate::format::{Migration, Remark, Renames, Scope, migrate as rewrite, migrate_document, snake_id, unified_diff};
use crate::id::{ItemId, ItemType, Space};
use crate::item::Node;
use crate::trust::{LineState, split};
use crate::workspace::{self, Candidate, Expected, MAX_ITEM_BYTES, ProjectDir};

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
    /// The items that were signed and have to be signed again, under their new ids.
    pub sign: Vec<Node>,
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
}

/// One file.
#[derive(Debug, Serialize)]
pub struct File {
    /// The item it is; none for a capability document.
    #[serde(flatten)]
    pub item: Option<Node>,
    /// Where it lies, from the folder that holds `.ai`.
    pub path: String,
    /// Where it lies afterwards, when that is elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
    /// What changes, in words; empty when nothing does.
    pub changes: Vec<String>,
    /// What somebody has to look at.
    #[serde(rename = "review", skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// The change as a unified diff.
    pub diff: String,
}

/// Why nothing can be migrated.
#[derive(Debug, Error)]
pub enum Error {
    /// Nothing fits.
    #[error("no item and no capability document fits `{name}`")]
    NoMatch {
        /// The id or path asked for.
        name: String,
    },
    /// A file cannot be written.
    #[error("cannot migrate `{path}`")]
    Write {
        /// The file.
        path: String,
        /// Why not.
        #[source]
        source: workspace::Error,
    },
    /// The items cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

/// A file with its rewriting.
struct Planned {
    place: Place,
    old: Vec<u8>,
    migration: Migration,
    was_signed: bool,
}

/// Where a file lies.
enum Place {
    Item { candidate: Candidate, new_id: Option<ItemId> },
    Document(ProjectPath),
}

/// Rewrites legacy forms; without `write`, only says what would change.
///
/// # Errors
///
/// Fails when an id or path fits nothing or a file cannot be read or written. What was written before a failure stays.
pub fn migrate(locator: &Locator<'_>, options: &Options) -> Result<Outcome, Error> {
    let space = if locator.workspace().root(Space::Project).is_some() { Space::Project } else { Space::User };
    let items = locator.workspace().list(None, Some(space)).map_err(LocateError::from)?.items;
    let wanted = Wanted::new(locator, options, &items)?;
    let renamed = renamed(&items, &wanted);
    let known: Vec<_> = items.iter().map(|item| (item.item_type, item.id.clone())).collect();
    let renames = Renames::new(&renamed, &known);
    let mut planned = Vec::new();
    for candidate in items {
        let scope = if wanted.items.contains(&candidate.path) { Scope::All } else { Scope::References };
        planned.extend(plan_item(locator, candidate, scope, &renamed, &renames)?);
    }
    for path in &wanted.documents {
        planned.extend(plan_document(locator, path, &renames)?);
    }
    if options.write {
        planned.iter().try_for_each(|file| write(locator, file))?;
    }
    Ok(outcome(planned, options.write))
}

/// What was asked for.
struct Wanted {
    items: Vec<PathBuf>,
    documents: Vec<ProjectPath>,
}

impl Wanted {
    fn new(locator: &Locator<'_>, options: &Options, items: &[Candidate]) -> Result<Self, Error> {
        let mut wanted = Self { items: Vec::new(), documents: Vec::new() };
        if options.only.is_empty() {
            wanted.items.extend(items.iter().map(|item| item.path.clone()));
        }
        for name in &options.only {
            let path = normal(&locator.context().current_dir().join(name));
            let fits = |item: &&Candidate| item.id.as_str() == name || item.path.starts_with(&path);
            let fitting: Vec<PathBuf> = items.iter().filter(fits).map(|item| item.path.clone()).collect();
            if fitting.is_empty() {
                let document = document(locator, &path).ok_or_else(|| Error::NoMatch { name: name.clone() })?;
                wanted.documents.push(document);
            }
            wanted.items.extend(fitting);
        }
        Ok(wanted)
    }
}

/// Takes `.` and `..` out of a path by its words.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

/// Returns the place of a YAML file of the project that is no item.
fn document(locator: &Locator<'_>, path: &Path) -> Option<ProjectPath> {
    let root = locator.project_root().ok()?;
    let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let path: ProjectPath = path.strip_prefix(root).ok()?.to_str()?.parse().ok()?;
    (is_yaml && ProjectDir::open(root).ok()?.exists(&path)).then_some(path)
}

/// Finds the directives that get another id: those that are wanted and whose new id is free.
fn renamed(items: &[Candidate], wanted: &Wanted) -> BTreeMap<ItemId, ItemId> {
    let directives = || items.iter().filter(|item| item.item_type == ItemType::Directive);
    let mut renamed = BTreeMap::new();
    for item in directives().filter(|item| wanted.items.contains(&item.path)) {
        let Some(new) = snake_id(&item.id) else { continue };
        let taken = directives().any(|other| other.id == new) || renamed.values().any(|other| *other == new);
        if !taken {
            renamed.insert(item.id.clone(), new);
        }
    }
    renamed
}

fn plan_item(
    locator: &Locator<'_>,
    candidate: Candidate,
    scope: Scope,
    renamed: &BTreeMap<ItemId, ItemId>,
    renames: &Renames,
) -> Result<Option<Planned>, Error> {
    let old = locator.workspace().read(&candidate).map_err(LocateError::from)?;
    let subject = subject(&candidate);
    let mut migration = match std::str::from_utf8(&old) {
        Ok(text) => rewrite(&subject, text, scope, renames),
        Err(_) => {
            Migration { remarks: vec![stays("the file is not UTF-8, so its forms stay")], ..Migration::default() }
        }
    };
    let own = |id: &ItemId| (candidate.item_type == ItemType::Directive).then(|| renamed.get(id).cloned()).flatten();
    let new_id = own(&candidate.id).filter(|_| !migration.text.is_empty());
    if let Some(new) = &new_id {
        migration.changes.push(format!("move it to `{new}`"));
    }
    let kebab = candidate.item_type == ItemType::Directive && snake_id(&candidate.id).is_some();
    if scope == Scope::All && kebab && new_id.is_none() {
        migration.remarks.push(stays("its name is kebab-case, and the one it would get is taken"));
    }
    let line = split(subject.item_type, subject.extension.comment(), &old).line;
    let was_signed = !matches!(line, LineState::Absent | LineState::Legacy);
    let shows = migration.is_change() || scope == Scope::All && !migration.remarks.is_empty();
    let place = Place::Item { candidate, new_id };
    Ok(shows.then_some(Planned { place, old, migration, was_signed }))
}

fn plan_document(locator: &Locator<'_>, path: &ProjectPath, renames: &Renames) -> Result<Option<Planned>, Error> {
    let read = project(locator)?.read(path, MAX_ITEM_BYTES).map_err(LocateError::from)?;
    let too_large = || workspace::Error::TooLarge { path: PathBuf::from(path.as_str()), limit: MAX_ITEM_BYTES };
    if read.truncated {
        return Err(LocateError::from(too_large()).into());
    }
    let migration = match std::str::from_utf8(&read.bytes) {
        Ok(text) => migrate_document(text, renames),
        Err(_) => {
            Migration { remarks: vec![stays("the file is not UTF-8, so its forms stay")], ..Migration::default() }
        }
    };
    let shows = migration.is_change() || !migration.remarks.is_empty();
    let place = Place::Document(path.clone());
    Ok(shows.then_some(Planned { place, old: read.bytes, migration, was_signed: false }))
}

fn stays(message: &str) -> Remark {
    Remark { line: 1, stays: true, message: message.to_owned() }
}

fn project(locator: &Locator<'_>) -> Result<ProjectDir, LocateError> {
    Ok(ProjectDir::open(locator.project_root()?)?)
}

fn write(locator: &Locator<'_>, file: &Planned) -> Result<(), Error> {
    if !file.migration.is_change() {
        return Ok(());
    }
    let new = file.migration.text.as_bytes();
    let written = match &file.place {
        Place::Item { candidate, new_id } => {
            let Candidate { space, item_type, id, extension, .. } = candidate;
            let workspace = locator.workspace();
            match new_id {
                Some(to) => workspace.move_item((*space, *item_type), (id, to), extension, (&file.old, new)).map(drop),
                None => {
                    workspace.write_item(*space, *item_type, id, extension, new, Expected::Content(&file.old)).map(drop)
                }
            }
        }
        Place::Document(path) => project(locator)?.write(path, new, false).map(drop),
    };
    written.map_err(|source| Error::Write { path: file.place.path(), source })
}

impl Place {
    /// Returns the path from the folder that holds `.ai`.
    fn path(&self) -> String {
        match self {
            Self::Item { candidate, .. } => format!(".ai/{}", candidate.path_in_space().display()),
            Self::Document(path) => path.to_string(),
        }
    }

    fn new_path(&self) -> Option<String> {
        match self {
            Self::Item { candidate, new_id: Some(id) } => {
                let moved = Candidate { id: id.clone(), ..candidate.clone() };
                Some(format!(".ai/{}", moved.path_in_space().display()))
            }
            Self::Item { .. } | Self::Document(_) => None,
        }
    }

    /// Returns the item under the id it has afterwards.
    fn item(&self) -> Option<Node> {
        match self {
            Self::Item { candidate, new_id } => {
                let item_id = new_id.as_ref().unwrap_or(&candidate.id).clone();
                Some(Node { item_type: candidate.item_type, item_id })
            }
            Self::Document(_) => None,
        }
    }
}

fn outcome(planned: Vec<Planned>, wrote: bool) -> Outcome {
    let changed = || planned.iter().filter(|file| file.migration.is_change());
    let status = match changed().next() {
        None => Status::Unchanged,
        Some(_) if wrote => Status::Migrated,
        Some(_) => Status::Pending,
    };
    let sign = changed().filter(|file| file.was_signed).filter_map(|file| file.place.item()).collect();
    Outcome { status, sign, files: planned.into_iter().map(shown).collect() }
}

fn shown(file: Planned) -> File {
    let (path, new_path) = (file.place.path(), file.place.new_path());
    let Migration { text, changes, remarks } = file.migration;
    let diff = match std::str::from_utf8(&file.old) {
        Ok(old) if !changes.is_empty() => diff(&path, new_path.as_deref(), old, &text),
        _ => String::new(),
    };
    File { item: file.place.item(), path, new_path, changes, remarks, diff }
}

/// Returns a diff that `git apply` takes, moves included.
fn diff(path: &str, new_path: Option<&str>, old: &str, new: &str) -> String {
    let (old_name, new_name) = (format!("a/{path}"), format!("b/{}", new_path.unwrap_or(path)));
    let moved = new_path.map(|to| format!("diff --git {old_name} {new_name}\nrename from {path}\nrename to {to}\n"));
    moved.unwrap_or_default() + &unified_diff(&old_name, &new_name, old, new)
}
