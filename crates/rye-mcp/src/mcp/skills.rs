//! Skills for clients: entries by the extension `io.modelcontextprotocol/skills`, and their files as resources.
//!
//! Only skills that the connection may execute and whose manifest and folder verify are offered. Digests are those of the
//! signed manifest, and files are compared with them when read.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    DIRECTORY_MIME_TYPE, GetSkillResult, ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, Skill, SkillFrontmatter, SkillResource, SkillResources,
};
use serde_json::Value;

use super::access::{self, Connection};
use super::error::Failure;
use super::page::{self, Place};
use super::skill_uri;
use super::work::Running;
use crate::action::Action;
use crate::capability::Grant;
use crate::execute::Given;
use crate::format::{self, Profile};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{SKILL_FILE, SkillManifest};
use crate::locate::{Checked, Purpose, SkillListing, VerifiedSkill};
use crate::session::Session;
use crate::trust::{Signed, Verified};

/// The most files of a skill that every client of the extension takes.
const MOST_FILES: usize = 512;

/// The most bytes of all files of a skill that every client of the extension takes.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// A skill that verified, and the space it is in.
struct Offered {
    space: Space,
    skill: VerifiedSkill,
}

/// Returns the template of the addresses of files.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(skill_uri::template(), "skill")
        .with_title("Skill")
        .with_description("A file of a skill by the skill's id and the file's path, such as read-pdf and SKILL.md")
}

/// Lists entries from behind a place on. A skill that is too large for the extension is left out.
pub(super) fn list(
    session: &Session,
    connection: &Connection<'_>,
    after: Option<&Place>,
) -> Result<ListSkillsResult, Failure> {
    let grant = access::grant(session, connection)?;
    let known = known(session, &grant)?;
    let listing = SkillListing::of(session.project());
    let page = page::of(session, &grant, &[ItemType::Skill], after, |verified| {
        let offered = offered(&listing, verified)?;
        entry(session, &offered, &known).ok()
    })?;
    let mut listed = ListSkillsResult::with_all_items(page.shown);
    listed.next_cursor = page.next;
    Ok(listed)
}

/// Returns the entry of one skill.
///
/// # Errors
///
/// Fails when the address is not that of a skill's `SKILL.md`, the connection may not execute the skill, or it cannot be used.
pub(super) fn get(
    session: &Session,
    connection: &Connection<'_>,
    uri: &str,
    running: &Running,
) -> Result<GetSkillResult, Failure> {
    let unknown = || Failure::UnknownSkill { uri: uri.to_owned() };
    let id = skill_uri::skill(uri).filter(|id| skill_uri::of_skill(id) == uri).ok_or_else(unknown)?;
    let grant = access::grant(session, connection)?;
    let offered = open(session, &grant, &id, running)?;
    entry(session, &offered, &known(session, &grant)?).map(GetSkillResult::new)
}

