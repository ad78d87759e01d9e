//! The copies of projects that resident MCP servers work in, by the keys of their connections.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::workspace::ProjectCopy;

/// The copies of a process. One goes when its server is started anew, or with the process.
#[derive(Debug, Default)]
pub struct ServerCopies {
    copies: Mutex<BTreeMap<String, Arc<Mutex<ProjectCopy>>>>,
}

impl ServerCopies {
    /// Returns the copy of a connection.
    #[must_use]
    pub fn of(&self, key: &str) -> Option<Arc<Mutex<ProjectCopy>>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Keeps the copy of a connection.
    pub fn keep(&self, key: &str, copy: ProjectCopy) {
        let copy = Arc::new(Mutex::new(copy));
        self.copies.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), copy);
    }

    /// Removes the copy of a connection that is opened anew.
    pub fn forget(&self, key: &str) {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}
