//! A tool as its header declares it, read without running anything.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::id::{ItemId, Version};
use crate::trust::ContentHash;

/// A tool's header.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tool {
    /// The `tool_id` key, when there is one: the id or its last segment.
    pub name: Option<String>,
    /// Its version; a tool without one does not validate.
    pub version: Option<Version>,
    /// One line that says what it does; empty when not said.
    pub description: String,
    /// The folder below `.ai/tools`, when declared.
    pub category: Option<String>,
    /// The kind of tool it says it is.
    pub tool_type: Option<String>,
    /// What runs it; without one the extension decides.
    pub executor_id: Option<String>,
    /// JSON Schema 2020-12 of its parameters.
    pub schema: Option<Value>,
    /// Parameters the caller cannot change.
    pub fixed_params: Map<String, Value>,
    /// The key under which the caller's parameters are nested.
    pub params_key: Option<String>,
    /// Settings of the tool, `null` without settings: of a runtime, how it runs others.
    pub config: Value,
    /// Environment variables that the tool sets for itself.
    pub env: BTreeMap<String, String>,
    /// The files that travel with it and are next to it when it runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<Companion>,
    /// Every other key: search reads `author` and `tags`, a provider document has keys of its own.
    pub rest: Map<String, Value>,
}

/// What a tool that names the kind for its file's extension may say as its `executor_id`.
const SCRIPT: &str = "script";
/// Another name of the tool kind `http`.
const HTTP_CLIENT: &str = "rye/core/primitives/http_client";

impl Tool {
    /// Returns the tool kind that an `executor_id` names: a word without `/`, as a runtime's item lies in a folder. `script` leaves the
    /// choice to the extension.
    #[must_use]
    pub fn kind_named_by(executor: &str) -> Option<&str> {
        match executor {
            SCRIPT => None,
            HTTP_CLIENT => Some("http"),
            word => (!word.contains('/') && ItemId::is_one(word)).then_some(word),
        }
    }
}

/// A file that a tool needs next to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Companion {
    /// Where it lies, from the tool's own folder.
    pub path: CompanionPath,
    /// The SHA-256 of all its bytes.
    pub sha256: ContentHash,
}

/// A path at or below a tool's own folder: segments of letters, digits, `.`, `_` and `-` that start with none of the
/// last and no dot, joined by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CompanionPath(String);

/// A text that names no companion.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a path of a companion: {reason}")]
pub struct CompanionPathError {
    /// The text as given.
    pub text: String,
    /// The fault.
    pub reason: &'static str,
}

impl CompanionPath {
    /// Returns the path as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CompanionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for CompanionPath {
    type Err = CompanionPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match fault(text) {
            None => Ok(Self(text.to_owned())),
            Some(reason) => Err(CompanionPathError { text: text.chars().take(80).collect(), reason }),
        }
    }
}

crate::id::serde_as_text!(CompanionPath);

fn fault(text: &str) -> Option<&'static str> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if text.len() > 200 {
        Some("it is longer than 200 bytes")
    } else if text.split('/').any(str::is_empty) {
        Some("it is empty, absolute, or has an empty segment")
    } else if text.split('/').any(|segment| segment.starts_with(['.', '-'])) {
        Some("a segment must not start with `.` or `-`")
    } else if !text.split('/').all(|segment| segment.bytes().all(known)) {
        Some("only letters, digits, `.`, `_` and `-` are allowed in a segment")
    } else {
        None
    }
}
