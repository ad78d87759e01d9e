//! Work after a thread has ended: old threads go to the archive, and many loose objects into a pack.
//!
//! Nothing depends on it: a failure here is repeated, or gone after the next thread.

use crate::git::{Git, PackRange, Signature};
use crate::id::Timestamp;
use crate::process::find_program;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{Outcome, archive, state};

/// How many commits of finished threads make a pack worth it. A pack for each thread would cost every reader of the repository more than
/// loose objects do, and git packs everything anew when there are fifty.
const WORTH_A_PACK: usize = 200;

/// The most threads that one run moves: each takes a few flushes.
const MOST_MOVED: usize = 100;

/// The most threads whose objects are looked for.
const MOST: usize = 200;

/// The result.
#[derive(Debug, Default)]
pub struct Tidied {
    /// How many threads moved to the archive.
    pub archived: usize,
    /// How many objects were packed.
    pub packed: usize,
}

/// Moves threads that ended longer ago than `threads.keep` to the archive, and packs finished threads, if that is worth it.
///
/// # Errors
///
/// Fails outside a repository, and when refs or objects cannot be read or written.
pub fn tidy(session: &Session) -> Result<Tidied, Error> {
    let ctx = session.context();
    let before = ctx.config().threads.keep.map(|keep| ctx.now().plus_seconds(-keep.seconds()));
    let archived = before.map_or(Ok(0), |before| archive(session, before))?;
    Ok(Tidied { archived, packed: pack(session)? })
}

/// Moves the threads that ended before a time into the archive. Returns how many.
fn archive(session: &Session, before: Timestamp) -> Result<usize, Error> {
    let ctx = session.context();
    let repository = session.project().require_repository()?;
    let mut moved = 0;
    for found in archive::branches(&repository, &ctx.config().threads.prefix)? {
        // A later thread cannot have ended before: most threads need not be read.
        if found.thread_id.started_at().is_none_or(|started| started >= before) {
            continue;
        }
        let Some(thread) = state::read(&repository, &found)? else { continue };
        if thread.status.is_finished() && thread.ended_at.is_some_and(|ended| ended < before) {
            let committer = Signature::new("rye", "rye@localhost", ctx.now().seconds());
            repository.rename_branch(&found.name, &archive::name(&found.thread_id), &found.commit_id, &committer)?;
            moved += 1;
        }
        if moved == MOST_MOVED {
            break;
        }
    }
    Ok(moved)
}

fn pack(session: &Session) -> Result<usize, Error> {
    let ctx = session.context();
    let repository = session.project().require_repository()?;
    let mut loose = archive::branches(&repository, &ctx.config().threads.prefix)?;
    loose.retain(|found| repository.is_loose(&found.commit_id));
    loose.truncate(MOST);
    let mut threads: Vec<Outcome> = Vec::new();
    for found in &loose {
        // Unreadable threads stay as they are.
        threads.extend(state::read(&repository, found).ok().flatten().filter(|thread| thread.status.is_finished()));
    }
    let commits: usize = threads.iter().map(|thread| thread.turns as usize + 2).sum();
    if commits < WORTH_A_PACK {
        return Ok(0);
    }
    let Ok(program) = find_program("git", ctx.variable("PATH").unwrap_or_default(), repository.work_dir().as_slice())
    else {
        return Ok(0);
    };
    let git = Git::new(&program, &repository, &ctx.environment_for_git());
    let ranges: Vec<PackRange> =
        threads.into_iter().map(|thread| PackRange { last: thread.commit_id, base: thread.base }).collect();
    Ok(repository.pack(&git, &ranges)?)
}
