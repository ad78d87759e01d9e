//! `trust remove`: removes the decision about a key. It says nothing about the key itself.

use super::find::find;
use super::{EditOutcome, Error, WorkTree, renew_git_files};
use crate::keys::TrustDir;
use crate::project::Project;
use crate::trust::{TrustFile, parse_allowed_signers, remove_signer};

/// Takes out every line that names a key.
///
/// # Errors
///
/// Fails when the name is unknown, or means a key that no line names, or a file cannot be written.
pub fn remove(project: &Project, name: &str, in_project: bool) -> Result<EditOutcome, Error> {
    let known = find(project, name)?;
    if in_project {
        let (work_tree, zone) = (WorkTree::open(project)?, project.context().zone());
        let file = work_tree.edit(TrustFile::AllowedSigners, |text, origin| {
            known.check_lines(&parse_allowed_signers(text, origin, &zone).keys, "this project's files")?;
            Ok(remove_signer(text, (origin, &zone), &known.key))
        })?;
        return Ok(EditOutcome::new(&known, file.into_iter().collect(), true));
    }
    let dir = TrustDir::new(project.context())?;
    known.check_lines(&dir.decisions()?, "your files")?;
    let files = dir.remove(&known.key)?;
    renew_git_files(project)?;
    Ok(EditOutcome::new(&known, files, false))
}
