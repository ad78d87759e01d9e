//! Folders of a tree that are kept under a key, and put into other trees as copies.
//!
//! Commit point: the rename of the folder that holds them.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::copies::CopyLimits;
use super::error::{Doing, Error};
use super::project_dir::ProjectDir;
use crate::capability::ProjectPath;

/// The file that says where the folders were made: files of tools in them name that place.
const MADE_AT: &str = "made_at";

/// The folder that holds the kept ones.
const CONTENT: &str = "content";

/// A place for some folders of a tree.
#[derive(Debug, Clone)]
pub struct KeptFolders {
    place: PathBuf,
    limits: CopyLimits,
}

impl KeptFolders {
    /// The place at `place`, which may be empty.
    #[must_use]
    pub const fn new(place: PathBuf, limits: CopyLimits) -> Self {
        Self { place, limits }
    }

    /// Tells whether there are any.
    #[must_use]
    pub fn is_filled(&self) -> bool {
        self.made_at().is_some()
    }

    /// Returns where the kept folders lie, at their paths.
    #[must_use]
    pub fn content(&self) -> PathBuf {
        self.place.join(CONTENT)
    }

    /// Returns the tree that they were made in, which files of tools in them name.
    #[must_use]
    pub fn made_at(&self) -> Option<PathBuf> {
        fs::read_to_string(self.place.join(MADE_AT)).ok().map(PathBuf::from)
    }

    /// Copies the kept folders into a tree, which lies at `root`; tells whether there are any. None if they are not wanted any more.
    ///
    /// # Errors
    ///
    /// Fails when a folder cannot be copied in full.
    pub fn take(
        &self,
        folders: &[ProjectPath],
        (tree, root): (&ProjectDir, &Path),
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<bool>, Error> {
        let Some(made_at) = self.made_at() else { return Ok(Some(false)) };
        let content = self.content();
        let files = ProjectDir::open(&content)?;
        for path in folders {
            if files.copy_folder(path, (&content, root), tree, self.limits, is_wanted)?.is_none() {
                return Ok(None);
            }
            tree.move_paths(path, &[&made_at], root)?;
        }
        Ok(Some(true))
    }

    /// Keeps folders of a tree, which lies at `root`; tells whether they were wanted to the end.
    ///
    /// # Errors
    ///
    /// Fails, and keeps nothing, when a folder cannot be copied in full.
    pub fn keep(
        &self,
        folders: &[ProjectPath],
        (tree, root): (&ProjectDir, &Path),
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<bool, Error> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source: std::io::Error| Error::of(Doing::Write, &path, source)
        };
        let above = self.place.parent().unwrap_or(&self.place);
        let name = self.place.file_name().unwrap_or_default().to_string_lossy();
        DirBuilder::new().recursive(true).mode(0o700).create(above).map_err(failed(above))?;
        let new = tempfile::Builder::new().prefix(&format!(".{name}-")).tempdir_in(above).map_err(failed(above))?;
        let content = new.path().join(CONTENT);
        fs::create_dir(&content).map_err(failed(&content))?;
        let copied = self.fill(&content, folders, (tree, root), is_wanted).and_then(|is_whole| {
            let made_at = new.path().join(MADE_AT);
            fs::write(&made_at, root.display().to_string()).map_err(failed(&made_at))?;
            Ok(is_whole)
        });
        if matches!(copied, Ok(true)) {
            // Another thread may have kept the same meanwhile. What is not moved is removed.
            drop(fs::rename(new.path(), &self.place));
        }
        copied
    }

    fn fill(
        &self,
        content: &Path,
        folders: &[ProjectPath],
        (tree, root): (&ProjectDir, &Path),
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<bool, Error> {
        let files = ProjectDir::open(content)?.passing();
        for path in folders {
            if tree.copy_folder(path, (root, content), &files, self.limits, is_wanted)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
