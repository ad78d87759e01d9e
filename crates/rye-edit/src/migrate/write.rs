//! Writing the plan: each file completely or not at all, in an order that a crash can be taken up from.
//!
//! First every file gets its new text where it lies, references included; then those with another name are moved, each
//! by one rename. So as long as a directive lies under its old name, the remaining work can be found again: after a
//! stop, run it again.

use super::error::Error;
use super::outcome::{Failure, State};
use super::plan::{Place, Planned};
use crate::id::Space;
use crate::project::Project;
use crate::workspace::{self, Candidate, Expected, ProjectDir};

/// Writes the files that change; returns where it came to a stop.
pub(super) fn write(project: &Project, files: &mut [Planned]) -> Result<Option<Failure>, Error> {
    refuse_obstacles(files)?;
    let stopped = rewrite_all(project, files).and_then(|()| move_all(project, files)).err();
    if stopped.is_some() {
        files.iter_mut().filter(|file| file.state == State::Pending).for_each(|file| file.state = State::Left);
    }
    Ok(stopped)
}

fn refuse_obstacles(files: &mut [Planned]) -> Result<(), Error> {
    let paths: Vec<String> = files.iter().filter(|file| file.obstacle.is_some()).map(Planned::path).collect();
    match files.iter_mut().find_map(|file| file.obstacle.take()) {
        Some(source) => Err(Error::Blocked { paths, source }),
        None => Ok(()),
    }
}

/// Gives every file its new text where it lies.
fn rewrite_all(project: &Project, files: &mut [Planned]) -> Result<(), Failure> {
    for file in files.iter_mut().filter(|file| file.state == State::Pending) {
        if let Err(source) = rewrite(project, file) {
            file.state = State::Failed;
            return Err(Failure { path: file.path(), source });
        }
        file.state = if file.new_path().is_some() { State::Unmoved } else { State::Changed };
    }
    Ok(())
}

fn rewrite(project: &Project, file: &Planned) -> Result<(), workspace::Error> {
    let (old, new) = (file.old.as_slice(), file.migration.text.as_bytes());
    if old == new {
        return Ok(());
    }
    match &file.place {
        Place::Item { candidate: Candidate { space, item_type, id, extension, .. }, .. } => {
            let expected = Expected::Content(old);
            project.workspace().write_item(*space, *item_type, id, extension, new, expected).map(drop)
        }
        Place::Document(path) => {
            let root = project.work_dir();
            ProjectDir::open(root.ok_or(workspace::Error::NoSpace { space: Space::Project })?)?.replace(path, old, new)
        }
        Place::Stray(_) => Ok(()),
    }
}

/// Moves every file that gets another name.
fn move_all(project: &Project, files: &mut [Planned]) -> Result<(), Failure> {
    for file in files.iter_mut().filter(|file| file.state == State::Unmoved) {
        let Place::Item { candidate, new_id: Some(new) } = &file.place else { continue };
        let moved = project.workspace().rename_item(candidate, new, file.migration.text.as_bytes());
        moved.map_err(|source| Failure { path: file.path(), source })?;
        file.state = State::Changed;
    }
    Ok(())
}
