//! The registries that a person uses: `CONFIG/registries.toml`, which only they may write.
//!
//! A project cannot add one. Every change holds a lock of the folder. Commit point: the rename of the flushed new file over
//! the old one.

use std::fs::{DirBuilder, File};
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::error::Error;
use crate::context::Context;
use crate::format::registry_files::{KnownRegistries, KnownRegistry, known_registries, known_registries_text};
use crate::id::{Segment, nearest};

/// The name of the registry in user space that is made where none is used yet.
pub const LOCAL: &str = "local";

/// The name of the file.
const FILE: &str = "registries.toml";

/// Reads the list; an empty one if missing.
///
/// # Errors
///
/// Fails when others could have written it, and when it cannot be read in full.
pub fn known(ctx: &Context) -> Result<KnownRegistries, Error> {
    let Some(text) = ctx.own_text(FILE)? else { return Ok(KnownRegistries::default()) };
    let path = ctx.config_dir()?.join(FILE);
    known_registries(&text).map_err(|reason| Error::Known { path, reason })
}

/// Changes the list, unless `change` leaves it as it is, and returns it.
///
/// # Errors
///
/// As [`known`], with the error of `change`, and when the file cannot be written.
pub fn edit_known<E: From<Error>>(
    ctx: &Context,
    change: impl FnOnce(&mut KnownRegistries) -> Result<(), E>,
) -> Result<KnownRegistries, E> {
    let folder = ctx.config_dir().map_err(Error::from)?;
    let _lock = lock(&folder)?;
    let before = known(ctx)?;
    let mut after = before.clone();
    change(&mut after)?;
    if after != before {
        replace(&folder.join(FILE), known_registries_text(&after).as_bytes())?;
    }
    Ok(after)
}

/// Returns where the registry in user space lies.
///
/// # Errors
///
/// Fails when there is no home folder.
pub fn local_path(ctx: &Context) -> Result<PathBuf, Error> {
    Ok(ctx.data_dir()?.join("registries").join(LOCAL))
}

/// Makes a folder that is closed to others, unless it is there, and locks it until the lock is dropped.
pub(super) fn lock(folder: &Path) -> Result<File, Error> {
    let failed = |source| Error::Io { action: "write", path: folder.to_path_buf(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let opened = File::open(folder).map_err(failed)?;
    opened.lock().map_err(failed)?;
    Ok(opened)
}

/// Writes a file completely or not at all.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source| Error::Io { action: "write", path: path.to_path_buf(), source };
    let folder = path.parent().unwrap_or(path);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// Finds a registry by the name that the person gave it.
///
/// # Errors
///
/// Fails if it is missing.
pub fn find<'k>(list: &'k KnownRegistries, name: &Segment) -> Result<&'k KnownRegistry, Error> {
    list.find(name).ok_or_else(|| Error::Unknown {
        name: name.to_string(),
        nearest: nearest(name.as_str(), list.registries.iter().map(|known| known.name.as_str())).map(str::to_owned),
    })
}
