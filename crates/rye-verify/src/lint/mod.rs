//! `lint`: every finding about how items are written, all items in one pass.
//!
//! Nothing is used, so nothing has to be signed or verified. The rules are those that signing and executing apply; a
//! file below a type's folder that is not an item is a finding too.

mod actions;
mod documents;
mod relations;
mod skills;
mod tiers;

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use self::documents::Document;
use self::relations::Relations;
use self::tiers::Tiers;
use super::locate::{KnownSkill, LocateError};
use super::verify::twins_among;
use crate::format::{self, Finding, Profile, Severity, rules};
use crate::id::{ItemId, ItemType, Space, nearest};
use crate::item::{Graph, Item, Node, SkillFault, Tool};
use crate::project::Project;
use crate::workspace::{self, Candidate, Stray, StrayFault};

/// What to do about a file that cannot be read.
const READABLE: &str = "put a regular file that you can read in its place, or move it out of the folder";

/// Says why nothing can run the tool of a file, whose header and bytes these are: the tool kinds know, which are plugins.
pub type Runs<'a> = &'a dyn Fn(&Candidate, &Tool, &[u8]) -> Result<(), String>;

/// What to look at.
#[derive(Debug, Clone)]
pub struct Options {
    /// Ids or paths; empty means every item of the project, or of the user without a project.
    pub only: Vec<String>,
    /// What directives are to be fit for.
    pub profile: Profile,
}

/// The findings.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Whether an item has an error, none has, or none was found.
    pub status: Status,
    /// How many items were looked at.
    pub checked: usize,
    /// Everything found, by path and line.
    pub findings: Vec<Found>,
    /// The texts of the files with findings, to show the places.
    #[serde(skip)]
    pub texts: BTreeMap<String, String>,
}

/// What linting came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// No item has an error; there may be warnings and advice.
    Ok,
    /// Some item has an error.
    Findings,
    /// There was no item.
    Empty,
}

/// A finding with the file it is about.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// The file, relative to the project where it lies in it.
    pub path: String,
    /// The item's type; `None` for a file that is not an item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_type: Option<ItemType>,
    /// The item's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// The findings.
    #[serde(flatten)]
    pub finding: Finding,
}

/// Why nothing can be looked at.
#[derive(Debug, Error)]
pub enum Error {
    /// Nothing fits.
    #[error("no item of the project or the user matches `{name}`")]
    NoMatch {
        /// The id or path asked for.
        name: String,
        /// The id that was probably meant.
        suggestion: Option<String>,
    },
    /// The items cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

/// Looks items over.
///
/// # Errors
///
/// Fails when an id or path fits nothing, when a space cannot be opened, and when there is neither a project nor an
/// item of the user. An unreadable part of it is a finding.
pub fn lint(project: &Project, options: &Options, runs: Runs<'_>) -> Result<Outcome, Error> {
    let Selected { items, strays, documents, skills, no_skills, twins } = selected(project, options)?;
    let manifests = items.iter().filter(|item| item.item_type == ItemType::Skill).count();
    let checked = items.len() - manifests + documents.len() + skills.len();
    let mut outcome = Outcome { status: Status::Ok, checked, findings: Vec::new(), texts: BTreeMap::new() };
    for document in documents {
        let path = document.path.to_string();
        outcome.texts.insert(path.clone(), document.text);
        let found = |finding| Found { path: path.clone(), item_type: None, item_id: None, finding };
        outcome.findings.extend(document.findings.into_iter().map(found));
    }
    // A file that keeps the graph from being read is found below.
    let graph = project.knowledge_graph().unwrap_or_default();
    let against =
        Against { graph, relations: Relations::read(project, options.profile)?, tiers: Tiers::read(project)?, runs };
    for (path, reason) in &twins {
        let finding = unusable(reason, "rename it or move it out of the folder");
        outcome.findings.push(Found { path: path.clone(), item_type: None, item_id: None, finding });
    }
    for candidate in &items {
        look_at(project, candidate, options.profile, &against, &mut outcome)?;
    }
    for skill in &skills {
        let looked = skills::look_at(project, skill)?;
        outcome.findings.extend(looked.findings.into_iter().map(|(path, finding)| Found {
            path,
            item_type: Some(ItemType::Skill),
            item_id: Some(skill.candidate.id.clone()),
            finding,
        }));
        outcome.texts.extend(looked.texts);
    }
    for (path, fault) in no_skills {
        let finding = format::fault_finding(&fault);
        outcome.findings.push(Found { path, item_type: Some(ItemType::Skill), item_id: None, finding });
    }
    for stray in strays {
        outcome.findings.push(not_an_item(shown(project, &stray.path), &stray));
    }
    outcome.findings.sort_by(|a, b| place(a).cmp(&place(b)));
    outcome.status = status(&outcome);
    Ok(outcome)
}

fn place(found: &Found) -> (&str, usize, usize) {
    (&found.path, found.finding.line, found.finding.column)
}

fn status(outcome: &Outcome) -> Status {
    if outcome.findings.iter().any(|found| found.finding.severity == Severity::Error) {
        Status::Findings
    } else if outcome.checked == 0 && outcome.findings.is_empty() {
        Status::Empty
    } else {
        Status::Ok
    }
}

/// What items are held against.
struct Against<'a> {
    graph: Graph,
    relations: Relations<'a>,
    tiers: Tiers,
    runs: Runs<'a>,
}

