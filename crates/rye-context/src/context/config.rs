//! The configuration file `$XDG_CONFIG_HOME/rye/config.toml` (docs/formats.md, section 8).
//!
//! Unknown keys are errors: a misspelt setting that silently does nothing is worse than none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::authority::{self, Source, Tightening};
use super::mcp_server::McpServer;
use super::prices::Prices;
use super::sandbox::{SandboxRules, is_grant};
use super::settings::{
    Agents, Commit, Items, LimitRules, Mcp, Net, Offered, Outgoing, SecretBinding, Skills, ThreadContext, Threads,
};
use super::shell::{MOST_SOCKETS, ShellProgram};
use crate::capability::Policy;
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
    /// `[context]`: what threads tell their models of the project.
    pub context: ThreadContext,
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
    /// `[outgoing]`: which secrets may go out.
    pub outgoing: Outgoing,
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
    /// `[prices]`: what models cost, by provider document.
    pub prices: Prices,
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
    /// Reads the text of the file at `path`, and lays `KEY=VALUE` overrides on top, as far as the table of settings lets
    /// a flag set a key.
    ///
    /// # Errors
    ///
    /// Fails when the file is not TOML, or has an unknown key or a wrong value, and when a flag may not set a key.
    pub fn parse(path: &Path, text: &str, overrides: &[String]) -> Result<Self, ConfigError> {
        let origin = format!("`{}`", path.display());
        // Read as a whole first: a table no longer knows the lines its values came from.
        toml::from_str::<Self>(text).map_err(|error| {
            let line = error.span().map(|span| format!(", line {}", Position::of(text, span.start).line));
            wrong(&format!("{origin}{}", line.unwrap_or_default()), &error)
        })?;
        let mut table = parse(text, &origin)?;
        let mut config = Self::checked(&table, &origin)?;
        let mut tightening = Vec::new();
        for given in overrides {
            let origin = format!("`--config {given}`");
            let mut over = parse_override(given, &origin)?;
            if let Some(name) = authority::refused(&over, Source::Flag) {
                return Err(ConfigError::Wrong { origin, message: not_by_flag(&name, path) });
            }
            let mut whole = table.clone();
            merge(&mut whole, over.clone());
            Self::checked(&whole, &origin)?;
            let alone = Self::checked(&over, &origin)?;
            let tightened = authority::take_tightening(&mut over, Source::Flag);
            tightening.extend(tightened.into_iter().map(|setting| (setting, alone.clone(), origin.clone())));
            merge(&mut table, over);
            config = Self::checked(&table, &origin)?;
        }
        for ((setting, key), given, origin) in tightening {
            if !config.tighten(setting, given) {
                return Err(ConfigError::Wrong { origin, message: not_by_flag(key, path) });
            }
        }
        Ok(config)
    }

    /// Tightens one setting by what a flag gives; tells whether the flag tightens it.
    fn tighten(&mut self, setting: Tightening, given: Self) -> bool {
        match setting {
            Tightening::Deny => self.permissions.deny.extend(given.permissions.deny),
            Tightening::Ask => self.permissions.ask.extend(given.permissions.ask),
            Tightening::McpPermissions => self.mcp.narrowing.extend(given.mcp.permissions),
            Tightening::ShadowReserved if given.items.shadow_reserved => return self.items.shadow_reserved,
            Tightening::ShadowReserved => self.items.shadow_reserved = false,
            Tightening::ContextProject if given.context.project > self.context.project => return false,
            Tightening::ContextProject => self.context.project = given.context.project,
            Tightening::ContextEnvironment if given.context.environment => return self.context.environment,
            Tightening::ContextEnvironment => self.context.environment = false,
            // A flag names no folders of skills: only projects do.
            Tightening::SkillPaths => return false,
        }
        true
    }

    fn checked(table: &toml::Table, origin: &str) -> Result<Self, ConfigError> {
        let config: Self = table.clone().try_into().map_err(|error: toml::de::Error| wrong(origin, &error))?;
        if let Some(setting) = authority::without_row(table) {
            let expected = "expected one with a row in the table of settings".to_owned();
            return Err(ConfigError::UnknownSetting { origin: origin.to_owned(), setting, expected });
        }
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

fn not_by_flag(name: &str, path: &Path) -> String {
    if name.split('.').next() == Some("tree") {
        return format!("set `{name}` in `.ai/config.toml` of a project, not with `--config`");
    }
    format!("set `{name}` in the configuration file `{}`, not with `--config`", path.display())
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
