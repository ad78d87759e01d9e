//! The files of a registry, and the check of all of them against each other and against the recorded state. Pure.
//!
//! Everything but the packages and the configuration follows from the lines: tiles, tables and the files of namespaces are made
//! again and compared byte by byte. So no byte of these files can change without being noticed.

use std::collections::BTreeMap;

use super::checkpoint::{Checkpoint, SignedCheckpoint};
use super::fault::Fault;
use super::layout::{CHECKPOINT, CONFIG, index_path, namespace_path};
use super::line::{Entry, Line};
use super::state::State;
use super::tables::{self, DIGESTS};
use super::tree;
use crate::format::registry_files::{namespace_text, registry_config, registry_config_text};
use crate::id::{Segment, Timestamp};
use crate::trust::{ContentHash, PublicKey, Signer, SignerError};

/// The files of a registry but for its packages, by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A registry that passed every check.
#[derive(Debug, Clone)]
pub struct Log {
    files: Files,
    leaves: Vec<ContentHash>,
    state: State,
    checkpoint: SignedCheckpoint,
}

impl Log {
    /// Checks the files of a registry. `seen` is the checkpoint that was last seen: the lines it covers must be the
    /// same now. `checked` is the last one whose lines were all checked, each with its signature.
    ///
    /// # Errors
    ///
    /// Returns the first check that fails.
    pub fn check(files: Files, seen: Option<&Checkpoint>, checked: Option<&Checkpoint>) -> Result<Self, Fault> {
        let config = file(&files, CONFIG)?;
        let config_fault = || Fault::Config { path: CONFIG.to_owned() };
        let parsed = registry_config(config);
        let parsed = parsed.map_err(|reason| Fault::Unreadable { path: CONFIG.to_owned(), reason })?;
        let checkpoint = SignedCheckpoint::parse(file(&files, CHECKPOINT)?);
        let checkpoint = checkpoint.map_err(|reason| Fault::MalformedCheckpoint { reason })?;
        let lines = lines(&files)?;
        let leaves: Vec<ContentHash> = lines.iter().map(|line| tree::leaf(&line.bytes())).collect();
        check_seen(&checkpoint.checkpoint, seen, &leaves)?;
        let mut state = State::new(parsed);
        let known = checked.filter(|checked| continues(checked, &leaves)).map_or(0, |checked| checked.size);
        for line in &lines {
            state.apply(line, line.seq < known)?;
        }
        let is_config = matches!(
            lines.first().map(|line| &line.entry), Some(Entry::Init { sha256, .. }) if *sha256 == ContentHash::of(config)
        );
        if !is_config {
            return Err(config_fault());
        }
        let log = Self { files, leaves, state, checkpoint };
        log.check_checkpoint()?;
        log.check_derived()?;
        Ok(log)
    }

    /// Returns what the log comes to.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Returns the files.
    #[must_use]
    pub const fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the checkpoint.
    #[must_use]
    pub const fn checkpoint(&self) -> &SignedCheckpoint {
        &self.checkpoint
    }

    /// Checks that the registry has all that a checkpoint says, whoever saw it.
    ///
    /// # Errors
    ///
    /// Fails where it has fewer lines or others: it shows different people different histories.
    pub fn continues(&self, seen: &Checkpoint) -> Result<(), Fault> {
        check_seen(&self.checkpoint.checkpoint, Some(seen), &self.leaves)
    }

    fn check_checkpoint(&self) -> Result<(), Fault> {
        let Checkpoint { name, size, root, latest, owner, .. } = &self.checkpoint.checkpoint;
        if *name != self.state.config().name || *size != self.state.size() || *root != tree::root(&self.leaves) {
            return Err(Fault::Root);
        }
        let key_id = &self.checkpoint.key_id;
        let fits = |key: &&PublicKey| self.checkpoint.is_by(key);
        let key = self.state.may_sign_checkpoint(key_id).filter(fits);
        let key = key.ok_or_else(|| Fault::CheckpointKey { key_id: key_id.clone() })?;
        if let Some(last) = self.state.latest().filter(|last| last != latest) {
            return Err(Fault::Latest { claimed: *latest, latest: last });
        }
        let is_owner = match owner {
            None => self.state.maker() == Some(key),
            Some(namespace) => self.state.owners(namespace.as_str()).contains(key),
        };
        if is_owner { Ok(()) } else { Err(Fault::CheckpointOwner { key_id: key_id.clone() }) }
    }

    /// Compares the state that follows from the lines with the present one.
    fn check_derived(&self) -> Result<(), Fault> {
        let derived = derived(&self.files, &self.state, &self.leaves);
        if tables_digest(&derived) != Some(self.checkpoint.checkpoint.tables) {
            return Err(wrong(DIGESTS));
        }
        for (path, bytes) in &derived {
            if self.files.get(path) != Some(bytes) {
                return Err(wrong(path));
            }
        }
        let is_known = |path: &str| derived.contains_key(path) || path.starts_with("index/");
        let other = self.files.keys().find(|path| !is_known(path) && *path != CONFIG && *path != CHECKPOINT);
        other.map_or(Ok(()), |path| Err(Fault::Unexpected { path: path.clone() }))
    }
}

