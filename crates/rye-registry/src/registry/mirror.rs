//! A registry as a client sees it that reads all of it: a bare mirror in the cache, fetched by the person's own git, and checked
//! before anything of it is used.
//!
//! Two refs in the mirror: `refs/rye/fetched` is what git brought, `refs/rye/checked` what passed the
//! checks of its reader. The work on one
//! registry holds the lock of its folder in the state directory, so that of two programs neither sees half of the other's.

use std::collections::BTreeSet;
use std::fs::File;

use super::bare::{Transport, committer, is_damage, opened, remove};
use super::error::Error;
use super::fault::Fault;
use super::layout::{BRANCH, CHECKPOINT, CONFIG, FOLDERS, OBJECTS, Top};
use super::log::{Files, Log};
use super::memory::Kept;
use super::package::Package;
use super::source::{FileSource, most_of, package};
use super::state::PublishedVersion;
use super::url::is_static;
use super::{memory, registries_toml};
use crate::context::Context;
use crate::format::registry_files::KnownRegistry;
use crate::git::{self, BranchUpdate, CommitId, Git, Mode, Repository, Signature, TreeEntry, Writer};
use crate::id::Segment;

/// What git brought.
const FETCHED: &str = "refs/rye/fetched";
/// What passed the checks of its reader.
pub(super) const CHECKED: &str = "refs/rye/checked";
/// The most files and folders of a registry but for its packages.
const MAX_ENTRIES: usize = 400_000;
/// How large all of them may be together, in bytes.
const MAX_TOTAL_BYTES: u64 = 256 * 1024 * 1024;

/// A registry that is worked with.
#[derive(Debug)]
pub struct Registry<'c> {
    pub(super) ctx: &'c Context,
    pub(super) known: KnownRegistry,
    pub(super) mirror: Repository,
    pub(super) git: Git,
    transport: Transport,
    lock: Option<File>,
}

/// The files of one commit.
#[derive(Debug)]
pub(super) struct AtCommit<'r, 'c> {
    pub(super) registry: &'r Registry<'c>,
    pub(super) commit_id: &'r CommitId,
    pub(super) top: Top,
}

impl FileSource for AtCommit<'_, '_> {
    fn registry(&self) -> &Segment {
        self.registry.name()
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let entry = self.registry.entry_at(self.commit_id, self.top, path)?;
        entry.map(|entry| self.registry.bytes(&entry, most)).transpose()
    }
}

/// A registry as of one commit, checked.
#[derive(Debug)]
pub struct Snapshot {
    /// The commit.
    pub commit_id: CommitId,
    /// What it holds.
    pub log: Log,
    pub(super) top: Top,
}

impl<'c> Registry<'c> {
    /// Opens the mirror of a registry, made now if missing, and waits for other programs that work with it.
    ///
    /// # Errors
    ///
    /// Fails when folders of the person's own cannot be written, and for static files, which cannot be read as a whole.
    pub fn open(ctx: &'c Context, transport: &Transport, known: &KnownRegistry) -> Result<Self, Error> {
        if is_static(&known.url) {
            return Err(Error::Static { registry: known.name.clone() });
        }
        let lock = registries_toml::lock(&memory::folder(ctx, &known.name)?)?;
        let (mirror, git) = opened(ctx, transport, &known.name)?;
        // A program that was killed may have left the lock of a ref, and no other program works here now.
        [FETCHED, CHECKED].iter().for_each(|name| mirror.release_ref(name));
        Ok(Self { ctx, known: known.clone(), mirror, git, transport: transport.clone(), lock: Some(lock) })
    }

    /// Returns what the person calls it.
    #[must_use]
    pub const fn name(&self) -> &Segment {
        &self.known.name
    }

    /// Lets other programs work with it.
    pub(super) fn unlock(&mut self) {
        self.lock = None;
    }

