//! What the person's configuration grants, as it lies on the disk.
//!
//! A tool that may write a folder could make a link in it, and have a path below it mean something else for the next call. So a link
//! counts only where no tool may write it.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::context::Context;
use crate::process::Error;
use crate::project::Project;

/// The most links on the way to a file.
const MOST_LINKS: usize = 40;

const LINK: &str = "a link in a folder that a tool may write leads there";

const SOCKET: &str = "a tool may write the folder of this socket";

/// Returns a path from the configuration as it is meant: `~` is the home folder, other paths begin in the project.
#[must_use]
pub fn named(ctx: &Context, root: Option<&Path>, path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), ctx.home()) {
        (Ok(below), Ok(home)) => home.join(below),
        (Ok(_) | Err(_), _) => root.map_or_else(|| path.to_owned(), |root| root.join(path)),
    }
}

/// Follows a path to its end; none if it leads nowhere.
///
/// # Errors
///
/// [`Error::Grant`] where a link on the way lies in a folder that the configuration lets a tool write.
pub fn resolved(project: &Project, path: &Path) -> Result<Option<PathBuf>, Error> {
    let written = written(project);
    let is_written = |folder: &Path| written.iter().any(|writable| folder.starts_with(writable));
    let mut left: Vec<OsString> = parts(path);
    let (mut at, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = left.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&part);
        match std::fs::read_link(&next) {
            Ok(target) => {
                links += 1;
                if is_written(&at) {
                    return Err(Error::Grant { path: path.to_owned(), reason: LINK });
                }
                if links > MOST_LINKS {
                    return Ok(None);
                }
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                left.extend(parts(&target));
            }
            // An existing entry that is not a link.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => at = next,
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// Follows the path of a Unix socket, which is connected to later.
///
/// # Errors
///
/// [`Error::Grant`] as [`resolved`], and where a tool may write the folder of the socket: it could put another one in its place.
pub fn resolved_socket(project: &Project, path: &Path) -> Result<Option<PathBuf>, Error> {
    let found = resolved(project, path)?;
    let is_open = |path: &PathBuf| written(project).iter().any(|writable| path.starts_with(writable));
    match found.filter(is_open) {
        Some(path) => Err(Error::Grant { path, reason: SOCKET }),
        None => resolved(project, path),
    }
}

/// The parts of a path, the last first.
fn parts(path: &Path) -> Vec<OsString> {
    let part = |component: Component<'_>| match component {
        Component::Normal(part) => Some(part.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    };
    let mut parts: Vec<OsString> = path.components().filter_map(part).collect();
    parts.reverse();
    parts
}

/// The files and folders that the configuration lets some tool write, without links.
fn written(project: &Project) -> Vec<PathBuf> {
    let ctx = project.context();
    let config = ctx.config();
    let root = project.persons_tree().or(project.work_dir());
    let shell = config.shell.values().flat_map(|shell| &shell.write);
    let servers = config.mcp_servers.values().flat_map(|server| &server.write);
    let paths = config.sandbox.write.iter().chain(shell).chain(servers);
    paths.filter_map(|path| named(ctx, root, path).canonicalize().ok()).collect()
}
