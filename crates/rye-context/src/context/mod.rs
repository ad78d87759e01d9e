//! What surrounds the program: environment, folders, clock, randomness, configuration. Captured once.
//!
//! Nothing else in the program asks for any of these, so with them fixed every run does the same (rule 4 of
//! ARCHITECTURE.md). Variables that matter later are kept by name; the rest of the environment is for the person's own git
//! alone, whose hooks, editor and credentials depend on it.

mod agent_client;
pub mod authority;
pub mod bounded;
mod clock;
mod config;
mod error;
mod mcp_server;
mod outgoing;
mod own_files;
mod own_places;
mod prices;
mod private_folder;
mod project_config;
mod removal;
mod sandbox;
mod secret;
mod settings;
mod share;
mod shell;
mod surroundings;
mod tree;
mod zone;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use agent_client::AgentClient;
pub use bounded::Unreadable;
pub use clock::Clock;
pub use config::{Config, ConfigError, INTERPRETERS};
pub use error::ContextError;
pub use mcp_server::{McpAuth, McpServer, SecretName, ServerVariable};
pub use outgoing::{INSPECTED_VARIABLE, PROVEN_VARIABLE};
pub use own_files::{Exposed, OwnFolder};
pub use own_places::OwnPlace;
pub use prices::Prices;
pub use private_folder::PrivateFolder;
pub use project_config::ProjectConfig;
pub use removal::{open_to_owner, remove_folder, remove_folder_in};
pub use sandbox::{Sandbox, SandboxRules};
pub use secret::Secret;
pub use settings::{AgentSigning, CommitSigning, LimitRules, NetRoots, SecretBinding, Skills};
pub use share::{Preset, PresetRow, Proof, Share, written_into};
pub use shell::{GIVEN_VARIABLES, ShellProgram};
pub use surroundings::Surroundings;
pub use tree::{ProposedTree, TreeSetup};

use crate::id::Timestamp;

/// The variable that this program sets for what it starts for a tool.
pub const IN_TOOL: &str = "RYE_IN_TOOL";

