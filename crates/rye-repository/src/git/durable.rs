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

/// More objects are flushed with their file system: one step of the disk for a thread that begins with hundreds of new items.
const MANY: usize = 128;

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

/// Flushes loose objects: files, then their fan-out folders, then the folder of all objects. Many are flushed in one step, with all else
/// that their file system has to write.
pub(super) fn sync_objects<'a>(
    objects: &Path,
    ids: impl ExactSizeIterator<Item = &'a gix::ObjectId>,
) -> Result<(), Error> {
    if ids.len() > MANY && sync_file_system(objects) {
        return Ok(());
    }
    let files: Vec<PathBuf> = ids.map(|id| loose_path(objects, id)).collect();
    let folders: BTreeSet<PathBuf> = files.iter().filter_map(|path| path.parent()).map(Path::to_owned).collect();
    sync_all(&files)?;
    sync_all(&folders.into_iter().collect::<Vec<_>>())?;
    sync(objects)
}

/// Flushes the file system that a folder lies in. Tells whether it did: where that cannot be asked for, each file is flushed.
#[cfg(target_os = "linux")]
fn sync_file_system(folder: &Path) -> bool {
    File::open(folder).is_ok_and(|folder| rustix::fs::syncfs(folder).is_ok())
}

/// Elsewhere no call says that it waits until all is written.
#[cfg(not(target_os = "linux"))]
const fn sync_file_system(_: &Path) -> bool {
    false
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_is_flushed_and_a_missing_folder_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(sync_file_system(folder.path()));
        assert!(!sync_file_system(&folder.path().join("missing")));
    }

    #[test]
    fn many_objects_are_flushed_without_a_look_at_each() {
        let folder = tempfile::tempdir().expect("a folder");
        // A link to itself cannot be opened: only who looks at each object meets it.
        let ids: Vec<gix::ObjectId> = (0..=MANY)
            .map(|number| gix::ObjectId::from_hex(format!("{number:040x}").as_bytes()).expect("an id"))
            .collect();
        std::os::unix::fs::symlink("00", folder.path().join("00")).expect("a link to itself");
        assert!(sync_objects(folder.path(), ids.iter()).is_ok());
        assert!(matches!(sync_objects(folder.path(), ids[..MANY].iter()), Err(Error::Sync { .. })));
    }
}
