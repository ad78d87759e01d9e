//! Listing threads, from their refs alone: the record is git, nothing else.

use std::cmp::Reverse;

use serde::Serialize;

use crate::id::{ThreadId, Timestamp, glob};
use crate::machine::Ending;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::state::read;
use crate::thread::record::{Outcome, archive};

/// The threads of a repository.
#[derive(Debug, Serialize)]
pub struct ListOutcome {
    /// Each thread, the newest first.
    pub threads: Vec<Outcome>,
    /// Branches whose `thread.json` cannot be read: another program or a newer version wrote it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<ThreadId>,
}

/// Which threads to list. Conditions that are given must all hold.
#[derive(Debug, Clone, Default)]
pub struct ListOptions {
    /// At most so many, the newest.
    pub most: Option<usize>,
    /// Those in this state.
    pub ending: Option<Ending>,
    /// Those of directives whose ids fit this pattern, in which `*` matches anything.
    pub directive: Option<String>,
    /// Those that began at this time or later.
    pub since: Option<Timestamp>,
    /// Archived ones instead of those with a branch.
    pub archived: bool,
}

impl ListOptions {
    pub(super) fn fits(&self, thread: &Outcome) -> bool {
        self.ending.is_none_or(|ending| thread.ending == ending)
            && self.since.is_none_or(|since| thread.started_at >= since)
            && self.directive.as_ref().is_none_or(|pattern| glob::matches(pattern, thread.directive.as_str()))
    }
}

/// Lists every thread of the current repository.
///
/// # Errors
///
/// As [`select`].
pub fn list(session: &Session) -> Result<ListOutcome, Error> {
    select(session, &ListOptions::default())
}

/// Lists threads of the current repository.
///
/// The newest come first, and no more are read than are listed: a thread's id says when it began.
///
/// # Errors
///
/// Fails outside a repository, and when a branch cannot be read.
pub fn select(session: &Session, options: &ListOptions) -> Result<ListOutcome, Error> {
    let repository = session.project().require_repository()?;
    let prefix = &session.context().config().threads.prefix;
    let mut refs = match options.archived {
        true => archive::archived(&repository, prefix)?,
        false => archive::branches(&repository, prefix)?,
    };
    refs.sort_by_cached_key(|found| Reverse((found.thread_id.started_at(), found.thread_id.clone())));
    let (mut threads, mut unreadable) = (Vec::new(), Vec::new());
    let mut second = None;
    for found in refs {
        let began = found.thread_id.started_at();
        let is_before = |since| began.is_some_and(|began| began < since);
        // An id tells the second alone: of those of one second all are read, and their records tell which is newer.
        let is_enough = began != second && options.most.is_some_and(|most| threads.len() >= most);
        if is_enough || options.most == Some(0) || options.since.is_some_and(is_before) {
            break;
        }
        second = began;
        match read(&repository, &found) {
            Ok(thread) => threads.extend(thread.filter(|thread| options.fits(thread))),
            Err(Error::Record { thread_id, .. }) => unreadable.push(thread_id),
            Err(error) => return Err(error),
        }
    }
    threads.sort_by(|a: &Outcome, b| (b.started_at, &b.thread_id).cmp(&(a.started_at, &a.thread_id)));
    threads.truncate(options.most.unwrap_or(usize::MAX));
    Ok(ListOutcome { threads, unreadable })
}
