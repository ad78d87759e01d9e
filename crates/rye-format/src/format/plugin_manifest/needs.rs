//! What a plugin declares that it needs. The host holds it to that.

use serde::{Deserialize, Serialize};

use super::PluginKind;
use crate::capability::HostRule;
use crate::id::Extension;

/// The most entries of each list.
const MOST: usize = 32;

/// The longest name of a program, in bytes.
const LONGEST: usize = 64;

/// The longest note, in bytes.
const LONGEST_NOTE: usize = 1000;

/// What a plugin needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needs {
    /// Of a tool kind: the extensions of the files that it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Of a tool kind: the programs that its plans name. The host starts no other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// The hosts that a provider's documents may name, or that requests of a tool kind go to; `*` for any. Without one it asks no server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Anything else, for the person who installs it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// The hosts that a plugin may ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hosts {
    /// Any that a provider document names.
    Any,
    /// Those that one of these rules names.
    Named(Vec<HostRule>),
}

impl Hosts {
    /// Tells whether a host may be asked at a port.
    #[must_use]
    pub fn allow(&self, host: &str, port: u16) -> bool {
        match self {
            Self::Any => true,
            Self::Named(rules) => rules.iter().any(|rule| rule.names(host, port).is_some()),
        }
    }
}

impl Needs {
    /// Returns the hosts that it may ask.
    ///
    /// # Errors
    ///
    /// Says which entry is not a rule of hosts.
    pub fn reach(&self) -> Result<Hosts, String> {
        if self.hosts == ["*"] {
            return Ok(Hosts::Any);
        }
        let rule = |text: &String| text.parse::<HostRule>().map_err(|error| format!("`needs.hosts`: {error}"));
        self.hosts.iter().map(rule).collect::<Result<_, _>>().map(Hosts::Named)
    }

    /// Checks what a plugin of this kind may declare.
    pub(super) fn check(&self, kind: PluginKind) -> Result<(), String> {
        let Self { extensions, programs, hosts, note } = self;
        let of_others = match kind {
            PluginKind::Provider => [("extensions", extensions), ("programs", programs)].to_vec(),
            PluginKind::ToolKind => Vec::new(),
        };
        if let Some((key, _)) = of_others.iter().find(|(_, list)| !list.is_empty()) {
            return Err(format!("`needs.{key}` is not for a {kind}"));
        }
        for (key, list) in [("extensions", extensions), ("programs", programs), ("hosts", hosts)] {
            if list.len() > MOST {
                return Err(format!("`needs.{key}` has more than {MOST} entries"));
            }
            if let Some((at, double)) = list.iter().enumerate().find(|(at, entry)| list[..*at].contains(entry)) {
                return Err(format!("`needs.{key}` has `{}` twice (entry {})", cut(double), at + 1));
            }
        }
        if let Some(wrong) = extensions.iter().find(|text| text.parse::<Extension>().is_err()) {
            return Err(format!("`needs.extensions`: a tool cannot have the extension `{}`", cut(wrong)));
        }
        if let Some(wrong) = programs.iter().find(|name| !is_program(name)) {
            return Err(format!("`needs.programs`: `{}` is not the name of a program", cut(wrong)));
        }
        if note.len() > LONGEST_NOTE {
            return Err(format!("`needs.note` is longer than {LONGEST_NOTE} bytes"));
        }
        self.reach().map(drop)
    }
}

/// A program is named, never reached by a path: it is looked up outside of the project.
fn is_program(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.len() <= LONGEST && name.bytes().all(is_fine)
}

/// Shortens a foreign word for a sentence.
fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}
