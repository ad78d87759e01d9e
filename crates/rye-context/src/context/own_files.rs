//! The person's own files and folders: trusted only if no other user can write them.
//!
//! A path is followed one step at a time, as the kernel follows it: a user who can rename an entry on the way, or
//! change the target of a link on the way, decides which file is read.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::process::geteuid;

use super::{ConfigError, ContextError};

/// Every user can write it.
const WORLD_WRITES: u32 = 0o002;
/// In a folder: only an entry's owner can rename or remove it.
const STICKY: u32 = 0o1000;
/// The most links on the way to a file.
const MOST_LINKS: usize = 40;
/// The greatest size of the person's configuration, in bytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// Returns where a folder for temporary files really lies.
///
/// # Errors
///
/// Fails when it is missing, and when another user can rename files in it or the folder itself: a private copy could be
/// swapped before it runs. The owner of a folder can do so whatever its sticky bit says.
pub(super) fn temp_dir(dir: &Path, home: Option<&Path>) -> Result<PathBuf, ContextError> {
    let missing = |source| ContextError::NoTemp { path: dir.to_path_buf(), source };
    let dir = dir.canonicalize().map_err(missing)?;
    let found = fs::metadata(&dir).map_err(missing)?;
    if !found.is_dir() {
        return Err(missing(ErrorKind::NotADirectory.into()));
    }
    if !OwnFolder::new(dir.clone(), home).is_persons(found.uid()) {
        return Err(ContextError::ForeignTemp { path: dir, owner: found.uid() });
    }
    for path in dir.ancestors() {
        let mode = fs::metadata(path).map_or(0, |found| found.mode());
        if mode & WORLD_WRITES != 0 && mode & STICKY == 0 {
            return Err(ContextError::OpenTemp { path: path.to_path_buf(), mode: mode & 0o7777 });
        }
    }
    Ok(dir)
}

/// A folder of the person's own: its files count only if no other user can have written them.
#[derive(Debug, Clone)]
pub struct OwnFolder {
    top: PathBuf,
    /// The owner of the home folder and the user the program runs as.
    persons: Vec<u32>,
}

/// How another user could have written a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exposed {
    /// Every user can write it, or a folder above it.
    Writable {
        /// The file or folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// It, or a folder above it, belongs to another user.
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// The user it belongs to.
        owner: u32,
    },
    /// A dangling link: its target is gone, so it must not count as missing from the beginning.
    Nowhere {
        /// The link.
        path: PathBuf,
    },
}

impl OwnFolder {
    /// Names the folder; `home` tells who the person is.
    pub(super) fn new(top: PathBuf, home: Option<&Path>) -> Self {
        let home = home.and_then(|home| fs::metadata(home).ok()).map(|home| home.uid());
        Self { top, persons: home.into_iter().chain([geteuid().as_raw()]).collect() }
    }

