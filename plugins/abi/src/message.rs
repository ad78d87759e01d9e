//! The payloads common to both kinds of plugin.
//!
//! Unknown fields are tolerated; a missing field is an error unless it is documented as optional.

use serde::{Deserialize, Serialize};

/// The failure code of a plugin that panicked.
pub const CODE_PANIC: &str = "panic";
/// The failure code of a plugin that was asked something it does not know.
pub const CODE_UNSUPPORTED: &str = "unsupported";
/// The failure code of a plugin that could not read its request.
pub const CODE_REQUEST: &str = "request";
/// The failure code of a plugin that was handed a state it did not make.
pub const CODE_STATE: &str = "state";
/// The failure code of a provider without a model whose next step cannot be done.
pub const CODE_STEP_FAILED: &str = "step_failed";

/// Who a plugin is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The name it is selected by; the one in its table.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// The file extensions a tool kind takes, without dots; empty for a provider.
    #[serde(default)]
    pub extensions: Vec<String>,
}

impl Description {
    /// Describes a plugin by its name, version and extensions.
    #[must_use]
    pub fn new(name: &str, version: &str, extensions: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            extensions: extensions.iter().map(|&extension| extension.to_owned()).collect(),
        }
    }
}

/// What a plugin says when it cannot answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// A stable word for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

impl Failure {
    /// Pairs a stable code with a sentence.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }

    /// Says that an operation is not one of this kind of plugin.
    #[must_use]
    pub fn unsupported(op: u32) -> Self {
        Self::new(CODE_UNSUPPORTED, format!("this plugin has no operation {op}"))
    }

    /// Says that a state was not made by this plugin.
    #[must_use]
    pub fn state(problem: &serde_json::Error) -> Self {
        Self::new(CODE_STATE, format!("the state is not one of this plugin: {problem}"))
    }
}

/// A failure as it crosses the boundary: `{"error": {"code", "message"}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailurePayload {
    /// The failure.
    pub error: Failure,
}
