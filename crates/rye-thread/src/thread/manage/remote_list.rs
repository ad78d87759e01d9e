//! Listing the threads that were fetched from remotes, each with whose keys signed it and whether they count here.

use std::cmp::Reverse;

use serde::Serialize;

use super::list::ListOptions;
use crate::id::ThreadName;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::remote_refs;
use crate::thread::record::{History, Outcome, Ref, Standing, key_ids};
use crate::trust::KeyId;

/// How many threads are listed where no number is given.
const MOST_THREADS: usize = 100;

/// The threads of remotes.
#[derive(Debug, Serialize)]
pub struct FetchedList {
    /// Each thread, the newest first.
    pub threads: Vec<ListedFetched>,
    /// Refs whose record cannot be read, or has another id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<ThreadName>,
    /// How many older ones are not listed.
    pub more: usize,
    /// The remotes that were looked through.
    pub remotes: Vec<String>,
}

/// A thread of a remote.
#[derive(Debug, Serialize)]
pub struct ListedFetched {
    /// Its name here, `REMOTE/ID`.
    pub name: ThreadName,
    /// Its state.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The committer of its last commit, as that claims it; none where every signature counts: then the keys say who signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_committer: Option<String>,
    /// The keys that signed its commits, each once.
    pub keys: Vec<KeyId>,
    /// What the signatures are worth here.
    pub signatures: Standing,
}

/// Lists the fetched threads of a remote, or of all.
///
/// # Errors
///
/// Fails outside a repository, when the remote is unknown, and when refs cannot be read.
pub fn list_fetched(session: &Session, remote: Option<&str>, options: &ListOptions) -> Result<FetchedList, Error> {
    let repository = session.project().require_repository()?;
    let prefix = &session.context().config().threads.prefix;
    let mut remotes = remote_refs::remotes(&repository);
    remotes.sort();
    if let Some(name) = remote {
        remotes.retain(|known| known == name);
        if remotes.is_empty() {
            return Err(Error::NoRemote { name: name.to_owned() });
        }
    }
    let mut refs = Vec::new();
    for remote in &remotes {
        refs.extend(remote_refs::list(&repository, remote, prefix)?);
    }
    refs.sort_by_cached_key(|found| Reverse((found.thread_id.started_at(), found.thread_id.clone())));
    let most = options.most.unwrap_or(MOST_THREADS);
    let mut listed = FetchedList { threads: Vec::new(), unreadable: Vec::new(), more: 0, remotes };
    let mut refs = refs.into_iter();
    while listed.threads.len() + listed.unreadable.len() < most {
        let Some(found) = refs.next() else { break };
        match History::glance(&repository, &found) {
            Ok(history) if options.fits(&history.outcome) => listed.threads.push(row(session, &found, history)),
            Ok(_) => {}
            Err(_) => listed.unreadable.push(name(&found)),
        }
    }
    listed.more = refs.len();
    Ok(listed)
}

fn row(session: &Session, found: &Ref, history: History) -> ListedFetched {
    let signatures = history.standing(session);
    let committer = history.commits.last().map(|last| &last.info.committer.identity);
    let claimed = committer.map(|committer| format!("{} <{}>", committer.name, committer.email));
    ListedFetched {
        name: name(found),
        claimed_committer: claimed.filter(|_| !signatures.verified),
        keys: key_ids(history.commits.iter().map(|commit| &commit.info)),
        signatures,
        outcome: history.outcome,
    }
}

fn name(found: &Ref) -> ThreadName {
    ThreadName { thread_id: found.thread_id.clone(), remote: found.remote.clone() }
}
