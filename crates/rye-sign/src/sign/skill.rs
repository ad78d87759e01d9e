//! Skills that are to be signed: the manifest is made anew from the folder, and kept where it says the same.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::locate::{
    KnownSkill, LocateError, check_skill_form, manifest_candidate, manifest_of, plain, subject,
};
use super::error::Error;
use super::one::{line_by, signed};
use super::skill_places::Places;
use super::work::Work;
use crate::format::registry_files::{self, Lock, SkillOrigin};
use crate::format::{self, Finding, fault_finding, has_errors};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, Segment, Space, Timestamp, Version};
use crate::item::{SkillFault, SkillFolder, SkillManifest, attributes_line, keeping_lines};
use crate::project::Project;
use crate::trust::{ContentHash, Signed, Signer};
use crate::workspace::{ATTRIBUTES_FILE, Candidate, Expected, MAX_ITEM_BYTES, Site, SkillPlace};

/// Tells whether the project has skills that are not signed. Where none is, [`all`](super::Options) leaves them out.
pub fn has_unsigned_skills(project: &Project) -> Result<bool, LocateError> {
    Ok(!unsigned(project)?.is_empty())
}

/// Lists the skills of the project that must be signed and have no manifest yet. Those that are only offered are signed by name.
pub(super) fn unsigned(project: &Project) -> Result<Vec<Candidate>, LocateError> {
    let known = project.known_skills(Space::Project)?.into_iter();
    let is_required = |skill: &KnownSkill| skill.places.iter().any(|place| !place.is_offered);
    Ok(known.filter(|skill| !skill.has_manifest && is_required(skill)).map(|skill| skill.candidate).collect())
}

/// Lists the skills that the project only offers and that are not signed: [`all`](super::Options) leaves them out.
///
/// # Errors
///
/// Fails when the folders of skills cannot be read.
pub fn offered_unsigned(project: &Project) -> Result<Vec<ItemId>, LocateError> {
    let known = project.known_skills(Space::Project)?.into_iter();
    let is_offered = |skill: &KnownSkill| skill.places.iter().all(|place| place.is_offered);
    Ok(known.filter(|skill| !skill.has_manifest && is_offered(skill)).map(|skill| skill.candidate.id).collect())
}

/// Returns the skill that a name or the path of its folder means, whether it is signed or not: the project's, or else the person's.
pub(super) fn named(project: &Project, pattern: &str) -> Result<Option<Candidate>, LocateError> {
    match named_in(project, Space::Project, pattern)? {
        Some(candidate) => Ok(Some(candidate)),
        None => named_in(project, Space::User, pattern),
    }
}

fn named_in(project: &Project, space: Space, pattern: &str) -> Result<Option<Candidate>, LocateError> {
    let Some(root) = project.workspace().root(space) else { return Ok(None) };
    let given = plain(&project.context().current_dir().join(pattern));
    let inside = given.strip_prefix(root).ok().and_then(Path::to_str);
    let given = match inside.filter(|inside| inside.contains('/')) {
        Some(inside) => root.join(project.linked_skill(Space::Project, inside)?),
        None => given,
    };
    let is_it = |skill: &&KnownSkill| {
        let name = skill.candidate.id.as_str();
        name == pattern || skill.places.iter().any(|place| root.join(&place.path) == given)
    };
    let known = project.known_skills(space)?;
    // Of a name that is signed for a namespace as well, the local one is meant; a namespace may be a new one.
    if let Some(skill) = known.iter().find(is_it) {
        return Ok(Some(skill.candidate.clone()));
    }
    let Ok(id) = pattern.parse::<ItemId>() else { return Ok(None) };
    let has_folder = |skill: &KnownSkill| skill.places.iter().any(|place| place.name == id.name());
    Ok(known.iter().any(has_folder).then(|| manifest_candidate(root, space, &id)))
}

