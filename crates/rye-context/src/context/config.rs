//! The configuration file `$XDG_CONFIG_HOME/rye/config.toml` (docs/formats.md, section 8).
//!
//! Unknown keys are errors: a misspelt setting that silently does nothing is worse than none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::mcp_server::McpServer;
use super::sandbox::{SandboxRules, is_grant};
use super::settings::{
    Agents, Commit, Items, LimitRules, Mcp, Net, Offered, ProjectSkills, SecretBinding, Skills, Threads,
};
use super::shell::{MOST_SOCKETS, ShellProgram};
use crate::capability::{Capability, Policy};
use crate::format::Position;
use crate::id::{ItemId, Segment};

/// The interpreters that tool kinds ask for.
pub const INTERPRETERS: [&str; 12] =
    ["Rscript", "bash", "julia", "lua", "node", "perl", "php", "python", "python3", "ruby", "sh", "zsh"];

/// The settings in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// `[threads]`
    pub threads: Threads,
    /// `[items]`
    pub items: Items,
    /// `[capabilities]`: what this installation offers.
    pub capabilities: Offered,
    /// `[permissions]`: what no grant can reach.
    pub permissions: Policy,
    /// `[mcp]`
    pub mcp: Mcp,
    /// `[commit]`
    pub commit: Commit,
    /// `[agents]`
    pub agents: Agents,
    /// `[secrets]`: where each secret may go, by its name.
    pub secrets: BTreeMap<String, SecretBinding>,
    /// Whether scripts run in a sandbox, and what they may write.
    pub sandbox: SandboxRules,
    /// `[net]`
    pub net: Net,
    /// `[limits]`: how threads are held to their limits.
    pub limits: LimitRules,
    /// `[mcp_servers]`: the MCP servers whose tools may be used, by their names.
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// `[skills]`: where clients read skills from.
    pub skills: Skills,
    /// `[interpreters]`: absolute path of each interpreter, by the name a tool asks for.
    pub interpreters: BTreeMap<String, PathBuf>,
    /// `[shell.NAME]`: what programs reach that a model runs, by their names.
    pub shell: BTreeMap<Segment, ShellProgram>,
}

/// The fewest rounds that are alike and can stop a thread.
const LEAST_REPEATS: u32 = 3;

/// Tables about acts in the person's name: they count in the file only. The overrides come from the command line, and a
/// model may have written it.
const FILE_ONLY: [&str; 9] =
    ["agents", "commit", "limits", "mcp_servers", "net", "sandbox", "secrets", "shell", "skills"];

/// Keys of other tables that count in the file only: the files they name are copied to the place of a model's tools, or
/// the actions are done unasked.
const FILE_ONLY_KEYS: [(&str, &str); 2] = [("threads", "share"), ("permissions", "unasked")];

/// What a project's `.ai/config.toml` may say: only what tightens the person's own settings. No trust is needed for
/// that.
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

/// A configuration that cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration `{}` cannot be read", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Others could change what it says.
    #[error("`{}` can be changed by everybody (mode {mode:04o}), so the configuration is not trusted", path.display())]
    WritableByOthers { path: PathBuf, mode: u32 },
    /// Another person wrote it.
    #[error("`{}` belongs to another user (user {owner}), so the configuration is not trusted", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    /// A link leads to nothing.
    #[error("`{}` is a link to something that is not there", path.display())]
    Nowhere { path: PathBuf },
    /// The file or an override is invalid.
    #[error("invalid configuration {origin}: {message}")]
    Wrong {
        /// Where the value came from, with its line if that is known.
        origin: String,
        message: String,
    },
    /// The file or an override has a setting that does not exist.
    #[error("unknown setting `{setting}` in {origin} ({expected})")]
    UnknownSetting {
        /// Where the setting came from, with its line if that is known.
        origin: String,
        /// The setting, with its table if no line is known.
        setting: String,
        /// The settings that exist there.
        expected: String,
    },
    /// The project's file is invalid.
    #[error("invalid configuration `{}`: {message}", path.display())]
    WrongInProject {
        path: PathBuf,
        /// The kind of fault it has, with its place. Quotes nothing of the file: a stranger may have written it, and a
        message: String,
        /// The same in the words of the reader, which may quote the file: for people only, escaped.
        detail: String,
    },
}

impl Config {
    /// Reads the text of the file at `path`, and lays `KEY=VALUE` overrides on top.
    ///
    /// # Errors
    ///
    /// Fails when the file is not TOML, or holds an unknown key or a wrong value.
    pub fn parse(path: &Path, text: &str, overrides: &[String]) -> Result<Self, ConfigError> {
        let origin = format!("`{}`", path.display());
        // Read as a whole first: a table no longer knows the lines its values came from.
        toml::from_str::<Self>(text).map_err(|error| {
            let line = error.span().map(|span| format!(", line {}", Position::of(text, span.start).line));
            wrong(&format!("{origin}{}", line.unwrap_or_default()), &error)
        })?;
        let mut table = parse(text, &origin)?;
        let mut config = Self::checked(&table, &origin)?;
        for given in overrides {
            let origin = format!("`--config {given}`");
            let over = parse_override(given, &origin)?;
            if let Some(name) = FILE_ONLY.iter().find(|name| over.contains_key(**name)) {
                let message =
                    format!("set `{name}` in the configuration file `{}`, not with `--config`", path.display());
                return Err(ConfigError::Wrong { origin, message });
            }
            let has = |table: &str, key: &str| over.get(table).is_some_and(|table| table.get(key).is_some());
            if let Some((name, key)) = FILE_ONLY_KEYS.iter().find(|(name, key)| has(name, key)) {
                let message =
                    format!("set `{name}.{key}` in the configuration file `{}`, not with `--config`", path.display());
                return Err(ConfigError::Wrong { origin, message });
            }
            merge(&mut table, over);
            config = Self::checked(&table, &origin)?;
        }
        Ok(config)
    }

