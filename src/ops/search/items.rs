//! The items of three spaces as a corpus: what there is now, and what each says.

use std::cell::RefCell;
use std::collections::HashSet;

use super::super::locate::{LocateError, Locator, Purpose};
use super::readable::Readable;
use crate::id::{ItemId, ItemType, Space};
use crate::index::{Corpus, Document, Entry, Key, Stamp};
use crate::workspace::{self, BUILTIN, Candidate, FileStamp, Reader, Sighting, Survey};

/// The items as a survey found them.
pub(super) struct Items<'a> {
    locator: &'a Locator<'a>,
    survey: Survey,
    entries: Vec<Entry>,
    readers: RefCell<Vec<(Space, Reader)>>,
    /// What could not be read when it was to be indexed.
    unreadable: RefCell<Vec<workspace::Error>>,
    /// Files of reserved ids that differ from what is compiled in.
    pub(super) passed_over: Vec<PassedOver>,
}

/// A file of a reserved id that is not used.
pub(super) struct PassedOver {
    pub(super) item_type: ItemType,
    pub(super) item_id: ItemId,
    pub(super) path: String,
}

impl<'a> Items<'a> {
    /// Looks at everything there is.
    pub(super) fn survey(locator: &'a Locator<'a>) -> Result<Self, LocateError> {
        let mut survey = locator.workspace().survey()?;
        let passed_over = pass_over(locator, &mut survey)?;
        let entries = survey.items.iter().map(entry).collect();
        Ok(Self { locator, survey, entries, readers: RefCell::default(), unreadable: RefCell::default(), passed_over })
    }

    /// Returns what could not be looked at or read, a sentence each.
    pub(super) fn failures(&self) -> Vec<String> {
        let unreadable = self.unreadable.borrow();
        let mut failures: Vec<String> =
            self.survey.failures.iter().chain(unreadable.iter()).map(|failure| failure.to_string()).collect();
        // What is read twice fails twice.
        let mut seen = HashSet::new();
        failures.retain(|failure| seen.insert(failure.clone()));
        failures
    }

    /// Returns the spaces that have the item, nearest first.
    pub(super) fn spaces_of(&self, item_type: ItemType, item_id: &ItemId) -> Vec<Space> {
        self.survey.of_id(item_type, item_id).map(|(space, _)| space).collect()
    }

    /// Returns the item that a key names.
    pub(super) fn named(&self, key: &Key) -> Option<Candidate> {
        self.locator.workspace().named(&key.0)
    }

    /// Returns what was seen of the item at a position of the entries.
    pub(super) fn sighting(&self, position: usize) -> &Sighting {
        &self.survey.items[position]
    }

    /// Reads an item's bytes and its stamp; each space is opened once.
    pub(super) fn bytes(&self, candidate: &Candidate) -> Result<(Vec<u8>, FileStamp), workspace::Error> {
        let mut readers = self.readers.borrow_mut();
        if !readers.iter().any(|(space, _)| *space == candidate.space) {
            readers.push((candidate.space, self.locator.workspace().reader(candidate.space)?));
        }
        let reader = readers.iter().find(|(space, _)| *space == candidate.space);
        reader.map_or_else(
            || Err(workspace::Error::NoSpace { space: candidate.space }),
            |(_, reader)| reader.read_stamped(candidate),
        )
    }
}

impl Corpus for Items<'_> {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What is gone is no document, and neither is what cannot be read, which is remembered.
    fn read(&self, key: &Key) -> Option<Document> {
        let candidate = self.named(key)?;
        match self.bytes(&candidate) {
            Ok((bytes, _)) => Some(Readable::of(&candidate, &bytes).into_document(&candidate)),
            Err(workspace::Error::NotFound { .. }) => None,
            Err(error) => {
                self.unreadable.borrow_mut().push(error);
                None
            }
        }
    }
}

fn entry(sighting: &Sighting) -> Entry {
    let FileStamp { size, inode, modified_ns, changed_ns } = sighting.stamp;
    Entry { key: Key(sighting.name.clone()), stamp: Stamp { size, inode, modified_ns, changed_ns } }
}

/// Takes files of reserved ids out of a survey where the compiled-in item counts in their place.
fn pass_over(locator: &Locator<'_>, survey: &mut Survey) -> Result<Vec<PassedOver>, LocateError> {
    let mut passed_over = Vec::new();
    for item in BUILTIN {
        let Ok(item_id) = item.id.parse::<ItemId>() else { continue };
        let nearer: Vec<String> = nearer(survey, item.item_type, &item_id);
        if nearer.is_empty() {
            continue;
        }
        let located = locator.locate(item.item_type, &item_id, None, Purpose::Use)?;
        if !located.passed_over.is_empty() {
            survey.items.retain(|sighting| !nearer.contains(&sighting.name));
        }
        passed_over.extend(located.passed_over.iter().map(|path| PassedOver {
            item_type: item.item_type,
            item_id: item_id.clone(),
            path: path.display().to_string(),
        }));
    }
    Ok(passed_over)
}

fn nearer(survey: &Survey, item_type: ItemType, item_id: &ItemId) -> Vec<String> {
    let found = survey.of_id(item_type, item_id).filter(|(space, _)| *space != Space::System);
    found.map(|(_, sighting)| sighting.name.clone()).collect()
}
