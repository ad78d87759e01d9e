//! `load`: an item's bytes as they are stored, for inspection.
//!
//! Nothing is interpolated or required to be valid: the loaded item is data, never instructions. With a destination the
//! bytes are copied as they are, so that the signature stays valid. A model's copy counts as written by an agent.

use std::path::PathBuf;

use serde::Serialize;
use thiserror::Error;

use super::locate::{LocateError, Purpose, shown_path, verdict_of};
use super::sign::remember_written;
use crate::capability::{Denial, ProjectPath};
use crate::format;
use crate::id::{Extension, ItemId, ItemPath, ItemType, SPACE_FOLDER, Space, Version, nearest};
use crate::item::{Item, SKILL_FILE, SkillFault};
use crate::keys::KeysError;
use crate::project::Project;
use crate::trust::Verdict;
use crate::workspace::{self, Expected};

/// What to load.
#[derive(Debug, Clone)]
pub struct Options {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The only space to look in.
    pub from: Option<Space>,
    /// The space to copy it to.
    pub to: Option<Space>,
    /// Whether a differing item at the destination may be overwritten.
    pub force: bool,
}

/// The loaded item.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The verdict of its signature.
    pub verdict: Verdict,
    /// Where it was found.
    pub space: Space,
    /// Its file.
    pub path: String,
    /// Its text, signature line included; invalid UTF-8 is replaced. A model gets the text of a tool without the parameters
    /// that the tool fixes, and then without the signature line.
    pub content: String,
    /// Facts about the file.
    pub metadata: Metadata,
    /// The spaces whose item of this id it hides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shadows: Vec<Space>,
    /// Items of this id that were passed over because the id is reserved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<String>,
    /// The copy that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_to: Option<String>,
    /// The copy that a model made, as a path of the project.
    #[serde(skip)]
    pub copy: Option<ProjectPath>,
    /// The exact bytes, for a terminal or a pipe.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// Facts about an item's file.
#[derive(Debug, Clone, Serialize)]
pub struct Metadata {
    /// The last segment of its id.
    pub name: String,
    /// Its extension.
    pub extension: Extension,
    /// Its version, if it can be read.
    pub version: Option<Version>,
}

/// Why an item cannot be loaded or copied.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// It cannot be found.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// Another item of that id is at the destination.
    #[error("the {space} space has another {item_type} `{item_id}`")]
    Exists { space: Space, item_type: ItemType, item_id: ItemId },
    /// A skill is a folder, and is not copied by this.
    #[error("skill `{item_id}` is a folder, and only single files are copied")]
    Skill { item_id: ItemId },
    /// The model may not write the copy.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// The text shows parameters that are hidden from models.
    #[error("the text of tool `{item_id}` has parameters that it fixes itself, and that models are not shown")]
    Fixed { item_id: ItemId },
    /// It cannot be remembered that an agent wrote the copy.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The copy cannot be written.
    #[error("cannot copy {item_type} `{item_id}`")]
    Copy {
        item_type: ItemType,
        item_id: ItemId,
        #[source]
        source: workspace::Error,
    },
}

/// Judges the path of a copy that a model makes.
type MayWrite<'a> = &'a dyn Fn(&ProjectPath) -> Result<(), Denial>;

/// Loads an item, for a person.
///
/// # Errors
///
/// Fails when the item cannot be found or read, and when the copy cannot be made.
pub fn load(project: &Project, options: &Options) -> Result<Outcome, Error> {
    loaded(project, options, None)
}

/// Loads an item, for a model: `may_write` judges the path of a copy.
///
/// # Errors
///
/// As [`load`], and when the model may not write the copy.
pub fn load_for_model(project: &Project, options: &Options, may_write: MayWrite<'_>) -> Result<Outcome, Error> {
    loaded(project, options, Some(may_write))
}

