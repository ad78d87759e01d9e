//! Which files the patterns of a command name: the nearest of the project's and the user's for each id.
//!
//! Undecidable cases are named, never skipped: two files that differ only by extension, and a file or folder that
//! cannot be read, are failures of their own.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::super::locate::{LocateError, Purpose, no_skill};
use super::error::Error;
use super::options::Options;
use super::outcome::{Outcome, Unreadable};
use super::skill;
use crate::id::{ItemId, ItemType, Space, glob};
use crate::item::SkillFault;
use crate::project::Project;
use crate::workspace::{self, Candidate, Stray};

/// What patterns name, by type and id.
#[derive(Debug, Default)]
pub(super) struct Selected {
    /// The files.
    pub(super) items: Vec<Candidate>,
    /// Those that are named one by one, and not by a pattern of several.
    pub(super) named: BTreeSet<(ItemType, ItemId)>,
    /// The ids that files claim which cannot be used.
    pub(super) claims: Vec<Claim>,
    /// Files and folders that cannot be read, and claim no id.
    pub(super) unreadable: Vec<(Space, Unreadable)>,
}

/// An id that a file claims which cannot be used, or several files at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) space: Space,
    pub(super) item_type: ItemType,
    pub(super) id: ItemId,
}

impl Claim {
    /// Says which file it is, and why it cannot be used.
    pub(super) fn failure(&self, project: &Project) -> Result<(String, LocateError), Error> {
        match project.locate(self.item_type, &self.id, Some(self.space), Purpose::Author) {
            Err(LocateError::Workspace(failure)) => {
                let path = match &failure {
                    workspace::Error::Ambiguous { paths, .. } => paths.first().map(PathBuf::as_path),
                    failure => failure.of_one_file().map(|(path, _)| path),
                };
                Ok((path.map(|path| path.display().to_string()).unwrap_or_default(), failure.into()))
            }
            // One of them was removed meanwhile: the next run sees an item.
            Ok(_) => Err(Error::NoMatch { pattern: self.id.to_string() }),
            Err(error) => Err(error.into()),
        }
    }
}

/// Finds what the patterns name. Without patterns it is all of the project, or of the user without a project.
pub(super) fn matching(project: &Project, options: &Options) -> Result<Selected, Error> {
    if options.patterns.is_empty() {
        let mut own = own_items(project, options.item_type)?;
        let is_meant = |space| space == Space::Project || project.workspace().root(Space::Project).is_none();
        own.items.retain(|item| is_meant(item.space));
        own.claims.retain(|claim| is_meant(claim.space));
        own.unreadable.retain(|(space, _)| is_meant(*space));
        if own.items.is_empty() && own.claims.is_empty() && own.unreadable.is_empty() {
            project.root()?;
        }
        return Ok(own);
    }
    let mut selected = Selected::default();
    for pattern in &options.patterns {
        let found = match fitting(project, options.item_type, pattern) {
            Ok(found) if !found.items.is_empty() || !found.claims.is_empty() => {
                match nearer_skill(project, options.item_type, pattern, &found)? {
                    Some(nearer) => Ok(Selected { items: vec![nearer], ..Selected::default() }),
                    None => Ok(found),
                }
            }
            missed => match folder_of_skill(project, options.item_type, pattern)? {
                Some(candidate) => Ok(Selected { items: vec![candidate], ..Selected::default() }),
                None => match (options.item_type, is_pattern(pattern)) {
                    (Some(ItemType::Skill), false) => match no_skill(project, pattern)? {
                        Some(error) => return Err(error.into()),
                        None => missed,
                    },
                    _ => missed,
                },
            },
        };
        let found = found?;
        if found.items.is_empty() && found.claims.is_empty() {
            project.require_named_checked_out(pattern)?;
            return Err(Error::NoMatch { pattern: pattern.clone() });
        }
        if !is_pattern(pattern) {
            selected.named.extend(found.items.iter().map(|item| (item.item_type, item.id.clone())));
        }
        selected.items.extend(found.items);
        selected.claims.extend(found.claims);
    }
    let mut twins = Vec::new();
    for skill in selected.items.iter().filter(|item| item.item_type == ItemType::Skill) {
        // Faults of its folder are reported when it is signed.
        twins.extend(skill::stale_twins(project, skill).unwrap_or_default());
    }
    selected.items.extend(twins);
    selected.items.sort_by(|a, b| (a.item_type, &a.id).cmp(&(b.item_type, &b.id)));
    selected.items.dedup();
    selected.claims.sort_by(|a, b| (a.item_type, &a.id).cmp(&(b.item_type, &b.id)));
    selected.claims.dedup();
    Ok(selected)
}

