//! Finding programs on PATH or by configuration, never inside the project.
//!
//! A relative entry of PATH means the current folder, usually the project: it is skipped, as is a file that lies in the
//! project by its own path or by where its symlinks lead. So is an interpreter that is a script itself.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::error::{Error, NO_SUCH_FILE, Tried};

/// Returns the first program called `name` on `path_var` (folders joined by `:`) that lies in none of `refused_roots`.
///
/// # Errors
///
/// Fails if none is found, listing every skipped place with the reason.
pub fn find_program(name: &str, path_var: &str, refused_roots: &[&Path]) -> Result<PathBuf, Error> {
    find(name, path_var, refused_roots, |_| None)
}

/// Returns the first interpreter called `name`, or the one at that absolute path, that [`find_program`] would accept
/// and that is not a script itself: a shim of a version manager, say, asks files of the current folder, which is the
/// project's, what to start.
///
/// # Errors
///
/// As [`find_program`].
pub fn find_interpreter(name: &str, path_var: &str, refused_roots: &[&Path]) -> Result<PathBuf, Error> {
    let is_script = |path: &Path| {
        let mut start = [0; 2];
        let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
        // An unreadable file cannot run as a script.
        (read.is_ok() && start == *b"#!").then_some("is a script, which could read files of the project")
    };
    if !name.starts_with('/') {
        return find(name, path_var, refused_roots, is_script);
    }
    let path = configured_program(Path::new(name), refused_roots)?;
    match is_script(&path) {
        None => Ok(path),
        Some(reason) => Err(Error::NotExecutable { path, reason }),
    }
}

/// Returns the interpreter of a program that is a script: the one that its `#!` line names, or has `env` look up. None for another
/// program, and where it is not found.
#[must_use]
pub fn interpreter_of(program: &Path, path_var: &str, refused_roots: &[&Path]) -> Option<PathBuf> {
    const LONGEST_LINE: u64 = 256;
    let mut start = Vec::new();
    fs::File::open(program).ok()?.take(LONGEST_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    let named = words.next()?;
    if named.rsplit('/').next() == Some("env") {
        let name = words.find(|word| !word.starts_with('-'))?;
        return find_program(name, path_var, refused_roots).ok();
    }
    configured_program(Path::new(named), refused_roots).ok()
}

fn find(
    name: &str,
    path_var: &str,
    refused_roots: &[&Path],
    fault: impl Fn(&Path) -> Option<&'static str>,
) -> Result<PathBuf, Error> {
    if name.is_empty() || name.contains(['/', '\0']) {
        return Err(Error::NotAName { name: name.to_owned() });
    }
    let mut tried = Vec::new();
    for folder in path_var.split(':').filter(|folder| !folder.is_empty()).map(Path::new) {
        match candidate(folder, name, refused_roots) {
            Ok(path) => match fault(&path) {
                None => return Ok(path),
                Some(reason) => tried.push(Tried { path, reason }),
            },
            Err(place) => tried.push(place),
        }
    }
    Err(Error::ProgramNotFound { name: name.to_owned(), tried })
}

/// Returns the part of `path_var` in which a child may look programs up: absolute folders outside of `refused_roots`.
///
/// A verified script names programs too; these must not be the project's, like its interpreter. Never empty: an empty
/// PATH means the current folder to some shells.
#[must_use]
pub fn search_path(path_var: &str, refused_roots: &[&Path]) -> String {
    let is_fit = |folder: &&str| {
        let folder = Path::new(folder);
        // A folder that is not there leads nowhere.
        folder.is_absolute() && folder.exists() && !refused_roots.iter().any(|root| lies_in(folder, root))
    };
    let kept = path_var.split(':').filter(is_fit).collect::<Vec<_>>().join(":");
    if kept.is_empty() { "/usr/bin:/bin".to_owned() } else { kept }
}

/// Returns a configured interpreter if it is one that may run.
///
/// # Errors
///
/// Fails unless it is an absolute path of an executable file that lies in none of `refused_roots`.
pub fn configured_program(path: &Path, refused_roots: &[&Path]) -> Result<PathBuf, Error> {
    check_executable(path)?;
    if refused_roots.iter().any(|root| lies_in(path, root)) {
        return Err(Error::NotExecutable { path: path.to_owned(), reason: "it lies inside the project" });
    }
    Ok(path.to_owned())
}

fn candidate(folder: &Path, name: &str, refused_roots: &[&Path]) -> Result<PathBuf, Tried> {
    if !folder.is_absolute() {
        return Err(Tried { path: folder.to_owned(), reason: "not an absolute folder" });
    }
    let path = folder.join(name);
    if let Some(reason) = fault(&path) {
        return Err(Tried { path, reason });
    }
    if refused_roots.iter().any(|root| lies_in(&path, root)) {
        return Err(Tried { path, reason: "lies inside the project" });
    }
    Ok(path)
}

/// Checks that `path` is an absolute path of an executable file.
pub(super) fn check_executable(path: &Path) -> Result<(), Error> {
    let reason = if path.is_absolute() { fault(path) } else { Some("its path is not absolute") };
    reason.map_or(Ok(()), |reason| Err(Error::NotExecutable { path: path.to_owned(), reason }))
}

/// Names what keeps `path` from being run.
fn fault(path: &Path) -> Option<&'static str> {
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(NO_SUCH_FILE),
        Err(_) => Some("it cannot be looked at"),
        Ok(data) if !data.is_file() => Some("no regular file"),
        Ok(data) if data.permissions().mode() & 0o111 == 0 => Some("not executable"),
        Ok(_) => None,
    }
}

/// Tells whether a file lies below `root`, by its path or by where it leads. A path that cannot be followed counts as
/// inside.
fn lies_in(path: &Path, root: &Path) -> bool {
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(target), Ok(root_target)) => {
            path.starts_with(root) || path.starts_with(&root_target) || target.starts_with(&root_target)
        }
        _ => true,
    }
}

/// Borrows folders for the functions here.
pub fn as_paths(folders: &[PathBuf]) -> Vec<&Path> {
    folders.iter().map(PathBuf::as_path).collect()
}
