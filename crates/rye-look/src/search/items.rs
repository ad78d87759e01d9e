//! The items of three spaces as a corpus: what there is now, and what each says.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::super::locate::{KnownSkill, LocateError, Purpose};
use super::readable::Readable;
use crate::id::{ItemId, ItemType, Space, item_path};
use crate::index::{Corpus, Document, Entry, Stamp};
use crate::project::Project;
use crate::workspace::{self, BUILTIN, Candidate, FileStamp, Reader, Sighting, Survey};

/// The items as a survey found them.
pub(super) struct Items<'a> {
    project: &'a Project,
    /// Nearest space first, then by type and id: the order of what fits equally well.
    sightings: Vec<Sighting>,
    /// The same, as the index knows them.
    entries: Vec<Entry>,
    failures: Vec<workspace::Error>,
    readers: RefCell<Vec<(Space, Reader)>>,
    /// Files of reserved ids that differ from the compiled ones.
    pub(super) passed_over: Vec<PassedOver>,
    /// The skills, whose texts are in their folders.
    skills: Vec<KnownSkill>,
    /// Why files that are there could not be read; such are asked for by every search.
    unreadable: RefCell<BTreeSet<String>>,
}

/// A file of a reserved id that is not used.
pub(super) struct PassedOver {
    pub(super) item_type: ItemType,
    pub(super) item_id: ItemId,
    pub(super) path: String,
}

impl<'a> Items<'a> {
    /// Looks at everything there is.
    pub(super) fn survey(project: &'a Project) -> Result<Self, LocateError> {
        let Survey { items: mut sightings, failures } = project.workspace().survey()?;
        let passed_over = pass_over(project, &mut sightings)?;
        let skills = add_skills(project, &mut sightings)?;
        let entries = sightings.iter().map(entry).collect();
        let (readers, unreadable) = <(RefCell<_>, RefCell<_>)>::default();
        Ok(Self { project, sightings, entries, failures, readers, passed_over, skills, unreadable })
    }

    pub(super) const fn project(&self) -> &Project {
        self.project
    }

    /// Says what could not be looked at or read.
    pub(super) fn failures(&self) -> Vec<String> {
        let unreadable = self.unreadable.borrow();
        let unseen = self.failures.iter().map(ToString::to_string);
        unseen.chain(unreadable.iter().cloned()).map(|failure| format!("{failure}: it is not searched")).collect()
    }

    /// Returns the spaces that have the item, nearest first.
    pub(super) fn spaces_of(&self, item_type: ItemType, item_id: &ItemId) -> Vec<Space> {
        let has = |space: &Space| find(&self.sightings, *space, item_type, item_id).is_some();
        Space::ALL.into_iter().filter(has).collect()
    }

    /// Returns the item at a position.
    pub(super) fn candidate(&self, position: usize) -> &Candidate {
        &self.sightings[position].candidate
    }

    /// Returns the skill that a candidate is the manifest of; none for other items.
    pub(super) fn skill(&self, candidate: &Candidate) -> Option<&KnownSkill> {
        let is_it = |skill: &&KnownSkill| skill.candidate == *candidate;
        if candidate.item_type == ItemType::Skill { self.skills.iter().find(is_it) } else { None }
    }

    /// Reads an item's bytes and its stamp, of a skill those of its `SKILL.md`; each space is opened once.
    pub(super) fn bytes(&self, candidate: &Candidate) -> Result<(Vec<u8>, Stamp), workspace::Error> {
        if let Some(skill) = self.skill(candidate) {
            return skill_bytes(self.project, skill);
        }
        let mut readers = self.readers.borrow_mut();
        if !readers.iter().any(|(space, _)| *space == candidate.space) {
            readers.push((candidate.space, self.project.workspace().reader(candidate.space)?));
        }
        let reader = readers.iter().find(|(space, _)| *space == candidate.space);
        reader.map_or_else(
            || Err(workspace::Error::NoSpace { space: candidate.space }),
            |(_, reader)| reader.read_stamped(candidate).map(|(bytes, seen)| (bytes, stamp(seen))),
        )
    }
}

impl Corpus for Items<'_> {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// A missing or unreadable file is not a document; an unreadable one is reported.
    fn read(&self, position: usize) -> Option<Document> {
        let candidate = self.candidate(position);
        let read = self.bytes(candidate);
        if let Err(error) = &read
            && !matches!(error, workspace::Error::NotFound { .. })
        {
            self.unreadable.borrow_mut().insert(error.to_string());
        }
        let (bytes, _) = read.ok()?;
        Some(Readable::of(candidate, &bytes).into_document(candidate))
    }
}

/// Puts each skill into the place of its manifest, stamped by its `SKILL.md`; and those in that have no manifest.
fn add_skills(project: &Project, sightings: &mut Vec<Sighting>) -> Result<Vec<KnownSkill>, LocateError> {
    let mut skills = project.known_skills(Space::Project)?;
    skills.extend(project.known_skills(Space::User)?);
    skills.retain(|skill| !skill.places.is_empty());
    sightings.retain(|sighting| sighting.candidate.item_type != ItemType::Skill);
    for skill in &skills {
        let stamp = project.workspace().skill_stamp(skill.candidate.space, &skill.places[0])?;
        sightings.push(Sighting { candidate: skill.candidate.clone(), stamp });
    }
    sightings.sort_by(|a, b| a.key().cmp(&b.key()));
    Ok(skills)
}

fn skill_bytes(project: &Project, skill: &KnownSkill) -> Result<(Vec<u8>, Stamp), workspace::Error> {
    let (space, place) = (skill.candidate.space, &skill.places[0]);
    let seen = project.workspace().skill_stamp(space, place)?;
    Ok((project.workspace().skill_text(space, place)?, stamp(seen)))
}

/// Names an item `project/knowledge/deploy/staging.md`.
fn entry(sighting: &Sighting) -> Entry {
    let Candidate { space, item_type, id, extension, .. } = &sighting.candidate;
    let key = [space.as_str(), "/", &item_path(*item_type, id, extension)].concat();
    Entry { key, stamp: stamp(sighting.stamp) }
}

const fn stamp(seen: FileStamp) -> Stamp {
    let FileStamp { size, inode, modified_ns, changed_ns } = seen;
    Stamp { size, inode, modified_ns, changed_ns }
}

/// Finds the item of a space among all, which are sorted as a survey does.
fn find(sightings: &[Sighting], space: Space, item_type: ItemType, item_id: &ItemId) -> Option<usize> {
    sightings.binary_search_by(|sighting| sighting.key().cmp(&(space, item_type, item_id))).ok()
}

/// Takes files of reserved ids out of the items where the compiled-in item counts in their place.
fn pass_over(project: &Project, sightings: &mut Vec<Sighting>) -> Result<Vec<PassedOver>, LocateError> {
    let mut passed_over = Vec::new();
    for item in BUILTIN {
        let Ok(item_id) = item.id.parse::<ItemId>() else { continue };
        let nearer = [Space::Project, Space::User].map(|space| find(sightings, space, item.item_type, &item_id));
        if nearer == [None, None] {
            continue;
        }
        let located = project.locate(item.item_type, &item_id, None, Purpose::Use)?;
        if !located.passed_over.is_empty() {
            // The later one first: it moves no other.
            nearer.into_iter().rev().flatten().for_each(|position| drop(sightings.remove(position)));
        }
        passed_over.extend(located.passed_over.iter().map(|path| PassedOver {
            item_type: item.item_type,
            item_id: item_id.clone(),
            path: path.display().to_string(),
        }));
    }
    Ok(passed_over)
}
