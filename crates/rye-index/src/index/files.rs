//! The files of one piece of the index, as tantivy reads and writes them: in memory or in a part of
//! a stored file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, FileHandle, OwnedBytes, TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};

type Map = BTreeMap<PathBuf, Arc<dyn FileHandle>>;

/// Files by name. Clones are the same files.
#[derive(Clone, Debug, Default)]
pub(super) struct Files(Arc<RwLock<Map>>);

impl Files {
    /// Adds a file.
    pub(super) fn put(&self, path: &Path, file: Arc<dyn FileHandle>) {
        self.write().insert(path.to_owned(), file);
    }

    /// Returns name and content of every file, but for what only its writer needs.
    pub(super) fn contents(&self) -> io::Result<Vec<(String, OwnedBytes)>> {
        let files = self.read();
        let named = files.iter().filter_map(|(path, file)| Some((path.to_str()?, file)));
        let kept = named.filter(|(name, _)| !name.starts_with('.'));
        kept.map(|(name, file)| Ok((name.to_owned(), file.read_bytes(0..file.len())?))).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, Map> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Map> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Directory for Files {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.read().get(path).cloned().ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let removed = self.write().remove(path);
        removed.map(|_| ()).ok_or_else(|| DeleteError::FileDoesNotExist(path.to_owned()))
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.read().contains_key(path))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        if self.read().contains_key(path) {
            return Err(OpenWriteError::FileAlreadyExists(path.to_owned()));
        }
        let file = Growing { files: self.clone(), path: path.to_owned(), bytes: Vec::new() };
        Ok(io::BufWriter::new(Box::new(file)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let file = self.get_file_handle(path)?;
        let bytes = file.read_bytes(0..file.len());
        Ok(bytes.map_err(|source| OpenReadError::wrap_io_error(source, path.to_owned()))?.to_vec())
    }

    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.put(path, Arc::new(OwnedBytes::new(bytes.to_vec())));
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

/// A file being written: it is there when it is complete.
struct Growing {
    files: Files,
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for Growing {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.files.atomic_write(&self.path, &std::mem::take(&mut self.bytes))
    }
}
