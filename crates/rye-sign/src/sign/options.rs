//! What to sign.

use crate::id::{ItemType, Version};

/// What to sign.
#[derive(Debug, Clone)]
pub struct Options {
    /// The type; none means every type.
    pub item_type: Option<ItemType>,
    /// Ids, or patterns of ids with `*` and `?`; empty means all.
    pub patterns: Vec<String>,
    /// Sign also what this key signed before: an older text that is wanted again, say.
    pub again: bool,
    /// Look, but write nothing.
    pub check: bool,
    /// The version of a skill, in the place of the one that its `metadata` names.
    pub version: Option<Version>,
}
