//! The configuration's `[shell.NAME]`: what a program reaches that a model runs, besides what every tool reaches.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::capability::HostRule;

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
    /// Variables that it gets.
    pub env: BTreeMap<String, String>,
}

impl ShellProgram {
    /// Names a path in it that is neither absolute nor begins with `~/`.
    pub(super) fn relative_path(&self) -> Option<&Path> {
        let paths = self.program.iter().chain(&self.read).chain(&self.write);
        paths.map(PathBuf::as_path).find(|path| path.is_relative() && !path.starts_with("~"))
    }
}
