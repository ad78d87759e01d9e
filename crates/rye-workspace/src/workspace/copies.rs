//! Copying a folder of one tree into another: by reflink where the file system can, else byte by byte and bounded.
//!
//! Nothing is followed: a link stays a link. One that leads into the tree that is copied from leads to the same place of the other
//! tree, so that no write goes through it into the first; a relative one that leads out of the tree is left out, as are
//! pipes, sockets, devices, names that are not UTF-8, git folders and the program's own files. Times are kept, since build tools
//! compare them. Nothing is flushed: the files can be copied again.

use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, Timestamps};

use super::error::{Doing, Error};
use super::folder::{Folder, Name};
use super::for_tools::ForTools;
use super::git_folder;
use super::own_places::Own;
use super::project_dir::ProjectDir;
use crate::capability::ProjectPath;

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
pub(super) struct Copy<'a> {
    own: &'a Own,
    pub(super) from_root: &'a Path,
    pub(super) to_root: &'a Path,
    pub(super) limits: CopyLimits,
    pub(super) is_wanted: &'a dyn Fn() -> bool,
    /// What is besides of a copy for tools: it may have content, and places that no tool may touch are left out.
    pub(super) for_tools: Option<ForTools<'a>>,
    pub(super) reflinks: bool,
    pub(super) copied: Copied,
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
        let mut copy = Copy::new(self, (from_root, to_root), limits, is_wanted);
        let is_done = copy.folder(&from, &into, Path::new(path.as_str()))?;
        Ok(is_done.then_some(copy.copied))
    }
}

impl<'a> Copy<'a> {
    pub(super) fn new(
        from: &'a ProjectDir,
        (from_root, to_root): (&'a Path, &'a Path),
        limits: CopyLimits,
        is_wanted: &'a dyn Fn() -> bool,
    ) -> Self {
        let (own, copied) = (&from.own, Copied::default());
        Self { own, from_root, to_root, limits, is_wanted, for_tools: None, reflinks: true, copied }
    }

    /// Copies the content of a folder, whose path is `path`; tells whether it was wanted to the end.
    pub(super) fn folder(&mut self, from: &Folder, to: &Folder, path: &Path) -> Result<bool, Error> {
        let mut entries = from.entries()?;
        if git_folder::is_repository_of(&entries) || self.is_closed(path) {
            // The logs and the configuration of a git folder may hold credentials. An empty one shows that there is one.
            entries.clear();
            self.copied.left_out += 1;
        }
        self.keep_only(to, &entries)?;
        for (name, file_type) in entries {
            let Name::Text(name) = name else {
                self.copied.left_out += 1;
                continue;
            };
            if !self.is_put_off(&path.join(&name), file_type) && !self.named(from, to, (&name, file_type), path)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Copies an entry of a folder, whose path is `path`; tells whether it was wanted to the end.
    pub(super) fn named(
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
        let is_own = from.stat(name).is_ok_and(|found| self.own.has(&found));
        if is_own || is_itself || self.is_refused(&path.join(name)) {
            return self.leave_out(to, name).map(|()| true);
        }
        let copied = match file_type {
            FileType::Directory => match from.step(name) {
                Ok(below) => {
                    let into = self.made(to, name)?;
                    if !self.folder(&below, &into, &path.join(name))? {
                        return Ok(false);
                    }
                    Ok(())
                }
                Err(error) => Err(error),
            },
            FileType::RegularFile => self.file(from, to, name, path),
            FileType::Symlink => self.link(from, to, name, path),
            _ => self.leave_out(to, name),
        };
        match copied {
            Err(Error::PermissionDenied { doing: Doing::Read, .. }) if self.for_tools.is_some() => {
                self.leave_out(to, name)?;
            }
            copied => copied?,
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

    /// Makes the folder `name` in `to`, if it is not there.
    pub(super) fn made(&mut self, to: &Folder, name: &str) -> Result<Folder, Error> {
        if let Some(there) = self.folder_there(to, name)? {
            return Ok(there);
        }
        // A folder that its owner may not write would keep its content from being copied.
        let made = rustix::fs::mkdirat(&to.dir, name, Mode::from_raw_mode(0o700));
        made.map_err(|code| Error::of(Doing::Write, &to.path.join(name), code))?;
        to.step(name)
    }

    fn file(&mut self, from: &Folder, to: &Folder, name: &str, folder: &Path) -> Result<(), Error> {
        let (mut source, stat) = from.open_file(name)?;
        let size = stat.st_size.cast_unsigned();
        if self.has_file(from, to, (name, &stat), folder)? {
            return if self.reflinks { Ok(()) } else { self.count(from, size) };
        }
        let failed = |code: std::io::Error| Error::of(Doing::Write, &to.path.join(name), code);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(stat.st_mode & 0o777 | 0o200);
        let target = rustix::fs::openat(&to.dir, name, flags, mode).map_err(|code| failed(code.into()))?;
        if self.reflinks && reflink(&target, &source) {
            self.copied.reflinked += size;
        } else {
            self.reflinks &= size == 0;
            self.count(from, size)?;
            let mut target = std::fs::File::from(target.try_clone().map_err(failed)?);
            std::io::copy(&mut source, &mut target).map_err(failed)?;
        }
        let modified = rustix::fs::Timespec { tv_sec: stat.st_mtime as _, tv_nsec: stat.st_mtime_nsec as _ };
        let times = Timestamps { last_access: modified, last_modification: modified };
        rustix::fs::futimens(&target, &times).map_err(|code| failed(code.into()))?;
        self.note_file(&folder.join(name), &stat, &target, mode).map_err(failed)
    }

    fn count(&mut self, from: &Folder, size: u64) -> Result<(), Error> {
        self.copied.bytes += size;
        match self.copied.bytes > self.limits.max_bytes {
            true => Err(Error::TooLarge { path: from.path.clone(), limit: self.limits.max_bytes }),
            false => Ok(()),
        }
    }

    fn link(&mut self, from: &Folder, to: &Folder, name: &str, folder: &Path) -> Result<(), Error> {
        let failed = |code| Error::of(Doing::Read, &from.path.join(name), code);
        let target = rustix::fs::readlinkat(&from.dir, name, Vec::new()).map_err(failed)?;
        let Some(target) = target.to_str().ok().and_then(|target| self.led(Path::new(target), folder)) else {
            return self.leave_out(to, name);
        };
        if self.has_link(to, name, &target)? {
            return Ok(());
        }
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
