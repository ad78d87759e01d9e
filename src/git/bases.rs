//! What the next commit of this work tree will build on, and what keeps one from being made.
//!
//! A merge that waits for its commit has further parents in `MERGE_HEAD`; a commit being picked has its changes from
//! `CHERRY_PICK_HEAD`. What such a commit holds already is not a change of whoever makes the next one.

use std::{fs, io::ErrorKind, path::PathBuf};

use super::{CommitId, Error, Repository};

/// Where git notes down, one id a line, what goes into the next commit beside `HEAD`.
const PENDING: [&str; 2] = ["MERGE_HEAD", "CHERRY_PICK_HEAD"];

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

    /// Tells whether a merge waits for its commit: then git takes no single files.
    pub fn is_merging(&self) -> bool {
        self.git_dir().join(PENDING[0]).exists()
    }

    /// Returns the lock of the index, if it is held or was left behind.
    pub fn index_lock(&self) -> Option<PathBuf> {
        Some(self.git_dir().join("index.lock")).filter(|lock| lock.exists())
    }
}
