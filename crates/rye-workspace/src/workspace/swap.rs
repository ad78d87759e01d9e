//! Files of a project changed by compare-and-swap: a path changes only if it has exactly the expected content, whoever
//! writes at the same time.
//!
//! The new content is written and flushed under another name in the same folder, then both names are exchanged in one step.
//! Only then is the old content compared, and put back if it is not the expected one: so a save by another program in
//! the last moment is kept, too. File systems that cannot exchange names compare before a plain rename instead.
//! **Commit point: the exchange**, or the rename where nothing is there before or after.
//!
//! The other name is chosen by whoever calls, so that what a killed program leaves is found again.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::ffi::OsStringExt as _;

use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::error::{Doing, Error};
use super::folder::{Folder, Name, kind};
use super::project_dir::split;
use super::{ProjectDir, git_folder};
use crate::capability::{ProjectPath, folded};

/// What a path of a project holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// Nothing.
    Nothing,
    /// A file.
    File {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// A symlink.
    Link {
        /// Where it leads.
        target: Vec<u8>,
    },
}

impl ProjectDir {
    /// Reads what a path holds, wherever it is. A file has at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// Fails on a symlink or a file on the way, a folder, another kind of entry, and a file that is too large.
    pub fn held(&self, path: &ProjectPath, limit: u64) -> Result<Held, Error> {
        let (above, name) = split(path)?;
        match Error::absent_is_none(self.root.descend(above))? {
            Some(folder) => folder.held(name, limit),
            None => Ok(Held::Nothing),
        }
    }

    /// Changes what a path holds from `from` to `to`; folders are made and, when they are empty, removed as needed. `other` is
    /// a name that is free in the path's folder.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::ChangedMeanwhile`] when the path holds something else, and as writing does; nothing is changed then.
    pub fn swap(&self, path: &ProjectPath, from: &Held, to: &Held, other: &str) -> Result<(), Error> {
        let (above, name) = split(path)?;
        let folder = match to {
            Held::Nothing => self.root.descend(above.iter().copied())?,
            Held::File { .. } | Held::Link { .. } => self.root.descend_creating(above.iter().copied())?,
        };
        folder.swap(name, from, to, other)?;
        if *to == Held::Nothing {
            self.prune(&above);
        }
        Ok(())
    }

    /// Fails as [`ProjectDir::swap`] would, as far as can be told before.
    ///
    /// # Errors
    ///
    /// Returns the obstacle; also where the write would make or change what git takes for a repository.
    pub fn check_swap(&self, path: &ProjectPath, from: &Held, to: &Held) -> Result<(), Error> {
        if *to != Held::Nothing {
            git_folder::check(&self.root, path)?;
        }
        let (above, name) = split(path)?;
        let mut folder = self.root.descend([])?;
        for part in above {
            match Error::absent_is_none(folder.step(part))? {
                Some(next) => folder = next,
                None => break,
            }
        }
        if let Held::File { .. } = from
            && folder.stat(name)?.st_mode & 0o200 == 0
        {
            return Err(Error::WriteProtected { path: folder.path.join(name) });
        }
        rustix::fs::accessat(&folder.dir, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())
            .map_err(|code| Error::of(Doing::Write, &folder.path, code))
    }

