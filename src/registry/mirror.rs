//! A registry as a client sees it: a bare mirror in the cache, fetched by the person's own git, and checked before anything
//! of it is used.
//!
//! Two refs in the mirror: `refs/rye/fetched` is what git brought, `refs/rye/checked` what passed every check. The work on one
//! registry holds the lock of its folder in the state directory, so that of two programs neither sees half of the other's.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::fault::Fault;
use super::layout::{BRANCH, CHECKPOINT, CONFIG, FOLDERS, OBJECTS, Top, object_path};
use super::log::{Files, Log};
use super::package::{MAX_FILE_BYTES, MAX_MANIFEST_BYTES, Manifest, Package};
use super::state::PublishedVersion;
use super::{known, seen};
use crate::context::Context;
use crate::format::registry_files::KnownRegistry;
use crate::git::{
    self, BranchUpdate, CommitId, Git, GitEnvironment, Identity, Mode, Repository, Signature, Terminal, TreeEntry,
    Wait, Writer,
};
use crate::id::Segment;
use crate::trust::{Blake3Hash, ContentHash};

/// What git brought.
const FETCHED: &str = "refs/rye/fetched";
/// What passed every check.
pub(super) const CHECKED: &str = "refs/rye/checked";
/// The most files and folders of a registry but for its packages.
const MAX_ENTRIES: usize = 400_000;
/// The largest file of lines, in bytes.
const MAX_LINES_BYTES: u64 = 8 * 1024 * 1024;
/// The largest file of a namespace: that of 32 owners.
const MAX_NAMESPACE_BYTES: u64 = 4096;
/// The size of a tile.
const MAX_TILE_BYTES: u64 = 256 * 32;
/// The largest table.
const MAX_TABLE_BYTES: u64 = 1024 * 1024;
/// The largest of the other files.
const MAX_OTHER_BYTES: u64 = 64 * 1024;
/// How large all of them may be together, in bytes.
const MAX_TOTAL_BYTES: u64 = 256 * 1024 * 1024;

/// How git is run.
#[derive(Debug, Clone)]
pub struct Transport {
    /// The program git, found outside of the project.
    pub program: PathBuf,
    /// Whether it may ask for credentials and show progress.
    pub terminal: Terminal,
    /// How its end is waited for.
    pub wait: Wait,
}

