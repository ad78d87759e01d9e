//! Whether a tool did what it was asked.

use serde::Serialize;

use super::super::executors::RefusedPath;
use crate::net::Asked;
use crate::process;
use crate::workspace::CopiedBack;

/// Whether a tool did what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolStatus {
    /// It did.
    Ok,
    /// It did not.
    Error,
}

/// How the run of a tool ended, besides its status.
#[derive(Debug, Default)]
pub(super) struct Ended {
    pub(super) cancelled: bool,
    pub(super) was_refused: bool,
    pub(super) no_sandbox: Option<process::Error>,
    /// What it said besides, where its result does not.
    pub(super) stderr: String,
    /// What an MCP server says that it was refused.
    pub(super) refused: Option<RefusedPath>,
    /// The hosts that it asked for.
    pub(super) asked: Vec<Asked>,
    /// What came back of a private copy of the project.
    pub(super) copied: Option<CopiedBack>,
    /// Whether a private copy was dropped instead.
    pub(super) is_dropped: bool,
}
