//! Making files and folders durable: their bytes, then the folders that name them.
//!
//! Only newly written files are flushed; a file that is gone meanwhile (packed by `git gc`, which flushes packs) is not
//! an error.

use std::{
    collections::BTreeSet,
    fs::File,
    io::ErrorKind,
    path::{Path, PathBuf},
    thread::{self, Builder, ScopedJoinHandle},
};

use super::Error;

/// How many flushes wait for the disk at once: a file system writes its journal once for all that wait for it.
const AT_ONCE: usize = 16;

/// Fewer files are flushed one after the other.
const FEW: usize = 4;

/// Flushes a file or a folder; nothing happens if it does not exist.
pub(super) fn sync(path: &Path) -> Result<(), Error> {
    match File::open(path).and_then(|file| file.sync_all()) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::Sync { path: path.to_owned(), source }),
        _ => Ok(()),
    }
}

/// Flushes `path`'s folder and those above it, `top` included, innermost first.
pub(super) fn sync_folders(path: &Path, top: &Path) -> Result<(), Error> {
    path.ancestors().skip(1).take_while(|folder| folder.starts_with(top)).try_for_each(sync)
}

/// Flushes loose objects: files, then their fan-out folders, then the folder of all objects.
pub(super) fn sync_objects<'a>(objects: &Path, ids: impl Iterator<Item = &'a gix::ObjectId>) -> Result<(), Error> {
    let files: Vec<PathBuf> = ids.map(|id| loose_path(objects, id)).collect();
    let folders: BTreeSet<PathBuf> = files.iter().filter_map(|path| path.parent()).map(Path::to_owned).collect();
    sync_all(&files)?;
    sync_all(&folders.into_iter().collect::<Vec<_>>())?;
    sync(objects)
}

/// Flushes files or folders, many at once. Where there may be no more threads, the caller works alone.
fn sync_all(paths: &[PathBuf]) -> Result<(), Error> {
    let one_by_one = |paths: &[PathBuf]| paths.iter().try_for_each(|path| sync(path));
    if paths.len() < FEW {
        return one_by_one(paths);
    }
    thread::scope(|scope| {
        let shares = paths.chunks(paths.len().div_ceil(AT_ONCE));
        let workers = shares.map(|share| (share, Builder::new().spawn_scoped(scope, move || one_by_one(share))));
        let workers: Vec<_> = workers.collect();
        workers.into_iter().try_for_each(|(share, worker)| match worker.map(ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(_)) | Err(_) => one_by_one(share),
        })
    })
}

/// Returns where a loose object lies.
pub(super) fn loose_path(objects: &Path, id: &gix::ObjectId) -> PathBuf {
    let digits = id.to_string();
    objects.join(&digits[..2]).join(&digits[2..])
}
