//! What a directive names and cannot do without, each with its place: its base, what it depends on and requires, and
//! the knowledge of its context.

use super::span::Findings;
use super::xml::Element;
use super::{Span, directive};
use crate::id::{ItemId, ItemType};

/// The elements of `<context>` that name what must be there, with the type that they name; `requires` names any.
const ELEMENTS: [(&str, Option<ItemType>); 5] = [
    ("depends_on", Some(ItemType::Directive)),
    ("requires", None),
    ("system", Some(ItemType::Knowledge)),
    ("before", Some(ItemType::Knowledge)),
    ("after", Some(ItemType::Knowledge)),
];

/// One name, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The attribute or element that names it.
    pub element: &'static str,
    /// The type of item it must be; none for `requires`, which may be any, or a word.
    pub item_type: Option<ItemType>,
    /// The name.
    pub name: ItemId,
    /// Where it stands in the file.
    pub span: Span,
}

/// Finds what a directive's text names, in its order; empty when it cannot be read. What is no name has a finding of
/// its own where the directive is read.
#[must_use]
pub fn relations(text: &str) -> Vec<Relation> {
    let Some(root) = directive::root(text, &mut Findings::about(text)) else { return Vec::new() };
    let base = root.attribute("extends").and_then(|found| {
        let name = found.value.trim().parse().ok()?;
        Some(Relation { element: "extends", item_type: Some(ItemType::Directive), name, span: found.span })
    });
    let context = root.child("metadata").and_then(|metadata| metadata.child("context"));
    base.into_iter().chain(context.into_iter().flat_map(|context| &context.children).filter_map(relation)).collect()
}

fn relation(element: &Element) -> Option<Relation> {
    let (name, item_type) = ELEMENTS.into_iter().find(|(name, _)| *name == element.name)?;
    let span = element.text_place();
    Some(Relation { element: name, item_type, name: element.text.trim().parse().ok()?, span })
}
