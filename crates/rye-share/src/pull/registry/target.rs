//! Where an item comes to lie: the existing file, and whether it may be replaced.
//!
//! A file that is as the lock says is the registry's, and may be replaced; any other file is a person's work.

use std::collections::BTreeSet;

use super::super::error::Error as PullError;
use super::super::place::{SkillTarget, item_file};
use super::super::plan::Status;
use super::error::Error;
use super::options::Options;
use crate::format::{self, registry_files::Lock};
use crate::id::Space;
use crate::item::Item;
use crate::project::Project;
use crate::registry::{Package, Release};
use crate::trust::ContentHash;
use crate::workspace::{self, Candidate, Expected};

/// The existing content.
#[derive(Debug, Clone)]
pub struct Target {
    /// What becomes of the item.
    pub status: Status,
    /// The item's file as it is; `None` if missing.
    pub before: Option<Vec<u8>>,
    /// Where that file lies, if its name has another extension: two files of one item would contradict each other.
    pub elsewhere: Option<Candidate>,
    /// The companions as they are, in the order of the package; `None` for a missing one.
    pub companions: Vec<Option<Vec<u8>>>,
    /// Of a skill, its place; `before` is its signature then.
    pub skill: Option<SkillTarget>,
}

/// Checks the existing item, and refuses local changes.
pub(super) fn look(
    project: &Project,
    options: &Options,
    lock: &Lock,
    release: &Release,
    package: &Package,
) -> Result<Target, Error> {
    let Release { item_type, id, .. } = release;
    let (candidate, before) = item_file(project, options.space, *item_type, id)?.unzip();
    let locked = lock.find(*item_type, id).map(|entry| entry.sha256);
    let is_ours = |bytes: &Vec<u8>| bytes == package.item() || Some(ContentHash::of(bytes)) == locked;
    if before.as_ref().is_some_and(|bytes| !is_ours(bytes)) && !options.force {
        return Err(PullError::LocalChange { item_type: *item_type, item_id: id.clone(), space: options.space }.into());
    }
    let companions = companions(project, options, release, package, candidate.as_ref().zip(before.as_deref()))?;
    let is_same = |(there, (_, bytes)): (&Option<Vec<u8>>, (_, &[u8]))| there.as_deref() == Some(bytes);
    let is_same = before.as_deref() == Some(package.item()) && companions.iter().zip(package.companions()).all(is_same);
    let status = status(lock, release, before.is_some(), is_same);
    let elsewhere = candidate.filter(|candidate| candidate.extension != release.extension);
    Ok(Target { status, before, elsewhere, companions, skill: None })
}

/// Tells what becomes of an item whose file is there or not, and is the same or not.
pub(super) fn status(
    lock: &Lock,
    Release { item_type, id, version, .. }: &Release,
    is_there: bool,
    is_same: bool,
) -> Status {
    let is_older = lock.find(*item_type, id).is_some_and(|entry| entry.version > *version);
    match (is_same, is_there, is_older) {
        (true, _, _) => Status::Unchanged,
        (false, false, _) => Status::Added,
        (false, true, true) => Status::Downgraded,
        (false, true, false) => Status::Replaced,
    }
}

/// Looks at the companions' places. What the tool that is there lists came with it, unless it was changed since.
fn companions(
    project: &Project,
    options: &Options,
    release: &Release,
    package: &Package,
    there: Option<(&Candidate, &[u8])>,
) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let listed: BTreeSet<ContentHash> = match there
        .map(|(candidate, bytes)| format::parse_bytes(candidate.item_type, &candidate.extension, bytes).item)
    {
        Some(Some(Item::Tool(tool))) => tool.companions.into_iter().map(|companion| companion.sha256).collect(),
        _ => BTreeSet::new(),
    };
    let mut found = Vec::new();
    for (path, bytes) in package.companions() {
        let before = project.workspace().read_beside(options.space, release.item_type, &release.id, path);
        let before = match before {
            Err(workspace::Error::NotFound { .. }) => None,
            before => Some(before?),
        };
        let is_ours = |before: &Vec<u8>| before == bytes || listed.contains(&ContentHash::of(before));
        if before.as_ref().is_some_and(|before| !is_ours(before)) && !options.force {
            let (item_id, path) = (release.id.clone(), path.to_string());
            return Err(Error::LocalCompanion { item_id, path, space: options.space });
        }
        found.push(before);
    }
    Ok(found)
}

/// Writes an item: its companions first, so that it never lies there without them.
pub(super) fn write(
    project: &Project,
    space: Space,
    release: &Release,
    package: &Package,
    target: &Target,
) -> Result<(), Error> {
    let Release { item_type, id, extension, .. } = release;
    let workspace = project.workspace();
    for ((path, bytes), before) in package.companions().zip(&target.companions) {
        if before.as_deref() != Some(bytes) {
            workspace.write_beside(space, *item_type, id, path, bytes, expected(before.as_ref()))?;
        }
    }
    if let (Some(old), Some(before)) = (&target.elsewhere, &target.before) {
        // The old one goes first: killed between the two, the same command finds none and goes on.
        workspace.remove_item(old, before)?;
        workspace.write_item(space, *item_type, id, extension, package.item(), Expected::Absent)?;
    } else if target.before.as_deref() != Some(package.item()) {
        let expected = expected(target.before.as_ref());
        workspace.write_item(space, *item_type, id, extension, package.item(), expected)?;
    }
    Ok(())
}

fn expected(before: Option<&Vec<u8>>) -> Expected<'_> {
    before.map_or(Expected::Absent, |before| Expected::Content(before))
}
