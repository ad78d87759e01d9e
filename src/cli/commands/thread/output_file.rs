//! Files that a person names for output: written whole or not at all, never into a git folder.

use std::path::Path;

use crate::cli::error::Error;
use crate::context::Context;
use crate::project::Project;
use crate::workspace::{create_file, replace_file};

/// Writes a file that was named for output; one that is there is replaced with `force` only.
pub(super) fn write(ctx: &Context, project: &Project, file: &Path, bytes: &[u8], force: bool) -> Result<(), Error> {
    let path = ctx.current_dir().join(file);
    if is_in_git_folder(project, &path) {
        return Err(Error::InGitFolder { path: file.to_path_buf() });
    }
    let written = if force { replace_file(&path, bytes) } else { create_file(&path, bytes) };
    written.map_err(Error::File)
}

/// Tells whether a file is, or lies in, something called `.git`, or lies in the repository's git folder wherever that is.
fn is_in_git_folder(project: &Project, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = real(path.parent().unwrap_or(path));
    let is_git = |name: &std::ffi::OsStr| name.eq_ignore_ascii_case(".git");
    let has_name = path.file_name().is_some_and(is_git) || folder.iter().any(is_git);
    let lies_in = |git_dir: &Path| folder.starts_with(real(git_dir));
    let is_in = |repository: &crate::git::Repository| lies_in(repository.git_dir()) || lies_in(repository.common_dir());
    has_name || project.repository().is_some_and(|repository| is_in(&repository))
}
