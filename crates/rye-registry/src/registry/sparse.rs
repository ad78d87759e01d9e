//! A registry of which only the requested parts are read, each proven by the checkpoint.
//!
//! The checkpoint signs the digest of the tables, the tables list the files of lines, and a file that they do not list is not
//! published. The lines of one item and the owners of its namespace are checked by the rules of the log, with gaps. The line of a
//! version is in the tree of the checkpoint before its package is read.
//!
//! Unread parts are not checked: the owner of any namespace could sign tables or lines that readers of everything
//! refuse (docs/threat-model.md).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::bare::Transport;
use super::checkpoint::{Checkpoint, SignedCheckpoint};
use super::error::Error;
use super::fault::Fault;
use super::git_files::GitFiles;
use super::layout::{CHECKPOINT, CONFIG, REGISTRY_LINES, item_path, owners_path};
use super::line::{Entry, Line};
use super::log::{Files, lines};
use super::memory::{self, Kept};
use super::meter::Counted;
use super::package::Package;
use super::proof::Tiles;
use super::read_parts;
use super::source::{FileSource, package};
use super::state::{PublishedVersion, State};
use super::static_files::StaticFiles;
use super::tables::{DIGESTS, Digests, number, table_path};
use super::tree;
use super::url::is_static;
use crate::context::Context;
use crate::format::registry_files::{KnownRegistry, RegistryConfig, registry_config};
use crate::id::{ItemId, Segment};
use crate::trust::{ContentHash, PublicKey};

/// A registry of which only the requested parts are read.
#[derive(Debug)]
pub struct Sparse<'c> {
    files: Counted<'c>,
    /// The record of read parts; `None` in tests of proofs alone.
    ctx: Option<&'c Context>,
    checkpoint: SignedCheckpoint,
    digests: Digests,
    tables: RefCell<BTreeMap<usize, Rc<Vec<u8>>>>,
    /// The files of lines that were read.
    lines: RefCell<Files>,
    /// Those of them that are not remembered yet.
    fresh: RefCell<Vec<String>>,
    /// What the first line comes to.
    begun: State,
    tiles: Tiles,
    items: RefCell<BTreeMap<ItemId, Rc<ProvenItem>>>,
    is_locked: bool,
    is_accepted: Cell<bool>,
}

/// The published versions of one id.
#[derive(Debug)]
struct ProvenItem {
    state: Rc<State>,
    /// The leaf of each line.
    leaves: BTreeMap<u64, ContentHash>,
}

