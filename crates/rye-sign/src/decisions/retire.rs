//! `trust retire`: signatures of a key from a time on do not count; earlier ones stay good.

use super::find::find;
use super::{EditOutcome, Error, WorkTree, renew_git_files};
use crate::id::Timestamp;
use crate::keys::TrustDir;
use crate::project::Project;
use crate::trust::{TrustFile, parse_allowed_signers, retire_signer};

/// Ends the validity of a key at a moment, or now, on every line that names it; an earlier end stays.
///
/// # Errors
///
/// Fails when the name is unknown, or means a key that no line names, or a file cannot be written.
pub fn retire(project: &Project, name: &str, at: Option<Timestamp>, in_project: bool) -> Result<EditOutcome, Error> {
    let known = find(project, name)?;
    let at = at.unwrap_or_else(|| project.context().now());
    if in_project {
        let (work_tree, zone) = (WorkTree::open(project)?, project.context().zone());
        let file = work_tree.edit(TrustFile::AllowedSigners, |text, origin| {
            known.check_lines(&parse_allowed_signers(text, origin, &zone).keys, "this project's files")?;
            Ok(retire_signer(text, (origin, &zone), &known.key, at))
        })?;
        return Ok(EditOutcome::new(&known, file.into_iter().collect(), true));
    }
    let dir = TrustDir::new(project.context())?;
    known.check_lines(&dir.decisions()?, "your files")?;
    let files = dir.retire(&known.key, at)?;
    renew_git_files(project)?;
    Ok(EditOutcome::new(&known, files, false))
}
