//! What accepting a thread would do, found out without changing anything: what it changed, what of that is meant, what the
//! person has there, and whether both fit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::error::Error;
use super::merge::{Joined, Joining};
use super::plan::{
    AcceptOptions, Conflict, ConflictKind, InTheWay, LeftOut, MAX_BYTES, Obstacle, Step, Version, Why, version,
};
use crate::capability::{ProjectPath, Standpoint, folded};
use crate::commit::from_the_top;
use crate::git::{Attributes, CommitId, Git, Indexed, Mode, Repository, TreeChange};
use crate::locate::subject_at;
use crate::session::Session;
use crate::thread::record::Outcome;
use crate::workspace::{self, GitFolders, Held, ProjectDir};

/// Files below `.ai` that decide what may run.
const SETTINGS: [&str; 4] = ["trust", "config.toml", "plugins", "threads"];

/// The findings.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) steps: Vec<Step>,
    /// What the index has of each path that is meant.
    pub(super) indexed: BTreeMap<String, Indexed>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) obstacles: Vec<Obstacle>,
}

/// The checked paths.
pub(super) struct Surveyor<'a> {
    pub(super) session: &'a Session,
    pub(super) repository: &'a Repository,
    pub(super) git: &'a Git,
    pub(super) project: &'a ProjectDir,
    pub(super) folder: &'a Path,
    pub(super) head: Option<&'a CommitId>,
    pub(super) thread: &'a Outcome,
    pub(super) options: &'a AcceptOptions,
}

/// Which paths are meant.
struct Meant {
    only: Vec<String>,
    commit: Vec<String>,
}

/// One path, with all that is known of it.
struct Found<'c> {
    path: ProjectPath,
    base: Option<Version>,
    ours: Option<Version>,
    theirs: Option<Version>,
    indexed: &'c Indexed,
    attributes: &'c Attributes,
}

