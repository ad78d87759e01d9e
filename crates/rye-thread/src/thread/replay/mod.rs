//! Deriving a thread again from its record: no network, no tool, no provider, no configuration.
//!
//! The machine is made of `setup.json` and `token.json`, and driven along the same course as when the thread ran
//! (`course`), with the record as its host. Every event, every file of the thread and every commit that follows is
//! compared with the record.
//!
//! - `segment`: a record, read. `signatures`: whether it is the agent's. `answers`, `commits`: the record as a host.
//! - `derivation`: one thread after the other, where one continues another. `resumption`: where one was taken up again. `comparison`, `difference`: what differs first. `tokens`: of a
//!   record without `setup.json`.

mod answers;
mod commits;
mod comparison;
mod derivation;
mod difference;
mod inputs;
mod resumption;
mod segment;
mod signatures;
mod tokens;

use serde::Serialize;

pub(super) use answers::Depth;
pub(super) use derivation::Derived;
use derivation::derive;
pub use difference::Difference;
use difference::Stop;
use segment::segments;
pub(super) use segment::{Segment, lineage};
pub use signatures::BadSignature;
pub(super) use signatures::judge;
pub(super) use tokens::check_tokens;

use super::error::Error;
use crate::git::{CommitId, Repository};
use crate::id::{ThreadId, ThreadName};
use crate::session::Session;
use crate::thread::record::{History, Verb, remote_refs};

/// What a replay came to.
#[derive(Debug, Serialize)]
pub struct Replay {
    /// The thread.
    pub thread_id: ThreadId,
    /// The remote that it was fetched from; none for a thread that is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The state of its record.
    pub status: ReplayStatus,
    /// Its last commit.
    pub commit_id: CommitId,
    /// How many commits there are, with those of threads that it continues.
    pub commits: usize,
    /// How many were derived, and are the same.
    pub derived: usize,
    /// Whether the record has an end; a thread that runs or was interrupted has none.
    pub has_ended: bool,
    /// The commits whose signatures do not count.
    pub signatures: Vec<BadSignature>,
    /// Where the record first differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// The state of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplayStatus {
    /// It equals the derived one.
    Same,
    /// It is not.
    Different,
    /// It has a commit whose signature does not count.
    Untrusted,
}

/// Derives a thread from its record, and fails at the first difference.
pub(super) fn derived(
    repository: &Repository,
    thread_id: &ThreadId,
    histories: Vec<History>,
    depth: Depth,
) -> Result<(Vec<Segment>, Derived), Error> {
    let derived = segments(repository, histories).and_then(|segments| {
        let derived = derive(repository, &segments, depth, &mut 0)?;
        Ok((segments, derived))
    });
    derived.map_err(|stop| match stop {
        Stop::Failed(error) => error,
        Stop::Different(difference) => Error::Derived { thread_id: difference.thread_id, message: difference.message },
        Stop::Over => Error::NoTurns { thread_id: thread_id.clone() },
    })
}

/// Derives a thread from its record and compares.
///
/// # Errors
///
/// Fails outside a repository, when the thread is unknown, when its record cannot be read, and when it was recorded
/// without `setup.json`. A record that differs is an outcome.
pub fn replay(session: &Session, thread: impl Into<ThreadName>) -> Result<Replay, Error> {
    let thread = thread.into();
    let repository = session.project().require_repository()?;
    let unknown = || Error::Unknown { name: thread.to_string(), suggestion: None };
    let found = remote_refs::find(&repository, &session.context().config().threads.prefix, &thread)?;
    let tip = found.ok_or_else(unknown)?.commit_id;
    let histories = lineage(&repository, &thread.thread_id, &tip)?;
    let commits = histories.iter().map(|history| history.commits.len()).sum();
    let signatures = judge(session, &histories, Verb::Replay);
    let mut done = 0;
    let followed =
        segments(&repository, histories).and_then(|segments| derive(&repository, &segments, Depth::Commits, &mut done));
    let (has_ended, difference) = match followed {
        Ok(derived) => (derived.has_ended, None),
        Err(Stop::Different(difference)) => (false, Some(*difference)),
        Err(Stop::Failed(error)) => return Err(error),
        Err(Stop::Over) => return Err(unknown()),
    };
    let status = match (signatures.is_empty(), &difference) {
        (false, _) => ReplayStatus::Untrusted,
        (true, Some(_)) => ReplayStatus::Different,
        (true, None) => ReplayStatus::Same,
    };
    Ok(Replay {
        thread_id: thread.thread_id,
        remote: thread.remote,
        status,
        commit_id: tip,
        commits,
        derived: done,
        has_ended,
        signatures,
        difference,
    })
}
