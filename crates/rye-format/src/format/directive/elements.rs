//! Checks that every element of the xml block is known, at its place, and has only valid content.

use crate::format::rules;
use crate::format::span::Findings;
use crate::format::syntax::xml::Element;
use crate::id::nearest;

/// What an element may hold.
pub(super) struct Shape {
    pub(super) attributes: &'static [&'static str],
    pub(super) children: &'static [&'static str],
    /// Whether a child may occur more than once.
    pub(super) repeats: bool,
    pub(super) text: bool,
}

/// Attributes and text, no children.
pub(super) const fn leaf(attributes: &'static [&'static str], text: bool) -> Shape {
    Shape { attributes, children: &[], repeats: false, text }
}

/// Children that occur once each.
pub(super) const fn group(attributes: &'static [&'static str], children: &'static [&'static str]) -> Shape {
    Shape { attributes, children, repeats: false, text: false }
}

/// Children that occur any number of times.
pub(super) const fn list(children: &'static [&'static str]) -> Shape {
    Shape { attributes: &[], children, repeats: true, text: false }
}

/// Files a finding for everything in `element` that `shape` does not have.
pub(super) fn check(element: &Element, shape: &Shape, findings: &mut Findings<'_>) {
    for attribute in &element.attributes {
        if !shape.attributes.contains(&attribute.name.as_str()) {
            unknown_attribute(element, &attribute.name, attribute.span, shape, findings);
        }
    }
    check_children(element, shape, findings);
}

/// Files a finding for every child and text in `element` that `shape` does not have.
pub(super) fn check_children(element: &Element, shape: &Shape, findings: &mut Findings<'_>) {
    for (number, child) in element.children.iter().enumerate() {
        let name = child.name.as_str();
        if findings.is_full() {
            return;
        }
        if !shape.children.contains(&name) {
            unknown_child(element, child, shape, findings);
        } else if !shape.repeats && element.children[..number].iter().any(|earlier| earlier.name == name) {
            let message = format!("`<{name}>` appears twice in `<{}>`", element.name);
            findings.at(&rules::REPEATED_ELEMENT, child.span, message, "keep one of them");
        }
    }
    if let (false, Some(span)) = (shape.text, element.text_span) {
        let message = format!("text is in `<{}>`, which takes no text", element.name);
        findings.at(&rules::STRAY_TEXT, span, message, "remove the text, or put it into the element it belongs to");
    }
}

fn unknown_attribute(
    element: &Element,
    name: &str,
    span: crate::format::Span,
    shape: &Shape,
    findings: &mut Findings<'_>,
) {
    let message = format!("`<{}>` has no attribute `{name}`", element.name);
    findings.at(&rules::UNKNOWN_ATTRIBUTE, span, message, choice(name, shape.attributes));
}

fn unknown_child(element: &Element, child: &Element, shape: &Shape, findings: &mut Findings<'_>) {
    let name = child.name.as_str();
    let message = format!("`<{}>` has no element `<{}>`", element.name, shortened(name));
    findings.at(&rules::UNKNOWN_ELEMENT, child.span, message, choice(name, shape.children));
}

fn choice(name: &str, known: &[&str]) -> String {
    match nearest(&shortened(name), known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "remove it".to_owned(),
        None => format!("known here: {}", known.join(", ")),
    }
}

/// Keeps hostile names out of messages and the edit distance short.
fn shortened(name: &str) -> String {
    name.chars().take(40).collect()
}
