//! The tree that an index holds, told without a change of the index: git notes trees that it writes in it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::git::{Error, Git, TreeId};

impl Git {
    /// Writes the tree that an index holds, from a copy of it.
    ///
    /// # Errors
    /// As [`write_tree`](Self::write_tree), and when the index cannot be copied.
    pub fn tree_in(&self, index_file: &Path) -> Result<TreeId, Error> {
        let uncopied = |source| Error::ReadIndex { path: index_file.to_owned(), source: Box::new(source) };
        let folder = tempfile::tempdir().map_err(uncopied)?;
        let copy = folder.path().join("index");
        match fs::copy(index_file, &copy) {
            // Without an index nothing is staged.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            copied => {
                copied.map_err(uncopied)?;
            }
        }
        self.clone().with_index_file(&copy).write_tree()
    }
}
