//! `list`: what there is, where, and what its signature is worth.

use serde::Serialize;

use super::locate::{LocateError, Purpose, Session, subject, verdict_of};
use crate::capability::ProjectPath;
use crate::format;
use crate::id::{ItemId, ItemType, Space, Version};
use crate::trust::{Signed, Verdict};
use crate::workspace::{self, Candidate, MAX_ITEM_BYTES, ProjectDir};

/// What to list.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only this type.
    pub item_type: Option<ItemType>,
    /// Only this space.
    pub space: Option<Space>,
}

/// What there is.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The items, by type, id and space.
    pub items: Vec<Listed>,
    /// Files that are no items, and why.
    pub strays: Vec<Stray>,
    /// The capability documents of the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<Document>,
}

/// A capability document.
#[derive(Debug, Clone, Serialize)]
pub struct Document {
    /// Its file.
    pub path: String,
    /// How many capabilities it lists.
    pub capabilities: usize,
    /// Whether it can be used.
    pub is_valid: bool,
}

/// One item.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The space it is in.
    pub space: Space,
    /// Its file.
    pub path: String,
    /// Its version, if it can be read.
    pub version: Option<Version>,
    /// One line of what it is.
    pub description: String,
    /// What its signature is worth.
    pub verdict: Verdict,
    /// The space whose item of this id hides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed_by: Option<Space>,
}

/// A file that is no item.
#[derive(Debug, Clone, Serialize)]
pub struct Stray {
    /// The file.
    pub path: String,
    /// Why.
    pub reason: String,
    /// Whether an item may be hidden behind it: it cannot be read, or several files claim to be one item.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_fault: bool,
}

impl Outcome {
    /// Tells whether an item may be missing from the list.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.strays.iter().any(|stray| stray.is_fault)
    }
}

/// Lists items.
///
/// # Errors
///
/// Fails when a space cannot be opened. A file or folder in it that cannot be read is told beside the rest.
pub fn list(session: &Session, options: &Options) -> Result<Outcome, LocateError> {
    let listing = session.workspace().list(options.item_type, None)?;
    let strays = listing.strays.into_iter();
    let shown = strays.map(|stray| Stray {
        path: stray.path.display().to_string(),
        reason: stray.reason,
        is_fault: stray.fault.is_some(),
    });
    let mut strays: Vec<Stray> = shown.collect();
    let mut items = Vec::new();
    for same_id in listing.items.chunk_by(|a, b| (a.item_type, &a.id) == (b.item_type, &b.id)) {
        let used = used_space(session, same_id)?;
        for candidate in same_id.iter().filter(|item| options.space.is_none_or(|space| space == item.space)) {
            let shadowed_by = used.filter(|space| *space != candidate.space);
            match session.workspace().read(candidate) {
                Ok(bytes) => items.push(listed(session, candidate, bytes, shadowed_by)),
                Err(error) => {
                    let Some((_, reason)) = error.of_one_file() else { return Err(error.into()) };
                    strays.push(Stray { path: candidate.path.display().to_string(), reason, is_fault: true });
                }
            }
        }
    }
    let wanted = options.item_type.is_none() && options.space.is_none_or(|space| space == Space::Project);
    let documents = if wanted { documents(session)? } else { Vec::new() };
    Ok(Outcome { items, strays, documents })
}

/// Lists the capability documents of the project. One that cannot be read lists none.
fn documents(session: &Session) -> Result<Vec<Document>, LocateError> {
    let Ok(root) = session.project_root() else { return Ok(Vec::new()) };
    let project = ProjectDir::open(root)?;
    let document = |path: ProjectPath| {
        let read = project.read(&path, MAX_ITEM_BYTES).ok().filter(|read| !read.truncated);
        let text = read.and_then(|read| String::from_utf8(read.bytes).ok());
        let found = text.map(|text| format::capabilities(&text));
        let is_valid = found.as_ref().is_some_and(|found| !format::has_errors(&found.findings));
        let capabilities = found.map_or(0, |found| found.capabilities.calls.len());
        Document { path: root.join(path.as_str()).display().to_string(), capabilities, is_valid }
    };
    Ok(project.capability_documents()?.into_iter().map(document).collect())
}

/// Returns the space whose item of an id counts. Reserved ids come from the system space.
fn used_space(session: &Session, same_id: &[Candidate]) -> Result<Option<Space>, LocateError> {
    let [nearest, _, ..] = same_id else { return Ok(None) };
    match session.locate(nearest.item_type, &nearest.id, None, Purpose::Use) {
        Ok(located) => Ok(Some(located.candidate.space)),
        // What is listed anyway, with the reason.
        Err(LocateError::Workspace(error))
            if matches!(error, workspace::Error::Ambiguous { .. }) || error.of_one_file().is_some() =>
        {
            Ok(Some(nearest.space))
        }
        Err(error) => Err(error),
    }
}

fn listed(session: &Session, candidate: &Candidate, bytes: Vec<u8>, shadowed_by: Option<Space>) -> Listed {
    let item = format::parse_bytes(candidate.item_type, &candidate.extension, &bytes).item;
    let verdict = verdict_of(&session.keys(), Signed::new(subject(candidate), bytes).in_space(candidate.space));
    Listed {
        item_type: candidate.item_type,
        item_id: candidate.id.clone(),
        space: candidate.space,
        path: candidate.path.display().to_string(),
        version: item.as_ref().and_then(crate::item::Item::version),
        description: item.as_ref().map(|item| item.summary().to_owned()).unwrap_or_default(),
        verdict,
        shadowed_by,
    }
}
