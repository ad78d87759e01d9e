//! A piece of an index, in memory or open on disk.

use super::files::Files;
use super::manifest::StoredPiece;

/// A piece of an index at hand.
#[derive(Clone)]
pub(super) struct Held {
    pub name: String,
    pub files: Files,
    /// How it is stored; `None` for an index in memory.
    pub stored: Option<StoredPiece>,
}