/// Lists what some client takes for a skill of the project and cannot be signed, by its path: nothing where skills are not signed.
pub fn skipped_skills(
    project: &Project,
    options: &Options,
    outcome: &Outcome,
) -> Result<Vec<(String, SkillFault)>, LocateError> {
    let has_skill = || outcome.items.iter().any(|item| item.item_type == ItemType::Skill);
    let is_meant = options.item_type == Some(ItemType::Skill) || options.item_type.is_none() && has_skill();
    if !is_meant || !options.patterns.is_empty() {
        return Ok(Vec::new());
    }
    Ok(project.skill_places(Space::Project)?.faults)
}

/// Returns the project's skill, signed or not, that comes before the person's signed one of the same id.
fn nearer_skill(
    project: &Project,
    item_type: Option<ItemType>,
    pattern: &str,
    found: &Selected,
) -> Result<Option<Candidate>, LocateError> {
    let [Candidate { space: Space::User, item_type: ItemType::Skill, id, .. }] = found.items.as_slice() else {
        return Ok(None);
    };
    let own = folder_of_skill(project, item_type, pattern)?;
    Ok(own.filter(|own| own.space == Space::Project && own.id == *id))
}

/// Tells whether a text matches several items.
fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Finds the skill that a name or the path of its folder means.
fn folder_of_skill(
    project: &Project,
    item_type: Option<ItemType>,
    pattern: &str,
) -> Result<Option<Candidate>, LocateError> {
    match item_type {
        Some(ItemType::Skill) | None => skill::named(project, pattern),
        Some(ItemType::Directive | ItemType::Tool | ItemType::Knowledge) => Ok(None),
    }
}

/// Finds the files of one pattern. An id is looked up where it must be; only a true pattern needs the whole listing.
fn fitting(project: &Project, item_type: Option<ItemType>, pattern: &str) -> Result<Selected, Error> {
    let (Some(item_type), Ok(id)) = (item_type, pattern.parse::<ItemId>()) else {
        let mut own = own_items(project, item_type)?;
        own.items.retain(|item| glob::matches(pattern, item.id.as_str()));
        own.claims.retain(|claim| glob::matches(pattern, claim.id.as_str()));
        own.unreadable.clear();
        return Ok(own);
    };
    let found = project.workspace().candidates(item_type, &id).map_err(LocateError::from)?;
    let own = found.into_iter().find(|candidate| candidate.space != Space::System);
    if own.is_none() {
        // Says that it is unknown, and suggests a similar id.
        project.locate(item_type, &id, None, Purpose::Author)?;
    }
    Ok(Selected { items: own.into_iter().collect(), ..Selected::default() })
}

/// Lists the nearest of the project's and the user's items for each id.
fn own_items(project: &Project, item_type: Option<ItemType>) -> Result<Selected, Error> {
    let mut own = Selected::default();
    for space in [Space::Project, Space::User] {
        for item_type in ItemType::ALL.into_iter().filter(|each| item_type.is_none_or(|wanted| wanted == *each)) {
            let listing = project.workspace().list(Some(item_type), Some(space)).map_err(LocateError::from)?;
            own.items.extend(listing.items);
            for Stray { path, reason, claimed, fault } in listing.strays {
                match (claimed, fault) {
                    (Some(id), _) => own.claims.push(Claim { space, item_type, id }),
                    (None, Some(_)) => {
                        own.unreadable.push((space, Unreadable { path: path.display().to_string(), reason }));
                    }
                    (None, None) => {}
                }
            }
        }
    }
    let has_skills = |own: &Selected| own.items.iter().any(|item| item.item_type == ItemType::Skill);
    // All items are those that are judged: skills once one of them is signed.
    if item_type == Some(ItemType::Skill) || item_type.is_none() && has_skills(&own) {
        own.items.extend(skill::unsigned(project)?);
    }
    own.items.sort_by(|a, b| (a.item_type, &a.id, a.space).cmp(&(b.item_type, &b.id, b.space)));
    own.items.dedup_by(|a, b| a.item_type == b.item_type && a.id == b.id);
    Ok(own)
}
