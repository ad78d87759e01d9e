//! An open folder, and steps from it that follow no symlink.
//!
//! Every step is made from an open handle and names one component, so the checked entry is the opened one. Files are
//! opened without blocking and only if they are regular: a pipe or a device never hangs or acts.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use super::error::{Doing, Error};

/// How a file is opened for reading: no symlink is followed, nothing is waited for, no terminal is taken over.
const PLAIN: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// An open folder and the path to show for it.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) dir: Dir,
    pub(super) path: PathBuf,
    /// Whether it goes with the run that made it: a power failure leaves nothing in it that is read again, so nothing is flushed.
    pub(super) is_passing: bool,
}

impl Folder {
    /// Opens a root by its path, following symlinks; errors and children show `shown` instead of it.
    pub(super) fn open_root(path: &Path, shown: &Path) -> Result<Self, Error> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty()).map_err(|code| Error::of(Doing::Read, path, code))?;
        Ok(Self { dir: Dir::from(handle), path: shown.to_owned(), is_passing: false })
    }

    /// Opens the folder `name` in this one.
    pub(super) fn step(&self, name: &str) -> Result<Self, Error> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.dir, name, flags, Mode::empty()) {
            Ok(handle) => Ok(Self { dir: Dir::from(handle), path: self.path.join(name), is_passing: self.is_passing }),
            Err(Errno::NOTDIR | Errno::LOOP) if self.is_symlink(name) => {
                Err(Error::Symlink { path: self.path.join(name) })
            }
            Err(code) => Err(Error::of(Doing::Read, &self.path.join(name), code)),
        }
    }

    /// Opens the folder at `parts` below this one.
    pub(super) fn descend<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        parts.into_iter().try_fold(self.try_clone()?, |folder, part| folder.step(part))
    }

    /// Opens the folder at `parts` below this one, creating missing folders.
    ///
    /// A folder that was created is durable before anything is put into it; one that stays empty because a later step
    /// fails is left behind.
    pub(super) fn descend_creating<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        parts.into_iter().try_fold(self.try_clone()?, |folder, part| folder.step_creating(part))
    }

    /// Opens the folder `name` in this one, creating it if it is missing.
    pub(super) fn step_creating(&self, name: &str) -> Result<Self, Error> {
        match rustix::fs::mkdirat(&self.dir, name, Mode::from_raw_mode(0o777)) {
            Ok(()) => self.sync()?,
            Err(Errno::EXIST) => {}
            Err(code) => return Err(Error::of(Doing::Write, &self.path.join(name), code)),
        }
        self.step(name)
    }

    fn try_clone(&self) -> Result<Self, Error> {
        let dir = self.dir.try_clone().map_err(|source| Error::of(Doing::Read, &self.path, source))?;
        Ok(Self { dir, path: self.path.clone(), is_passing: self.is_passing })
    }

    /// Makes the names in this folder durable. File systems that cannot sync a folder are left to their own ways.
    pub(super) fn sync(&self) -> Result<(), Error> {
        if self.is_passing {
            return Ok(());
        }
        match rustix::fs::fsync(&self.dir) {
            Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            Err(code) => Err(Error::of(Doing::Write, &self.path, code)),
        }
    }

    /// Looks at the entry `name` itself, symlink or not.
    pub(super) fn stat(&self, name: &str) -> Result<Stat, Error> {
        rustix::fs::statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|code| Error::of(Doing::Read, &self.path.join(name), code))
    }

    fn is_symlink(&self, name: &str) -> bool {
        self.stat(name).is_ok_and(|stat| kind(&stat) == FileType::Symlink)
    }

    /// Looks at the regular file `name`, and refuses anything else that has this name.
    pub(super) fn stat_regular(&self, name: &str) -> Result<Stat, Error> {
        let stat = self.stat(name)?;
        let path = || self.path.join(name);
        match kind(&stat) {
            FileType::RegularFile => Ok(stat),
            FileType::Directory => Err(Error::IsDirectory { path: path() }),
            FileType::Symlink => Err(Error::Symlink { path: path() }),
            _ => Err(Error::NotRegular { path: path() }),
        }
    }

    /// Opens the regular file `name` for reading.
    ///
    /// It is looked at before (opening a device can act) and after (it may have been swapped in between).
    pub(super) fn open_file(&self, name: &str) -> Result<(File, Stat), Error> {
        self.stat_regular(name)?;
        let path = self.path.join(name);
        let failed = |code: Errno| Error::of(Doing::Read, &path, code);
        let handle = rustix::fs::openat(&self.dir, name, PLAIN, Mode::empty()).map_err(failed)?;
        let stat = rustix::fs::fstat(&handle).map_err(failed)?;
        if kind(&stat) == FileType::RegularFile { Ok((handle.into(), stat)) } else { Err(Error::NotRegular { path }) }
    }

    /// Reads at most `limit` bytes of the regular file `name`, and tells whether there are more.
    pub(super) fn read_file(&self, name: &str, limit: u64) -> Result<(Vec<u8>, bool), Error> {
        let (file, stat) = self.open_file(name)?;
        read_bounded(file, stat.st_size.cast_unsigned(), limit)
            .map_err(|source| Error::of(Doing::Read, &self.path.join(name), source))
    }

    /// Reads the regular file `name`, which must not be larger than `limit`.
    pub(super) fn read_whole(&self, name: &str, limit: u64) -> Result<Vec<u8>, Error> {
        match self.read_file(name, limit)? {
            (bytes, false) => Ok(bytes),
            (_, true) => Err(Error::TooLarge { path: self.path.join(name), limit }),
        }
    }

    /// Reads at most `limit` bytes of the regular file `name`, which was seen before as one; tells whether there are more,
    /// and what the file system says of it. None if it is gone or anything else by now.
    pub(super) fn read_seen(&self, name: &str, limit: u64) -> Option<(Vec<u8>, bool, Stat)> {
        let handle = rustix::fs::openat(&self.dir, name, PLAIN, Mode::empty()).ok()?;
        let stat = rustix::fs::fstat(&handle).ok()?;
        if kind(&stat) != FileType::RegularFile {
            return None;
        }
        let (bytes, more) = read_bounded(File::from(handle), stat.st_size.cast_unsigned(), limit).ok()?;
        Some((bytes, more, stat))
    }

    /// Returns the entries of this folder with their kinds, sorted by name; entries that vanish meanwhile are left out.
    ///
    /// Most file systems tell the kind with the name, so that nothing has to be looked at.
    pub(super) fn entries(&self) -> Result<Vec<(Name, FileType)>, Error> {
        let failed = |code: Errno| Error::of(Doing::List, &self.path, code);
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    rustix::fs::statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| kind(&stat))
                }
                known => Some(known),
            };
            entries.extend(kind.map(|kind| (Name::from(name), kind)));
        }
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(entries)
    }

    /// Returns the names in this folder, sorted; a name that is not UTF-8 comes as its lossy form, marked.
    pub(super) fn names(&self) -> Result<Vec<Name>, Error> {
        let failed = |source| Error::of(Doing::List, &self.path, source);
        let mut names = Vec::new();
        for entry in self.dir.entries().map_err(failed)? {
            names.push(Name::from(entry.map_err(failed)?.file_name().as_os_str()));
        }
        names.sort();
        Ok(names)
    }
}

