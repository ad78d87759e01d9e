//! `search --registry`: the newest version of every item in the registries that a person uses.
//!
//! The registry is the record: which versions there are is read from its log, fetched and checked before, and all that is shown
//! of an item comes from its package, checked again. The index only says what may fit and in which order, and its entries are
//! named by content, so it never speaks of other bytes.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::error::Error;
use super::outcome::Snippet;
use super::page::{rounded, snippet};
use super::readable::Readable;
use super::schema::REGISTRY_SCHEMA;
use super::sort::Sort;
use crate::git::Terminal;
use crate::id::{ItemId, ItemType, Segment, Space, Version};
use crate::index::{self, Corpus, Document, Entry, Matched, Place, Query, Stamp};
use crate::project::Project;
use crate::registry::{self, Published, PublishedVersion, Registry, Snapshot, known};
use crate::session::Session;
use crate::workspace::Candidate;

/// The most items that are searched.
const MOST: usize = 100_000;

/// What to search for in registries.
#[derive(Debug, Clone)]
pub struct RegistryOptions {
    /// The query, in the language of docs/search.md.
    pub query: String,
    /// Only this registry.
    pub registry: Option<Segment>,
    /// Only items of this type.
    pub item_type: Option<ItemType>,
    /// How many results to show at most.
    pub max: usize,
    /// How many of the best to pass by.
    pub offset: usize,
    /// The order of the results; by date, it is that of the registry's log, the newest first.
    pub sort: Sort,
    /// Whether words that are nearly those of the query fit too.
    pub fuzzy: bool,
    /// Whether every score is explained.
    pub explain: bool,
    /// Whether nothing is fetched: the last fetched state is searched.
    pub is_offline: bool,
    /// Whether git may ask for credentials.
    pub terminal: Terminal,
}

/// Results in registries.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RegistryOutcome {
    /// How many fit, shown or not.
    pub total: usize,
    /// How many of the best were passed by.
    pub offset: usize,
    /// One page of what fits, the best first.
    pub results: Vec<RegistryHit>,
    /// Whether a word of the query is nowhere, and words that are nearly the same were found in its place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub corrected: bool,
    /// What the query was probably meant to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// What the answer may lack, or what made it slow: one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// An item of a registry that fits, in its newest version that was not yanked.
#[derive(Debug, Clone, Serialize)]
pub struct RegistryHit {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The local name of the registry.
    pub registry: Segment,
    /// The namespace.
    pub namespace: String,
    /// The version.
    pub version: Version,
    /// Its title; the last segment of the id where it has none.
    pub title: String,
    /// One line of what it is.
    pub description: String,
    /// The fingerprint of the key that published it.
    pub signer: String,
    /// Why it is no longer recommended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// How well it fits: greater is better; comparable only within the same answer.
    pub score: f64,
    /// A passage of it that fits, on one line: data, never instructions.
    pub snippet: String,
    /// The parts of the snippet that fit: byte offsets of beginning and end.
    pub highlights: Vec<(usize, usize)>,
    /// How the score came about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explanation: Vec<String>,
}

/// Searches registries. `progress` is told how many items are indexed already, and of how many, while an index is built.
///
/// # Errors
///
/// Fails when the query is not understood, without a registry, when one fails a check, and when none can be reached.
/// One that cannot be reached is searched as it was last fetched, with a warning.
pub fn registries(
    session: &Session,
    options: &RegistryOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<RegistryOutcome, Error> {
    let fault = |fault| Error::Query { query: options.query.clone(), fault };
    let query = Query::parse(&REGISTRY_SCHEMA, &options.query).map_err(fault)?;
    let Opened { sources, warnings } = opened(session, options)?;
    let mut shelves = Shelves::of(&sources, options);
    let too_many = shelves.entries.len() > MOST;
    shelves.shown.truncate(MOST);
    shelves.entries.truncate(MOST);
    let newest = |a: usize, b: usize| shelves.shown[b].seq().cmp(&shelves.shown[a].seq());
    let by_id = |a: usize, b: usize| shelves.shown[a].item_id.cmp(shelves.shown[b].item_id);
    let asked = index::Options {
        accepts: None,
        value: None,
        offset: options.offset,
        max: options.max,
        sort: match options.sort {
            Sort::Score => index::Sort::Score,
            Sort::Date => index::Sort::By(&newest),
            Sort::Name => index::Sort::By(&by_id),
        },
        fuzzy: options.fuzzy,
        explain: options.explain,
    };
    let found = index::search(&place(session.project()), &shelves, &query, &asked, progress)?;
    // A package that fails its checks is not left out silently.
    if let Some(error) = shelves.failure.take() {
        return Err(error.into());
    }
    let mut outcome = RegistryOutcome {
        total: found.total,
        offset: options.offset,
        corrected: found.corrected,
        did_you_mean: found.did_you_mean.clone(),
        warnings,
        ..RegistryOutcome::default()
    };
    for ranked in &found.hits {
        outcome.results.push(shelves.hit(ranked, &found.words)?);
    }
    outcome.warnings.extend(found.warning);
    outcome.warnings.extend(found.rebuilt.filter(|_| options.explain));
    if too_many {
        outcome.warnings.push(format!("there are more than {MOST} items; the rest is not searched"));
    }
    Ok(outcome)
}

/// The registries that are searched, and what to tell of them.
struct Opened<'c> {
    sources: Vec<(Registry<'c>, Snapshot)>,
    warnings: Vec<String>,
}

/// Fetches the registries that are searched, or takes them as they were last fetched.
fn opened<'c>(session: &'c Session, options: &RegistryOptions) -> Result<Opened<'c>, Error> {
    let mut list = known(session.context())?;
    if let Some(name) = &options.registry {
        list.registries = vec![registry::find(&list, name)?.clone()];
    }
    if list.registries.is_empty() {
        return Err(Error::NoRegistry);
    }
    let transport = session.transport(options.terminal)?;
    let (mut sources, mut warnings, mut unreached) = (Vec::new(), Vec::new(), None);
    for known in &list.registries {
        let mut registry = match Registry::open(session.context(), &transport, known) {
            Err(error @ registry::Error::Static { .. }) if options.registry.is_none() => {
                warnings.push(format!("{error}: it is not searched"));
                unreached = Some(error);
                continue;
            }
            opened => opened?,
        };
        let fetched = if options.is_offline { registry.cached() } else { registry.refresh_in_time() };
        let snapshot = match fetched {
            Err(error @ (registry::Error::Fetch { .. } | registry::Error::Unreached { .. })) => match registry.cached()
            {
                Ok(snapshot) => {
                    warnings.push(format!("{error}: searching the last fetched state"));
                    snapshot
                }
                Err(_) => {
                    warnings.push(format!("{error}: it is not searched"));
                    unreached = Some(error);
                    continue;
                }
            },
            Err(error @ registry::Error::NotFetched { .. }) => {
                warnings.push(format!("{error}: it is not searched"));
                unreached = Some(error);
                continue;
            }
            fetched => fetched?,
        };
        sources.push((registry, snapshot));
    }
    match unreached {
        Some(error) if sources.is_empty() => Err(error.into()),
        _ => Ok(Opened { sources, warnings }),
    }
}

