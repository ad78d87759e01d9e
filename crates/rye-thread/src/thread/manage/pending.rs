//! The threads that wait for their person: to be taken up again, looked at, or accepted.

use super::diff::{has_changes, is_taken};
use super::list::list;
use crate::git::Repository;
use crate::machine::Ending;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::Outcome;

/// Lists the threads that wait, the newest first. One whose changes were accepted does not wait, however it ended; and a
/// completed one without changes has nothing to wait for.
///
/// # Errors
///
/// Fails outside a repository, and when a branch cannot be read.
pub fn pending(session: &Session) -> Result<Vec<Outcome>, Error> {
    let repository = session.project().require_repository()?;
    Ok(list(session)?.threads.into_iter().filter(|thread| waits(&repository, thread)).collect())
}

fn waits(repository: &Repository, thread: &Outcome) -> bool {
    // What cannot be compared is listed.
    let changed = || has_changes(repository, thread).unwrap_or(true);
    let taken = || is_taken(repository, thread).unwrap_or(false);
    match thread.ending {
        Ending::Running | Ending::Interrupted => true,
        Ending::Completed => changed() && !taken(),
        Ending::Error | Ending::Limit | Ending::Denied | Ending::Provider | Ending::Outputs | Ending::Cancelled => {
            !(changed() && taken())
        }
    }
}
