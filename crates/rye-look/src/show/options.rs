//! What to show.

use crate::git::Terminal;
use crate::id::{ItemId, ItemType, Requirement, Segment};

/// What to show.
#[derive(Debug, Clone)]
pub struct Options {
    /// The id.
    pub item_id: ItemId,
    /// The type, where the id alone is not enough.
    pub item_type: Option<ItemType>,
    /// Which version of a registry; none means the item in the spaces, if there is one.
    pub requirement: Option<Requirement>,
    /// The registry to look in.
    pub registry: Option<Segment>,
    /// Whether nothing is fetched.
    pub is_offline: bool,
    /// Whether git may ask for credentials.
    pub terminal: Terminal,
}
