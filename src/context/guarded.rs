//! The person's own files and folders: believed only where nobody else can write.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::{ConfigError, ContextError};

/// Everybody can write.
const WORLD_WRITES: u32 = 0o002;
/// In a folder: only an entry's owner can rename or remove it.
const STICKY: u32 = 0o1000;
/// The greatest size of the person's configuration, in bytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// Returns where a folder for temporary files really lies.
///
/// # Errors
///
/// Fails when everybody can rename what is put into it, or the folder itself: a private copy could be swapped before it runs.
pub(super) fn temp_dir(dir: &Path) -> Result<PathBuf, ContextError> {
    // What is not there cannot be written to either, as whoever tries will be told.
    let Ok(dir) = dir.canonicalize() else { return Ok(dir.to_path_buf()) };
    for path in dir.ancestors() {
        let mode = fs::metadata(path).map_or(0, |found| found.mode());
        if mode & WORLD_WRITES != 0 && mode & STICKY == 0 {
            return Err(ContextError::OpenTemp { path: path.to_path_buf(), mode: mode & 0o7777 });
        }
    }
    Ok(dir)
}

/// A folder of the person's own: whatever lies in it counts only if nobody else could have written it.
#[derive(Debug, Clone)]
pub struct OwnFolder {
    top: PathBuf,
    /// The owner of the home folder and the user the program runs as.
    persons: Vec<u32>,
}

/// How somebody else could have written a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exposed {
    /// Everybody can write it, or a folder above it.
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
}

impl OwnFolder {
    /// Names the folder; `home` tells who the person is.
    pub(super) fn new(top: PathBuf, home: Option<&Path>) -> Self {
        let home = home.and_then(|home| fs::metadata(home).ok()).map(|home| home.uid());
        Self { top, persons: home.into_iter().chain([geteuid().as_raw()]).collect() }
    }

    /// Checks a file or folder and each folder above it, up to this one. What does not exist is fine.
    ///
    /// # Errors
    ///
    /// Fails when everybody can write one of them, or one belongs to neither the person nor root.
    pub fn check(&self, path: &Path) -> Result<(), Exposed> {
        for path in path.ancestors().take_while(|path| path.starts_with(&self.top)) {
            if let Ok(found) = fs::metadata(path) {
                self.judge(path, &found)?;
            }
        }
        Ok(())
    }

    fn judge(&self, path: &Path, found: &Metadata) -> Result<(), Exposed> {
        let (path, mode, owner) = (path.to_path_buf(), found.mode() & 0o7777, found.uid());
        if mode & WORLD_WRITES != 0 {
            Err(Exposed::Writable { path, mode })
        } else if owner != 0 && !self.persons.contains(&owner) {
            Err(Exposed::Foreign { path, owner })
        } else {
            Ok(())
        }
    }
}

impl From<Exposed> for ConfigError {
    fn from(exposed: Exposed) -> Self {
        match exposed {
            Exposed::Writable { path, mode } => Self::WritableByOthers { path, mode },
            Exposed::Foreign { path, owner } => Self::Foreign { path, owner },
        }
    }
}

/// Reads the person's configuration; none if there is no such file.
///
/// # Errors
///
/// Fails when somebody else owns the file or its folder, everybody can write one of them, or the file is larger than 1 MiB, no
/// regular file or unreadable.
pub(super) fn read(path: &Path, own: &OwnFolder) -> Result<Option<String>, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.to_path_buf(), source };
    own.check(path)?;
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found.map_err(failed)?,
    };
    if !found.is_file() {
        return Err(failed(io::Error::new(ErrorKind::InvalidInput, "it is no regular file")));
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
