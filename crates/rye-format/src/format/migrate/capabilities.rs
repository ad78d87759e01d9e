//! Lists of capabilities as texts, spelled out: of a tool that is YAML, and of a capability document.

use super::edits::Edits;
use super::work::{Work, shown};
use crate::capability::{Capability, Primary};
use crate::format::Span;
use crate::format::syntax::yaml;
use crate::id::ItemType;

const CHANGE: &str = "spell out the capabilities";

pub(super) fn rewrite(work: &mut Work<'_>) {
    let Some((line, key_end)) = key(&work.text) else { return };
    let mut edits = Edits::default();
    if work.text[key_end..line.end].trim().starts_with('[') {
        flow(work, Span::new(key_end, work.text.len()), &mut edits);
    } else {
        block(work, line.end, &mut edits);
    }
    work.apply(edits, CHANGE);
}

/// Finds the line of the top key `capabilities`, and where its colon ends.
fn key(text: &str) -> Option<(Span, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let quote = usize::from(line.starts_with(['"', '\'']));
        let rest = line[quote..].strip_prefix("capabilities").map(|rest| rest.trim_start_matches(['"', '\'']));
        if let Some(rest) = rest.filter(|rest| rest.trim_start().starts_with(':')) {
            let colon = line.len() - rest.trim_start().len();
            return Some((Span::new(start, start + line.len()), start + colon + 1));
        }
        start += line.len();
    }
    None
}

/// Spells out a list that has a line for each entry.
fn block(work: &mut Work<'_>, from: usize, edits: &mut Edits) {
    let text = work.text.clone();
    for (span, entry) in entries(&text, from) {
        match Entry::of(entry) {
            Entry::Whole(Some(parts)) => edits.replace(span, spelled(&parts, column(&text, span.start))),
            Entry::Whole(None) => stays(work, span.start, entry),
            Entry::Other => {}
        }
    }
}

/// Spells out a list that is written on one line, or in brackets over several.
fn flow(work: &mut Work<'_>, rest: Span, edits: &mut Edits) {
    let source = rest.of(&work.text).to_owned();
    let Some(end) = source.find(']').map(|end| end + 1) else { return };
    let list = source[..end].trim_start();
    let Ok(serde_json::Value::Array(values)) = yaml::parse(list) else { return };
    let read: Vec<Entry> = values.iter().map(|value| value.as_str().map_or(Entry::Other, Entry::of)).collect();
    if !read.iter().any(|entry| matches!(entry, Entry::Whole(_))) {
        return;
    }
    let parts: Option<Vec<Parts>> = read.into_iter().map(Entry::into_parts).collect();
    match parts {
        Some(parts) if !list.contains('#') => {
            let list: String = parts.iter().map(|parts| format!("\n  {}", spelled(parts, 2))).collect();
            edits.replace(Span::new(rest.start, rest.start + end), list);
        }
        _ => stays(work, rest.start, list),
    }
}

fn stays(work: &mut Work<'_>, at: usize, entry: &str) {
    work.stays(at, format!("`{}` has no form of its own: spell it out", shown(entry)));
}

/// Primary action, item type and pattern of a capability.
pub(super) type Parts = (Primary, Option<(ItemType, String)>);

/// Takes a capability apart; nothing for one whose wildcards reach across its parts.
pub(super) fn parts(capability: &Capability) -> Option<Parts> {
    let searched = capability.as_str().strip_prefix("rye.search.").and_then(|rest| rest.parse().ok());
    if let Some(item_type) = searched {
        return Some((Primary::Search, Some((item_type, "*".to_owned()))));
    }
    let (primary, item) = capability.parts()?;
    Some((primary, item.map(|(item_type, specifics)| (item_type, specifics.to_owned()))))
}

/// An entry of the list.
enum Entry {
    /// A capability as one text, with its parts if it can be taken apart.
    Whole(Option<Parts>),
    /// Spelled out already, or no capability.
    Other,
}

impl Entry {
    fn of(entry: &str) -> Self {
        let text = entry.trim().trim_matches(['"', '\'']).trim();
        if !text.starts_with("rye.") {
            return Self::Other;
        }
        Self::Whole(text.parse().ok().as_ref().and_then(parts))
    }

    fn into_parts(self) -> Option<Parts> {
        match self {
            Self::Whole(parts) => parts,
            Self::Other => None,
        }
    }
}

/// Writes an entry whose dash is in a column.
fn spelled((primary, item): &Parts, column: usize) -> String {
    let margin = format!("\n{}", " ".repeat(column + 2));
    match item {
        None => format!("- primary: {primary}{margin}specifics: \"*\""),
        Some((item_type, specifics)) => {
            let is_word = yaml::parse(specifics).is_ok_and(|value| value == specifics.as_str());
            let is_plain = is_word && !specifics.contains(['*', '?']);
            let specifics = if is_plain { specifics.clone() } else { format!("\"{specifics}\"") };
            format!("- primary: {primary}{margin}item_type: {item_type}{margin}specifics: {specifics}")
        }
    }
}

/// Finds the entries of a list that begins after `from`: each from its dash to the end of its text, and that text.
fn entries(text: &str, from: usize) -> Vec<(Span, &str)> {
    let mut entries = Vec::new();
    let (mut start, mut margin) = (from, None);
    for line in text[from..].split_inclusive('\n') {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        let is_blank = content.is_empty() || content.starts_with('#');
        let is_entry = content == "-" || content.starts_with("- ");
        if let Some(entry) = content.strip_prefix("- ").filter(|_| margin.is_none_or(|margin| margin == indent)) {
            margin = Some(indent);
            let entry = without_comment(entry);
            let dash = start + indent;
            let lead = content.len() - content[2..].trim_start().len();
            entries.push((Span::new(dash, dash + lead + entry.len()), entry));
        } else if !is_blank && indent == 0 && !is_entry {
            break;
        }
        start += line.len();
    }
    entries
}

/// Returns an entry's text without a comment after it.
fn without_comment(entry: &str) -> &str {
    let entry = entry.trim();
    let end = match entry.chars().next() {
        Some(quote @ ('"' | '\'')) => entry[1..].find(quote).map_or(entry.len(), |end| end + 2),
        _ => entry.find(" #").unwrap_or(entry.len()),
    };
    entry[..end].trim_end()
}

fn column(text: &str, at: usize) -> usize {
    at - text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}