fn look_at(
    project: &Project,
    candidate: &Candidate,
    profile: Profile,
    against: &Against<'_>,
    outcome: &mut Outcome,
) -> Result<(), LocateError> {
    let Against { graph, relations, tiers, runs } = against;
    let (findings, text) = match project.workspace().read(candidate) {
        Ok(bytes) => {
            let parsed = format::parse_bytes(candidate.item_type, &candidate.extension, &bytes);
            let mut findings = format::validate(&parsed, &candidate.id, profile);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let node = Node { item_type: candidate.item_type, item_id: candidate.id.clone() };
            findings.extend(format::link_findings(&text, graph.links(&node)));
            match &parsed.item {
                Some(Item::Directive(directive)) => {
                    findings.extend(relations.findings(&candidate.id, directive, &text));
                    findings.extend(relations.mentions(&candidate.id, directive, &text));
                    findings.extend(tiers.finding(directive, &text));
                    findings.extend(actions::findings(project, directive, &text));
                }
                Some(Item::Tool(tool)) => findings.extend(runner_finding(*runs, candidate, tool, &bytes)),
                Some(Item::Knowledge(_) | Item::Skill(_)) | None => {}
            }
            (findings, text)
        }
        Err(error @ workspace::Error::TooLarge { .. }) => {
            let hint = "split it, or keep large data outside of items";
            (vec![Finding::whole(&rules::TOO_LARGE, error.to_string(), hint)], String::new())
        }
        Err(error) => {
            let Some((_, reason)) = error.of_one_file() else { return Err(error.into()) };
            (vec![unusable(&reason, READABLE)], String::new())
        }
    };
    let path = shown(project, &candidate.path);
    if !findings.is_empty() {
        outcome.texts.insert(path.clone(), text);
    }
    let found = |finding| Found {
        path: path.clone(),
        item_type: Some(candidate.item_type),
        item_id: Some(candidate.id.clone()),
        finding,
    };
    outcome.findings.extend(findings.into_iter().map(found));
    Ok(())
}

/// Tells when nothing can run a tool. A provider is for threads alone.
fn runner_finding(runs: Runs<'_>, candidate: &Candidate, tool: &Tool, bytes: &[u8]) -> Option<Finding> {
    if tool.tool_type.as_deref() == Some("provider") {
        return None;
    }
    let fault = runs(candidate, tool, bytes).err()?;
    let hint = "models do not get it; correct the fault, or write it as knowledge";
    Some(Finding::whole(&rules::TOOL_RUNNER, format!("nothing can run this tool: {fault}"), hint))
}

fn not_an_item(path: String, stray: &Stray) -> Found {
    let reason = &stray.reason;
    let finding = match stray.fault {
        None => {
            let hint = format::stray_hint(&path);
            Finding::whole(&rules::NOT_AN_ITEM, format!("this file is not an item: {reason}"), hint)
        }
        Some(StrayFault::Ambiguous) => unusable(reason, "rename or remove all of these files but one"),
        Some(StrayFault::Unusable) => unusable(reason, READABLE),
    };
    Found { path, item_type: None, item_id: None, finding }
}

fn unusable(reason: &str, hint: &str) -> Finding {
    Finding::whole(&rules::UNUSABLE_ITEM, format!("this file cannot be used as an item: {reason}"), hint)
}

/// The files to look over.
struct Selected {
    items: Vec<Candidate>,
    strays: Vec<Stray>,
    documents: Vec<Document>,
    skills: Vec<KnownSkill>,
    /// What some client takes for a skill and cannot be one, by its path.
    no_skills: Vec<(String, SkillFault)>,
    /// The files of these items that some file system takes for another one, with what it is taken for.
    twins: Vec<(String, String)>,
}

