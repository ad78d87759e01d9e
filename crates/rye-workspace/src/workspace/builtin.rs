//! The system space: the items compiled into the program from this repository's own `.ai/`.
//!
//! The table is written by `build.rs`, sorted by type and path. Its rows are plain text; a row whose id or extension
//! no item can have is never handed out.

use std::path::PathBuf;

use super::candidate::Candidate;
use crate::id::{ItemPath, ItemType, Space};

/// One compiled-in file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinItem {
    /// The type, from the folder.
    pub item_type: ItemType,
    /// The path below the type's folder, without extension.
    pub id: &'static str,
    /// The extension without its dot.
    pub extension: &'static str,
    /// The file's exact bytes.
    pub bytes: &'static [u8],
}

/// Every compiled-in file.
pub static BUILTIN: &[BuiltinItem] = include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

impl BuiltinItem {
    /// Returns this file as an item of the system space; `None` if its name or extension is not valid for items.
    pub(super) fn candidate(&self) -> Option<Candidate> {
        let read = ItemPath::in_folder(self.item_type, &[self.id, ".", self.extension].concat()).ok()?;
        let path = PathBuf::from(format!("builtin:{read}"));
        let ItemPath { item_type, item_id: id, extension } = read;
        Some(Candidate { space: Space::System, item_type, id, extension, path })
    }
}

/// Returns every item of the system space of one type.
pub(super) fn of_type(item_type: ItemType) -> impl Iterator<Item = Candidate> {
    BUILTIN.iter().filter(move |item| item.item_type == item_type).filter_map(BuiltinItem::candidate)
}

/// Returns the bytes of a compiled-in item.
pub(super) fn bytes_of(candidate: &Candidate) -> Option<&'static [u8]> {
    let is_it = |item: &&BuiltinItem| {
        item.item_type == candidate.item_type
            && item.id == candidate.id.as_str()
            && item.extension == candidate.extension.as_str()
    };
    BUILTIN.iter().find(is_it).map(|item| item.bytes)
}