    /// Returns a name on the way to a path that some file systems take for the path's own, if one is next to it.
    pub fn twin(&self, path: &ProjectPath) -> Result<Option<String>, Error> {
        let mut folder = self.root.descend([])?;
        let mut way = String::new();
        for part in path.parts() {
            for (name, _) in folder.entries()? {
                let Name::Text(name) = name else { continue };
                if name != part && folded(&name) == folded(part) {
                    return Ok(Some(format!("{way}{name}")));
                }
            }
            way = format!("{way}{part}/");
            match folder.step(part) {
                Ok(next) => folder = next,
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Tells whether a path lies in a folder with a `.git` of its own.
    #[must_use]
    pub fn is_in_repository(&self, path: &ProjectPath) -> bool {
        let Ok((above, _)) = split(path) else { return false };
        (1..=above.len()).any(|depth| {
            let folder = self.root.descend(above[..depth].iter().copied());
            folder.is_ok_and(|folder| folder.stat(".git").is_ok())
        })
    }

    /// Removes what a killed [`ProjectDir::swap`] left under the other name: one of the path's own versions, or the beginning of
    /// one. Tells whether something else is there, which stays.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be removed.
    pub fn clear(&self, path: &ProjectPath, versions: [&Held; 2], other: &str, limit: u64) -> Result<bool, Error> {
        let (above, _) = split(path)?;
        let Ok(folder) = self.root.descend(above.iter().copied()) else { return Ok(false) };
        let is_ours = match folder.held(other, limit)? {
            Held::Nothing => return Ok(false),
            Held::File { bytes, .. } => versions.iter().any(|version| match version {
                Held::File { bytes: whole, .. } => whole.starts_with(&bytes),
                Held::Nothing | Held::Link { .. } => false,
            }),
            link @ Held::Link { .. } => versions.contains(&&link),
        };
        if is_ours {
            folder.unlink(other)?;
            self.prune(&above);
        }
        Ok(!is_ours)
    }

    /// Removes folders that are empty, the innermost first.
    fn prune(&self, parts: &[&str]) {
        for depth in (1..=parts.len()).rev() {
            let Ok(folder) = self.root.descend(parts[..depth - 1].iter().copied()) else { return };
            if rustix::fs::unlinkat(&folder.dir, parts[depth - 1], AtFlags::REMOVEDIR).is_err() {
                return;
            }
        }
    }
}

impl Folder {
    fn held(&self, name: &str, limit: u64) -> Result<Held, Error> {
        let Some(stat) = Error::absent_is_none(self.stat(name))? else { return Ok(Held::Nothing) };
        if kind(&stat) == FileType::Symlink {
            let target = rustix::fs::readlinkat(&self.dir, name, Vec::new()).map_err(|code| self.unread(name, code))?;
            return Ok(Held::Link { target: target.into_bytes() });
        }
        let bytes = self.read_whole(name, limit)?;
        Ok(Held::File { bytes, executable: stat.st_mode & 0o100 != 0 })
    }

    fn swap(&self, name: &str, from: &Held, to: &Held, other: &str) -> Result<(), Error> {
        let changed = || Error::ChangedMeanwhile { path: self.path.join(name) };
        if !self.holds(name, from) {
            return Err(changed());
        }
        self.draft(name, to, other)?;
        let moved = match (from, to) {
            (Held::Nothing, Held::Nothing) => return Ok(()),
            (Held::Nothing, _) => self.rename_to_free(other, name),
            (_, Held::Nothing) => self.rename_to_free(name, other),
            (_, _) => self.exchange(name, other, from),
        };
        if let Err(code) = moved {
            if *to != Held::Nothing {
                self.unlink(other)?;
            }
            return Err(match code {
                Errno::EXIST | Errno::NOENT => changed(),
                code => Error::of(Doing::Write, &self.path.join(name), code),
            });
        }
        if *from != Held::Nothing && !self.holds(other, from) {
            return self.put_back(name, to, other).and_then(|()| Err(changed()));
        }
        if *from != Held::Nothing {
            self.unlink(other)?;
        }
        self.sync()
    }

    /// Gives a name back to what another program wrote in the last moment.
    fn put_back(&self, name: &str, to: &Held, other: &str) -> Result<(), Error> {
        let failed = |code| Error::of(Doing::Write, &self.path.join(other), code);
        if *to == Held::Nothing {
            return self.rename_to_free(other, name).map_err(failed);
        }
        rustix::fs::renameat_with(&self.dir, name, &self.dir, other, RenameFlags::EXCHANGE).map_err(failed)?;
        // Written again in between, it stays under the other name.
        if self.holds(other, to) { self.unlink(other) } else { self.sync() }
    }

    fn holds(&self, name: &str, expected: &Held) -> bool {
        let limit = match expected {
            Held::File { bytes, .. } => bytes.len() as u64,
            Held::Nothing | Held::Link { .. } => 0,
        };
        self.held(name, limit).is_ok_and(|found| found == *expected)
    }

    /// Writes the new content under the other name, with the mode of what it replaces.
    fn draft(&self, name: &str, to: &Held, other: &str) -> Result<(), Error> {
        match to {
            Held::Nothing => Ok(()),
            Held::Link { target } => {
                let target = OsString::from_vec(target.clone());
                rustix::fs::symlinkat(&target, &self.dir, other).map_err(|code| self.unwritten(name, code))
            }
            Held::File { bytes, executable } => {
                let filled = self.fill(name, bytes, *executable, other);
                if filled.is_err() {
                    // The error that led here is the one to report.
                    let _ = self.unlink(other);
                }
                filled
            }
        }
    }

    fn fill(&self, name: &str, bytes: &[u8], executable: bool, other: &str) -> Result<(), Error> {
        let old = self.stat_regular(name).ok().map(|stat| stat.st_mode & 0o777);
        let fresh = if executable { 0o777 } else { 0o666 };
        let first = Mode::from_raw_mode(if old.is_some() { 0o600 } else { fresh });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.dir, other, flags, first).map_err(|code| self.unwritten(other, code))?;
        let mut file = std::fs::File::from(handle);
        let written = file.write_all(bytes).and_then(|()| {
            if let Some(old) = old {
                let mode = if executable { old | (old & 0o444) >> 2 } else { old & !0o111 };
                rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
            }
            file.sync_all()
        });
        written.map_err(|source| Error::of(Doing::Write, &self.path.join(name), source))
    }

    /// Exchanges two names. Where the file system cannot, the other is renamed over the first, after one more look.
    fn exchange(&self, name: &str, other: &str, from: &Held) -> rustix::io::Result<()> {
        match rustix::fs::renameat_with(&self.dir, name, &self.dir, other, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                let kept = format!("{other}-old");
                rustix::fs::renameat(&self.dir, name, &self.dir, kept.as_str())?;
                if !self.holds(&kept, from) {
                    rustix::fs::renameat(&self.dir, kept.as_str(), &self.dir, name)?;
                    return Err(Errno::EXIST);
                }
                rustix::fs::renameat(&self.dir, other, &self.dir, name)?;
                rustix::fs::renameat(&self.dir, kept.as_str(), &self.dir, other)
            }
            done => done,
        }
    }

    fn rename_to_free(&self, name: &str, free: &str) -> rustix::io::Result<()> {
        match rustix::fs::renameat_with(&self.dir, name, &self.dir, free, RenameFlags::NOREPLACE) {
            // Not every file system can; a look has to do there.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if self.stat(free).is_ok() => Err(Errno::EXIST),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rustix::fs::renameat(&self.dir, name, &self.dir, free),
            done => done,
        }
    }

    fn unlink(&self, name: &str) -> Result<(), Error> {
        rustix::fs::unlinkat(&self.dir, name, AtFlags::empty()).map_err(|code| self.unwritten(name, code))
    }

    fn unread(&self, name: &str, code: Errno) -> Error {
        Error::of(Doing::Read, &self.path.join(name), code)
    }

    fn unwritten(&self, name: &str, code: Errno) -> Error {
        Error::of(Doing::Write, &self.path.join(name), code)
    }
}