    /// Returns where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.known.url
    }

    /// Fetches the registry and checks all of it. A damaged mirror is made again: all of it comes from the registry.
    /// The recorded state of the registry is elsewhere and stays.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be fetched, and with [`Error::Fault`] when a check fails: then nothing is remembered.
    pub fn refresh(&mut self) -> Result<Snapshot, Error> {
        match self.fetched() {
            Err(error) if is_damage(&error) => {
                self.make_again()?;
                self.fetched()
            }
            fetched => fetched,
        }
    }

    /// Makes the mirror again, empty.
    pub(super) fn make_again(&mut self) -> Result<(), Error> {
        remove(&memory::mirror_folder(self.ctx, &self.known.name)?)?;
        (self.mirror, self.git) = opened(self.ctx, &self.transport, &self.known.name)?;
        Ok(())
    }

    /// Does as [`Registry::refresh`], and refuses a registry that says of itself how old it may be, and is older: its
    /// host may hide newer lines.
    ///
    /// # Errors
    ///
    /// As [`Registry::refresh`], and with [`Fault::Stale`].
    pub fn refresh_in_time(&mut self) -> Result<Snapshot, Error> {
        let snapshot = self.refresh()?;
        let state = snapshot.log.state();
        if let (Some(max_age), Some(latest)) = (state.config().max_age, state.latest())
            && self.ctx.now().seconds() - latest.seconds() > max_age.seconds()
        {
            return Err(self.fault(Fault::Stale { latest, max_age }));
        }
        Ok(snapshot)
    }

    fn fetched(&self) -> Result<Snapshot, Error> {
        let snapshot = self.check(self.fetch()?)?;
        self.accept_all(&mut self.mirror.writer(), &snapshot)?;
        Ok(snapshot)
    }

    /// Fetches the branch and returns its commit.
    pub(super) fn fetch(&self) -> Result<CommitId, Error> {
        let url = self.known.url.clone();
        let refspec = format!("+{BRANCH}:{FETCHED}");
        self.git.fetch(&url, &[&refspec]).map_err(|source| match source {
            git::Error::Command { stderr, .. } if stderr.contains("find remote ref") => {
                Error::Empty { url: url.clone() }
            }
            source => Error::reach(&self.known, source, |source| Error::Fetch {
                registry: self.known.name.clone(),
                url: url.clone(),
                source,
            }),
        })?;
        self.mirror.branch(FETCHED)?.ok_or(Error::Empty { url })
    }

    /// Returns the registry as it was last fetched, without the network.
    ///
    /// # Errors
    ///
    /// Fails when it was never fetched, and with [`Error::Fault`] when a check fails.
    pub fn cached(&self) -> Result<Snapshot, Error> {
        self.checked().and_then(|commit_id| self.check(commit_id)).map_err(|error| self.not_made_again(error))
    }

    /// Returns the commit that was last fetched and passed the checks of its reader.
    pub(super) fn checked(&self) -> Result<CommitId, Error> {
        self.mirror.branch(CHECKED)?.ok_or_else(|| Error::NotFetched { registry: self.known.name.clone() })
    }

    /// Tells damage of the mirror where it must not be made again.
    pub(super) fn not_made_again(&self, error: Error) -> Error {
        match error {
            Error::Git(source) => Error::Mirror { registry: self.known.name.clone(), source },
            error => error,
        }
    }

    /// Remembers what passed every check. The checkpoints come last: they must never be ahead of the mirror.
    pub(super) fn accept_all(&self, writer: &mut Writer<'_>, snapshot: &Snapshot) -> Result<(), Error> {
        self.accept(writer, &snapshot.commit_id)?;
        let (name, signed) = (&self.known.name, snapshot.log.checkpoint());
        memory::remember(self.ctx, name, Kept::Seen, signed)?;
        memory::remember(self.ctx, name, Kept::Checked, signed)
    }

    /// Remembers a commit that passed the checks of its reader.
    pub(super) fn accept(&self, writer: &mut Writer<'_>, commit_id: &CommitId) -> Result<(), Error> {
        let committer = self.committer();
        let update = BranchUpdate { name: CHECKED, commit_id, message: "rye: checked", committer: &committer };
        match self.mirror.branch(CHECKED)? {
            None => writer.create_branch(update)?,
            Some(before) if before == *commit_id => {}
            Some(before) => writer.advance_branch(&before, update)?,
        }
        Ok(())
    }

    fn check(&self, commit_id: CommitId) -> Result<Snapshot, Error> {
        let kept = |kept| memory::last(self.ctx, &self.known.name, kept);
        let (seen, checked) = (kept(Kept::Seen)?, kept(Kept::Checked)?);
        self.refuse_rewrites()?;
        let top = self.top(&commit_id)?;
        let files = self.files(&commit_id, top)?;
        let log = Log::check(files, seen.as_ref(), checked.as_ref()).map_err(|fault| self.fault(fault))?;
        Ok(Snapshot { commit_id, log, top })
    }

    pub(super) fn refuse_rewrites(&self) -> Result<(), Error> {
        self.mirror.refuse_rewrites().map_err(|error| self.git_fault(error))
    }

    /// Finds the registry in its repository: at the top, or in the folder of a repository that holds more.
    pub(super) fn top(&self, commit_id: &CommitId) -> Result<Top, Error> {
        for top in [Top::Tree, Top::Folder] {
            if self.entry_at(commit_id, top, CHECKPOINT)?.is_some() {
                return Ok(top);
            }
        }
        Ok(Top::Tree)
    }

    /// Returns the entry at a path of the registry, named as in the registry.
    pub(super) fn entry_at(&self, commit_id: &CommitId, top: Top, path: &str) -> Result<Option<TreeEntry>, Error> {
        let found = self.mirror.entry_at(commit_id, &top.in_tree(path)).map_err(|error| self.git_fault(error))?;
        Ok(found.map(|entry| TreeEntry { path: path.to_owned(), ..entry }))
    }

    /// Lists the files in a folder of the registry.
    pub(super) fn entries_below(&self, commit_id: &CommitId, top: Top, folder: &str) -> Result<Vec<TreeEntry>, Error> {
        let found = self.mirror.entries_below(commit_id, &top.in_tree(folder), MAX_ENTRIES);
        let found = found.map_err(|error| self.git_fault(error))?;
        Ok(found.into_iter().map(|entry| TreeEntry { path: top.in_registry(entry.path), ..entry }).collect())
    }

    /// Reads every file but the packages.
    fn files(&self, commit_id: &CommitId, top: Top) -> Result<Files, Error> {
        let mut entries = Vec::new();
        for path in [CONFIG, CHECKPOINT] {
            entries.extend(self.entry_at(commit_id, top, path)?);
        }
        for folder in FOLDERS {
            entries.extend(self.entries_below(commit_id, top, folder)?);
        }
        self.check_sizes(&entries)?;
        let mut files = Files::new();
        for entry in entries {
            let bytes = self.bytes(&entry, most_of(&entry.path))?;
            files.insert(entry.path, bytes);
        }
        Ok(files)
    }

    /// Bounds the read data before reading: many names can be one large blob, and that takes little room in a pack. No
    /// two files of lines, tables or tiles are the same.
    fn check_sizes(&self, entries: &[TreeEntry]) -> Result<(), Error> {
        let (mut total, mut seen) = (0_u64, BTreeSet::new());
        for entry in entries.iter().filter(|entry| entry.mode == Mode::File) {
            let path = || entry.path.clone();
            let is_one_of_a_kind = ["index/", "tables/", "tile/"].iter().any(|folder| entry.path.starts_with(folder));
            if is_one_of_a_kind && !seen.insert(&entry.blob_id) {
                return Err(self.fault(Fault::Unexpected { path: path() }));
            }
            let size = self.mirror.size_of(&entry.blob_id).map_err(|error| self.git_fault(error))?;
            total = total.saturating_add(size);
            if size > most_of(&entry.path) || total > MAX_TOTAL_BYTES {
                return Err(self.fault(Fault::TooLarge { path: path() }));
            }
        }
        Ok(())
    }

    /// Reads the package of a version and checks all of it against what its line says.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] when something is missing or does not fit.
    pub fn package(&self, snapshot: &Snapshot, version: &PublishedVersion) -> Result<Package, Error> {
        package(&AtCommit { registry: self, commit_id: &snapshot.commit_id, top: snapshot.top }, version)
    }

    /// Lists the objects that a registry holds.
    pub fn object_paths(&self, snapshot: &Snapshot) -> Result<Vec<String>, Error> {
        let found = self.entries_below(&snapshot.commit_id, snapshot.top, OBJECTS)?;
        Ok(found.into_iter().map(|entry| entry.path).collect())
    }

    fn bytes(&self, entry: &TreeEntry, most: u64) -> Result<Vec<u8>, Error> {
        let path = || entry.path.clone();
        if entry.mode != Mode::File {
            return Err(self.fault(Fault::NotAFile { path: path() }));
        }
        match self.mirror.blob_within(&entry.blob_id, most) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(self.fault(Fault::TooLarge { path: path() })),
            Err(error) => Err(self.git_fault(error)),
        }
    }

    pub(super) fn fault(&self, fault: Fault) -> Error {
        Error::fault(&self.known.name, fault)
    }

    /// Tells what a registry brings that git itself refuses from damage on this machine.
    fn git_fault(&self, error: git::Error) -> Error {
        match error {
            git::Error::UnsafePath { path, .. } => self.fault(Fault::Unexpected { path }),
            git::Error::TooManyEntries { path, .. } => self.fault(Fault::TooLarge { path }),
            git::Error::ReplaceRefs { name } => self.fault(Fault::Replaced { name }),
            error => error.into(),
        }
    }

    pub(super) fn committer(&self) -> Signature {
        committer(self.ctx, &self.mirror)
    }
}
