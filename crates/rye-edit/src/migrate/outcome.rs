//! The planned or made changes: the struct that `--json` prints.

use serde::Serialize;

use crate::format::Remark;
use crate::item::Node;
use crate::workspace;

/// The planned or made changes.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// What it came to.
    pub status: Status,
    /// The files that change, and those for a person to review.
    pub files: Vec<File>,
    /// The items that lose their signature and have to be signed again, under their new ids.
    pub sign: Vec<Node>,
    /// The files that change and that the last commit does not hold as they were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncommitted: Vec<String>,
    /// Why not everything was written.
    #[serde(rename = "error", skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// What a migration came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// There are no changes.
    Unchanged,
    /// Something would change.
    Pending,
    /// It was changed.
    Migrated,
    /// A part of it was changed.
    Failed,
}

/// One file.
#[derive(Debug, Serialize)]
pub struct File {
    /// The item it is; none for a capability document, and for other files.
    #[serde(flatten)]
    pub item: Option<Node>,
    /// Where it lies, from the folder that holds `.ai`.
    pub path: String,
    /// Where it lies afterwards, when that is elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
    /// How far it is.
    pub state: State,
    /// What changes, in words; empty when nothing does.
    pub changes: Vec<String>,
    /// Parts for a person to review: unchanged forms, and additions.
    #[serde(rename = "review", skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// The change as a unified diff.
    pub diff: String,
}

/// How far a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing is to change in it.
    Kept,
    /// It would be changed.
    Pending,
    /// It was changed.
    Changed,
    /// It was changed, and lies where it lay before.
    Unmoved,
    /// It could not be changed.
    Failed,
    /// It was not changed, because another one failed before.
    Left,
}

/// Where a migration came to a stop.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// The file.
    pub path: String,
    /// Why.
    #[serde(rename = "message", serialize_with = "as_text")]
    pub source: workspace::Error,
}

fn as_text<S: serde::Serializer>(error: &workspace::Error, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}
