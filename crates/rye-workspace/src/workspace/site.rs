//! The folder that `init` fills: files and folders are made below it, following no symlink.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use super::error::{Doing, Error};
use super::folder::Folder;
use super::item_file::{Expected, MAX_ITEM_BYTES};

/// Keeps an empty folder in git.
const KEEP: &str = ".gitkeep";

/// An open folder that becomes a workspace.
#[derive(Debug)]
pub struct Site(Folder);

impl Site {
    /// Opens a folder; the way to it may have symlinks.
    ///
    /// # Errors
    ///
    /// Fails when it is missing, no folder or not readable.
    pub fn open(root: &Path) -> Result<Self, Error> {
        Folder::open_root(root, root).map(Self)
    }

    /// Makes the folder at `path` with a file that keeps it in git, and tells whether it is new.
    ///
    /// # Errors
    ///
    /// Fails on a symlink anywhere below the site, on anything but a folder, and on what the operating system refuses.
    pub fn make_folder(&self, path: &str) -> Result<bool, Error> {
        if Error::absent_is_none(self.0.descend(path.split('/')))?.is_some() {
            return Ok(false);
        }
        self.0.descend_creating(path.split('/'))?.replace(KEEP, b"", Expected::Any)?;
        Ok(true)
    }

    /// Opens the regular file at `path`, to read it; none if it does not exist.
    ///
    /// # Errors
    ///
    /// As [`Site::make_folder`].
    pub fn open_file(&self, path: &str) -> Result<Option<File>, Error> {
        let (above, name) = split(path);
        let opened = self.0.descend(above).and_then(|folder| folder.open_file(name));
        Ok(Error::absent_is_none(opened)?.map(|(file, _)| file))
    }

    /// Makes an error of reading the file at `path`.
    #[must_use]
    pub fn unread(path: &str, source: std::io::Error) -> Error {
        Error::of(Doing::Read, Path::new(path), source)
    }

    /// Reads at most `limit` bytes of the regular file at `path`; none if it does not exist.
    ///
    /// # Errors
    ///
    /// As [`Site::make_folder`], also when the file is larger.
    pub fn read(&self, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        let (above, name) = split(path);
        Error::absent_is_none(self.0.descend(above).and_then(|folder| folder.read_whole(name, limit)))
    }

    /// Makes sure that the text file at `path` has a line, and tells whether it is new. Commit point: the rename over the old file.
    ///
    /// # Errors
    ///
    /// As [`Site::make_folder`], also when the file is larger than an item or is not UTF-8.
    pub fn add_line(&self, path: &str, line: &str) -> Result<bool, Error> {
        self.add_lines(path, [line.to_owned()])
    }

    /// Makes sure that the text file at `path` has lines, and tells whether one is new. Commit point: the rename over the old file.
    ///
    /// # Errors
    ///
    /// As [`Site::add_line`].
    pub fn add_lines(&self, path: &str, lines: impl IntoIterator<Item = String>) -> Result<bool, Error> {
        let bytes = self.read(path, MAX_ITEM_BYTES)?.unwrap_or_default();
        let mut text = String::from_utf8(bytes).map_err(|error| {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidData, error.utf8_error());
            Error::Io { doing: Doing::Write, path: path.into(), source }
        })?;
        let known: BTreeSet<&str> = text.lines().map(str::trim).collect();
        let new: String =
            lines.into_iter().filter(|line| !known.contains(line.as_str())).map(|line| line + "\n").collect();
        if new.is_empty() {
            return Ok(false);
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&new);
        self.replace(path, text.as_bytes())?;
        Ok(true)
    }

    /// Writes the file at `path` completely or not at all; an existing one keeps its mode.
    ///
    /// # Errors
    ///
    /// As [`Site::make_folder`], with the old content in place.
    pub fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        let (above, name) = split(path);
        self.0.descend(above)?.replace(name, bytes, Expected::Any).map(drop)
    }
}

/// Splits a path into its folders and its name.
fn split(path: &str) -> (impl Iterator<Item = &str>, &str) {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    (above.split('/').filter(|part| !part.is_empty()), name)
}
