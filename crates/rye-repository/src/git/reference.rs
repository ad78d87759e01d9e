//! Reading refs, and one compare-and-swap of a ref: the durable, locked step under [`super::Writer`]'s branch updates.
//!
//! The swap: git's lock file is taken, the new id is written to it and flushed, it is renamed over the ref, and the
//! ref's folder is flushed (with those above it, if it was not there before). It waits for a lock as long as the ref is
//! unchanged, about two seconds in all; a lock that stays longer was left by a program that died, and is named.

use std::{
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use gix::{
    bstr::ByteSlice,
    lock::acquire::Fail,
    refs::{
        FullName, Target,
        transaction::{Change, LogChange, PreviousValue, RefEdit},
    },
};

use super::{CommitId, Error, Repository, Signature, durable};

/// How long one attempt waits for a lock, and how many there are.
const LOCK_WAIT: Duration = Duration::from_millis(100);
const ATTEMPTS: u32 = 20;
/// How many attempts may fail with no lock in sight before the cause is believed.
const FAILURES_WITHOUT_LOCK: usize = 3;

/// A ref's move as it is asked for.
pub(super) struct Swap<'a> {
    /// The full name.
    pub(super) name: &'a str,
    /// Where the ref must be; `None`: it must not exist.
    pub(super) expected: Option<gix::ObjectId>,
    pub(super) new: gix::ObjectId,
    /// For the reflog.
    pub(super) message: &'a str,
    pub(super) committer: &'a Signature,
}

impl Repository {
    /// Returns the commit at a ref, given by its full name (`refs/heads/main`); `None` if there is no such ref.
    ///
    /// # Errors
    /// [`Error::InvalidRefName`], [`Error::SymbolicRef`] or [`Error::ReadRef`].
    pub fn branch(&self, name: &str) -> Result<Option<CommitId>, Error> {
        self.reference(name)?.map(|found| commit_at(&found)).transpose()
    }

    /// Lists the refs below a prefix that ends with `/` (`refs/heads/rye/threads/`), sorted by full name.
    ///
    /// # Errors
    /// As [`branch`](Self::branch).
    pub fn branches_below(&self, prefix: &str) -> Result<Vec<(String, CommitId)>, Error> {
        self.references_below(prefix, |found| Ok((found.name().as_bstr().to_string(), commit_at(found)?)))
    }

