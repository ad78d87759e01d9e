//! `trust retire`: signatures of a key from a time on do not count; earlier ones stay good.

use super::find::find;
use super::{EditOutcome, Error, WorkTree, renew_git_files};
use crate::id::Timestamp;
use crate::keys::TrustDir;
use crate::ops::locate::Session;
use crate::trust::{TrustFile, parse_allowed_signers, retire_signer};

/// Ends the validity of a key at a moment, or now, on every line that names it; an earlier end stays.
///
/// # Errors
///
/// Fails when the name is unknown, or means a key that no line names, or a file cannot be written.
pub fn retire(session: &Session, name: &str, at: Option<Timestamp>, project: bool) -> Result<EditOutcome, Error> {
    let known = find(session, name)?;
    let at = at.unwrap_or_else(|| session.context().now());
    if project {
        let work_tree = WorkTree::open(session)?;
        let file = work_tree.edit(TrustFile::AllowedSigners, |text, origin| {
            known.check_lines(&parse_allowed_signers(text, origin)?, "this project's files")?;
            Ok(retire_signer(text, origin, &known.key, at)?)
        })?;
        return Ok(EditOutcome::new(&known, file.into_iter().collect(), true));
    }
    let dir = TrustDir::new(session.context())?;
    known.check_lines(&dir.decisions()?, "your files")?;
    let files = dir.retire(&known.key, at)?;
    renew_git_files(session)?;
    Ok(EditOutcome::new(&known, files, false))
}
