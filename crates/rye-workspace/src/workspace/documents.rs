//! Capability documents of a project: YAML files below `.ai/capabilities/`, which are not items and need no signature.

use super::error::Error;
use super::project_dir::{EntryKind, ProjectDir};
use crate::capability::ProjectPath;
use crate::id::SPACE_FOLDER;

/// The folder of the documents, in the space's.
pub const DOCUMENTS_FOLDER: &str = "capabilities";

/// The most documents that are found.
const MOST: usize = 1_000;

/// How deep folders are looked into.
const DEEPEST: usize = 16;

impl ProjectDir {
    /// Lists the capability documents of the project, by path. Other files, links and what cannot be read are left out.
    pub fn capability_documents(&self) -> Result<Vec<ProjectPath>, Error> {
        let Ok(top) = format!("{SPACE_FOLDER}/{DOCUMENTS_FOLDER}").parse::<ProjectPath>() else {
            return Ok(Vec::new());
        };
        if !self.exists(&top) {
            return Ok(Vec::new());
        }
        let (mut found, mut folders) = (Vec::new(), vec![(top, 0)]);
        while let Some((folder, depth)) = folders.pop() {
            for (path, kind) in self.entries(&folder)? {
                match kind {
                    EntryKind::File if is_yaml(&path) && found.len() < MOST => found.push(path),
                    EntryKind::Directory if depth < DEEPEST => folders.push((path, depth + 1)),
                    EntryKind::File | EntryKind::Directory | EntryKind::Symlink | EntryKind::Other => {}
                }
            }
        }
        found.sort();
        Ok(found)
    }
}

fn is_yaml(path: &ProjectPath) -> bool {
    path.as_str().rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "yaml" | "yml"))
}
