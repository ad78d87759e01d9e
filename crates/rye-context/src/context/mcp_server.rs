//! An MCP server whose tools may be used: the configuration's `[mcp_servers.NAME]`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::sandbox::is_grant;
use crate::capability::HostRule;

/// How long a call may take when nothing says otherwise, in seconds.
const USUAL_TIMEOUT: u64 = 60;
/// The longest that a call may take, in seconds.
const MOST_TIMEOUT: u64 = 3600;

/// An MCP server: a command that is started, or an address that is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServer {
    /// The program with its arguments.
    pub command: Vec<String>,
    /// The address of a server over HTTP.
    pub url: Option<String>,
    /// The variables that the program is handed over, by their names: a list of the names of secrets, or a table.
    #[serde(deserialize_with = "variables")]
    pub env: BTreeMap<String, ServerVariable>,
    /// What the program may read besides itself: paths in the project, absolute ones, or ones below `~/`.
    pub read: Vec<PathBuf>,
    /// What the program may write, and read.
    pub write: Vec<PathBuf>,
    /// The hosts that the program may reach.
    pub hosts: Vec<HostRule>,
    /// What authenticates at a server over HTTP.
    pub auth: Option<McpAuth>,
    /// How many seconds a call may take, the start of the program included.
    pub timeout: Option<u64>,
}

/// What a variable of a server has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum ServerVariable {
    /// A value that is not secret.
    Value(String),
    /// The value of a secret, or of a variable of this program.
    Secret(SecretName),
}

/// The name of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretName {
    /// The name.
    pub secret: String,
}

/// Reads the variables of a server: a list of names that are those of secrets, too, or a table.
fn variables<'de, D: Deserializer<'de>>(input: D) -> Result<BTreeMap<String, ServerVariable>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a list of names, or a table of texts and `{ secret = \"NAME\" }`")]
    enum Written {
        Names(Vec<String>),
        Table(BTreeMap<String, ServerVariable>),
    }
    Ok(match Written::deserialize(input)? {
        Written::Names(names) => {
            let named = |name: String| (name.clone(), ServerVariable::Secret(SecretName { secret: name }));
            names.into_iter().map(named).collect()
        }
        Written::Table(table) => table,
    })
}

/// The header that authenticates at a server over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpAuth {
    /// The header's name.
    #[serde(default = "authorization")]
    pub header: String,
    /// The text before the secret.
    #[serde(default = "bearer")]
    pub prefix: String,
    /// The secret's name.
    pub secret: String,
}

fn authorization() -> String {
    "authorization".to_owned()
}

fn bearer() -> String {
    "Bearer ".to_owned()
}

impl McpServer {
    /// Returns how long a call may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout.unwrap_or(USUAL_TIMEOUT))
    }

    /// Returns the names of the secrets that it gets.
    pub fn secrets(&self) -> impl Iterator<Item = &String> {
        let of_env = self.env.values().filter_map(|variable| match variable {
            ServerVariable::Secret(SecretName { secret }) => Some(secret),
            ServerVariable::Value(_) => None,
        });
        of_env.chain(self.auth.iter().map(|auth| &auth.secret))
    }

    /// Says what is wrong with it.
    pub(super) fn fault(&self) -> Option<String> {
        match (self.command.is_empty(), &self.url) {
            (true, None) => return Some("has neither `command` nor `url`".to_owned()),
            (false, Some(_)) => return Some("has both `command` and `url`".to_owned()),
            (true, Some(_)) => {
                let is_idle = [
                    ("env", !self.env.is_empty()),
                    ("read", !self.read.is_empty()),
                    ("write", !self.write.is_empty()),
                    ("hosts", !self.hosts.is_empty()),
                ];
                if let Some((key, _)) = is_idle.iter().find(|(_, is_set)| *is_set) {
                    return Some(format!("has `{key}`, which has no effect together with `url`"));
                }
            }
            (false, None) if self.auth.is_some() => {
                return Some(
                    "has `auth`, which has no effect together with `command`: name the secret in `env`".to_owned(),
                );
            }
            (false, None) => {}
        }
        if let Some(name) = self.secrets().find(|name| !is_secret_name(name)) {
            return Some(format!("names `{name}`, which is not the name of a secret: capitals, digits and `_`"));
        }
        if let Some(name) = self.env.keys().find(|name| is_kept(name)) {
            return Some(format!("has `{name}` in `env`, which no server gets from outside"));
        }
        let is_valid = |(name, variable): &(&String, &ServerVariable)| {
            let is_of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let is_name = name.starts_with(|first: char| !first.is_ascii_digit()) && name.bytes().all(is_of_a_name);
            is_name && name.len() <= 100 && !matches!(variable, ServerVariable::Value(value) if value.contains('\0'))
        };
        if let Some((name, _)) = self.env.iter().find(|variable| !is_valid(variable)) {
            return Some(format!(
                "has `{name}` in `env`, which is not a variable: letters, digits and `_`, and no NUL"
            ));
        }
        if let Some(path) = self.read.iter().chain(&self.write).find(|path| !is_grant(path) && !path.starts_with("~")) {
            let path = path.display();
            return Some(format!(
                "has the path `{path}`, which is neither absolute, nor below `~/`, nor in the project"
            ));
        }
        let is_time = self.timeout.is_none_or(|seconds| (1..=MOST_TIMEOUT).contains(&seconds));
        (!is_time).then(|| format!("has a `timeout` that is not a number of seconds from 1 to {MOST_TIMEOUT}"))
    }
}

fn is_secret_name(name: &str) -> bool {
    let is_of_a_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.len() <= 100 && name.bytes().all(is_of_a_name) && !name.as_bytes()[0].is_ascii_digit()
}

/// Tells whether a variable is one that this program sets, or that says what a program loads when it starts.
fn is_kept(name: &str) -> bool {
    let is_proxy =
        ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].iter().any(|proxy| name.eq_ignore_ascii_case(proxy));
    is_proxy
        || ["HOME", "PATH", "TMPDIR", "LANG"].contains(&name)
        || name.starts_with("LD_")
        || name.starts_with("DYLD_")
}
