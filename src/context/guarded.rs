//! The person's own files and folders: believed only where nobody else can write.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

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

/// Reads the person's configuration; none if there is no such file. `home` tells who the person is.
///
/// # Errors
///
/// Fails when somebody else owns it, everybody can write the file or its folder, it is larger than 1 MiB, no regular file or
/// unreadable.
pub(super) fn read(path: &Path, home: Option<&Path>) -> Result<Option<String>, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.to_path_buf(), source };
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found.map_err(failed)?,
    };
    if !found.is_file() {
        return Err(failed(io::Error::new(ErrorKind::InvalidInput, "it is no regular file")));
    }
    let person = home.and_then(|home| fs::metadata(home).ok()).map(|home| home.uid());
    if let Some(folder) = path.parent() {
        judge(folder, &fs::metadata(folder).map_err(failed)?, person)?;
    }
    let file = File::open(path).map_err(failed)?;
    judge(path, &file.metadata().map_err(failed)?, person)?;
    let mut text = String::new();
    file.take(MAX_CONFIG_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_CONFIG_BYTES {
        return Err(failed(io::Error::new(ErrorKind::InvalidInput, "it is larger than 1 MiB")));
    }
    Ok(Some(text))
}

fn judge(path: &Path, found: &Metadata, person: Option<u32>) -> Result<(), ConfigError> {
    let (path, mode, owner) = (path.to_path_buf(), found.mode() & 0o7777, found.uid());
    if mode & WORLD_WRITES != 0 {
        return Err(ConfigError::WritableByOthers { path, mode });
    }
    match person {
        Some(person) if owner != person && owner != 0 => Err(ConfigError::Foreign { path, owner }),
        _ => Ok(()),
    }
}
