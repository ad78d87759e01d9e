//! Systems without name spaces of processes.

/// What the next child of a process is the first of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum NameSpace {
    /// Nothing: the system makes none.
    Shared,
}

impl NameSpace {
    /// Sets no limit: the system has none for a process and what it starts.
    #[expect(clippy::unused_self, reason = "the interface of the name spaces of Linux")]
    pub(in super::super) const fn limit(self, _most_processes: u64) {}
}
