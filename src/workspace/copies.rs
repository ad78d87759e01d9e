//! Copying a folder of one tree into another: by reflink where the file system can, else byte by byte and bounded.
//!
//! Nothing is followed: a link stays a link. One that leads into the tree that is copied from leads to the same place of the other
//! tree, so that no write goes through it into the first; a relative one that leads out of the tree is left out, as are
//! pipes, sockets, devices, names that are not UTF-8 and the program's own files. Times are kept, since build tools
//! compare them. Nothing is flushed: the files can be copied again.

use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, Timestamps};

use super::error::{Doing, Error};
use super::folder::{Folder, Name, kind};
use super::own_places::Own;
use super::project_dir::{ProjectDir, split};
use super::refused;
use crate::capability::{ProjectPath, Reach};

/// How much is copied.
#[derive(Debug, Clone, Copy)]
pub struct CopyLimits {
    /// The most bytes that are copied where the file system has no reflinks.
    pub max_bytes: u64,
    /// The most files and links.
    pub max_files: u64,
}

/// The copied files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Files and links.
    pub files: u64,
    /// Bytes that were copied.
    pub bytes: u64,
    /// Bytes that both trees share until one of them is changed.
    pub reflinked: u64,
    /// The omitted files.
    pub left_out: u64,
}

/// A copy under way.
struct Copy<'a> {
    own: &'a Own,
    from_root: &'a Path,
    to_root: &'a Path,
    limits: CopyLimits,
    is_wanted: &'a dyn Fn() -> bool,
    /// Whether places that no tool may touch are left out.
    is_for_tools: bool,
    reflinks: bool,
    copied: Copied,
}

impl ProjectDir {
    /// Copies a folder of this tree, which lies at `from_root`, into `to`, which lies at `to_root` and does not have it. None if the copy is not
    /// wanted any more.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::read`] does, when there is more than the limits allow, and when the copy cannot be
    /// written. Files copied by then stay.
    pub fn copy_folder(
        &self,
        path: &ProjectPath,
        (from_root, to_root): (&Path, &Path),
        to: &Self,
        limits: CopyLimits,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Copied>, Error> {
        self.check(path)?;
        let from = self.descend(path.parts())?;
        let into = to.root.descend_creating(path.parts())?;
        let mut copy = Copy::new(self, (from_root, to_root), limits, is_wanted, false);
        let is_done = copy.folder(&from, &into, Path::new(path.as_str()))?;
        Ok(is_done.then_some(copy.copied))
    }
}

impl ProjectDir {
    /// Copies a part of this tree, which lies at `from_root`, into `to`, a tree at `to_root` that does not have it, without the
    /// places that no tool may touch. What is named as a file may be a folder. A folder that is missing is made in the copy, as
    /// is the one above a missing file. None if the copy is not wanted any more.
    ///
    /// # Errors
    ///
    /// As [`ProjectDir::copy_folder`].
    pub fn copy_part_for_tools(
        &self,
        part: &Reach,
        (from_root, to_root): (&Path, &Path),
        to: &Self,
        limits: CopyLimits,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<Copied>, Error> {
        let mut copy = Copy::new(self, (from_root, to_root), limits, is_wanted, true);
        let is_done = match part {
            Reach::Project => copy.folder(&self.root, &to.root, Path::new(""))?,
            Reach::Folder(path) => {
                self.check(path)?;
                let into = to.root.descend_creating(path.parts())?;
                match self.descend(path.parts()) {
                    Ok(from) => copy.folder(&from, &into, Path::new(path.as_str()))?,
                    // What is no folder of the project is nothing to begin with.
                    Err(Error::NotFound { .. } | Error::NotDirectory { .. } | Error::Symlink { .. }) => true,
                    Err(error) => return Err(error),
                }
            }
            Reach::File(path) => {
                self.check(path)?;
                let (above, name) = split(path)?;
                let into = to.root.descend_creating(above.iter().copied())?;
                match self.descend(above) {
                    Ok(from) => copy.entry(&from, &into, name, path)?,
                    Err(Error::NotFound { .. } | Error::NotDirectory { .. } | Error::Symlink { .. }) => true,
                    Err(error) => return Err(error),
                }
            }
        };
        Ok(is_done.then_some(copy.copied))
    }
}

impl<'a> Copy<'a> {
    fn new(
        from: &'a ProjectDir,
        (from_root, to_root): (&'a Path, &'a Path),
        limits: CopyLimits,
        is_wanted: &'a dyn Fn() -> bool,
        is_for_tools: bool,
    ) -> Self {
        let (own, copied) = (&from.own, Copied::default());
        Self { own, from_root, to_root, limits, is_wanted, is_for_tools, reflinks: true, copied }
    }

    /// Tells whether no tool may touch what lies at a path.
    fn is_refused(&self, path: &Path) -> bool {
        let path = path.to_str().and_then(|path| path.parse::<ProjectPath>().ok());
        self.is_for_tools && path.is_none_or(|path| refused::reason(&path).is_some())
    }