    /// Checks a file or folder of this folder, everything on the way to it, and where links on the way lead to. A
    /// missing file is fine.
    ///
    /// # Errors
    ///
    /// Fails when every user can write the file, or a folder on the way between this one and the file; when one of them
    /// belongs to neither the person nor root; when every user can rename entries of a folder further up, or of one on
    /// the way of a link; and on a dangling link.
    pub fn check(&self, path: &Path) -> Result<(), Exposed> {
        let (mut named, mut here) = (PathBuf::new(), PathBuf::new());
        for component in path.components() {
            named.push(component);
            match self.enter(here, component, named.starts_with(&self.top))? {
                Some(entered) => here = entered,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Enters one part of a path, through all links, and returns where that is; none if it does not exist.
    fn enter(&self, mut here: PathBuf, part: Component<'_>, is_own: bool) -> Result<Option<PathBuf>, Exposed> {
        let mut parts = VecDeque::from([part.as_os_str().to_owned()]);
        let (mut first_link, mut links) = (None, 0);
        while let Some(part) = parts.pop_front() {
            let next = stepped(&here, part);
            let found = match (fs::symlink_metadata(&next), &first_link) {
                (Ok(found), _) if links <= MOST_LINKS => found,
                (_, Some(link)) => return Err(Exposed::Nowhere { path: PathBuf::clone(link) }),
                (_, None) => return Ok(None),
            };
            if found.is_symlink() {
                self.judge_link(&next, &found, is_own)?;
                let Ok(target) = fs::read_link(&next) else { return Ok(None) };
                target.components().rev().for_each(|part| parts.push_front(part.as_os_str().to_owned()));
                first_link.get_or_insert(next);
                links += 1;
                continue;
            }
            if is_own && parts.is_empty() {
                self.judge(&next, &found)?;
            } else {
                judge_passed(&next, &found)?;
            }
            here = next;
        }
        Ok(Some(here))
    }

    /// The owner of a link in a folder that every user can write can change it, and another user's link is not trusted.
    fn judge_link(&self, path: &Path, found: &Metadata, is_own: bool) -> Result<(), Exposed> {
        let in_open = path.parent().and_then(|above| fs::metadata(above).ok());
        let in_open = in_open.is_some_and(|above| above.mode() & WORLD_WRITES != 0);
        if (is_own || in_open) && !self.is_persons(found.uid()) {
            return Err(Exposed::Foreign { path: path.to_path_buf(), owner: found.uid() });
        }
        Ok(())
    }

    fn judge(&self, path: &Path, found: &Metadata) -> Result<(), Exposed> {
        let (path, mode, owner) = (path.to_path_buf(), found.mode() & 0o7777, found.uid());
        if mode & WORLD_WRITES != 0 {
            Err(Exposed::Writable { path, mode })
        } else if !self.is_persons(owner) {
            Err(Exposed::Foreign { path, owner })
        } else {
            Ok(())
        }
    }

    fn is_persons(&self, owner: u32) -> bool {
        owner == 0 || self.persons.contains(&owner)
    }
}

/// Refuses a folder on the way in which every user can rename files.
fn judge_passed(path: &Path, found: &Metadata) -> Result<(), Exposed> {
    let mode = found.mode() & 0o7777;
    if found.is_dir() && mode & WORLD_WRITES != 0 && mode & STICKY == 0 {
        return Err(Exposed::Writable { path: path.to_path_buf(), mode });
    }
    Ok(())
}

/// Takes one part of a path, as it is written.
fn stepped(here: &Path, part: OsString) -> PathBuf {
    match part.to_str() {
        Some(".") => here.to_path_buf(),
        Some("..") => here.parent().unwrap_or(here).to_path_buf(),
        // An absolute one begins anew.
        _ => here.join(part),
    }
}

impl From<Exposed> for ConfigError {
    fn from(exposed: Exposed) -> Self {
        match exposed {
            Exposed::Writable { path, mode } => Self::WritableByOthers { path, mode },
            Exposed::Foreign { path, owner } => Self::Foreign { path, owner },
            Exposed::Nowhere { path } => Self::Nowhere { path },
        }
    }
}

/// Reads the person's configuration; `None` without the file.
///
/// # Errors
///
/// Fails when another user owns the file or its folder, every user can write one of them, or the file is larger than 1
/// MiB, not a regular file or unreadable.
pub(super) fn read(path: &Path, own: &OwnFolder) -> Result<Option<String>, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.to_path_buf(), source };
    own.check(path)?;
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found.map_err(failed)?,
    };
    if !found.is_file() {
        return Err(failed(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")));
    }
    let file = File::open(path).map_err(failed)?;
    own.judge(path, &file.metadata().map_err(failed)?)?;
    let mut text = String::new();
    file.take(MAX_CONFIG_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_CONFIG_BYTES {
        return Err(failed(io::Error::new(ErrorKind::InvalidInput, "it is larger than 1 MiB")));
    }
    Ok(Some(text))
}
