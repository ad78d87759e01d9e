//! Start tags anywhere in a text, with the places of their attributes' values: a look that judges nothing.

use crate::format::Span;

/// A start tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    pub(super) attributes: Vec<(&'t str, Span)>,
    /// Where it ends, behind its `>`.
    pub(super) end: usize,
}

impl Tag<'_> {
    pub(super) fn attribute(&self, name: &str) -> Option<Span> {
        self.attributes.iter().find(|(found, _)| *found == name).map(|(_, span)| *span)
    }

    pub(super) fn has(&self, text: &str, name: &str, value: &str) -> bool {
        self.attribute(name).is_some_and(|span| span.of(text) == value)
    }
}

/// Finds the start tags of a text.
pub(super) fn tags(text: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        at = match tag(text, start + 1) {
            Some(tag) => {
                let end = tag.end;
                tags.push(tag);
                end
            }
            None => start + 1,
        };
    }
    tags
}

fn tag(text: &str, start: usize) -> Option<Tag<'_>> {
    let name = name(&text[start..])?;
    let mut at = start + name.len();
    let mut attributes = Vec::new();
    loop {
        let rest = &text[at..];
        let gap = rest.len() - rest.trim_start().len();
        at += gap;
        let rest = &text[at..];
        if let Some(length) = [">", "/>"].iter().find(|end| rest.starts_with(**end)).map(|end| end.len()) {
            return Some(Tag { name, attributes, end: at + length });
        }
        let key = self::name(rest).filter(|_| gap > 0)?;
        let value = rest[key.len()..].trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let value_start = text.len() - value.len() + 1;
        let length =
            text[value_start..].find([quote, '<']).filter(|end| text[value_start + end..].starts_with(quote))?;
        attributes.push((key, Span::new(value_start, value_start + length)));
        at = value_start + length + 1;
    }
}

fn name(text: &str) -> Option<&str> {
    let end = text.find(|found: char| !(found.is_ascii_alphanumeric() || found == '_')).unwrap_or(text.len());
    Some(&text[..end]).filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
}
