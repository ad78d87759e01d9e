//! What a comparison of a work tree by git would not survive, which a tool can make.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::Error;
use crate::context;

/// The files with rules that gix opens in every folder.
const RULES: [&str; 2] = [".gitignore", ".gitattributes"];

/// How deep folders are looked into: gix looks into each by one more call of itself.
const MOST_LEVELS: usize = 256;

/// A folder that its owner can list and enter.
const OPEN: u32 = 0o500;

/// The most bytes of the path of a folder: the system takes 4,095, and a name in it has up to 255.
const MOST_BYTES: usize = 3_800;

/// What was in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// A file of rules that is none.
    NotRegular,
    /// A folder that lies too deep.
    TooDeep,
}

/// Removes what git's comparison would not survive, and returns each path with what it was: a file of rules that is a pipe or a device,
/// whose reading would wait for ever; a folder that is too deep, or whose path is too long. Folders that a tool closed are opened, as git records
/// no modes of folders. Links to folders are not followed.
///
/// # Errors
/// [`Error::Tree`].
pub(super) fn clear(top: &Path) -> Result<Vec<(String, Obstacle)>, Error> {
    let mut found = Vec::new();
    // A folder that is made while others are removed is seen, too.
    loop {
        let obstacles = obstacles(top);
        if obstacles.is_empty() {
            return Ok(found);
        }
        for (path, obstacle) in obstacles {
            context::remove_folder(&path).map_err(|source| Error::Tree {
                action: "clean",
                path: top.to_owned(),
                source: source.into(),
            })?;
            let shown = path.strip_prefix(top).unwrap_or(&path).display().to_string();
            found.push((shown, obstacle));
        }
    }
}

fn obstacles(top: &Path) -> Vec<(PathBuf, Obstacle)> {
    let mut obstacles = Vec::new();
    let mut folders = vec![(top.to_owned(), 0)];
    while let Some((folder, level)) = folders.pop() {
        if level > MOST_LEVELS || folder.as_os_str().len() > MOST_BYTES.max(top.as_os_str().len()) {
            obstacles.push((folder, Obstacle::TooDeep));
            continue;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_dir() && name != ".git" {
                // One that stays closed fails the comparison.
                let is_closed = entry.metadata().is_ok_and(|found| found.mode() & OPEN != OPEN);
                let _ = is_closed.then(|| context::open_to_owner(&entry.path()));
                folders.push((entry.path(), level + 1));
            } else if !kind.is_file() && RULES.iter().any(|rules| name == *rules) {
                let leads_to = fs::metadata(entry.path()).map(|found| found.file_type());
                if leads_to.is_ok_and(|kind| !kind.is_file() && !kind.is_dir()) {
                    obstacles.push((entry.path(), Obstacle::NotRegular));
                }
            }
        }
    }
    obstacles
}
