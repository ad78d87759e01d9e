//! What the next commit of this work tree will build on, and what keeps one from being made.
//!
//! A merge that waits for its commit has further parents in `MERGE_HEAD`; a commit being picked has its changes from
//! `CHERRY_PICK_HEAD`. What such a commit holds already is not a change of whoever makes the next one.

use std::{
    collections::BTreeSet,
    fs,
    io::{ErrorKind, Read as _},
    path::PathBuf,
};

use super::{CommitId, Error, Repository};

/// Where git notes down, one id a line, what goes into the next commit beside `HEAD`.
const PENDING: [&str; 2] = ["MERGE_HEAD", "CHERRY_PICK_HEAD"];

/// Where git notes down, an id at the beginning of each line, what was fetched and where `HEAD` was.
const NOTED: [&str; 2] = ["FETCH_HEAD", "ORIG_HEAD"];

/// How much of such a file is read, in bytes.
const MOST_NOTED: u64 = 1024 * 1024;

impl Repository {
    /// Lists the commits that changes of the next one are told from: `HEAD`, and those being merged or picked. None on an
    /// unborn branch.
    ///
    /// # Errors
    /// [`Error::ReadRef`], or [`Error::InvalidId`] for a file that holds no ids.
    pub fn bases(&self) -> Result<Vec<CommitId>, Error> {
        let mut bases: Vec<CommitId> = self.head()?.commit_id().cloned().into_iter().collect();
        for name in PENDING {
            let text = match fs::read_to_string(self.git_dir().join(name)) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                text => text.map_err(|source| Error::ReadRef { name: name.to_owned(), source: source.into() })?,
            };
            for line in text.lines() {
                bases.push(CommitId::parse(line.trim_end())?);
            }
        }
        Ok(bases)
    }

    /// Lists where content comes from that is not this branch's: every branch, remote-tracking branch and tag, the stash, and
    /// what git noted down of a fetch, a reset, a merge or a pick; each commit once, by the first of its names.
    ///
    /// # Errors
    /// [`Error::ReadRef`].
    pub fn other_tips(&self) -> Result<Vec<(String, CommitId)>, Error> {
        let refs = self.references_below("refs/", |found| {
            let name = found.name().as_bstr().to_string();
            // What is symbolic is listed by its own name, and what leads to no commit holds no file.
            let id = if name.starts_with("refs/notes/") { None } else { found.clone().peel_to_id().ok() };
            Ok(id.map(|id| (name, CommitId::from_gix(id.detach()))))
        })?;
        let mut tips: Vec<(String, CommitId)> = refs.into_iter().flatten().collect();
        for name in NOTED.into_iter().chain(PENDING) {
            let Some(text) = self.noted(name)? else { continue };
            let ids = text.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok());
            tips.extend(ids.map(|commit_id| (name.to_owned(), commit_id)));
        }
        for entry in std::fs::read_dir(self.common_dir().join("worktrees")).into_iter().flatten().flatten() {
            // A branch is listed by its name; what is no id leads nowhere.
            let head = entry.path().join("HEAD");
            let is_file = head.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() < 4_096);
            let text = if is_file { std::fs::read_to_string(&head).unwrap_or_default() } else { String::new() };
            if let Ok(commit_id) = text.trim_end().parse() {
                tips.push((format!("the work tree {}", entry.file_name().display()), commit_id));
            }
        }
        let mut known = BTreeSet::new();
        tips.retain(|(_, commit_id)| known.insert(commit_id.clone()));
        Ok(tips)
    }

    /// Tells whether what `git merge --squash` brought waits for its commit.
    pub fn is_squashing(&self) -> bool {
        self.git_dir().join("SQUASH_MSG").exists()
    }

    fn noted(&self, name: &str) -> Result<Option<String>, Error> {
        let read = |source: std::io::Error| Error::ReadRef { name: name.to_owned(), source: source.into() };
        let path = self.git_dir().join(name);
        match path.symlink_metadata() {
            Ok(found) if found.is_file() => {}
            _ => return Ok(None),
        }
        let mut bytes = Vec::new();
        fs::File::open(&path).and_then(|file| file.take(MOST_NOTED).read_to_end(&mut bytes)).map_err(read)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Tells whether a merge waits for its commit: then git takes no single files.
    pub fn is_merging(&self) -> bool {
        self.git_dir().join(PENDING[0]).exists()
    }

    /// Returns the lock of the index, if it is held or was left behind.
    pub fn index_lock(&self) -> Option<PathBuf> {
        Some(self.git_dir().join("index.lock")).filter(|lock| lock.exists())
    }
}