impl<'c> Sparse<'c> {
    /// Fetches a registry, and proves its checkpoint and that it continues the one that was last seen. It is remembered as seen when
    /// something that is asked for passed its checks, too, or by [`Sparse::accept`].
    ///
    /// # Errors
    ///
    /// Fails when it cannot be reached, with [`Error::Fault`] when a check fails, and with the error of `transport`, which is asked
    /// for where git is needed.
    pub fn fetch<E: From<Error>>(
        ctx: &'c Context,
        known: &KnownRegistry,
        transport: impl FnOnce() -> Result<Transport, E>,
    ) -> Result<Self, E> {
        let files: Box<dyn FileSource + 'c> = match is_static(&known.url) {
            true => Box::new(StaticFiles::open(ctx, known)?),
            false => Box::new(GitFiles::open(ctx, &transport()?, known, false)?),
        };
        Ok(Self::open(ctx, files)?)
    }

    /// Does as [`Sparse::fetch`], and refuses a registry that says of itself how old it may be, and is older.
    ///
    /// # Errors
    ///
    /// As [`Sparse::fetch`], and with [`Fault::Stale`].
    pub fn fetch_in_time<E: From<Error>>(
        ctx: &'c Context,
        known: &KnownRegistry,
        transport: impl FnOnce() -> Result<Transport, E>,
    ) -> Result<Self, E> {
        let sparse = Self::fetch(ctx, known, transport)?;
        let latest = sparse.checkpoint.checkpoint.latest;
        match sparse.config().max_age {
            Some(max_age) if ctx.now().seconds() - latest.seconds() > max_age.seconds() => {
                Err(sparse.files.fault(Fault::Stale { latest, max_age }).into())
            }
            Some(_) | None => Ok(sparse),
        }
    }

    /// Opens a registry as it was last fetched, without the network.
    ///
    /// # Errors
    ///
    /// Fails when it was never fetched, for static files, of which no copy is kept, and with [`Error::Fault`] when a check fails.
    pub fn cached<E: From<Error>>(
        ctx: &'c Context,
        known: &KnownRegistry,
        transport: impl FnOnce() -> Result<Transport, E>,
    ) -> Result<Self, E> {
        if is_static(&known.url) {
            return Err(Error::NotKept { registry: known.name.clone() }.into());
        }
        Ok(Self::open(ctx, Box::new(GitFiles::open(ctx, &transport()?, known, true)?))?)
    }

    fn open(ctx: &'c Context, files: Box<dyn FileSource + 'c>) -> Result<Self, Error> {
        let seen = memory::last(ctx, files.registry(), Kept::Seen)?;
        Self::proven(files, Some(ctx), seen.as_ref())
    }

    /// Reads the checkpoint and proves it, and that it continues the recorded state.
    fn proven(
        files: Box<dyn FileSource + 'c>,
        ctx: Option<&'c Context>,
        seen: Option<&Checkpoint>,
    ) -> Result<Self, Error> {
        let files = Counted::new(files);
        let fault = |fault| files.fault(fault);
        let checkpoint = SignedCheckpoint::parse(&files.required(CHECKPOINT)?);
        let checkpoint = checkpoint.map_err(|reason| fault(Fault::MalformedCheckpoint { reason }))?;
        let now = &checkpoint.checkpoint;
        if let Some(seen) = seen {
            now.check_not_before(seen).map_err(fault)?;
        }
        let config_bytes = files.required(CONFIG)?;
        let config = registry_config(&config_bytes);
        let config = config.map_err(|reason| fault(Fault::Unreadable { path: CONFIG.to_owned(), reason }))?;
        let digests = Digests::parse(&files.required(DIGESTS)?, now.tables).map_err(fault)?;
        let tiles = Tiles::open(&files, now)?;
        let (tables, lines, fresh, items) = Default::default();
        let begun = State::with_gaps(config);
        let mut sparse = Self {
            files,
            ctx,
            checkpoint,
            digests,
            tables,
            lines,
            fresh,
            begun,
            tiles,
            items,
            is_locked: true,
            is_accepted: Cell::new(false),
        };
        sparse.begin(ContentHash::of(&config_bytes))?;
        sparse.check_checkpoint()?;
        if let Some(seen) = seen {
            sparse.check_continues(seen)?;
        }
        Ok(sparse)
    }

    /// Returns what the person calls it.
    #[must_use]
    pub fn name(&self) -> &Segment {
        self.files.registry()
    }

    /// Returns what the registry says of itself.
    #[must_use]
    pub const fn config(&self) -> &RegistryConfig {
        self.begun.config()
    }

    /// Returns the key that made the registry.
    #[must_use]
    pub const fn maker(&self) -> Option<&PublicKey> {
        self.begun.maker()
    }

    /// Returns the checkpoint.
    #[must_use]
    pub const fn checkpoint(&self) -> &SignedCheckpoint {
        &self.checkpoint
    }

    /// Returns how many bytes of files were read.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.files.bytes()
    }

    /// Lets other programs work with the registry: nothing more is fetched.
    #[must_use]
    pub fn unlocked(mut self) -> Self {
        self.files.unlock();
        self.is_locked = false;
        self
    }

    /// Checks that the registry has all that a checkpoint says, whoever saw it.
    ///
    /// # Errors
    ///
    /// Fails where it has fewer lines or others.
    pub fn check_continues(&self, seen: &Checkpoint) -> Result<(), Error> {
        self.checkpoint.checkpoint.check_not_before(seen).map_err(|fault| self.files.fault(fault))?;
        let root = self.tiles.root_at(&self.files, seen.size)?;
        if root == seen.root { Ok(()) } else { Err(self.files.fault(Fault::Rewritten { seen: seen.size })) }
    }

    /// Returns the state of the owners of one namespace; one without owners where it was not claimed.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] when a file is missing or a check fails.
    pub fn namespace(&self, namespace: &Segment) -> Result<State, Error> {
        let state = self.owners(namespace)?;
        self.accept()?;
        Ok(state)
    }

    fn owners(&self, namespace: &Segment) -> Result<State, Error> {
        Ok(self.applied(&[owners_path(namespace.as_str())])?.0)
    }

    /// Returns the state of one item: all that is published under its id, and who owns its namespace.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] when a file is missing or a check fails.
    pub fn item(&self, id: &ItemId) -> Result<Rc<State>, Error> {
        Ok(Rc::clone(&self.proven_item(id)?.state))
    }

    /// Reads the package of a version and checks all of it against what its line says; the line is in the tree.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] when something is missing or does not fit.
    pub fn package(&self, version: &PublishedVersion) -> Result<Package, Error> {
        let (seq, item) = (version.seq, self.proven_item(&version.release.id)?);
        if item.leaves.get(&seq) != Some(&self.tiles.leaf(&self.files, seq)?) {
            return Err(self.files.fault(Fault::NotInTree { seq }));
        }
        package(&self.files, version)
    }

    /// Lists ids that are probably published, to say which one was meant. No proof covers them.
    #[must_use]
    pub fn probable_ids(&self) -> Vec<ItemId> {
        let id = |path: String| {
            let (namespace, rest) = path.strip_prefix("index/")?.split_once('/')?;
            let (_, rest) = rest.strip_suffix(".jsonl")?.split_once('/')?;
            format!("{namespace}/{rest}").parse().ok()
        };
        self.files.listed_below("index").into_iter().filter_map(id).collect()
    }

    fn proven_item(&self, id: &ItemId) -> Result<Rc<ProvenItem>, Error> {
        if let Some(item) = self.items.borrow().get(id) {
            return Ok(Rc::clone(item));
        }
        let owners = owners_path(id.namespace().unwrap_or_default());
        let (state, lines) = self.applied(&[owners, item_path(id)])?;
        self.accept()?;
        let leaves = lines.iter().map(|line| (line.seq, tree::leaf(&line.bytes()))).collect();
        let item = Rc::new(ProvenItem { state: Rc::new(state), leaves });
        self.items.borrow_mut().insert(id.clone(), Rc::clone(&item));
        Ok(item)
    }

    /// Applies the lines of some files, in the order of the log.
    fn applied(&self, paths: &[String]) -> Result<(State, Vec<Line>), Error> {
        // Lines that are refused are not remembered with others later.
        self.try_applied(paths).inspect_err(|_| drop(self.fresh.take()))
    }

    fn try_applied(&self, paths: &[String]) -> Result<(State, Vec<Line>), Error> {
        let mut files = Files::new();
        for path in paths {
            files.extend(self.listed(path)?.map(|bytes| (path.clone(), bytes)));
        }
        let fault = |fault| self.files.fault(fault);
        let (mut state, lines) = (self.begun.clone(), lines(&files).map_err(fault)?);
        for line in &lines {
            if line.seq >= self.checkpoint.checkpoint.size {
                return Err(fault(Fault::NotInTree { seq: line.seq }));
            }
            state.apply(line, false).map_err(fault)?;
        }
        Ok((state, lines))
    }

    /// Reads a file of lines; none if the tables do not list it. It must begin as it was when it was last read.
    fn listed(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        if let Some(bytes) = self.lines.borrow().get(path) {
            return Ok(Some(bytes.clone()));
        }
        let bytes = self.listed_now(path)?;
        if let Some(ctx) = self.ctx
            && !read_parts::continues(ctx, self.name(), path, bytes.as_deref())?
        {
            return Err(self.files.fault(Fault::OtherLines { path: path.to_owned() }));
        }
        if let Some(bytes) = &bytes {
            self.lines.borrow_mut().insert(path.to_owned(), bytes.clone());
            self.fresh.borrow_mut().push(path.to_owned());
        }
        Ok(bytes)
    }

    /// Remembers the checkpoint, and the files of lines that were read since: all of them passed their checks.
    pub fn accept(&self) -> Result<(), Error> {
        let fresh = self.fresh.take();
        let Some(ctx) = self.ctx.filter(|_| self.is_locked) else { return Ok(()) };
        if !self.is_accepted.get() {
            self.files.accept()?;
            memory::remember(ctx, self.name(), Kept::Seen, &self.checkpoint)?;
            self.is_accepted.set(true);
        }
        let lines = self.lines.borrow();
        let read = fresh.iter().filter_map(|path| lines.get_key_value(path));
        read.into_iter().try_for_each(|(path, bytes)| read_parts::remember(ctx, self.name(), path, bytes))
    }

    /// Reads a file of lines as the tables list it.
    fn listed_now(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        let number = number(path);
        if self.digests.is_empty(number) {
            return Ok(None);
        }
        let known = self.tables.borrow().get(&number).cloned();
        let table = known.map_or_else(|| self.files.required(&table_path(number)).map(Rc::new), Ok)?;
        let listed = self.digests.listed(&table, path).map_err(|fault| self.files.fault(fault))?;
        self.tables.borrow_mut().insert(number, table);
        let Some(digest) = listed else { return Ok(None) };
        let bytes = self.files.required(path)?;
        if ContentHash::of(&bytes) != digest {
            return Err(self.files.fault(Fault::Listed { path: path.to_owned() }));
        }
        Ok(Some(bytes))
    }

    /// Applies the first line: who made the registry, and with which configuration, of which this is the digest.
    fn begin(&mut self, config: ContentHash) -> Result<(), Error> {
        let missing = || self.files.fault(Fault::Missing { path: REGISTRY_LINES.to_owned() });
        let bytes = self.listed(REGISTRY_LINES)?.ok_or_else(missing)?;
        let first = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default().to_vec();
        let first =
            lines(&Files::from([(REGISTRY_LINES.to_owned(), first)])).map_err(|fault| self.files.fault(fault))?;
        for line in &first {
            self.begun.apply(line, false).map_err(|fault| self.files.fault(fault))?;
        }
        match first.first().map(|line| &line.entry) {
            Some(Entry::Init { sha256, .. }) if *sha256 == config => Ok(()),
            Some(Entry::Init { .. }) => Err(self.files.fault(Fault::Config { path: CONFIG.to_owned() })),
            _ => Err(self.files.fault(Fault::MissingLine { seq: 0 })),
        }
    }

    /// Checks that the checkpoint is this registry's, and signed by who made it or by an owner.
    fn check_checkpoint(&self) -> Result<(), Error> {
        let Checkpoint { name, owner, .. } = &self.checkpoint.checkpoint;
        if *name != self.config().name {
            return Err(self.files.fault(Fault::Root));
        }
        let keys = match owner {
            // Nothing is remembered before all of this was checked.
            Some(namespace) => self.owners(namespace)?.owners(namespace.as_str()).to_vec(),
            None => self.maker().into_iter().copied().collect(),
        };
        let is_signed = keys.iter().any(|key| self.checkpoint.is_by(key));
        let key_id = || self.checkpoint.key_id.clone();
        if is_signed { Ok(()) } else { Err(self.files.fault(Fault::CheckpointKey { key_id: key_id() })) }
    }
}

#[cfg(test)]
mod tests;
