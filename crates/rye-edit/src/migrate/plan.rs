//! The planned result of each file, worked out before anything is written.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::error::Error;
use super::options::Options;
use super::outcome::State;
use super::renaming::Renaming;
use super::text::read;
use crate::capability::ProjectPath;
use crate::format::{Migration, Remark, Renames, Scope, migrate as rewrite, migrate_document};
use crate::id::{ItemId, ItemType, Space};
use crate::item::Node;
use crate::locate::{LocateError, project_path, subject};
use crate::project::Project;
use crate::trust::{LineState, split};
use crate::workspace::{self, Candidate, Listing, MAX_ITEM_BYTES, ProjectDir, Stray};

/// The files that change, and those for a person to review.
pub(super) struct Plan {
    pub(super) files: Vec<Planned>,
}

/// A file with its rewriting.
pub(super) struct Planned {
    pub(super) place: Place,
    pub(super) old: Vec<u8>,
    pub(super) migration: Migration,
    pub(super) state: State,
    was_signed: bool,
    /// The known obstacle to a write.
    pub(super) obstacle: Option<workspace::Error>,
}

/// Where a file lies.
pub(super) enum Place {
    Item {
        candidate: Candidate,
        new_id: Option<ItemId>,
    },
    Document(ProjectPath),
    /// No item: from the folder that holds `.ai`.
    Stray(String),
}

impl Plan {
    pub(super) fn make(project: &Project, options: &Options) -> Result<Self, Error> {
        let workspace = project.workspace();
        let space = if workspace.root(Space::Project).is_some() { Space::Project } else { Space::User };
        let Listing { items, strays } = workspace.list(None, Some(space)).map_err(LocateError::from)?;
        let everywhere = workspace.list(None, None).map_err(LocateError::from)?.items;
        let wanted = Wanted::new(project, options, &items, &strays)?;
        let renaming = Renaming::of(project, &wanted.directives(&items), &everywhere, &strays)?;
        let known: Vec<_> = everywhere.into_iter().map(|item| (item.item_type, item.id)).collect();
        let renames = Renames::new(&renaming.new, &known);
        let mut files = Vec::new();
        for candidate in items {
            let scope = if wanted.items.contains(&candidate.path) { Scope::All } else { Scope::References };
            files.extend(plan_item(project, candidate, scope, &renaming, &renames)?);
        }
        for path in &wanted.documents {
            files.extend(plan_document(project, path, &renames)?);
        }
        files.extend(wanted.strays.into_iter().map(|stray| Planned::stray(project, space, stray)));
        if files.is_empty() {
            project.root()?;
        }
        Ok(Self { files })
    }

    /// Returns the files that change and that the last commit does not hold as they are.
    pub(super) fn uncommitted(&self, project: &Project) -> Vec<String> {
        let Some(repository) = project.repository() else { return Vec::new() };
        let in_project = |file: &&Planned| !matches!(&file.place, Place::Item { candidate, .. } if candidate.space != Space::Project);
        let Ok(head) = repository.head() else { return Vec::new() };
        let is_committed = |file: &Planned| {
            let found = head.commit_id().map(|commit_id| repository.file_at(commit_id, &file.path()));
            found.is_some_and(|found| found.is_ok_and(|bytes| bytes.as_ref() == Some(&file.old)))
        };
        let changing = self.files.iter().filter(in_project).filter(|file| file.state == State::Pending);
        changing.filter(|file| !is_committed(file)).map(Planned::path).collect()
    }
}

/// The named item.
struct Wanted {
    items: BTreeSet<PathBuf>,
    documents: BTreeSet<ProjectPath>,
    strays: Vec<Stray>,
}

impl Wanted {
    fn new(project: &Project, options: &Options, items: &[Candidate], strays: &[Stray]) -> Result<Self, Error> {
        if options.only.is_empty() {
            let items = items.iter().map(|item| item.path.clone()).collect();
            return Ok(Self { items, documents: BTreeSet::new(), strays: strays.to_vec() });
        }
        let mut wanted = Self { items: BTreeSet::new(), documents: BTreeSet::new(), strays: Vec::new() };
        for name in &options.only {
            let paths = paths(project, name);
            let lies_there = |path: &Path| paths.iter().any(|named| path.starts_with(named));
            let fits = |item: &&Candidate| item.id.as_str() == name || lies_there(&item.path);
            let before = wanted.items.len() + wanted.strays.len();
            wanted.items.extend(items.iter().filter(fits).map(|item| item.path.clone()));
            wanted.strays.extend(strays.iter().filter(|stray| lies_there(&stray.path)).cloned());
            if wanted.items.len() + wanted.strays.len() == before && !items.iter().any(|item| fits(&item)) {
                let document = paths.iter().find_map(|path| document(project, path));
                wanted.documents.insert(document.ok_or_else(|| Error::NoMatch { name: name.clone() })?);
            }
        }
        Ok(wanted)
    }

    fn directives<'i>(&self, items: &'i [Candidate]) -> Vec<&'i Candidate> {
        let is_wanted = |item: &&Candidate| item.item_type == ItemType::Directive && self.items.contains(&item.path);
        items.iter().filter(is_wanted).collect()
    }
}

/// Returns the paths that a name may mean: from the current folder, and from the project's top.
fn paths(project: &Project, name: &str) -> Vec<PathBuf> {
    let here = project.context().current_dir();
    let root = project.workspace().root(Space::Project);
    std::iter::once(here).chain(root).map(|base| normal(&base.join(name))).collect()
}

/// Takes `.` and `..` out of a path by its words.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

/// Returns the place of a YAML file of the project that is not an item.
fn document(project: &Project, path: &Path) -> Option<ProjectPath> {
    let root = project.root().ok()?;
    let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let path: ProjectPath = path.strip_prefix(root).ok()?.to_str()?.parse().ok()?;
    (is_yaml && ProjectDir::open(root).ok()?.exists(&path)).then_some(path)
}