impl Surveyor<'_> {
    /// Looks at everything.
    pub(super) fn survey(&self, changes: Vec<TreeChange>) -> Result<Survey, Error> {
        let meant = self.meant(&changes)?;
        let changes: Vec<TreeChange> = changes.into_iter().filter(|change| meant.has(&change.path)).collect();
        let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        let indexed = self.repository.indexed(&paths)?;
        let attributes = self.git.attributes(&paths, self.repository.converts_lines())?;
        let standpoint = self.session.project().standpoint()?;
        let mut survey = Survey::default();
        for change in &changes {
            if let Some(reason) = left_out(change, &meant, &standpoint) {
                if let (Why::RunsCode | Why::Settings, Some(folder)) = (reason, meant.to_commit(&change.path)) {
                    let (folder, path) = (folder.to_owned(), change.path.clone());
                    return Err(Error::TooWide { thread: self.thread.name(), folder, path, reason });
                }
                survey.left_out.push(LeftOut::new(change.path.clone(), reason));
                continue;
            }
            // Both are asked for each path, and so have it.
            let (Some(indexed), Some(attributes)) = (indexed.get(&change.path), attributes.get(&change.path)) else {
                continue;
            };
            let Ok(path) = change.path.parse() else { continue };
            let ours = self.head.map(|head| self.repository.entry_at(head, &change.path)).transpose()?.flatten();
            let [base, ours, theirs] = [change.before.as_ref(), ours.as_ref(), change.after.as_ref()].map(version);
            self.look(&Found { path, base, ours, theirs, indexed, attributes }, &meant, &mut survey)?;
        }
        self.repositories(&mut survey)?;
        self.twins(&mut survey)?;
        survey.indexed = indexed;
        Ok(survey)
    }

    fn meant(&self, changes: &[TreeChange]) -> Result<Meant, Error> {
        let of = |given: &[String]| -> Result<Vec<String>, Error> {
            let paths = from_the_top(self.session.project(), given)?;
            if let Some(path) = paths.iter().find(|path| !changes.iter().any(|change| lies_in(&change.path, path))) {
                return Err(Error::NotChanged { thread: self.thread.name(), path: path.clone() });
            }
            Ok(paths)
        };
        Ok(Meant { only: of(&self.options.paths)?, commit: of(&self.options.commit)? })
    }

    fn look(&self, found: &Found<'_>, meant: &Meant, survey: &mut Survey) -> Result<(), Error> {
        if found.indexed.is_submodule || self.project.is_in_repository(&found.path) {
            survey.left_out.push(LeftOut::new(found.path.as_str(), Why::Repository));
            return Ok(());
        }
        let mut in_the_way = |reason| {
            survey.obstacles.push(Obstacle { path: found.path.to_string(), reason });
            Ok(())
        };
        let held = match self.held(found)? {
            Ok(held) => held,
            Err(reason) => return in_the_way(reason),
        };
        let is_staged = found.indexed.entry != found.ours || found.indexed.is_announced || found.indexed.is_unmerged;
        if !is_staged && self.is(found, &held, found.ours.as_ref())? {
            return self.join(found, held, survey);
        }
        // The person's uncommitted work: the thread may have begun with it.
        let may_stay =
            subject_at(found.path.as_str()).is_none() && !meant.commit.iter().any(|p| p == found.path.as_str());
        if may_stay
            && found.base != found.ours
            && found.base != found.theirs
            && self.is(found, &held, found.base.as_ref())?
        {
            let to = self.in_work_tree(found, found.theirs.as_ref())?;
            let (before, after) = (found.ours.clone(), found.theirs.clone());
            let step = Step { path: found.path.clone(), before, after, committed: false, from: held, to, stages: None };
            return self.push(step, survey);
        }
        if self.is(found, &held, found.theirs.as_ref())? {
            survey.left_out.push(LeftOut::new(found.path.as_str(), Why::InWorkTree));
            return Ok(());
        }
        let is_unknown = found.ours.is_none() && found.indexed.entry.is_none() && held != Held::Nothing;
        in_the_way(match (is_unknown, is_staged) {
            (true, _) if !self.repository.ignored([found.path.as_str()])?.is_empty() => InTheWay::Ignored,
            (true, _) => InTheWay::Untracked,
            (false, true) => InTheWay::Staged,
            (false, false) => InTheWay::Uncommitted,
        })
    }

    /// Reads what the person has at a path; or names an entry that a file cannot replace.
    fn held(&self, found: &Found<'_>) -> Result<Result<Held, InTheWay>, Error> {
        if found.indexed.is_left_out {
            return Ok(Err(InTheWay::Sparse));
        }
        if let Some(head) = self.head {
            if found.ours.is_none() && self.repository.has_at(head, found.path.as_str())? {
                return Ok(Err(InTheWay::Folder));
            }
            for (end, _) in found.path.as_str().match_indices('/') {
                if self.repository.entry_at(head, &found.path.as_str()[..end])?.is_some() {
                    return Ok(Err(InTheWay::OnTheWay));
                }
            }
        }
        Ok(match self.project.held(&found.path, MAX_BYTES) {
            Ok(held) => Ok(held),
            Err(workspace::Error::IsDirectory { .. }) => Err(InTheWay::Folder),
            Err(workspace::Error::NotDirectory { .. } | workspace::Error::Symlink { .. }) => Err(InTheWay::OnTheWay),
            Err(error) => Err(InTheWay::Unwritable { why: error.to_string() }),
        })
    }

    /// Joins both changes of a path that its person has nothing uncommitted at.
    fn join(&self, found: &Found<'_>, from: Held, survey: &mut Survey) -> Result<(), Error> {
        let is_item = subject_at(found.path.as_str()).is_some();
        let driver = (!is_item).then_some(found.attributes.merge);
        let versions = [found.base.as_ref(), found.ours.as_ref(), found.theirs.as_ref()];
        let (repository, git, folder) = (self.repository, self.git, self.folder);
        let joining = Joining { repository, git, folder, thread_id: &self.thread.thread_id };
        let (after, shown, kind) = match joining.join(versions, driver)? {
            Joined::Same => {
                survey.left_out.push(LeftOut::new(found.path.as_str(), Why::OnBranch));
                return Ok(());
            }
            Joined::Take(after) => (after.clone(), after, None),
            Joined::Conflict { kind, shown } => (None, shown, Some(kind)),
        };
        if let Some(kind) = kind {
            if is_item && self.options.merge {
                survey.left_out.push(LeftOut::new(found.path.as_str(), Why::ItemDuringMerge));
                return Ok(());
            }
            survey.conflicts.push(self.conflict(found, kind)?);
        }
        let is_kept = kind.is_some() && shown == found.ours;
        let to = if is_kept { from.clone() } else { self.in_work_tree(found, shown.as_ref())? };
        let stages = kind.map(|_: ConflictKind| versions.map(Option::<&Version>::cloned));
        let (path, before) = (found.path.clone(), found.ours.clone());
        self.push(Step { path, before, after, committed: true, from, to, stages }, survey)
    }

    /// Takes a step, if nothing keeps its file from being written.
    fn push(&self, step: Step, survey: &mut Survey) -> Result<(), Error> {
        if step.from == step.to && step.stages.is_none() && step.committed {
            // Only what git has differs, as a mode on a file system that knows none.
            survey.steps.push(step);
            return Ok(());
        }
        if let Err(error) = self.project.check_own(&step.path) {
            let reason = InTheWay::Unwritable { why: error.to_string() };
            survey.obstacles.push(Obstacle { path: step.path.to_string(), reason });
            return Ok(());
        }
        match self.project.check_swap(&step.path, &step.from, &step.to) {
            Ok(()) => survey.steps.push(step),
            Err(workspace::Error::Refused { .. }) => {
                survey.left_out.push(LeftOut::new(step.path.as_str(), Why::Repository));
            }
            Err(error) => {
                let reason = InTheWay::Unwritable { why: error.to_string() };
                survey.obstacles.push(Obstacle { path: step.path.to_string(), reason });
            }
        }
        Ok(())
    }

    /// Says how the changes of a path do not fit: where the branch moved it to, and whether it is the person's uncommitted
    /// version that is gone.
    fn conflict(&self, found: &Found<'_>, kind: ConflictKind) -> Result<Conflict, Error> {
        let path = found.path.to_string();
        let base = self.thread.base.as_ref();
        let at_base = base.map(|base| self.repository.entry_at(base, &path)).transpose()?.flatten();
        let is_as_at_base = version(at_base.as_ref()) == found.ours && found.base != found.ours;
        let kind = if is_as_at_base { ConflictKind::Reverted } else { kind };
        let moved_to = match (kind, base, self.head) {
            (ConflictKind::RemovedHere, Some(base), Some(head)) => self.git.moved_to(base, head, &path)?,
            _ => None,
        };
        Ok(Conflict { path, kind, moved_to })
    }

    /// Leaves out what would make, complete or change a repository with what the branch has.
    fn repositories(&self, survey: &mut Survey) -> Result<(), Error> {
        let (mut folders, mut above) = (GitFolders::default(), BTreeSet::new());
        for step in &survey.steps {
            let path = step.path.as_str();
            if step.to != Held::Nothing || step.after.is_some() {
                folders.add(path);
            }
            above.extend(path.match_indices('/').map(|(end, _)| &path[..end]).chain([""]));
        }
        if let Some(head) = self.head {
            for folder in above {
                let way = if folder.is_empty() { String::new() } else { format!("{folder}/") };
                self.repository.names_in(head, folder)?.iter().for_each(|name| folders.add(&format!("{way}{name}")));
            }
        }
        let left_out: Vec<Step> = survey.steps.extract_if(.., |step| folders.hold(step.path.as_str())).collect();
        survey.conflicts.retain(|conflict| !left_out.iter().any(|step| step.path.as_str() == conflict.path));
        survey.left_out.extend(left_out.iter().map(|step| LeftOut::new(step.path.as_str(), Why::Repository)));
        Ok(())
    }

    /// Finds new paths that some file systems take for others.
    fn twins(&self, survey: &mut Survey) -> Result<(), Error> {
        let (mut new, mut gone): (BTreeMap<String, &str>, BTreeSet<&str>) = (BTreeMap::new(), BTreeSet::new());
        let mut found = Vec::new();
        for step in survey.steps.iter().filter(|step| step.to == Held::Nothing) {
            gone.insert(step.path.as_str());
        }
        for step in survey.steps.iter().filter(|step| step.from == Held::Nothing && step.to != Held::Nothing) {
            let path = step.path.as_str();
            let same = step.path.parts().map(folded).collect::<Vec<_>>().join("/");
            let twin = match new.insert(same, path) {
                Some(other) => Some(other.to_owned()),
                None => self.project.twin(&step.path)?.filter(|name| !gone.contains(name.as_str())),
            };
            found.extend(twin.map(|name| Obstacle { path: path.to_owned(), reason: InTheWay::Twin { name } }));
        }
        survey.obstacles.extend(found);
        Ok(())
    }

    /// Tells whether the content equals a version, as `git status` tells it.
    fn is(&self, found: &Found<'_>, held: &Held, version: Option<&Version>) -> Result<bool, Error> {
        Ok(match (held, version) {
            (Held::Nothing, None) => true,
            (Held::Link { target }, Some((Mode::Symlink, blob_id))) => self.repository.blob_id_of(target) == *blob_id,
            (Held::File { bytes, executable }, Some((mode @ (Mode::File | Mode::Executable), blob_id))) => {
                let fits = *executable == (*mode == Mode::Executable) || !self.repository.knows_executables();
                fits && match found.attributes.converts {
                    true => self.git.to_blob(found.path.as_str(), bytes)? == *blob_id,
                    false => self.repository.blob_id_of(bytes) == *blob_id,
                }
            }
            (_, _) => false,
        })
    }

    fn in_work_tree(&self, found: &Found<'_>, version: Option<&Version>) -> Result<Held, Error> {
        in_work_tree(self.repository, self.git, found.path.as_str(), found.attributes.converts, version)
    }
}

