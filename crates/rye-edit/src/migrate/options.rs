//! What to migrate.

/// What to migrate.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Ids, files or folders of items, and capability documents; empty means every item.
    pub only: Vec<String>,
    /// Write the changes.
    pub write: bool,
}