    /// Lists the refs below a prefix as [`branches_below`](Self::branches_below) does, but without symbolic ones: each clone has
    /// `refs/remotes/origin/HEAD`, which points to one of the others.
    ///
    /// # Errors
    /// [`Error::ReadRef`].
    pub fn direct_below(&self, prefix: &str) -> Result<Vec<(String, CommitId)>, Error> {
        let direct = |found: &gix::Reference<'_>| match found.target() {
            gix::refs::TargetRef::Object(_) => {
                commit_at(found).map(|tip| Some((found.name().as_bstr().to_string(), tip)))
            }
            gix::refs::TargetRef::Symbolic(_) => Ok(None),
        };
        Ok(self.references_below(prefix, direct)?.into_iter().flatten().collect())
    }

    /// Lists the full names below a prefix.
    pub(super) fn names_below(&self, prefix: &str) -> Result<Vec<String>, Error> {
        self.references_below(prefix, |found| Ok(found.name().as_bstr().to_string()))
    }

    /// Moves a ref, or says why it cannot be moved.
    pub(super) fn swap(&self, swap: &Swap<'_>) -> Result<(), Error> {
        let name = full_name(swap.name)?;
        self.release_packed_refs();
        let mut failures_without_lock = 0;
        // A ref that git packed has lost its folder, so this is asked of every swap and not only of the first.
        let new_folder = !self.folder_of(swap.name).exists();
        for _ in 0..ATTEMPTS {
            let Err(source) = self.try_swap(&name, swap) else {
                return self.sync_ref(swap.name, new_folder);
            };
            self.forget_packed_refs();
            self.refuse_if_moved(swap)?;
            self.refuse_name_conflict(swap.name)?;
            if self.lock_held(swap.name).is_some() {
                continue;
            }
            // The lock may have gone since the attempt, so one such failure proves nothing.
            failures_without_lock += 1;
            if failures_without_lock == FAILURES_WITHOUT_LOCK {
                return Err(Error::WriteRef { name: swap.name.to_owned(), source });
            }
        }
        let path = self.lock_held(swap.name).unwrap_or_else(|| self.lock_path(swap.name));
        Err(Error::Locked { name: swap.name.to_owned(), path })
    }

    /// Removes the lock file that a dead writer of a ref left, if it is unchanged for two seconds: a program of git's
    /// holds one for a moment only. The caller knows that no other program of ours writes the ref. A lock that stays is
    /// named by whoever moves the ref next.
    pub fn release_ref(&self, name: &str) {
        let path = self.lock_path(name);
        let state = || std::fs::symlink_metadata(&path).and_then(|lock| Ok((lock.ino(), lock.modified()?))).ok();
        let Some(before) = state() else { return };
        std::thread::sleep(LOCK_WAIT * ATTEMPTS);
        if state() == Some(before) {
            drop(std::fs::remove_file(&path));
        }
    }

    /// Refuses a name that is a folder of an existing ref's name, or has one as its folder; loose and packed alike.
    ///
    /// # Errors
    /// [`Error::NameConflict`], [`Error::ReadRef`].
    pub fn refuse_name_conflict(&self, name: &str) -> Result<(), Error> {
        let conflict = |blocking: String| Err(Error::NameConflict { name: name.to_owned(), blocking });
        for (end, _) in name.match_indices('/').skip(2) {
            let folder = &name[..end];
            if self.reference(folder)?.is_some() {
                return conflict(folder.to_owned());
            }
        }
        match self.names_below(&format!("{name}/"))?.into_iter().next() {
            Some(below) => conflict(below),
            None => Ok(()),
        }
    }

    pub(super) fn reference(&self, name: &str) -> Result<Option<gix::Reference<'_>>, Error> {
        let full_name = full_name(name)?;
        let find = || self.inner.try_find_reference(&full_name).map_err(|error| read_error(name, error));
        let found = self.beside_packing(find)?;
        // A name that is not there may be completed to another one, as on git's command line.
        Ok(found.filter(|found| found.name() == full_name.as_ref()))
    }

    pub(super) fn references_below<T>(
        &self,
        prefix: &str,
        read: impl Fn(&gix::Reference<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let failed = |error: gix::Error| read_error(prefix, error);
        self.beside_packing(|| {
            let platform = self.inner.references().map_err(failed)?;
            let found = platform.prefixed(prefix.as_bytes().as_bstr()).map_err(failed)?;
            found.map(|reference| read(&reference.map_err(failed)?)).collect()
        })
    }

    /// Reads refs, and again as long as git moves some of them into `packed-refs` meanwhile. gix reads that file before
    /// the loose ones, so a ref that was moved in between would be missing, unreadable, or where it was packed before.
    fn beside_packing<T>(&self, read: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
        let mut before = self.packed_refs();
        let mut found = read();
        for _ in 0..ATTEMPTS {
            let after = self.packed_refs();
            if before == after && !is_gone(&found) {
                break;
            }
            self.forget_packed_refs();
            before = after;
            found = read();
        }
        found
    }

    /// Tells one `packed-refs` from another: each is a new file. `None`: it is missing.
    fn packed_refs(&self) -> Option<(u64, u64, i64, i64)> {
        let about = self.inner.refs.packed_refs_path().metadata().ok()?;
        Some((about.ino(), about.size(), about.mtime(), about.mtime_nsec()))
    }

    /// Has `packed-refs` read anew with the next ref: gix looks at its time alone, which two of them may share.
    fn forget_packed_refs(&self) {
        // It fails if it is missing, and then there is nothing to read.
        let _ = self.inner.refs.force_refresh_packed_buffer();
    }

    /// One attempt: lock, compare, write, flush, rename.
    fn try_swap(&self, name: &FullName, swap: &Swap<'_>) -> Result<(), super::Cause> {
        let wait = Fail::AfterDurationWithBackoff(LOCK_WAIT);
        let _writing = self.mark_writing();
        let prepared = self.inner.refs.transaction().prepare([edit(name, swap)], wait, wait)?;
        // Renamed over the ref before its bytes are on the disk, the lock file could become an empty ref in a crash.
        durable::sync(&self.lock_path(swap.name))?;
        let committer = swap.committer.to_gix();
        let mut time = gix::date::parse::TimeBuf::default();
        let edits = prepared.commit(committer.to_ref(&mut time))?;
        if swap.expected.is_none() && edits.iter().any(existed) {
            // gix takes "must not exist" as fulfilled by a ref that is already where it should go.
            return Err(Box::new(Error::AlreadyExists { name: swap.name.to_owned() }));
        }
        Ok(())
    }

    /// After a failure: is the ref where it was expected?
    fn refuse_if_moved(&self, swap: &Swap<'_>) -> Result<(), Error> {
        let actual = self.branch(swap.name)?;
        match (&actual, swap.expected) {
            (Some(_), None) => Err(Error::AlreadyExists { name: swap.name.to_owned() }),
            (_, Some(expected)) if actual.as_ref().map(CommitId::to_gix) != Some(expected) => {
                Err(Error::Moved { name: swap.name.to_owned(), actual })
            }
            _ => Ok(()),
        }
    }

    /// The commit point lies in here: once the folder is flushed the ref stays moved. Its bytes were flushed as the
    /// lock file's.
    fn sync_ref(&self, name: &str, new_folder: bool) -> Result<(), Error> {
        if new_folder {
            return durable::sync_folders(&self.common_dir().join(name), self.common_dir());
        }
        durable::sync(&self.folder_of(name))
    }

    fn folder_of(&self, name: &str) -> PathBuf {
        let path = self.common_dir().join(name);
        path.parent().map_or_else(|| path.clone(), Path::to_path_buf)
    }

    fn lock_path(&self, name: &str) -> PathBuf {
        self.common_dir().join(format!("{name}.lock"))
    }

    /// Returns the lock file that keeps a ref from being written, if there is one.
    pub(super) fn lock_held(&self, name: &str) -> Option<PathBuf> {
        [self.lock_path(name), self.lock_path("packed-refs")].into_iter().find(|path| path.exists())
    }
}