fn loaded(project: &Project, options: &Options, may_write: Option<MayWrite<'_>>) -> Result<Outcome, Error> {
    if options.item_type == ItemType::Skill {
        return skill(project, options);
    }
    let located = project.locate(options.item_type, &options.item_id, options.from, Purpose::Use)?;
    let (candidate, bytes) = (&located.candidate, located.signed.content().clone());
    let copied =
        options.to.map(|to| copy(project, options, to, &candidate.extension, &bytes, may_write)).transpose()?;
    let parsed = format::parse_bytes(candidate.item_type, &candidate.extension, &bytes);
    let content = String::from_utf8_lossy(&bytes).into_owned();
    let content = match (&parsed.item, may_write) {
        (Some(Item::Tool(tool)), Some(_)) => format::model_text(&content, &candidate.extension, tool)
            .ok_or_else(|| Error::Fixed { item_id: options.item_id.clone() })?,
        _ => content,
    };
    let verdict = verdict_of(&project.keys(), located.signed.clone());
    Ok(Outcome {
        item_type: options.item_type,
        item_id: options.item_id.clone(),
        space: candidate.space,
        path: shown_path(candidate),
        content,
        metadata: Metadata {
            name: options.item_id.name().to_owned(),
            extension: candidate.extension.clone(),
            version: parsed.item.and_then(|item| item.version()),
        },
        verdict,
        shadows: located.shadows,
        passed_over: located.passed_over.iter().map(|path| path.display().to_string()).collect(),
        copy: copied.as_ref().and(may_write).map(|_| in_project(options, &candidate.extension)),
        copied_to: copied,
        bytes,
    })
}

/// Loads the `SKILL.md` of a skill, signed or not.
fn skill(project: &Project, options: &Options) -> Result<Outcome, Error> {
    let Options { item_id, from, .. } = options;
    if options.to.is_some() {
        return Err(Error::Skill { item_id: item_id.clone() });
    }
    for space in [Space::Project, Space::User].into_iter().filter(|space| from.is_none_or(|from| from == *space)) {
        let skills = project.known_skills(space)?;
        let Some(skill) = skills.iter().find(|skill| skill.candidate.id == *item_id) else { continue };
        let Some(place) = &project.judged_place(skill)? else {
            let faults = vec![SkillFault::NoFolder];
            return Err(LocateError::SkillChanged { item_id: item_id.clone(), path: PathBuf::new(), faults }.into());
        };
        let bytes = project.workspace().skill_text(space, place).map_err(LocateError::from)?;
        return Ok(Outcome {
            item_type: ItemType::Skill,
            item_id: item_id.clone(),
            verdict: project.skill_verdict(skill)?,
            space,
            path: format!("{}/{SKILL_FILE}", place.path),
            content: String::from_utf8_lossy(&bytes).into_owned(),
            metadata: Metadata {
                name: place.name.clone(),
                extension: skill.candidate.extension.clone(),
                version: format::skill_document(&place.name, &bytes).0.and_then(|document| document.version()),
            },
            shadows: Vec::new(),
            passed_over: Vec::new(),
            copied_to: None,
            copy: None,
            bytes,
        });
    }
    let known = project.known_skills(Space::Project)?;
    let suggestion = nearest(item_id.as_str(), known.iter().map(|skill| skill.candidate.id.as_str()));
    let suggestion = suggestion.and_then(|id| id.parse().ok());
    Err(LocateError::Unknown {
        item_type: ItemType::Skill,
        item_id: item_id.clone(),
        space: *from,
        suggestion,
        instead: None,
    }
    .into())
}

/// Copies byte for byte; an identical copy that is there already is fine.
fn copy(
    project: &Project,
    options: &Options,
    to: Space,
    extension: &Extension,
    bytes: &[u8],
    may_write: Option<MayWrite<'_>>,
) -> Result<String, Error> {
    let Options { item_type, item_id, force, .. } = options;
    let in_project = in_project(options, extension);
    if let Some(may_write) = may_write {
        may_write(&in_project)?;
    }
    let failed = |source| Error::Copy { item_type: *item_type, item_id: item_id.clone(), source };
    let workspace = project.workspace();
    let there = workspace.candidates(*item_type, item_id).map_err(failed)?;
    let there = there.into_iter().find(|candidate| candidate.space == to);
    let expected = match &there {
        None => Expected::Absent,
        Some(existing) if workspace.read(existing).map_err(failed)? == bytes => {
            return Ok(existing.path.display().to_string());
        }
        Some(_) if *force => Expected::Any,
        Some(_) => return Err(Error::Exists { space: to, item_type: *item_type, item_id: item_id.clone() }),
    };
    if may_write.is_some() {
        remember_written(project.context(), in_project.as_str(), bytes)?;
    }
    let path = workspace.write_item(to, *item_type, item_id, extension, bytes, expected).map_err(failed)?;
    Ok(path.display().to_string())
}

/// Returns the path that an item's file has in a project.
fn in_project(options: &Options, extension: &Extension) -> ProjectPath {
    let Options { item_type, item_id, .. } = options.clone();
    let path = ItemPath { item_type, item_id, extension: extension.clone() };
    let path = format!("{SPACE_FOLDER}/{path}");
    path.parse().expect("because ids and extensions have no part that leads elsewhere")
}
