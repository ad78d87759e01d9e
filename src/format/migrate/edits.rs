//! Replacements in a text, made all at once.

use crate::format::Span;

/// Replacements by place. Places must not overlap; of those that do, the later is left out.
#[derive(Debug, Clone, Default)]
pub(super) struct Edits(Vec<(Span, String)>);

impl Edits {
    pub(super) fn replace(&mut self, span: Span, with: impl Into<String>) {
        self.0.push((span, with.into()));
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes the replacements; nothing when none of them changes anything.
    pub(super) fn apply(mut self, text: &str) -> Option<String> {
        self.0.sort_by_key(|(span, _)| (span.start, span.end));
        let mut new = String::with_capacity(text.len());
        let mut end = 0;
        for (span, with) in self.0 {
            if span.start >= end && text.get(span.start..span.end).is_some() {
                new.push_str(&text[end..span.start]);
                new.push_str(&with);
                end = span.end;
            }
        }
        new.push_str(&text[end..]);
        (new != text).then_some(new)
    }
}

/// Returns the blanks before a place when nothing else stands before it on its line.
pub(super) fn indentation(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    Some(&text[start..at]).filter(|before| before.chars().all(|found| matches!(found, ' ' | '\t')))
}
