//! What to publish, and where.

use crate::git::Terminal;
use crate::id::{ItemId, ItemType, Segment, Version};
use crate::sign::SignedSkill;

/// What to publish.
#[derive(Debug, Clone)]
pub struct Options {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The registry; none means the one that the namespace comes from, or the only one.
    pub registry: Option<Segment>,
    /// The oldest version of this program that the item works with.
    pub requires_rye: Option<Version>,
    /// The secrets that may be published, each by the name that the refusal gives it.
    pub allow_secrets: Vec<String>,
    /// Of a skill its manifest, signed in memory and perhaps not written yet.
    pub skill: Option<SignedSkill>,
    /// Whether git may ask for credentials.
    pub terminal: Terminal,
}
