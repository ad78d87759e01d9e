//! Making files and folders durable: their bytes, then the folders that name them.
//!
//! Only newly written files are flushed; a file that is gone meanwhile (packed by `git gc`, which flushes packs) is not
//! an error.

use std::{
    collections::BTreeSet,
    fs::File,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::Error;

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
    let mut folders = BTreeSet::new();
    for id in ids {
        let path = loose_path(objects, id);
        sync(&path)?;
        folders.extend(path.parent().map(Path::to_owned));
    }
    folders.iter().try_for_each(|folder| sync(folder))?;
    sync(objects)
}

/// Returns where a loose object lies.
pub(super) fn loose_path(objects: &Path, id: &gix::ObjectId) -> PathBuf {
    let digits = id.to_string();
    objects.join(&digits[..2]).join(&digits[2..])
}
