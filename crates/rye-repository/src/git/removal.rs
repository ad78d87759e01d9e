//! Removing folders that a tool may have closed.

use std::{
    fs,
    io::{self, ErrorKind},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use super::Error;

/// Removes a folder and all below it, following no link; folders without permissions are opened first.
pub(super) fn remove_folder(folder: &Path) -> Result<(), Error> {
    let removed = match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            open_folders(folder).and_then(|()| fs::remove_dir_all(folder))
        }
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::Tree { action: "remove", path: folder.to_owned(), source: error.into() })
        }
        _ => Ok(()),
    }
}

/// Gives the owner access to a folder and all folders below it.
fn open_folders(folder: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Ok(());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_folders(&entry.path())?;
        }
    }
    Ok(())
}
