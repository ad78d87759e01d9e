//! The files of a plan, and how they are written: also without trust, for callers that may write into a project and may not decide
//! about that.
//!
//! For these the lock stays as it is, so no key of a registry counts for the files; no key is trusted, and no namespace is noted.

use super::super::plan::Status;
use super::error::Error;
use super::outcome::{Plan, PlannedItem};
use super::{skill, target};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, Space, item_path};
use crate::project::Project;
use crate::registry::Release;
use crate::workspace::Staged;

/// A file that would be written, or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LooseFile<'p> {
    /// Its path, from the folder that holds `.ai`.
    pub path: String,
    /// What it would hold; none if it is removed, since the item has another extension now.
    pub bytes: Option<&'p [u8]>,
}

impl Plan {
    /// Lists the files that differ from the existing ones.
    #[must_use]
    pub fn files(&self) -> Vec<LooseFile<'_>> {
        self.items.iter().flat_map(PlannedItem::files).collect()
    }
}

impl PlannedItem {
    fn files(&self) -> Vec<LooseFile<'_>> {
        let Release { item_type, id, extension, .. } = &self.version.release;
        let mut files = Vec::new();
        if let Some(skill) = self.target.skill.as_ref().filter(|_| self.target.status != Status::Unchanged) {
            let inside = |(path, bytes)| LooseFile { path: format!("{}/{path}", skill.folder()), bytes: Some(bytes) };
            files.extend(self.package.companions().map(inside));
        }
        for ((path, bytes), before) in self.package.companions().zip(&self.target.companions) {
            if before.as_deref() != Some(bytes) {
                files.push(LooseFile { path: beside(*item_type, id, path), bytes: Some(bytes) });
            }
        }
        if let Some(old) = &self.target.elsewhere {
            let path = format!("{SPACE_FOLDER}/{}", item_path(old.item_type, &old.id, &old.extension));
            files.push(LooseFile { path, bytes: None });
        }
        if self.target.before.as_deref() != Some(self.package.item()) || self.target.elsewhere.is_some() {
            let path = format!("{SPACE_FOLDER}/{}", item_path(*item_type, id, extension));
            files.push(LooseFile { path, bytes: Some(self.package.item()) });
        }
        files
    }

    /// Writes the files. The returned guard of a skill is kept until the lock is written.
    pub(super) fn write(&self, project: &Project, space: Space) -> Result<Option<Staged>, Error> {
        let (release, package, target) = (&self.version.release, &self.package, &self.target);
        match release.item_type {
            ItemType::Skill => skill::write(project, space, release, package, target),
            ItemType::Directive | ItemType::Tool | ItemType::Knowledge => {
                target::write(project, space, release, package, target).map(|()| None)
            }
        }
    }
}

fn beside(item_type: ItemType, id: &ItemId, path: &str) -> String {
    let folder = format!("{SPACE_FOLDER}/{}", item_type.folder());
    match id.category() {
        "" => format!("{folder}/{path}"),
        category => format!("{folder}/{category}/{path}"),
    }
}

/// Writes the files of a plan into the project.
///
/// # Errors
///
/// Fails when a file cannot be written, or changed meanwhile. Files written before stay.
pub fn write_files(project: &Project, plan: &Plan) -> Result<(), Error> {
    let _held = project.workspace().hold(Space::Project)?;
    for item in &plan.items {
        if let Some(old) = item.write(project, Space::Project)? {
            old.finish()?;
        }
    }
    Ok(())
}
