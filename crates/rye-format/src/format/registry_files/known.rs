//! `registries.toml`: the registries that a person uses, and where each namespace comes from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{FORMAT, read};
use crate::id::Segment;

/// The registries that a person uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownRegistries {
    /// In the order in which they were added.
    pub registries: Vec<KnownRegistry>,
    /// The registry that each namespace came from first.
    pub namespaces: BTreeMap<Segment, Segment>,
}

/// One registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownRegistry {
    /// Its local name.
    pub name: Segment,
    /// What git fetches it from.
    pub url: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    #[serde(default)]
    namespaces: BTreeMap<Segment, Segment>,
    #[serde(default)]
    registry: Vec<KnownRegistry>,
}

impl KnownRegistries {
    /// Returns the registry of a name.
    #[must_use]
    pub fn find(&self, name: &Segment) -> Option<&KnownRegistry> {
        self.registries.iter().find(|known| known.name == *name)
    }
}

/// Reads a `registries.toml`.
///
/// # Errors
///
/// Says what is not understood.
pub fn known_registries(text: &str) -> Result<KnownRegistries, String> {
    let File { namespaces, registry, .. } = read(text, FORMAT)?;
    let known = KnownRegistries { registries: registry, namespaces };
    for (index, KnownRegistry { name, .. }) in known.registries.iter().enumerate() {
        if known.registries[..index].iter().any(|other| other.name.as_str().eq_ignore_ascii_case(name.as_str())) {
            return Err(format!("the registry `{name}` is there twice"));
        }
    }
    Ok(known)
}

/// Writes a `registries.toml`.
#[must_use]
pub fn known_registries_text(known: &KnownRegistries) -> String {
    let KnownRegistries { registries, namespaces } = known.clone();
    let text = toml::to_string(&File { format: FORMAT, namespaces, registry: registries });
    let text = text.expect("because numbers and texts can always be written");
    format!("# Written by `rye registry add`, `remove` and `rye pull`.\n{text}")
}
