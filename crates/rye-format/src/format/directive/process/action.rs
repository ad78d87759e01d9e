//! Action elements: what they act on, and what keeps them from saying so.

use crate::capability::Primary;
use crate::format::directive::context;
use crate::format::span::Findings;
use crate::format::syntax::tags::Token;
use crate::format::{Span, rules};
use crate::id::{ItemId, ItemType, Space};
use crate::item::Action;

/// Attributes of action elements, in addition to those of the item.
pub(in crate::format) const EXTRA: [&str; 8] = ["query", "space", "from", "to", "force", "max", "offset", "sort"];

/// Reads an action element without its parameters.
pub(super) fn read(token: &Token<'_>, findings: &mut Findings<'_>) -> Action {
    let known: Vec<&str> = ["item_type", "item_id"].into_iter().chain(EXTRA).collect();
    know(token, &known, findings);
    // The tokens that come here have the name of a primary action.
    let primary = token.name.parse().unwrap_or(Primary::Search);
    let item_type = attribute(token, "item_type");
    let item_id = attribute(token, "item_id");
    if let Some((message, hint)) = action_fault(primary, item_type, item_id, attribute(token, "query")) {
        findings.at(&rules::BAD_ACTION, token.span, message, hint);
    }
    for (name, value) in &token.attributes {
        if let Some((message, hint)) = attribute_fault(name, value) {
            findings.at(&rules::BAD_ACTION, token.span, message, hint);
        }
    }
    let extra = token.attributes.iter().filter(|(name, _)| EXTRA.contains(name));
    let action = Action {
        primary,
        item_type: item_type.and_then(|word| word.parse().ok()),
        item_id: item_id.map(str::to_owned),
        attributes: extra.map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        params: Vec::new(),
    };
    check_name(&action, token.span, findings);
    action
}

/// Warns of an action that names its item as it was called before.
pub(super) fn check_name(action: &Action, span: Span, findings: &mut Findings<'_>) {
    let id = action.item_id.as_deref().and_then(|id| id.parse().ok());
    if let (Some(item_type), Some(id)) = (action.item_type, id) {
        context::former_name(item_type, &id, span, findings);
    }
}

/// Files a finding for every other attribute.
pub(super) fn know(token: &Token<'_>, known: &[&str], findings: &mut Findings<'_>) {
    for (name, _) in token.attributes.iter().filter(|(name, _)| !known.contains(name)) {
        let message = format!("`<{}>` has no attribute `{name}`", token.name);
        let hint = format!("use one of {}", known.join(", "));
        findings.at(&rules::UNKNOWN_ATTRIBUTE, token.span, message, hint);
    }
}

/// Returns the value of an attribute.
pub(super) fn attribute<'a>(token: &'a Token<'_>, name: &str) -> Option<&'a str> {
    token.attributes.iter().find(|(found, _)| *found == name).map(|(_, value)| value.as_str())
}

/// Says what keeps the value of an attribute from meaning anything, and what it may be. A template is known only later.
pub(in crate::format) fn attribute_fault(name: &str, value: &str) -> Option<(String, String)> {
    let (fits, choice) = match name {
        "space" | "from" => (value.parse::<Space>().is_ok(), "project, user or system"),
        "to" => (matches!(value, "project" | "user"), "project or user"),
        "max" | "offset" => (value.parse::<u32>().is_ok(), "a whole number"),
        "force" => (matches!(value, "true" | "false"), "true or false"),
        "sort" => (matches!(value, "score" | "date" | "name"), "score, date or name"),
        _ => return None,
    };
    let known = fits || value.contains("{input:");
    (!known).then(|| (format!("`{name}` cannot be `{value}`"), format!("write {choice}")))
}

/// Says what keeps an action from naming what it acts on, and what to write.
pub(in crate::format) fn action_fault(
    primary: Primary,
    item_type: Option<&str>,
    item_id: Option<&str>,
    query: Option<&str>,
) -> Option<(String, String)> {
    let searches = primary == Primary::Search;
    match (item_type, item_id) {
        (Some(word), _) if word.parse::<ItemType>().is_err() => {
            Some((format!("`{word}` is not an item type"), "write `directive`, `tool` or `knowledge`".to_owned()))
        }
        (None, _) if !searches => {
            let hint = "add `item_type=\"tool\"`, or put the tag in backticks if it is text";
            Some((format!("`<{primary}>` does not say which type of item it acts on"), hint.to_owned()))
        }
        (_, None) if !searches => {
            Some((format!("`<{primary}>` does not name its item"), "add `item_id=\"…\"`".to_owned()))
        }
        (_, Some(id)) if !id.contains("{input:") => {
            let error = id.parse::<ItemId>().err()?;
            Some((error.to_string(), context::id_hint(id)))
        }
        _ if searches && query.is_none() => {
            Some(("`<search>` has no query".to_owned(), "add `query=\"…\"`".to_owned()))
        }
        _ => None,
    }
}
