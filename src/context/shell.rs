//! The configuration's `[shell.NAME]`: what a program reaches that a model runs, besides what every tool reaches.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::capability::HostRule;

/// Variables that every tool is given, and that nothing else sets.
pub const GIVEN_VARIABLES: [&str; 3] = ["HOME", "PATH", "TMPDIR"];

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
    pub(super) fn given_variable(&self) -> Option<&'static str> {
        GIVEN_VARIABLES.into_iter().find(|name| self.env.contains_key(*name) || self.sockets.contains_key(*name))
    }

    /// Names a path in it that is neither absolute nor begins with `~/`.
    pub(super) fn relative_path(&self) -> Option<&Path> {
        let paths = self.program.iter().chain(&self.read).chain(&self.write).chain(self.sockets.values());
        paths.map(PathBuf::as_path).find(|path| path.is_relative() && !path.starts_with("~"))
    }
}
