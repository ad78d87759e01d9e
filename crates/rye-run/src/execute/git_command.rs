//! Git as a tool of a thread finds it: first on its PATH a script that lets commands that read pass, and refuses others in
//! one sentence where they would work on the thread's repository.
//!
//! The tree's `.git` file names a folder that no tool reaches. In the sandbox, tools see another file in its place, which leads
//! to the git folder for tools (`git::tools_folder`), and which they cannot replace: so git by another path works there, too. Where the system
//! lets no mounts be made, the script names that folder to git.
//!
//! The script explains; it protects nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::executors::git_reading;
use crate::process::{self, PrivateScript};
use crate::project::Project;

/// The script, with marks in the places of paths.
const SCRIPT: &str = include_str!("git_command.sh");

/// Where the script lies in a tool's private folder.
const FOLDER: &str = ".rye-bin";

/// Changes the environment of a tool that runs in a thread's tree; leaves that of any other as it is. Returns the script.
pub(super) fn prepare(
    project: &Project,
    script: &PrivateScript,
    env: &mut BTreeMap<String, String>,
) -> Result<Option<PathBuf>, process::Error> {
    let (Some(repository), Some(tree)) = (project.repository(), project.private_tree()) else { return Ok(None) };
    env.extend(git_reading::variables());
    let path = env.get("PATH").cloned().unwrap_or_default();
    // Without git no explanation is needed.
    let refused = project.program_free();
    let Ok(real) = process::find_program("git", &path, &crate::process::as_paths(&refused)) else { return Ok(None) };
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Some(tools) = repository.tools_folder(tree) else { return Ok(None) };
    let mut text = SCRIPT.to_owned();
    for (mark, path) in
        [("@REAL@", real), ("@COMMON@", whole(repository.common_dir())), ("@TREE@", whole(tree)), ("@TOOLS@", tools)]
    {
        let Some(path) = quoted(&path) else { return Ok(None) };
        text = text.replacen(mark, &path, 1);
    }
    script.add_program(&format!("{FOLDER}/git"), text.as_bytes())?;
    env.insert("PATH".to_owned(), format!("{}/{FOLDER}:{path}", script.folder().display()));
    Ok(Some(script.folder().join(FOLDER).join("git")))
}

/// Returns a path as one word of a shell.
fn quoted(path: &Path) -> Option<String> {
    Some(format!("'{}'", path.to_str()?.replace('\'', r"'\''")))
}