/// Returns what the work tree gets for a version.
pub(super) fn in_work_tree(
    repository: &Repository,
    git: &Git,
    path: &str,
    converts: bool,
    version: Option<&Version>,
) -> Result<Held, Error> {
    let Some((mode, blob_id)) = version else { return Ok(Held::Nothing) };
    let plain = repository.blob(blob_id)?;
    Ok(match mode {
        Mode::Symlink => Held::Link { target: plain },
        Mode::File | Mode::Executable | Mode::Tree | Mode::Submodule => {
            let bytes = if converts { git.to_work_tree(path, blob_id)? } else { plain };
            Held::File { bytes, executable: *mode == Mode::Executable }
        }
    })
}

impl Meant {
    fn has(&self, path: &str) -> bool {
        self.only.is_empty() || self.only.iter().chain(&self.commit).any(|meant| lies_in(path, meant))
    }

    /// Returns the named path to be committed too, if it contains a path.
    fn to_commit(&self, path: &str) -> Option<&str> {
        self.commit.iter().map(String::as_str).find(|meant| lies_in(path, meant))
    }

    /// Tells whether a place that is left out otherwise was named.
    fn names(&self, path: &ProjectPath, is_spelt_out: impl Fn(&ProjectPath) -> bool) -> bool {
        self.only.iter().chain(&self.commit).any(|meant| {
            let named = meant.parse::<ProjectPath>();
            lies_in(path.as_str(), meant) && (meant == path.as_str() || named.is_ok_and(|named| is_spelt_out(&named)))
        })
    }
}

/// Says why a path is left out, whatever the person has there.
fn left_out(change: &TreeChange, meant: &Meant, standpoint: &Standpoint) -> Option<Why> {
    let is_submodule = [&change.before, &change.after].into_iter().flatten().any(|entry| entry.mode == Mode::Submodule);
    let Ok(path) = change.path.parse::<ProjectPath>() else { return Some(Why::Unnameable) };
    if is_submodule {
        return Some(Why::Submodule);
    }
    if is_settings(&path) && !meant.names(&path, is_settings) {
        return Some(Why::Settings);
    }
    let is_meant = || meant.names(&path, |named| standpoint.is_named(named, &path));
    (standpoint.runs_code(&path) && !is_meant()).then_some(Why::RunsCode)
}

/// Tells whether a path lies below `.ai` where it decides what may run.
fn is_settings(path: &ProjectPath) -> bool {
    let parts: Vec<String> = path.parts().map(folded).collect();
    parts.windows(2).any(|pair| matches!(pair[0].as_str(), ".ai" | "ai~1") && SETTINGS.contains(&pair[1].as_str()))
}

fn lies_in(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
