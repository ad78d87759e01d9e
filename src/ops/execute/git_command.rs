//! Git as a tool of a thread finds it: first on its PATH a script that lets commands that read pass, and refuses others in
//! one sentence where they would work on the thread's repository.
//!
//! The script explains; it protects nothing. A tool's use of git by another path stays in the git folder for tools
//! (`git::tools_folder`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::process::{self, PrivateScript};
use crate::session::Session;

/// The script, with marks in the places of two paths.
const SCRIPT: &str = include_str!("git_command.sh");

/// Where the script lies in a tool's private folder.
const FOLDER: &str = ".rye-bin";

/// Changes the environment of a tool that runs in a thread's tree; leaves that of any other as it is. Returns the script.
///
/// # Errors
///
/// Fails when the script cannot be written.
pub(super) fn prepare(
    session: &Session,
    script: &PrivateScript,
    env: &mut BTreeMap<String, String>,
) -> Result<Option<PathBuf>, process::Error> {
    let Some(repository) = session.repository().filter(|_| session.is_in_tree()) else { return Ok(None) };
    for (name, value) in [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_CONFIG_NOSYSTEM", "1")] {
        env.insert(name.to_owned(), value.to_owned());
    }
    let path = env.get("PATH").cloned().unwrap_or_default();
    // Without git no explanation is needed.
    let refused = session.program_free();
    let Ok(real) = process::find_program("git", &path, &crate::process::as_paths(&refused)) else { return Ok(None) };
    let common = repository.common_dir().canonicalize().unwrap_or_else(|_| repository.common_dir().to_owned());
    let (Some(real), Some(common)) = (quoted(&real), quoted(&common)) else { return Ok(None) };
    let text = SCRIPT.replacen("@REAL@", &real, 1).replacen("@COMMON@", &common, 1);
    script.add_program(&format!("{FOLDER}/git"), text.as_bytes())?;
    env.insert("PATH".to_owned(), format!("{}/{FOLDER}:{path}", script.folder().display()));
    Ok(Some(script.folder().join(FOLDER).join("git")))
}

/// Returns a path as one word of a shell.
fn quoted(path: &Path) -> Option<String> {
    Some(format!("'{}'", path.to_str()?.replace('\'', r"'\''")))
}
