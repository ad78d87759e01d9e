//! What bounds an action, from the permissions down to the process.

use crate::capability::Authority;
use crate::ops::execute;

/// What bounds one action.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    /// Time and output of a tool's run; the paths are those of the authority.
    pub run: execute::Bounds<'a>,
    /// What allowed the action: whose path rules count, and what a search may find.
    pub authority: &'a dyn Authority,
    /// Whether a search keeps what it had to index for the next one.
    pub keeps_index: bool,
    /// Whether to do all but the effect of a tool.
    pub dry_run: bool,
}