fn plan_item(
    project: &Project,
    candidate: Candidate,
    scope: Scope,
    renaming: &Renaming,
    renames: &Renames,
) -> Result<Option<Planned>, Error> {
    let old = match read(project, &candidate)? {
        Ok(old) => old,
        Err(_) if scope == Scope::References => return Ok(None),
        Err(why) => {
            let migration = Migration { remarks: vec![stays(why)], ..Migration::default() };
            return Ok(Some(Planned::new(Place::Item { candidate, new_id: None }, Vec::new(), migration)));
        }
    };
    let mut migration = rewrite(&subject(&candidate), &old, scope, renames);
    let parts = split(candidate.item_type, candidate.extension.comment(), old.as_bytes());
    let was_signed = !matches!(parts.line, LineState::Absent | LineState::Legacy);
    let own = |id: &ItemId| renaming.new.get(id).filter(|_| candidate.item_type == ItemType::Directive).cloned();
    let new_id = own(&candidate.id);
    if let Some(new) = &new_id {
        if !migration.is_change() {
            migration.text = String::from_utf8_lossy(&parts.body()).into_owned();
        }
        migration.changes.push(format!("move it to `{new}`"));
    }
    if scope == Scope::All && candidate.item_type == ItemType::Directive {
        migration.remarks.extend(renaming.kept.get(&candidate.id).cloned());
    }
    let mut planned = Planned::new(Place::Item { candidate, new_id }, old.into_bytes(), migration);
    planned.was_signed = was_signed;
    if let (State::Pending, Place::Item { candidate, .. }) = (planned.state, &planned.place) {
        let obstacle = project.workspace().check_replaceable(candidate).err();
        planned.meet(obstacle);
    }
    Ok(planned.is_shown().then_some(planned))
}

fn plan_document(project: &Project, path: &ProjectPath, renames: &Renames) -> Result<Option<Planned>, Error> {
    let files = ProjectDir::open(project.root()?).map_err(LocateError::from)?;
    let read = files.read(path, MAX_ITEM_BYTES).map_err(LocateError::from)?;
    let place = Place::Document(path.clone());
    let text = String::from_utf8(read.bytes).ok().filter(|_| !read.truncated);
    let Some(old) = text else {
        let why = "the file is not UTF-8, or larger than 1 MiB, so its forms stay";
        let migration = Migration { remarks: vec![stays(why.to_owned())], ..Migration::default() };
        return Ok(Some(Planned::new(place, Vec::new(), migration)));
    };
    let migration = migrate_document(&old, renames);
    let mut planned = Planned::new(place, old.into_bytes(), migration);
    if planned.state == State::Pending {
        planned.meet(files.check_replaceable(path).err());
    }
    Ok(planned.is_shown().then_some(planned))
}

fn stays(message: String) -> Remark {
    Remark { line: 1, stays: true, message }
}

impl Planned {
    fn new(place: Place, old: Vec<u8>, migration: Migration) -> Self {
        let state = if migration.is_change() { State::Pending } else { State::Kept };
        Self { place, old, migration, state, was_signed: false, obstacle: None }
    }

    fn stray(project: &Project, space: Space, Stray { path, reason, .. }: Stray) -> Self {
        let root = project.workspace().root(space);
        let shown = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(&path).display().to_string();
        let remark = Remark { line: 1, stays: false, message: format!("this file is not an item: {reason}") };
        let migration = Migration { remarks: vec![remark], ..Migration::default() };
        Self::new(Place::Stray(shown), Vec::new(), migration)
    }

    /// Takes in what keeps the file from being written.
    fn meet(&mut self, obstacle: Option<workspace::Error>) {
        let too_large = self.migration.text.len() as u64 > MAX_ITEM_BYTES;
        match obstacle {
            _ if too_large => self.keep("rewritten it would be larger than 1 MiB"),
            Some(obstacle) => {
                let message = format!("`--write` will write nothing because of this file: {obstacle}");
                self.migration.remarks.push(Remark { line: 1, stays: false, message });
                self.obstacle = Some(obstacle);
            }
            None => {}
        }
    }

    fn keep(&mut self, why: &str) {
        self.state = State::Kept;
        self.migration.changes.clear();
        self.migration.remarks.push(stays(why.to_owned()));
    }

    fn is_shown(&self) -> bool {
        self.state != State::Kept || !self.migration.remarks.is_empty()
    }

    /// Tells whether it loses, or lost, a signature.
    pub(super) const fn is_to_sign(&self) -> bool {
        self.was_signed && matches!(self.state, State::Pending | State::Changed | State::Unmoved)
    }

    /// Returns the path from the folder that holds `.ai`.
    pub(super) fn path(&self) -> String {
        match &self.place {
            Place::Item { candidate, .. } => project_path(candidate),
            Place::Document(path) => path.to_string(),
            Place::Stray(path) => path.clone(),
        }
    }

    /// Returns the path it gets, when that is another one.
    pub(super) fn new_path(&self) -> Option<String> {
        match &self.place {
            Place::Item { candidate, new_id: Some(id) } => {
                let moved = Candidate { id: id.clone(), ..candidate.clone() };
                Some(project_path(&moved))
            }
            _ => None,
        }
    }

    /// Returns the item under the id it has afterwards.
    pub(super) fn item(&self) -> Option<Node> {
        match &self.place {
            Place::Item { candidate, new_id } => {
                let item_id = new_id.as_ref().unwrap_or(&candidate.id).clone();
                Some(Node { item_type: candidate.item_type, item_id })
            }
            Place::Document(_) | Place::Stray(_) => None,
        }
    }
}
