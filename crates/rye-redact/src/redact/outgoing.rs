//! What goes out: what is committed, pushed or published is looked at first, and only a [`Cleared`] lets it through.
//!
//! Only secrets that are sure count: tokens of a known form, private keys, and known values. One that the former version has as
//! well is not new and passes, as does one whose SHA-256 the person's own configuration lists, and one that they name.

use std::collections::BTreeSet;
use std::io::{self, Read};

use serde::Serialize;
use thiserror::Error;

use super::Redactor;
use super::find::{Certainty, Span};
use super::windows::{Pane, Window, Windows};
use crate::trust::ContentHash;

/// The largest content that is looked at, in bytes. A larger one is a finding itself.
pub const MOST_BYTES: u64 = 4 << 30;

/// The most finds of one content. One that has more is a finding itself.
const MOST_FOUND: usize = 10_000;

/// How much of a content is looked at at once. Nothing that is found is longer than what is around it.
const PANE: Pane = Pane { own: 4 << 20, around: 256 << 10 };

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

fn too_large() -> String {
    format!("more than {} GiB, not looked at", MOST_BYTES >> 30)
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

impl Passed {
    /// Tells whether none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns their digests.
    pub fn digests(&self) -> impl Iterator<Item = &ContentHash> {
        self.0.iter()
    }

    /// Takes the secrets of these digests.
    #[must_use]
    pub fn of(digests: impl IntoIterator<Item = ContentHash>) -> Self {
        Self(digests.into_iter().collect())
    }
}

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

/// What a look at a content found.
enum Looked {
    /// The finds.
    All(Vec<Leak>),
    /// It is too much to be looked at, for this reason.
    TooMuch(String),
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

    /// Looks at the content of a file, and at its name if it is new; `before` is what it takes the place of.
    pub fn look(&mut self, path: &str, before: Option<&[u8]>, after: &[u8]) {
        if before.is_none() {
            self.look_at_name(path);
        }
        let looked = self.look_through(path, || Ok(before), after);
        looked.expect("because memory is read without errors");
    }

    /// Looks at a content of any size; `before` opens what it takes the place of, and is asked only if something is found.
    ///
    /// # Errors
    ///
    /// Fails when one of them cannot be read.
    pub fn look_through<B: Read>(
        &mut self,
        path: &str,
        before: impl FnOnce() -> io::Result<Option<B>>,
        after: impl Read,
    ) -> io::Result<()> {
        let shown = self.redactor.text(path).into_owned();
        let mut found = match self.looked(&shown, after)? {
            Looked::All(found) if found.is_empty() => return Ok(()),
            Looked::All(found) => found,
            Looked::TooMuch(kind) => {
                self.put_whole(path, kind);
                return Ok(());
            }
        };
        if let Some(before) = before()? {
            match self.looked(&shown, before)? {
                Looked::All(old) => {
                    let old: BTreeSet<_> = old.into_iter().map(|leak| leak.digest).collect();
                    found.retain(|leak| !old.contains(&leak.digest));
                }
                // All of the new content counts as new.
                Looked::TooMuch(_) => {}
            }
        }
        self.leaks.extend(found);
        Ok(())
    }

    /// Looks at the name of a file or of anything else that has one.
    pub fn look_at_name(&mut self, name: &str) {
        let found = self.redactor.sure(name);
        if found.is_empty() {
            return;
        }
        let shown = self.redactor.text(name).into_owned();
        let leaks =
            found.iter().filter_map(|span| self.leak(&shown, name, span, (1, name[..span.start].chars().count() + 1)));
        let leaks: Vec<Leak> = leaks.map(|leak| Leak { kind: format!("{} in its name", leak.kind), ..leak }).collect();
        self.leaks.extend(leaks);
    }

    /// Tells whether a look at a content would find anything, wherever it is.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be read.
    pub fn finds(&self, content: impl Read) -> io::Result<bool> {
        Ok(match self.looked("", content)? {
            Looked::All(found) => !found.is_empty(),
            Looked::TooMuch(_) => true,
        })
    }

    /// Returns a name as it may be shown: without secrets.
    #[must_use]
    pub fn shown(&self, name: &str) -> String {
        self.redactor.text(name).into_owned()
    }

    fn looked(&self, path: &str, content: impl Read) -> io::Result<Looked> {
        let (mut found, mut windows) = (Vec::new(), Windows::of(content, PANE));
        while let Some(window) = windows.next_window()? {
            self.look_in(path, &window, &mut found);
            if found.len() > MOST_FOUND {
                return Ok(Looked::TooMuch(format!("more than {MOST_FOUND} secrets")));
            }
            if windows.read() > MOST_BYTES {
                return Ok(Looked::TooMuch(too_large()));
            }
        }
        Ok(Looked::All(found))
    }

    fn look_in(&self, path: &str, window: &Window<'_>, found: &mut Vec<Leak>) {
        let own = self.redactor.sure(window.text).into_iter().filter(|span| window.own.contains(&span.start));
        found.extend(own.filter_map(|span| self.leak(path, window.text, &span, window.place(span.start))));
    }

    /// Takes note of a content that is too large to be looked at.
    pub fn too_large(&mut self, path: &str) {
        self.put_whole(path, too_large());
    }

    fn put_whole(&mut self, path: &str, kind: String) {
        let path = self.redactor.text(path).into_owned();
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

    /// Returns a find, unless its value is let through.
    fn leak(&self, path: &str, text: &str, span: &Span, (line, column): (usize, usize)) -> Option<Leak> {
        let digest = digest(text, span);
        if self.fine.contains(&digest) {
            return None;
        }
        let is_known = span.certainty == Certainty::Known;
        Some(Leak {
            path: path.to_owned(),
            line,
            column,
            kind: span.kind.to_string(),
            sha256: (!is_known).then(|| digest.to_string()),
            digest: Some(digest),
        })
    }
}

fn digest(text: &str, span: &Span) -> ContentHash {
    ContentHash::of(&text.as_bytes()[span.start..span.end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "k9+Qa7/Xb2=Yc-kK3";

    fn inspector() -> Inspector {
        Inspector::new(Redactor::new([super::super::Secret::new("MY_KEY".to_owned(), VALUE)]), BTreeSet::new(), &[])
    }

    fn lines(length: usize) -> String {
        "0123456789abcde\n".repeat(length / 16)
    }

    /// A secret is found wherever the windows of a large content meet, and nothing is found twice.
    #[test]
    fn the_end_of_a_large_content_is_looked_at_as_its_beginning_is() {
        let edge = PANE.own;
        for at in [0, edge - PANE.around, edge - 16, edge, edge + PANE.around, 3 * edge] {
            let text = format!("{}x {VALUE}\n{}", lines(at), lines(2 * PANE.around));
            let mut inspector = inspector();
            inspector.look("large.bin", None, text.as_bytes());
            let Err(Leaks::Found { leaks }) = inspector.finish() else { panic!("{at}") };
            let places: Vec<_> = leaks.iter().map(|leak| (leak.line, leak.column)).collect();
            assert_eq!(places, [(at / 16 + 1, 3)], "{at}");
        }
    }

    #[test]
    fn what_the_former_version_has_anywhere_is_not_new() {
        let (before, after) = (lines(2 * PANE.own) + VALUE, format!("{VALUE}\n{}", lines(PANE.own)));
        let mut inspector = inspector();
        inspector.look("large.bin", Some(before.as_bytes()), after.as_bytes());
        assert!(inspector.finish().is_ok());
    }

    #[test]
    fn a_name_is_looked_at_as_a_content_is_and_shown_without_it() {
        let mut inspector = inspector();
        inspector.look(&format!("notes/{VALUE}.txt"), None, b"fine");
        let Err(Leaks::Found { leaks }) = inspector.finish() else { panic!() };
        assert!(!leaks[0].path.contains(VALUE) && leaks[0].kind.ends_with("in its name"), "{leaks:?}");
    }

    #[test]
    fn a_content_with_too_many_secrets_is_a_finding_and_one_that_cannot_be_read_an_error() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let mut inspector = inspector();
        assert!(inspector.look_through("x", || Ok(None::<&[u8]>), Broken).is_err());
        let many = format!("{VALUE} ").repeat(MOST_FOUND + 1);
        inspector.look("many.txt", None, many.as_bytes());
        let Err(Leaks::Found { leaks }) = inspector.finish() else { panic!() };
        assert_eq!(leaks[0].kind, "more than 10000 secrets");
    }
}
