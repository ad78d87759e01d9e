//! What lies around a project, and which links lead into it: found by looking at names and links, and never by entering what a link
//! leads to.
//!
//! The work trees around a project are the folders above it that have a `.git`, whatever git would say of them. A folder is
//! judged as it is seen from the outermost one.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use rustix::fs::FileType;

use super::error::Error;
use super::folder::{Folder, Name};
use super::nested_links::nested_links;
use super::protected_places::{is_ai, is_git};
use crate::capability::{LONGEST_PLACE, Standpoint, folded, leads_to_code_place, leads_to_skills, skill_folders_at};

/// How many of a project's own last names count where the first of them is a code place whole. A clone that a program keeps deeper in
/// a folder of its own is a project like others.
const MOST_IN_PLACE: usize = 2;

/// How deep links are looked for in a folder of skills: each skill, and its own folders.
const SKILL_LEVELS: usize = 2;

/// The most links that one path is followed through.
const MOST_LINKS: usize = 40;

/// Refuses a folder as a project that lies in `.ai` or `.git` of a work tree around it: seen from there, its files decide what may run.
///
/// # Errors
///
/// Returns the refusal.
pub fn check_project(project: &Path) -> Result<(), Error> {
    let project = real(project);
    for around in work_trees_around(&project) {
        let below = names_below(&around, &project).unwrap_or_default();
        let folder = below.iter().map(|name| folded(name)).find_map(|name| match name {
            name if is_ai(&name) => Some(".ai"),
            name if is_git(&name) => Some(".git"),
            _ => None,
        });
        if let Some(folder) = folder {
            return Err(Error::PartOfProject { path: project.clone(), around, folder });
        }
    }
    Ok(())
}

/// Tells whether a folder lies where content runs code, as seen from the outermost work tree around it.
#[must_use]
pub fn is_in_code_place(folder: &Path) -> bool {
    let folder = real(folder);
    let Some(outermost) = trees(&folder).pop() else { return false };
    // A work tree that is one by its own name is a project of its own, and its paths are judged by that name.
    let outermost = if outermost == folder { outermost } else { with_dotted(&outermost) };
    let below = names_below(&outermost, &folder).map(|names| names.join("/").parse());
    // A path that cannot be judged is not allowed.
    !matches!(below, Some(Ok(below)) if !Standpoint::default().runs_code(&below))
}

/// Looks from where the paths of a project are judged. `tree` is the private tree of a thread that works for it, `tracked` are the
/// paths of links that git knows in the project.
pub fn standpoint(project: &Path, tree: Option<&Path>, tracked: &BTreeSet<String>) -> Result<Standpoint, Error> {
    let project = real(project);
    let around = trees(&project);
    // The outermost work tree may be a code place by its own name.
    let outermost = with_dotted(around.last().unwrap_or(&project));
    let lead = names_below(&outermost, &project).unwrap_or_default();
    let mut links = Vec::new();
    let nested = nested_links(&project)?;
    for top in around.iter().cloned().chain(tree.map(real)) {
        let is_own = top == project || tree.is_some_and(|tree| real(tree) == top);
        let above = if is_own { lead.clone() } else { names_below(&outermost, &top).unwrap_or_default() };
        let mut found = BTreeSet::new();
        if is_own {
            found.extend(tracked.iter().map(|path| path.split('/').map(str::to_owned).collect::<Vec<_>>()));
            found.extend(nested.iter().cloned());
        }
        match Folder::open_root(&top, Path::new("")) {
            Ok(folder) => look(&folder, &mut Vec::new(), &mut found),
            Err(error) if is_own => return Err(error),
            Err(_) => {}
        }
        for at in found {
            let Some(end) = end_of(&top.join(at.join("/"))) else { continue };
            let below_tree =
                tree.and_then(|tree| names_below(&real(tree), &end)).map(|names| [&lead[..], &names].concat());
            if let Some(to) = below_tree.or_else(|| names_below(&outermost, &end)) {
                links.push(([&above[..], &at].concat(), to));
            }
        }
    }
    Ok(Standpoint::new(lead, links))
}