/// A name found in a folder.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    /// Text that a path can hold.
    Text(String),
    /// Not UTF-8: only to be shown.
    Lossy(String),
}

impl From<&OsStr> for Name {
    fn from(name: &OsStr) -> Self {
        name.to_str().map_or_else(|| Self::Lossy(name.to_string_lossy().into_owned()), |text| Self::Text(text.into()))
    }
}

/// Returns what kind of entry a stat describes.
pub(super) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Reads at most `limit` bytes, and tells whether there are more. `size` is how many are expected: there is room for one more,
/// so one call reads the whole of a file that did not grow, and shows that it did not.
pub(super) fn read_bounded(file: impl AsFd, size: u64, limit: u64) -> std::io::Result<(Vec<u8>, bool)> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let mut bytes = Vec::with_capacity(size.min(limit).saturating_add(1));
    loop {
        let read = retry_on_intr(|| rustix::io::read(&file, spare_capacity(&mut bytes)))?;
        if read == 0 || bytes.len() == size || bytes.len() > limit {
            break;
        }
        bytes.reserve(1);
    }
    let more = bytes.len() > limit;
    bytes.truncate(limit);
    Ok((bytes, more))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// A network's file system may give less than was asked for: each piece comes by itself here.
    fn read_in_pieces(pieces: &[&str], size: u64, limit: u64) -> (String, bool) {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let (bytes, more) = std::thread::scope(|scope| {
            scope.spawn(move || {
                for piece in pieces {
                    writer.write_all(piece.as_bytes()).expect("a reader");
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
            });
            let read = read_bounded(&reader, size, limit).expect("bytes");
            std::io::copy(&mut &reader, &mut std::io::sink()).expect("the rest");
            read
        });
        (String::from_utf8(bytes).expect("text"), more)
    }

    #[test]
    fn a_file_is_read_whole_in_however_many_pieces_it_comes() {
        for (pieces, size, limit, expected) in [
            (&["abcd"][..], 4, 10, ("abcd", false)),
            (&["ab", "cd"], 4, 10, ("abcd", false)),
            (&["ab", "cd"], 9, 10, ("abcd", false)),
            (&["abcdefgh"], 2, 10, ("abcdefgh", false)),
            (&["abcd"], 0, 10, ("abcd", false)),
            (&["abcd"], 4, 4, ("abcd", false)),
            (&["abcd", "ef"], 6, 4, ("abcd", true)),
            (&["abcdef"], 2, 4, ("abcd", true)),
            (&["abc"], 3, 0, ("", true)),
            (&[], 0, 0, ("", false)),
            (&["ab"], u64::MAX, 4, ("ab", false)),
        ] {
            let (text, more) = read_in_pieces(pieces, size, limit);
            assert_eq!((text.as_str(), more), expected, "{pieces:?}, {size} expected, {limit} at most");
        }
    }
}
