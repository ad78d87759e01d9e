//! Knowledge: a header and a text, and the links in both.

mod document;
mod links;

pub(super) use document::{FrontMatter, read};
pub use links::{findings as link_findings, links};
