//! Trust files on the way through a range: each commit's must be such as may follow those of each of its parents.
//!
//! Trust files are one set. A merge that takes one parent's follows another's where they may follow directly, or where
//! the history of the parent it takes them from once had the other's: the steps from there are judged by themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::super::locate::LocateError;
use super::base::Base;
use super::files::{self, MAX_ENTRIES};
use super::hint;
use super::lookalike::TRUST_FOLDER;
use crate::git::{CommitId, CommitRange, RangeCommit, Repository, TreeEntry};
use crate::project::Project;
use crate::trust::{ManifestFault, TrustFile, trust_file_path};

/// What the commits of a range do with trust files.
#[derive(Default)]
pub(super) struct Course {
    /// Every commit with its parents, each after them.
    commits: Vec<(CommitId, Vec<CommitId>)>,
    /// Those whose trust files are not those of each parent, and whether they are of none.
    changing: BTreeMap<CommitId, bool>,
}

/// A fault of a commit's trust files.
pub(super) struct TrustFault {
    pub(super) commit_id: CommitId,
    pub(super) fault: ManifestFault,
    pub(super) hint: String,
}

/// The trust files of a commit, by their objects.
struct State {
    commit_id: CommitId,
    objects: Objects,
}

type Objects = (Vec<TreeEntry>, Option<TreeEntry>, bool);

/// The trust files that a commit's successors are held against: its own, or those before it where its own may not follow.
type Standing = Vec<Rc<State>>;

impl Course {
    /// Takes in a commit. `changes`: whether its trust files are those of none of its parents; none if they are those of each.
    pub(super) fn commit(&mut self, commit: &RangeCommit, changes: Option<bool>) {
        self.commits.push((commit.commit_id.clone(), commit.info.parents.clone()));
        self.changing.extend(changes.map(|is_own| (commit.commit_id.clone(), is_own)));
    }

    /// Returns the commits that change trust files or the configuration, each after its parents.
    pub(super) fn changing(&self) -> impl Iterator<Item = &CommitId> {
        let changes = |commit_id: &&CommitId| self.changing.contains_key(*commit_id);
        self.commits.iter().map(|(commit_id, _)| commit_id).filter(changes)
    }

    /// Judges the commits that change trust files. `is_end_faulty`: the end's are told of by themselves.
    pub(super) fn judge(
        &self,
        project: &Project,
        base: &Base,
        last: &CommitId,
        is_end_faulty: bool,
    ) -> Result<Vec<TrustFault>, LocateError> {
        if self.changing.is_empty() {
            return Ok(Vec::new());
        }
        let repository = files::repository(project)?;
        let mut judge = Judge { project, repository: &repository, base, standing: BTreeMap::new() };
        let end = objects(&repository, last)?;
        let mut found = Vec::new();
        for (commit_id, parents) in &self.commits {
            let before = judge.before(parents)?;
            let Some(is_own) = self.changing.get(commit_id) else {
                judge.standing.insert(commit_id.clone(), before);
                continue;
            };
            let state = Rc::new(State { commit_id: commit_id.clone(), objects: objects(&repository, commit_id)? });
            let is_end = state.objects == end;
            let fault = match judge.fault(&state, *is_own && !is_end, &before, parents)? {
                None if is_end && is_end_faulty && *is_own => None,
                None => {
                    judge.standing.insert(commit_id.clone(), vec![state]);
                    continue;
                }
                fault => fault.filter(|_| !(is_end && is_end_faulty)),
            };
            judge.standing.insert(commit_id.clone(), before);
            found.extend(fault.map(|(fault, newer)| {
                let hint = match newer {
                    Some(newer) if is_end => hint::trust(&newer, &fault),
                    Some(_) | None => hint::mended(commit_id),
                };
                TrustFault { commit_id: commit_id.clone(), fault, hint }
            }));
        }
        Ok(found)
    }
}

struct Judge<'a> {
    project: &'a Project,
    repository: &'a Repository,
    base: &'a Base,
    standing: BTreeMap<CommitId, Standing>,
}

impl Judge<'_> {
    /// Returns what a commit with these parents is held against. Changes before the range are vouched for.
    fn before(&self, parents: &[CommitId]) -> Result<Standing, LocateError> {
        let mut before = Standing::new();
        for parent in parents {
            let of_parent = match self.standing.get(parent) {
                Some(standing) => standing.clone(),
                None => {
                    let objects = objects(self.repository, parent)?;
                    vec![Rc::new(State { commit_id: parent.clone(), objects })]
                }
            };
            for state in of_parent {
                if !before.iter().any(|known| known.objects == state.objects) {
                    before.push(state);
                }
            }
        }
        Ok(before)
    }

    /// Returns why a commit's trust files may not follow, and the commit whose they may not follow; none for the trust root.
    fn fault(
        &self,
        state: &State,
        is_held_against_base: bool,
        before: &[Rc<State>],
        parents: &[CommitId],
    ) -> Result<Option<(ManifestFault, Option<CommitId>)>, LocateError> {
        if is_held_against_base && let Some(fault) = self.base.trust_fault(self.project, Some(&state.commit_id))? {
            return Ok(Some((fault, None)));
        }
        for known in before.iter().filter(|known| known.objects != state.objects) {
            if let Some(fault) = self.base.step_fault(self.project, &known.commit_id, &state.commit_id)?
                && !self.is_later(known, state, parents)?
            {
                return Ok(Some((fault, Some(known.commit_id.clone()))));
            }
        }
        Ok(None)
    }

    /// Tells whether the trust files are those of a parent or the trust root, in whose history the earlier ones were once.
    fn is_later(&self, earlier: &State, state: &State, parents: &[CommitId]) -> Result<bool, LocateError> {
        for known in parents.iter().chain([&self.base.commit_id]) {
            if objects(self.repository, known)? == state.objects && self.had(known, earlier)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tells whether the history of a commit had these trust files, since it parted from a commit that has them.
    fn had(&self, last: &CommitId, earlier: &State) -> Result<bool, LocateError> {
        let range = CommitRange { after: Some(earlier.commit_id.clone()), last: last.clone() };
        let commits = self.repository.commits_in(&range)?;
        let parents: BTreeSet<&CommitId> = commits.iter().flat_map(|commit| &commit.info.parents).collect();
        for commit_id in parents {
            if objects(self.repository, commit_id)? == earlier.objects {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn objects(repository: &Repository, commit_id: &CommitId) -> Result<Objects, LocateError> {
    let config = trust_file_path(TrustFile::Config.as_str());
    let trust_files = repository.entries_below(commit_id, TRUST_FOLDER, MAX_ENTRIES)?;
    Ok((trust_files, repository.entry_at(commit_id, &config)?, repository.has_at(commit_id, &config)?))
}
