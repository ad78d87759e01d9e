//! Making a tool's copy of parts of a project what the project is now, whatever the tool left in it.
//!
//! The first time the copy is empty. Later a file stays that nobody changed, here or there, since it was copied, by what the file system says
//! of both, and one that has the same content; so what a tool holds open stays as far as it can. All else goes. A process of the tool
//! may change the copy meanwhile: each step is made from an open folder and follows no link, so nothing else is ever touched.
//!
//! What git ignores is copied last, as long as it fits.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, Stat};
use rustix::io::Errno;

use super::closed_places::closed_places;
use super::copies::{Copy, CopyLimits};
use super::error::{Doing, Error};
use super::folder::{Folder, Name, kind};
use super::for_tools::{ForTools, IsIgnored, Known};
use super::git_folder;
use super::project_dir::{ProjectDir, split};
use super::protected_places;
use super::stamp::FileStamp;
use crate::capability::{ProjectPath, Reach, folded, outermost};

/// Larger files are not compared: another one is copied.
const COMPARED: u64 = 64 << 20;

/// How a copy for tools is made.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    /// An empty folder on the file system of the copy, which no tool reaches.
    pub(super) trash: &'a Path,
    pub(super) is_ignored: IsIgnored<'a>,
    pub(super) limits: CopyLimits,
    pub(super) is_wanted: &'a dyn Fn() -> bool,
    /// Whether the search for git folders takes too long.
    pub(super) is_late: &'a dyn Fn() -> bool,
}

impl ProjectDir {
    /// Makes `to`, a tree at `to_root`, what parts of this tree are, which lies at `from_root`: without the places that no tool may touch.
    /// What is named as a file may be a folder. A folder that is missing is made in the copy, as is the one above a missing file. False if the copy is not wanted any more.
    ///
    /// # Errors
    ///
    /// As [`ProjectDir::copy_folder`].
    pub(super) fn copy_for_tools(
        &self,
        parts: &BTreeSet<Reach>,
        (from_root, to_root): (&Path, &Path),
        to: &Self,
        known: &mut Known,
        How { trash, is_ignored, limits, is_wanted, is_late }: How<'_>,
    ) -> Result<bool, Error> {
        // A tool may have closed it.
        let opened = rustix::fs::fchmod(&to.root.dir, Mode::from_raw_mode(0o700));
        opened.map_err(|code| Error::of(Doing::Write, &to.root.path, code))?;
        let trash = Folder::open_root(trash, trash)?.dir;
        // If this fails, nothing is known of what is there.
        let then = std::mem::replace(known, Known { is_new: false, ..Known::default() });
        let mut copy = Copy::new(self, (from_root, to_root), limits, is_wanted);
        copy.reflinks = then.reflinks;
        let named =
            parts.iter().map(|part| (parts_of(part).iter().collect(), is_ignored_at(is_ignored, &parts_of(part))));
        let (now, put_off, named, is_ignored) = (BTreeMap::new(), Vec::new(), named.collect(), Some(is_ignored));
        let closed = match closed_in(from_root, parts, &|| is_late() || !is_wanted()) {
            Err(Error::Stopped { .. }) if !is_wanted() => return Ok(false),
            closed => closed?,
        };
        copy.for_tools = Some(ForTools { then: &then, now, trash, thrown: 0, is_ignored, named, put_off, closed });
        let parts = outermost(parts);
        copy.clear_around(&to.root, &parts.iter().map(parts_of).collect::<Vec<_>>())?;
        for part in &parts {
            if !copy.part(self, to, part)? {
                return Ok(false);
            }
        }
        let Some(too_large) = copy.ignored(self, to)? else { return Ok(false) };
        let files = copy.for_tools.take().map(|tools| tools.now).unwrap_or_default();
        *known = Known { files, reflinks: copy.reflinks, is_new: false, too_large };
        Ok(true)
    }
}

