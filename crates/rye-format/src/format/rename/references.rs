//! What an item names: what it cannot do without, and all else that this program resolves.

use std::fmt;

use serde_json::json;

use crate::capability::Capability;
use crate::format::{capabilities, links};
use crate::id::{ItemId, ItemType};
use crate::item::{Directive, Item, Named};

/// Parameters and inputs whose value is a directive.
const OF_DIRECTIVES: [&str; 3] = ["directive_name", "directive_id", "directive"];

/// One name of an item in another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A name in an element or a header.
    Named(Named),
    /// The target of a link in knowledge: an id, a path, or a last segment.
    Link(String),
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(named) => named.name.fmt(f),
            Self::Link(target) => target.fmt(f),
        }
    }
}

/// Lists what an item names, each as often as it does.
#[must_use]
pub fn references(item: &Item) -> Vec<Reference> {
    let mut named: Vec<Reference> = Vec::new();
    match item {
        Item::Knowledge(knowledge) => {
            return links(knowledge).into_iter().map(|link| Reference::Link(link.target)).collect();
        }
        Item::Skill(_) => {}
        Item::Directive(directive) => named.extend(of_directive(directive).into_iter().map(Reference::Named)),
        Item::Tool(tool) => {
            // JSON is YAML, and the key may have either of its forms.
            let document = tool.rest.get("capabilities").map(|listed| json!({"capabilities": listed}).to_string());
            let listed = document.map(|document| capabilities(&document).capabilities.calls).unwrap_or_default();
            named.extend(listed.iter().filter_map(permitted).map(Reference::Named));
        }
    }
    named.extend(item.needs().into_iter().map(Reference::Named));
    named
}

/// Lists what a directive names beyond what it needs.
fn of_directive(directive: &Directive) -> Vec<Named> {
    let context = &directive.context;
    let related = [
        ("used_by", Some(ItemType::Directive), &context.used_by),
        ("suggests", Some(ItemType::Directive), &context.suggests),
        ("conflicts_with", Some(ItemType::Directive), &context.conflicts_with),
        ("example_of", None, &context.example_of),
        ("suppress", Some(ItemType::Knowledge), &context.suppress),
    ];
    let related = related.into_iter().flat_map(|(element, item_type, names)| {
        names.iter().map(move |name| Named { element, item_type, name: name.clone() })
    });
    let continuation = directive.continuation.iter().map(|name| of_directives("continuation_directive", name));
    let calls = directive.permissions.iter().flat_map(|permissions| &permissions.calls).filter_map(permitted);
    let params = directive.steps.iter().flat_map(|step| &step.actions).flat_map(|action| &action.params);
    let inputs = directive.hooks.iter().flat_map(|hook| &hook.inputs);
    let values = params.chain(inputs).filter(|(key, _)| OF_DIRECTIVES.contains(&key.as_str()));
    let values = values.filter_map(|(_, value)| Some(of_directives("param", &value.trim().parse().ok()?)));
    related.chain(continuation).chain(calls).chain(values).collect()
}

fn of_directives(element: &'static str, name: &ItemId) -> Named {
    Named { element, item_type: Some(ItemType::Directive), name: name.clone() }
}

/// Returns the one item that a capability names; none for a pattern.
fn permitted(call: &Capability) -> Option<Named> {
    let (_, item) = call.parts()?;
    let (item_type, specifics) = item?;
    let name = specifics.replace('.', "/").parse().ok()?;
    Some(Named { element: "permissions", item_type: Some(item_type), name })
}
