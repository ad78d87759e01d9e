//! `list`: what there is, where, and what its signature is worth.

use serde::Serialize;

use super::locate::{LocateError, Purpose, subject, verdict_of};
use crate::capability::ProjectPath;
use crate::format;
use crate::id::{ItemId, ItemType, Space, Version};
use crate::item::{Item, SkillFault};
use crate::project::Project;
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
    /// Files that are not items, and why.
    pub strays: Vec<Stray>,
    /// Skills that several folders have, with different files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<Rival>,
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
    /// The verdict of its signature.
    pub verdict: Verdict,
    /// The space whose item of this id hides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed_by: Option<Space>,
    /// What it says of files and other items.
    #[serde(flatten)]
    pub related: Related,
}

/// What an item says of files and other items.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Related {
    /// Files it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_files: Vec<String>,
    /// What it needs from outside, such as packages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
    /// What uses it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<String>,
    /// Directives that go well with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggests: Vec<ItemId>,
    /// What it is an example of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub example_of: Vec<ItemId>,
}

impl Related {
    fn of(item: Option<&Item>) -> Self {
        match item {
            Some(Item::Directive(directive)) => {
                let context = &directive.context;
                Self {
                    related_files: context.related_files.clone(),
                    dependencies: context.dependencies.clone(),
                    used_by: context.used_by.iter().map(ToString::to_string).collect(),
                    suggests: context.suggests.clone(),
                    example_of: context.example_of.clone(),
                }
            }
            Some(Item::Knowledge(knowledge)) => Self { used_by: knowledge.used_by.clone(), ..Self::default() },
            Some(Item::Tool(_) | Item::Skill(_)) | None => Self::default(),
        }
    }
}

/// A skill that two folders have, with different files.
#[derive(Debug, Clone, Serialize)]
pub struct Rival {
    /// The skill.
    pub item_id: ItemId,
    /// One folder, from the top.
    pub path: String,
    /// What is wrong, with the other folder.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
}

/// A file that is not an item.
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

