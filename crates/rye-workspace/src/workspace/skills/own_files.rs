//! What git ignores in the folder of a skill: it does not belong to the skill, and comes along when the folder is replaced.
//!
//! Each file gets a second name (a hard link) in the new folder before the old folder goes, so that a kill in between loses none. Compiled
//! Python stays behind: it was compiled from the old files.

use std::ffi::{CStr, CString};
use std::fs::File;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::FolderRules;
use crate::item::{is_git_folder, python_source};
use crate::workspace::error::{Doing, Error};
use crate::workspace::folder::{Folder, Name, kind};

/// The largest file that is copied or compared, where it cannot have a second name.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;

/// Lists what is ignored in a folder, by its path; of an ignored folder only itself.
pub(super) fn ignored_in(folder: &Folder, rules: &FolderRules<'_>) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    look(folder, "", rules, &mut found)?;
    Ok(found)
}

fn look(folder: &Folder, above: &str, rules: &FolderRules<'_>, found: &mut Vec<String>) -> Result<(), Error> {
    for (name, kind) in folder.entries()? {
        let Name::Text(name) = name else { continue };
        let (path, is_folder) = (join(above, &name), kind == FileType::Directory);
        if is_git_folder(&name) {
            continue;
        }
        if (rules.is_ignored)(&path, is_folder) {
            found.push(path);
        } else if is_folder {
            look(&folder.step(&name)?, &path, rules, found)?;
        }
    }
    Ok(())
}

/// Gives what lies at a path in one folder the same path in another one.
pub(super) fn bring(from: &Folder, to: &Folder, path: &str) -> Result<(), Error> {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parts = || above.split('/').filter(|part| !part.is_empty());
    let name = CString::new(name).map_err(|_| Error::NotFound { path: path.into() })?;
    let (from, to) = (from.descend(parts())?, to.descend_creating(parts())?);
    if bring_entry(&from, &to, &name)? { to.sync() } else { Ok(()) }
}

/// Brings one entry, and tells whether there was anything to bring.
fn bring_entry(from: &Folder, to: &Folder, name: &CStr) -> Result<bool, Error> {
    let shown = name.to_string_lossy();
    let place = to.path.join(&*shown);
    let failed = |code: Errno| Error::of(Doing::Write, &place, code);
    let found = rustix::fs::statat(&from.dir, name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
    if kind(&found) == FileType::Directory {
        return bring_folder(from, to, name, Mode::from_raw_mode(found.st_mode));
    }
    if python_source(&shown).is_some() {
        return Ok(false);
    }
    match rustix::fs::linkat(&from.dir, name, &to.dir, name, AtFlags::empty()) {
        Ok(()) => {}
        Err(Errno::EXIST) if is_same(from, to, name) => {}
        Err(Errno::EXIST) => return Err(Error::IgnoredInTheWay { path: place }),
        Err(Errno::PERM | Errno::XDEV | Errno::MLINK | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL) => {
            copy(from, to, name, Mode::from_raw_mode(found.st_mode))?;
        }
        Err(code) => return Err(failed(code)),
    }
    Ok(true)
}

fn bring_folder(from: &Folder, to: &Folder, name: &CStr, mode: Mode) -> Result<bool, Error> {
    let text = name.to_str().map_err(|_| Error::NotFound { path: to.path.join(&*name.to_string_lossy()) })?;
    let failed = |code: Errno| Error::of(Doing::Write, &to.path.join(text), code);
    let is_new = match rustix::fs::mkdirat(&to.dir, name, mode | Mode::RWXU) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(code) => return Err(failed(code)),
    };
    let (old, new) = (from.step(text)?, to.step(text)?);
    let (mut is_empty, mut has_any) = (true, false);
    for entry in rustix::fs::Dir::read_from(&old.dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        is_empty = false;
        has_any |= bring_entry(&old, &new, entry.file_name())?;
    }
    if is_new && !is_empty && !has_any {
        rustix::fs::unlinkat(&to.dir, name, AtFlags::REMOVEDIR).map_err(failed)?;
        return Ok(false);
    }
    new.sync().map(|()| true)
}

/// Tells whether two files hold the same bytes.
fn is_same(from: &Folder, to: &Folder, name: &CStr) -> bool {
    let Ok(name) = name.to_str() else { return false };
    let read = |folder: &Folder| folder.read_seen(name, MOST_BYTES).filter(|(_, is_more, _)| !is_more);
    matches!((read(from), read(to)), (Some((one, ..)), Some((two, ..))) if one == two)
}

/// Copies a file or a link, where the file system gives it no second name. Anything else cannot be kept.
fn copy(from: &Folder, to: &Folder, name: &CStr, mode: Mode) -> Result<(), Error> {
    let place = to.path.join(&*name.to_string_lossy());
    let failed = |source: std::io::Error| Error::of(Doing::Write, &place, source);
    let copied = || -> std::io::Result<()> {
        let found = rustix::fs::statat(&from.dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        match kind(&found) {
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(&from.dir, name, Vec::new())?;
                Ok(rustix::fs::symlinkat(&*target, &to.dir, name)?)
            }
            FileType::RegularFile => {
                let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
                let old = rustix::fs::openat(&from.dir, name, OFlags::RDONLY | flags, Mode::empty())?;
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | flags;
                let mut new = File::from(rustix::fs::openat(&to.dir, name, flags, mode)?);
                std::io::copy(&mut File::from(old), &mut new)?;
                new.sync_all()
            }
            _ => Err(std::io::ErrorKind::Unsupported.into()),
        }
    };
    match copied() {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && is_same(from, to, name) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(Error::IgnoredInTheWay { path: place }),
        copied => copied.map_err(failed),
    }
}

fn join(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") }
}
