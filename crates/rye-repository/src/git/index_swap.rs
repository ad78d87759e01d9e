//! What the person's index holds at some paths, and the one way it is changed here: a copy is edited by git and renamed over it,
//! under git's own lock.
//!
//! **The commit point is the rename**: before it the index is as it was, after it whole. Killed while the lock is held, a lock
//! is left that says whose it is, and [`Repository::remove_own_index_lock`] takes it away.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write as _},
    path::{Path, PathBuf},
    thread::sleep,
    time::Duration,
};

use gix::index::entry::{Flags, Mode as IndexMode};

use super::tree::text;
use super::{BlobId, Cause, Error, Mode, Repository, durable, stage::mode_of};
use crate::context::bounded;

/// What an index lock of this program holds: git's own holds the beginning of an index, or nothing.
const MARK: &[u8] = b"rye: an index is being replaced\n";

/// How long a lock of another program is waited for: so often, so long each time.
const ATTEMPTS: u32 = 20;
const WAIT: Duration = Duration::from_millis(100);

/// What the index holds at a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Indexed {
    /// The version; `None` if it is missing or in conflict.
    pub entry: Option<(Mode, BlobId)>,
    /// Whether it is in a conflict.
    pub is_unmerged: bool,
    /// Whether it is only announced (`git add --intent-to-add`).
    pub is_announced: bool,
    /// Whether a sparse checkout leaves it out of the work tree.
    pub is_left_out: bool,
    /// Whether it is, or lies in, a submodule.
    pub is_submodule: bool,
}

impl Repository {
    /// Returns what the index holds at paths.
    ///
    /// # Errors
    /// [`Error::ReadIndex`].
    pub fn indexed(&self, paths: &[&str]) -> Result<BTreeMap<String, Indexed>, Error> {
        let mut found: BTreeMap<String, Indexed> =
            paths.iter().map(|path| ((*path).to_owned(), Indexed::default())).collect();
        let Some(index) = self.index_at(None)? else { return Ok(found) };
        let mut folders = BTreeMap::new();
        for entry in index.entries() {
            let path = entry.path(&index);
            if entry.mode == IndexMode::COMMIT || entry.mode == IndexMode::DIR {
                folders.insert(text(path).trim_end_matches('/').to_owned(), entry.mode == IndexMode::COMMIT);
            }
            let Some(known) = found.get_mut(&text(path)) else { continue };
            known.is_announced |= entry.flags.contains(Flags::INTENT_TO_ADD);
            known.is_left_out |= entry.flags.contains(Flags::SKIP_WORKTREE);
            match (entry.stage_raw(), mode_of(entry.mode)) {
                (0, Some(mode)) => known.entry = Some((mode, BlobId::from_gix(entry.id))),
                _ => known.is_unmerged = true,
            }
        }
        for (path, known) in &mut found {
            for above in std::iter::once(path.as_str()).chain(above(path)) {
                match folders.get(above) {
                    Some(true) => known.is_submodule = true,
                    Some(false) => known.is_left_out = true,
                    None => {}
                }
            }
        }
        Ok(found)
    }

    /// Tells whether the index has conflicts that are not resolved.
    ///
    /// # Errors
    /// [`Error::ReadIndex`].
    pub fn has_conflicts(&self) -> Result<bool, Error> {
        Ok(self.index_at(None)?.is_some_and(|index| index.entries().iter().any(|entry| entry.stage_raw() != 0)))
    }

    /// Tells whether the person has git convert the line ends of every text.
    pub fn converts_lines(&self) -> bool {
        let value = self.inner.config_snapshot().string("core.autocrlf");
        value.is_some_and(|value| !["", "false", "no", "off", "0"].iter().any(|no| value == *no))
    }

    /// Tells whether the file system knows who may execute a file.
    pub fn knows_executables(&self) -> bool {
        self.inner.config_snapshot().boolean("core.fileMode").unwrap_or(true)
    }