impl<'a> Copy<'a> {
    fn with_tools(&mut self, work: impl FnOnce(&mut ForTools<'a>)) {
        if let Some(tools) = &mut self.for_tools {
            work(tools);
        }
    }

    /// Tells whether this is a copy for tools that may have content.
    fn is_renewed(&self) -> bool {
        self.for_tools.as_ref().is_some_and(|tools| !tools.then.is_new)
    }

    /// Removes what lies around the parts, which are given from this folder, and makes the folders on the way to them.
    fn clear_around(&mut self, to: &Folder, parts: &[Vec<&str>]) -> Result<(), Error> {
        if parts.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let mut below: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
        for part in parts {
            below.entry(part[0]).or_default().push(part[1..].to_vec());
        }
        self.keep_only_named(to, &below.keys().copied().collect())?;
        for (name, parts) in below.iter().filter(|(_, parts)| !parts.iter().any(Vec::is_empty)) {
            let folder = self.made(to, name)?;
            self.clear_around(&folder, parts)?;
        }
        Ok(())
    }

    /// Copies a part; tells whether it was wanted to the end.
    fn part(&mut self, from: &ProjectDir, to: &ProjectDir, part: &Reach) -> Result<bool, Error> {
        let is_nothing = |error: &Error| {
            matches!(error, Error::NotFound { .. } | Error::NotDirectory { .. } | Error::Symlink { .. })
        };
        match part {
            Reach::Project => self.folder(&from.root, &to.root, Path::new("")),
            Reach::Folder(path) => {
                from.check(path)?;
                git_folder::check_read(&from.root, path)?;
                let (above, name) = split(path)?;
                let into = self.made(&to.root.descend(above)?, name)?;
                match from.descend(path.parts()) {
                    Ok(from) => self.folder(&from, &into, Path::new(path.as_str())),
                    // What is no folder of the project is nothing to begin with.
                    Err(error) if is_nothing(&error) => self.keep_only_named(&into, &BTreeSet::new()).map(|()| true),
                    Err(error) => Err(error),
                }
            }
            Reach::File(path) => {
                from.check(path)?;
                git_folder::check_read(&from.root, path)?;
                let (above, name) = split(path)?;
                let into = to.root.descend(above.iter().copied())?;
                match from.descend(above) {
                    Ok(from) => self.entry(&from, &into, name, path),
                    Err(error) if is_nothing(&error) => self.throw(&into, OsStr::new(name)).map(|()| true),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// Copies a file or folder that may be missing.
    fn entry(&mut self, from: &Folder, to: &Folder, name: &str, path: &ProjectPath) -> Result<bool, Error> {
        let Some(found) = Error::absent_is_none(from.stat(name))? else {
            return self.throw(to, OsStr::new(name)).map(|()| true);
        };
        let above = Path::new(path.as_str()).parent().unwrap_or(Path::new(""));
        self.named(from, to, (name, kind(&found)), above)
    }

    /// Copies what git ignores, as long as it fits, and returns what does not; none if it was not wanted to the end.
    fn ignored(&mut self, from: &ProjectDir, to: &ProjectDir) -> Result<Option<BTreeSet<String>>, Error> {
        let mut put_off = Vec::new();
        self.with_tools(|tools| {
            tools.is_ignored = None;
            put_off = std::mem::take(&mut tools.put_off);
        });
        let mut too_large = BTreeSet::new();
        for path in put_off {
            let (above, name) = split(&path)?;
            let (from, into) = (from.descend(above.iter().copied())?, to.root.descend(above)?);
            let before = self.copied;
            let copied = match self.fits(&from, name, &mut (before.files, before.bytes)) {
                true => self.entry(&from, &into, name, &path),
                false => Err(Error::TooLarge { path: path.as_str().into(), limit: self.limits.max_bytes }),
            };
            match copied {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(Error::TooLarge { .. } | Error::TooManyFiles { .. }) => {
                    self.copied = before;
                    self.throw(&into, OsStr::new(name))?;
                    too_large.insert(path.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Some(too_large))
    }

    /// Tells whether an entry of the project fits besides so many files and bytes.
    fn fits(&self, from: &Folder, name: &str, so_far: &mut (u64, u64)) -> bool {
        let Ok(found) = from.stat(name) else { return true };
        so_far.0 += 1;
        so_far.1 += if self.reflinks { 0 } else { found.st_size.cast_unsigned() };
        if so_far.0 > self.limits.max_files || so_far.1 > self.limits.max_bytes {
            return false;
        }
        if kind(&found) != FileType::Directory {
            return true;
        }
        let Ok(below) = from.step(name) else { return true };
        let names = below.names().unwrap_or_default();
        names.iter().all(|name| match name {
            Name::Text(name) => self.fits(&below, name, so_far),
            Name::Lossy(_) => true,
        })
    }

    /// Tells whether an entry is copied later, as git ignores it and no part names it, or something in it.
    pub(super) fn is_put_off(&mut self, path: &Path, file_type: FileType) -> bool {
        let Some(tools) = &mut self.for_tools else { return false };
        let text = path.to_str().unwrap_or_default();
        let holds =
            |(part, is_ignored): &(PathBuf, bool)| part.starts_with(path) || *is_ignored && path.starts_with(part);
        let is_ignored = !tools.named.iter().any(holds)
            && tools.is_ignored.is_some_and(|is| is(text, file_type == FileType::Directory));
        let path = text.parse::<ProjectPath>().ok().filter(|_| is_ignored);
        tools.put_off.extend(path.clone());
        path.is_some()
    }

    /// Tells whether no tool may touch what lies at a path; of a copy that is not for tools alone, whether it is git's own.
    pub(super) fn is_refused(&self, path: &Path) -> bool {
        if self.for_tools.is_none() {
            return path.file_name().is_some_and(|name| protected_places::is_git(&folded(&name.to_string_lossy())));
        }
        let path = path.to_str().and_then(|path| path.parse::<ProjectPath>().ok());
        path.is_none_or(|path| protected_places::reason(&path).is_some())
    }

    /// Tells whether a folder of the project is one that no tool reads.
    pub(super) fn is_closed(&self, path: &Path) -> bool {
        self.for_tools.as_ref().is_some_and(|tools| tools.closed.contains(path))
    }

    /// Leaves out an entry, and removes what the copy has in its place.
    pub(super) fn leave_out(&mut self, to: &Folder, name: &str) -> Result<(), Error> {
        self.copied.left_out += 1;
        if self.is_renewed() { self.throw(to, OsStr::new(name)) } else { Ok(()) }
    }

    /// Removes from a folder of the copy all but some entries.
    pub(super) fn keep_only(&mut self, to: &Folder, wanted: &[(Name, FileType)]) -> Result<(), Error> {
        let text = |(name, _): &'_ (Name, FileType)| match name {
            Name::Text(name) => Some(name.clone()),
            Name::Lossy(_) => None,
        };
        if !self.is_renewed() {
            return Ok(());
        }
        let wanted: Vec<String> = wanted.iter().filter_map(text).collect();
        self.keep_only_named(to, &wanted.iter().map(String::as_str).collect())
    }

    fn keep_only_named(&mut self, to: &Folder, wanted: &BTreeSet<&str>) -> Result<(), Error> {
        let failed = |source| Error::of(Doing::List, &to.path, source);
        for entry in to.dir.entries().map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            if !name.to_str().is_some_and(|name| wanted.contains(name)) {
                self.throw(to, &name)?;
            }
        }
        Ok(())
    }

    /// Opens a folder that the copy has already; what else has its name, or is closed, goes.
    pub(super) fn folder_there(&mut self, to: &Folder, name: &str) -> Result<Option<Folder>, Error> {
        if self.for_tools.is_none() {
            return Ok(None);
        }
        let Some(found) = Error::absent_is_none(to.stat(name))? else { return Ok(None) };
        if kind(&found) == FileType::Directory
            && found.st_mode & 0o700 == 0o700
            && let Ok(folder) = to.step(name)
        {
            return Ok(Some(folder));
        }
        self.throw(to, OsStr::new(name)).map(|()| None)
    }

    /// Tells whether the copy has a file as it is in the project; else what has its name goes.
    pub(super) fn has_file(
        &mut self,
        from: &Folder,
        to: &Folder,
        (name, stat): (&str, &Stat),
        folder: &Path,
    ) -> Result<bool, Error> {
        if !self.is_renewed() {
            return Ok(false);
        }
        let Some(found) = Error::absent_is_none(to.stat(name))? else { return Ok(false) };
        let path = folder.join(name);
        let stamps = [FileStamp::from(stat), FileStamp::from(&found)];
        let is_known = self.for_tools.as_ref().is_some_and(|tools| tools.then.files.get(&path) == Some(&stamps));
        let is_alike = kind(&found) == FileType::RegularFile
            && found.st_mode & 0o7777 == stat.st_mode & 0o777 | 0o200
            && found.st_size == stat.st_size;
        let is_same = || stamps[0].size <= COMPARED && is_same_content(from, to, name);
        if is_alike && (is_known || is_same()) {
            self.with_tools(|tools| tools.now.extend([(path, stamps)]));
            return Ok(true);
        }
        self.throw(to, OsStr::new(name)).map(|()| false)
    }

    /// Notes what the file system says of a file that was copied.
    pub(super) fn note_file(&mut self, path: &Path, from: &Stat, to: impl AsFd, mode: Mode) -> std::io::Result<()> {
        if self.for_tools.is_none() {
            return Ok(());
        }
        // Whatever the umask is, so that a change of it is told: nobody but the tool looks into the copy.
        rustix::fs::fchmod(&to, mode)?;
        let stamps = [FileStamp::from(from), FileStamp::from(&rustix::fs::fstat(&to)?)];
        self.with_tools(|tools| tools.now.extend([(path.to_owned(), stamps)]));
        Ok(())
    }

    /// Tells whether the copy has a link to a target; else what has its name goes.
    pub(super) fn has_link(&mut self, to: &Folder, name: &str, target: &Path) -> Result<bool, Error> {
        if !self.is_renewed() {
            return Ok(false);
        }
        let found = rustix::fs::readlinkat(&to.dir, name, Vec::new());
        if found.is_ok_and(|found| found.to_str().is_ok_and(|found| Path::new(found) == target)) {
            return Ok(true);
        }
        self.throw(to, OsStr::new(name)).map(|()| false)
    }

    /// Removes an entry of the copy. A folder is moved where no tool reaches it, whatever is in it.
    fn throw(&mut self, to: &Folder, name: &OsStr) -> Result<(), Error> {
        let Some(tools) = &mut self.for_tools else { return Ok(()) };
        tools.thrown += 1;
        let thrown = tools.thrown.to_string();
        let moved = || rustix::fs::renameat(&to.dir, name, &tools.trash, thrown.as_str());
        let gone = match rustix::fs::unlinkat(&to.dir, name, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => match moved() {
                // A folder that its owner may not write is not moved.
                Err(Errno::ACCESS) => open_up(to, name).and_then(|()| moved()),
                moved => moved,
            },
            gone => gone,
        };
        match gone {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(code) => Err(Error::of(Doing::Write, &to.path.join(name), code)),
        }
    }
}

/// Lets its owner do all with a folder; follows no link.
#[cfg(target_os = "linux")]
fn open_up(above: &Folder, name: &OsStr) -> Result<(), Errno> {
    use rustix::fs::OFlags;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(&above.dir, name, flags, Mode::empty())?;
    rustix::fs::chmod(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&folder)), Mode::from_raw_mode(0o700))
}

/// Elsewhere no tool is held, so none works in a copy.
#[cfg(not(target_os = "linux"))]
fn open_up(_: &Folder, _: &OsStr) -> Result<(), Errno> {
    Err(Errno::ACCESS)
}

fn is_same_content(from: &Folder, to: &Folder, name: &str) -> bool {
    match (from.read_file(name, COMPARED), to.read_file(name, COMPARED)) {
        (Ok((one, false)), Ok((other, false))) => one == other,
        _ => false,
    }
}

/// Returns the places that no tool reads in some parts of a project, by their paths in it.
fn closed_in(project: &Path, parts: &BTreeSet<Reach>, is_over: &dyn Fn() -> bool) -> Result<BTreeSet<PathBuf>, Error> {
    let folders = parts.iter().map(|part| project.join(parts_of(part).join("/"))).collect();
    let closed = closed_places(folders, is_over)?;
    Ok(closed.iter().filter_map(|path| path.strip_prefix(project).ok()).map(Path::to_path_buf).collect())
}

/// The names on the way to a part.
fn parts_of(part: &Reach) -> Vec<&str> {
    match part {
        Reach::Project => Vec::new(),
        Reach::Folder(path) | Reach::File(path) => path.parts().collect(),
    }
}

/// Tells whether git ignores a path or a folder above it.
fn is_ignored_at(is_ignored: IsIgnored<'_>, parts: &[&str]) -> bool {
    (1..=parts.len()).any(|depth| {
        let path = parts[..depth].join("/");
        is_ignored(&path, true) || depth == parts.len() && is_ignored(&path, false)
    })
}
