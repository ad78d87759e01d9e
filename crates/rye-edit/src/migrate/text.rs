//! Reading an item as text.

use super::super::locate::LocateError;
use crate::project::Project;
use crate::workspace::{self, Candidate};

/// Reads an item as text; a binary or too large file comes with the reason.
pub(super) fn read(project: &Project, candidate: &Candidate) -> Result<Result<String, String>, LocateError> {
    match project.workspace().read(candidate) {
        Ok(bytes) => Ok(String::from_utf8(bytes).map_err(|_| "the file is not UTF-8, so its forms stay".to_owned())),
        Err(workspace::Error::TooLarge { .. }) => {
            Ok(Err("the file is larger than 1 MiB, so its forms stay".to_owned()))
        }
        Err(error) => Err(error.into()),
    }
}
