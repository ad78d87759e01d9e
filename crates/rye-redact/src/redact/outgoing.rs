//! What goes out: what is committed, pushed or published is looked at first, and only a [`Cleared`] lets it through.
//!
//! Only secrets that are sure count: tokens of a known form, private keys, and known values. One that the former version has as
//! well is not new and passes, as does one whose SHA-256 the person's own configuration lists, and one that they name.

use std::collections::BTreeSet;

use serde::Serialize;
use thiserror::Error;

use super::Redactor;
use super::find::{Certainty, Span};
use crate::trust::ContentHash;

/// The largest content that is looked at, in bytes. A larger one is a finding itself.
pub const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// How many findings a sentence names.
const MOST_NAMED: usize = 20;

/// A secret that would go out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Leak {
    /// The file, or what it is in the place of one.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters, from 1.
    pub column: usize,
    /// What it is, such as `github token`.
    pub kind: String,
    /// The SHA-256 of the token or key. None for a secret of this installation: it may be a short password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(skip)]
    digest: Option<ContentHash>,
}

impl Leak {
    /// Returns the name by which it is let through.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}:{}:{}", self.path, self.line, self.column)
    }
}

/// Why contents do not go out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Leaks {
    /// They have secrets.
    #[error("{} would go out: {}", counted(leaks.len()), listed(leaks))]
    Found { leaks: Vec<Leak> },
    /// A secret was named that is not among them.
    #[error("`--allow-secret {name}` names no secret that was found")]
    Unmatched { name: String },
}

fn counted(count: usize) -> String {
    if count == 1 { "1 secret".to_owned() } else { format!("{count} secrets") }
}

fn listed(leaks: &[Leak]) -> String {
    let named = leaks.iter().take(MOST_NAMED).map(|leak| format!("`{}` ({})", leak.name(), leak.kind));
    let more = leaks.len().checked_sub(MOST_NAMED).filter(|more| *more > 0).map(|more| format!("{more} more"));
    named.chain(more).collect::<Vec<_>>().join(", ")
}

/// The secrets that were let through by name, so that a second look does not ask for them again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passed(BTreeSet<ContentHash>);

/// Contents were looked at, and may go out. Only [`Inspector::finish`] makes one.
#[derive(Debug)]
pub struct Cleared(Passed);

impl Cleared {
    /// Returns the secrets that were let through by name.
    #[must_use]
    pub const fn passed(&self) -> &Passed {
        &self.0
    }
}

/// Looks at what would go out.
#[derive(Debug, Default)]
pub struct Inspector {
    redactor: Redactor,
    fine: BTreeSet<ContentHash>,
    allowed: Vec<String>,
    passed: Passed,
    leaks: BTreeSet<Leak>,
}

impl Inspector {
    /// Makes an inspector that lets the test secrets of these digests through, and the findings of these names.
    #[must_use]
    pub fn new(redactor: Redactor, test_secrets: BTreeSet<ContentHash>, allowed: &[String]) -> Self {
        Self { redactor, fine: test_secrets, allowed: allowed.to_vec(), ..Self::default() }
    }

    /// Lets through what an earlier look let through.
    #[must_use]
    pub fn after(mut self, passed: &Passed) -> Self {
        self.fine.extend(&passed.0);
        self.passed = passed.clone();
        self
    }

    /// Looks at the content of a file, and at its name; `before` is what it takes the place of.
    pub fn look(&mut self, path: &str, before: Option<&[u8]>, after: &[u8]) {
        let shown = self.redactor.text(path).into_owned();
        let text = String::from_utf8_lossy(after);
        let found = self.redactor.sure(&text);
        if !found.is_empty() {
            let former = before.map(String::from_utf8_lossy).unwrap_or_default();
            let old: BTreeSet<ContentHash> =
                self.redactor.sure(&former).iter().map(|span| digest(&former, span)).collect();
            for span in found.iter().filter(|span| !old.contains(&digest(&text, span))) {
                self.put(&shown, &text, span, "");
            }
        }
        for span in self.redactor.sure(path) {
            self.put(&shown, path, &span, " in its name");
        }
    }

    /// Takes note of a file that is too large to be looked at.
    pub fn too_large(&mut self, path: &str) {
        let path = self.redactor.text(path).into_owned();
        let kind = format!("more than {} MiB, not looked at", MOST_BYTES >> 20);
        self.leaks.insert(Leak { path, line: 1, column: 1, kind, sha256: None, digest: None });
    }

    /// Ends the look.
    ///
    /// # Errors
    ///
    /// Returns the secrets that nothing lets through; or a name that none of them has.
    pub fn finish(mut self) -> Result<Cleared, Leaks> {
        let mut unmatched = None;
        for name in &self.allowed {
            let named: Vec<Leak> = self.leaks.iter().filter(|leak| leak.name() == *name).cloned().collect();
            let values: BTreeSet<_> = named.iter().map(|leak| leak.digest).collect();
            match values.len() {
                0 => unmatched = Some(name.clone()),
                1 => {
                    self.leaks.retain(|leak| !named.contains(leak));
                    self.passed.0.extend(values.into_iter().flatten());
                }
                // One name lets one secret through.
                _ => {}
            }
        }
        if !self.leaks.is_empty() {
            return Err(Leaks::Found { leaks: self.leaks.into_iter().collect() });
        }
        match unmatched {
            Some(name) => Err(Leaks::Unmatched { name }),
            None => Ok(Cleared(self.passed)),
        }
    }

    fn put(&mut self, path: &str, text: &str, span: &Span, place: &str) {
        let digest = digest(text, span);
        if self.fine.contains(&digest) {
            return;
        }
        let before = &text[..span.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let is_known = span.certainty == Certainty::Known;
        self.leaks.insert(Leak {
            path: path.to_owned(),
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            kind: format!("{}{place}", span.kind),
            sha256: (!is_known).then(|| digest.to_string()),
            digest: Some(digest),
        });
    }
}

fn digest(text: &str, span: &Span) -> ContentHash {
    ContentHash::of(&text.as_bytes()[span.start..span.end])
}
