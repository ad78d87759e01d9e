//! The commit a history began with: what tells two projects apart, whatever they are called and wherever they lie.
//!
//! It is the one that is reached by first parents alone, so there is exactly one, and merging in a history of another root
//! does not change it: `git rev-list --first-parent --max-parents=0 REVISION`.
//!
//! Walking 50,000 commits takes too long for every run, so milestones are kept in `$GIT_COMMON_DIR/rye/roots`, one line
//! `COMMIT ROOT` each. A line is as true for ever as the ids in it, so nothing has to be kept up to date; the file may be
//! deleted at any time, and a line that cannot be read is passed over. A forger of it can write to the git directory,
//! and could as well put a history of that root there.

use std::{collections::BTreeMap, io::Write, path::Path};

use super::{CommitId, Error, Repository};
use crate::context::bounded;

/// Every so many commits there is a milestone.
const MILESTONE: usize = 256;
/// The greatest size of the file, in bytes: twice of what that many milestones of SHA-256 take.
const MAX_BYTES: u64 = 2 * 130 * MAX_MILESTONES as u64;
/// The most milestones that are kept; beyond that the file starts anew.
const MAX_MILESTONES: usize = 16_384;

impl Repository {
    /// Returns the commit that the history of `commit_id` began with, along first parents.
    ///
    /// # Errors
    /// [`Error::Shallow`] where history was cut off; otherwise as [`commit_info`](Self::commit_info).
    pub fn root_of(&self, commit_id: &CommitId) -> Result<CommitId, Error> {
        let path = self.common_dir().join("rye").join("roots");
        let mut known = read(&path);
        let mut passed = Vec::new();
        let mut here = commit_id.clone();
        let root = loop {
            if let Some(root) = known.get(&here) {
                break root.clone();
            }
            let parent = self.commit_info(&here)?.parents.into_iter().next();
            passed.push(here);
            match parent {
                Some(parent) => here = parent,
                None => break passed[passed.len() - 1].clone(),
            }
        };
        if passed.len() > MILESTONE {
            if known.len() > MAX_MILESTONES {
                known.clear();
            }
            known.extend(passed.into_iter().step_by(MILESTONE).map(|commit| (commit, root.clone())));
            // A repository that cannot be written to is walked each time.
            let _ = write(&path, &known);
        }
        Ok(root)
    }
}

fn read(path: &Path) -> BTreeMap<CommitId, CommitId> {
    let text = bounded::read_text(path, MAX_BYTES).unwrap_or_default();
    let milestone = |line: &str| {
        let (commit, root) = line.split_once(' ')?;
        Some((CommitId::parse(commit).ok()?, CommitId::parse(root).ok()?))
    };
    text.lines().filter_map(milestone).collect()
}

fn write(path: &Path, milestones: &BTreeMap<CommitId, CommitId>) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    for (commit, root) in milestones {
        writeln!(file, "{commit} {root}")?;
    }
    file.flush()?;
    file.persist(path)?;
    Ok(())
}