    /// Copies the index, or the one at `from`, to another file; nothing without an index.
    ///
    /// # Errors
    /// [`Error::ReadIndex`].
    pub fn copy_index(&self, from: Option<&Path>, to: &Path) -> Result<(), Error> {
        let path = from.map_or_else(|| self.inner.index_path(), Path::to_path_buf);
        match fs::copy(&path, to) {
            Err(error) if error.kind() == ErrorKind::NotFound => match fs::remove_file(to) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(Error::ReadIndex { path, source: error.into() })
                }
                _ => Ok(()),
            },
            done => done.map(drop).map_err(|source| Error::ReadIndex { path, source: source.into() }),
        }
    }

    /// Checks that no other program holds the lock of the index; waits some seconds for it.
    ///
    /// # Errors
    /// [`Error::IndexLocked`], [`Error::ReadIndex`].
    pub fn check_index_lock(&self) -> Result<(), Error> {
        Lock::take(self.own_index_lock()).map(drop)
    }

    /// Prepares to replace the index by what `edit` makes of a copy of it, which lies at `draft` in the meantime. The lock of the
    /// index is held until the answer is finished or dropped.
    ///
    /// # Errors
    /// [`Error::IndexLocked`], [`Error::ReadIndex`], [`Error::Sync`], or what `edit` returns.
    pub fn prepare_index(
        &self,
        draft: &Path,
        edit: impl FnOnce(&Path) -> Result<(), Error>,
    ) -> Result<NextIndex, Error> {
        let lock = Lock::take(self.own_index_lock())?;
        self.copy_index(None, draft)?;
        edit(draft)?;
        let is_made = draft.exists();
        if is_made {
            durable::sync(draft)?;
        }
        Ok(NextIndex { draft: is_made.then(|| draft.to_path_buf()), path: self.inner.index_path(), _lock: lock })
    }

    /// Removes a lock of the index that this program left when it was killed. The caller knows that the lock is not
    /// held.
    ///
    /// # Errors
    /// [`Error::ReadIndex`].
    pub fn remove_own_index_lock(&self) -> Result<(), Error> {
        let path = self.own_index_lock();
        let failed = |source: io::Error| Error::ReadIndex { path: path.clone(), source: source.into() };
        match bounded::read(&path, MARK.len() as u64) {
            Ok(bytes) if bytes == MARK => fs::remove_file(&path).map_err(failed),
            _ => Ok(()),
        }
    }

    fn own_index_lock(&self) -> PathBuf {
        self.git_dir().join("index.lock")
    }
}

/// Returns the folders above a path.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}

/// The next index, made next to the index, whose lock is held.
#[derive(Debug)]
pub struct NextIndex {
    /// `None` without an index.
    draft: Option<PathBuf>,
    path: PathBuf,
    _lock: Lock,
}

impl NextIndex {
    /// Puts it in the place of the index.
    ///
    /// # Errors
    /// [`Error::ReadIndex`], [`Error::Sync`]; the index is as it was then.
    pub fn finish(self) -> Result<(), Error> {
        let Self { draft, path, _lock } = self;
        let Some(draft) = draft else { return Ok(()) };
        fs::rename(draft, &path).map_err(|source| Error::ReadIndex { path: path.clone(), source: source.into() })?;
        durable::sync(path.parent().unwrap_or(&path))
    }
}

/// The lock of the index, held.
#[derive(Debug)]
struct Lock(PathBuf);

impl Lock {
    fn take(path: PathBuf) -> Result<Self, Error> {
        let failed = |source: Cause| Error::ReadIndex { path: path.clone(), source };
        for _ in 0..ATTEMPTS {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let lock = Self(path.clone());
                    return mark(file).map(|()| lock).map_err(|error| failed(error.into()));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => sleep(WAIT),
                Err(error) => return Err(failed(error.into())),
            }
        }
        Err(Error::IndexLocked { path })
    }
}

fn mark(mut file: File) -> io::Result<()> {
    file.write_all(MARK)
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The next program that needs it names the leftover.
        let _ = fs::remove_file(&self.0);
    }
}
