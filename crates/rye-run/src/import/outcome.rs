//! What an import comes to.

use serde::Serialize;

use crate::id::ItemId;

/// What became of the tools of a server.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The server.
    pub server: String,
    /// Whether wrappers were written.
    pub is_written: bool,
    /// What the server is and may reach.
    pub reach: Reached,
    /// Its tools, by their names, then the wrappers that have none any longer.
    pub tools: Vec<Imported>,
}

/// What a server is and may reach.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Reached {
    /// The command, of one that is started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The address, of one over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What it may read besides its program.
    pub read: Vec<String>,
    /// What it may write.
    pub write: Vec<String>,
    /// The hosts it may reach.
    pub hosts: Vec<String>,
    /// The names of the secrets and variables it gets.
    pub secrets: Vec<String>,
}

/// One tool of a server.
#[derive(Debug, Clone, Serialize)]
pub struct Imported {
    /// Its name at the server.
    pub tool: String,
    /// The id of its wrapper; none where it gets none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// What becomes of the wrapper.
    pub state: State,
    /// What the server says it does, hidden characters spelled out.
    pub description: String,
    /// The names of its parameters.
    pub parameters: Vec<String>,
    /// Of a changed one: which parts of its definition differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<&'static str>,
    /// What it said before, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Why it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What becomes of a wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// There was none.
    New,
    /// The server defines the tool otherwise than before.
    Changed,
    /// Nothing.
    Unchanged,
    /// The server no longer lists the tool; the wrapper stays.
    Gone,
    /// The tool is left out.
    Refused,
}
