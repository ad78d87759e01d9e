//! What a child may reach: the paths it is given, and no other process, no network but a proxy, no privilege.
//!
//! The confiner (`confine.rs`) applies it to itself before it becomes the target, so it holds for all that the target starts.
//! Files and scopes are Landlock's, system calls seccomp's; both are needed. A kernel that has too little of either has no
//! sandbox, and [`Sandbox::is_supported`] says so before anything is run.

mod files;
mod mounts;
mod name_space;
pub(super) mod network;
mod privileges;
mod system_calls;

use std::ffi::{OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::error::Error;
pub use mounts::Cover;
pub(super) use name_space::NameSpace;
pub use network::PROXY_PORT;

/// What a child may reach of the file system, besides the system's own folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Files and folders that it may read and run, with all below them. A path with a symlink in it grants nothing.
    pub reads: Vec<PathBuf>,
    /// Projects, whose files it may read and run but not those in the git folder at their top, of which it sees names.
    pub projects: Vec<PathBuf>,
    /// Files that it sees in the place of others, where mounts can be made.
    pub covers: Vec<Cover>,
    /// Files and folders that it may change too, by paths without symlinks.
    pub writes: Vec<PathBuf>,
    /// Whether it has a network of its own, with nothing in it but a proxy at [`PROXY_PORT`]; without, it has none.
    pub network: bool,
}

impl Sandbox {
    /// Makes sure that this kernel can hold a child in a sandbox.
    ///
    /// # Errors
    /// [`Error::NoSandbox`] with what is missing.
    pub fn is_supported() -> Result<(), Error> {
        files::is_supported()?;
        system_calls::is_supported()
    }

    /// Confines this process, for good. `has_own_processes` says that it is in a name space of processes that was made for it;
    /// on `way_out` the socket of its network's proxy is sent.
    ///
    /// # Errors
    /// [`Error::NoNetwork`], [`Error::Confine`] and [`Error::NoSandbox`]; what was confined by then stays so.
    pub(super) fn apply(&self, has_own_processes: bool, way_out: Option<RawFd>) -> Result<(), Error> {
        if let Some(way_out) = way_out {
            network::open(way_out).map_err(|code| Error::NoNetwork { source: code.into() })?;
        }
        privileges::give_up_gaining()?;
        let covered = mounts::make_read_only_but(&self.writes, &self.covers, has_own_processes)?;
        let reads = [self.reads.clone(), covered.clone().unwrap_or_default()].concat();
        let proxy = self.network.then_some(PROXY_PORT);
        files::restrict(&self.projects, &reads, &self.writes, proxy)?;
        privileges::drop_all()?;
        system_calls::restrict(covered.is_some(), self.network)
    }

    /// Returns the flags that carry it to the confiner.
    pub(super) fn flags(&self) -> Vec<OsString> {
        let flag = |name: &str, path: &PathBuf| {
            let mut flag = OsString::from(name);
            flag.push(path);
            flag
        };
        let reads = self.reads.iter().map(|path| flag(READ, path));
        let writes = self.writes.iter().map(|path| flag(WRITE, path));
        let projects = self.projects.iter().map(|path| flag(PROJECT, path));
        let covers = self.covers.iter().flat_map(|cover| [flag(COVER, &cover.path), flag(WITH, &cover.with)]);
        let network = self.network.then(|| OsString::from(NETWORK));
        std::iter::once(OsString::from(SANDBOX))
            .chain(network)
            .chain(reads)
            .chain(projects)
            .chain(covers)
            .chain(writes)
            .collect()
    }

    /// Takes one flag in; `None` if it is none of [`Sandbox::flags`].
    pub(super) fn take_flag(sandbox: &mut Option<Self>, flag: &OsStr) -> Option<()> {
        if flag == SANDBOX {
            return sandbox.replace(Self::default()).is_none().then_some(());
        }
        let sandbox = sandbox.as_mut()?;
        if flag == NETWORK {
            sandbox.network = true;
            return Some(());
        }
        let path = |name: &str| {
            let path = flag.as_bytes().strip_prefix(name.as_bytes())?;
            Some(PathBuf::from(OsString::from_vec(path.to_vec()))).filter(|path| path.is_absolute())
        };
        for (name, paths) in
            [(READ, &mut sandbox.reads), (PROJECT, &mut sandbox.projects), (WRITE, &mut sandbox.writes)]
        {
            if let Some(path) = path(name) {
                paths.push(path);
                return Some(());
            }
        }
        if let Some(path) = path(COVER) {
            sandbox.covers.push(Cover { path, with: PathBuf::new() });
            return Some(());
        }
        let cover = sandbox.covers.last_mut().filter(|cover| cover.with.as_os_str().is_empty())?;
        cover.with = path(WITH)?;
        Some(())
    }
}

const SANDBOX: &str = "--sandbox";
const NETWORK: &str = "--network";
const READ: &str = "--read=";
const PROJECT: &str = "--project=";
const COVER: &str = "--cover=";
const WITH: &str = "--with=";
const WRITE: &str = "--write=";

/// Returns the folder that a program needs besides its own file: where it was installed, with its libraries.
pub fn installation(program: &Path) -> PathBuf {
    let program = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let folder = program.parent().unwrap_or(&program);
    let is_of_programs = folder.file_name().is_some_and(|name| name == "bin");
    match folder.parent().filter(|_| is_of_programs) {
        // A folder of programs in the root or a home folder says nothing of the rest there.
        Some(prefix) if prefix.join("lib").is_dir() && prefix.parent().is_some() => prefix.to_owned(),
        Some(_) | None => program,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_carry_every_path_and_nothing_else() {
        let odd = PathBuf::from(OsString::from_vec(b"/a\xffb --write=/".to_vec()));
        let cover = Cover { path: "/c".into(), with: "/by".into() };
        let sandbox = Sandbox {
            reads: vec!["/r".into(), odd],
            projects: vec!["/p".into()],
            covers: vec![cover],
            writes: vec!["/w".into()],
            network: true,
        };
        let mut read = None;
        assert_eq!(sandbox.flags().iter().filter_map(|flag| Sandbox::take_flag(&mut read, flag)).count(), 8);
        assert_eq!(read.as_ref(), Some(&sandbox));
        for flag in ["--sandbox", "--read=relative", "--writes=/", "--with=/x", "/"] {
            assert_eq!(Sandbox::take_flag(&mut read, OsStr::new(flag)), None, "{flag}");
        }
        assert_eq!(Sandbox::take_flag(&mut None, OsStr::new("--read=/")), None);
    }
}
