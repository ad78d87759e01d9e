//! `trust remove`: a key counts as if nobody had decided about it. It says nothing about the key itself.

use super::find::find;
use super::{EditOutcome, Error, WorkTree, renew_git_files};
use crate::keys::TrustDir;
use crate::ops::locate::Locator;
use crate::trust::{TrustFile, parse_allowed_signers, remove_signer};

/// Takes out every line that names a key.
///
/// # Errors
///
/// Fails when the name stands for no key, or for one that no line names, or a file cannot be written.
pub fn remove(locator: &Locator<'_>, name: &str, project: bool) -> Result<EditOutcome, Error> {
    let known = find(locator, name)?;
    if project {
        let work_tree = WorkTree::open(locator)?;
        let file = work_tree.edit(TrustFile::AllowedSigners, |text, origin| {
            known.check_lines(&parse_allowed_signers(text, origin)?, "this project's files")?;
            Ok(remove_signer(text, origin, &known.key)?)
        })?;
        return Ok(EditOutcome::new(&known, file.into_iter().collect(), true));
    }
    let dir = TrustDir::new(locator.context())?;
    known.check_lines(&dir.decisions()?, "your files")?;
    let files = dir.remove(&known.key)?;
    renew_git_files(locator)?;
    Ok(EditOutcome::new(&known, files, false))
}
