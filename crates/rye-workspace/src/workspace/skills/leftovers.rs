//! What a process that was killed left of a change of a skill: a staging folder with a journal.
//!
//! A repository may hold such a folder, too: a journal is followed only to the folder of a skill next to it, in `skills.paths`.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::place::{FOLDER, JOURNAL, MAX_KEPT_BYTES, OLD_FOLDER, Placing, STAGING, Staged, parts, rename_to_free};
use crate::id::Space;
use crate::item::is_skill_name;
use crate::workspace::Workspace;
use crate::workspace::error::{Doing, Error};
use crate::workspace::folder::{Folder, Name};

/// A staging folder of a process that is gone.
struct Left {
    parent: Folder,
    staging: String,
    journal: Journal,
}

/// What the journal of a staging folder says.
enum Journal {
    /// The operation on a skill.
    Placing(Placing),
    /// It cannot be read: the staging folder was not finished.
    Unfinished,
    /// Something about a folder that is not one of a skill next to it.
    Elsewhere,
}

impl Workspace {
    /// Says what processes that are gone were doing to skills. Changes nothing.
    pub fn left_placings(&self, space: Space, skills_paths: &[String]) -> Result<Vec<Placing>, Error> {
        let Some(root) = self.root(space) else { return Ok(Vec::new()) };
        let left = left(&Folder::open_root(root, root)?, skills_paths)?;
        let placings = left.into_iter().filter_map(|left| match left.journal {
            Journal::Placing(placing) => Some(placing),
            Journal::Unfinished | Journal::Elsewhere => None,
        });
        Ok(placings.collect())
    }

    /// Opens the staging folders of processes that are gone. One that was not finished is removed, and an exchange that was cut off is
    /// taken back.
    ///
    /// # Errors
    ///
    /// Fails when a folder cannot be read or changed.
    pub fn left_skills(&self, space: Space, skills_paths: &[String]) -> Result<Vec<Staged>, Error> {
        let Some(root) = self.root(space) else { return Ok(Vec::new()) };
        let root = Folder::open_root(root, root)?;
        let mut opened = Vec::new();
        for Left { parent, staging, journal } in left(&root, skills_paths)? {
            match journal {
                Journal::Placing(placing) => opened.extend(reopened(&root, parent, staging, placing)?),
                Journal::Unfinished => {
                    let removed = parent.dir.remove_dir_all(&staging);
                    removed.map_err(|source| Error::of(Doing::Write, &parent.path.join(&staging), source))?;
                }
                Journal::Elsewhere => {}
            }
        }
        Ok(opened)
    }
}

/// Finds the staging folders of processes that are gone, next to the folders that skills lie in.
fn left(root: &Folder, skills_paths: &[String]) -> Result<Vec<Left>, Error> {
    let mut found = Vec::new();
    let mut parents: Vec<Vec<&str>> = Vec::new();
    for path in skills_paths {
        let mut above: Vec<&str> = path.split('/').collect();
        above.pop();
        if !parents.contains(&above) {
            parents.push(above);
        }
    }
    for above in parents {
        // Behind a link nothing is staged: the folder that it leads to has a path of its own.
        let parent = match root.descend(above.iter().copied()) {
            Ok(parent) => parent,
            Err(Error::NotFound { .. } | Error::NotDirectory { .. } | Error::Symlink { .. }) => continue,
            Err(error) => return Err(error),
        };
        for name in parent.names()? {
            let Name::Text(staging) = name else { continue };
            // An entry that is not a folder was not made by this program.
            if is_left(&staging)
                && let Ok(stage) = parent.step(&staging)
            {
                let journal = journal(&stage, &above, skills_paths)?;
                found.push(Left { parent: parent.descend([])?, staging, journal });
            }
        }
    }
    Ok(found)
}

/// Tells whether a staging folder is one of a process that is gone.
fn is_left(name: &str) -> bool {
    let process = name.strip_prefix(STAGING).and_then(|numbers| numbers.split_once('-'));
    let process = process.filter(|(_, own)| own.bytes().all(|byte| byte.is_ascii_digit()));
    let process =
        process.and_then(|(process, _)| Pid::from_raw(process.parse::<i32>().ok().filter(|number| *number > 0)?));
    process.is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH))
}

/// Reads the journal of a staging folder that lies in the folder `above`.
fn journal(stage: &Folder, above: &[&str], skills_paths: &[String]) -> Result<Journal, Error> {
    let bytes = Error::absent_is_none(stage.read_whole(JOURNAL, MAX_KEPT_BYTES))?;
    let Some(placing) = bytes.and_then(|bytes| serde_json::from_slice::<Placing>(&bytes).ok()) else {
        return Ok(Journal::Unfinished);
    };
    let is_place = placing.folder.rsplit_once('/').is_some_and(|(skills, name)| {
        let is_next = skills.rsplit_once('/').map_or("", |(above, _)| above) == above.join("/");
        is_next && skills_paths.iter().any(|path| path == skills) && name == placing.id.name() && is_skill_name(name)
    });
    Ok(if is_place { Journal::Placing(placing) } else { Journal::Elsewhere })
}

/// Opens a staging folder that was left.
fn reopened(root: &Folder, parent: Folder, staging: String, placing: Placing) -> Result<Option<Staged>, Error> {
    let stage = parent.step(&staging)?;
    let (above, skills, name) = parts(&placing.folder)?;
    // Where the way there is blocked, the old folder stays where it is until it is free.
    let Ok(skills) = root.descend(above.into_iter().chain([skills])) else { return Ok(None) };
    let name = name.to_owned();
    take_back_half(&stage, &skills, &name)?;
    Ok(Some(Staged { placing, skills, name, parent, staging, is_swapped: false, is_left: true }))
}

/// Ends an exchange in several steps that was killed in between.
fn take_back_half(stage: &Folder, skills: &Folder, name: &str) -> Result<(), Error> {
    if stage.stat(OLD_FOLDER).is_err() {
        return Ok(());
    }
    let (to, free) = if skills.stat(name).is_err() { (skills, name) } else { (stage, FOLDER) };
    rename_to_free(stage, OLD_FOLDER, to, free).map_err(|code| Error::of(Doing::Write, &to.path.join(free), code))
}
