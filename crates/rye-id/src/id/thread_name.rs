//! Which thread is meant: one that is here, or one as a fetch brought it from a remote.
//!
//! A remote says what is there: a thread of one's own id may be another one. So the two are never taken for each other.

use std::fmt;

use super::ThreadId;

/// A thread by its place: written `ID`, or `REMOTE/ID` for one that was fetched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadName {
    /// Its id.
    pub thread_id: ThreadId,
    /// The remote that it was fetched from; none for one that is here.
    pub remote: Option<String>,
}

impl From<ThreadId> for ThreadName {
    fn from(thread_id: ThreadId) -> Self {
        Self { thread_id, remote: None }
    }
}

impl From<&ThreadId> for ThreadName {
    fn from(thread_id: &ThreadId) -> Self {
        thread_id.clone().into()
    }
}

impl From<&Self> for ThreadName {
    fn from(name: &Self) -> Self {
        name.clone()
    }
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.remote {
            Some(remote) => f.pad(&format!("{remote}/{}", self.thread_id)),
            None => self.thread_id.fmt(f),
        }
    }
}

impl serde::Serialize for ThreadName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
