//! What of the person's tree threads get copies of, and for which tools: what `threads.share` names.

use std::collections::BTreeSet;

use crate::capability::ProjectPath;
use crate::context::{Preset, Share};
use crate::project::Project;
use crate::workspace::tool_folders;

/// A folder that threads get a copy of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// Its path.
    pub path: ProjectPath,
    /// Whether it is named itself. Of a preset only the folders that exist are shared.
    pub is_named: bool,
}

impl Project {
    /// Returns the presets in force.
    #[must_use]
    pub fn presets(&self) -> BTreeSet<Preset> {
        self.context().config().threads.share.iter().filter_map(Share::preset).collect()
    }

    /// Returns the folders that threads get copies of: those that are named, then those of presets in the person's tree.
    #[must_use]
    pub fn shared_folders(&self) -> Vec<Shared> {
        let named = self.context().config().threads.share.iter().filter_map(Share::folder);
        let mut shared: Vec<Shared> = named.map(|path| Shared { path: path.clone(), is_named: true }).collect();
        let Some(root) = self.persons_tree() else { return shared };
        for path in self.presets().into_iter().flat_map(|preset| tool_folders(root, preset)) {
            let is_known = |known: &Shared| path == known.path || is_below(&path, &known.path);
            if !shared.iter().any(is_known) {
                shared.push(Shared { path, is_named: false });
            }
        }
        shared
    }
}

fn is_below(path: &ProjectPath, folder: &ProjectPath) -> bool {
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
}