/// Finds the files that were named, or all of the nearest space a person works in.
fn selected(project: &Project, options: &Options) -> Result<Selected, Error> {
    let mut documents = documents::documents(project)?;
    let workspace = project.workspace();
    let spaces: &[Space] = match (options.only.is_empty(), workspace.root(Space::Project)) {
        (true, Some(_)) => &[Space::Project],
        (true, None) => &[Space::User],
        (false, _) => &[Space::Project, Space::User],
    };
    let (mut items, mut strays, mut skills, mut no_skills) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for space in spaces {
        skills.extend(project.known_skills(*space)?);
        no_skills.extend(skills::no_skills(project, *space)?);
        let listing = workspace.list(None, Some(*space)).map_err(LocateError::from)?;
        items.extend(listing.items);
        strays.extend(listing.strays);
    }
    project.leave_files_of_skills(&mut strays)?;
    let paths = |items: &[Candidate]| items.iter().map(|item| shown(project, &item.path)).collect::<Vec<_>>();
    let mut twins = twins_among(&paths(&items))?;
    if options.only.is_empty() {
        if items.is_empty() && strays.is_empty() && skills.is_empty() && no_skills.is_empty() {
            project.root()?;
        }
        return Ok(Selected { items, strays, documents, skills, no_skills, twins });
    }
    let root = workspace.root(Space::Project).map(Path::to_owned).unwrap_or_default();
    let names: Vec<Name> = options.only.iter().map(|name| Name::new(project, name)).collect();
    for (name, given) in names.iter().zip(&options.only) {
        let fits_document = |document: &Document| name.leads_to(&root.join(document.path.as_str()));
        let is_one = items.iter().any(|item| name.fits(item)) || strays.iter().any(|stray| name.fits_stray(stray));
        let is_skill = skills.iter().any(|skill| name.fits_skill(&root, skill))
            || no_skills.iter().any(|(path, _)| name.leads_to(&root.join(path)));
        if !is_one && !is_skill && !documents.iter().any(fits_document) {
            let ids = items.iter().chain(skills.iter().map(|skill| &skill.candidate)).map(|item| item.id.as_str());
            let suggestion = nearest(given, ids).map(str::to_owned);
            project.require_named_checked_out(given)?;
            return Err(Error::NoMatch { name: given.clone(), suggestion });
        }
    }
    items.retain(|item| names.iter().any(|name| name.fits(item)));
    strays.retain(|stray| names.iter().any(|name| name.fits_stray(stray)));
    documents.retain(|document| names.iter().any(|name| name.leads_to(&root.join(document.path.as_str()))));
    skills.retain(|skill| names.iter().any(|name| name.fits_skill(&root, skill)));
    no_skills.retain(|(path, _)| names.iter().any(|name| name.leads_to(&root.join(path))));
    let named = paths(&items);
    twins.retain(|(path, _)| named.contains(path));
    Ok(Selected { items, strays, documents, skills, no_skills, twins })
}

/// The meanings of a name: an id, or a path from the current folder or from the project's top.
struct Name {
    id: Option<ItemId>,
    paths: Vec<PathBuf>,
}

impl Name {
    fn new(project: &Project, name: &str) -> Self {
        let here = project.context().current_dir();
        let root = project.workspace().root(Space::Project);
        let mut paths: Vec<PathBuf> = std::iter::once(here).chain(root).map(|base| plain(&base.join(name))).collect();
        // A link to the folder of a skill is that folder.
        let linked = paths.iter().filter_map(|path| {
            let inside = path.strip_prefix(root?).ok()?.to_str()?;
            Some(root?.join(project.linked_skill(Space::Project, inside).ok()?))
        });
        let linked: Vec<PathBuf> = linked.collect();
        paths.extend(linked);
        Self { id: name.parse().ok(), paths }
    }

    fn fits(&self, item: &Candidate) -> bool {
        self.id.as_ref() == Some(&item.id) || self.leads_to(&item.path)
    }

    /// Files that claim the same id are not items, and the id still means them.
    fn fits_stray(&self, stray: &Stray) -> bool {
        self.id.is_some() && self.id == stray.claimed || self.leads_to(&stray.path)
    }

    /// A skill is named by its id, and by the path of its folder or of a file in it.
    fn fits_skill(&self, root: &Path, skill: &KnownSkill) -> bool {
        let is_in =
            |folder: &Path| self.paths.iter().any(|named| named.starts_with(folder) || folder.starts_with(named));
        self.fits(&skill.candidate) || skill.places.iter().any(|place| is_in(&root.join(&place.path)))
    }

    fn leads_to(&self, path: &Path) -> bool {
        self.paths.iter().any(|named| path.starts_with(named))
    }
}

/// Takes `.` and `..` out of a path.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Shows a path below the project relative to it: what other programs need to find the file.
fn shown(project: &Project, path: &Path) -> String {
    let root = project.workspace().root(Space::Project);
    root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path).display().to_string()
}
