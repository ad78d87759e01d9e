//! Finds the program's own libraries and judges whether they may be opened.
//!
//! Places, in order: the `deps/` in the executable's folder, that folder itself, the folder above if the program lies in
//! a `deps/`, and `../lib/rye`. All but the last are where cargo puts libraries (an internal of cargo, so a test asserts
//! it); `deps/` comes first because cargo does not always renew the copies next to the program.
//!
//! # Invariants
//!
//! - A library must be a regular file of the program's owner that is not writable for more users than the program:
//!   never for the world, and a group only where the same group can write the program too (as with a umask of 002).
//! - The opened file itself is judged, never its path, so that the judged file is the loaded one.
//!
//! Deliberately does not judge the folders: a user who can replace a file in them can replace the program, too.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::Error;

/// The program whose parts the libraries are.
#[derive(Debug)]
pub(super) struct Program {
    folder: PathBuf,
    ownership: Ownership,
}

/// A library's file, opened and judged.
#[derive(Debug)]
pub(super) struct Accepted {
    pub(super) path: PathBuf,
    pub(super) file: File,
}

/// Who can write a file.
#[derive(Debug, Clone, Copy)]
struct Ownership {
    user: u32,
    group: u32,
    mode: u32,
}

const GROUP_WRITES: u32 = 0o020;
const WORLD_WRITES: u32 = 0o002;

impl Program {
    /// Looks at an executable; links to it are followed.
    pub(super) fn of(executable: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Program { path: executable.to_owned(), source };
        let path = fs::canonicalize(executable).map_err(failed)?;
        let ownership = Ownership::of(&fs::metadata(&path).map_err(failed)?);
        let folder = path.parent().ok_or_else(|| failed(io::ErrorKind::IsADirectory.into()))?;
        Ok(Self { folder: folder.to_owned(), ownership })
    }

    fn places(&self) -> Vec<PathBuf> {
        let mut places = vec![self.folder.join("deps"), self.folder.clone()];
        if self.folder.ends_with("deps") {
            places.extend(self.folder.parent().map(Path::to_owned));
        }
        places.extend(self.folder.parent().map(|above| above.join("lib/rye")));
        places
    }
}

impl Ownership {
    fn of(metadata: &Metadata) -> Self {
        Self { user: metadata.uid(), group: metadata.gid(), mode: metadata.mode() & 0o7777 }
    }

    fn group_writes(self) -> bool {
        self.mode & GROUP_WRITES != 0
    }

    /// Whether this file is not writable for more users than the other.
    fn is_within(self, other: Self) -> bool {
        let group = !self.group_writes() || (other.group_writes() && self.group == other.group);
        group && self.mode & WORLD_WRITES == 0
    }
}

/// Opens and judges the first library of a crate in the program's places; `None` if no place has one.
pub(super) fn find(program: &Program, crate_name: &str) -> Result<Option<Accepted>, Error> {
    let name = format!("{DLL_PREFIX}{crate_name}{DLL_SUFFIX}");
    for place in program.places() {
        if let Some(accepted) = accept(place.join(&name), program)? {
            return Ok(Some(accepted));
        }
    }
    Ok(None)
}

/// Opens and judges a file as one of the program's libraries; `None` without the file.
pub(super) fn accept(path: PathBuf, program: &Program) -> Result<Option<Accepted>, Error> {
    let Some(file) = open(&path)? else {
        return Ok(None);
    };
    let metadata = file.metadata().map_err(|source| Error::Read { path: path.clone(), source })?;
    if !metadata.is_file() {
        return Err(Error::NotAFile { path });
    }
    judge(&path, Ownership::of(&metadata), program.ownership)?;
    Ok(Some(Accepted { path, file }))
}

/// Refuses a library that is writable for more users than the program.
fn judge(path: &Path, library: Ownership, program: Ownership) -> Result<(), Error> {
    let path = path.to_owned();
    match (library.user == program.user, library.is_within(program)) {
        (true, true) => Ok(()),
        (true, false) => Err(Error::UnsafePermissions { path, mode: library.mode }),
        (false, _) => Err(Error::WrongOwner { path, owner: library.user, expected: program.user }),
    }
}

/// Opens a file without following a link in its place, and without waiting for the other end of a pipe.
fn open(path: &Path) -> Result<Option<File>, Error> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => Ok(Some(File::from(descriptor))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        // The error code for a link in the file's place depends on the system.
        Err(Errno::LOOP | Errno::MLINK | Errno::NXIO) => Err(Error::NotAFile { path: path.to_owned() }),
        Err(problem) => Err(Error::Read { path: path.to_owned(), source: problem.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Ownership = Ownership { user: 1000, group: 1000, mode: 0o755 };

    #[test]
    fn a_library_may_be_written_only_by_who_can_write_the_program() {
        let shared = Ownership { mode: 0o775, ..PROGRAM };
        let other_group = Ownership { group: 50, ..shared };
        let world = Ownership { mode: 0o757, ..PROGRAM };
        let judged = [
            PROGRAM.is_within(PROGRAM),
            shared.is_within(PROGRAM),
            shared.is_within(shared),
            other_group.is_within(shared),
            world.is_within(PROGRAM),
            world.is_within(world),
        ];
        assert_eq!(judged, [true, false, true, false, false, false]);
    }

    #[test]
    fn a_library_of_somebody_else_is_refused() {
        let judged = |user| judge(Path::new("lib.so"), Ownership { user, ..PROGRAM }, PROGRAM);
        assert!(judged(1000).is_ok());
        // Root, too: the rule is the same owner, whoever that is.
        for user in [0, 1001] {
            let refused = judged(user).expect_err("another owner");
            assert!(matches!(refused, Error::WrongOwner { owner, expected: 1000, .. } if owner == user));
        }
    }

    #[test]
    fn libraries_are_looked_for_around_the_program() {
        let program = |folder: &str| Program { folder: folder.into(), ownership: PROGRAM };
        let places = |folder| program(folder).places();
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(places("/opt/bin"), paths(&["/opt/bin/deps", "/opt/bin", "/opt/lib/rye"]));
        assert_eq!(places("/t/deps"), paths(&["/t/deps/deps", "/t/deps", "/t", "/t/lib/rye"]));
    }
}
