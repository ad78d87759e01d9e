//! What the project proposes for the trees of threads, as far as this person accepted it under a `trust.sig`.

use std::path::Path;

use super::LocateError;
use crate::context::{ContextError, ProjectConfig, ProposedTree};
use crate::project::Project;

impl Project {
    /// Returns the accepted proposal: that of this very project at this place, and never what an earlier one left in force.
    ///
    /// # Errors
    ///
    /// Fails when the accepted configuration cannot be used.
    pub fn accepted_tree(&self) -> Result<ProposedTree, LocateError> {
        let Some((path, bytes)) = self.accepted_config() else { return Ok(ProposedTree::default()) };
        Ok(ProjectConfig::parse(path, bytes).map_err(ContextError::from)?.tree)
    }

    /// Tells whether the project's own file proposes something else than what is accepted.
    ///
    /// # Errors
    ///
    /// Fails when either configuration cannot be used.
    pub fn proposes_another_tree(&self) -> Result<bool, LocateError> {
        let Some(bytes) = self.workspace().config_file()? else { return Ok(false) };
        let own = ProjectConfig::parse(Path::new(".ai/config.toml"), &bytes).map_err(ContextError::from)?.tree;
        Ok(own != ProposedTree::default() && own != self.accepted_tree()?)
    }
}