    /// Copies the content of a folder, whose path is `path`; tells whether it was wanted to the end.
    fn folder(&mut self, from: &Folder, to: &Folder, path: &Path) -> Result<bool, Error> {
        for (name, file_type) in from.entries()? {
            let Name::Text(name) = name else {
                self.copied.left_out += 1;
                continue;
            };
            if !self.named(from, to, (&name, file_type), path)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Copies a file or folder that may be missing.
    fn entry(&mut self, from: &Folder, to: &Folder, name: &str, path: &ProjectPath) -> Result<bool, Error> {
        let Some(found) = Error::absent_is_none(from.stat(name))? else { return Ok(true) };
        let above = Path::new(path.as_str()).parent().unwrap_or(Path::new(""));
        self.named(from, to, (name, kind(&found)), above)
    }

    /// Copies an entry of a folder, whose path is `path`; tells whether it was wanted to the end.
    fn named(
        &mut self,
        from: &Folder,
        to: &Folder,
        (name, file_type): (&str, FileType),
        path: &Path,
    ) -> Result<bool, Error> {
        if !(self.is_wanted)() {
            return Ok(false);
        }
        let is_itself = self.from_root.join(path).join(name) == self.to_root;
        if from.stat(name).is_ok_and(|found| self.own.has(&found)) || is_itself || self.is_refused(&path.join(name)) {
            self.copied.left_out += 1;
            return Ok(true);
        }
        match file_type {
            FileType::Directory => {
                let below = match from.step(name) {
                    Err(Error::PermissionDenied { .. }) if self.is_for_tools => {
                        self.copied.left_out += 1;
                        return Ok(true);
                    }
                    below => below?,
                };
                // A folder that its owner may not write would keep its content from being copied.
                let made = rustix::fs::mkdirat(&to.dir, name, Mode::from_raw_mode(0o700));
                made.map_err(|code| Error::of(Doing::Write, &to.path.join(name), code))?;
                if !self.folder(&below, &to.step(name)?, &path.join(name))? {
                    return Ok(false);
                }
            }
            FileType::RegularFile => match self.file(from, to, name) {
                Err(Error::PermissionDenied { .. }) if self.is_for_tools => self.copied.left_out += 1,
                copied => copied?,
            },
            FileType::Symlink => self.link(from, to, name, path)?,
            _ => self.copied.left_out += 1,
        }
        self.copied.files += 1;
        match self.copied.files > self.limits.max_files {
            true => {
                let limit = usize::try_from(self.limits.max_files).unwrap_or(usize::MAX);
                Err(Error::TooManyFiles { path: path.to_owned(), limit })
            }
            false => Ok(true),
        }
    }

    fn file(&mut self, from: &Folder, to: &Folder, name: &str) -> Result<(), Error> {
        let (mut source, stat) = from.open_file(name)?;
        let size = stat.st_size.cast_unsigned();
        let failed = |code: std::io::Error| Error::of(Doing::Write, &to.path.join(name), code);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(stat.st_mode & 0o777 | 0o200);
        let target = rustix::fs::openat(&to.dir, name, flags, mode).map_err(|code| failed(code.into()))?;
        if self.reflinks && reflink(&target, &source) {
            self.copied.reflinked += size;
        } else {
            self.reflinks &= size == 0;
            self.copied.bytes += size;
            if self.copied.bytes > self.limits.max_bytes {
                return Err(Error::TooLarge { path: from.path.clone(), limit: self.limits.max_bytes });
            }
            let mut target = std::fs::File::from(target.try_clone().map_err(failed)?);
            std::io::copy(&mut source, &mut target).map_err(failed)?;
        }
        let modified = rustix::fs::Timespec { tv_sec: stat.st_mtime as _, tv_nsec: stat.st_mtime_nsec as _ };
        let times = Timestamps { last_access: modified, last_modification: modified };
        rustix::fs::futimens(&target, &times).map_err(|code| failed(code.into()))
    }

    fn link(&mut self, from: &Folder, to: &Folder, name: &str, folder: &Path) -> Result<(), Error> {
        let failed = |code| Error::of(Doing::Read, &from.path.join(name), code);
        let target = rustix::fs::readlinkat(&from.dir, name, Vec::new()).map_err(failed)?;
        let Some(target) = target.to_str().ok().and_then(|target| self.led(Path::new(target), folder)) else {
            self.copied.left_out += 1;
            return Ok(());
        };
        rustix::fs::symlinkat(&target, &to.dir, name).map_err(|code| Error::of(Doing::Write, &to.path.join(name), code))
    }

    /// Returns where the copy of a link leads that lies in a folder; none if that is outside by a detour.
    fn led(&self, target: &Path, folder: &Path) -> Option<PathBuf> {
        if target.is_absolute() {
            let below = target.strip_prefix(self.from_root);
            return Some(below.map_or_else(|_| target.to_owned(), |below| self.to_root.join(below)));
        }
        let mut depth = folder.components().count();
        for part in target.components() {
            match part {
                Component::ParentDir => depth = depth.checked_sub(1)?,
                Component::Normal(_) => depth += 1,
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(target.to_owned())
    }
}

/// Lets a new file share the content of another, if the file system can.
#[cfg(target_os = "linux")]
fn reflink(target: &impl std::os::fd::AsFd, source: &impl std::os::fd::AsFd) -> bool {
    rustix::fs::ioctl_ficlone(target, source).is_ok()
}

/// Elsewhere the copy itself does what the file system can.
#[cfg(not(target_os = "linux"))]
fn reflink(_: &impl std::os::fd::AsFd, _: &impl std::os::fd::AsFd) -> bool {
    false
}