/// Looks for links at code places, on the way to one, right below one, and in folders of skills.
fn look(folder: &Folder, above: &mut Vec<String>, found: &mut BTreeSet<Vec<String>>) {
    let is_place_whole = above.len() >= LONGEST_PLACE || (!above.is_empty() && is_place(above));
    for (name, kind) in folder.entries().unwrap_or_default() {
        let Name::Text(name) = name else { continue };
        above.push(name);
        let leads = leads_to_code_place(above);
        match kind {
            FileType::Symlink if leads || is_place_whole => {
                found.insert(above.clone());
            }
            // A folder that cannot be opened has no usable link.
            FileType::Directory if leads || may_have_skills(above) => {
                if let Ok(below) = folder.step(above.last().map_or("", String::as_str)) {
                    look(&below, above, found);
                }
            }
            _ => {}
        }
        above.pop();
    }
}

/// Tells whether a folder is on the way to a folder of skills, or holds skills or the files of one.
fn may_have_skills(names: &[String]) -> bool {
    let is_folder =
        |count: &usize| skill_folders_at(&names[..*count].join("/"), false).iter().any(|found| !found.is_offered);
    leads_to_skills(&names.join("/")) || (1..=names.len()).rev().take(1 + SKILL_LEVELS).any(|count| is_folder(&count))
}

fn is_place(names: &[String]) -> bool {
    names.join("/").parse().is_ok_and(|path| Standpoint::default().runs_code(&path))
}

/// Returns a folder and the work trees around it, the outermost last. One that a client made for a session ends the way up: it is a
/// project of its own.
fn trees(folder: &Path) -> Vec<PathBuf> {
    let mut trees = vec![folder.to_path_buf()];
    if !is_of_a_session(folder) {
        for around in work_trees_around(folder) {
            let is_last = is_of_a_session(&around);
            trees.push(around);
            if is_last {
                break;
            }
        }
    }
    trees
}

/// Claude Code makes a work tree at `.claude/worktrees/NAME` for a session; nothing in it is a setting of the project around it.
fn is_of_a_session(tree: &Path) -> bool {
    tree.parent().is_some_and(|parent| parent.ends_with(".claude/worktrees")) && is_work_tree(tree)
}

/// Returns the work trees above a folder, the innermost first.
fn work_trees_around(folder: &Path) -> impl Iterator<Item = PathBuf> + use<'_> {
    folder.ancestors().skip(1).filter(|above| is_work_tree(above)).map(Path::to_path_buf)
}

fn is_work_tree(folder: &Path) -> bool {
    let git = folder.join(".git");
    match fs::symlink_metadata(&git) {
        Ok(found) if found.is_dir() => fs::symlink_metadata(git.join("HEAD")).is_ok(),
        Ok(_) => true,
        Err(_) => false,
    }
}

/// Returns the folder from which the last names of a project, or of the outermost work tree around it, tell a code place, such as `.config`.
/// A name without a dot, such as that of a clone, begins none.
fn with_dotted(project: &Path) -> PathBuf {
    let tells = |above: &&Path| {
        let names = names_below(above, project).unwrap_or_default();
        let Some(first) = names.first().map(|name| folded(name)) else { return false };
        let is_in_place = names.len() <= MOST_IN_PLACE && is_place(&names[..1]);
        (first.starts_with('.') || first.contains('~')) && (leads_to_code_place(&names) || is_in_place)
    };
    let last = project.ancestors().skip(1).take(LONGEST_PLACE).filter(tells).last();
    last.unwrap_or(project).to_path_buf()
}

/// Returns the names that lead from one folder to another below it.
fn names_below(above: &Path, below: &Path) -> Option<Vec<String>> {
    let names = below.strip_prefix(above).ok()?;
    Some(names.iter().map(|name| name.to_string_lossy().into_owned()).collect())
}

/// Returns where an absolute path ends when all links on it are followed, whether anything is there or not; none where it leads in a
/// circle.
pub(super) fn end_of(path: &Path) -> Option<PathBuf> {
    let names = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<VecDeque<OsString>>();
    let (mut end, mut ahead, mut links) = (PathBuf::new(), names(path), 0);
    while let Some(name) = ahead.pop_front() {
        match Path::new(&name).components().next() {
            Some(Component::ParentDir) => {
                end.pop();
                continue;
            }
            Some(Component::RootDir) => end = PathBuf::from("/"),
            Some(Component::Normal(name)) => end.push(name),
            Some(Component::CurDir | Component::Prefix(_)) | None => continue,
        }
        if let Ok(target) = fs::read_link(&end) {
            links += 1;
            if links > MOST_LINKS {
                return None;
            }
            end.pop();
            for name in names(&target).into_iter().rev() {
                ahead.push_front(name);
            }
        }
    }
    Some(end)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
