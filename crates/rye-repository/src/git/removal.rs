//! Removing folders that a tool may have closed.

use std::{io::ErrorKind, path::Path};

use super::Error;
use crate::context;

/// Removes a folder and all below it, following no link; folders without permissions are opened first.
pub(super) fn remove_folder(folder: &Path) -> Result<(), Error> {
    match context::remove_folder(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::Tree { action: "remove", path: folder.to_owned(), source: error.into() })
        }
        _ => Ok(()),
    }
}
