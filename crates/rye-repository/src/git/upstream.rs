//! Another person's repository that is only read from: its refs, a fetch of some of them, and whether one commit came
//! before another.
//!
//! Invariant: where a repository is an upstream, git speaks `file`, `https` and `ssh` here and nothing else, also where a server redirects.

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

/// How much of what refs lead to is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The commits alone, with their trees.
    Tip,
    /// All commits of their history, without trees.
    Commits,
    /// The same, where history was cut off before.
    History,
}

/// Exactly what is named: no tags, no submodules, no pruning.
const EXACT: [&str; 4] = ["--no-tags", "--no-prune", "--no-recurse-submodules", "--no-write-fetch-head"];

impl Git {
    /// Restricts git to the protocols of upstream repositories.
    #[must_use]
    pub fn for_upstream(self) -> Self {
        self.with_variable("GIT_ALLOW_PROTOCOL", PROTOCOLS)
    }

    /// Fetches exactly `refspecs`: no tags, no submodules, no pruning, nothing the remote's configuration adds. All refs
    /// move, or none.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] with what git says.
    pub fn fetch(&self, remote: &str, refspecs: &[&str]) -> Result<(), Error> {
        self.fetch_refs(&["--atomic"], remote, refspecs)
    }

    /// As [`fetch`](Self::fetch), but each ref moves by itself: those that cannot stay where they are.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch), also if one of the refs stayed.
    pub fn fetch_each(&self, remote: &str, refspecs: &[&str]) -> Result<(), Error> {
        self.fetch_refs(&[], remote, refspecs)
    }

    fn fetch_refs(&self, how: &[&str], remote: &str, refspecs: &[&str]) -> Result<(), Error> {
        let quiet: &[&str] = if self.is_quiet { &["--quiet"] } else { self.progress() };
        let args = [&["fetch"], how, &EXACT[..], quiet, &["--refmap=", "--", remote], refspecs].concat();
        self.finish(&self.run(&args, &[])?, &format!("git fetch {remote}"))
    }

    /// Asks a remote for its branches below a prefix (`refs/heads/rye/threads/`). The answer is bounded: of a longer one the beginning
    /// counts. Names are the remote's own words.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] with what git says.
    pub fn branches_at(&self, remote: &str, prefix: &str) -> Result<Vec<(String, CommitId)>, Error> {
        let pattern = format!("{prefix}*");
        let ended = self.run(&["ls-remote", "--quiet", "--heads", "--", remote, &pattern], &[])?;
        self.finish(&ended, &format!("git ls-remote {remote}"))?;
        let text = String::from_utf8_lossy(&ended.stdout);
        // The last line of a cut answer has no end.
        let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let parsed = lines.filter_map(|line| {
            let (object_id, name) = line.split_once('\t').filter(|(_, name)| name.starts_with(prefix))?;
            Some((name.to_owned(), CommitId::parse(object_id).ok()?))
        });
        Ok(parsed.collect())
    }

    /// Fetches refspecs as [`fetch`](Self::fetch) does, and of their history and files only as much as `extent` says, where the other
    /// repository offers that.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch).
    pub fn fetch_part(&self, remote: &str, refspecs: &[&str], extent: Extent) -> Result<(), Error> {
        let parts: &[&str] = match extent {
            // Without a name that can stand in a configuration, git remembers no filter.
            Extent::Tip if remote.starts_with('/') => &["--depth=1"],
            Extent::Tip => &["--depth=1", "--filter=blob:none"],
            Extent::Commits if remote.starts_with('/') => &[],
            Extent::Commits => &["--filter=tree:0"],
            Extent::History if remote.starts_with('/') => &["--unshallow"],
            Extent::History => &["--unshallow", "--filter=tree:0"],
        };
        let args =
            [&["fetch", "--atomic"], &EXACT[..], parts, &["--quiet", "--refmap=", "--", remote], refspecs].concat();
        self.finish(&self.run(&args, &[])?, &format!("git fetch {remote}"))
    }

    /// Fetches objects by their ids: blobs, and trees with all trees in them.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch).
    pub fn fetch_objects(&self, remote: &str, ids: &[String]) -> Result<(), Error> {
        // What is here is not told to the other side: it would leave out what seems to be here, too.
        let config = ["-c", "fetch.negotiationAlgorithm=noop", "fetch", "--atomic"];
        let args = [&config[..], &EXACT[..], &["--quiet", "--filter=blob:none", "--stdin", "--", remote]].concat();
        let ids: String = ids.iter().map(|id| format!("{id}\n")).collect();
        self.finish(&self.run(&args, ids.as_bytes())?, &format!("git fetch {remote}"))
    }

    /// Lists all branches and tags of another repository.
    ///
    /// # Errors
    /// As [`remote_refs`](Self::remote_refs).
    pub fn all_remote_refs(&self, remote: &str) -> Result<Vec<RemoteRef>, Error> {
        self.listed_refs(remote, &["--heads", "--tags"], &[], |_| true)
    }

    /// Asks another repository which of `names` (full names of refs, or `HEAD`) it has.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Command`] with what git says, or [`Error::CommandOutput`].
    pub fn remote_refs(&self, remote: &str, names: &[&str]) -> Result<Vec<RemoteRef>, Error> {
        // Patterns also fit the end of longer names.
        self.listed_refs(remote, &[], names, |name| names.contains(&name))
    }

    fn listed_refs(
        &self,
        remote: &str,
        options: &[&str],
        names: &[&str],
        is_meant: impl Fn(&str) -> bool,
    ) -> Result<Vec<RemoteRef>, Error> {
        let command = format!("git ls-remote {remote}");
        let ended = self.run(&[&["ls-remote", "--quiet"], options, &["--", remote], names].concat(), &[])?;
        self.finish(&ended, &command)?;
        let unclear = || Error::CommandOutput { command: command.clone(), reason: "it lists no refs".to_owned() };
        let text = String::from_utf8(ended.stdout).map_err(|_| unclear())?;
        let mut found = Vec::new();
        for line in text.lines() {
            let (object_id, name) = line.split_once('\t').ok_or_else(unclear)?;
            if is_meant(name) {
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
