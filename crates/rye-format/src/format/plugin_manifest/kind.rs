//! What a plugin is, and what it is called.

use std::fmt;

use rye_plugin_abi::table::{KIND_PROVIDER, KIND_TOOL_KIND};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The kinds of plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PluginKind {
    /// It continues conversations.
    Provider,
    /// It knows how tools of some kind are run.
    ToolKind,
}

/// The name of a plugin: `[a-z][a-z0-9_-]*`, at most 64 bytes. It is the name of a folder on every file system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginName(String);

/// A text that is not the name of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` is not the name of a plugin: expected a lower-case letter, then lower-case letters, digits, `_` and `-`, at most 64 bytes"
)]
pub struct PluginNameError {
    /// The text as given, cut.
    pub text: String,
}

impl PluginKind {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::ToolKind => "tool kind",
        }
    }

    /// Returns the number that a plugin's table has for it.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::Provider => KIND_PROVIDER,
            Self::ToolKind => KIND_TOOL_KIND,
        }
    }
}

impl fmt::Display for PluginKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl PluginName {
    /// Returns the name as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PluginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl std::str::FromStr for PluginName {
    type Err = PluginNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
        let is_name = text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(is_fine);
        if is_name && text.len() <= 64 {
            return Ok(Self(text.to_owned()));
        }
        Err(PluginNameError { text: text.chars().take(80).collect() })
    }
}

crate::id::serde_as_text!(PluginName);
