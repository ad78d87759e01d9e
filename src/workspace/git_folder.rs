//! A tool never makes a git repository, and neither writes nor reads one.
//!
//! Git takes a folder for one that has a file `HEAD` with `objects` and `refs`, or with a `commondir` that names a folder with
//! both; then the `config` and `hooks` there name programs to run. So a tool makes no file `HEAD`, and writes nothing below a
//! folder that would have one together with any of the others. As no tool makes the `HEAD`, two writes at once make none
//! either. And no folder with `objects` and `refs` gets `config` or `hooks` from a tool, in whatever order: a `HEAD` and a
//! `commondir` that a stranger left elsewhere can lead there.

use std::path::PathBuf;

use rustix::fs::FileType;

use super::error::Error;
use super::folder::{Folder, Name};
use crate::capability::{ProjectPath, folded};

/// What makes a folder with `HEAD` a repository, or is read once it is one.
const BESIDE_HEAD: [&str; 4] = ["objects", "refs", "config", "commondir"];

/// What git asks of the folder that a `commondir` names.
const SHARED: [&str; 2] = ["objects", "refs"];

/// What names programs to run there.
const OBEYED: [&str; 3] = ["config", "config.worktree", "hooks"];

/// Refuses a write that makes or changes what git takes for a repository.
pub(super) fn check(root: &Folder, path: &ProjectPath) -> Result<(), Error> {
    let parts: Vec<&str> = path.parts().collect();
    if parts.last().is_some_and(|name| is_head(name)) {
        return Err(refused(path, WRITE));
    }
    let mut above = root.descend([])?;
    for part in parts {
        if is_repository(&above, part)? {
            return Err(refused(path, WRITE));
        }
        above = match above.step(part) {
            Ok(folder) => folder,
            // A missing folder contains nothing; another entry is for the write to report.
            Err(_) => return Ok(()),
        };
    }
    Ok(())
}

/// Refuses to read what git takes for a repository now: its configuration may hold credentials.
pub(super) fn check_read(root: &Folder, path: &ProjectPath) -> Result<(), Error> {
    let mut above = root.descend([])?;
    for part in path.parts() {
        if is_git_folder(&above) {
            return Err(refused(path, READ));
        }
        above = match above.step(part) {
            Ok(folder) => folder,
            Err(_) => return Ok(()),
        };
    }
    if is_git_folder(&above) { Err(refused(path, READ)) } else { Ok(()) }
}

fn is_git_folder(folder: &Folder) -> bool {
    let has = |name: &&str| folder.stat(name).is_ok();
    has(&"HEAD") && (SHARED.iter().all(has) || has(&"commondir"))
}

/// Tells whether git would take a folder for a repository, or obey its files, with one more name in it.
fn is_repository(folder: &Folder, added: &str) -> Result<bool, Error> {
    let entries = folder.entries()?;
    let telling: Vec<(String, FileType)> = entries
        .into_iter()
        .filter_map(|(Name::Text(name) | Name::Lossy(name), kind)| may_tell(&name).then(|| (folded(&name), kind)))
        .collect();
    let has_head = telling.iter().any(|(name, kind)| *kind != FileType::Directory && is_head(name));
    let added = folded(added);
    let matters = SHARED.iter().chain(&OBEYED).any(|name| *name == added);
    let has = |wanted: &&str| added == *wanted || telling.iter().any(|(name, _)| name == wanted);
    let is_obeyed = matters && SHARED.iter().all(has) && OBEYED.iter().any(has);
    Ok(has_head && BESIDE_HEAD.iter().any(has) || is_obeyed)
}

/// Tells whether a name may be one of those that matter, once it is folded. This is asked of every name in a folder, for each file that is written there,
/// and most names are plain.
fn may_tell(name: &str) -> bool {
    let first = name.bytes().next().map(|byte| byte.to_ascii_lowercase());
    let is_wanted = |names: &[&str]| names.iter().any(|wanted| wanted.bytes().next() == first);
    !name.is_ascii() || is_wanted(&["head"]) || is_wanted(&BESIDE_HEAD) || is_wanted(&OBEYED)
}

fn is_head(name: &str) -> bool {
    folded(name) == "head"
}

const WRITE: &str = "tools cannot create or change a git repository";
const READ: &str = "tools cannot access git's own folder";

fn refused(path: &ProjectPath, reason: &'static str) -> Error {
    Error::Refused { path: PathBuf::from(path.as_str()), reason }
}
