//! Errors of files: in a space, or in the project.

use super::{Exit, Facts, hints};
use crate::workspace::Error;

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Ambiguous { .. } => Facts::new(Exit::Invalid, "ambiguous").hint(hints::RENAME),
        Error::UnsuitableExtension { .. } => Facts::invalid("unsuitable-extension"),
        Error::NotFound { .. } => Facts::failed("not-found"),
        Error::AlreadyExists { .. } => Facts::failed("exists"),
        Error::ChangedMeanwhile { .. } => Facts::failed("changed-meanwhile").hint(hints::RETRY),
        Error::TooLarge { .. } => Facts::failed("too-large"),
        Error::Refused { .. } => Facts::failed("refused-place"),
        Error::Symlink { .. } => Facts::failed("symlink"),
        Error::OutOfSpace { .. } => Facts::failed("out-of-space"),
        Error::IsDirectory { .. } => Facts::failed("is-folder"),
        Error::NotDirectory { .. } => Facts::failed("not-folder"),
        Error::NotRegular { .. } => Facts::failed("not-regular"),
        Error::WriteProtected { .. } => Facts::failed("write-protected"),
        Error::PermissionDenied { .. } => Facts::failed("no-permission"),
        Error::ReadOnlyFileSystem { .. } => Facts::failed("read-only"),
        Error::NoRoom { .. } => Facts::failed("no-room").hint(hints::DISK),
        Error::NameTooLong { .. } => Facts::failed("name-too-long"),
        Error::SystemSpace => Facts::failed("system-space"),
        Error::NoSpace { .. } => Facts::failed("no-space").hint(hints::NO_PROJECT),
        Error::TooManyFiles { .. } => Facts::failed("too-many-files"),
        Error::Io { .. } => Facts::failed("io"),
    }
}
