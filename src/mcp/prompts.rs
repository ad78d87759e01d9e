//! Directives as prompts: what a client offers people to start from.
//!
//! A prompt's text is what executing the directive gives, so only verified ones have one. Its name is the id made fit for
//! clients that take it for a command; two directives never share one.

use rmcp::model::{GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role};

use super::access::{self, Connection};
use super::call::perform;
use super::error::Failure;
use super::follow::{Next, next};
use super::page;
use super::text;
use super::tools::as_text;
use super::work::Running;
use crate::action::{Action, Done, flat_names};
use crate::capability::Grant;
use crate::id::{ItemId, ItemType, nearest};
use crate::item::{Input, Item};
use crate::ops::execute::Outcome;
use crate::ops::locate::Session;

/// Lists prompts from behind an id on.
///
/// # Errors
///
/// Fails when the spaces or the configuration cannot be read.
pub(super) fn list(
    session: &Session,
    connection: &Connection<'_>,
    after: Option<&ItemId>,
) -> Result<ListPromptsResult, Failure> {
    let ids = page::ids(session, &access::grant(session, connection)?, ItemType::Directive)?;
    let names = flat_names(ids.iter());
    let name = |id: &ItemId| names.iter().find(|(_, known)| *known == id).map(|(name, _)| name.clone());
    let page = page::of(session, ItemType::Directive, &ids, after, |verified| {
        let Item::Directive(directive) = &verified.content().item else { return None };
        let arguments = directive.inputs.iter().map(argument).collect();
        let id = &verified.subject().item_id;
        Some(Prompt::new(name(id)?, Some(directive.description.clone()), Some(arguments)).with_title(id.as_str()))
    });
    let mut listed = ListPromptsResult::with_all_items(page.shown);
    listed.next_cursor = page.next;
    Ok(listed)
}

fn argument(input: &Input) -> PromptArgument {
    let kind = input.kind.to_string();
    let described = match input.description.trim() {
        "" => kind,
        text => format!("{text} ({kind})"),
    };
    let required = input.required && input.default.is_none();
    PromptArgument::new(input.name.clone()).with_description(described).with_required(required)
}

/// Fills a prompt in, and tells what the connection follows once that is answered.
///
/// # Errors
///
/// Fails when there is no such prompt, the connection may not execute the directive, or executing fails.
pub(super) fn get(
    session: &Session,
    connection: &Connection<'_>,
    name: &str,
    arguments: JsonObject,
    running: &Running,
) -> Result<(GetPromptResult, Next), Failure> {
    let grant = access::grant(session, connection)?;
    let id = directive(session, &grant, name)?;
    let action = Action::TakeIn { item_type: ItemType::Directive, id, given: as_text(arguments.into()) };
    let done = perform(session, access::permit_or_ask(action, &grant, running)?, &grant, false, running)?;
    let Done::Executed(Outcome::Directive(directive)) = &done else {
        return Err(Failure::UnknownPrompt { name: name.to_owned(), suggestion: None });
    };
    let message = PromptMessage::new_text(Role::User, text::directive(directive, false));
    Ok((GetPromptResult::new(vec![message]).with_description(directive.description.clone()), next(session, &done)))
}

/// Returns what a prompt takes; nothing where its directive cannot be used.
///
/// # Errors
///
/// Fails when there is no such prompt.
pub(super) fn inputs(session: &Session, grant: &Grant, name: &str) -> Result<Vec<Input>, Failure> {
    let id = directive(session, grant, name)?;
    Ok(match page::usable(session, ItemType::Directive, &id).map(|verified| verified.content().item.clone()) {
        Some(Item::Directive(directive)) => directive.inputs,
        Some(Item::Tool(_) | Item::Knowledge(_) | Item::Skill(_)) | None => Vec::new(),
    })
}

/// Finds the directive of a prompt's name; its id is a name too. An id that may not be executed is one whether it is there
/// or not, so that the denial does not tell.
fn directive(session: &Session, grant: &Grant, name: &str) -> Result<ItemId, Failure> {
    let ids = page::ids(session, grant, ItemType::Directive)?;
    let mut names = flat_names(ids.iter());
    let is_denied = |id: &ItemId| name.contains('/') && !page::may_execute(grant, ItemType::Directive, id);
    let by_id = || name.parse().ok().filter(|id| ids.contains(id) || is_denied(id));
    if let Some(id) = names.remove(name).or_else(by_id) {
        return Ok(id);
    }
    let suggestion = nearest(name, names.keys().map(String::as_str)).map(str::to_owned);
    Err(Failure::UnknownPrompt { name: name.to_owned(), suggestion })
}
