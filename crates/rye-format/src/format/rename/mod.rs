//! An item under another id, on the text: what names it in other items, and what its own file says of its id.
//!
//! A word is replaced only if the item that is read from the text then names another item. So prose that looks like an id stays,
//! and whatever this program resolves as a reference is found in every form that it has.

mod own;
mod references;

use std::collections::BTreeMap;

use super::migrate::words;
use super::{Position, Span, parse};
use crate::trust::Subject;

pub use own::own_id;
pub use references::{Reference, references};

/// The most words of one file that are looked at: each costs a reading of the file.
const MOST: usize = 300;

/// A text with references renamed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renamed {
    /// The new text.
    pub text: String,
    /// The lines of the references that were renamed.
    pub lines: Vec<usize>,
    /// The lines on which the item is named without being a reference, such as in prose.
    pub mentions: Vec<usize>,
    /// The references that mean the item and could not be renamed, as they are written.
    pub left: Vec<String>,
}

/// Replaces words by others where they are references to one item: `is_meant` tells which references those are.
#[must_use]
pub fn rename(
    subject: &Subject,
    text: &str,
    swaps: &BTreeMap<String, String>,
    is_meant: &dyn Fn(&Reference) -> bool,
) -> Renamed {
    let read = |text: &str| parse(subject.item_type, &subject.extension, text).item.map(|item| references(&item));
    let found: Vec<(Span, &String)> = words(text)
        .into_iter()
        .filter_map(|span| Some((span, swaps.get(span.of(text))?)))
        .filter(|(span, _)| !is_signature(text, span.start))
        .collect();
    let before = if found.is_empty() { None } else { read(text) };
    let before = before.unwrap_or_default();
    let mut renamed = Renamed::default();
    let mut places: Vec<(Span, &String)> = Vec::new();
    for (at, (span, new)) in found.into_iter().enumerate() {
        let line = Position::of(text, span.start).line;
        let names = at < MOST
            && read(&replaced(text, &[(span, new)])).is_some_and(|after| is_renamed(&before, &after, is_meant));
        if names {
            places.push((span, new));
            renamed.lines.push(line);
        } else if is_told(text, span) {
            renamed.mentions.push(line);
        }
    }
    renamed.text = replaced(text, &places);
    let after = if places.is_empty() { before } else { read(&renamed.text).unwrap_or_default() };
    // The replacement of a word can be the former text of another one.
    let is_new = |reference: &String| swaps.values().any(|new| new == reference);
    let left = after.iter().filter(|reference| is_meant(reference)).map(ToString::to_string);
    renamed.left = left.filter(|reference| !is_new(reference)).collect();
    renamed.lines.dedup();
    renamed.mentions.dedup();
    renamed
}

/// Tells whether the references of a text are those of another one but for some that mean the item.
fn is_renamed(before: &[Reference], after: &[Reference], is_meant: &dyn Fn(&Reference) -> bool) -> bool {
    let gone = without(before, after);
    let is_new = !without(after, before).is_empty();
    // A repeated link is one link: the first word that is replaced takes none away.
    let is_there = !gone.is_empty() || before.iter().any(is_meant);
    is_new && is_there && gone.into_iter().all(is_meant)
}

/// Returns the references that others do not have.
fn without<'r>(references: &'r [Reference], others: &[Reference]) -> Vec<&'r Reference> {
    let mut others: Vec<&Reference> = others.iter().collect();
    let mut rest = references.iter().collect::<Vec<_>>();
    rest.retain(|reference| match others.iter().position(|other| other == reference) {
        Some(at) => {
            others.swap_remove(at);
            false
        }
        None => true,
    });
    rest
}

/// Makes sorted replacements.
fn replaced(text: &str, places: &[(Span, &String)]) -> String {
    let (mut new, mut end) = (String::with_capacity(text.len()), 0);
    for (span, with) in places {
        new.push_str(&text[end..span.start]);
        new.push_str(with);
        end = span.end;
    }
    new + &text[end..]
}

/// Tells whether a person should look at a word that names the item and is not a reference: a bare word is prose.
fn is_told(text: &str, span: Span) -> bool {
    let quotes = ['`', '"', '\''];
    let is_quoted = text[..span.start].ends_with(quotes) && text[span.end..].starts_with(quotes);
    is_quoted || span.of(text).contains(['/', '.'])
}

/// Tells whether a place is in the signature line, whose base64 can hold any word.
fn is_signature(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    Position::of(text, at).line <= 2 && line.contains("rye:signed:")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::id::ItemType;

    fn subject(item_type: ItemType, id: &str, extension: &str) -> Subject {
        Subject { item_type, item_id: id.parse().unwrap(), extension: extension.parse().unwrap() }
    }

    #[test]
    fn a_link_that_stands_twice_is_renamed_twice_and_prose_is_told_of() {
        let text = "```yaml\nname: a\ntitle: A\ncategory: \"\"\nversion: 1.0.0\nreferences: [runbook]\n```\n\n\
                    [one](runbook), [[runbook]] and [two](runbook#part); the runbook, `runbook`.\n";
        let swaps = BTreeMap::from([("runbook".to_owned(), "team/runbook".to_owned())]);
        let is_meant = |reference: &Reference| reference.to_string() == "runbook";
        let renamed = rename(&subject(ItemType::Knowledge, "a", "md"), text, &swaps, &is_meant);
        assert_eq!((renamed.lines, renamed.mentions, renamed.left.len()), (vec![6, 9], vec![9], 0));
        assert!(renamed.text.contains("references: [team/runbook]"), "{}", renamed.text);
        assert!(
            renamed.text.contains(
                "[one](team/runbook), [[team/runbook]] and [two](team/runbook#part); the runbook, `runbook`."
            )
        );
    }

    #[test]
    fn what_a_pattern_covers_is_no_reference() {
        let text = include_str!("../../../../../tests/it/registry/greet.md")
            .replace("team/hello</tool>", "team/hello*</tool>");
        let swaps = BTreeMap::from([("team/hello".to_owned(), "ops/hello".to_owned())]);
        let is_meant = |reference: &Reference| reference.to_string() == "team/hello";
        let renamed = rename(&subject(ItemType::Directive, "team/greet", "md"), &text, &swaps, &is_meant);
        assert!(renamed.text.contains("<tool>team/hello*</tool>") && renamed.text.contains("item_id=\"ops/hello\""));
        assert_eq!((renamed.lines.len(), renamed.mentions.len()), (1, 1));
    }
}
