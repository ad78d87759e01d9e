//! The trust files in a project's work tree: nothing here counts before it was accepted.

use std::path::PathBuf;

use super::super::locate::LocateError;
use super::error::Error;
use crate::id::Space;
use crate::keys::ProjectFiles;
use crate::project::Project;
use crate::trust::{TrustFile, trust_file_path};
use crate::workspace::{Expected, Workspace};

/// The folder of a project's trust files.
#[derive(Debug)]
pub(super) struct WorkTree<'a> {
    project: &'a Project,
    workspace: &'a Workspace,
    space: Space,
    root: PathBuf,
}

impl<'a> WorkTree<'a> {
    /// Finds the project.
    pub(super) fn open(project: &'a Project) -> Result<Self, Error> {
        let workspace = project.workspace();
        let root = project.root()?.to_path_buf();
        // Where the home folder is the project there is only the user space.
        let space = if workspace.root(Space::Project).is_some() { Space::Project } else { Space::User };
        Ok(Self { project, workspace, space, root })
    }

    /// Returns the path of a file.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(trust_file_path(name))
    }

    /// Reads every file.
    pub(super) fn read(&self) -> Result<ProjectFiles, Error> {
        ProjectFiles::gather(|name| match self.workspace.proposal_file(self.space, name)? {
            Some(bytes) => Ok(Some(bytes)),
            None => Ok(self.project.trust_file_left_out(name)?),
        })
    }

    /// Replaces a file that still is as it was read.
    pub(super) fn write(&self, name: &str, new: &[u8], old: Option<&[u8]>) -> Result<(), Error> {
        if self.project.trust_file_left_out(name)?.is_some() {
            return Err(LocateError::TrustNotCheckedOut { path: trust_file_path(name) }.into());
        }
        let expected = old.map_or(Expected::Absent, Expected::Content);
        Ok(self.workspace.write_trust_file(self.space, name, new, expected)?)
    }

    /// Changes the text of a file, and returns its path if it changed.
    pub(super) fn edit(
        &self,
        file: TrustFile,
        change: impl FnOnce(&str, &str) -> Result<String, Error>,
    ) -> Result<Option<PathBuf>, Error> {
        if self.project.trust_file_left_out(file.as_str())?.is_some() {
            return Err(LocateError::TrustNotCheckedOut { path: trust_file_path(file.as_str()) }.into());
        }
        let old = self.workspace.trust_file(self.space, file.as_str())?;
        let origin = format!(".ai/trust/{file}");
        let text = String::from_utf8(old.clone().unwrap_or_default())
            .map_err(|_| crate::trust::ManifestFault::Unreadable { file, reason: "it is not UTF-8".to_owned() })?;
        let new = change(&text, &origin)?;
        if new == text {
            return Ok(None);
        }
        self.write(file.as_str(), new.as_bytes(), old.as_deref())?;
        Ok(Some(self.path(file.as_str())))
    }
}
