//! The files that instruct agents, held against the list that was signed, `.ai/agent-files.sig`.
//!
//! They are judged once there is a list; the trust root and the history of the branch count as well, so that removing the list does not
//! end the judgement. Of a range, each commit is judged that changes one of them, and the whole tree at its end.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::{FoundAgentFiles, LocateError, SignedSkills, agent_files_bytes, history_store, past_lists};
use super::agent_file_fault::{At, ListFault, finding};
use super::base::Base;
use super::demand::Demand;
use super::files::{self, Selection};
use super::outcome::{Finding, Outcome};
use crate::capability::AgentFiles;
use crate::format::{AGENT_FILES, AgentFileKind, AgentFilesError, MAX_AGENT_FILES_BYTES, SignedAgentFiles};
use crate::git::{CommitId, Mode, RangeCommit, Repository};
use crate::id::{SPACE_FOLDER, Space};
use crate::project::Project;
use crate::trust::{KeyId, TrustedKeys};

/// What is judged: the work tree, or a commit with those on the way to it.
struct Judged<'a> {
    project: &'a Project,
    keys: &'a TrustedKeys,
    base: Option<&'a Base>,
    last: Option<&'a CommitId>,
    on_the_way: &'a [RangeCommit],
    no_cache: bool,
}

/// Judges the files of the work tree, or of the last commit and those on the way to it.
pub(super) fn found(
    project: &Project,
    keys: &TrustedKeys,
    base: Option<&Base>,
    (last, on_the_way): (Option<&CommitId>, &[RangeCommit]),
    no_cache: bool,
) -> Result<Found, LocateError> {
    Judged { project, keys, base, last, on_the_way, no_cache }.found()
}

/// Whether a file that instructs agents counts as signed in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentFileStanding {
    /// The list of the commit has it as it is, and this key, which counts, signed the list.
    Signed(KeyId),
    /// It does not count, for this reason.
    NotSigned(String),
}

impl AgentFileStanding {
    /// Judges one file of a commit, as [`verify`](super::verify()) judges all of them. Where replace refs or grafts answer for objects, no
    /// file counts as signed.
    ///
    /// # Errors
    ///
    /// Fails when the commit or its files cannot be read.
    pub fn at(project: &Project, commit_id: &CommitId, path: &str) -> Result<Self, LocateError> {
        let keys = project.keys();
        Judged { project, keys: &keys, base: None, last: Some(commit_id), on_the_way: &[], no_cache: false }
            .standing(commit_id, path)
    }
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    told: Vec<Told>,
    /// The files that are listed or found at the end; empty where nothing demands a list.
    paths: BTreeSet<String>,
    is_judged: bool,
}

/// One fault, and the commit that has it.
struct Told {
    at: At,
    commit_id: Option<CommitId>,
    is_last: bool,
}

/// A list with its bytes, or why it cannot be used.
type Read = Result<(SignedAgentFiles, Vec<u8>), String>;

/// What a tree has in the place of the list.
type List = Option<Read>;

