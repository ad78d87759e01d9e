//! Names: former names of tools, and a directive's own name in snake_case.

use std::collections::BTreeSet;

use super::Job;
use super::edits::Edits;
use super::work::Work;
use crate::capability::{Primary, aliases};
use crate::format::syntax::xml::Attribute;
use crate::format::{Span, validate};
use crate::id::{ItemId, ItemType};

/// Replaces former names of tools, as ids and as dotted patterns.
pub(super) fn former(work: &mut Work<'_>) {
    let mut edits = Edits::default();
    let mut names = BTreeSet::new();
    for span in words(&work.text) {
        let word = span.of(&work.text);
        if let Some(current) = current(word) {
            names.insert(format!("call `{word}` by its name `{current}`"));
            edits.replace(span, current);
        }
    }
    work.apply(edits, names.into_iter().collect::<Vec<_>>().join(", "));
}

/// Returns a text in which tools have the names they have now.
pub(super) fn as_called_now(text: &str) -> String {
    let mut edits = Edits::default();
    for span in words(text) {
        current(span.of(text)).into_iter().for_each(|current| edits.replace(span, current));
    }
    edits.apply(text).map_or_else(|| text.to_owned(), |(new, _)| new)
}

/// Finds the runs of characters that ids and patterns are made of.
pub(in crate::format) fn words(text: &str) -> Vec<Span> {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'.');
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        match (start, part(byte)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let word = &text[from..at];
                words.push(Span::new(from, from + word.trim_end_matches('.').len()));
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Returns what a word that names a tool by a former name should be.
fn current(word: &str) -> Option<String> {
    let of = |id: &str| aliases::current(ItemType::Tool, &id.parse::<ItemId>().ok()?);
    if word.contains('/') {
        return of(word).map(|id| id.to_string());
    }
    let primary = |primary: &Primary| word.starts_with(&format!("rye.{primary}.tool.rye."));
    let head = Primary::ALL.iter().find(|one| primary(one)).map_or(0, |primary| format!("rye.{primary}.tool.").len());
    let id = of(&word[head..].replace('.', "/"))?;
    Some(format!("{}{}", &word[..head], id.dotted()))
}

/// Writes a directive's own name in snake_case, where that is the last segment that its id has or gets.
pub(super) fn own(work: &mut Work<'_>, job: &Job<'_>) {
    let Some(id) = job.subject.map(|subject| job.renames.id(&subject.item_id)) else { return };
    let Some(block) = work.block() else { return };
    let Some(name) = block.root.attribute("name") else { return };
    let wanted = id.rsplit('/').next().unwrap_or(id);
    if name.value == wanted || validate::snake_case(&name.value) != wanted {
        return;
    }
    if let Some(span) = value_span(&work.text, name) {
        let change = format!("name it `{wanted}`");
        let mut edits = Edits::default();
        edits.replace(span, wanted);
        work.apply(edits, change);
    }
}

/// Finds an attribute's value, between its quotes.
fn value_span(text: &str, attribute: &Attribute) -> Option<Span> {
    let after = &text[attribute.span.end..];
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let start = text.len() - value.len() + 1;
    Some(Span::new(start, start + text[start..].find(quote)?))
}