/// A registry that is worked with.
#[derive(Debug)]
pub struct Registry<'c> {
    pub(super) ctx: &'c Context,
    pub(super) known: KnownRegistry,
    pub(super) mirror: Repository,
    pub(super) git: Git,
    transport: Transport,
    _lock: File,
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
    /// Opens the mirror of a registry, made now if there is none, and waits for other programs that work with it.
    ///
    /// # Errors
    ///
    /// Fails when folders of the person's own cannot be written.
    pub fn open(ctx: &'c Context, transport: &Transport, known: &KnownRegistry) -> Result<Self, Error> {
        let lock = known::lock(&seen::folder(ctx, &known.name)?)?;
        let (mirror, git) = opened(ctx, transport, &known.name)?;
        // A program that was killed may have left the lock of a ref, and nobody else works here now.
        [FETCHED, CHECKED].iter().for_each(|name| mirror.release_ref(name));
        Ok(Self { ctx, known: known.clone(), mirror, git, transport: transport.clone(), _lock: lock })
    }

    /// Returns what the person calls it.
    #[must_use]
    pub const fn name(&self) -> &Segment {
        &self.known.name
    }

    /// Returns where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.known.url
    }

    /// Fetches the registry and checks all of it. A damaged mirror is made again: all of it comes from the registry. What was
    /// seen of the registry lies elsewhere and stays.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be fetched, and with [`Error::Fault`] when a check fails: then nothing is remembered.
    pub fn refresh(&mut self) -> Result<Snapshot, Error> {
        match self.fetched() {
            Err(error) if is_damage(&error) => {
                remove(&seen::mirror_folder(self.ctx, &self.known.name)?)?;
                (self.mirror, self.git) = opened(self.ctx, &self.transport, &self.known.name)?;
                self.fetched()
            }
            fetched => fetched,
        }
    }

    /// Does as [`Registry::refresh`], and refuses a registry that says of itself how old it may be, and is older: whoever hosts it
    /// may hide what came since.
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
        let commit_id = self.mirror.branch(FETCHED)?.ok_or(Error::Empty { url })?;
        let snapshot = self.check(commit_id)?;
        self.accept(&mut self.mirror.writer(), &snapshot)?;
        Ok(snapshot)
    }

    /// Returns the registry as it was last fetched, without the network.
    ///
    /// # Errors
    ///
    /// Fails when it was never fetched, and with [`Error::Fault`] when a check fails.
    pub fn cached(&self) -> Result<Snapshot, Error> {
        let registry = || self.known.name.clone();
        let commit_id = self.mirror.branch(CHECKED).map_err(|source| Error::Mirror { registry: registry(), source })?;
        match self.check(commit_id.ok_or_else(|| Error::NotFetched { registry: registry() })?) {
            Err(Error::Git(source)) => Err(Error::Mirror { registry: registry(), source }),
            checked => checked,
        }
    }

    /// Remembers what passed every check. The checkpoint comes last: it must never be ahead of the mirror.
    pub(super) fn accept(&self, writer: &mut Writer<'_>, snapshot: &Snapshot) -> Result<(), Error> {
        let committer = self.committer();
        let update = BranchUpdate {
            name: CHECKED,
            commit_id: &snapshot.commit_id,
            message: "rye: checked",
            committer: &committer,
        };
        match self.mirror.branch(CHECKED)? {
            None => writer.create_branch(update)?,
            Some(before) if before == snapshot.commit_id => {}
            Some(before) => writer.advance_branch(&before, update)?,
        }
        seen::remember(self.ctx, &self.known.name, snapshot.log.checkpoint())
    }

    fn check(&self, commit_id: CommitId) -> Result<Snapshot, Error> {
        let seen = seen::last(self.ctx, &self.known.name)?;
        self.mirror.refuse_rewrites().map_err(|error| self.git_fault(error))?;
        let top = self.top(&commit_id)?;
        let files = self.files(&commit_id, top)?;
        let log = Log::check(files, seen.as_ref()).map_err(|fault| self.fault(fault))?;
        Ok(Snapshot { commit_id, log, top })
    }

    /// Finds the registry in its repository: at the top, or in the folder of a repository that holds more.
    fn top(&self, commit_id: &CommitId) -> Result<Top, Error> {
        for top in [Top::Tree, Top::Folder] {
            if self.entry_at(commit_id, top, CHECKPOINT)?.is_some() {
                return Ok(top);
            }
        }
        Ok(Top::Tree)
    }

    /// Returns what is at a path of the registry, which is named as the registry has it.
    fn entry_at(&self, commit_id: &CommitId, top: Top, path: &str) -> Result<Option<TreeEntry>, Error> {
        let found = self.mirror.entry_at(commit_id, &top.in_tree(path)).map_err(|error| self.git_fault(error))?;
        Ok(found.map(|entry| TreeEntry { path: path.to_owned(), ..entry }))
    }

    /// Lists the files in a folder of the registry.
    fn entries_below(&self, commit_id: &CommitId, top: Top, folder: &str) -> Result<Vec<TreeEntry>, Error> {
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

    /// Bounds what is read, before any of it is: many names can be one large blob, and that takes little room in a pack. No two
    /// files of lines, tables or tiles are the same.
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
        let path = object_path(&version.release.blake3);
        let bytes = self.object(snapshot, &version.release.blake3, MAX_MANIFEST_BYTES)?;
        let manifest = Manifest::parse(&path, &bytes).map_err(|fault| self.fault(fault))?;
        let mut contents = Vec::new();
        for file in &manifest.files {
            let bytes = self.object(snapshot, &file.blake3, MAX_FILE_BYTES)?;
            if bytes.len() as u64 != file.size || ContentHash::of(&bytes) != file.sha256 {
                return Err(self.fault(Fault::Object { path: object_path(&file.blake3) }));
            }
            contents.push(bytes);
        }
        let package = Package { manifest, contents };
        package.check(&version.release, &version.key).map_err(|fault| self.fault(fault))?;
        Ok(package)
    }

    /// Lists the objects that a registry holds.
    ///
    /// # Errors
    ///
    /// Fails when the mirror cannot be read.
    pub fn object_paths(&self, snapshot: &Snapshot) -> Result<Vec<String>, Error> {
        let found = self.entries_below(&snapshot.commit_id, snapshot.top, OBJECTS)?;
        Ok(found.into_iter().map(|entry| entry.path).collect())
    }

    fn object(&self, snapshot: &Snapshot, hash: &Blake3Hash, most: u64) -> Result<Vec<u8>, Error> {
        let path = object_path(hash);
        let entry = self.entry_at(&snapshot.commit_id, snapshot.top, &path)?;
        let entry = entry.ok_or_else(|| self.fault(Fault::MissingObject { path: path.clone() }))?;
        let bytes = self.bytes(&entry, most)?;
        if Blake3Hash::of(&bytes) == *hash { Ok(bytes) } else { Err(self.fault(Fault::Object { path })) }
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

/// Returns how large a file may be that is no object of a package.
fn most_of(path: &str) -> u64 {
    match path.split_once('/') {
        Some(("index", _)) => MAX_LINES_BYTES,
        Some(("namespaces", _)) => MAX_NAMESPACE_BYTES,
        Some(("tables", _)) => MAX_TABLE_BYTES,
        Some(("tile", _)) => MAX_TILE_BYTES,
        Some(_) | None => MAX_OTHER_BYTES,
    }
}

/// Opens a mirror, or makes it; one that is no repository any more is made again.
fn opened(ctx: &Context, transport: &Transport, name: &Segment) -> Result<(Repository, Git), Error> {
    let (folder, environment) = (seen::mirror_folder(ctx, name)?, GitEnvironment::from_context(ctx));
    let mirror = match Repository::open_bare(&folder, &environment) {
        Ok(mirror) => mirror,
        Err(_) => {
            remove(&folder)?;
            Repository::init_bare(&folder, &environment)?
        }
    };
    // Whatever `safe.bareRepository` says: this one is named.
    let git = Git::new(&transport.program, &mirror, &ctx.environment_for_git())
        .with_variable("GIT_DIR", &folder.display().to_string())
        .with_terminal(transport.terminal)
        .quiet()
        .waited_for_by(transport.wait);
    Ok((mirror, git))
}

fn remove(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Io { action: "remove", path: folder.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}

/// Tells whether an error is one of the mirror: what gix cannot read there, and what git says of objects that are there and
/// cannot be used.
fn is_damage(error: &Error) -> bool {
    const WORDS: [&str; 8] = [
        "not a git repository: '",
        "bad object",
        "corrupt",
        "missing blob",
        "missing tree",
        "missing commit",
        "unable to unpack",
        "inflate: ",
    ];
    match error {
        Error::Git(_) => true,
        Error::Fetch { source: git::Error::Command { stderr, .. }, .. } => {
            WORDS.iter().any(|word| stderr.contains(word)) && !stderr.contains("remote: ")
        }
        _ => false,
    }
}

/// Returns who makes commits in a registry, now.
pub(super) fn committer(ctx: &Context, repository: &Repository) -> Signature {
    let identity = repository.committer().unwrap_or_else(|| Identity::new("rye", "rye@localhost"));
    identity.at(ctx.now().seconds())
}