impl Judged<'_> {
    /// Judges the files.
    fn found(&self) -> Result<Found, LocateError> {
        let mut found = match self.last {
            Some(last) => self.of_commit(last)?,
            None => self.of_work_tree()?,
        };
        if let Some(last) = self.last.filter(|_| !self.on_the_way.is_empty()) {
            let way = self.on_the_way(last)?;
            let first_with = |at: &At| way.iter().find(|told| told.at == *at).map(|told| told.commit_id.clone());
            for told in &mut found.told {
                told.commit_id = first_with(&told.at).unwrap_or(told.commit_id.take());
            }
            let is_told = |way: &Told| found.told.iter().any(|told| told.at == way.at);
            let others: Vec<Told> = way.into_iter().filter(|told| !is_told(told)).collect();
            found.told.extend(others);
        }
        Ok(found)
    }

    fn of_work_tree(&self) -> Result<Found, LocateError> {
        if self.project.workspace().root(Space::Project).is_none() {
            return Ok(Found::default());
        }
        let Some(repository) = self.project.repository() else { return Ok(Found::default()) };
        let list = match agent_files_bytes(self.project) {
            Ok(bytes) => bytes.map(read),
            Err(error) => Some(Err(error.to_string())),
        };
        let head = repository.head()?.commit_id().cloned();
        let before = self.before(&repository, head.as_slice())?;
        if list.is_none() && before.is_empty() {
            return Ok(Found::default());
        }
        let skills = SignedSkills::here(self.project)?;
        let files = FoundAgentFiles::here(self.project, &skills)?;
        let mut told = self.faults(&list, &before, &files, &skills);
        for path in files.untracked(self.project, &skills)?.new {
            told.push(At { path, fault: ListFault::Untracked, digest: None });
        }
        Ok(Found::of(told, &list, &files, None))
    }

    fn of_commit(&self, commit_id: &CommitId) -> Result<Found, LocateError> {
        let repository = files::repository(self.project)?;
        let list = list_at(&repository, commit_id)?;
        let before = self.before(&repository, &parents(&repository, commit_id)?)?;
        if list.is_none() && before.is_empty() {
            return Ok(Found::default());
        }
        let (files, skills) = self.files_at(&repository, commit_id)?;
        let told = self.faults(&list, &before, &files, &skills);
        Ok(Found::of(told, &list, &files, Some(commit_id)))
    }

    fn standing(&self, commit_id: &CommitId, path: &str) -> Result<AgentFileStanding, LocateError> {
        let not_signed = |reason: &str| Ok(AgentFileStanding::NotSigned(reason.to_owned()));
        let repository = self.project.require_repository()?;
        if repository.refuse_rewrites().is_err() {
            return not_signed("the repository rewrites its history");
        }
        let Some(list) = list_at(&repository, commit_id)? else {
            return not_signed("there is no signed list of agent files");
        };
        let before = self.before(&repository, &parents(&repository, commit_id)?)?;
        let (files, skills) = self.files_at(&repository, commit_id)?;
        let key_id = list.as_ref().ok().map(|(signed, _)| signed.key.key_id());
        let is_listed = list.iter().any(|(signed, _)| signed.list.files.contains_key(path));
        let faults = self.faults(&Some(list), &before, &files, &skills);
        // A fault of the list is one of each file.
        let fault = faults.iter().find(|at| at.path == path || at.fault.is_of_list());
        match (fault, key_id) {
            (None, Some(key_id)) if is_listed => Ok(AgentFileStanding::Signed(key_id)),
            (Some(at), _) => Ok(AgentFileStanding::NotSigned(at.fault.reason())),
            (None, _) => not_signed("the signed list of agent files does not have it"),
        }
    }

    /// Judges the commits on the way that change something. What a commit's parent has as well is not its own.
    fn on_the_way(&self, last: &CommitId) -> Result<Vec<Told>, LocateError> {
        let repository = files::repository(self.project)?;
        let mut known: BTreeMap<CommitId, Vec<At>> = BTreeMap::new();
        let mut told = Vec::new();
        for RangeCommit { commit_id, info } in self.on_the_way {
            if !self.changes_some(&repository, commit_id, &info.parents)? {
                continue;
            }
            let mut older = Vec::new();
            for parent in &info.parents {
                older.extend(self.faults_at(&repository, parent, &mut known)?);
            }
            let own = self.faults_at(&repository, commit_id, &mut known)?;
            let new = own.into_iter().filter(|at| !older.contains(at));
            let is_last = commit_id == last;
            told.extend(new.map(|at| Told { at, commit_id: Some(commit_id.clone()), is_last }));
        }
        Ok(told)
    }

    /// Tells whether a commit has or had a list, and changes it, a file of agents, or what decides which of them are skills'.
    fn changes_some(
        &self,
        repository: &Repository,
        commit_id: &CommitId,
        parents: &[CommitId],
    ) -> Result<bool, LocateError> {
        let mut lists = Vec::new();
        for commit_id in [commit_id].into_iter().chain(parents) {
            lists.extend(list_at(repository, commit_id)?);
        }
        if lists.is_empty() {
            return Ok(false);
        }
        // What lies behind a link can have any name.
        let is_link = |list: &Read| {
            let files = list.iter().flat_map(|(signed, _)| signed.list.files.values());
            files.into_iter().any(|file| file.kind == AgentFileKind::Link)
        };
        let mut places = AgentFiles::default();
        let below = format!("{SPACE_FOLDER}/");
        let changed = repository.changed_paths(parents, commit_id)?;
        let mut is_of_agents = |path: &str| path.starts_with(&below) || places.has(path);
        let is_changed = changed.iter().any(|it| it.is_link || is_of_agents(&it.path));
        Ok(parents.is_empty() || is_changed || lists.iter().any(is_link))
    }

    /// Returns the faults of a commit by itself.
    fn faults_at(
        &self,
        repository: &Repository,
        commit_id: &CommitId,
        known: &mut BTreeMap<CommitId, Vec<At>>,
    ) -> Result<Vec<At>, LocateError> {
        if let Some(known) = known.get(commit_id) {
            return Ok(known.clone());
        }
        let list = list_at(repository, commit_id)?;
        let mut before = Vec::new();
        // Where history is cut off, nothing came before that is known.
        for parent in parents(repository, commit_id)? {
            before.extend(list_at(repository, &parent).ok().flatten());
        }
        let faults = if list.is_none() && before.is_empty() {
            Vec::new()
        } else {
            let (files, skills) = self.files_at(repository, commit_id)?;
            self.faults(&list, &before, &files, &skills)
        };
        known.insert(commit_id.clone(), faults.clone());
        Ok(faults)
    }

    fn files_at(
        &self,
        repository: &Repository,
        commit_id: &CommitId,
    ) -> Result<(FoundAgentFiles, SignedSkills), LocateError> {
        let folders = Demand::of_commit(self.project, self.base, commit_id)?.paths;
        FoundAgentFiles::at(repository, commit_id, folders)
    }

    /// Reads the lists of commits before, of those that the first of them builds on, and of the trust root.
    fn before(&self, repository: &Repository, commits: &[CommitId]) -> Result<Vec<Read>, LocateError> {
        let mut before = Vec::new();
        for commit_id in commits {
            // Where history is cut off, nothing came before that is known.
            before.extend(list_at(repository, commit_id).ok().flatten());
        }
        let past = commits.first().map(|first| {
            let store = if self.no_cache { None } else { history_store(self.project, repository) };
            past_lists(repository, first, store)
        });
        for blob_id in past.and_then(Result::ok).unwrap_or_default() {
            let bytes = repository.blob_within(&blob_id, MAX_AGENT_FILES_BYTES).ok().flatten();
            before.extend(bytes.map(read));
        }
        if let Some(base) = self.base {
            before.extend(list_at(repository, &base.commit_id)?);
        }
        Ok(before)
    }

    fn faults(&self, list: &List, before: &[Read], files: &FoundAgentFiles, skills: &SignedSkills) -> Vec<At> {
        let of_list = |fault| At { path: AGENT_FILES.to_owned(), fault, digest: None };
        let (signed, bytes) = match list {
            None => return vec![of_list(ListFault::Removed)],
            Some(Err(reason)) => return vec![of_list(ListFault::Unread(reason.clone()))],
            Some(Ok((signed, bytes))) => (signed, bytes),
        };
        let mut faults = Vec::new();
        let claimed = signed.list.signed_at;
        match self.keys.judge_detached(&signed.key, claimed) {
            Ok(_) => {
                let is_newer = |known: &SignedAgentFiles| {
                    known.list.signed_at > claimed && self.keys.judge_detached(&known.key, known.list.signed_at).is_ok()
                };
                let others = before.iter().flatten().filter(|(_, other)| other != bytes);
                let newer = others.map(|(known, _)| known).filter(|known| is_newer(known));
                let known = newer.map(|known| known.list.signed_at).max();
                faults.extend(known.map(|known| of_list(ListFault::Older { claimed, known })));
            }
            Err(fault) => faults.push(of_list(ListFault::Signature(fault))),
        }
        for (path, change) in files.changes(&signed.list, skills) {
            let digest = files.files.get(&path).and_then(|file| file.digest);
            faults.push(At { path, fault: ListFault::File(change), digest });
        }
        let led_out = |path: &str| At { path: path.to_owned(), fault: ListFault::LedOut, digest: None };
        faults.extend(files.led_out().map(led_out));
        faults
    }
}

