//! Folders that many tests begin with: made once for a build of the program, then copied.
//!
//! Tests run in many processes at the same time. Each that finds no template makes the folder itself and offers a copy of it; the
//! first offer is kept. Nothing in a template names its path.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::geteuid;

/// What belongs to one machine and one hour, so to no template: every home gets its own.
const CACHE: &str = ".cache";

/// After this time a template of another build is not in use.
const OLD: Duration = Duration::from_secs(24 * 3600);

/// A folder to be copied, named after all that it follows from.
pub(crate) struct Template {
    name: String,
}

impl Template {
    /// Names the template that these programs make of these texts.
    pub(crate) fn of(name: &str, texts: &[&str], programs: &[&Path]) -> Self {
        let mut hasher = DefaultHasher::new();
        texts.hash(&mut hasher);
        for program in programs {
            let found = program.metadata().unwrap();
            (program, found.len(), found.ino(), found.mtime(), found.mtime_nsec()).hash(&mut hasher);
        }
        Self { name: format!("{name}-{:016x}", hasher.finish()) }
    }

    /// Copies the template into a folder. Tells whether there was one, of the user of this thread.
    pub(crate) fn copy_to(&self, folder: &Path) -> bool {
        let template = all().join(&self.name);
        let is_own = |found: Metadata| found.uid() == geteuid().as_raw();
        if !fs::symlink_metadata(&template).is_ok_and(is_own) {
            return false;
        }
        // What is in use stays, and what another test removes at this moment is made anew.
        let _ = fs::File::open(&template).and_then(|folder| folder.set_modified(std::time::SystemTime::now()));
        let is_copied = copy(&template, folder).is_ok();
        if !is_copied {
            clear(folder);
        }
        is_copied
    }

    /// Offers a copy of a folder as the template. Where it cannot be written there will be none.
    pub(crate) fn keep(&self, made: &Path) {
        let _ = self.try_keep(made);
    }

    fn try_keep(&self, made: &Path) -> io::Result<()> {
        fs::create_dir_all(all())?;
        let draft = tempfile::tempdir_in(all())?;
        let whole = draft.path().join("whole");
        fs::create_dir(&whole)?;
        copy(made, &whole)?;
        // Fails where another test was faster.
        fs::rename(whole, all().join(&self.name))?;
        forget_old();
        Ok(())
    }
}

/// The program's git, of `PATH`.
pub(crate) fn git() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file()).unwrap()
}

fn all() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("templates")
}

/// Copies all that is in a folder, with its modes, into one that is there.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let found = entry.metadata()?;
        if entry.file_name() == CACHE {
            continue;
        }
        if found.is_file() {
            fs::copy(&from, &to)?;
            continue;
        }
        assert!(found.is_dir(), "`{}` is neither a file nor a folder", from.display());
        match DirBuilder::new().mode(0o700).create(&to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
        fs::set_permissions(&to, found.permissions())?;
        copy(&from, &to)?;
    }
    Ok(())
}

/// Removes all that is in a folder.
fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { fs::remove_dir_all(entry) } else { fs::remove_file(entry) }.unwrap();
    }
}

/// Removes templates of earlier builds. Other tests may do the same at this time.
fn forget_old() {
    for entry in fs::read_dir(all()).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|found| found.modified()).map(|made| made.elapsed().unwrap_or_default());
        if age.is_ok_and(|age| age > OLD) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns everything in a folder with its mode: for comparisons, so without what belongs to one machine and the index, which names inodes
/// and times.
pub(crate) fn all_files(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(below).unwrap() {
            let path = entry.unwrap().path();
            let found = path.symlink_metadata().unwrap();
            let bytes = if found.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
            let name = path.strip_prefix(folder).unwrap().to_path_buf();
            if found.is_dir() {
                folders.push(path);
            }
            files.insert(name, (found.permissions().mode(), bytes));
        }
    }
    files.retain(|name, _| !name.ends_with(".git/index") && name.iter().all(|part| part != CACHE));
    files
}
