//! The files that instruct agents: which a work tree or a commit has, and how they differ from the list that was signed.
//!
//! Tracked files of the table of places (`capability`), at any depth, but for those of skills with a signature of their own, which is
//! judged with the skill. A link is what it says, and a submodule its commit: what a submodule contains is not listed.

use std::collections::{BTreeMap, BTreeSet};

use super::{LocateError, subject_at};
use crate::capability::{AgentFiles, ProjectPath, skill_folders_at};
use crate::format::{AgentFile, AgentFileKind, AgentFileList, MAX_AGENT_FILES_BYTES, SignedAgentFiles};
use crate::git::{CommitId, Mode, Repository, TrackedContent};
use crate::id::{ItemType, SPACE_FOLDER, Space};
use crate::project::Project;
use crate::trust::ContentHash;

/// The most bytes of one file that are read.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The most entries of a commit that are looked at.
const MOST_ENTRIES: usize = 2_000_000;

/// The files of agents that a work tree or a commit has.
#[derive(Debug, Clone, Default)]
pub struct FoundAgentFiles {
    /// The files, by their paths.
    pub files: BTreeMap<String, AgentFile>,
    /// Those that a sparse checkout leaves out.
    pub left_out: BTreeSet<String>,
}

/// How a file differs from the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentFileChange {
    /// It is not listed.
    Unlisted,
    /// It has other content than the list says, or another kind.
    Changed,
    /// It is listed and does not exist.
    Missing,
}

impl AgentFileChange {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unlisted => "unlisted",
            Self::Changed => "changed",
            Self::Missing => "missing",
        }
    }
}

/// The skills with a signature of their own.
#[derive(Debug, Clone, Default)]
pub struct SignedSkills {
    names: BTreeSet<String>,
    folders: BTreeSet<ProjectPath>,
}

impl SignedSkills {
    /// Reads those of the work tree.
    ///
    /// # Errors
    ///
    /// Fails when the items cannot be listed.
    pub fn here(project: &Project) -> Result<Self, LocateError> {
        let listing = project.workspace().list(Some(ItemType::Skill), Some(Space::Project))?;
        let names = listing.items.into_iter().map(|candidate| candidate.id.name().to_owned()).collect();
        Ok(Self { names, folders: project.named_skill_paths(Space::Project) })
    }

    /// Reads those of a commit, given the folders that are named there.
    ///
    /// # Errors
    ///
    /// Fails when objects cannot be read.
    pub fn at(
        repository: &Repository,
        commit_id: &CommitId,
        folders: BTreeSet<ProjectPath>,
    ) -> Result<Self, LocateError> {
        let manifests = format!("{SPACE_FOLDER}/{}", ItemType::Skill.folder());
        let entries = repository.entries_below(commit_id, &manifests, MOST_ENTRIES)?;
        let names = entries.into_iter().filter_map(|entry| Some(subject_at(&entry.path)?.item_id.name().to_owned()));
        Ok(Self { names: names.collect(), folders })
    }

    /// Tells whether a path belongs to one of them.
    fn have(&self, path: &str) -> bool {
        let in_skill = |(at, _): (usize, &str)| {
            let (folder, rest) = (&path[..at], &path[at + 1..]);
            let name = rest.split('/').next().unwrap_or_default();
            self.names.contains(name) && self.is_folder(folder)
        };
        !self.names.is_empty() && path.match_indices('/').any(in_skill)
    }

    fn is_folder(&self, folder: &str) -> bool {
        let of_table = || skill_folders_at(folder, false).iter().any(|it| !it.is_offered && it.path == folder);
        self.folders.iter().any(|named| named.as_str() == folder) || of_table()
    }
}

impl FoundAgentFiles {
    /// Finds those of the work tree: what git tracks, as it would store it.
    ///
    /// # Errors
    ///
    /// Fails when index or attributes cannot be read.
    pub fn here(project: &Project, skills: &SignedSkills) -> Result<Self, LocateError> {
        let mut places = AgentFiles::default();
        let is_wanted = |path: &str| places.has(path) && !skills.have(path);
        let mut found = Self::default();
        for tracked in project.require_repository()?.tracked(is_wanted, MOST_BYTES)? {
            found.add(tracked.path, tracked.mode, &tracked.content);
        }
        Ok(found)
    }

