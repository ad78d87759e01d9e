//! What a child may reach, and how that is written on the command line of the confiner.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use super::profile::Profile;

/// The port of the proxy, in a network without other ports.
pub const PROXY_PORT: u16 = 3128;

/// A file that is seen in the place of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cover {
    /// The place.
    pub path: PathBuf,
    /// The visible places.
    pub with: PathBuf,
}

/// What a child may reach of the file system, besides the system's own folders, and what its profile lets it do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// What kind of child it is: which system calls, files of the kernel and sockets it may have.
    pub profile: Profile,
    /// Files and folders that it may read and run, with all below them. A path with a symlink in it grants nothing.
    pub reads: Vec<PathBuf>,
    /// Projects, whose files it may read and run but not those in the git folder at their top, of which it sees names.
    pub projects: Vec<PathBuf>,
    /// Files and folders that it may not read though they lie in a folder of the system, of `reads` or of `projects`, by paths
    /// without symlinks. Their names can be listed.
    pub without: Vec<PathBuf>,
    /// Files that it sees in the place of others, where mounts can be made.
    pub covers: Vec<Cover>,
    /// Files and folders in the place of which it must see others: where mounts cannot be made, it is not started.
    pub hides: Vec<Cover>,
    /// Files and folders that it may change too, by paths without symlinks.
    pub writes: Vec<PathBuf>,
    /// Whether it has a network of its own, with nothing in it but a proxy at [`PROXY_PORT`]; without, it has none.
    pub network: bool,
    /// How many further sockets listen in that network, at the ports behind [`PROXY_PORT`]; at most as many as the profile has.
    pub sockets: u16,
}

impl Sandbox {
    /// A sandbox of a profile, in which nothing but the system's own folders is reached.
    #[must_use]
    pub const fn of(profile: Profile) -> Self {
        Self {
            profile,
            reads: Vec::new(),
            projects: Vec::new(),
            without: Vec::new(),
            covers: Vec::new(),
            hides: Vec::new(),
            writes: Vec::new(),
            network: false,
            sockets: 0,
        }
    }

    /// Returns the flags that carry it to the confiner.
    pub(in super::super) fn flags(&self) -> Vec<OsString> {
        let flag = |name: &str, path: &PathBuf| {
            let mut flag = OsString::from(name);
            flag.push(path);
            flag
        };
        let reads = self.reads.iter().map(|path| flag(READ, path));
        let writes = self.writes.iter().map(|path| flag(WRITE, path));
        let projects = self.projects.iter().map(|path| flag(PROJECT, path));
        let without = self.without.iter().map(|path| flag(WITHOUT, path));
        let covers = self.covers.iter().map(|cover| (COVER, cover)).chain(self.hides.iter().map(|hide| (HIDE, hide)));
        let covers = covers.flat_map(|(name, cover)| [flag(name, &cover.path), flag(WITH, &cover.with)]);
        let network = self.network.then(|| OsString::from(NETWORK));
        let sockets = (self.sockets > 0).then(|| OsString::from(format!("{SOCKETS}{}", self.sockets)));
        std::iter::once(OsString::from(format!("{SANDBOX}{}", self.profile.name())))
            .chain(network)
            .chain(sockets)
            .chain(reads)
            .chain(projects)
            .chain(without)
            .chain(covers)
            .chain(writes)
            .collect()
    }

    /// Takes one flag in; `None` if it is not one of [`Sandbox::flags`].
    pub(in super::super) fn take_flag(sandbox: &mut Option<Self>, flag: &OsStr) -> Option<()> {
        if let Some(name) = flag.to_str().and_then(|flag| flag.strip_prefix(SANDBOX)) {
            return sandbox.replace(Self::of(Profile::named(name)?)).is_none().then_some(());
        }
        let sandbox = sandbox.as_mut()?;
        if flag == NETWORK {
            sandbox.network = true;
            return Some(());
        }
        if let Some(number) = flag.to_str().and_then(|flag| flag.strip_prefix(SOCKETS)) {
            let most = sandbox.profile.most_sockets();
            sandbox.sockets = number.parse().ok().filter(|number| *number <= most)?;
            return Some(());
        }
        let path = |name: &str| {
            let path = flag.as_bytes().strip_prefix(name.as_bytes())?;
            Some(PathBuf::from(OsString::from_vec(path.to_vec()))).filter(|path| path.is_absolute())
        };
        for (name, paths) in [
            (READ, &mut sandbox.reads),
            (PROJECT, &mut sandbox.projects),
            (WITHOUT, &mut sandbox.without),
            (WRITE, &mut sandbox.writes),
        ] {
            if let Some(path) = path(name) {
                paths.push(path);
                return Some(());
            }
        }
        for (name, covers) in [(COVER, &mut sandbox.covers), (HIDE, &mut sandbox.hides)] {
            if let Some(path) = path(name) {
                covers.push(Cover { path, with: PathBuf::new() });
                return Some(());
            }
        }
        let mut covers = [sandbox.covers.last_mut(), sandbox.hides.last_mut()].into_iter().flatten();
        let cover = covers.find(|cover| cover.with.as_os_str().is_empty())?;
        cover.with = path(WITH)?;
        Some(())
    }
}

const SANDBOX: &str = "--sandbox=";
const NETWORK: &str = "--network";
const SOCKETS: &str = "--sockets=";
const READ: &str = "--read=";
const PROJECT: &str = "--project=";
const WITHOUT: &str = "--without=";
const COVER: &str = "--cover=";
const HIDE: &str = "--hide=";
const WITH: &str = "--with=";
const WRITE: &str = "--write=";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_carry_every_path_and_nothing_else() {
        let odd = PathBuf::from(OsString::from_vec(b"/a\xffb --write=/".to_vec()));
        let cover = Cover { path: "/c".into(), with: "/by".into() };
        let sandbox = Sandbox {
            profile: Profile::Program,
            reads: vec!["/r".into(), odd],
            projects: vec!["/p".into()],
            without: vec!["/p/own".into()],
            covers: vec![cover.clone()],
            hides: vec![cover],
            writes: vec!["/w".into()],
            network: true,
            sockets: 2,
        };
        let mut read = None;
        assert_eq!(sandbox.flags().iter().filter_map(|flag| Sandbox::take_flag(&mut read, flag)).count(), 12);
        assert_eq!(read.as_ref(), Some(&sandbox));
        for flag in [
            "--sandbox=program",
            "--sandbox=",
            "--sandbox",
            "--read=relative",
            "--writes=/",
            "--with=/x",
            "/",
            "--sockets=9",
            "--sockets=x",
        ] {
            assert_eq!(Sandbox::take_flag(&mut read, OsStr::new(flag)), None, "{flag}");
        }
        for flag in ["--read=/", "--sandbox", "--sandbox=", "--sandbox=root"] {
            assert_eq!(Sandbox::take_flag(&mut None, OsStr::new(flag)), None, "{flag}");
        }
        // A script has no sockets but the proxy.
        let mut script = Some(Sandbox::of(Profile::Script));
        assert_eq!(Sandbox::take_flag(&mut script, OsStr::new("--sockets=1")), None);
    }
}
