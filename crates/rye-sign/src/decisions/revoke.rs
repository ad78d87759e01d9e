//! `trust revoke`: every signature of a key is bad, whatever date it claims.

use super::find::find;
use super::{EditOutcome, Error, WorkTree, renew_git_files};
use crate::keys::TrustDir;
use crate::project::Project;
use crate::trust::{RevokedKey, TrustFile, with_revoked};

/// Revokes a key: for the person, or in what the project proposes. The key may be unknown, and one's own.
///
/// # Errors
///
/// Fails when the name is unknown, the reason is not one line, or a file cannot be written.
pub fn revoke(project: &Project, name: &str, reason: Option<&str>, in_project: bool) -> Result<EditOutcome, Error> {
    let reason = reason.map(str::trim);
    if reason.is_some_and(|reason| reason.contains(char::is_control)) {
        return Err(Error::Reason);
    }
    let known = find(project, name)?;
    let comment = reason.map_or_else(|| known.principals.join(","), str::to_owned);
    let revoked = RevokedKey { key: known.key, comment };
    if in_project {
        let work_tree = WorkTree::open(project)?;
        let file = work_tree.edit(TrustFile::Revoked, |text, origin| Ok(with_revoked(text, origin, &revoked)?))?;
        return Ok(EditOutcome::new(&known, file.into_iter().collect(), true));
    }
    let dir = TrustDir::new(project.context())?;
    let is_new = dir.revoke(&revoked)?;
    // A person who revokes in a hurry has to know which steps are done.
    renew_git_files(project).map_err(|source| Error::InForce { key_id: revoked.key.key_id(), source })?;
    Ok(EditOutcome::new(&known, is_new.then(|| dir.revoked_path()).into_iter().collect(), false))
}
