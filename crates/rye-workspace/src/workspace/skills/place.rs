//! A skill's folder changed as a whole: staged, exchanged, and mended after a kill.
//!
//! The new folder is written below a staging folder, `.rye-tmp-skill-PID-N`, next to the folder of all skills and so on the same file
//! system, and flushed. **Commit point of the folder: the exchange of the two names** (a rename where nothing was there). The old folder
//! then lies in the staging folder until the signature and the lock are written, with the old signature and a journal:
//! a program that finds a staging folder of a dead process can go back, or sees that nothing is missing.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::FolderRules;
use super::files::FolderFiles;
use super::own_files::{bring, ignored_in};
use crate::id::{ItemId, Space};
use crate::item::SkillFolder;
use crate::trust::ContentHash;
use crate::workspace::error::{Doing, Error};
use crate::workspace::folder::Folder;
use crate::workspace::{Expected, Workspace};

/// The prefix of names of a staging folder: the number of its process and its own follow.
pub(super) const STAGING: &str = ".rye-tmp-skill-";
/// The folder of the skill in a staging folder: the new one, and after the exchange the old one.
pub(super) const FOLDER: &str = "folder";
/// The old folder, where the file system cannot exchange two names.
pub(super) const OLD_FOLDER: &str = "folder-old";
/// The journal in a staging folder.
pub(super) const JOURNAL: &str = "journal";
/// The old signature in a staging folder.
const SIGNATURE: &str = "signature";
/// The largest journal and the largest signature, in bytes.
pub(super) const MAX_KEPT_BYTES: u64 = 1024 * 1024;

/// Numbers the staging folders of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The operation on a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placing {
    /// The skill.
    pub id: ItemId,
    /// Its folder, from the root of the space.
    pub folder: String,
    /// The digest of the present folder; `None` if missing.
    pub before: Option<ContentHash>,
    /// The digest of the folder that it becomes; none if it is removed.
    pub after: Option<ContentHash>,
}

/// A file to be placed.
#[derive(Debug, Clone, Copy)]
pub struct PlacedFile<'a> {
    /// From the skill's folder, with `/` between names.
    pub path: &'a str,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A skill's folder that was written and is not in its place yet, or the old one, kept until all is done.
#[derive(Debug)]
pub struct Staged {
    /// The operation.
    pub placing: Placing,
    pub(super) skills: Folder,
    pub(super) name: String,
    pub(super) parent: Folder,
    pub(super) staging: String,
    pub(super) is_swapped: bool,
    /// Whether another process made it: then it stays until a person decides.
    pub(super) is_left: bool,
}

impl Workspace {
    /// Writes a skill's new folder below a staging folder, flushed, with a journal and the signature that is there now. Without `files`
    /// the folder is to be removed.
    ///
    /// # Errors
    ///
    /// Fails on a symlink on the way and on what the operating system refuses; nothing is left then.
    pub fn stage_skill<'f>(
        &self,
        space: Space,
        placing: Placing,
        files: Option<impl IntoIterator<Item = PlacedFile<'f>>>,
        signature: Option<&[u8]>,
    ) -> Result<Staged, Error> {
        let root = self.root(space).ok_or(Error::NoSpace { space })?;
        let (above, skills, name) = parts(&placing.folder)?;
        let parent = Folder::open_root(root, root)?.descend_creating(above)?;
        let skills = parent.step_creating(skills)?;
        let name = name.to_owned();
        let staging = make_staging(&parent)?;
        let staged = Staged { placing, skills, name, parent, staging, is_swapped: false, is_left: false };
        staged.fill(files, signature)?;
        Ok(staged)
    }
}