    /// Finds those of a commit.
    ///
    /// # Errors
    ///
    /// Fails when objects cannot be read, and for too many of them.
    pub fn at(repository: &Repository, commit_id: &CommitId, skills: &SignedSkills) -> Result<Self, LocateError> {
        let mut places = AgentFiles::default();
        let mut found = Self::default();
        for entry in repository.entries_below(commit_id, "", MOST_ENTRIES)? {
            if places.has(&entry.path) && !skills.have(&entry.path) {
                let content = repository.committed(entry.mode, &entry.blob_id, MOST_BYTES)?;
                found.add(entry.path, entry.mode, &content);
            }
        }
        Ok(found)
    }

    fn add(&mut self, path: String, mode: Mode, content: &TrackedContent) {
        let digest = match content {
            TrackedContent::Bytes(bytes) => Some(ContentHash::of(bytes)),
            TrackedContent::Unread => None,
            TrackedContent::Absent => return,
            TrackedContent::LeftOut => {
                self.left_out.insert(path);
                return;
            }
        };
        let kind = match mode {
            Mode::File | Mode::Tree => AgentFileKind::File,
            Mode::Executable => AgentFileKind::Executable,
            Mode::Symlink => AgentFileKind::Link,
            Mode::Submodule => AgentFileKind::Submodule,
        };
        self.files.insert(path, AgentFile { kind, digest });
    }

    /// Lists the paths of files that are too large or cannot be read.
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|(_, file)| file.digest.is_none()).map(|(path, _)| path.as_str())
    }

    /// Tells how the files differ from a list; those of skills that were signed since do not.
    #[must_use]
    pub fn changes(&self, list: &AgentFileList, skills: &SignedSkills) -> Vec<(String, AgentFileChange)> {
        let mut changes = Vec::new();
        for (path, file) in &self.files {
            match list.files.get(path) {
                None => changes.push((path.clone(), AgentFileChange::Unlisted)),
                Some(listed) if listed != file || file.digest.is_none() => {
                    changes.push((path.clone(), AgentFileChange::Changed));
                }
                Some(_) => {}
            }
        }
        let is_gone =
            |path: &&String| !self.files.contains_key(*path) && !self.left_out.contains(*path) && !skills.have(path);
        changes.extend(list.files.keys().filter(is_gone).map(|path| (path.clone(), AgentFileChange::Missing)));
        changes.sort();
        changes
    }
}

/// The list of the work tree, with what it says of its files.
#[derive(Debug, Clone)]
pub struct ListedAgentFiles {
    /// The list; the reason why it cannot be used.
    pub list: Result<SignedAgentFiles, String>,
    /// How the files differ from it, sorted by path; all of them where it cannot be used.
    pub changes: Vec<(String, AgentFileChange)>,
}

impl ListedAgentFiles {
    /// Reads the list of the work tree and holds its files against it; none without a list.
    ///
    /// # Errors
    ///
    /// Fails when index, attributes or items cannot be read.
    pub fn here(project: &Project) -> Result<Option<Self>, LocateError> {
        let Some(bytes) = agent_files_bytes(project)? else { return Ok(None) };
        let list = SignedAgentFiles::parse(&bytes).map_err(|error| error.to_string());
        let skills = SignedSkills::here(project)?;
        let found = FoundAgentFiles::here(project, &skills)?;
        let changes = match &list {
            Ok(signed) => found.changes(&signed.list, &skills),
            Err(_) => found.files.into_keys().map(|path| (path, AgentFileChange::Unlisted)).collect(),
        };
        Ok(Some(Self { list, changes }))
    }
}

/// Reads `.ai/agent-files.sig` of the work tree; none without one, and where the project is the home folder of a person.
///
/// # Errors
///
/// Fails when it is too large, no regular file or unreadable.
pub fn agent_files_bytes(project: &Project) -> Result<Option<Vec<u8>>, LocateError> {
    if project.workspace().root(Space::Project).is_none() || project.repository().is_none() {
        return Ok(None);
    }
    Ok(project.workspace().project_file(AGENT_FILES_NAME, MAX_AGENT_FILES_BYTES)?)
}

/// The name of the list in `.ai/`.
pub const AGENT_FILES_NAME: &str = "agent-files.sig";
