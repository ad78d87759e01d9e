//! The verified skills of one listing: the project is walked through once for all of them.

use std::cell::OnceCell;

use super::{Checked, VerifiedSkill};
use crate::id::Space;
use crate::project::Project;
use crate::trust::{Signed, Verified};
use crate::workspace::SkillPaths;

/// What the skills of one listing share: the folders of skills in the project, found when the first one needs them.
///
/// It belongs to one answer. What lives longer makes a new one for each, as folders come and go.
#[derive(Debug)]
pub struct SkillListing<'p> {
    project: &'p Project,
    found: OnceCell<Option<SkillPaths>>,
}

impl<'p> SkillListing<'p> {
    /// Begins a listing.
    #[must_use]
    pub const fn of(project: &'p Project) -> Self {
        Self { project, found: OnceCell::new() }
    }

    /// Returns a skill as [`Project::verified_skill`] does; `None` for one that is refused, and for all of a project whose
    /// folders cannot be walked through.
    #[must_use]
    pub fn verified(&self, verified: &Signed<Checked, Verified>) -> Option<VerifiedSkill> {
        let space = verified.content().space;
        let mut paths = SkillPaths::named(self.project.named_skill_paths(space));
        match space {
            Space::Project => paths.extend(self.found()?.clone()),
            Space::User | Space::System => {}
        }
        self.project.verified_skill_in(&paths, verified).ok()
    }

    fn found(&self) -> Option<&SkillPaths> {
        self.found.get_or_init(|| self.project.found_skill_paths(Space::Project).ok()).as_ref()
    }
}
