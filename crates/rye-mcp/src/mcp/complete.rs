//! What a client offers while a person fills in a prompt or an address.

use std::collections::BTreeSet;

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use serde_json::Value;

use super::access::{self, Connection};
use super::error::Failure;
use super::{page, prompts, resources, skills};
use crate::capability::Grant;
use crate::id::ItemType;
use crate::item::{Input, InputKind};
use crate::session::Session;

/// Completes an argument of a prompt, or the id in the address of a resource.
///
/// # Errors
///
/// Fails when the prompt is unknown, or the spaces or the configuration cannot be read.
pub(super) fn complete(
    session: &Session,
    connection: &Connection<'_>,
    asked: &CompleteRequestParams,
) -> Result<CompleteResult, Failure> {
    let grant = access::grant(session, connection)?;
    let values = match &asked.r#ref {
        Reference::Prompt(prompt) => {
            let inputs = prompts::inputs(session, &grant, &prompt.name)?;
            match inputs.iter().find(|input| input.name == asked.argument.name) {
                Some(input) => values(session, &grant, input, asked)?,
                None => Vec::new(),
            }
        }
        Reference::Resource(resource) if resource.uri == resources::template().uri_template => {
            ids(session, &grant, &[ItemType::Knowledge])?
        }
        Reference::Resource(resource) if resource.uri == skills::template().uri_template => {
            let context = asked.context.as_ref().and_then(|context| context.arguments.as_ref());
            let id = context.and_then(|arguments| arguments.get("id")).and_then(|id| id.parse().ok());
            match (asked.argument.name.as_str(), id) {
                ("id", _) => ids(session, &grant, &[ItemType::Skill])?,
                ("path", Some(id)) => skills::paths(session, &grant, &id),
                _ => Vec::new(),
            }
        }
        // Unknown arguments have nothing to offer.
        _ => Vec::new(),
    };
    let begun = asked.argument.value.to_lowercase();
    let mut fitting: Vec<String> =
        values.into_iter().filter(|value| value.to_lowercase().starts_with(&begun)).collect();
    let total = fitting.len();
    fitting.truncate(CompletionInfo::MAX_VALUES);
    let mut completion = CompletionInfo::default();
    completion.has_more = Some(fitting.len() < total);
    completion.total = u32::try_from(total).ok();
    completion.values = fitting;
    Ok(CompleteResult::new(completion))
}

/// Lists what an input can be: its default, yes and no, and where its name says that it names an item, the items.
fn values(
    session: &Session,
    grant: &Grant,
    input: &Input,
    asked: &CompleteRequestParams,
) -> Result<Vec<String>, Failure> {
    let mut values: Vec<String> = input.default.iter().map(text).collect();
    match (input.kind, input.name.as_str()) {
        (InputKind::Boolean, _) => values.extend(["true".to_owned(), "false".to_owned()]),
        (InputKind::String, "item_type") => values.extend(ItemType::ALL.iter().map(ToString::to_string)),
        (InputKind::String, "item_id") => {
            let given =
                asked.context.as_ref().and_then(|context| context.arguments.as_ref()?.get("item_type")?.parse().ok());
            values.extend(ids(session, grant, given.as_ref().map_or(&ItemType::ALL[..], std::slice::from_ref))?);
        }
        (InputKind::String | InputKind::Integer | InputKind::Number | InputKind::Object | InputKind::Array, _) => {}
    }
    let mut known = BTreeSet::new();
    values.retain(|value| known.insert(value.clone()));
    Ok(values)
}

fn ids(session: &Session, grant: &Grant, item_types: &[ItemType]) -> Result<Vec<String>, Failure> {
    let mut ids = BTreeSet::new();
    for item_type in item_types {
        ids.extend(page::ids(session, grant, *item_type)?.iter().map(ToString::to_string));
    }
    Ok(ids.into_iter().collect())
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
