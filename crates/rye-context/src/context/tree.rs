//! `[tree]` of a project's configuration: what the project proposes for the trees of threads. It counts only as a person accepted it.

use serde::Deserialize;

use super::share::{Share, fault_of};
use crate::capability::{HostRule, ProjectPath};

/// The most words, hosts, locks or shares.
const MOST: usize = 64;

/// What a project proposes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProposedTree {
    /// Ignored folders, and presets, as in `threads.share`.
    pub share: Vec<Share>,
    /// The command that makes these folders.
    pub setup: Option<TreeSetup>,
}

/// A command that makes the shared folders in the tree of a thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeSetup {
    /// The program's name, and its arguments.
    pub command: Vec<String>,
    /// The only hosts that it reaches.
    pub hosts: Vec<HostRule>,
    /// The files and folders of the project that it reads, and that its result depends on.
    pub locks: Vec<ProjectPath>,
}

impl ProposedTree {
    /// Says what is wrong with it.
    pub(super) fn fault(&self) -> Option<String> {
        let setup = self.setup.as_ref()?;
        let TreeSetup { command, hosts, locks } = setup;
        let is_name = |name: &String| !name.is_empty() && !name.contains('/');
        let is_plain = |word: &String| !word.contains('\0');
        if let Some((path, fault)) = locks.iter().find_map(|path| Some((path, fault_of(path)?))) {
            return Some(format!("`{path}` of `tree.setup.locks` {fault}"));
        }
        let fault = match () {
            () if !command.first().is_some_and(is_name) || !command.iter().all(is_plain) => {
                Some("`tree.setup.command` does not begin with the name of a program")
            }
            () if locks.is_empty() => Some("`tree.setup.locks` names no file: its result could not be kept"),
            () if self.share.iter().all(|share| share.folder().is_none()) => {
                Some("`tree.share` names no folder that `tree.setup` makes")
            }
            () if [command.len(), hosts.len(), locks.len(), self.share.len()].iter().any(|count| *count > MOST) => {
                Some("`tree` has a list of more than 64 entries")
            }
            () => None,
        };
        fault.map(str::to_owned)
    }
}