/// Returns the other manifests of a skill's folder that were signed here and no longer fit it: that of `publish --namespace` next to the
/// local one. A pulled skill belongs to its publisher.
pub(super) fn stale_twins(project: &Project, candidate: &Candidate) -> Result<Vec<Candidate>, Error> {
    let Candidate { space, id, .. } = candidate;
    let manifests = project.workspace().list(Some(ItemType::Skill), Some(*space)).map_err(LocateError::from)?.items;
    let mut twins: Vec<Candidate> =
        manifests.into_iter().filter(|other| other.id.name() == id.name() && other.id != *id).collect();
    if twins.is_empty() {
        return Ok(twins);
    }
    let lock = match project.workspace().lock_file(*space).map_err(LocateError::from)? {
        Some(bytes) => registry_files::lock(&bytes).ok(),
        None => Some(Lock::default()),
    };
    // A lock that cannot be read could name any of them.
    let Some(lock) = lock else { return Ok(Vec::new()) };
    let is_pulled = |id: &ItemId| {
        lock.skill(id).is_some_and(|skill| !matches!(skill.origin, SkillOrigin::Local))
            || lock.entries().iter().any(|entry| entry.item_type == ItemType::Skill && entry.id == *id)
    };
    let (_, folder) = folder(project, *space, id, &Places::of(project, [candidate])?)?;
    let files = folder.files();
    let mut stale = Vec::new();
    for twin in twins.drain(..).filter(|twin| !is_pulled(&twin.id)) {
        let bytes = project.workspace().read(&twin).map_err(LocateError::from)?;
        if format::skill_manifest(&bytes).is_some_and(|manifest| manifest.files != files) {
            stale.push(twin);
        }
    }
    Ok(stale)
}

/// Reads the folder of a skill and makes its manifest. Where the file in `.ai/skills` says the same, its bytes are
/// signed.
///
/// # Errors
///
/// Fails when no folder has the skill, when folders of its name differ, and when the folder cannot be a skill.
pub(super) fn work(
    project: &Project,
    places: &Places,
    candidate: &Candidate,
    version: Option<Version>,
) -> Result<Work, Error> {
    let Candidate { space, id, .. } = candidate;
    let manifest = places.manifest(*space, id).map(|manifest| project.workspace().read(manifest));
    let before = manifest.transpose().map_err(LocateError::from)?;
    if before.is_none() && *space == Space::Project {
        project.require_checked_out(ItemType::Skill, id)?;
    }
    let (place, folder) = folder(project, *space, id, places)?;
    let text = project.workspace().skill_text(*space, &place).map_err(LocateError::from)?;
    // A signature covers bytes: their form is for `lint` to tell.
    let (document, findings) = format::skill_document(&place.name, &text);
    let mut made = manifest_of(id, &folder, &document.unwrap_or_default());
    let there = before.as_deref().and_then(format::skill_manifest);
    if let (Some(named), Some(version)) = (made.version, version)
        && named != version
    {
        return Err(Error::OtherVersion { item_id: id.clone(), named, version });
    }
    // What `publish --version` signed once keeps its version until another is named.
    made.version = version.or(made.version).or_else(|| there.as_ref()?.version);
    if made.files.iter().find(|file| file.path == crate::item::SKILL_FILE).map(|file| file.sha256)
        != Some(ContentHash::of(&text))
    {
        return Err(changed(id, &place.path, SkillFault::Changed { path: crate::item::SKILL_FILE.to_owned() }).into());
    }
    let is_same =
        |there: &SkillManifest| (&there.id, &there.files, there.version) == (&made.id, &made.files, made.version);
    let bytes = match (there, &before) {
        (Some(there), Some(bytes)) if is_same(&there) => bytes.clone(),
        (there, _) => {
            let source = there.filter(|there| there.files == made.files).and_then(|there| there.source);
            format::manifest_text(&SkillManifest { source, ..made }).into_bytes()
        }
    };
    let raw = Signed::new(subject(candidate), bytes).in_space(*space);
    let remarks = told(findings).into_iter().chain(format::ignored_finding(&folder)).collect();
    Ok(Work { candidate: candidate.clone(), raw, before, remarks })
}

/// Returns the id under which a skill is published: an id as it is, the path of a folder below a namespace.
///
/// # Errors
///
/// Fails when no skill is meant.
pub fn published_id(project: &Project, name: &str, namespace: Option<&Segment>) -> Result<ItemId, LocateError> {
    let id = match named_in(project, Space::Project, name)? {
        Some(candidate) => candidate.id,
        None => {
            let parsed = name.parse::<ItemId>().ok();
            let item_id = parsed.ok_or_else(|| changed_place(name))?;
            return Err(LocateError::Unknown {
                item_type: ItemType::Skill,
                item_id,
                space: None,
                suggestion: None,
                instead: None,
            });
        }
    };
    match namespace {
        Some(namespace) => Ok(format!("{namespace}/{}", id.name()).parse().unwrap_or(id)),
        None => Ok(id),
    }
}

