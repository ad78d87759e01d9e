//! The one way a file is written: completely, or not at all.
//!
//! A temporary file in the same folder takes the bytes and is synced; the old content is compared with what the caller
//! expects; the temporary file is renamed over the target; the folder is synced. **The commit point is the rename**:
//! before it the old content is untouched and the temporary file is removed, after it the new content is complete. A
//! crash leaves one of both, and at worst a stray `.rye-tmp-*`, which the next write into the folder removes. An error
//! while syncing the folder is reported though the new content is in place: only its durability is in doubt.
//!
//! An existing file keeps its mode. Between the comparison and the rename lies a moment in which another writer's
//! change would be lost; when the file is expected to be absent there is no such moment, as the rename itself refuses.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use cap_std::fs::Dir;
use rustix::fs::{Access, AtFlags, Mode, OFlags, RawMode, RenameFlags, Stat};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::error::{Doing, Error};
use super::folder::{Folder, Name};
use super::item_file::Expected;

/// The prefix of names of a temporary file: the number of its process and its own follow.
const DRAFT: &str = ".rye-tmp-";

/// The folders, each by device and number, in which this process has looked for what killed programs left.
static TIDIED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Numbers the temporary files of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl Folder {
    /// Writes `bytes` as the file `name` in this folder, and tells whether it is new.
    pub(super) fn replace(&self, name: &str, bytes: &[u8], expected: Expected<'_>) -> Result<bool, Error> {
        self.replace_within(name, bytes, expected, 0o666)
    }

    /// As [`Folder::replace`]; a new file gets no more of its mode than `most`.
    pub(super) fn replace_within(
        &self,
        name: &str,
        bytes: &[u8],
        expected: Expected<'_>,
        most: RawMode,
    ) -> Result<bool, Error> {
        let temporary = self.beside_within(name, bytes, expected, most)?;
        let is_new = temporary.mode.is_none();
        temporary.sync()?;
        temporary.put_in_place(expected)?;
        self.sync()?;
        Ok(is_new)
    }

    /// Writes `bytes` next to the file `name`, to be synced and put in place.
    pub(super) fn beside<'a>(
        &'a self,
        name: &'a str,
        bytes: &[u8],
        expected: Expected<'_>,
    ) -> Result<Temporary<'a>, Error> {
        self.beside_within(name, bytes, expected, 0o666)
    }

    fn beside_within<'a>(
        &'a self,
        name: &'a str,
        bytes: &[u8],
        expected: Expected<'_>,
        most: RawMode,
    ) -> Result<Temporary<'a>, Error> {
        let existing = Error::absent_is_none(self.stat_regular(name))?;
        self.check_writable(name, existing.as_ref())?;
        self.check_expected(name, expected)?;
        let temporary = Temporary::create(self, name, existing.as_ref(), most)?;
        temporary.fill(bytes)?;
        Ok(temporary)
    }

    /// Fails as a replacement of the file `name` would, as far as can be told before.
    pub(super) fn check_replaceable(&self, name: &str) -> Result<(), Error> {
        let stat = self.stat_regular(name)?;
        self.check_writable(name, Some(&stat))?;
        rustix::fs::accessat(&self.dir, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())
            .map_err(|code| Error::of(Doing::Write, &self.path, code))
    }

    /// Makes the file `name` executable for exactly the users who may read it, or for none.
    pub(super) fn set_executable(&self, name: &str, executable: bool) -> Result<(), Error> {
        let (file, stat) = self.open_file(name)?;
        let readers = stat.st_mode & 0o444;
        let mode = if executable { stat.st_mode | readers >> 2 } else { stat.st_mode & !0o111 };
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o777))
            .map_err(|code| Error::of(Doing::Write, &self.path.join(name), code))
    }

    /// Moves the file `name` to a name that is free in a folder, durably.
    pub(super) fn rename(&self, name: &str, to: &Self, new: &str) -> Result<(), Error> {
        to.check_expected(new, Expected::Absent)?;
        rename_to_free(&self.dir, name, &to.dir, new)
            .map_err(|code| Error::of(Doing::Write, &to.path.join(new), code))?;
        to.sync()?;
        self.sync()
    }

    /// Refuses a file whose own mode forbids writing: a rename would not ask.
    fn check_writable(&self, name: &str, existing: Option<&Stat>) -> Result<(), Error> {
        match existing {
            Some(stat) if stat.st_mode & 0o200 == 0 => Err(Error::WriteProtected { path: self.path.join(name) }),
            _ => Ok(()),
        }
    }

    /// Refuses to go on when the file `name` is not as `expected`.
    pub(super) fn check_expected(&self, name: &str, expected: Expected<'_>) -> Result<(), Error> {
        let path = || self.path.join(name);
        match expected {
            Expected::Any => Ok(()),
            Expected::Absent => match Error::absent_is_none(self.stat(name))? {
                None => Ok(()),
                Some(_) => Err(Error::AlreadyExists { path: path() }),
            },
            Expected::Content(content) => {
                let found = Error::absent_is_none(self.read_file(name, content.len() as u64))?;
                let same = found.is_some_and(|(bytes, more)| !more && bytes == content);
                if same { Ok(()) } else { Err(Error::ChangedMeanwhile { path: path() }) }
            }
        }
    }
}

