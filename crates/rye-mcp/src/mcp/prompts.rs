//! Directives and skills as prompts: what a client offers people to start from.
//!
//! A prompt's text is what executing the item gives, so only verified ones have one. Its name is the id made fit for
//! clients that take it for a command; two prompts never share one. A client that knows skills by themselves is offered no
//! prompts of them.

use std::collections::BTreeMap;

use rmcp::model::{GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role};

use super::access::{self, Connection};
use super::call::perform;
use super::error::Failure;
use super::follow::{Next, next};
use super::page::{self, Place};
use super::skills;
use super::text;
use super::tools::as_text;
use super::work::Running;
use crate::action::{Action, Done, flat_names};
use crate::capability::Grant;
use crate::execute::Outcome;
use crate::id::{ItemId, ItemType, nearest};
use crate::item::{Input, Item};
use crate::locate::SkillListing;
use crate::session::Session;

/// How much of a skill's name is kept where a directive has the same.
const MOST_KEPT: usize = 50;

/// Lists prompts from behind a place on: those of the directives, and, unless the client knows skills by themselves, those
/// of skills.
pub(super) fn list(
    session: &Session,
    connection: &Connection<'_>,
    after: Option<&Place>,
    knows_skills: bool,
) -> Result<ListPromptsResult, Failure> {
    let grant = access::grant(session, connection)?;
    let names = names(session, &grant)?;
    let name = |item_type: ItemType, id: &ItemId| {
        let is_it = |place: &Place| place.item_type == item_type && place.id == *id;
        names.iter().find(|(_, place)| is_it(place)).map(|(name, _)| name.clone())
    };
    let item_types: &[ItemType] =
        if knows_skills { &[ItemType::Directive] } else { &[ItemType::Directive, ItemType::Skill] };
    let listing = SkillListing::of(session.project());
    let page = page::of(session, &grant, item_types, after, |verified| {
        let id = &verified.subject().item_id;
        let (name, description, arguments) = match &verified.content().item {
            Item::Directive(directive) => {
                let arguments = directive.inputs.iter().map(argument).collect();
                (name(ItemType::Directive, id)?, directive.description.clone(), arguments)
            }
            Item::Skill(_) => {
                let skill = listing.verified(verified)?;
                (name(ItemType::Skill, id)?, skill.document.description, Vec::new())
            }
            Item::Tool(_) | Item::Knowledge(_) => return None,
        };
        Some(Prompt::new(name, Some(description), Some(arguments)).with_title(id.as_str()))
    })?;
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
/// Fails when the prompt is unknown, the connection may not execute the item, or executing fails.
pub(super) fn get(
    session: &Session,
    connection: &Connection<'_>,
    name: &str,
    arguments: JsonObject,
    running: &Running,
) -> Result<(GetPromptResult, Next), Failure> {
    let grant = access::grant(session, connection)?;
    let Place { item_type, id } = place(session, &grant, name)?;
    let action = Action::TakeIn { item_type, id, given: as_text(arguments.into()) };
    let done = perform(session, access::permit_or_ask(action, &grant, running)?, &grant, false, running)?;
    let (description, text) = match &done {
        Done::Executed(Outcome::Directive(directive)) => {
            (directive.description.clone(), text::directive(directive, false))
        }
        Done::Executed(Outcome::Skill(skill)) => (skill.description.clone(), text::skill(skill)),
        Done::Executed(Outcome::Knowledge(_) | Outcome::Tool(_) | Outcome::Planned(_))
        | Done::Loaded(_)
        | Done::Found(_)
        | Done::Signed(_) => return Err(Failure::UnknownPrompt { name: name.to_owned(), suggestion: None }),
    };
    let message = PromptMessage::new_text(Role::User, text);
    Ok((GetPromptResult::new(vec![message]).with_description(description), next(session, &done)))
}

/// Returns what a prompt takes: nothing where it is a skill's, or its directive cannot be used.
///
/// # Errors
///
/// Fails when the prompt is unknown.
pub(super) fn inputs(session: &Session, grant: &Grant, name: &str) -> Result<Vec<Input>, Failure> {
    let Place { item_type, id } = place(session, grant, name)?;
    Ok(match page::usable(session, item_type, &id).map(|verified| verified.content().item.clone()) {
        Some(Item::Directive(directive)) => directive.inputs,
        Some(Item::Tool(_) | Item::Knowledge(_) | Item::Skill(_)) | None => Vec::new(),
    })
}

/// Returns all prompts by their names. A directive keeps its name, whichever skills there are.
fn names(session: &Session, grant: &Grant) -> Result<BTreeMap<String, Place>, Failure> {
    let directives = page::ids(session, grant, ItemType::Directive)?;
    let skills = page::ids(session, grant, ItemType::Skill)?;
    let placed = |item_type: ItemType| move |(name, id)| (name, Place { item_type, id });
    let mut names: BTreeMap<String, Place> =
        flat_names(directives.iter()).into_iter().map(placed(ItemType::Directive)).collect();
    for (name, place) in flat_names(skills.iter()).into_iter().map(placed(ItemType::Skill)) {
        let kept: String = name.chars().take(MOST_KEPT).collect();
        let others = (1..).map(|number| format!("{kept}_skill_{number}"));
        let free = std::iter::once(name).chain(others).find(|name| !names.contains_key(name));
        names.extend(free.map(|name| (name, place)));
    }
    Ok(names)
}

/// Finds the item of a prompt's name; its id is a name too. A directive's id that may not be executed is one whether it is
/// there or not, so that the denial does not tell; a skill that has to be asked about is found by its id alone.
fn place(session: &Session, grant: &Grant, name: &str) -> Result<Place, Failure> {
    let mut names = names(session, grant)?;
    if let Some(place) = names.remove(name) {
        return Ok(place);
    }
    if let Ok(id) = name.parse::<ItemId>() {
        let listed = |item_type| names.values().any(|place| place.item_type == item_type && place.id == id);
        if listed(ItemType::Directive) {
            return Ok(Place { item_type: ItemType::Directive, id });
        }
        if listed(ItemType::Skill) || skills::is_known(session, grant, &id)? {
            return Ok(Place { item_type: ItemType::Skill, id });
        }
        if name.contains('/') && !page::may_execute(grant, ItemType::Directive, &id) {
            return Ok(Place { item_type: ItemType::Directive, id });
        }
    }
    let suggestion = nearest(name, names.keys().map(String::as_str)).map(str::to_owned);
    Err(Failure::UnknownPrompt { name: name.to_owned(), suggestion })
}
