//! Reading and writing single files of the folder: bounded, guarded, whole.

use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::TrustDir;
use crate::keys::KeysError;
use crate::trust::MAX_TRUST_FILE_BYTES;

impl TrustDir {
    /// Reads a file of the folder; none if it does not exist. No other user may be able to change it or a folder above.
    pub(super) fn bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, KeysError> {
        self.own.check(path)?;
        read(path)
    }

    /// Returns the names in a folder, sorted; none without the folder. Names with a leading dot are not decisions.
    pub(super) fn names(&self, dir: &Path) -> Result<Vec<String>, KeysError> {
        let io = |source| KeysError::Io { action: "read", path: dir.to_path_buf(), source };
        // First: a dangling link is not an empty folder.
        self.own.check(dir)?;
        let entries = match fs::read_dir(dir) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Vec::new());
            }
            entries => entries.map_err(io)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            names.extend(entry.map_err(io)?.file_name().into_string().ok());
        }
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        Ok(names)
    }

    /// Makes the folder and locks it, so that of two programs deciding at once neither loses what the other wrote.
    pub(super) fn lock(&self) -> Result<File, KeysError> {
        let io = |source| KeysError::Io { action: "write", path: self.dir.clone(), source };
        create_dir(&self.dir)?;
        self.own.check(&self.dir)?;
        let folder = File::open(&self.dir).map_err(io)?;
        folder.lock().map_err(io)?;
        Ok(folder)
    }
}

/// Makes a folder that is closed to others, unless it is there.
pub(super) fn create_dir(dir: &Path) -> Result<(), KeysError> {
    let io = |source| KeysError::Io { action: "write", path: dir.to_path_buf(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(io)
}

/// Reads a trust file, if it exists.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, KeysError> {
    let io = |source| KeysError::Io { action: "read", path: path.to_path_buf(), source };
    let wrong = |reason: String| Err(KeysError::NotReadable { path: path.to_path_buf(), reason });
    match fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Ok(metadata) if !metadata.is_file() => return wrong("it is not a file".to_owned()),
        looked_at => looked_at.map_err(io)?,
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io)?;
    file.take(MAX_TRUST_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() > MAX_TRUST_FILE_BYTES {
        return wrong(format!("it is larger than {MAX_TRUST_FILE_BYTES} bytes"));
    }
    Ok(Some(bytes))
}

/// Takes the bytes of a file as text.
pub(super) fn text(path: &Path, bytes: Option<Vec<u8>>) -> Result<String, KeysError> {
    String::from_utf8(bytes.unwrap_or_default())
        .map_err(|_| KeysError::NotReadable { path: path.to_path_buf(), reason: "it is not UTF-8".to_owned() })
}

/// Writes a file and its folder. Commit point: the rename of a synced temporary file; then the folder is synced.
pub(super) fn replace(path: &Path, text: impl AsRef<[u8]>) -> Result<(), KeysError> {
    let io = |source| KeysError::Io { action: "write", path: path.to_path_buf(), source };
    let folder = path.parent().unwrap_or(path);
    create_dir(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    file.write_all(text.as_ref()).and_then(|()| file.as_file().sync_all()).map_err(io)?;
    file.persist(path).map_err(|error| io(error.error))?;
    sync(folder)
}

/// Makes changes of a folder's names survive a crash.
pub(super) fn sync(folder: &Path) -> Result<(), KeysError> {
    let io = |source| KeysError::Io { action: "write", path: folder.to_path_buf(), source };
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)
}
