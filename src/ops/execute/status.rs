//! Whether a tool did what it was asked.

use serde::Serialize;

/// Whether a tool did what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolStatus {
    /// It did.
    Ok,
    /// It did not.
    Error,
}
