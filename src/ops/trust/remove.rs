//! `trust remove`: removes the decision about a key. It says nothing about the key itself.

use super::find::find;
use super::{EditOutcome, Error, WorkTree, renew_git_files};
use crate::keys::TrustDir;
use crate::ops::locate::Session;
use crate::trust::{TrustFile, parse_allowed_signers, remove_signer};

/// Takes out every line that names a key.
///
/// # Errors
///
/// Fails when the name is unknown, or means a key that no line names, or a file cannot be written.
pub fn remove(session: &Session, name: &str, project: bool) -> Result<EditOutcome, Error> {
    let known = find(session, name)?;
    if project {
        let work_tree = WorkTree::open(session)?;
        let file = work_tree.edit(TrustFile::AllowedSigners, |text, origin| {
            known.check_lines(&parse_allowed_signers(text, origin)?, "this project's files")?;
            Ok(remove_signer(text, origin, &known.key)?)
        })?;
        return Ok(EditOutcome::new(&known, file.into_iter().collect(), true));
    }
    let dir = TrustDir::new(session.context())?;
    known.check_lines(&dir.decisions()?, "your files")?;
    let files = dir.remove(&known.key)?;
    renew_git_files(session)?;
    Ok(EditOutcome::new(&known, files, false))
}
