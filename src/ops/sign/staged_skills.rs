//! Skills that a commit would take otherwise than they are signed: a commit signs no skill by itself, and takes none that its
//! manifest does not fit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::super::locate::{LocateError, Session, subject_at};
use super::error::Error;
use crate::capability::ProjectPath;
use crate::format;
use crate::git::{InWorkTree, Mode, Repository, StagedEntry};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, Space};
use crate::item::{
    EntryKind, Item, MOST_FILE_BYTES, SKILL_FILE, SkillEntry, SkillFault, SkillFolder, SkillManifest, is_skill_name,
};
use crate::workspace::MAX_ITEM_BYTES;

/// The most files that a folder of skills may hold in a commit.
const MAX_ENTRIES: usize = 200_000;

/// Finds the skills that are staged in another state than that which is signed, and new to the commit. With `is_all` a manifest in the
/// work tree counts, too: the commit takes it.
///
/// # Errors
///
/// Fails when index, objects or files cannot be read.
pub(super) fn faults(session: &Session, index_file: Option<&Path>, is_all: bool) -> Result<Vec<LocateError>, Error> {
    let repository = session.require_repository()?;
    let manifests = manifests(session, &repository, index_file, is_all)?;
    let head = repository.head()?.commit_id().cloned();
    // Whoever removes the last manifest does not end the judgement by it.
    let place = format!("{SPACE_FOLDER}/{}", ItemType::Skill.folder());
    let had_some = match &head {
        Some(head) => !repository.names_in(head, &place)?.is_empty(),
        None => false,
    };
    if manifests.is_empty() && !had_some {
        return Ok(Vec::new());
    }
    let mut faults = Vec::new();
    for path in session.skill_paths(Space::Project).iter().filter(|path| !path.as_str().is_empty()) {
        let staged = repository.staged_below(path.as_str(), index_file)?;
        let before = match &head {
            Some(head) => repository.entries_below(head, path.as_str(), MAX_ENTRIES)?,
            None => Vec::new(),
        };
        let before: BTreeSet<_> = before.into_iter().map(|entry| (entry.path, entry.mode, entry.blob_id)).collect();
        for (name, entries) in by_skill(path, &staged) {
            let is_new =
                entries.iter().any(|entry| !before.contains(&(entry.path.clone(), entry.mode, entry.blob_id.clone())));
            let count = before.iter().filter(|(old, ..)| skill_of(path, old) == Some(name.as_str())).count();
            if !is_new && count == entries.len() {
                continue;
            }
            let folder = folder(&repository, path, &name, &entries)?;
            faults.extend(fault_of(&name, &folder, &manifests));
        }
    }
    Ok(faults)
}

/// Says what keeps a folder from being committed.
fn fault_of(name: &str, folder: &SkillFolder, manifests: &[SkillManifest]) -> Option<LocateError> {
    let own: Vec<&SkillManifest> = manifests.iter().filter(|manifest| manifest.id.name() == name).collect();
    let item_id: ItemId = own.first().map(|manifest| manifest.id.clone()).or_else(|| name.parse().ok())?;
    if own.is_empty() {
        return Some(LocateError::SkillUnsigned { item_id, path: PathBuf::from(&folder.path) });
    }
    let faults: Vec<SkillFault> = own.iter().flat_map(|manifest| folder.compare(manifest)).collect();
    (!faults.is_empty()).then(|| LocateError::SkillChanged { item_id, path: PathBuf::from(&folder.path), faults })
}

/// Reads the manifests that the commit would have.
fn manifests(
    session: &Session,
    repository: &Repository,
    index_file: Option<&Path>,
    is_all: bool,
) -> Result<Vec<SkillManifest>, Error> {
    let folder = format!("{SPACE_FOLDER}/{}", ItemType::Skill.folder());
    let mut texts: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for entry in repository.staged_below(&folder, index_file)? {
        if matches!(entry.mode, Mode::File | Mode::Executable) && entry.in_work_tree != InWorkTree::LeftOut {
            texts.insert(entry.path, repository.blob_within(&entry.blob_id, MAX_ITEM_BYTES)?.unwrap_or_default());
        }
    }
    if is_all {
        let listing =
            session.workspace().list(Some(ItemType::Skill), Some(Space::Project)).map_err(LocateError::from)?;
        for candidate in listing.items {
            let bytes = session.workspace().read(&candidate).map_err(LocateError::from)?;
            texts.insert(super::super::locate::project_path(&candidate), bytes);
        }
    }
    let manifest = |(path, bytes): (String, Vec<u8>)| {
        let subject = subject_at(&path)?;
        match format::parse_bytes(ItemType::Skill, &subject.extension, &bytes).item {
            Some(Item::Skill(manifest)) => Some(*manifest),
            _ => None,
        }
    };
    Ok(texts.into_iter().filter_map(manifest).collect())
}

/// Groups the entries of a folder of skills by the skill they belong to; what is no skill is left out.
fn by_skill<'e>(path: &ProjectPath, entries: &'e [StagedEntry]) -> BTreeMap<String, Vec<&'e StagedEntry>> {
    let mut skills: BTreeMap<String, Vec<&StagedEntry>> = BTreeMap::new();
    for entry in entries {
        if let Some(name) = skill_of(path, &entry.path).filter(|name| is_skill_name(name)) {
            skills.entry(name.to_owned()).or_default().push(entry);
        }
    }
    skills.retain(|name, entries| {
        let top = format!("{path}/{name}/{SKILL_FILE}");
        entries.iter().any(|entry| entry.path == top)
    });
    skills
}

/// Returns the name of the skill that a file belongs to.
fn skill_of<'p>(path: &ProjectPath, file: &'p str) -> Option<&'p str> {
    file.strip_prefix(path.as_str())?.strip_prefix('/')?.split_once('/').map(|(name, _)| name)
}

fn folder(
    repository: &Repository,
    path: &ProjectPath,
    name: &str,
    staged: &[&StagedEntry],
) -> Result<SkillFolder, Error> {
    let folder = format!("{path}/{name}");
    let mut entries = Vec::new();
    for entry in staged {
        let kind = match entry.mode {
            Mode::File | Mode::Executable => match repository.blob_within(&entry.blob_id, MOST_FILE_BYTES)? {
                Some(bytes) => EntryKind::file(entry.mode == Mode::Executable, &bytes),
                None => EntryKind::Large { size: repository.size_of(&entry.blob_id)? },
            },
            Mode::Symlink => EntryKind::Link,
            Mode::Submodule | Mode::Tree => EntryKind::Repository,
        };
        entries.push(SkillEntry { path: entry.path[folder.len() + 1..].to_owned(), kind });
    }
    Ok(SkillFolder { path: folder, entries, is_cut: false })
}
