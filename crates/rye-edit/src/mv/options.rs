//! Which item gets which id.

use crate::id::{ItemId, ItemType};

/// Which item gets which id.
#[derive(Debug, Clone)]
pub struct Options {
    /// The type.
    pub item_type: ItemType,
    /// The id that it has.
    pub from: ItemId,
    /// The id that it gets.
    pub to: ItemId,
    /// Sign as the person's what changes and does not carry their own signature.
    pub sign: bool,
}
