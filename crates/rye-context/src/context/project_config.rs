//! The configuration `.ai/config.toml` of a project (docs/formats.md, section 8).

use std::path::Path;

use serde::Deserialize;

use super::authority::{self, Source};
use super::config::ConfigError;
use super::settings::{Mcp, ProjectSkills};
use super::tree::ProposedTree;
use crate::capability::{Capability, Policy};
use crate::format::Position;

/// What a project's `.ai/config.toml` may say: what tightens the person's own settings, for which no trust is needed, and what it
/// proposes to them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectConfig {
    /// `[permissions]`: further calls that are never made, or never without asking.
    #[serde(deserialize_with = "tightening")]
    pub permissions: Policy,
    /// `[mcp]`: the only calls that a connection may make here, if its own permissions allow them too.
    pub mcp: Mcp,
    /// `[skills]`: further folders of skills that must be signed.
    pub skills: ProjectSkills,
    /// `[tree]`: what it proposes for the trees of threads. It counts only as accepted.
    pub tree: ProposedTree,
}

/// Reads the permissions of a project: `unasked` is not one of their keys.
fn tightening<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Policy, D::Error> {
    #[derive(Deserialize, Default)]
    #[serde(default, deny_unknown_fields)]
    struct Tightening {
        deny: Vec<Capability>,
        ask: Vec<Capability>,
    }
    let Tightening { deny, ask } = Tightening::deserialize(deserializer)?;
    Ok(Policy { deny, ask, unasked: Vec::new() })
}

impl ProjectConfig {
    /// Reads the bytes of the project's file, which lies at `path`.
    ///
    /// # Errors
    ///
    /// Fails when they are not TOML, or contain a setting that does not tighten. The error names the place and the kind
    /// of fault, and its message quotes nothing.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ConfigError> {
        let wrong = |message: String, detail| ConfigError::WrongInProject { path: path.to_owned(), message, detail };
        let not_text = || wrong("it is not UTF-8".to_owned(), "it is not UTF-8".to_owned());
        let text = std::str::from_utf8(bytes).map_err(|_| not_text())?;
        let config: Self = toml::from_str(text).map_err(|error| {
            let Position { line, column } = Position::of(text, error.span().map_or(0, |span| span.start));
            let is_toml = text.parse::<toml::Table>().is_ok();
            let fault = if is_toml { kind_of(error.message()) } else { "it is not valid TOML".to_owned() };
            wrong(format!("line {line}, column {column}: {fault}"), error.message().to_owned())
        })?;
        // The type has only keys that tighten, and so says the table.
        let table = toml::from_str(text).unwrap_or_default();
        if authority::beyond_tightening(&table, Source::Project).is_some() {
            return Err(wrong("unknown setting".to_owned(), "a project cannot set it".to_owned()));
        }
        match config.tree.fault() {
            Some(fault) => Err(wrong(fault.clone(), fault)),
            None => Ok(config),
        }
    }
}

/// Returns what kind of fault the reader tells, and what it expected, without what it found there.
fn kind_of(message: &str) -> String {
    let (begins, kind) = match message {
        _ if message.starts_with("unknown field `") => (true, "unknown setting"),
        _ if message.starts_with("invalid type: ") => (true, "invalid type"),
        _ => (false, "invalid value"),
    };
    // The expected value is last, in words of this program.
    let expected = message.rfind(", expected ").and_then(|at| message[at + 2..].lines().next()).filter(|_| begins);
    expected.map_or_else(|| kind.to_owned(), |expected| format!("{kind}, {expected}"))
}