fn changed_place(name: &str) -> LocateError {
    crate::workspace::Error::NotFound { path: PathBuf::from(name) }.into()
}

/// Signs the manifest of a skill in memory: what `write_skill` writes once it may.
///
/// # Errors
///
/// Fails when no skill is meant, when it is not valid, when its `metadata` names another version, and when the key refuses.
pub fn signed_skill(
    project: &Project,
    item_id: &ItemId,
    version: Option<Version>,
    signer: &dyn Signer,
) -> Result<SignedSkill, Error> {
    let unknown = || LocateError::Unknown {
        item_type: ItemType::Skill,
        item_id: item_id.clone(),
        space: Some(Space::Project),
        suggestion: None,
        instead: None,
    };
    let candidate = named_in(project, Space::Project, item_id.as_str())?.ok_or_else(unknown)?;
    let places = Places::of(project, [&candidate])?;
    if let Some(place) = places.of_skill(candidate.space, &candidate.id).first() {
        let text = project.workspace().skill_text(candidate.space, place).map_err(LocateError::from)?;
        check_skill_form(item_id, place, &text)?;
    }
    let Work { candidate, raw, before, .. } = work(project, &places, &candidate, version)?;
    let bytes = match line_by(&raw, &signer.public()) {
        Some(_) => raw.content().clone(),
        None => signed(&raw, &candidate.path, signer, project.context().now())?.1,
    };
    let last_signed = last_signed(project, &candidate)?;
    Ok(SignedSkill { candidate, before, bytes, last_signed })
}

/// Finds the manifest from which a change is told: that of the id, or that of the skill without its namespace. A
/// signature that does not count is ignored: its editor must not decide the shown changes.
fn last_signed(project: &Project, candidate: &Candidate) -> Result<Option<LastSigned>, LocateError> {
    let (space, id) = (candidate.space, &candidate.id);
    for id in [Some(id.clone()), id.name().parse::<ItemId>().ok()].into_iter().flatten() {
        let Some(candidate) = project.workspace().candidate_in(space, ItemType::Skill, &id)? else { continue };
        let bytes = project.workspace().read(&candidate)?;
        let signed = Signed::new(subject(&candidate), bytes.clone()).in_space(space);
        let Some(signed_at) = signed.judge_line(&project.keys()).ok().map(|line| line.timestamp) else { continue };
        if let Some(manifest) = format::skill_manifest(&bytes).filter(|manifest| manifest.id == id) {
            return Ok(Some(LastSigned { id, manifest, signed_at }));
        }
    }
    Ok(None)
}

/// A manifest that is signed, and perhaps not written.
#[derive(Debug, Clone)]
pub struct SignedSkill {
    candidate: Candidate,
    before: Option<Vec<u8>>,
    /// The bytes of its file.
    pub bytes: Vec<u8>,
    /// The last signed version, if any.
    pub last_signed: Option<LastSigned>,
}

/// A manifest whose signature counts.
#[derive(Debug, Clone)]
pub struct LastSigned {
    /// The id that it was signed for.
    pub id: ItemId,
    /// The signed skill.
    pub manifest: SkillManifest,
    /// When.
    pub signed_at: Timestamp,
}

impl SignedSkill {
    /// Returns the name of its folder.
    #[must_use]
    pub fn name(&self) -> &str {
        self.candidate.id.name()
    }

    /// Writes it, if the file still holds what it held. Commit point: the rename of the finished file.
    pub fn write(&self, project: &Project) -> Result<(), Error> {
        let Self { candidate, before, bytes, .. } = self;
        if before.as_ref() == Some(bytes) {
            return Ok(());
        }
        keep_bytes(project, [candidate])?;
        let Candidate { space, item_type, id, extension, .. } = candidate;
        let expected = before.as_deref().map_or(Expected::Absent, Expected::Content);
        let written = project.workspace().write_item(*space, *item_type, id, extension, bytes, expected);
        written.map(drop).map_err(|source| Error::Write { item_type: *item_type, item_id: id.clone(), source })
    }
}