impl Staged {
    /// Puts the new folder in place of the old one: the commit point of the folder. What is ignored in the old one comes along. If the
    /// removed folder is not the expected one, it is put back.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::ChangedMeanwhile`] when the folder is another one by now, with [`Error::IgnoredInTheWay`] when a new file has
    /// the name of an ignored one, and as renaming does.
    pub fn swap(&mut self, rules: &FolderRules<'_>) -> Result<(), Error> {
        if self.placing.before.is_none() && self.placing.after.is_none() {
            return Ok(());
        }
        let stage = self.stage()?;
        let target = self.skills.path.join(&self.name);
        let is_free = self.skills.stat(&self.name).is_err() || matches!(self.current(rules), Ok(None));
        if self.placing.before.is_none() != is_free {
            return Err(Error::ChangedMeanwhile { path: target });
        }
        self.trade(&stage).map_err(|code| match code {
            Errno::EXIST | Errno::NOENT | Errno::NOTEMPTY => Error::ChangedMeanwhile { path: target.clone() },
            code => Error::of(Doing::Write, &target, code),
        })?;
        self.is_swapped = true;
        let done = match self.kept(rules) {
            Ok(kept) if kept == self.placing.before => self.bring_ignored(&stage, rules),
            Ok(_) => Err(Error::ChangedMeanwhile { path: target }),
            Err(error) => Err(error),
        };
        if let Err(error) = done {
            self.put_back()?;
            return Err(error);
        }
        stage.sync()?;
        self.skills.sync()
    }

    /// Returns the digest of the folder that lies in the staging folder; `None` if missing.
    pub fn kept(&self, rules: &FolderRules<'_>) -> Result<Option<ContentHash>, Error> {
        digest(&self.stage()?, FOLDER, rules)
    }

    /// Returns the digest of the folder that is in the skill's place; `None` if missing.
    pub fn current(&self, rules: &FolderRules<'_>) -> Result<Option<ContentHash>, Error> {
        digest(&self.skills, &self.name, rules)
    }

    /// Takes the old folder back into its place.
    ///
    /// # Errors
    ///
    /// Fails as renaming does.
    pub fn put_back(&mut self) -> Result<(), Error> {
        if self.placing.before.is_some() || self.placing.after.is_some() {
            let moved = self.trade(&self.stage()?);
            moved.map_err(|code| Error::of(Doing::Write, &self.skills.path.join(&self.name), code))?;
        }
        self.is_swapped = false;
        self.skills.sync()
    }

    /// Has the folder in the staging folder and that in the skill's place change places, where one of them may be missing.
    fn trade(&self, stage: &Folder) -> rustix::io::Result<()> {
        match (stage.stat(FOLDER).is_ok(), self.skills.stat(&self.name).is_ok()) {
            (true, true) => exchange(stage, FOLDER, &self.skills, &self.name),
            (true, false) => rename_to_free(stage, FOLDER, &self.skills, &self.name),
            (false, true) => rename_to_free(&self.skills, &self.name, stage, FOLDER),
            (false, false) => Err(Errno::NOENT),
        }
    }

    /// Brings what is ignored in the old folder into the new one. Where the skill is removed, it stays alone in the skill's place.
    fn bring_ignored(&self, stage: &Folder, rules: &FolderRules<'_>) -> Result<(), Error> {
        let Some(old) = Error::absent_is_none(stage.step(FOLDER))? else { return Ok(()) };
        let ignored = ignored_in(&old, rules)?;
        if ignored.is_empty() {
            return Ok(());
        }
        let new = self.skills.step_creating(&self.name)?;
        ignored.iter().try_for_each(|path| bring(&old, &new, path))?;
        if new.names()?.is_empty() {
            // Nothing of it is the person's.
            let path = self.skills.path.join(&self.name);
            self.skills.dir.remove_dir(&self.name).map_err(|source| Error::of(Doing::Write, &path, source))?;
            return Ok(());
        }
        new.sync()
    }

    /// Returns the former signature; `None` if it was missing.
    pub fn old_signature(&self) -> Result<Option<Vec<u8>>, Error> {
        Error::absent_is_none(self.stage()?.read_whole(SIGNATURE, MAX_KEPT_BYTES))
    }

    /// Removes the staging folder and its files: the work is complete, or was not begun.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be removed.
    pub fn finish(mut self) -> Result<(), Error> {
        (self.is_swapped, self.is_left) = (false, true);
        self.discard()
    }

    fn stage(&self) -> Result<Folder, Error> {
        self.parent.step(&self.staging)
    }

