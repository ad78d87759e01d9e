//! What a directive names and cannot do without, each with its place: its base, what it depends on and requires, the
//! knowledge of its context, what its hooks act on, and what continues it.

use super::context;
use crate::format::span::Findings;
use crate::format::syntax::prose;
use crate::format::syntax::xml::Element;
use crate::format::{Span, directive};
use crate::id::{ItemId, ItemType};

/// The elements of `<context>` that name what must be there, with the type that they name; `requires` names any.
const ELEMENTS: [(&str, Option<ItemType>); 5] = [
    ("depends_on", Some(ItemType::Directive)),
    ("requires", None),
    ("system", Some(ItemType::Knowledge)),
    ("before", Some(ItemType::Knowledge)),
    ("after", Some(ItemType::Knowledge)),
];

/// Elements of `<context>` that mention items, with the type of those; `example_of` mentions any.
const MENTIONS: [(&str, Option<ItemType>); 3] =
    [("used_by", Some(ItemType::Directive)), ("suggests", Some(ItemType::Directive)), ("example_of", None)];

/// What a directive mentions, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mention {
    /// An item.
    Item(Relation),
    /// An entry of `related_files`.
    File {
        /// The entry.
        entry: String,
        /// Its place in the file.
        span: Span,
    },
}

/// Finds what the context of a directive's text mentions and does not need, in its order; empty when it cannot be read.
#[must_use]
pub fn mentions(text: &str) -> Vec<Mention> {
    let Some(root) = directive::root(text, &mut Findings::about(text)) else { return Vec::new() };
    let context = root.child("metadata").and_then(|metadata| metadata.child("context"));
    context.into_iter().flat_map(|context| &context.children).flat_map(|element| mentioned(text, element)).collect()
}

fn mentioned(text: &str, element: &Element) -> Vec<Mention> {
    let span = element.text_place();
    if element.name == "related_files" {
        let place = |entry: &str| {
            let start = span.start + span.of(text).find(entry)?;
            Some(Span::new(start, start + entry.len()))
        };
        let entries = context::entries(&element.text);
        return entries.map(|entry| Mention::File { span: place(&entry).unwrap_or(span), entry }).collect();
    }
    named_by(&MENTIONS, element).map(Mention::Item).into_iter().collect()
}

/// One name, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The attribute or element that names it.
    pub element: &'static str,
    /// The type of item it must be; none for `requires`, which may be any, or a word.
    pub item_type: Option<ItemType>,
    /// The name.
    pub name: ItemId,
    /// Its place in the file.
    pub span: Span,
}

/// Finds what a directive's text names, in its order; empty when it cannot be read. An invalid name has a finding of
/// its own where the directive is read.
#[must_use]
pub fn relations(text: &str) -> Vec<Relation> {
    let Some(root) = directive::root(text, &mut Findings::about(text)) else { return Vec::new() };
    let base = root.attribute("extends").and_then(|found| {
        let name = found.value.trim().parse().ok()?;
        Some(Relation { element: "extends", item_type: Some(ItemType::Directive), name, span: found.span })
    });
    let parts = root.child("metadata").into_iter().flat_map(|metadata| &metadata.children);
    base.into_iter().chain(parts.flat_map(named)).collect()
}

/// Finds what one part of the metadata names.
fn named(part: &Element) -> Vec<Relation> {
    match part.name.as_str() {
        "context" => part.children.iter().filter_map(relation).collect(),
        "hooks" => part.children.iter().flat_map(|hook| &hook.children).filter_map(target).collect(),
        "continuation_directive" => continuation(part).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn relation(element: &Element) -> Option<Relation> {
    named_by(&ELEMENTS, element)
}

fn named_by(elements: &[(&'static str, Option<ItemType>)], element: &Element) -> Option<Relation> {
    let (name, item_type) = elements.iter().copied().find(|(name, _)| *name == element.name)?;
    let span = element.text_place();
    Some(Relation { element: name, item_type, name: element.text.trim().parse().ok()?, span })
}

/// Reads what a hook acts on, in either of its forms.
fn target(action: &Element) -> Option<Relation> {
    let (text, span) = match action.name.as_str() {
        "execute" => (prose::one_line(&action.text), action.text_place()),
        "action" => action.attribute("item_id").map(|found| (found.value.trim().to_owned(), found.span))?,
        _ => return None,
    };
    let item_type = action.value("item_type")?.parse().ok()?;
    Some(Relation { element: "hooks", item_type: Some(item_type), name: text.parse().ok()?, span })
}

fn continuation(element: &Element) -> Option<Relation> {
    let name = element.text.trim().parse().ok()?;
    let (item_type, span) = (Some(ItemType::Directive), element.text_place());
    Some(Relation { element: "continuation_directive", item_type, name, span })
}