/// Adds lines to a registry and signs them and the checkpoint; returns all of its files as they are then. `before` is the
/// registry, or the configuration of a new one.
///
/// # Errors
///
/// Fails when the signer could not make a line there, or makes no signature.
pub(super) fn extended(
    before: Result<&Log, State>,
    entries: &[Entry],
    now: Timestamp,
    signer: &dyn Signer,
) -> Result<(Files, Vec<u64>), ExtendError> {
    let (mut files, mut leaves, mut state) = match before {
        Ok(log) => (log.files.clone(), log.leaves.clone(), log.state.clone()),
        Err(state) => {
            let config = registry_config_text(state.config()).into_bytes();
            (Files::from([(CONFIG.to_owned(), config)]), Vec::new(), state)
        }
    };
    let mut seqs = Vec::new();
    for entry in entries {
        let line = Line::signed(state.size(), entry.clone(), now, signer)?;
        state.apply(&line, false)?;
        let bytes = line.bytes();
        leaves.push(tree::leaf(&bytes));
        let file = files.entry(index_path(entry)).or_default();
        file.extend(bytes);
        file.push(b'\n');
        seqs.push(line.seq);
    }
    files.retain(|path, _| !["tables/", "tile/"].iter().any(|folder| path.starts_with(folder)));
    files.extend(derived(&files, &state, &leaves));
    let checkpoint = Checkpoint {
        name: state.config().name.clone(),
        size: state.size(),
        root: tree::root(&leaves),
        tables: tables_digest(&files).expect("because the digests of the tables were just made"),
        latest: state.latest().unwrap_or(now),
        owner: owned_by(&state, &signer.public()),
    };
    let checkpoint = SignedCheckpoint::signed(checkpoint, signer)?;
    files.insert(CHECKPOINT.to_owned(), checkpoint.to_string().into_bytes());
    Ok((files, seqs))
}

/// Why a registry cannot be extended.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExtendError {
    /// The signer could not make a line there.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The signer made no signature.
    #[error(transparent)]
    Signer(#[from] SignerError),
}

/// Returns a namespace that a key owns, to be named by a checkpoint; none for the key that made the registry.
fn owned_by(state: &State, key: &PublicKey) -> Option<Segment> {
    let mut owned = state.namespaces().iter().filter(|(_, owners)| owners.contains(key));
    if state.maker() == Some(key) { None } else { owned.next().map(|(namespace, _)| namespace.clone()) }
}

/// Returns the digest that a checkpoint signs for all tables.
fn tables_digest(files: &Files) -> Option<ContentHash> {
    files.get(DIGESTS).map(|bytes| ContentHash::of(bytes))
}

/// Returns the files that follow from the lines.
fn derived(files: &Files, state: &State, leaves: &[ContentHash]) -> Files {
    let text = |owners: &[PublicKey]| {
        let owners: Vec<String> = owners.iter().map(PublicKey::to_openssh).collect();
        namespace_text(&owners).into_bytes()
    };
    let namespaces = state.namespaces().iter().map(|(name, owners)| (namespace_path(name), text(owners)));
    namespaces.chain(tables::tables(files)).chain(tree::tiles(leaves)).collect()
}

fn wrong(path: &str) -> Fault {
    let path = path.to_owned();
    match path.split_once('/') {
        Some(("tables", _)) => Fault::Table { path },
        Some(("tile", _)) => Fault::Tile { path },
        Some(_) | None => Fault::Config { path },
    }
}

fn file<'f>(files: &'f Files, path: &str) -> Result<&'f [u8], Fault> {
    files.get(path).map(Vec::as_slice).ok_or_else(|| Fault::Missing { path: path.to_owned() })
}

/// Reads every line, in the order of the log.
pub(super) fn lines(files: &Files) -> Result<Vec<Line>, Fault> {
    let mut lines: BTreeMap<u64, Line> = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with("index/")) {
        let mut last = None;
        for (number, text) in whole_lines(path, bytes)?.enumerate() {
            let malformed = |reason| Fault::MalformedLine { path: path.clone(), line: number + 1, reason };
            let line = Line::parse(text).map_err(malformed)?;
            let seq = line.seq;
            if index_path(&line.entry) != *path {
                return Err(Fault::MisplacedLine { path: path.clone(), seq });
            }
            if lines.contains_key(&seq) {
                return Err(Fault::DoubledLine { seq });
            }
            if last.is_some_and(|last| last > seq) {
                return Err(Fault::Order { path: path.clone(), seq });
            }
            last = Some(seq);
            lines.insert(seq, line);
        }
    }
    Ok(lines.into_values().collect())
}

fn whole_lines<'b>(path: &str, bytes: &'b [u8]) -> Result<impl Iterator<Item = &'b [u8]>, Fault> {
    let whole = bytes.strip_suffix(b"\n").ok_or_else(|| Fault::MalformedLine {
        path: path.to_owned(),
        line: 1 + bytes.iter().filter(|byte| **byte == b'\n').count(),
        reason: "it does not end with a newline".to_owned(),
    })?;
    Ok(whole.split(|byte| *byte == b'\n'))
}

/// Compares a registry with its last recorded state.
fn check_seen(now: &Checkpoint, seen: Option<&Checkpoint>, leaves: &[ContentHash]) -> Result<(), Fault> {
    let Some(seen) = seen else { return Ok(()) };
    now.check_not_before(seen)?;
    if continues(seen, leaves) { Ok(()) } else { Err(Fault::Rewritten { seen: seen.size }) }
}
/// Tells whether the first leaves are those of a checkpoint.
fn continues(before: &Checkpoint, leaves: &[ContentHash]) -> bool {
    let first = usize::try_from(before.size).ok().and_then(|size| leaves.get(..size));
    first.is_some_and(|first| tree::root(first) == before.root)
}

#[cfg(test)]
pub(super) mod tests;
