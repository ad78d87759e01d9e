//! Which line of a directive grants what: the permissions alone, each with its place.

use super::permissions::{Grant, collect};
use super::span::Findings;
use super::{fence, xml};

/// Finds what a directive's text grants; empty when it declares nothing or cannot be read.
#[must_use]
pub fn grants(text: &str) -> Vec<Grant> {
    let outline = fence::outline(text);
    let holds = |fence: &&fence::Fence| fence.language == "xml" && fence.content.of(text).contains("<directive");
    let Some(fence) = outline.fences.iter().find(holds) else { return Vec::new() };
    let Ok(root) = xml::parse(text, fence.content) else { return Vec::new() };
    let permissions = root.child("metadata").and_then(|metadata| metadata.child("permissions"));
    permissions.map(|element| collect(element, &mut Findings::about(text)).0).unwrap_or_default()
}