/// Reads a file of a skill.
///
/// # Errors
///
/// Fails when no skill has the file, the connection may not execute the skill, or it differs from the signed one.
pub(super) fn read(
    session: &Session,
    connection: &Connection<'_>,
    uri: &str,
    running: &Running,
) -> Result<ReadResourceResult, Failure> {
    let unknown = || Failure::UnknownResource { uri: uri.to_owned() };
    let grant = access::grant(session, connection)?;
    let (id, path) = find(session, &grant, uri)?.ok_or_else(unknown)?;
    let Offered { space, skill } = open(session, &grant, &id, running)?;
    if !skill.manifest.files.iter().any(|file| file.path == path) {
        return Err(unknown());
    }
    let bytes = session.project().skill_file(space, &skill, &path)?;
    let contents = match String::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, uri).with_mime_type(mime_type(&path).unwrap_or("text/plain")),
        Err(error) => {
            let blob = STANDARD.encode(error.as_bytes());
            ResourceContents::blob(blob, uri).with_mime_type(mime_type(&path).unwrap_or("application/octet-stream"))
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Lists a folder of a skill: its files, and the folders right below it.
///
/// # Errors
///
/// Fails when the address is not that of a folder, the connection may not execute the skill, or it differs from the
/// signed one.
pub(super) fn folder(
    session: &Session,
    connection: &Connection<'_>,
    uri: &str,
    running: &Running,
) -> Result<ListResourcesResult, Failure> {
    let unknown = || Failure::UnknownFolder { uri: uri.to_owned() };
    let grant = access::grant(session, connection)?;
    let (id, path) = find(session, &grant, uri)?.ok_or_else(unknown)?;
    let Offered { skill, .. } = open(session, &grant, &id, running)?;
    let below = if path.is_empty() { String::new() } else { format!("{path}/") };
    let (mut folders, mut resources) = (BTreeSet::new(), Vec::new());
    for file in &skill.manifest.files {
        let Some(rest) = file.path.strip_prefix(&below) else { continue };
        match rest.split_once('/') {
            Some((folder, _)) if folders.insert(folder) => {
                let uri = skill_uri::of_folder(&id, &format!("{below}{folder}"));
                resources.push(Resource::new(uri, folder).with_mime_type(DIRECTORY_MIME_TYPE));
            }
            Some(_) => {}
            None if file.path == SKILL_FILE => resources.push(described(&id, &skill)),
            None => {
                let resource = Resource::new(skill_uri::of_file(&id, &file.path), rest).with_size(file.size);
                resources.push(match mime_type(&file.path) {
                    Some(mime_type) => resource.with_mime_type(mime_type),
                    None => resource,
                });
            }
        }
    }
    if resources.is_empty() {
        return Err(unknown());
    }
    Ok(ListResourcesResult::with_all_items(resources))
}

/// Shows a skill in the list of resources by its `SKILL.md`; `None` if its folder differs from the signed one.
pub(super) fn resource(listing: &SkillListing<'_>, verified: &Signed<Checked, Verified>) -> Option<Resource> {
    let Offered { skill, .. } = offered(listing, verified)?;
    Some(described(&verified.subject().item_id, &skill))
}

/// Returns the paths of a skill's files, to complete an address; none where the connection may not execute the skill.
pub(super) fn paths(session: &Session, grant: &Grant, id: &ItemId) -> Vec<String> {
    let is_open = page::may_execute(grant, ItemType::Skill, id);
    let verified = is_open.then(|| page::usable(session, ItemType::Skill, id)).flatten();
    let offered = verified.and_then(|verified| offered(&SkillListing::of(session.project()), &verified));
    offered.into_iter().flat_map(|offered| offered.skill.manifest.files).map(|file| file.path).collect()
}

/// Tells whether a skill is there that the connection may execute, if only after a question.
pub(super) fn is_known(session: &Session, grant: &Grant, id: &ItemId) -> Result<bool, Failure> {
    Ok(known(session, grant)?.contains(id))
}

fn known(session: &Session, grant: &Grant) -> Result<Vec<ItemId>, Failure> {
    let mut known = page::known(session, ItemType::Skill)?;
    known.retain(|id| executing(id).permit(grant).is_ok());
    Ok(known)
}

fn executing(id: &ItemId) -> Action {
    Action::TakeIn { item_type: ItemType::Skill, id: id.clone(), given: Given::default() }
}

/// Finds the skill that an address lies in, and the path from its folder. Of several skills it is the one with the longest id.
/// A `SKILL.md` of a skill that is not there, or that may not be executed, is one of a skill: the denial does not tell which.
fn find(session: &Session, grant: &Grant, uri: &str) -> Result<Option<(ItemId, String)>, Failure> {
    let Some(path) = skill_uri::path(uri) else { return Ok(None) };
    let rest = |id: &ItemId| {
        let rest = path.strip_prefix(id.as_str())?;
        if rest.is_empty() { Some(String::new()) } else { Some(rest.strip_prefix('/')?.to_owned()) }
    };
    let known = known(session, grant)?;
    let found = known.iter().filter_map(|id| Some((id.clone(), rest(id)?)));
    let found = found.max_by_key(|(id, _)| id.as_str().len());
    Ok(found.or_else(|| Some((skill_uri::skill(uri)?, SKILL_FILE.to_owned()))))
}

/// Opens a skill that the connection may execute.
fn open(session: &Session, grant: &Grant, id: &ItemId, running: &Running) -> Result<Offered, Failure> {
    let project = session.project();
    access::permit_or_ask(executing(id), grant, running)?;
    let located = project.locate(ItemType::Skill, id, None, Purpose::Use)?;
    let verified = project.verified(located, Profile::Reference)?;
    Ok(Offered { space: verified.content().space, skill: project.verified_skill(&verified)? })
}

fn offered(listing: &SkillListing<'_>, verified: &Signed<Checked, Verified>) -> Option<Offered> {
    Some(Offered { space: verified.content().space, skill: listing.verified(verified)? })
}

/// Makes the entry of a skill: all fields of its front matter, and each file with its digest in the signed manifest.
fn entry(session: &Session, offered: &Offered, known: &[ItemId]) -> Result<Skill, Failure> {
    let Offered { space, skill } = offered;
    let manifest = &skill.manifest;
    let uri = skill_uri::of_skill(&manifest.id);
    let bytes = manifest.files.iter().fold(0, |sum: u64, file| sum.saturating_add(file.size));
    if manifest.files.len() > MOST_FILES || bytes > MOST_BYTES {
        return Err(Failure::LargeSkill { item_id: manifest.id.clone(), files: MOST_FILES, bytes: MOST_BYTES });
    }
    let fields = format::skill_fields(&session.project().skill_file(*space, skill, SKILL_FILE)?);
    let frontmatter: Option<SkillFrontmatter> =
        fields.and_then(|fields| serde_json::from_value(Value::Object(fields)).ok());
    let (Some(frontmatter), false) = (frontmatter, is_covered(manifest, known)) else {
        return Err(Failure::UnknownSkill { uri });
    };
    let file = |file: &crate::item::SkillFile| {
        let uri = skill_uri::of_file(&manifest.id, &file.path);
        SkillResource::new(uri, format!("sha256:{}", file.sha256), file.size)
    };
    Ok(Skill::new(uri, frontmatter, SkillResources::Files(manifest.files.iter().map(file).collect())))
}

/// Tells whether a file of a skill has an address that belongs to another skill, whose id is longer.
fn is_covered(manifest: &SkillManifest, known: &[ItemId]) -> bool {
    let own = format!("{}/", manifest.id);
    let folders = known.iter().filter_map(|id| id.as_str().strip_prefix(&own));
    let mut folders = folders.map(|folder| format!("{folder}/"));
    folders.any(|folder| manifest.files.iter().any(|file| file.path.starts_with(&folder)))
}

fn described(id: &ItemId, skill: &VerifiedSkill) -> Resource {
    let resource = Resource::new(skill_uri::of_skill(id), skill.document.name.clone());
    resource.with_description(skill.document.description.clone()).with_mime_type("text/markdown")
}

/// Returns the type of a file by the end of its name, where that is well known.
fn mime_type(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "md" => "text/markdown",
        "txt" | "sh" | "py" | "js" | "ts" | "rs" | "toml" => "text/plain",
        "html" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::item::SkillFile;
    use crate::trust::ContentHash;

    #[test]
    fn an_address_is_one_of_one_skill() {
        let file = |path: &str| SkillFile {
            path: path.to_owned(),
            executable: false,
            size: 1,
            sha256: ContentHash::of(path.as_bytes()),
        };
        let files = vec![file("SKILL.md"), file("read-pdf/SKILL.md")];
        let manifest = SkillManifest { id: "acme".parse().unwrap(), version: None, source: None, files };
        let known = |ids: &[&str]| ids.iter().map(|id| id.parse().unwrap()).collect::<Vec<ItemId>>();
        assert!(is_covered(&manifest, &known(&["acme", "acme/read-pdf"])));
        assert!(!is_covered(&manifest, &known(&["acme", "acme/read", "read-pdf"])));
    }
}
