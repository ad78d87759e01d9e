//! The bounds of an exchange with a server.

use crate::process::{CancelFlag, Deadline};

/// The most bytes of one message.
pub(super) const MOST_MESSAGE: usize = 4 * 1024 * 1024;
/// The most bytes that are read for one answer.
pub(super) const MOST_READ: usize = 16 * 1024 * 1024;
/// The most messages that are read for one answer.
pub(super) const MOST_MESSAGES: usize = 10_000;

/// The bounds of an exchange.
#[derive(Debug, Clone, Copy)]
pub struct CallBounds<'a> {
    /// By when there must be an answer.
    pub deadline: Deadline,
    /// Stops it when set.
    pub cancel: &'a CancelFlag,
}
