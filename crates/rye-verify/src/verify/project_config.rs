//! The project's configuration under verification. It names folders of skills that must be signed: one that cannot be used must not pass.

use super::super::locate::LocateError;
use super::base::{Unusable, trust_file_at};
use super::hint;
use super::trust_steps::TrustFault;
use crate::context::ProjectConfig;
use crate::git::{CommitId, Repository, TreeEntry};
use crate::keys::project_config;
use crate::project::Project;
use crate::trust::{ManifestFault, TrustFile, trust_file_path};
use crate::workspace::MAX_CONFIG_BYTES;

/// A configuration, `None` without a file; or why it is unusable.
pub(super) type Read = Result<Option<ProjectConfig>, ManifestFault>;

/// Reads the configuration of a commit.
pub(super) fn at(repository: &Repository, commit_id: &CommitId) -> Result<Read, LocateError> {
    match trust_file_at(repository, commit_id, TrustFile::Config.as_str()) {
        Ok(Some(bytes)) if bytes.len() as u64 > MAX_CONFIG_BYTES => {
            Ok(Err(unusable(format!("it is larger than {MAX_CONFIG_BYTES} bytes"))))
        }
        Ok(bytes) => Ok(bytes.as_deref().map(project_config).transpose()),
        Err(Unusable::Fault(fault)) => Ok(Err(fault)),
        Err(Unusable::Error(error)) => Err(error),
    }
}

/// Reads the configuration of the work tree.
pub(super) fn here(project: &Project) -> Result<Read, LocateError> {
    match project.workspace().config_file() {
        Ok(None) => {
            let left_out = project.trust_file_left_out(TrustFile::Config.as_str())?;
            Ok(left_out.as_deref().map(project_config).transpose())
        }
        Ok(bytes) => Ok(bytes.as_deref().map(project_config).transpose()),
        Err(error) => error.of_one_file().map(|(_, reason)| Err(unusable(reason))).ok_or(error.into()),
    }
}

/// Finds faults in the configuration of the work tree.
///
/// # Errors
///
/// Fails when a setting that the person accepted from the project cannot be used.
pub(super) fn fault_here(project: &Project) -> Result<Option<ManifestFault>, LocateError> {
    match here(project)? {
        Ok(_) => project.configs().map(|_| None),
        Err(fault) => Ok(Some(fault)),
    }
}

/// Finds faults in the configurations of a commit, and of those on the way to it that change theirs; each is told of
/// the first commit that has it.
pub(super) fn faults<'c>(
    repository: &Repository,
    on_the_way: impl Iterator<Item = &'c CommitId>,
    last: &'c CommitId,
) -> Result<Vec<TrustFault>, LocateError> {
    let end = object(repository, last)?;
    let (mut known, mut found) = (Vec::new(), Vec::new());
    for commit_id in on_the_way.chain([last]) {
        let object = object(repository, commit_id)?;
        if known.contains(&object) {
            continue;
        }
        if let Err(fault) = at(repository, commit_id)? {
            let hint = if object == end { hint::config(Some(commit_id)) } else { hint::mended(commit_id) };
            found.push(TrustFault { commit_id: commit_id.clone(), fault, hint });
        }
        known.push(object);
    }
    Ok(found)
}

/// Returns the entry in the place of the configuration: a file, perhaps a folder.
fn object(repository: &Repository, commit_id: &CommitId) -> Result<(Option<TreeEntry>, bool), LocateError> {
    let path = trust_file_path(TrustFile::Config.as_str());
    Ok((repository.entry_at(commit_id, &path)?, repository.has_at(commit_id, &path)?))
}

const fn unusable(reason: String) -> ManifestFault {
    ManifestFault::Unreadable { file: TrustFile::Config, reason }
}
