//! What to pull, and how.

use crate::capability::ProjectPath;
use crate::git::Terminal;
use crate::id::{ItemId, ItemType, Requirement, Segment, Space};

/// What to pull.
#[derive(Debug, Clone)]
pub struct Options {
    /// The items; none means all of the lock.
    pub wanted: Vec<Wanted>,
    /// The space to put them in.
    pub space: Space,
    /// The registry to take them from.
    pub registry: Option<Segment>,
    /// The folder of skills to put skills in; none for where they lie, or else the first of `skills.paths`.
    pub to: Option<ProjectPath>,
    /// Whether local changes may be overwritten.
    pub force: bool,
    /// What may change, and what may be asked.
    pub mode: Mode,
    /// Whether git may ask for credentials.
    pub terminal: Terminal,
}

/// One item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its id.
    pub item_id: ItemId,
    /// Its type, where the id alone is not enough.
    pub item_type: Option<ItemType>,
    /// Which versions will do.
    pub requirement: Requirement,
}

/// What may change, and what may be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mode {
    /// The lock stays as it is.
    pub is_locked: bool,
    /// Nothing is fetched.
    pub is_offline: bool,
}
