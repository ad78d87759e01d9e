//! Errors of files: in a space, or in the project.

use std::path::Path;

use super::{Exit, Facts, hints, shell};
use crate::workspace::{Error, MAX_ITEM_BYTES};

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Ambiguous { .. } => Facts::new(Exit::Invalid, "ambiguous").hint(hints::RENAME),
        Error::UnsuitableExtension { .. } => Facts::invalid("unsuitable-extension"),
        Error::PartOfProject { around, .. } => {
            Facts::new(Exit::Denied, "part-of-project").hint_with(hints::PROJECT_AROUND, &[("path", &shell(around))])
        }
        Error::NotFound { .. } => Facts::failed("not-found"),
        Error::AlreadyExists { .. } => Facts::failed("exists"),
        Error::IgnoredInTheWay { path } => {
            Facts::new(Exit::Refused, "ignored-file").hint_with(hints::MOVE_IGNORED, &[("path", &shell(path))])
        }
        Error::ChangedMeanwhile { .. } => Facts::failed("changed-meanwhile").hint(hints::RETRY),
        Error::TooLarge { limit: MAX_ITEM_BYTES, .. } => Facts::failed("too-large").hint(hints::TOO_LARGE),
        Error::TooLarge { path, .. } => {
            Facts::failed("too-large").hint_with(hints::FILE_TOO_LARGE, &[("path", &shell(path))])
        }
        Error::Refused { .. } => Facts::failed("refused-place"),
        Error::Symlink { path } => look_at("symlink", path),
        Error::IsDirectory { .. } => Facts::failed("is-folder"),
        Error::NotDirectory { .. } => Facts::failed("not-folder"),
        Error::NotRegular { path } => look_at("not-regular", path),
        Error::WriteProtected { path } => {
            Facts::failed("write-protected").hint_with(hints::UNPROTECT, &[("path", &shell(path))])
        }
        Error::PermissionDenied { .. } => Facts::failed("no-permission"),
        Error::ReadOnlyFileSystem { .. } => Facts::failed("read-only"),
        Error::NoRoom { .. } => Facts::failed("no-room").hint(hints::DISK),
        Error::NameTooLong { .. } => Facts::failed("name-too-long"),
        Error::SystemSpace => Facts::failed("system-space"),
        Error::NoSpace { .. } => Facts::failed("no-space").hint(hints::NO_PROJECT),
        Error::TooManyFiles { .. } => Facts::failed("too-many-files"),
        Error::Stopped { .. } => Facts::failed("stopped"),
        Error::Io { .. } => Facts::failed("io"),
    }
}

fn look_at(code: &'static str, path: &Path) -> Facts {
    Facts::failed(code).hint_with(hints::LOOK_AT_FILE, &[("path", &shell(path))])
}
