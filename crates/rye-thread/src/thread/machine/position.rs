//! The turn and the directive that an event belongs to.

use crate::id::ItemId;

/// What an event belongs to.
#[derive(Debug, Clone)]
pub(in crate::thread) struct Position {
    /// The turn.
    pub(in crate::thread) turn: u32,
    /// The directive being followed.
    pub(in crate::thread) directive: ItemId,
}
