//! Why a registry, or what it says of an item, is not believed. Each has a rule id that never changes its meaning
//! (docs/formats.md, section 12).

use thiserror::Error;

use crate::id::{Age, ItemId, ItemType, Segment, Timestamp, Version};
use crate::trust::KeyId;

/// How the reason begins where a file or line is of a newer format.
const NEWER: &str = "it has the newer";

/// A check that a registry does not pass.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Fault {
    /// RYE-R001.
    #[error("it has no `{path}`")]
    Missing { path: String },
    /// RYE-R002.
    #[error("its `{path}` is not what its log says")]
    Config { path: String },
    /// RYE-R003.
    #[error("line {line} of `{path}` cannot be read: {reason}")]
    MalformedLine {
        path: String,
        /// The line, from 1.
        line: usize,
        reason: String,
    },
    /// RYE-R004.
    #[error("line {seq} of the log is in `{path}`, where it does not belong")]
    MisplacedLine { path: String, seq: u64 },
    /// RYE-R005.
    #[error("line {seq} of the log is missing")]
    MissingLine { seq: u64 },
    /// RYE-R006.
    #[error("line {seq} of the log is there twice")]
    DoubledLine { seq: u64 },
    /// RYE-R007.
    #[error("line {seq} of the log is out of order in `{path}`")]
    Order { path: String, seq: u64 },
    /// RYE-R008.
    #[error("line {seq} of the log is not signed by the key `{key_id}` that it names")]
    LineSignature { seq: u64, key_id: KeyId },
    /// RYE-R009.
    #[error("line {seq} of the log is signed by `{key_id}`, which does not own the namespace `{namespace}`")]
    NotOwner { seq: u64, key_id: KeyId, namespace: String },
    /// RYE-R010.
    #[error("the namespace `{namespace}` is reserved")]
    Reserved { namespace: String },
    /// RYE-R011.
    #[error("{item_type} `{id}` {version} is published twice")]
    Republished { item_type: ItemType, id: ItemId, version: Version },
    /// RYE-R012.
    #[error("line {seq} of the log is about {item_type} `{id}`, which is not published in that version")]
    NotPublished { seq: u64, item_type: ItemType, id: ItemId },
    /// RYE-R013.
    #[error("`{name}` and `{other}` differ only in upper and lower case")]
    Collision { name: String, other: String },
    /// RYE-R014.
    #[error("line {seq} of the log does not belong there: {reason}")]
    Senseless { seq: u64, reason: &'static str },
    /// RYE-R015.
    #[error("its checkpoint cannot be read: {reason}")]
    MalformedCheckpoint { reason: &'static str },
    /// RYE-R016.
    #[error("its checkpoint is not that of its lines")]
    Root,
    /// RYE-R017.
    #[error("its checkpoint is signed by `{key_id}`, which owns no namespace in it, or the signature does not fit")]
    CheckpointKey {
        /// The key that it names.
        key_id: KeyId,
    },
    /// RYE-R018.
    #[error("its tile `{path}` is not that of its lines")]
    Tile { path: String },
    /// RYE-R019.
    #[error("`{path}` does not belong there")]
    Unexpected { path: String },
    /// RYE-R020.
    #[error("`{path}` is not a plain file")]
    NotAFile { path: String },
    /// RYE-R021.
    #[error("`{path}` is too large")]
    TooLarge { path: String },
    /// RYE-R022.
    #[error("its log was truncated from {seen} lines to {now}")]
    RolledBack { seen: u64, now: u64 },
    /// RYE-R023.
    #[error("it is another one than you last saw: both have {size} lines, which differ")]
    Forked { size: u64 },
    /// RYE-R024.
    #[error("its history was rewritten: the first {seen} lines are not those you last saw")]
    Rewritten { seen: u64 },
    /// RYE-R025.
    #[error("it calls itself `{now}`, and was `{seen}` when you last saw it")]
    Renamed { seen: Segment, now: Segment },
    /// RYE-R026.
    #[error("the object `{path}` is missing")]
    MissingObject { path: String },
    /// RYE-R027.
    #[error("the object `{path}` is not what its name says")]
    Object { path: String },
    /// RYE-R028.
    #[error("the manifest `{path}` cannot be read: {reason}")]
    Manifest { path: String, reason: &'static str },
    /// RYE-R029.
    #[error("the file of {item_type} `{id}` {version} is not the one that was published")]
    Content { item_type: ItemType, id: ItemId, version: Version },
    /// RYE-R030.
    #[error("{item_type} `{id}` {version} is not signed by the key that published it: {fault}")]
    ItemSignature { item_type: ItemType, id: ItemId, version: Version, fault: crate::trust::Fault },
    /// RYE-R031.
    #[error("{item_type} `{id}` {version} says of itself that it is {says}")]
    ItemMismatch {
        item_type: ItemType,
        id: ItemId,
        version: Version,
        /// What it says.
        says: String,
    },
    /// RYE-R032.
    #[error("a git ref replaces objects of it: `{name}`")]
    Replaced { name: String },
    /// RYE-R033.
    #[error("{item_type} `{id}` {version} {}", needs(name, *is_named))]
    Needs {
        item_type: ItemType,
        id: ItemId,
        version: Version,
        name: ItemId,
        /// Whether the item names it, and the line does not; or the other way round.
        is_named: bool,
    },
    /// RYE-R035.
    #[error("it is stale: its last line is of {latest}, and it has a new one every {max_age} at least")]
    Stale {
        /// The time of its last line.
        latest: Timestamp,
        /// How old that may be.
        max_age: Age,
    },
    /// RYE-R036.
    #[error("its table `{path}` does not match its files or its checkpoint")]
    Table { path: String },
    /// RYE-R037.
    #[error("its checkpoint gives {claimed} as the time of its last line, which is of {latest}")]
    Latest {
        /// The time that the checkpoint gives.
        claimed: Timestamp,
        /// The time of its last line.
        latest: Timestamp,
    },
    /// RYE-R038.
    #[error("its checkpoint names no namespace that its signer `{key_id}` owns")]
    CheckpointOwner {
        /// The key that signed it.
        key_id: KeyId,
    },
    /// RYE-R039.
    #[error("its `{path}` is not the file that its tables list")]
    Listed { path: String },
    /// RYE-R040.
    #[error("line {seq} of the log is not in the tree of its checkpoint")]
    NotInTree { seq: u64 },
    /// RYE-R041.
    #[error("its `{path}` does not begin with the lines that you last saw in it")]
    OtherLines { path: String },
    /// RYE-R034.
    #[error("its `{path}` cannot be read: {reason}")]
    Unreadable { path: String, reason: String },
}

impl Fault {
    /// Tells whether it is of a newer format than this program reads: an attack, perhaps, but more probably progress.
    #[must_use]
    pub fn is_newer(&self) -> bool {
        match self {
            Self::Unreadable { reason, .. } | Self::MalformedLine { reason, .. } => reason.starts_with(NEWER),
            _ => false,
        }
    }

    /// Returns the id of the rule.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "RYE-R001",
            Self::Config { .. } => "RYE-R002",
            Self::MalformedLine { .. } => "RYE-R003",
            Self::MisplacedLine { .. } => "RYE-R004",
            Self::MissingLine { .. } => "RYE-R005",
            Self::DoubledLine { .. } => "RYE-R006",
            Self::Order { .. } => "RYE-R007",
            Self::LineSignature { .. } => "RYE-R008",
            Self::NotOwner { .. } => "RYE-R009",
            Self::Reserved { .. } => "RYE-R010",
            Self::Republished { .. } => "RYE-R011",
            Self::NotPublished { .. } => "RYE-R012",
            Self::Collision { .. } => "RYE-R013",
            Self::Senseless { .. } => "RYE-R014",
            Self::MalformedCheckpoint { .. } => "RYE-R015",
            Self::Root => "RYE-R016",
            Self::CheckpointKey { .. } => "RYE-R017",
            Self::Tile { .. } => "RYE-R018",
            Self::Unexpected { .. } => "RYE-R019",
            Self::NotAFile { .. } => "RYE-R020",
            Self::TooLarge { .. } => "RYE-R021",
            Self::RolledBack { .. } => "RYE-R022",
            Self::Forked { .. } => "RYE-R023",
            Self::Rewritten { .. } => "RYE-R024",
            Self::Renamed { .. } => "RYE-R025",
            Self::MissingObject { .. } => "RYE-R026",
            Self::Object { .. } => "RYE-R027",
            Self::Manifest { .. } => "RYE-R028",
            Self::Content { .. } => "RYE-R029",
            Self::ItemSignature { .. } => "RYE-R030",
            Self::ItemMismatch { .. } => "RYE-R031",
            Self::Replaced { .. } => "RYE-R032",
            Self::Needs { .. } => "RYE-R033",
            Self::Unreadable { .. } => "RYE-R034",
            Self::Stale { .. } => "RYE-R035",
            Self::Table { .. } => "RYE-R036",
            Self::Latest { .. } => "RYE-R037",
            Self::CheckpointOwner { .. } => "RYE-R038",
            Self::Listed { .. } => "RYE-R039",
            Self::NotInTree { .. } => "RYE-R040",
            Self::OtherLines { .. } => "RYE-R041",
        }
    }
}

fn needs(name: &ItemId, is_named: bool) -> String {
    if is_named {
        format!("needs `{name}`, which its line does not list")
    } else {
        format!("does not need `{name}`, which its line lists")
    }
}
