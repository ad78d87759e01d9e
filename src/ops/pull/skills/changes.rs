//! What a skill changes of the folder that is in its place.

use std::collections::BTreeMap;

use crate::format::{SkillChange, SkillFiles};
use crate::id::Space;
use crate::item::SkillFolder;
use crate::project::Project;
use crate::registry::UpstreamFolder;
use crate::workspace::SkillPlace;

/// Compares the new files with the existing ones. Of a skill that is new, everything it can do is gained.
pub(in crate::ops::pull) fn change(
    project: &Project,
    space: Space,
    before: Option<&SkillFolder>,
    name: &str,
    after: &UpstreamFolder,
) -> SkillChange {
    let mut old: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut files = Vec::new();
    if let Some(folder) = before {
        let place = SkillPlace { name: name.to_owned(), path: folder.path.clone() };
        files = folder.files();
        for file in &files {
            let bytes = project.workspace().skill_file(space, &place, &file.path);
            old.extend(bytes.map(|bytes| (file.path.clone(), bytes)));
        }
        // A folder that is gone is not compared.
        files.retain(|file| old.contains_key(&file.path));
    }
    let before = SkillFiles::new(&files, |path| old.get(path).map(Vec::as_slice));
    let after = SkillFiles::new(&after.folder.files(), |path| after.bytes.get(path).map(Vec::as_slice));
    SkillChange::between(name, &before, &after)
}