/// Returns where the index is kept: each person has one for all registries.
fn place(project: &Project) -> Place {
    let cache = project.context().cache_dir();
    cache.map_or_else(|_| Place::memory(), |cache| Place::at(&cache, &[Path::new("registries")]))
}

/// The items of registries as a corpus.
struct Shelves<'s> {
    shown: Vec<Shown<'s>>,
    entries: Vec<Entry>,
    failure: RefCell<Option<registry::Error>>,
}

/// One item, in the version that is searched.
struct Shown<'s> {
    registry: &'s Registry<'s>,
    snapshot: &'s Snapshot,
    item_id: &'s ItemId,
    item_type: ItemType,
    published: &'s Published,
    version: &'s PublishedVersion,
}

impl<'s> Shelves<'s> {
    fn of(sources: &'s [(Registry<'s>, Snapshot)], options: &RegistryOptions) -> Self {
        let mut shown = Vec::new();
        for (registry, snapshot) in sources {
            for (item_id, item_type, published) in snapshot.log.state().items() {
                let is_good = |one: &PublishedVersion| !one.is_yanked && one.release.is_for_this_program();
                let newest = published.versions.values().rev().find(|version| is_good(version));
                let is_wanted = options.item_type.is_none_or(|wanted| wanted == item_type);
                if let Some(version) = newest.filter(|_| is_wanted) {
                    shown.push(Shown { registry, snapshot, item_id, item_type, published, version });
                }
            }
        }
        let entries = shown.iter().map(Shown::entry).collect();
        Self { shown, entries, failure: RefCell::default() }
    }

    fn hit(&self, ranked: &index::Hit, words: &Matched) -> Result<RegistryHit, Error> {
        let shown = &self.shown[ranked.position];
        let readable = shown.readable()?;
        let Snippet { text, highlights } = snippet(&readable, words);
        Ok(RegistryHit {
            item_type: shown.item_type,
            item_id: shown.item_id.clone(),
            registry: shown.registry.name().clone(),
            namespace: shown.item_id.namespace().unwrap_or_default().to_owned(),
            version: shown.version.release.version,
            title: readable.title,
            description: readable.description,
            signer: shown.version.key.fingerprint(),
            deprecated: shown.published.deprecated.clone(),
            score: rounded(ranked.score),
            snippet: text,
            highlights,
            explanation: ranked.explanation.clone(),
        })
    }
}

impl Corpus for Shelves<'_> {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn read(&self, position: usize) -> Option<Document> {
        let shown = &self.shown[position];
        match shown.readable() {
            Ok(readable) => Some(shown.document(readable)),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                None
            }
        }
    }
}

impl Shown<'_> {
    /// Names the item by its content: whatever a registry holds later under this name, it is another entry.
    fn entry(&self) -> Entry {
        let release = &self.version.release;
        let (registry, version, blake3) = (self.registry.name(), release.version, &release.blake3);
        let key = format!("{registry}/{}/{}/{version}/{blake3}", self.item_type, self.item_id);
        Entry { key, stamp: Stamp { size: release.size, ..Stamp::default() } }
    }

    fn seq(&self) -> u64 {
        self.version.seq
    }

    /// Reads the item from its package, checked.
    fn readable(&self) -> Result<Readable, registry::Error> {
        let package = self.registry.package(self.snapshot, self.version)?;
        Ok(Readable::of(&self.candidate(), package.item()))
    }

    fn document(&self, readable: Readable) -> Document {
        let mut document = readable.into_document(&self.candidate());
        document.fields.retain(|(field, _)| *field != "space");
        let namespace = self.item_id.namespace().unwrap_or_default();
        for (field, value) in [
            ("registry", self.registry.name().to_string()),
            ("namespace", namespace.to_owned()),
            ("version", self.version.release.version.to_string()),
        ] {
            document.fields.push((field, value));
        }
        document
    }

    /// The item without a place: its content depends on its type and id alone.
    fn candidate(&self) -> Candidate {
        let (item_type, id, extension) = (self.item_type, self.item_id.clone(), self.version.release.extension.clone());
        Candidate { space: Space::Project, item_type, id, extension, path: PathBuf::new() }
    }
}
