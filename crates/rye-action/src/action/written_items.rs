//! Items that a tool writes, unless it is built in: found by comparing before and after, and recorded as an agent's.
//!
//! Files are compared by size, time of change and inode; those that differ are read. A script that sets times back, or is
//! killed together with this program, goes unnoticed: the threat model accepts that.

use super::error::Error;
use crate::capability::ProjectPath;
use crate::execute;
use crate::id::SPACE_FOLDER;
use crate::locate::LocateError;
use crate::session::Session;
use crate::sign::remember_written;
use crate::workspace::{ProjectDir, Snapshot, SnapshotLimits};

/// No file is read for the comparison.
const STAMPS: SnapshotLimits = SnapshotLimits { max_files: 200_000, max_file_bytes: 0, max_total_bytes: 0 };

/// More bytes than an item can have.
const MOST: u64 = 2 * 1024 * 1024;

/// The items of the project before a tool runs.
pub(super) struct Watch {
    project: ProjectDir,
    space: ProjectPath,
    before: Snapshot,
}

impl Watch {
    /// Looks at them. None outside of a project.
    pub(super) fn begin(session: &Session) -> Option<Self> {
        let project = ProjectDir::open(session.project().root().ok()?).ok()?;
        let space: ProjectPath = SPACE_FOLDER.parse().ok()?;
        // Unreadable files count as changed.
        let before = project.snapshot(std::slice::from_ref(&space), &STAMPS).unwrap_or_default();
        Some(Self { project, space, before })
    }

    /// Remembers what has changed.
    ///
    /// # Errors
    ///
    /// Fails when that cannot be told or remembered.
    pub(super) fn remember(self, session: &Session) -> Result<(), Error> {
        let failed = |error| Error::Execute(execute::Error::Locate(LocateError::from(error)));
        let after = self.project.snapshot(&[self.space], &STAMPS).map_err(failed)?;
        for path in Snapshot::changes(&self.before, &after).oversized {
            // A file that is gone again has no writer.
            if let Ok(content) = self.project.read(&path, MOST) {
                remember_written(session.context(), path.as_str(), &content.bytes)?;
            }
        }
        Ok(())
    }
}
