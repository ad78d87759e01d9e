//! Legacy forms rewritten as current ones, on the text: what is not legacy stays byte for byte.
//!
//! One pass per form, each from text to text, so that migrating what was migrated changes nothing. Nothing is widened
//! and nothing is guessed: what has no current form that means the same stays, and is named. A file that changes loses
//! its signature line, which would not hold any more.

mod edits;
mod header;
mod names;
mod permissions;
mod references;
mod tags;
mod zones;

use super::{Span, fence, pure_xml};
use crate::id::ItemType;
use crate::trust::{LineState, Subject, split};

pub use names::snake_id;
pub use references::Renames;

/// A file as it would be without legacy forms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Migration {
    /// The new text; the old one, byte for byte, when nothing is to change.
    pub text: String,
    /// What was rewritten, in words, in the order it was done.
    pub changes: Vec<String>,
    /// What a person has to look at: what could not be rewritten, and what was added for review.
    pub review: Vec<String>,
}

impl Migration {
    /// Tells whether anything is to change.
    #[must_use]
    pub fn is_change(&self) -> bool {
        !self.changes.is_empty()
    }
}

/// What is to be rewritten in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every legacy form, and references to items that are renamed.
    All,
    /// References to items that are renamed.
    References,
}

/// Rewrites an item.
#[must_use]
pub fn migrate(subject: &Subject, text: &str, scope: Scope, renames: &Renames) -> Migration {
    let parts = split(subject.item_type, subject.extension.comment(), text.as_bytes());
    let body = String::from_utf8_lossy(&parts.body()).into_owned();
    let mut work = Work { text: body, changes: Vec::new(), review: Vec::new() };
    if scope == Scope::All {
        if parts.line == LineState::Legacy {
            work.changes.push("remove the signature line of an older program".to_owned());
        }
        forms(subject, renames, &mut work);
    }
    references::rewrite(&mut work, subject.item_type, renames);
    work.finish(text)
}

/// Rewrites a capability document that is no item.
#[must_use]
pub fn migrate_document(text: &str) -> Migration {
    let mut work = Work { text: text.to_owned(), changes: Vec::new(), review: Vec::new() };
    header::capabilities(&mut work);
    names::former(&mut work);
    work.finish(text)
}

fn forms(subject: &Subject, renames: &Renames, work: &mut Work) {
    let is_yaml = matches!(subject.extension.as_str(), "yaml" | "yml");
    match subject.item_type {
        ItemType::Directive => {
            zones::rewrite(work);
            permissions::rewrite(work);
            names::former(work);
            names::own(work, renames.id(&subject.item_id));
        }
        ItemType::Tool if is_yaml => {
            header::capabilities(work);
            names::former(work);
        }
        ItemType::Knowledge if !is_yaml => header::front_matter(work),
        ItemType::Tool | ItemType::Knowledge => {}
    }
}

/// A text being rewritten.
struct Work {
    text: String,
    changes: Vec<String>,
    review: Vec<String>,
}

impl Work {
    /// Makes edits, and tells of them.
    fn apply(&mut self, edits: edits::Edits, change: impl Into<String>) {
        if let Some(text) = edits.apply(&self.text) {
            self.text = text;
            let change = change.into();
            if !self.changes.contains(&change) {
                self.changes.push(change);
            }
        }
    }

    fn finish(self, original: &str) -> Migration {
        let Self { text, changes, review } = self;
        let text = if changes.is_empty() { original.to_owned() } else { text };
        Migration { text, changes, review }
    }
}

/// Finds the element of a directive, in its fence or bare.
fn directive_zone(text: &str) -> Option<Span> {
    let outline = fence::outline(text);
    match outline.fences.iter().find(|fence| holds_directive(fence, text)) {
        Some(fence) => fence.closed.then_some(fence.content),
        None => pure_xml::bare(text).filter(|bare| {
            // An element in a block of another kind is an example.
            let shows = |fence: &fence::Fence| (fence.block.start..fence.block.end).contains(&bare.start);
            !outline.fences.iter().any(shows)
        }),
    }
}

fn holds_directive(fence: &fence::Fence, text: &str) -> bool {
    fence.language == "xml" && fence.content.of(text).contains("<directive")
}
