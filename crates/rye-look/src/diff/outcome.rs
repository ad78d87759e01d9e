//! What comparing items with their signed versions came to.

use serde::Serialize;

use crate::git::CommitId;
use crate::id::{ItemId, ItemType, Timestamp};
use crate::locate::{AgentFileChange, LineEnds};
use crate::trust::{KeyId, Verdict};

/// The most commits that are looked at for one item.
pub const MOST_COMMITS: usize = 2_000;

/// What changed since it was signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The items, in the order of their ids.
    pub items: Vec<ItemDiff>,
    /// The files that instruct agents and differ from the signed list of them, by their paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent_files: Vec<AgentFileDiff>,
}

/// A file that instructs agents, against the version that the list names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentFileDiff {
    /// The file, from the top of the project.
    pub path: String,
    /// How it differs.
    pub change: AgentFileChange,
    /// The changes as a unified diff; empty where the searched history does not have the signed version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

/// An item against its signed version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemDiff {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// Its file.
    pub path: String,
    /// The verdict of its signature now.
    pub verdict: Verdict,
    /// How it compares.
    pub state: State,
    /// The version that was signed: the file itself where it is unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed: Option<SignedVersion>,
    /// Why its line ends differ, where these are all that does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_ends: Option<LineEnds>,
    /// The changes as a unified diff, without signature lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

/// How an item compares with its signed version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is as it was signed.
    Unchanged,
    /// Its text differs.
    Changed,
    /// Only its signature line was changed or taken out.
    LineOnly,
    /// Only its line ends differ.
    LineEnds,
    /// No signed version of it is in the part of the history that was searched.
    NeverSigned,
    /// The last commit has it, and the work tree has no such file.
    Removed,
    /// A skill is signed, and no folder has it.
    NoFolder,
}

/// A version that fits its signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignedVersion {
    /// The key that its line names.
    pub key_id: KeyId,
    /// The names under which the key is trusted here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub principals: Vec<String>,
    /// When it was signed, as its line says.
    pub signed_at: Timestamp,
    /// A commit that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<CommitId>,
}
