//! What a run that was killed left: a staging folder with a journal. If the lock has the old state, the old folder and
//! the old signature come back; if it has the new state, nothing is missing. Any other state stays, for a person to
//! look at.

use super::error::Error;
use super::write::write_signature;
use super::{lock, place};
use crate::format::registry_files::Lock;
use crate::id::Space;
use crate::project::Project;
use crate::trust::ContentHash;
use crate::workspace::{self, FolderRules, Placing, Staged};

/// Reads the lock of a space, after what killed runs left is mended: how every command about skills begins.
pub(super) fn begin(project: &Project, space: Space) -> Result<Lock, Error> {
    let lock = lock::read(project, space)?;
    let _held = project.workspace().hold(space)?;
    mend(project, space, &lock)?;
    Ok(lock)
}

/// Mends everything that killed runs left in a space, and returns the folders about which nothing is known. The caller
/// holds the space.
pub(super) fn mend(project: &Project, space: Space, lock: &Lock) -> Result<Vec<String>, Error> {
    let mut unknown = Vec::new();
    for left in project.workspace().left_skills(space, &paths(project, space)?)? {
        if let Some(folder) = mend_one(project, space, lock, left)? {
            unknown.push(folder);
        }
    }
    Ok(unknown)
}

/// Says what killed runs were doing, and changes nothing.
pub(super) fn left(project: &Project, space: Space) -> Result<Vec<Placing>, Error> {
    Ok(project.workspace().left_placings(space, &paths(project, space)?)?)
}

fn paths(project: &Project, space: Space) -> Result<Vec<String>, Error> {
    Ok(project.skill_paths(space)?.required.iter().map(ToString::to_string).collect())
}

fn mend_one(project: &Project, space: Space, lock: &Lock, mut left: Staged) -> Result<Option<String>, Error> {
    let placing = left.placing.clone();
    let locked = lock.skill(&placing.id).filter(|locked| locked.folder == placing.folder);
    let says = locked.map(|locked| locked.digest);
    let read = |rules: &FolderRules<'_>| Ok::<_, workspace::Error>((left.current(rules)?, left.kept(rules)?));
    let (current, kept) = project.by_skill_rules(space, &placing.folder, read)??;
    let is_swapped = current == placing.after && kept == placing.before;
    if is_swapped && says == placing.before {
        let signature = place::signature(project, space, &placing.id)?.map(|here| here.bytes);
        let before = left.old_signature()?;
        let known = locked.and_then(|locked| locked.signed.as_ref()).map(|signed| signed.sha256);
        left.put_back()?;
        // Only a signature that the lock has comes back: another process may have made the staging folder.
        if before.as_deref().map(ContentHash::of) == known && signature != before {
            write_signature(project, space, &placing.id, signature.as_deref(), before.as_deref())?;
        }
        left.finish()?;
    } else if says == placing.after && current == placing.after || current == placing.before {
        left.finish()?;
    } else {
        return Ok(Some(placing.folder));
    }
    Ok(None)
}
