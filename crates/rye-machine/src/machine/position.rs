//! The turn and the directive that an event belongs to.

use crate::id::ItemId;

/// What an event belongs to.
#[derive(Debug, Clone)]
pub struct Position {
    /// The turn.
    pub turn: u32,
    /// The directive being followed.
    pub directive: ItemId,
}
