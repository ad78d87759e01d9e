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

/// A preset that a project has a use for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolNeed {
    /// The preset.
    pub preset: Preset,
    /// Its folders in the person's tree.
    pub folders: Vec<ProjectPath>,
    /// Whether threads have it.
    pub is_shared: bool,
}

impl Project {
    /// Finds the presets that the project has a use for, by its files. None outside of a project.
    #[must_use]
    pub fn tool_needs(&self) -> Vec<ToolNeed> {
        let Some(root) = self.persons_tree() else { return Vec::new() };
        let in_force = self.presets();
        let needs = Preset::ALL.into_iter().map(|preset| ToolNeed {
            preset,
            folders: tool_folders(root, preset),
            is_shared: in_force.contains(&preset),
        });
        let has_mark = |preset: Preset| preset.row().marks.iter().any(|mark| root.join(mark).is_file());
        needs.filter(|need| !need.folders.is_empty() || has_mark(need.preset)).collect()
    }

    /// Returns the presets in force.
    #[must_use]
    pub fn presets(&self) -> BTreeSet<Preset> {
        self.shares().iter().filter_map(Share::preset).collect()
    }

    /// Returns what the person's configuration shares, and what the project proposes that the person accepted. An accepted configuration
    /// that cannot be used shares nothing: threads are refused by it elsewhere.
    fn shares(&self) -> Vec<Share> {
        let accepted = self.accepted_tree().unwrap_or_default().share;
        self.context().config().threads.share.iter().cloned().chain(accepted).collect()
    }

    /// Returns the folders that threads get copies of: those that are named, then those of presets in the person's tree.
    #[must_use]
    pub fn shared_folders(&self) -> Vec<Shared> {
        let config = &self.context().config().threads.share;
        let mut shared: Vec<Shared> = Vec::new();
        for share in self.shares() {
            let Some(path) = share.folder().cloned() else { continue };
            if !shared.iter().any(|known| known.path == path) {
                shared.push(Shared { path, is_named: config.contains(&share) });
            }
        }
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
