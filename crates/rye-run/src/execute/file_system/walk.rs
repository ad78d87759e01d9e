//! The files of a project that a tool may look at: below a folder, readable by every rule, and not ignored.
//!
//! Folders are entered level by level through the project's handle, so no symlink is followed. `.gitignore` files count as
//! ripgrep counts them; git's other ignore files do not count.

use std::path::Path;
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::capability::{Access, PathRules, ProjectPath, Standpoint, check_path_from};
use crate::error::with_causes;
use crate::id::glob_bounds;
use crate::process::CancelFlag;
use crate::workspace::{EntryKind, ProjectDir};

/// The most files and folders that are looked at.
const MAX_ENTRIES: usize = 200_000;

/// How deep folders are entered.
const MAX_DEPTH: usize = 64;

/// The largest `.gitignore` that is read, in bytes.
const MAX_IGNORE_BYTES: u64 = 256 * 1024;

/// Where a tool looks, and what it may see.
pub(super) struct Walk<'w> {
    pub(super) project: &'w ProjectDir,
    /// All of these must allow a file to be read; none where a person looks.
    pub(super) rules: Option<&'w [PathRules]>,
    /// Whether ignored files count, too.
    pub(super) with_ignored: bool,
    pub(super) cancel: &'w CancelFlag,
}

/// What a walk found.
#[derive(Default)]
pub(super) struct Seen {
    /// Sorted.
    pub(super) files: Vec<ProjectPath>,
    /// Whether there was more than is looked at.
    pub(super) is_cut: bool,
}

/// A folder to enter, with the rules of the folders above it, the nearest last.
struct Place {
    folder: ProjectPath,
    ignores: Vec<Rc<Gitignore>>,
}

impl Walk<'_> {
    /// Looks for files in a folder and all below it.
    pub(super) fn files(&self, from: &ProjectPath) -> Result<Seen, String> {
        let mut seen = Seen::default();
        let mut looked_at = 0;
        let mut level = vec![Place { folder: from.clone(), ignores: self.ignores_above(from) }];
        for depth in 0..MAX_DEPTH {
            let mut below = Vec::new();
            for place in level {
                if self.cancel.is_set() {
                    return Err("the run was stopped".to_owned());
                }
                let entries = match self.project.entries(&place.folder) {
                    Ok(entries) => entries,
                    // A folder that is gone, or may not be opened, is empty for this call; but the first one must
                    // exist.
                    Err(error) if depth == 0 => return Err(with_causes(&error)),
                    Err(_) => continue,
                };
                looked_at += entries.len();
                if looked_at > MAX_ENTRIES {
                    seen.is_cut = true;
                    break;
                }
                self.enter(&place, entries, &mut seen, &mut below);
            }
            if below.is_empty() || seen.is_cut {
                seen.files.sort_unstable();
                return Ok(seen);
            }
            level = below;
        }
        seen.is_cut = true;
        seen.files.sort_unstable();
        Ok(seen)
    }

    fn enter(&self, place: &Place, entries: Vec<(ProjectPath, EntryKind)>, seen: &mut Seen, below: &mut Vec<Place>) {
        let mut ignores = place.ignores.clone();
        ignores.extend(self.ignore_of(&place.folder));
        for (path, kind) in entries {
            let is_folder = kind == EntryKind::Directory;
            if is_ignored(&ignores, &path, is_folder) {
                continue;
            }
            match kind {
                EntryKind::Directory => below.push(Place { folder: path, ignores: ignores.clone() }),
                EntryKind::File if self.may_read(&path) => seen.files.push(path),
                EntryKind::File | EntryKind::Symlink | EntryKind::Other => {}
            }
        }
    }

    /// Tells whether every rule lets a file be read.
    pub(super) fn may_read(&self, path: &ProjectPath) -> bool {
        let is_allowed =
            |rules: &[PathRules]| check_path_from(&Standpoint::default(), rules, Access::Read, path).is_ok();
        self.rules.is_none_or(is_allowed)
    }

    /// Reads the rules of the folders above the one where a walk begins.
    fn ignores_above(&self, from: &ProjectPath) -> Vec<Rc<Gitignore>> {
        let parts: Vec<&str> = from.parts().collect();
        let above = (0..parts.len()).filter_map(|depth| parts[..depth].join("/").parse().ok());
        above.filter_map(|folder| self.ignore_of(&folder)).collect()
    }

    fn ignore_of(&self, folder: &ProjectPath) -> Option<Rc<Gitignore>> {
        if self.with_ignored {
            return None;
        }
        let path = format!("{}/.gitignore", folder.as_str()).trim_start_matches('/').parse().ok()?;
        let content = self.project.read(&path, MAX_IGNORE_BYTES).ok()?;
        let mut builder = GitignoreBuilder::new(Path::new("/").join(folder.as_str()));
        for line in String::from_utf8_lossy(&content.bytes).lines() {
            // A line that cannot be read, or is too much to be, ignores nothing.
            if glob_bounds::excess(line).is_some() {
                continue;
            }
            let _ = builder.add_line(None, line);
        }
        builder.build().ok().map(Rc::new)
    }
}

/// The nearest file that says something of a path decides.
fn is_ignored(ignores: &[Rc<Gitignore>], path: &ProjectPath, is_folder: bool) -> bool {
    let path = Path::new("/").join(path.as_str());
    for ignore in ignores.iter().rev() {
        match ignore.matched(&path, is_folder) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => {}
        }
    }
    false
}
