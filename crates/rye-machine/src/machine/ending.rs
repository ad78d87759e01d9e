//! How a thread stands, in the word of the filter: errors are told apart by what ended the thread.
//!
//! `thread.json` has the status `error` for all of them, with a code: the word follows from both, in threads of every version.

use serde::{Deserialize, Serialize};

/// The code of an error whose cause is the provider.
pub const PROVIDER_FAILED: &str = "provider";

/// The code of an error whose cause is that the conversation does not fit the model.
pub const CONTEXT: &str = "context_exceeded";

/// The code of an error whose cause is a limit.
pub const LIMIT: &str = "limit";

/// The code of an error whose cause is an answer that was cut at its greatest length.
pub const MAX_TOKENS: &str = "max_tokens";

/// The codes of errors whose cause is that the thread's tree can be used no longer.
pub const TREE: [&str; 3] = ["tree_replaced", "tree_damaged", "tree_too_large"];

/// The state of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its runner is at work.
    Running,
    /// It ended well.
    Completed,
    /// It ended badly.
    Error,
    /// The user stopped it.
    Cancelled,
    /// Its runner died without an end.
    Interrupted,
}

/// The state or end of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Its runner is at work.
    Running,
    /// It ended well.
    Completed,
    /// A call, the model's answer or the thread's tree ended it.
    Error,
    /// A limit ended it, or it was stopped because the model went round in a loop.
    Limit,
    /// A step that does not go on without it was denied a call.
    Denied,
    /// The provider did not answer.
    Provider,
    /// The declared outputs were not returned.
    Outputs,
    /// The user stopped it.
    Cancelled,
    /// Its runner died without an end.
    Interrupted,
}

impl Ending {
    /// Every word.
    pub const ALL: [Self; 9] = [
        Self::Running,
        Self::Completed,
        Self::Error,
        Self::Limit,
        Self::Denied,
        Self::Provider,
        Self::Outputs,
        Self::Cancelled,
        Self::Interrupted,
    ];

    /// Derives the word from the record: the status, and the code of the error if there is one.
    #[must_use]
    pub fn of(status: Status, code: &str) -> Self {
        match (status, code) {
            (Status::Running, _) => Self::Running,
            (Status::Completed, _) => Self::Completed,
            (Status::Error, "limit" | "loop") => Self::Limit,
            (Status::Error, "denied") => Self::Denied,
            (Status::Error, "missing_outputs") => Self::Outputs,
            (Status::Error, code) if code.starts_with("provider") => Self::Provider,
            (Status::Error, _) => Self::Error,
            (Status::Cancelled, _) => Self::Cancelled,
            (Status::Interrupted, _) => Self::Interrupted,
        }
    }

    /// Returns the word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Limit => "limit",
            Self::Denied => "denied",
            Self::Provider => "provider",
            Self::Outputs => "outputs",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }
}

impl Status {
    /// Tells whether a thread has a recorded end.
    #[must_use]
    pub const fn is_finished(self) -> bool {
        match self {
            Self::Completed | Self::Error | Self::Cancelled => true,
            Self::Running | Self::Interrupted => false,
        }
    }

    /// Returns the word for this status.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Tells whether the cause of an error may be gone by itself.
pub fn is_passing(code: &str) -> bool {
    is_of_provider(code) || TREE.contains(&code) || matches!(code, CONTEXT | MAX_TOKENS)
}

/// Tells whether the cause of an error is the provider.
pub fn is_of_provider(code: &str) -> bool {
    code == PROVIDER_FAILED || code.strip_prefix(PROVIDER_FAILED).is_some_and(|rest| rest.starts_with('_'))
}

/// Says that the model declined to answer, and why, where that is known.
pub fn declined(reason: Option<&str>) -> String {
    let reason = reason.map(|reason| format!(": {reason}"));
    format!("the model declined to answer{}", reason.unwrap_or_default())
}
