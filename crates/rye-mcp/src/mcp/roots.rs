//! Which folder a call works in: the one of `-C`, else the client's roots, else the one the server was started in.
//!
//! A call may name another folder inside of these. The repository it then works in must not reach further than what the
//! client allowed; a folder the person named themselves brings the whole repository it lies in.

use std::path::{Path, PathBuf};

use super::error::Failure;
use crate::capability::Standpoint;
use crate::context::{Context, ContextError};
use crate::git::{GitEnvironment, Repository};
use crate::workspace;

/// The folders a connection may work in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Roots {
    /// The folders, the one to work in first.
    folders: Vec<PathBuf>,
    /// What all work must stay inside of.
    reach: Vec<PathBuf>,
}

impl Roots {
    /// Makes the one root of a folder that the person chose, with the whole repository around it.
    pub(super) fn of_person(ctx: &Context) -> Result<Self, Failure> {
        let folder = ctx.current_dir().to_path_buf();
        let reach = top_of(ctx)?.unwrap_or_else(|| folder.clone());
        Ok(Self { folders: vec![folder], reach: vec![reach] })
    }

    /// Makes the roots of the addresses that a client gave.
    ///
    /// # Errors
    ///
    /// Fails when none of them is a folder of this machine.
    pub(super) fn of_client(addresses: &[String]) -> Result<Self, Failure> {
        let (mut folders, mut reasons) = (Vec::new(), Vec::new());
        for address in addresses {
            match folder_of(address) {
                Ok(folder) => folders.push(folder),
                Err(reason) => reasons.push(format!("`{address}` {reason}")),
            }
        }
        if folders.is_empty() {
            return Err(Failure::NoRoot { reasons });
        }
        Ok(Self { reach: folders.clone(), folders })
    }

    /// Returns the surroundings a call works in; `project` is the folder it names, relative to the first root.
    ///
    /// # Errors
    ///
    /// Fails when the folder is missing, or when it or its repository lies outside of the roots.
    pub(super) fn surroundings(&self, ctx: &Context, project: Option<&str>) -> Result<Context, Failure> {
        let first = self.folders.first().ok_or(Failure::NoRoot { reasons: Vec::new() })?;
        let within = match project {
            None => ctx.within(first)?,
            Some(project) => ctx.within(&named(first, project)?)?,
        };
        if !self.holds(within.current_dir()) {
            let (dir, roots) = (within.current_dir().to_path_buf(), self.folders.clone());
            return Err(Failure::OutsideRoots { dir, roots });
        }
        let dir = within.current_dir();
        if self.reach.iter().any(|root| is_in_code_place(root, dir)) || workspace::is_in_code_place(dir) {
            return Err(Failure::CodePlace { dir: dir.to_path_buf() });
        }
        match top_of(&within)? {
            Some(repository) if !self.holds(&repository) => {
                Err(Failure::BeyondRoot { repository, dir: within.current_dir().to_path_buf() })
            }
            _ => Ok(within),
        }
    }

    fn holds(&self, folder: &Path) -> bool {
        self.reach.iter().any(|root| folder.starts_with(root))
    }
}

/// Tells whether a folder lies where content runs code, as seen from a root. As a project of its own, a submodule say, nothing
/// in it would look like that any more.
fn is_in_code_place(root: &Path, folder: &Path) -> bool {
    let Ok(below) = folder.strip_prefix(root) else { return false };
    // A path that cannot be judged is not allowed.
    below.to_str().and_then(|below| below.parse().ok()).is_none_or(|below| Standpoint::default().runs_code(&below))
}

/// Returns the top of the work tree around a folder.
fn top_of(ctx: &Context) -> Result<Option<PathBuf>, Failure> {
    let repository = Repository::discover(ctx.current_dir(), &GitEnvironment::from_context(ctx))?;
    let top = repository.as_ref().and_then(Repository::work_dir);
    Ok(top.map(|top| top.canonicalize().unwrap_or_else(|_| top.to_path_buf())))
}

fn named(first: &Path, project: &str) -> Result<PathBuf, ContextError> {
    let no_folder = |reason: String| ContextError::ChangeDir {
        dir: PathBuf::from(project),
        source: std::io::Error::new(std::io::ErrorKind::InvalidInput, reason),
    };
    if project.starts_with("file:") { folder_of(project).map_err(no_folder) } else { Ok(first.join(project)) }
}

/// Returns the folder of a `file` address, without symlinks.
fn folder_of(address: &str) -> Result<PathBuf, String> {
    let path = file_path(address)?;
    match path.canonicalize() {
        Ok(path) if path.is_dir() => Ok(path),
        Ok(_) => Err("is not a folder".to_owned()),
        Err(error) => Err(format!("cannot be opened: {error}")),
    }
}

/// Returns the path of an address such as `file:///home/ada/a%20project`.
fn file_path(address: &str) -> Result<PathBuf, String> {
    let rest = address.strip_prefix("file://").ok_or("is not a `file://` address")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return Err("names another machine".to_owned());
    }
    let text = decoded(path).ok_or("is not well formed")?;
    if text.contains('\0') { Err("is not well formed".to_owned()) } else { Ok(PathBuf::from(text)) }
}

/// Replaces each `%` and its two digits by their byte; `None` on a malformed escape or invalid UTF-8.
pub(super) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digit = |digit: u8| char::from(digit).to_digit(16);
        let [high, low, after @ ..] = rest else { return None };
        bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_folders_of_this_machine_are_roots() {
        let refused = |address: &str| folder_of(address).unwrap_err();
        assert_eq!(refused("https://example.org/"), "is not a `file://` address");
        assert_eq!(refused("file://example.org/tmp"), "names another machine");
        assert_eq!(refused("file:///%zz"), "is not well formed");
        assert_eq!(refused("file:///%00"), "is not well formed");
        assert_eq!(refused("file:///dev/null"), "is not a folder");
        assert!(refused("file:///no/such/folder").starts_with("cannot be opened: "));
        assert_eq!(folder_of("file:///"), Ok(PathBuf::from("/")));
        assert_eq!(file_path("file://localhost/a%20b/%C3%A9"), Ok(PathBuf::from("/a b/é")));
    }
}