/// Tells whether a ref's file was removed after it was listed.
fn is_gone<T>(found: &Result<T, Error>) -> bool {
    let Err(Error::ReadRef { source, .. }) = found else { return false };
    source.downcast_ref::<gix::Error>().is_some_and(gix::Error::is_not_found)
}

/// Checks a full ref name: it must be one below `refs/`.
pub(super) fn full_name(name: &str) -> Result<FullName, Error> {
    let invalid = |source: super::Cause| Error::InvalidRefName { name: name.to_owned(), source };
    if !name.starts_with("refs/") {
        return Err(invalid("a full name starts with `refs/`".into()));
    }
    FullName::try_from(name).map_err(|error| invalid(error.into()))
}

fn edit(name: &FullName, swap: &Swap<'_>) -> RefEdit {
    let expected = match swap.expected {
        Some(id) => PreviousValue::MustExistAndMatch(Target::Object(id)),
        None => PreviousValue::MustNotExist,
    };
    let log = LogChange { message: one_line(swap.message).into(), ..Default::default() };
    RefEdit::new(name.clone(), Change::Update { log, expected, new: Target::Object(swap.new) })
}

fn existed(edit: &RefEdit) -> bool {
    matches!(&edit.change, Change::Update { expected: PreviousValue::MustExistAndMatch(_), .. })
}

fn one_line(message: &str) -> String {
    message.replace(['\n', '\r', '\0'], " ")
}

fn commit_at(found: &gix::Reference<'_>) -> Result<CommitId, Error> {
    match found.target() {
        gix::refs::TargetRef::Object(id) => Ok(CommitId::from_gix(id)),
        gix::refs::TargetRef::Symbolic(target) => {
            Err(Error::SymbolicRef { name: found.name().as_bstr().to_string(), target: target.as_bstr().to_string() })
        }
    }
}

fn read_error(name: &str, error: gix::Error) -> Error {
    Error::ReadRef { name: name.to_owned(), source: error.into() }
}