    fn checked(table: &toml::Table, origin: &str) -> Result<Self, ConfigError> {
        let config: Self = table.clone().try_into().map_err(|error: toml::de::Error| wrong(origin, &error))?;
        let prefix = &config.threads.prefix;
        if prefix.parse::<ItemId>().is_err() {
            let message = format!("`threads.prefix` is `{prefix}`, which cannot start a branch's name");
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        if config.limits.repeats < LEAST_REPEATS {
            let (given, least) = (config.limits.repeats, LEAST_REPEATS);
            let message =
                format!("`limits.repeats` is {given}, and must be at least {least}: a single retry is not a loop");
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        if let Some(word) = config.capabilities.offered.iter().find(|word| !word.category().is_empty()) {
            let message = format!("`capabilities.offered` has `{word}`, which is not a single word");
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        if let Some(name) = config.interpreters.keys().find(|name| !INTERPRETERS.contains(&name.as_str())) {
            let message = format!(
                "`interpreters.{name}` has no effect in this version: no tool kind asks for it, only for {}",
                INTERPRETERS.join(", ")
            );
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        if let Some(path) = config.sandbox.write.iter().find(|path| !is_grant(path)) {
            let message = format!(
                "`sandbox.write` has `{}`, which is neither an absolute path nor a path in the project, but for `.`, all of it",
                path.display()
            );
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        if let Some((name, path)) = config.shell.iter().find_map(|(name, shell)| Some((name, shell.relative_path()?))) {
            let message = format!("`shell.{name}` has `{}`, which is neither absolute nor below `~/`", path.display());
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        if let Some(name) = config.shell.iter().find_map(|(name, shell)| shell.has_too_many_sockets().then_some(name)) {
            let message = format!("`shell.{name}.sockets` has more than {MOST_SOCKETS} sockets");
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        let mut variables = config.shell.iter().filter_map(|(name, shell)| Some((name, shell.given_variable()?)));
        if let Some((name, variable)) = variables.next() {
            let message = format!("`shell.{name}.env` cannot set `{variable}`");
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        if let Some(message) = config.mcp_servers.iter().find_map(|(name, server)| server_fault(name, server)) {
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        if let Some((name, path)) = config.interpreters.iter().find(|(_, path)| path.is_relative()) {
            let message = format!("`interpreters.{name}` must be an absolute path, not `{}`", path.display());
            return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
        }
        Ok(config)
    }
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
        toml::from_str(text).map_err(|error| {
            let Position { line, column } = Position::of(text, error.span().map_or(0, |span| span.start));
            let is_toml = text.parse::<toml::Table>().is_ok();
            let fault = if is_toml { kind_of(error.message()) } else { "it is not valid TOML".to_owned() };
            wrong(format!("line {line}, column {column}: {fault}"), error.message().to_owned())
        })
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

fn server_fault(name: &str, server: &McpServer) -> Option<String> {
    if name.parse::<Segment>().is_err() {
        return Some(format!("`mcp_servers.{name}` is not a name: letters, digits, `_` and `-`"));
    }
    server.fault().map(|fault| format!("`mcp_servers.{name}` {fault}"))
}

fn parse(text: &str, origin: &str) -> Result<toml::Table, ConfigError> {
    text.parse().map_err(|error: toml::de::Error| wrong(origin, &error))
}

/// Reads `a.b=value`; a value that is not TOML is taken as a string.
fn parse_override(given: &str, origin: &str) -> Result<toml::Table, ConfigError> {
    let Some((key, value)) = given.split_once('=') else {
        let message = "it must be KEY=VALUE".to_owned();
        return Err(ConfigError::Wrong { origin: origin.to_owned(), message });
    };
    let quoted = format!("{key} = {}", toml::Value::String(value.to_owned()));
    parse(&format!("{key} = {value}"), origin).or_else(|_| parse(&quoted, origin))
}

fn merge(into: &mut toml::Table, from: toml::Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(value)) => merge(inner, value),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// Says in one line what is wrong, and quotes no line of the text.
fn wrong(origin: &str, error: &toml::de::Error) -> ConfigError {
    let origin = origin.to_owned();
    let message = error.message().trim_end().replace('\n', " ");
    // An error without a place ends with the name of the setting, or of its table.
    let told = error.to_string();
    let place = told.trim_end().rsplit_once("\nin `").filter(|_| error.span().is_none());
    let place = place.map(|(_, name)| name.trim_end_matches('`'));
    match (message.strip_prefix("unknown field `").and_then(|rest| rest.split_once("`, ")), place) {
        (Some((setting, expected)), place) => {
            let table = place.map(|table| format!("{table}.")).unwrap_or_default();
            let setting = format!("{table}{}", setting.escape_debug());
            ConfigError::UnknownSetting { origin, setting, expected: expected.to_owned() }
        }
        (None, Some(setting)) => ConfigError::Wrong { origin, message: format!("`{setting}`: {message}") },
        (None, None) => ConfigError::Wrong { origin, message },
    }
}
