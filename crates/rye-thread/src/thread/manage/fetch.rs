//! Bringing the threads of a remote: the person's own git fetches their branches, each to its place among the remote's refs.
//!
//! Nothing of the person's moves: the branches of their threads are elsewhere. A branch that the remote rewrote stays as it was fetched,
//! and so does one that the remote lost. Only ids of threads become names here, whatever the remote calls its refs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::push::git;
use crate::git::{CommitId, Repository, Terminal};
use crate::id::{ThreadId, ThreadName};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::remote_refs;

/// The most threads that are fetched at once, the newest. Others are fetched by their ids.
const MOST_THREADS: usize = 1000;

/// The most commits that are looked at to tell whether a branch was rewritten.
const MOST_COMMITS: usize = 1_000_000;

/// The threads of a remote that were fetched.
#[derive(Debug, Serialize)]
pub struct Fetched {
    /// The remote.
    pub remote: String,
    /// Each thread that was asked for, the newest first.
    pub threads: Vec<FetchedThread>,
    /// How many older threads the remote has beyond the most that are fetched at once.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// How many branches of the remote have a name like a thread's, and are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub no_threads: usize,
}

/// What became of one thread.
#[derive(Debug, Serialize)]
pub struct FetchedThread {
    /// Its name here, `REMOTE/ID`.
    pub name: ThreadName,
    /// The full name of its ref here.
    pub branch: String,
    /// What became of it.
    pub status: FetchStatus,
}

/// What a fetch made of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchStatus {
    /// It was not here.
    New,
    /// It has further commits.
    Updated,
    /// It was here as it is.
    Unchanged,
    /// The remote replaced commits of it: it stays as it was fetched before.
    Rewritten,
}

/// A branch of the remote, and where it was here before.
struct Wanted {
    thread_id: ThreadId,
    tip: CommitId,
    before: Option<CommitId>,
}

/// Fetches threads of a remote: those that are named by their ids or the beginnings of these, or the newest. Without a name of a
/// remote, from the one that git would take.
///
/// # Errors
///
/// Fails when the remote or a thread there is unknown, when the remote cannot be reached, and when git cannot be run.
pub fn fetch(session: &Session, remote: Option<&str>, names: &[String], terminal: Terminal) -> Result<Fetched, Error> {
    let repository = session.project().require_repository()?;
    let remote = remote.map(str::to_owned).or_else(|| repository.default_remote()).unwrap_or_else(|| "origin".into());
    if !remote_refs::remotes(&repository).contains(&remote) {
        return Err(Error::NoRemote { name: remote });
    }
    let prefix = &session.context().config().threads.prefix;
    let (theirs, ours) = (ThreadId::branches(prefix), remote_refs::folder(&remote, prefix));
    let git = git(session)?.with_terminal(terminal);
    let listed = git.branches_at(&remote, &theirs)?;
    let branches = listed.len();
    let there: Vec<(ThreadId, CommitId)> =
        listed.into_iter().filter_map(|(name, tip)| Some((name.strip_prefix(&theirs)?.parse().ok()?, tip))).collect();
    let no_threads = branches - there.len();
    let (wanted, left_out) = wanted(there, &remote, names)?;
    let before: BTreeMap<ThreadId, CommitId> =
        remote_refs::list(&repository, &remote, prefix)?.into_iter().map(|at| (at.thread_id, at.commit_id)).collect();
    let wanted: Vec<Wanted> = wanted
        .into_iter()
        .map(|(thread_id, tip)| Wanted { before: before.get(&thread_id).cloned(), thread_id, tip })
        .collect();
    let moved = wanted.iter().filter(|one| one.before.as_ref() != Some(&one.tip));
    let refspecs: Vec<String> = moved.map(|Wanted { thread_id: id, .. }| format!("{theirs}{id}:{ours}{id}")).collect();
    let refspecs: Vec<&str> = refspecs.iter().map(String::as_str).collect();
    let ended = if refspecs.is_empty() { Ok(()) } else { git.fetch_each(&remote, &refspecs) };
    let mut threads = Vec::new();
    for one in wanted {
        let branch = format!("{ours}{}", one.thread_id);
        let Some(status) = status(&repository, &one, &branch)? else {
            // Git has said why.
            ended?;
            return Err(Error::NotAtRemote { name: one.thread_id.to_string(), remote });
        };
        let name = ThreadName { thread_id: one.thread_id, remote: Some(remote.clone()) };
        threads.push(FetchedThread { name, branch, status });
    }
    Ok(Fetched { remote, threads, left_out, no_threads })
}

/// Picks the threads to fetch, the newest first, and tells how many are left out.
fn wanted(
    mut there: Vec<(ThreadId, CommitId)>,
    remote: &str,
    names: &[String],
) -> Result<(Vec<(ThreadId, CommitId)>, usize), Error> {
    there.sort_by_cached_key(|(id, _)| Reverse((id.started_at(), id.clone())));
    if names.is_empty() {
        let left_out = there.len().saturating_sub(MOST_THREADS);
        there.truncate(MOST_THREADS);
        return Ok((there, left_out));
    }
    let mut wanted: Vec<(ThreadId, CommitId)> = Vec::new();
    for name in names {
        let id = name.strip_prefix(&format!("{remote}/")).unwrap_or(name);
        let exact = there.iter().filter(|(known, _)| known.as_str() == id);
        let meant = there.iter().filter(|(known, _)| !id.is_empty() && known.as_str().starts_with(id));
        let mut meant = exact.chain(meant);
        let Some(first) = meant.next() else {
            return Err(Error::NotAtRemote { name: id.to_owned(), remote: remote.to_owned() });
        };
        if let Some((other, _)) = meant.find(|(known, _)| *known != first.0).filter(|_| first.0.as_str() != id) {
            return Err(Error::Ambiguous { name: name.clone(), threads: vec![first.0.clone(), other.clone()] });
        }
        if !wanted.contains(first) {
            wanted.push(first.clone());
        }
    }
    Ok((wanted, 0))
}

/// Tells what became of a thread; none if it did not come.
fn status(repository: &Repository, wanted: &Wanted, branch: &str) -> Result<Option<FetchStatus>, Error> {
    let now = repository.branch(branch)?;
    Ok(match (&wanted.before, now) {
        (_, None) => None,
        (None, Some(_)) => Some(FetchStatus::New),
        (Some(before), Some(now)) if *before != now => Some(FetchStatus::Updated),
        (Some(before), Some(_)) if *before == wanted.tip => Some(FetchStatus::Unchanged),
        // It came and does not build on what was here, or it did not come.
        (Some(before), Some(_)) => match repository.is_ancestor(before, &wanted.tip, MOST_COMMITS) {
            Ok(false) => Some(FetchStatus::Rewritten),
            Ok(true) | Err(_) => None,
        },
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}
