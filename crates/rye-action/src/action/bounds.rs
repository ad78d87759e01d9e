//! The bounds of an action, from the permissions down to the process.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::capability::Authority;
use crate::execute;

/// The bounds of one action.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    /// Time and output of a tool's run; the paths are those of the authority.
    pub run: execute::Bounds<'a>,
    /// What allowed the action: whose path rules count, and what a search may find.
    pub authority: &'a dyn Authority,
    /// Where a call that takes long says how far it is.
    pub progress: Option<&'a Progress>,
    /// Whether to do all but the effect of a tool.
    pub dry_run: bool,
}

/// How many documents a search has indexed: written by the thread that searches, read by the one that tells of it.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicUsize,
    total: AtomicUsize,
}

impl Progress {
    /// Notes how many of how many documents are indexed.
    pub fn note(&self, done: usize, total: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Returns how many of how many documents are indexed, once indexing began.
    #[must_use]
    pub fn now(&self) -> Option<(usize, usize)> {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        (total > 0).then_some((done, total))
    }
}
