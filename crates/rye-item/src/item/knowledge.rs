//! A knowledge entry: its header and its text.

use serde::Serialize;

use crate::id::Version;

/// A knowledge entry, read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Knowledge {
    /// The last segment of the id; may be kebab.
    pub name: String,
    /// A title for people.
    pub title: String,
    /// The folder below `.ai/knowledge`.
    pub category: String,
    /// Its version.
    pub version: Version,
    /// The kind of entry it is, such as `reference`.
    pub entry_type: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Links to items, paths or addresses.
    pub references: Vec<String>,
    /// Entries this one builds on.
    pub extends: Vec<String>,
    /// Items that use this one.
    pub used_by: Vec<String>,
    /// When it was written, as written.
    pub created_at: Option<String>,
    /// The text without header fence and signature line, trimmed.
    pub body: String,
}
