//! What to publish, and where.

use crate::git::Terminal;
use crate::id::{ItemId, ItemType, Segment};

/// What to publish.
#[derive(Debug, Clone)]
pub struct Options {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The registry; none means the one that the namespace comes from, or the only one.
    pub registry: Option<Segment>,
    /// Whether git may ask for credentials.
    pub terminal: Terminal,
}
