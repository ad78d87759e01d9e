//! The configuration's `[shell.NAME]`: what a program reaches that a model runs, besides what every tool reaches.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::capability::HostRule;

/// Variables that every tool is given, and that nothing else sets.
pub const GIVEN_VARIABLES: [&str; 3] = ["HOME", "PATH", "TMPDIR"];

/// Variables that lead to the proxy of the sandbox.
const PROXIES: [&str; 4] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/// The most Unix sockets of a program: the sandbox has no more.
pub(super) const MOST_SOCKETS: usize = 8;

/// What a program reaches, and where it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShellProgram {
    /// The program; without it, the first of its name on PATH.
    pub program: Option<PathBuf>,
    /// Further files and folders that it reads.
    pub read: Vec<PathBuf>,
    /// Further files and folders that it writes.
    pub write: Vec<PathBuf>,
    /// The hosts that it reaches, whatever the permissions of a directive name.
    pub hosts: Vec<HostRule>,
    /// Unix sockets that it reaches by TCP, by the variables that tell it the address, such as `DOCKER_HOST`.
    pub sockets: BTreeMap<String, PathBuf>,
    /// Variables that it gets.
    pub env: BTreeMap<String, String>,
}

impl ShellProgram {
    pub(super) fn has_too_many_sockets(&self) -> bool {
        self.sockets.len() > MOST_SOCKETS
    }

    /// Names a variable that it may not set.
    pub(super) fn given_variable(&self) -> Option<&str> {
        let names = self.env.keys().chain(self.sockets.keys()).map(String::as_str);
        let is_name = |name: &str| {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            !name.is_empty() && name.bytes().all(is_part) && !name.as_bytes()[0].is_ascii_digit()
        };
        names.into_iter().find(|name| {
            let upper = name.to_ascii_uppercase();
            !is_name(name) || GIVEN_VARIABLES.contains(name) || PROXIES.contains(&upper.as_str())
        })
    }

    /// Names a path in it that is neither absolute nor begins with `~/`.
    pub(super) fn relative_path(&self) -> Option<&Path> {
        let paths = self.program.iter().chain(&self.read).chain(&self.write).chain(self.sockets.values());
        paths.map(PathBuf::as_path).find(|path| path.is_relative() && !path.starts_with("~"))
    }
}
