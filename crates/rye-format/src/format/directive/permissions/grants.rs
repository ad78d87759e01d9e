//! Which line of a directive grants what: the permissions alone, each with its place.

use super::{Grant, collect};
use crate::format::directive;
use crate::format::span::Findings;

/// Finds what a directive's text grants; empty when it declares nothing or cannot be read.
#[must_use]
pub fn grants(text: &str) -> Vec<Grant> {
    let mut aside = Findings::about(text);
    let Some(root) = directive::root(text, &mut aside) else { return Vec::new() };
    let permissions = root.child("metadata").and_then(|metadata| metadata.child("permissions"));
    permissions.map(|element| collect(element, &mut Findings::about(text)).0).unwrap_or_default()
}
