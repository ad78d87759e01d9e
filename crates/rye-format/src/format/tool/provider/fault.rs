//! A fault of a provider document, and its hint.

use thiserror::Error;

use crate::item::MoneyError;

/// Why a tool is not a provider document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum ProviderError {
    /// The key `plugin` is missing.
    #[error("the provider document has no `plugin`")]
    NoPlugin,
    /// The key `url` is missing.
    #[error("the provider document has no `url`, and the plugin `{plugin}` asks a server")]
    NoUrl { plugin: String },
    /// A key that nothing reads.
    #[error("`{key}` is not a key of a provider document")]
    Unknown {
        key: String,
        /// What to do instead.
        instead: String,
    },
    /// A key that the document's plugin has no use for.
    #[error("the plugin `{plugin}` has no `{key}`: {reason}")]
    OfOthers { key: String, plugin: String, reason: &'static str },
    /// A key holds something else than it must.
    #[error("`{key}` of the provider document must be {wanted}")]
    Key {
        key: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// A header is one that the document may not set.
    #[error("`headers` of the provider document cannot set `{name}`: {reason}")]
    Header { name: String, reason: &'static str },
    /// A price is not an amount of money.
    #[error("the price `{key}` of the provider document is not an amount")]
    Price {
        key: String,
        #[source]
        source: MoneyError,
    },
}

impl ProviderError {
    /// Returns the key of the document that is meant, without its path.
    pub(super) fn place(&self) -> &str {
        match self {
            Self::NoPlugin => "plugin",
            Self::NoUrl { .. } => "url",
            Self::Header { .. } => "headers",
            Self::Unknown { key, .. }
            | Self::OfOthers { key, .. }
            | Self::Key { key, .. }
            | Self::Price { key, .. } => key.split('.').next().unwrap_or_default(),
        }
    }

    /// Returns what to do about it.
    pub(super) fn hint(&self) -> String {
        match self {
            Self::NoPlugin => "add `plugin: openai` or `plugin: anthropic`, the protocol of the server".to_owned(),
            Self::NoUrl { .. } => "add the server's address, such as `url: https://llm.example.org/v1`".to_owned(),
            Self::Unknown { instead, .. } => instead.clone(),
            Self::OfOthers { .. } => "remove it".to_owned(),
            Self::Key { .. } | Self::Price { .. } => {
                "mend the value; docs/providers.md shows whole documents".to_owned()
            }
            Self::Header { .. } => "remove it".to_owned(),
        }
    }
}

/// Joins a key to the path of its map.
pub(super) fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Says what a key must be.
pub(super) fn wrong(key: &str, wanted: &'static str) -> ProviderError {
    ProviderError::Key { key: key.to_owned(), wanted }
}
