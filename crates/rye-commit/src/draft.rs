//! A copy of the index, in which a commit is put together before anything of the person's is touched.

use std::fs;
use std::path::{Path, PathBuf};

use crate::git::Repository;
use crate::proof::ProofError;

/// A copy of the index, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Draft {
    path: PathBuf,
}

impl Draft {
    /// Copies the index that git named, or that of the work tree.
    pub(crate) fn copy(repository: &Repository, index_file: Option<&Path>) -> Result<Self, ProofError> {
        let folder = repository.git_dir().join("rye");
        let path = folder.join(format!("commit-index-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|source| ProofError::Draft { path: path.clone(), source })?;
        let draft = Self { path };
        repository.copy_index(index_file, &draft.path)?;
        Ok(draft)
    }

    /// Returns its file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // One that is left is as harmless as the index that it is a copy of.
        drop(fs::remove_file(&self.path));
    }
}
