//! The configuration's `sandbox`: a word, or a table with the word as `mode`, what scripts may write and which hosts they may reach.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};

use crate::capability::{HostRule, ProjectPath};

/// Whether scripts run in a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sandbox {
    /// Always: where the system has none, no script runs.
    #[serde(alias = "required")]
    Require,
    /// Where the system has one; elsewhere as the person.
    Prefer,
    /// Never: scripts run as the person.
    Off,
}

/// What the configuration says about the sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxRules {
    /// For every script; without it, `require` for those that a model runs and `prefer` for those of a person.
    pub mode: Option<Sandbox>,
    /// What scripts may write outside of threads: paths in the project, or absolute ones.
    pub write: Vec<PathBuf>,
    /// What hosts scripts may reach outside of threads.
    pub network: Vec<HostRule>,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Table {
    mode: Option<Sandbox>,
    write: Vec<PathBuf>,
    network: Vec<HostRule>,
}

impl<'de> Deserialize<'de> for SandboxRules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrTable)
    }
}

struct WordOrTable;

impl<'de> Visitor<'de> for WordOrTable {
    type Value = SandboxRules;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`require`, `prefer`, `off`, or a table with `mode`, `write` and `network`")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
        let mode = Sandbox::deserialize(StrDeserializer::new(word))?;
        Ok(SandboxRules { mode: Some(mode), ..SandboxRules::default() })
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let Table { mode, write, network } = Table::deserialize(MapAccessDeserializer::new(map))?;
        Ok(SandboxRules { mode, write, network })
    }
}

/// Tells whether a path can be granted for writing: an absolute one, one in the project, or `.` for all of it.
pub(super) fn is_grant(path: &Path) -> bool {
    let is_pattern = |path: &str| path.contains(['*', '?', '[', '{']);
    let is_in_project =
        |path: &str| !is_pattern(path) && path.parse::<ProjectPath>().is_ok_and(|path| !path.as_str().is_empty());
    path.is_absolute() || path == Path::new(".") || path.to_str().is_some_and(is_in_project)
}
