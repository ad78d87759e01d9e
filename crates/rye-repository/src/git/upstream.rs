//! Another person's repository that is only read from: its refs, a fetch of one of them, and whether one commit came
//! before another.
//!
//! Invariant: git speaks `file`, `https` and `ssh` here and nothing else, also where a server redirects.

use std::collections::{BTreeSet, VecDeque};

use super::{CommitId, Error, Git, Repository};

/// The protocols that git may speak, as `GIT_ALLOW_PROTOCOL` lists them.
const PROTOCOLS: &str = "file:https:ssh";

/// A ref of another repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteRef {
    /// Its full name, or `HEAD`.
    pub name: String,
    /// The object it leads to, as the other side says: a commit or a tag.
    pub object_id: String,
}

impl Git {
    /// Restricts git to the protocols of upstream repositories.
    #[must_use]
    pub fn for_upstream(self) -> Self {
        self.with_variable("GIT_ALLOW_PROTOCOL", PROTOCOLS)
    }

    /// Asks another repository which of `names` (full names of refs, or `HEAD`) it has.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Command`] with what git says, or [`Error::CommandOutput`].
    pub fn remote_refs(&self, remote: &str, names: &[&str]) -> Result<Vec<RemoteRef>, Error> {
        let command = format!("git ls-remote {remote}");
        let ended = self.run(&[&["ls-remote", "--quiet", "--", remote], names].concat(), &[])?;
        self.finish(&ended, &command)?;
        let unclear = || Error::CommandOutput { command: command.clone(), reason: "it lists no refs".to_owned() };
        let text = String::from_utf8(ended.stdout).map_err(|_| unclear())?;
        let mut found = Vec::new();
        for line in text.lines() {
            let (object_id, name) = line.split_once('\t').ok_or_else(unclear)?;
            // Patterns also fit the end of longer names.
            if names.contains(&name) {
                found.push(RemoteRef { name: name.to_owned(), object_id: CommitId::parse(object_id)?.to_string() });
            }
        }
        Ok(found)
    }
}

impl Repository {
    /// Tells whether `older` is `newer` or one of the commits it came from.
    ///
    /// # Errors
    /// [`Error::TooManyCommits`] after `limit` commits; otherwise as [`commit_info`](Self::commit_info).
    pub fn is_ancestor(&self, older: &CommitId, newer: &CommitId, limit: usize) -> Result<bool, Error> {
        let (mut seen, mut open) = (BTreeSet::from([newer.clone()]), VecDeque::from([newer.clone()]));
        while let Some(commit_id) = open.pop_front() {
            if commit_id == *older {
                return Ok(true);
            }
            for parent in self.commit_info(&commit_id)?.parents {
                if seen.insert(parent.clone()) {
                    open.push_back(parent);
                }
            }
            if seen.len() > limit {
                return Err(Error::TooManyCommits { limit });
            }
        }
        Ok(false)
    }
}
