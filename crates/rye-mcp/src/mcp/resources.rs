//! Knowledge and skills as resources: what a client shows people to attach.
//!
//! A resource is read by executing the entry, so only verified text goes out.

use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use super::access::{self, Connection};
use super::call::perform;
use super::error::Failure;
use super::page::{self, Place};
use super::roots::decoded;
use super::work::Running;
use super::{skill_uri, skills};
use crate::action::{Action, Done};
use crate::execute::{Given, Outcome};
use crate::id::{ItemId, ItemType};
use crate::item::Item;
use crate::locate::SkillListing;
use crate::session::Session;

/// The prefix of the address of every entry.
const PREFIX: &str = "rye://knowledge/";

/// The type of the text: the header is taken off, the rest is Markdown or plain.
const MIME_TYPE: &str = "text/markdown";

/// Returns the templates of all addresses.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![template(), skills::template()]
}

/// Returns the template of the addresses of knowledge; `+` keeps the slashes of an id.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{PREFIX}{{+id}}"), "knowledge")
        .with_title("Knowledge")
        .with_description("A knowledge entry by its id, such as rye/guides/signing")
        .with_mime_type(MIME_TYPE)
}

/// Lists resources from behind a place on: entries, and the `SKILL.md` of each skill.
pub(super) fn list(
    session: &Session,
    connection: &Connection<'_>,
    after: Option<&Place>,
) -> Result<ListResourcesResult, Failure> {
    let grant = access::grant(session, connection)?;
    let item_types = [ItemType::Knowledge, ItemType::Skill];
    let listing = SkillListing::of(session.project());
    let page = page::of(session, &grant, &item_types, after, |verified| match &verified.content().item {
        Item::Knowledge(knowledge) => {
            let id = &verified.subject().item_id;
            let resource = Resource::new(format!("{PREFIX}{id}"), id.as_str());
            Some(resource.with_title(knowledge.title.clone()).with_mime_type(MIME_TYPE))
        }
        Item::Skill(_) => skills::resource(&listing, verified),
        Item::Directive(_) | Item::Tool(_) => None,
    })?;
    let mut listed = ListResourcesResult::with_all_items(page.shown);
    listed.next_cursor = page.next;
    Ok(listed)
}

/// Reads an entry, or a file of a skill.
///
/// # Errors
///
/// Fails when the address is not one of this server's, the connection may not execute the entry, or executing fails.
pub(super) fn read(
    session: &Session,
    connection: &Connection<'_>,
    uri: &str,
    running: &Running,
) -> Result<ReadResourceResult, Failure> {
    if skill_uri::is_one(uri) {
        return skills::read(session, connection, uri, running);
    }
    let unknown = || Failure::UnknownResource { uri: uri.to_owned() };
    let id: ItemId = uri.strip_prefix(PREFIX).and_then(decoded).and_then(|id| id.parse().ok()).ok_or_else(unknown)?;
    let action = Action::TakeIn { item_type: ItemType::Knowledge, id, given: Given::default() };
    let grant = access::grant(session, connection)?;
    let done = perform(session, access::permit_or_ask(action, &grant, running)?, &grant, false, running)?;
    let Done::Executed(Outcome::Knowledge(knowledge)) = done else { return Err(unknown()) };
    let text = ResourceContents::text(knowledge.content, uri).with_mime_type(MIME_TYPE);
    Ok(ReadResourceResult::new(vec![text]))
}