fn parents(repository: &Repository, commit_id: &CommitId) -> Result<Vec<CommitId>, LocateError> {
    Ok(repository.commit_info(commit_id)?.parents)
}

fn list_at(repository: &Repository, commit_id: &CommitId) -> Result<List, LocateError> {
    Ok(match repository.entry_at(commit_id, AGENT_FILES)? {
        None if repository.has_at(commit_id, AGENT_FILES)? => Some(Err("it is a folder".to_owned())),
        None => None,
        Some(entry) if matches!(entry.mode, Mode::File | Mode::Executable) => {
            let bytes = repository.blob_within(&entry.blob_id, MAX_AGENT_FILES_BYTES)?;
            let too_large = || format!("it is larger than {MAX_AGENT_FILES_BYTES} bytes");
            Some(bytes.ok_or_else(too_large).and_then(read))
        }
        Some(_) => Some(Err("it is not a regular file".to_owned())),
    })
}

fn read(bytes: Vec<u8>) -> Read {
    match SignedAgentFiles::parse(&bytes) {
        Ok(signed) => Ok((signed, bytes)),
        Err(error @ (AgentFilesError::Malformed { .. } | AgentFilesError::Signature(_))) => Err(error.to_string()),
    }
}

impl Found {
    fn of(told: Vec<At>, list: &List, files: &FoundAgentFiles, commit_id: Option<&CommitId>) -> Self {
        let listed = list.iter().flatten().flat_map(|(signed, _)| signed.list.files.keys());
        let paths = listed.chain(files.files.keys()).chain(told.iter().map(|at| &at.path)).cloned();
        let paths: BTreeSet<String> = paths.chain([AGENT_FILES.to_owned()]).collect();
        let told = told.into_iter().map(|at| Told { at, commit_id: commit_id.cloned(), is_last: true }).collect();
        Self { told, paths, is_judged: true }
    }

    /// Lists the paths that can be named.
    pub(super) const fn paths(&self) -> &BTreeSet<String> {
        &self.paths
    }

    /// Takes the findings about what is named into the outcome.
    pub(super) fn tell(self, selection: &Selection<'_>, outcome: &mut Outcome) {
        if self.is_judged {
            let is_file = |path: &&String| path.as_str() != AGENT_FILES && selection.names_file(path);
            outcome.agent_files = Some(self.paths.iter().filter(is_file).count());
        }
        for Told { at, commit_id, is_last } in self.told {
            if selection.names_file(&at.path) {
                let finding = finding(at, commit_id.as_ref().filter(|_| !is_last), outcome);
                outcome.findings.push(Finding { commit_id, ..finding });
            }
        }
    }
}
