//! Skills that git tracks outside of the folders in which skills are looked for.

use std::collections::{BTreeMap, BTreeSet};

use super::LocateError;
use crate::id::Space;
use crate::item::SKILL_FILE;
use crate::project::Project;

/// The most patterns that are proposed.
const MOST_PATTERNS: usize = 20;

impl Project {
    /// Proposes what `skills.paths` would have to name so that every tracked `SKILL.md` of the project is found: folders, with `*` for those
    /// that differ in one name. Asks the index, not the disk.
    ///
    /// # Errors
    ///
    /// Fails when the index or the folders of skills cannot be read.
    pub fn unlisted_skill_paths(&self) -> Result<Vec<String>, LocateError> {
        let (Some(repository), Some(_)) = (self.repository(), self.workspace().root(Space::Project)) else {
            return Ok(Vec::new());
        };
        let paths = self.skill_paths(Space::Project)?;
        let known: BTreeSet<&str> = paths.iter().map(|(path, _)| path.as_str()).collect();
        let mut folders = BTreeSet::new();
        for file in repository.tracked_paths(|path| path.ends_with(SKILL_FILE))? {
            let skill = file.strip_suffix(SKILL_FILE).and_then(|folder| folder.strip_suffix('/'));
            let Some((folder, _)) = skill.and_then(|skill| skill.rsplit_once('/')) else { continue };
            // A `SKILL.md` below a skill belongs to it, or is told as a finding.
            let is_in_known = known
                .iter()
                .any(|known| folder.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
            if !is_in_known {
                folders.insert(folder.to_owned());
            }
        }
        Ok(patterns(&folders))
    }
}

/// Puts `*` for the name above the last one where several folders differ in it alone.
fn patterns(folders: &BTreeSet<String>) -> Vec<String> {
    let mut alike: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for folder in folders {
        let parts: Vec<&str> = folder.split('/').collect();
        let pattern = match parts.as_slice() {
            [above @ .., _, last] => [above, &["*", last]].concat().join("/"),
            _ => folder.clone(),
        };
        alike.entry(pattern).or_default().push(folder);
    }
    let one = |(pattern, folders): (String, Vec<&String>)| match folders.as_slice() {
        [folder] => (*folder).clone(),
        _ => pattern,
    };
    alike.into_iter().map(one).take(MOST_PATTERNS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_differ_in_one_name_are_one_pattern() {
        let of = |folders: &[&str]| patterns(&folders.iter().map(|folder| (*folder).to_owned()).collect());
        assert_eq!(of(&["packages/a/skills", "packages/b/skills"]), ["packages/*/skills"]);
        assert_eq!(of(&["packages/a/skills", "docs"]), ["docs", "packages/a/skills"]);
        assert_eq!(of(&["a/x", "b/x", "b/y"]), ["*/x", "b/y"]);
    }
}
