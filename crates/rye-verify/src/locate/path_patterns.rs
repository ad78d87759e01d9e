//! `*` in `skills.paths`: it stands for one folder, or for a part of its name.

use std::collections::BTreeSet;
use std::path::Path;

use super::LocateError;
use crate::capability::ProjectPath;
use crate::git::{CommitId, Repository};
use crate::id::glob;
use crate::workspace::ProjectDir;

/// The most folders that patterns stand for.
const MOST_FOLDERS: usize = 10_000;

/// Adds the folders that patterns among paths stand for, given what is in a folder. A name that begins with a dot must be spelled so.
#[must_use]
pub fn expanded(
    paths: impl IntoIterator<Item = ProjectPath>,
    mut names_in: impl FnMut(&str) -> Vec<String>,
) -> BTreeSet<ProjectPath> {
    let mut all = BTreeSet::new();
    for path in paths {
        let mut folders = vec![String::new()];
        for part in path.parts().filter(|_| path.as_str().contains('*')) {
            let mut next = Vec::new();
            for folder in folders {
                let below = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                if part.contains('*') {
                    let fits =
                        |name: &String| glob::matches(part, name) && (!name.starts_with('.') || part.starts_with('.'));
                    next.extend(names_in(&folder).iter().filter(|name| fits(name)).map(|name| below(name)));
                } else {
                    next.push(below(part));
                }
            }
            next.truncate(MOST_FOLDERS);
            folders = next;
        }
        all.extend(
            folders.iter().filter_map(|folder| folder.parse::<ProjectPath>().ok()).filter(|it| !it.as_str().is_empty()),
        );
        all.insert(path);
    }
    all
}

/// Returns what lists a folder of a work tree, following no link.
pub(super) fn names_here(root: Option<&Path>) -> impl FnMut(&str) -> Vec<String> + use<> {
    let files = root.and_then(|root| ProjectDir::open(root).ok());
    move |folder| {
        let listed = folder.parse::<ProjectPath>().ok().and_then(|path| files.as_ref()?.list(&path, MOST_FOLDERS).ok());
        listed.map(|(entries, _)| entries.into_iter().map(|entry| entry.name).collect()).unwrap_or_default()
    }
}

/// Adds the folders of a commit that patterns among paths stand for.
///
/// # Errors
///
/// Fails when objects cannot be read.
pub fn expanded_at(
    repository: &Repository,
    commit_id: &CommitId,
    paths: impl IntoIterator<Item = ProjectPath>,
) -> Result<BTreeSet<ProjectPath>, LocateError> {
    let mut fault = None;
    let all = expanded(paths, |folder| match repository.names_in(commit_id, folder) {
        Ok(names) => names,
        Err(error) => {
            fault.get_or_insert(error);
            Vec::new()
        }
    });
    fault.map_or(Ok(all), |error| Err(error.into()))
}

/// Adds the folders of the index that patterns among paths stand for.
///
/// # Errors
///
/// Fails when the index cannot be read.
pub fn expanded_staged(
    repository: &Repository,
    index_file: Option<&Path>,
    paths: impl IntoIterator<Item = ProjectPath>,
) -> Result<BTreeSet<ProjectPath>, LocateError> {
    let paths: Vec<ProjectPath> = paths.into_iter().collect();
    if !paths.iter().any(|path| path.as_str().contains('*')) {
        return Ok(paths.into_iter().collect());
    }
    let folders = repository.indexed_folders(index_file)?;
    Ok(expanded(paths, |folder| {
        let above = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let names = folders.iter().filter_map(|known| known.path.strip_prefix(&above)?.split('/').next());
        names.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_one_folder_or_a_part_of_its_name() {
        let names = |folder: &str| match folder {
            "" => vec!["packages".to_owned()],
            "packages" => [".git", ".x", "a", "ab"].map(str::to_owned).to_vec(),
            _ => Vec::new(),
        };
        let of = |pattern: &str| -> Vec<String> {
            let all = expanded(pattern.parse::<ProjectPath>().ok(), names);
            all.iter().map(ToString::to_string).filter(|path| !path.contains('*')).collect()
        };
        assert_eq!(of("packages/*/skills"), ["packages/a/skills", "packages/ab/skills"]);
        assert_eq!(of("*/a*"), ["packages/a", "packages/ab"]);
        assert_eq!(of("packages/b*"), Vec::<String>::new());
        assert_eq!(of("plain/skills"), ["plain/skills"]);
    }
}
