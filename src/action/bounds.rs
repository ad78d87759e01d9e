//! What bounds an action, from the permissions down to the process.

use crate::capability::Authority;
use crate::ops::execute;

/// What bounds one action.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    /// Time, output and paths of a tool's run.
    pub run: execute::Bounds<'a>,
    /// What a search may find.
    pub authority: &'a dyn Authority,
    /// Whether a search keeps what it had to index for the next one.
    pub keeps_index: bool,
    /// Whether to do all but the effect of a tool.
    pub dry_run: bool,
}