impl Folder {
    /// Removes temporary files whose process is gone, the first time that this process writes into the folder. A file
    /// that cannot be removed does no harm.
    fn remove_leftovers(&self) {
        let Ok(stat) = rustix::fs::fstat(&self.dir) else { return };
        if !TIDIED.lock().unwrap_or_else(PoisonError::into_inner).insert(format!("{}:{}", stat.st_dev, stat.st_ino)) {
            return;
        }
        for name in self.names().into_iter().flatten() {
            if let Name::Text(name) = name
                && is_leftover(&name)
                && self.stat_regular(&name).is_ok()
            {
                let _ = rustix::fs::unlinkat(&self.dir, name.as_str(), AtFlags::empty());
            }
        }
    }
}

/// Tells whether a file is a temporary one of a process that is gone.
fn is_leftover(name: &str) -> bool {
    let process = name.strip_prefix(DRAFT).and_then(|numbers| numbers.split_once('-'));
    let process = process.filter(|(_, own)| own.bytes().all(|byte| byte.is_ascii_digit()));
    let process =
        process.and_then(|(process, _)| Pid::from_raw(process.parse::<i32>().ok().filter(|number| *number > 0)?));
    process.is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH))
}

/// Renames a file to a name that must be free.
fn rename_to_free(from: &Dir, name: &str, to: &Dir, new: &str) -> rustix::io::Result<()> {
    match rustix::fs::renameat_with(from, name, to, new, RenameFlags::NOREPLACE) {
        // Not every file system can; the check just made has to do there.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rustix::fs::renameat(from, name, to, new),
        other => other,
    }
}

/// A file that is removed unless it was renamed into place.
pub(super) struct Temporary<'a> {
    folder: &'a Folder,
    target: &'a str,
    name: String,
    file: File,
    mode: Option<Mode>,
}

impl<'a> Temporary<'a> {
    /// Creates the file, closed to others while it replaces one whose mode may be closed too.
    fn create(folder: &'a Folder, target: &'a str, existing: Option<&Stat>, most: RawMode) -> Result<Self, Error> {
        let mode = existing.map(|stat| Mode::from_raw_mode(stat.st_mode & 0o777));
        let first = Mode::from_raw_mode(if mode.is_some() { 0o600 } else { 0o666 & most });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if !folder.is_passing {
            folder.remove_leftovers();
        }
        loop {
            let name = format!("{DRAFT}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            match rustix::fs::openat(&folder.dir, name.as_str(), flags, first) {
                Ok(handle) => return Ok(Self { folder, target, name, file: handle.into(), mode }),
                // Left by a process that died with this number.
                Err(Errno::EXIST) => {}
                Err(code) => {
                    let error = Error::of(Doing::Write, &folder.path.join(target), code);
                    return Err(if mode.is_some() { error.keeping() } else { error });
                }
            }
        }
    }

    fn fill(&self, bytes: &[u8]) -> Result<(), Error> {
        self.try_fill(bytes).map_err(|source| self.failed(source))
    }

    fn try_fill(&self, bytes: &[u8]) -> std::io::Result<()> {
        (&self.file).write_all(bytes)?;
        if let Some(mode) = self.mode {
            rustix::fs::fchmod(&self.file, mode)?;
        }
        Ok(())
    }

    /// Waits until the disk has the written data.
    pub(super) fn sync(&self) -> Result<(), Error> {
        if self.folder.is_passing {
            return Ok(());
        }
        self.file.sync_all().map_err(|source| self.failed(source))
    }

    /// Puts the file in place, if the target is still as expected: the commit point.
    pub(super) fn put_in_place(self, expected: Expected<'_>) -> Result<(), Error> {
        self.folder.check_expected(self.target, expected)?;
        let target = self.target;
        self.rename_to(target, expected)
    }

    fn rename_to(mut self, name: &str, expected: Expected<'_>) -> Result<(), Error> {
        let dir = &self.folder.dir;
        let renamed = if matches!(expected, Expected::Absent) {
            rename_to_free(dir, &self.name, dir, name)
        } else {
            rustix::fs::renameat(dir, self.name.as_str(), dir, name)
        };
        renamed.map_err(|code| self.failed(code))?;
        self.name.clear();
        Ok(())
    }

    /// Names the target: the temporary file is unknown to the user.
    fn failed(&self, source: impl Into<std::io::Error>) -> Error {
        let error = Error::of(Doing::Write, &self.folder.path.join(self.target), source);
        if self.mode.is_some() { error.keeping() } else { error }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            // Nothing better can be done about a temporary file that cannot be removed: the error that led here is
            // the one to report.
            let _ = rustix::fs::unlinkat(&self.folder.dir, self.name.as_str(), AtFlags::empty());
        }
    }
}
