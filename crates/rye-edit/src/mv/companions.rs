//! The files that a tool takes along to another folder.

use std::collections::BTreeSet;

use serde::Serialize;

use super::error::Error;
use crate::format;
use crate::id::{ItemId, ItemType, SPACE_FOLDER};
use crate::item::Item;
use crate::project::Project;
use crate::trust::ContentHash;
use crate::workspace::{self, Candidate};

/// A file that a tool takes along.
#[derive(Debug)]
pub(super) struct Companion {
    /// Its path from the tool's folder.
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    /// Whether it is in the new folder already.
    pub(super) is_there: bool,
    /// Whether it is still in the old one.
    pub(super) is_here: bool,
    pub(super) shown: MovedFile,
}

/// A companion that comes along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedFile {
    /// Where it was.
    pub path: String,
    /// Where it is.
    pub new_path: String,
    /// Whether it also stays where it was, for another tool.
    pub stays: bool,
}

/// Finds the companions of a tool that is moved to another folder, and the existing files at their new place.
pub(super) fn companions(
    project: &Project,
    tool: &Candidate,
    bytes: &[u8],
    to: &ItemId,
) -> Result<Vec<Companion>, Error> {
    let Candidate { space, item_type, id, extension, .. } = tool;
    if *item_type != ItemType::Tool || id.category() == to.category() {
        return Ok(Vec::new());
    }
    let Some(Item::Tool(parsed)) = format::parse_bytes(*item_type, extension, bytes).item else {
        return Ok(Vec::new());
    };
    let shared: BTreeSet<String> = of_neighbours(project, tool)?;
    let read = |id: &ItemId, path: &str| match project.workspace().read_beside(*space, *item_type, id, path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(workspace::Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let mut companions = Vec::new();
    for companion in &parsed.companions {
        let path = companion.path.as_str();
        let (here, there) = (read(id, path)?, read(to, path)?);
        let shown = MovedFile { path: shown(id, path), new_path: shown(to, path), stays: shared.contains(path) };
        let (is_here, is_there) = (here.is_some(), there.is_some());
        // After a kill it can be gone here, and is there.
        let bytes = here.clone().or_else(|| there.clone()).unwrap_or_default();
        if ContentHash::of(&bytes) != companion.sha256 {
            return Err(Error::Companion { item_id: id.clone(), path: path.to_owned() });
        }
        if there.is_some_and(|there| there != bytes) {
            return Err(Error::Exists { item_type: *item_type, from: id.clone(), path: shown.new_path });
        }
        companions.push(Companion { path: path.to_owned(), bytes, is_there, is_here, shown });
    }
    Ok(companions)
}

/// Lists the companions of the other tools of the same folder, which stay there.
fn of_neighbours(project: &Project, tool: &Candidate) -> Result<BTreeSet<String>, Error> {
    let mut paths = BTreeSet::new();
    let tools = project.workspace().list(Some(ItemType::Tool), Some(tool.space))?.items;
    for other in tools.iter().filter(|other| other.id != tool.id && other.id.category() == tool.id.category()) {
        let Ok(bytes) = project.workspace().read(other) else { continue };
        if let Some(Item::Tool(parsed)) = format::parse_bytes(other.item_type, &other.extension, &bytes).item {
            paths.extend(parsed.companions.iter().map(|companion| companion.path.as_str().to_owned()));
        }
    }
    Ok(paths)
}

fn shown(id: &ItemId, path: &str) -> String {
    let folder = format!("{SPACE_FOLDER}/{}", ItemType::Tool.folder());
    match id.category() {
        "" => format!("{folder}/{path}"),
        category => format!("{folder}/{category}/{path}"),
    }
}
