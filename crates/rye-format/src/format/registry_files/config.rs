//! A registry's `config.toml`, and the files of its namespaces.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{FORMAT, read};
use crate::id::{Age, Segment};

/// What a registry says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryConfig {
    /// Its name.
    pub name: Segment,
    /// Who may claim a namespace.
    pub claims: Claims,
    /// Namespaces that cannot be claimed, besides those that every registry reserves.
    pub reserved: Vec<Segment>,
    /// After how long without a new line it counts as stale; none if it never does.
    pub max_age: Option<Age>,
}

/// Who may claim a namespace without an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claims {
    /// The first who publishes in it.
    Open,
    /// The key that made the registry.
    Owners,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    name: Segment,
    claims: Claims,
    reserved: Vec<Segment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_age: Option<Age>,
}

#[derive(Serialize)]
struct Namespace<'a> {
    format: u32,
    owners: &'a [String],
}

impl Claims {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Owners => "owners",
        }
    }
}

impl fmt::Display for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Claims {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = [Self::Open, Self::Owners].into_iter().find(|claims| claims.as_str() == text);
        found.ok_or_else(|| format!("unknown word `{text}` (expected open or owners)"))
    }
}

/// Reads a `config.toml`.
///
/// # Errors
///
/// Says what is not understood.
pub fn registry_config(bytes: &[u8]) -> Result<RegistryConfig, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let File { name, claims, reserved, max_age, .. } = read(text, FORMAT)?;
    Ok(RegistryConfig { name, claims, reserved, max_age })
}

/// Writes a `config.toml`.
#[must_use]
pub fn registry_config_text(config: &RegistryConfig) -> String {
    let RegistryConfig { name, claims, reserved, max_age } = config.clone();
    written(&File { format: super::FORMAT, name, claims, reserved, max_age })
}

/// Writes the file of a namespace: the public keys of its owners, as OpenSSH writes them.
#[must_use]
pub fn namespace_text(owners: &[String]) -> String {
    written(&Namespace { format: super::FORMAT, owners })
}

fn written<T: Serialize>(file: &T) -> String {
    toml::to_string(file).expect("because numbers and texts can always be written")
}
