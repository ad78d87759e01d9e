//! The skills with a signature of their own, and the files that are judged with them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{LocateError, subject_at};
use crate::capability::{ProjectPath, skill_folders_at};
use crate::format::skill_manifest;
use crate::git::{Mode, Repository, TreeEntry};
use crate::id::{ItemType, Space};
use crate::item::SKILL_FILE;
use crate::project::Project;
use crate::workspace::MAX_ITEM_BYTES;

/// The skills of a project that have a manifest.
#[derive(Debug, Clone)]
pub struct SignedSkills {
    /// The files of their manifests, by their names.
    files: BTreeMap<String, BTreeSet<String>>,
    /// The folders of skills that are named.
    folders: BTreeSet<ProjectPath>,
    texts: Texts,
}

/// Where it is looked for the `SKILL.md` of a folder, without which no skill is judged there.
#[derive(Debug, Clone)]
enum Texts {
    /// Below the top of a work tree.
    Here(PathBuf),
    /// In these folders of a commit.
    Commit(BTreeSet<String>),
}

impl SignedSkills {
    /// Reads those of the work tree.
    ///
    /// # Errors
    ///
    /// Fails when the items cannot be listed.
    pub fn here(project: &Project) -> Result<Self, LocateError> {
        let mut skills = Self {
            files: BTreeMap::new(),
            folders: project.named_skill_paths(Space::Project),
            texts: Texts::Here(project.root()?.to_owned()),
        };
        for candidate in project.workspace().list(Some(ItemType::Skill), Some(Space::Project))?.items {
            // One that cannot be read covers nothing.
            if let Ok(bytes) = project.workspace().read(&candidate) {
                skills.add(candidate.id.name(), &bytes);
            }
        }
        Ok(skills)
    }

    /// Reads those of a commit with these entries, given the folders that are named there.
    pub(super) fn at(
        repository: &Repository,
        entries: &[TreeEntry],
        folders: BTreeSet<ProjectPath>,
    ) -> Result<Self, LocateError> {
        let is_file = |entry: &&TreeEntry| matches!(entry.mode, Mode::File | Mode::Executable);
        let texts = entries.iter().filter(is_file).filter_map(|entry| {
            let (folder, name) = entry.path.rsplit_once('/')?;
            (name == SKILL_FILE).then(|| folder.to_owned())
        });
        let mut skills = Self { files: BTreeMap::new(), folders, texts: Texts::Commit(texts.collect()) };
        for entry in entries.iter().filter(is_file) {
            let Some(subject) = subject_at(&entry.path).filter(|it| it.item_type == ItemType::Skill) else { continue };
            if let Some(bytes) = repository.blob_within(&entry.blob_id, MAX_ITEM_BYTES)? {
                skills.add(subject.item_id.name(), &bytes);
            }
        }
        Ok(skills)
    }

    fn add(&mut self, name: &str, manifest: &[u8]) {
        let Some(manifest) = skill_manifest(manifest) else { return };
        let files = manifest.files.into_iter().map(|file| file.path);
        self.files.entry(name.to_owned()).or_default().extend(files);
    }

    /// Tells whether the manifest of a skill that is judged where a path lies has this very file.
    pub(super) fn cover(&self, path: &str) -> bool {
        self.any(path, |files, file| files.contains(file))
    }

    /// Tells whether a path lies in a folder that is judged as a signed skill.
    pub(super) fn own(&self, path: &str) -> bool {
        self.any(path, |_, _| true)
    }

    fn any(&self, path: &str, is_meant: impl Fn(&BTreeSet<String>, &str) -> bool) -> bool {
        let in_skill = |(at, _): (usize, &str)| {
            let (folder, rest) = (&path[..at], &path[at + 1..]);
            let Some((name, file)) = rest.split_once('/') else { return false };
            let is_meant = self.files.get(name).is_some_and(|files| is_meant(files, file));
            is_meant && self.is_folder(folder) && self.has_text(&format!("{folder}/{name}"))
        };
        !self.files.is_empty() && path.match_indices('/').any(in_skill)
    }

    fn is_folder(&self, folder: &str) -> bool {
        let of_table = || skill_folders_at(folder, false).iter().any(|it| !it.is_offered && it.path == folder);
        self.folders.iter().any(|named| named.as_str() == folder) || of_table()
    }

    fn has_text(&self, folder: &str) -> bool {
        match &self.texts {
            Texts::Here(top) => top.join(folder).join(SKILL_FILE).symlink_metadata().is_ok_and(|found| found.is_file()),
            Texts::Commit(folders) => folders.contains(folder),
        }
    }
}
