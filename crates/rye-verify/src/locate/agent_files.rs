//! The files that instruct agents: which a work tree or a commit has, and how they differ from the list that was signed.
//!
//! Tracked files of the table of places (`capability`), at any depth, with those that links lead to, but for those of skills with a
//! signature of their own, which is judged with the skill. A submodule is its commit: what it contains is not listed.

use std::collections::{BTreeMap, BTreeSet};

use super::LocateError;
use super::agent_links::{AgentLinks, Led};
use super::signed_skills::SignedSkills;
use crate::capability::{AgentFiles, ProjectPath};
use crate::format::{AgentFile, AgentFileKind, AgentFileList, MAX_AGENT_FILES_BYTES, SignedAgentFiles};
use crate::git::{CommitId, Mode, Repository, Tracked, TrackedContent, TreeEntry, Untracked};
use crate::id::Space;
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
    /// Where their links lead.
    led: Led,
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

impl FoundAgentFiles {
    /// Finds those of the work tree: what git tracks, as it would store it.
    ///
    /// # Errors
    ///
    /// Fails when index or attributes cannot be read.
    pub fn here(project: &Project, skills: &SignedSkills) -> Result<Self, LocateError> {
        let repository = project.require_repository()?;
        let mut places = AgentFiles::default();
        let is_wanted = |path: &str, mode: Mode| mode == Mode::Symlink || places.has(path);
        let mut known: BTreeMap<String, Tracked> = BTreeMap::new();
        let mut read = repository.tracked(is_wanted, MOST_BYTES)?;
        let mut led = Led::default();
        while !read.is_empty() {
            known.extend(read.into_iter().map(|tracked| (tracked.path.clone(), tracked)));
            let links = known.values().filter_map(|tracked| link(&tracked.path, tracked.mode, &tracked.content));
            let links: BTreeMap<String, String> = links.collect();
            if links.is_empty() {
                break;
            }
            led = AgentLinks::new(links, repository.tracked_paths(|_| true)?).led();
            // What is a link in the work tree alone leads further.
            let is_new = |path: &str, _: Mode| led.files.contains(path) && !known.contains_key(path);
            read = repository.tracked(is_new, MOST_BYTES)?;
        }
        let mut places = AgentFiles::default();
        let mut found = Self { led, ..Self::default() };
        for (path, Tracked { mode, content, .. }) in known {
            if (places.has(&path) || found.led.files.contains(&path)) && !skills.cover(&path) {
                found.add(path, mode, &content);
            }
        }
        Ok(found)
    }

    /// Finds those of a commit, given the folders of skills that are named there, with the skills that are signed there.
    ///
    /// # Errors
    ///
    /// Fails when objects cannot be read, and for too many of them.
    pub fn at(
        repository: &Repository,
        commit_id: &CommitId,
        folders: BTreeSet<ProjectPath>,
    ) -> Result<(Self, SignedSkills), LocateError> {
        let entries = repository.entries_below(commit_id, "", MOST_ENTRIES)?;
        let skills = SignedSkills::at(repository, &entries, folders)?;
        let read = |entry: &TreeEntry| repository.committed(entry.mode, &entry.blob_id, MOST_BYTES);
        let mut links = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.mode == Mode::Symlink) {
            links.extend(link(&entry.path, entry.mode, &read(entry)?));
        }
        let led = match links.is_empty() {
            true => Led::default(),
            false => AgentLinks::new(links, entries.iter().map(|entry| entry.path.clone()).collect()).led(),
        };
        let mut places = AgentFiles::default();
        let mut found = Self { led, ..Self::default() };
        for entry in entries {
            if (places.has(&entry.path) || found.led.files.contains(&entry.path)) && !skills.cover(&entry.path) {
                let content = read(&entry)?;
                found.add(entry.path, entry.mode, &content);
            }
        }
        Ok((found, skills))
    }

    /// Lists the files of agents that git does not track, in the work tree that these were found in.
    ///
    /// # Errors
    ///
    /// Fails when the work tree cannot be walked through.
    pub fn untracked(&self, project: &Project, skills: &SignedSkills) -> Result<Untracked, LocateError> {
        let mut places = AgentFiles::default();
        let is_wanted = |path: &str| (places.has(path) || self.led.leads_to(path)) && !skills.cover(path);
        Ok(project.require_repository()?.untracked(is_wanted)?)
    }

    /// Lists the links of agents that lead out of the project, or nowhere that could be listed.
    pub fn led_out(&self) -> impl Iterator<Item = &str> {
        self.led.out.iter().map(String::as_str)
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
            |path: &&String| !self.files.contains_key(*path) && !self.left_out.contains(*path) && !skills.own(path);
        changes.extend(list.files.keys().filter(is_gone).map(|path| (path.clone(), AgentFileChange::Missing)));
        changes.sort();
        changes
    }
}

/// Returns where a link leads.
fn link(path: &str, mode: Mode, content: &TrackedContent) -> Option<(String, String)> {
    match (mode, content) {
        (Mode::Symlink, TrackedContent::Bytes(target)) => {
            Some((path.to_owned(), String::from_utf8_lossy(target).into_owned()))
        }
        _ => None,
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
