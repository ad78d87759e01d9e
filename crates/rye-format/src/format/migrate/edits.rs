//! Replacements in a text, made all at once, and the way back from the new text to the old one.

use crate::format::Span;

/// Replacements by place. Places must not overlap; of those that do, the later is left out.
#[derive(Debug, Clone, Default)]
pub(super) struct Edits(Vec<Edit>);

#[derive(Debug, Clone)]
struct Edit {
    span: Span,
    with: String,
    /// Where the new text comes from.
    from: usize,
}

/// Where the parts of a new text come from: the replacements, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace(Vec<Made>);

#[derive(Debug, Clone, Copy)]
struct Made {
    span: Span,
    length: usize,
    from: usize,
}

impl Edits {
    pub(super) fn replace(&mut self, span: Span, with: impl Into<String>) {
        self.0.push(Edit { span, with: with.into(), from: span.start });
    }

    /// Puts a text in at a place, that comes from another one.
    pub(super) fn insert(&mut self, at: usize, with: impl Into<String>, from: usize) {
        self.replace_from(Span::new(at, at), with, from);
    }

    /// Replaces a part by a text that comes from another place.
    pub(super) fn replace_from(&mut self, span: Span, with: impl Into<String>, from: usize) {
        self.0.push(Edit { span, with: with.into(), from });
    }

    /// Makes the replacements, with the text's own line ends; nothing when none of them changes anything.
    pub(super) fn apply(mut self, text: &str) -> Option<(String, Trace)> {
        let is_crlf = text.find('\n').is_some_and(|newline| text[..newline].ends_with('\r'));
        self.0.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let (mut new, mut trace, mut end) = (String::with_capacity(text.len()), Trace::default(), 0);
        for Edit { span, with, from } in self.0 {
            if span.start < end || text.get(span.start..span.end).is_none() {
                continue;
            }
            let with = if is_crlf { with.replace("\r\n", "\n").replace('\n', "\r\n") } else { with };
            new.push_str(&text[end..span.start]);
            new.push_str(&with);
            trace.0.push(Made { span, length: with.len(), from });
            end = span.end;
        }
        new.push_str(&text[end..]);
        (new != text).then_some((new, trace))
    }
}

impl Trace {
    /// Traces the removal of one part.
    pub(super) fn of_removal(span: Span) -> Self {
        Self(vec![Made { span, length: 0, from: span.start }])
    }

    /// Returns the place in the old text of the byte at `at` of the new one.
    pub(super) fn origin(&self, at: usize) -> usize {
        let (mut old, mut new) = (0, 0);
        for made in &self.0 {
            let start = new + (made.span.start - old);
            if at < start {
                break;
            }
            if at < start + made.length {
                return made.from;
            }
            (old, new) = (made.span.end, start + made.length);
        }
        old + (at - new)
    }
}

/// Returns the blanks before a place if they begin its line.
pub(super) fn indentation(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    Some(&text[start..at]).filter(|before| before.chars().all(|found| matches!(found, ' ' | '\t')))
}

/// Returns the whole lines of a part that has them for itself, with the blank lines before them; else the part alone.
pub(super) fn lines_of(text: &str, part: Span) -> Span {
    let rest = &text[part.end..];
    let line_end = rest.find('\n').map_or(text.len(), |newline| part.end + newline + 1);
    let alone = indentation(text, part.start).is_some() && text[part.end..line_end].trim().is_empty();
    if !alone {
        return part;
    }
    let before = text[..part.start].trim_end_matches([' ', '\t']);
    let blank = before.trim_end();
    // Behind the line end of the last line that says something.
    let start = before[blank.len()..].find('\n').map_or(before.len(), |newline| blank.len() + newline + 1);
    Span::new(start, line_end)
}