impl Rival {
    fn of(item_id: &ItemId, fault: &SkillFault) -> Self {
        let path = match fault {
            SkillFault::Elsewhere { folder, .. } => folder.clone(),
            _ => String::new(),
        };
        let hint = format::fault_hint(fault).into_owned();
        Self { item_id: item_id.clone(), path, reason: fault.to_string(), hint }
    }
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
/// Fails when a space cannot be opened, and when a project's items are requested without a project. A file or folder in
/// it that cannot be read is reported with the rest.
pub fn list(project: &Project, options: &Options) -> Result<Outcome, LocateError> {
    if options.space == Some(Space::Project) {
        project.root()?;
    }
    let mut listing = project.workspace().list(options.item_type, None)?;
    project.leave_files_of_skills(&mut listing.strays)?;
    let unplaced = unplaced_skills(project, &mut listing.strays)?;
    let strays = listing.strays.into_iter();
    let shown = strays.map(|stray| Stray {
        path: stray.path.display().to_string(),
        reason: stray.reason,
        is_fault: stray.fault.is_some(),
    });
    let mut strays: Vec<Stray> = shown.collect();
    strays.extend(unplaced);
    let (mut items, mut rivals) = (Vec::new(), Vec::new());
    let others: Vec<Candidate> = listing.items.into_iter().filter(|item| item.item_type != ItemType::Skill).collect();
    for same_id in others.chunk_by(|a, b| (a.item_type, &a.id) == (b.item_type, &b.id)) {
        let used = used_space(project, same_id)?;
        for candidate in same_id.iter().filter(|item| options.space.is_none_or(|space| space == item.space)) {
            let shadowed_by = used.filter(|space| *space != candidate.space);
            match project.workspace().read(candidate) {
                Ok(bytes) => items.push(listed(project, candidate, bytes, shadowed_by)),
                Err(error) => {
                    let Some((_, reason)) = error.of_one_file() else { return Err(error.into()) };
                    strays.push(Stray { path: candidate.path.display().to_string(), reason, is_fault: true });
                }
            }
        }
    }
    if options.item_type.is_none_or(|item_type| item_type == ItemType::Skill) {
        skills(project, options, &mut items, (&mut strays, &mut rivals))?;
    }
    // A project's own items come first, before the built-in ones.
    items.sort_by_key(|item| item.space);
    let wanted = options.item_type.is_none() && options.space.is_none_or(|space| space == Space::Project);
    let documents = if wanted { documents(project)? } else { Vec::new() };
    Ok(Outcome { items, strays, rivals, documents })
}

/// Takes the files of skills among the signatures out of those that are not items; returns the folder of each skill instead.
fn unplaced_skills(project: &Project, strays: &mut Vec<workspace::Stray>) -> Result<Vec<Stray>, LocateError> {
    let mut folders = project.unplaced_skills(strays)?;
    strays.retain(|stray| !folders.keys().any(|folder| stray.path.starts_with(folder)));
    let mut told = Vec::new();
    while let Some((folder, others)) = folders.pop_first() {
        let same = match others.is_empty() {
            true => String::new(),
            false => format!("; the same name is in `{}`", others.join("`, `")),
        };
        let path = folder.display().to_string();
        let reason = format!("no client reads skills there{same}; {}", format::stray_hint(".ai/skills/"));
        told.push(Stray { path, reason, is_fault: false });
    }
    Ok(told)
}

/// Lists the skills of project and person, each by its folder.
fn skills(
    project: &Project,
    options: &Options,
    items: &mut Vec<Listed>,
    (strays, rivals): (&mut Vec<Stray>, &mut Vec<Rival>),
) -> Result<(), LocateError> {
    let mut nearer: Vec<ItemId> = Vec::new();
    for space in [Space::Project, Space::User] {
        let skills = project.known_skills(space)?;
        for (path, fault) in project.skill_places(space)?.faults {
            strays.push(Stray { path, reason: fault.to_string(), is_fault: true });
        }
        let ids: Vec<ItemId> = skills.iter().map(|skill| skill.candidate.id.clone()).collect();
        for skill in skills.into_iter().filter(|_| options.space.is_none_or(|wanted| wanted == space)) {
            rivals.extend(project.skill_rival(&skill)?.map(|fault| Rival::of(&skill.candidate.id, &fault)));
            let judged = project.judged_place(&skill)?;
            let text = judged.as_ref().and_then(|place| project.workspace().skill_text(space, place).ok());
            let name = skill.candidate.id.name();
            let document = text.and_then(|text| format::skill_document(name, &text).0).unwrap_or_default();
            let verdict = project.skill_verdict(&skill)?;
            let differing = if verdict == Verdict::Tampered { project.differing_place(&skill)? } else { None };
            let place = differing.or(judged.as_ref());
            let path = match (place, project.workspace().root(space)) {
                (Some(place), Some(root)) => root.join(&place.path),
                _ => skill.candidate.path.clone(),
            };
            items.push(Listed {
                item_type: ItemType::Skill,
                item_id: skill.candidate.id.clone(),
                space,
                path: path.display().to_string(),
                version: project.skill_version(&skill)?.or_else(|| document.version()),
                description: document.description,
                verdict,
                shadowed_by: nearer.contains(&skill.candidate.id).then_some(Space::Project),
                related: Related::default(),
            });
        }
        nearer.extend(ids);
    }
    Ok(())
}

/// Lists the capability documents of the project. One that cannot be read lists none.
fn documents(project: &Project) -> Result<Vec<Document>, LocateError> {
    let Ok(root) = project.root() else { return Ok(Vec::new()) };
    let files = ProjectDir::open(root)?;
    let document = |path: ProjectPath| {
        let read = files.read(&path, MAX_ITEM_BYTES).ok().filter(|read| !read.truncated);
        let text = read.and_then(|read| String::from_utf8(read.bytes).ok());
        let found = text.map(|text| format::capabilities(&text));
        let is_valid = found.as_ref().is_some_and(|found| !format::has_errors(&found.findings));
        let capabilities = found.map_or(0, |found| found.capabilities.calls.len());
        Document { path: root.join(path.as_str()).display().to_string(), capabilities, is_valid }
    };
    Ok(files.capability_documents()?.into_iter().map(document).collect())
}

/// Returns the space whose item of an id counts. Reserved ids come from the system space.
fn used_space(project: &Project, same_id: &[Candidate]) -> Result<Option<Space>, LocateError> {
    let [nearest, _, ..] = same_id else { return Ok(None) };
    match project.locate(nearest.item_type, &nearest.id, None, Purpose::Use) {
        Ok(located) => Ok(Some(located.candidate.space)),
        // The items that are listed anyway, with the reason.
        Err(LocateError::Workspace(error))
            if matches!(error, workspace::Error::Ambiguous { .. }) || error.of_one_file().is_some() =>
        {
            Ok(Some(nearest.space))
        }
        Err(error) => Err(error),
    }
}

fn listed(project: &Project, candidate: &Candidate, bytes: Vec<u8>, shadowed_by: Option<Space>) -> Listed {
    let item = format::parse_bytes(candidate.item_type, &candidate.extension, &bytes).item;
    let verdict = verdict_of(&project.keys(), Signed::new(subject(candidate), bytes).in_space(candidate.space));
    Listed {
        item_type: candidate.item_type,
        item_id: candidate.id.clone(),
        space: candidate.space,
        path: candidate.path.display().to_string(),
        version: item.as_ref().and_then(Item::version),
        description: item.as_ref().map(|item| item.summary().to_owned()).unwrap_or_default(),
        verdict,
        shadowed_by,
        related: Related::of(item.as_ref()),
    }
}