fn told(findings: Vec<Finding>) -> Vec<Finding> {
    findings.into_iter().filter(|finding| format::rules::is_told_to_signer(finding.rule)).collect()
}

/// Reads the one folder of a skill. Several with equal files are one.
fn folder(
    project: &Project,
    space: Space,
    id: &ItemId,
    places: &Places,
) -> Result<(SkillPlace, SkillFolder), LocateError> {
    let mut places = places.of_skill(space, id).iter();
    let first = places.next().ok_or_else(|| changed(id, "", SkillFault::NoFolder))?.clone();
    let folder = project.skill_folder(space, &first)?;
    for other in places {
        if let Some(rival) = project.skill_folder(space, other)?.rival(&folder) {
            return Err(changed(id, &other.path, rival));
        }
    }
    let findings: Vec<Finding> = folder.faults().iter().map(fault_finding).collect();
    if has_errors(&findings) {
        let path = PathBuf::from(&first.path);
        return Err(LocateError::Invalid {
            item_type: ItemType::Skill,
            item_id: id.clone(),
            path,
            findings,
            text: String::new(),
        });
    }
    Ok((first, folder))
}

fn changed(id: &ItemId, path: &str, fault: SkillFault) -> LocateError {
    LocateError::SkillChanged { item_id: id.clone(), path: PathBuf::from(path), faults: vec![fault] }
}

/// Makes sure that git keeps the bytes of a skill's folders as they are, for whoever writes them.
///
/// # Errors
///
/// Fails when `.gitattributes` cannot be read or written.
pub fn keep_skill_bytes(project: &Project, space: Space, id: &ItemId) -> Result<(), LocateError> {
    if space != Space::Project {
        return Ok(());
    }
    keep(project, &project.places_of_skill(space, id)?)
}

/// Makes sure that git keeps the bytes of the folders of several skills as they are, before their manifests are written.
///
/// # Errors
///
/// Fails when `.gitattributes` cannot be read or written.
pub(super) fn keep_bytes<'c>(
    project: &Project,
    candidates: impl IntoIterator<Item = &'c Candidate>,
) -> Result<(), LocateError> {
    let of_project =
        |candidate: &&Candidate| candidate.item_type == ItemType::Skill && candidate.space == Space::Project;
    let skills: Vec<&Candidate> = candidates.into_iter().filter(of_project).collect();
    if skills.is_empty() {
        return Ok(());
    }
    let places = Places::of(project, skills.iter().copied())?;
    let kept: Vec<SkillPlace> =
        skills.iter().flat_map(|skill| places.of_skill(skill.space, &skill.id)).cloned().collect();
    keep(project, &kept)
}

fn keep(project: &Project, places: &[SkillPlace]) -> Result<(), LocateError> {
    let Some(root) = project.workspace().root(Space::Project) else { return Ok(()) };
    let site = Site::open(root)?;
    let attributes = site.read(ATTRIBUTES_FILE, MAX_ITEM_BYTES)?.unwrap_or_default();
    let attributes = String::from_utf8_lossy(&attributes);
    let has: BTreeSet<&str> = attributes.lines().collect();
    let is_kept = |folder: &&str| keeping_lines(folder).any(|line| has.contains(line.as_str()));
    let folders = places.iter().map(|place| place.path.as_str()).filter(|folder| !is_kept(folder)).map(of_skills);
    let lines: BTreeSet<String> = std::iter::once(SPACE_FOLDER).chain(folders).map(attributes_line).collect();
    site.add_lines(ATTRIBUTES_FILE, lines)?;
    Ok(())
}

/// Returns the folder whose bytes are kept for a skill: the one that all its neighbours lie in, so that a thousand of them need one line.
/// Git compares every path with every line. A skill that lies next to other files has a line of its own.
fn of_skills(skill: &str) -> &str {
    match skill.rsplit_once('/') {
        Some((folder, _)) if folder.rsplit('/').next().is_some_and(|name| name.contains("skill")) => folder,
        Some(_) | None => skill,
    }
}