/// The variables the program reads, and the only ones it knows the values of.
const KNOWN_VARIABLES: &[&str] = &[
    "EMAIL",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_INDEX_FILE",
    "HOME",
    "LANG",
    "NO_COLOR",
    "PATH",
    "RYE_INSPECTED_COMMIT",
    "RYE_PROJECT",
    "RYE_PROVEN_TREE",
    "RYE_PUSHED_THREADS",
    "RYE_SIGNING_KEY",
    IN_TOOL,
    "RYE_USER_SPACE",
    "SSH_AUTH_SOCK",
    "TERM",
    "TMPDIR",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// What a run of the program may rely on. Copies are cheap.
#[derive(Debug, Clone)]
pub struct Context {
    current_dir: PathBuf,
    is_named: bool,
    program: PathBuf,
    variables: BTreeMap<&'static str, String>,
    environment: Arc<BTreeMap<String, String>>,
    clock: Arc<Clock>,
    config: Arc<Config>,
}

impl Context {
    /// Makes a context of the surroundings given, with the system's clock. `change_dir` is the `-C` of the command line; `overrides` are
    /// `KEY=VALUE` pairs that beat the configuration file.
    ///
    /// # Errors
    ///
    /// Fails when the folder does not exist or the configuration is wrong.
    pub fn new(
        surroundings: Surroundings,
        change_dir: Option<&Path>,
        overrides: &[String],
    ) -> Result<Self, ContextError> {
        Self::with_clock(surroundings, change_dir, overrides, Clock::system())
    }

    /// Does as [`Context::new`], with another clock.
    ///
    /// # Errors
    ///
    /// As [`Context::new`].
    pub fn with_clock(
        surroundings: Surroundings,
        change_dir: Option<&Path>,
        overrides: &[String],
        clock: Clock,
    ) -> Result<Self, ContextError> {
        let Surroundings { current_dir: here, program, variables: environment } = surroundings;
        let variables = known(&environment);
        let named = change_dir.map(Path::to_path_buf).or_else(|| variables.get("RYE_PROJECT").map(PathBuf::from));
        let current_dir = match named {
            Some(dir) => existing_dir(&here.join(dir))?,
            None => here,
        };
        let is_named = change_dir.is_some();
        let (environment, config) = (Arc::new(environment), Arc::default());
        let clock = Arc::new(clock);
        let mut context = Self { current_dir, is_named, program, variables, environment, clock, config };
        let file = context.config_dir()?.join("config.toml");
        let text = own_files::read(&file, &context.own_config()?)?.unwrap_or_default();
        context.config = Arc::new(Config::parse(&file, &text, overrides)?);
        Ok(context)
    }

    /// Returns the same surroundings, as if the program had been started in `dir`. Time and randomness go on.
    ///
    /// # Errors
    ///
    /// Fails when there is no such folder.
    pub fn within(&self, dir: &Path) -> Result<Self, ContextError> {
        let current_dir = existing_dir(dir)?;
        Ok(Self { is_named: self.is_named && self.current_dir == current_dir, current_dir, ..self.clone() })
    }

    /// Returns the folder the program works in: `-C`, then `RYE_PROJECT`, then the current one.
    #[must_use]
    pub fn current_dir(&self) -> &Path {
        &self.current_dir
    }

    /// Tells whether the folder was named with `-C`.
    #[must_use]
    pub const fn is_named(&self) -> bool {
        self.is_named
    }

    /// Returns the path of the running program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the configuration in force.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns a variable, if it is set, not empty, and one of those the program knows.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Tells whether a tool started the program: then no person can be asked. A tool can unset the variable; its sandbox keeps
    /// it from the person's keys, trust and configuration all the same.
    #[must_use]
    pub fn is_in_tool(&self) -> bool {
        self.variable(IN_TOOL).is_some()
    }

    /// Returns the whole environment.
    #[must_use]
    pub fn whole_environment(&self) -> &BTreeMap<String, String> {
        &self.environment
    }

    /// Returns the environment for the person's own git, never for an item's interpreter: without the secrets that the
    /// configuration names.
    #[must_use]
    pub fn environment_for_git(&self) -> BTreeMap<String, String> {
        let of_servers: Vec<&String> = self.config.mcp_servers.values().flat_map(McpServer::secrets).collect();
        let is_secret = |name: &String| self.config.secrets.contains_key(name) || of_servers.contains(&name);
        let others = self.environment.iter().filter(|(name, _)| !is_secret(name));
        others.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Returns the home folder.
    ///
    /// # Errors
    ///
    /// Fails when `HOME` is not set to an absolute path.
    pub fn home(&self) -> Result<PathBuf, ContextError> {
        self.absolute("HOME")?.ok_or(ContextError::NoHome)
    }

    /// Returns the folder whose `.ai/` is the user space: `RYE_USER_SPACE`, or else the home folder.
    ///
    /// # Errors
    ///
    /// Fails when neither is set to an absolute path.
    pub fn user_root(&self) -> Result<PathBuf, ContextError> {
        self.absolute("RYE_USER_SPACE")?.map_or_else(|| self.home(), Ok)
    }

    /// Returns `$XDG_CONFIG_HOME/rye`, or else `~/.config/rye`: configuration, keys and trust.
    ///
    /// # Errors
    ///
    /// Fails when neither is set to an absolute path.
    pub fn config_dir(&self) -> Result<PathBuf, ContextError> {
        let config = match self.absolute("XDG_CONFIG_HOME")? {
            Some(config) => config,
            None => self.home()?.join(".config"),
        };
        Ok(config.join("rye"))
    }

    /// Returns the folder of [`config_dir`](Self::config_dir) as one that only the person may write.
    ///
    /// # Errors
    ///
    /// As [`config_dir`](Self::config_dir).
    pub fn own_config(&self) -> Result<OwnFolder, ContextError> {
        Ok(OwnFolder::new(self.config_dir()?, self.home().ok().as_deref()))
    }

    /// Returns the folder for what can be made anew: `$XDG_CACHE_HOME/rye`, or `~/.cache/rye`.
    ///
    /// # Errors
    ///
    /// Fails when there is neither, or one is not absolute.
    pub fn cache_dir(&self) -> Result<PathBuf, ContextError> {
        let cache = match self.absolute("XDG_CACHE_HOME")? {
            Some(cache) => cache,
            None => self.home()?.join(".cache"),
        };
        Ok(cache.join("rye"))
    }

    /// Returns the folder for data of this person's own: `$XDG_DATA_HOME/rye`, or `~/.local/share/rye`.
    ///
    /// # Errors
    ///
    /// Fails when there is neither, or one is not absolute.
    pub fn data_dir(&self) -> Result<PathBuf, ContextError> {
        let data = match self.absolute("XDG_DATA_HOME")? {
            Some(data) => data,
            None => self.home()?.join(".local/share"),
        };
        Ok(data.join("rye"))
    }

    /// Returns the folder of [`data_dir`](Self::data_dir) as one that only the person may write.
    ///
    /// # Errors
    ///
    /// As [`data_dir`](Self::data_dir).
    pub fn own_data(&self) -> Result<OwnFolder, ContextError> {
        Ok(OwnFolder::new(self.data_dir()?, self.home().ok().as_deref()))
    }

    /// Reads a text file of [`config_dir`](Self::config_dir) that only the person may write; none if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails when another user could have written it, it is larger than 1 MiB, or it cannot be read.
    pub fn own_text(&self, name: &str) -> Result<Option<String>, ContextError> {
        Ok(own_files::read(&self.config_dir()?.join(name), &self.own_config()?)?)
    }

    /// Returns the folder for what this person's runs remember: `$XDG_STATE_HOME/rye`, or `~/.local/state/rye`.
    ///
    /// # Errors
    ///
    /// Fails when there is neither, or one is not absolute.
    pub fn state_dir(&self) -> Result<PathBuf, ContextError> {
        match self.absolute("XDG_STATE_HOME")? {
            Some(state) => Ok(state.join("rye")),
            None => self.default_state_dir(),
        }
    }

    /// Returns the folder of a run that knows no `XDG_STATE_HOME`: `~/.local/state/rye`.
    ///
    /// # Errors
    ///
    /// Fails when `HOME` is not set to an absolute path.
    pub fn default_state_dir(&self) -> Result<PathBuf, ContextError> {
        Ok(self.home()?.join(".local/state/rye"))
    }

    /// Returns the agent client that started the program, if the environment names one and the person's configuration
    /// does not let agent clients act as the person.
    #[must_use]
    pub fn agent_client(&self) -> Option<AgentClient> {
        match self.config.agents.sign {
            AgentSigning::Ask => AgentClient::find(&self.environment),
            AgentSigning::Allow => None,
        }
    }

    /// Returns a secret: the variable of its name, or else the file `secrets/<name>` of
    /// [`config_dir`](Self::config_dir); none if there is neither. `name` holds capitals, digits and `_`.
    ///
    /// # Errors
    ///
    /// Fails when others can read the file.
    pub fn secret(&self, name: &str) -> Result<Option<Secret>, ContextError> {
        if let Some(value) = self.variable_named(name) {
            return Ok(Some(Secret::new(value.to_owned())));
        }
        secret::read(&self.config_dir()?.join("secrets").join(name), &self.own_config()?)
    }

    /// Returns any variable, if it is set and not blank: for names that a provider document brings, and for proxies.
    #[must_use]
    pub fn variable_named(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// Returns the folder for temporary files: `TMPDIR`, or `/tmp`.
    ///
    /// # Errors
    ///
    /// Fails when it is missing, and when another user can rename files in it: a program in it could be swapped.
    pub fn temp_dir(&self) -> Result<PathBuf, ContextError> {
        own_files::temp_dir(Path::new(self.variable("TMPDIR").unwrap_or("/tmp")), self.home().ok().as_deref())
    }

    /// Returns the time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns milliseconds since the program started, never going back.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        self.clock.elapsed_ms()
    }

    /// Returns secure random bytes.
    ///
    /// # Errors
    ///
    /// Fails when the operating system has none.
    pub fn random<const N: usize>(&self) -> Result<[u8; N], ContextError> {
        self.clock.random()
    }

    fn absolute(&self, name: &'static str) -> Result<Option<PathBuf>, ContextError> {
        match self.variable(name).map(PathBuf::from) {
            Some(path) if path.is_relative() => Err(ContextError::Relative { name, path }),
            path => Ok(path),
        }
    }
}

/// Returns the command line, the program's name first.
#[must_use]
pub fn command_line() -> Vec<std::ffi::OsString> {
    std::env::args_os().collect()
}

/// Tells whether this process is asked for output without colour: `NO_COLOR` is set, or the terminal is a dumb one.
///
/// Apart from [`Context`], because the sentence that says why there is no context may be coloured too.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the door to the environment")]
pub fn is_colour_unwanted() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb")
}

/// Does as [`is_colour_unwanted`], for surroundings that are known.
#[must_use]
pub fn is_colour_unwanted_in(surroundings: &Surroundings) -> bool {
    let variable = |name| surroundings.variables.get(name).map(String::as_str);
    variable("NO_COLOR").is_some_and(|value| !value.is_empty()) || variable("TERM") == Some("dumb")
}

fn known(variables: &BTreeMap<String, String>) -> BTreeMap<&'static str, String> {
    KNOWN_VARIABLES
        .iter()
        .filter_map(|name| Some((*name, variables.get(*name).filter(|value| !value.is_empty())?.clone())))
        .collect()
}

fn existing_dir(dir: &Path) -> Result<PathBuf, ContextError> {
    dir.canonicalize()
        .and_then(|path| if path.is_dir() { Ok(path) } else { Err(std::io::ErrorKind::NotADirectory.into()) })
        .map_err(|source| ContextError::ChangeDir { dir: dir.to_path_buf(), source })
}
