//! Legacy forms rewritten as current ones, on the text: other text stays byte for byte.
//!
//! One pass per form, each from text to text, held to what the text meant before (`meaning`). Nothing is widened and
//! nothing is guessed: a form without a current equivalent stays, and is named with its line. The passes are repeated
//! until nothing changes, so migrating twice changes nothing more. A file that changes loses its signature line, which
//! would not hold any more. The forms are listed in docs/migration.md.

mod capabilities;
mod edits;
mod front_matter;
mod job;
mod keys;
mod meaning;
mod names;
mod outputs;
mod permissions;
mod references;
mod tags;
mod work;
mod zones;

use super::syntax::yaml;
use crate::id::ItemType;
use crate::trust::{LineState, Subject, split};
use job::Job;
use meaning::Meaning;
use work::Work;

pub use job::Scope;
pub(super) use names::words;
pub use references::{Renames, snake_id};
pub use work::Remark;

/// How often the passes are made at most: one may open the way for another.
const MOST_ROUNDS: usize = 8;

/// A file as it would be without legacy forms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Migration {
    /// The new text; the old one, byte for byte, when nothing is to change.
    pub text: String,
    /// The rewrites, in words, in the order they were done.
    pub changes: Vec<String>,
    /// What a person has to look at, in the order of the file: forms that stay, and additions for review.
    pub remarks: Vec<Remark>,
}

impl Migration {
    /// Tells whether anything is to change.
    #[must_use]
    pub fn is_change(&self) -> bool {
        !self.changes.is_empty()
    }
}

/// Rewrites an item.
#[must_use]
pub fn migrate(subject: &Subject, text: &str, scope: Scope, renames: &Renames) -> Migration {
    let parts = split(subject.item_type, subject.extension.comment(), text.as_bytes());
    let mut work = Work::of_item(text, &parts);
    if scope == Scope::All && parts.line == LineState::Legacy {
        work.changes.push("remove the signature line of an older program".to_owned());
    }
    let job = Job { subject: Some(subject), scope, renames };
    let mut meaning = Meaning::of(subject);
    for _ in 0..MOST_ROUNDS {
        let before = work.text.clone();
        work.look_again();
        for pass in passes(subject, scope, &mut work) {
            make(pass, &job, &mut work, |old, new| meaning.difference(old, new, pass.fold));
        }
        if work.text == before {
            break;
        }
    }
    Migration::of(work)
}

/// Rewrites a capability document that is not an item.
#[must_use]
pub fn migrate_document(text: &str, renames: &Renames) -> Migration {
    let mut work = Work::of(text);
    if let Some(fault) = yaml_fault(text) {
        work.stays(fault.0, fault.1);
        return Migration::of(work);
    }
    let job = Job { subject: None, scope: Scope::All, renames };
    for pass in DOCUMENT {
        make(pass, &job, &mut work, |old, new| meaning::document_difference(old, new, pass.fold));
    }
    Migration::of(work)
}

impl Migration {
    fn of(work: Work<'_>) -> Self {
        let (text, changes, remarks) = work.finish();
        Self { text, changes, remarks }
    }
}

/// One form being rewritten.
struct Pass {
    rewrite: fn(&mut Work<'_>, &Job<'_>),
    /// Makes the spellings one that the pass may change.
    fold: fn(&str) -> String,
}

const fn pass(rewrite: fn(&mut Work<'_>, &Job<'_>)) -> Pass {
    Pass { rewrite, fold: str::to_owned }
}

const FORMER: Pass = Pass { rewrite: |work, _| names::former(work), fold: names::as_called_now };
const REFERENCES: Pass = Pass { rewrite: references::rewrite, fold: |text| text.replace('-', "_") };

const DIRECTIVE: &[Pass] = &[
    pass(|work, _| zones::rewrite(work)),
    pass(|work, _| permissions::rewrite(work)),
    pass(|work, _| outputs::rewrite(work)),
    FORMER,
    pass(names::own),
    REFERENCES,
];
const YAML_TOOL: &[Pass] =
    &[pass(|work, _| capabilities::rewrite(work)), pass(|work, _| keys::rewrite(work)), FORMER, REFERENCES];
const KNOWLEDGE: &[Pass] = &[pass(|work, _| front_matter::rewrite(work)), REFERENCES];
const DOCUMENT: &[Pass] = &[pass(|work, _| capabilities::rewrite(work)), FORMER, REFERENCES];
const OTHER: &[Pass] = &[REFERENCES];
const SKILL: &[Pass] = &[];

/// Returns the passes for an item; of what cannot be read only references can be rewritten.
fn passes(subject: &Subject, scope: Scope, work: &mut Work<'_>) -> &'static [Pass] {
    let is_yaml = matches!(subject.extension.as_str(), "yaml" | "yml");
    let (passes, fault) = match subject.item_type {
        // A manifest has one form, and what it lists is never rewritten.
        ItemType::Skill => (SKILL, None),
        _ if scope == Scope::References => return OTHER,
        ItemType::Directive => (DIRECTIVE, xml_fault(work)),
        ItemType::Tool if is_yaml => (YAML_TOOL, yaml_fault(&work.text)),
        ItemType::Knowledge if !is_yaml => (KNOWLEDGE, None),
        ItemType::Tool | ItemType::Knowledge => (OTHER, None),
    };
    let Some((at, message)) = fault else { return passes };
    work.stays(at, message);
    OTHER
}

/// Makes one pass, and takes it back if it would make a difference.
fn make(pass: &Pass, job: &Job<'_>, work: &mut Work<'_>, difference: impl FnOnce(&str, &str) -> Option<String>) {
    let before = work.clone();
    (pass.rewrite)(work, job);
    if work.text != before.text
        && let Some(difference) = difference(&before.text, &work.text)
    {
        take_back(work, before, &difference);
    }
}

/// Takes a pass back that would make a difference, and says so.
fn take_back<'f>(work: &mut Work<'f>, before: Work<'f>, difference: &str) {
    let same = before.text.bytes().zip(work.text.bytes()).take_while(|(old, new)| old == new).count();
    let change = work.changes.last().cloned().unwrap_or_default();
    *work = before;
    work.stays(same, format!("{change} by hand: rewritten by this program it would differ ({difference})"));
}

fn xml_fault(work: &Work<'_>) -> Option<(usize, String)> {
    let fault = work.fault()?;
    Some((fault.span.start, format!("the xml cannot be read, so its forms stay: {}", fault.message)))
}

fn yaml_fault(text: &str) -> Option<(usize, String)> {
    let fault = yaml::parse(text).err()?;
    Some((fault.span.start, format!("the yaml cannot be read, so its forms stay: {}", fault.message)))
}
