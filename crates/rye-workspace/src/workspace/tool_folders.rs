//! Finding the folders that the tools of a language keep in a project, such as `.venv` and `node_modules`.

use std::collections::VecDeque;
use std::path::Path;

use crate::capability::ProjectPath;
use crate::context::{Preset, Proof};

/// How many folders below the project's such a folder is looked for.
const DEEPEST: usize = 3;

/// The most folders that are looked at.
const MOST_FOLDERS: usize = 5_000;

/// Finds the folders of a preset in the project at `root`, the uppermost first. No link is followed.
#[must_use]
pub fn tool_folders(root: &Path, preset: Preset) -> Vec<ProjectPath> {
    let row = preset.row();
    let (mut found, mut left, mut seen) = (Vec::new(), VecDeque::from([(String::new(), 0)]), 0);
    if row.folders.is_empty() {
        return found;
    }
    while let Some((folder, depth)) = left.pop_front() {
        seen += 1;
        if seen > MOST_FOLDERS {
            break;
        }
        let mut names = folders_in(&root.join(&folder));
        names.sort_unstable();
        for name in names {
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if row.folders.contains(&name.as_str()) {
                found.extend(is_proven(root, &folder, &path, row.proof).then(|| path.parse().ok()).flatten());
            } else if depth < DEEPEST && !name.starts_with('.') && !is_of_tools(&name) {
                left.push_back((path, depth + 1));
            }
        }
    }
    found
}

fn folders_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn is_proven(root: &Path, folder: &str, path: &str, proof: Proof) -> bool {
    let file = match proof {
        Proof::Inside(name) => root.join(path).join(name),
        Proof::Beside(name) => root.join(folder).join(name),
    };
    file.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// Such folders hold thousands of others, none of them the project's.
fn is_of_tools(name: &str) -> bool {
    Preset::ALL.into_iter().any(|preset| preset.row().folders.contains(&name))
}