    fn discard(&self) -> Result<(), Error> {
        match self.parent.dir.remove_dir_all(&self.staging) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::of(Doing::Write, &self.parent.path.join(&self.staging), source))
            }
            _ => self.parent.sync(),
        }
    }

    fn fill<'f>(
        &self,
        files: Option<impl IntoIterator<Item = PlacedFile<'f>>>,
        signature: Option<&[u8]>,
    ) -> Result<(), Error> {
        let stage = self.stage()?;
        let journal = serde_json::to_vec(&self.placing).expect("because texts and digests can always be written");
        stage.replace(JOURNAL, &journal, Expected::Absent)?;
        if let Some(signature) = signature {
            stage.replace(SIGNATURE, signature, Expected::Absent)?;
        }
        if let Some(files) = files {
            let folder = stage.step_creating(FOLDER)?;
            for file in files {
                write_file(&folder, file)?;
            }
            folder.sync()?;
        }
        stage.sync()?;
        self.parent.sync()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // The first failure is the error to report; the next run undoes the rest.
        if !self.is_left && (!self.is_swapped || self.put_back().is_ok()) {
            let _ = self.discard();
        }
    }
}

/// Returns the digest of a skill's folder; `None` if it is missing, or has nothing that belongs to a skill.
fn digest(above: &Folder, name: &str, rules: &FolderRules<'_>) -> Result<Option<ContentHash>, Error> {
    let Some(folder) = Error::absent_is_none(above.step(name))? else { return Ok(None) };
    let folder = SkillFolder::read(name, &FolderFiles::find(folder, rules)?)?;
    Ok((!folder.entries.is_empty()).then(|| folder.digest()))
}

/// Takes the path of a skill's folder apart: the folders above that of all skills, that folder, and the skill's name.
pub(super) fn parts(folder: &str) -> Result<(Vec<&str>, &str, &str), Error> {
    let mut parts: Vec<&str> = folder.split('/').collect();
    let (name, skills) = (parts.pop().unwrap_or_default(), parts.pop().unwrap_or_default());
    if parts.iter().chain([&name, &skills]).any(|part| matches!(*part, "" | "." | "..")) {
        return Err(Error::NotFound { path: folder.into() });
    }
    Ok((parts, skills, name))
}

fn make_staging(parent: &Folder) -> Result<String, Error> {
    loop {
        let name = format!("{STAGING}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        match rustix::fs::mkdirat(&parent.dir, name.as_str(), Mode::from_raw_mode(0o700)) {
            Ok(()) => return Ok(name),
            // Left by a process that died with this number.
            Err(Errno::EXIST) => {}
            Err(code) => return Err(Error::of(Doing::Write, &parent.path.join(name), code)),
        }
    }
}

fn write_file(folder: &Folder, file: PlacedFile<'_>) -> Result<(), Error> {
    let mut parts: Vec<&str> = file.path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    if parts.iter().chain([&name]).any(|part| matches!(*part, "" | "." | "..")) {
        return Err(Error::NotFound { path: file.path.into() });
    }
    let folder = folder.descend_creating(parts)?;
    let mode = Mode::from_raw_mode(if file.executable { 0o777 } else { 0o666 });
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let failed = |source: std::io::Error| Error::of(Doing::Write, &folder.path.join(name), source);
    let handle = rustix::fs::openat(&folder.dir, name, flags, mode).map_err(|code| failed(code.into()))?;
    let mut written = std::fs::File::from(handle);
    written.write_all(file.bytes).and_then(|()| written.sync_all()).map_err(failed)?;
    folder.sync()
}

pub(super) fn rename_to_free(from: &Folder, name: &str, to: &Folder, new: &str) -> rustix::io::Result<()> {
    match rustix::fs::renameat_with(&from.dir, name, &to.dir, new, RenameFlags::NOREPLACE) {
        // Not every file system can; a look has to do there.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if to.stat(new).is_ok() => Err(Errno::EXIST),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rustix::fs::renameat(&from.dir, name, &to.dir, new),
        done => done,
    }
}

/// Exchanges two folders. Where the file system cannot, there is a moment in which nothing has the second name; a kill in it is mended
/// like any other.
fn exchange(stage: &Folder, name: &str, to: &Folder, target: &str) -> rustix::io::Result<()> {
    match rustix::fs::renameat_with(&stage.dir, name, &to.dir, target, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            rustix::fs::renameat(&to.dir, target, &stage.dir, OLD_FOLDER)?;
            rustix::fs::renameat(&stage.dir, name, &to.dir, target)?;
            rustix::fs::renameat(&stage.dir, OLD_FOLDER, &stage.dir, name)
        }
        done => done,
    }
}
