//! Headers: front matter into its fence, flat lists of capabilities spelled out.

use super::Work;
use super::edits::Edits;
use crate::capability::Capability;
use crate::format::knowledge::FrontMatter;
use crate::format::{Span, yaml};

/// Fences the header that stands between `---` lines.
pub(super) fn front_matter(work: &mut Work) {
    let Some(FrontMatter { opening, content, closing: Some(closing) }) = FrontMatter::find(&work.text) else { return };
    if content.of(&work.text).lines().any(|line| line.trim_start().starts_with("```")) {
        return work.review.push("the front matter holds a line of ```: fence it by hand".to_owned());
    }
    let mut edits = Edits::default();
    edits.replace(opening, "```yaml");
    edits.replace(closing, "```");
    work.apply(edits, "fence the header");
}

/// Spells out the capabilities of a YAML list that holds them as texts.
pub(super) fn capabilities(work: &mut Work) {
    let Some((line, key_end)) = key(&work.text) else { return };
    let mut edits = Edits::default();
    let inline = work.text[key_end..line.end].trim();
    if inline.starts_with('[') {
        flow(work, Span::new(key_end, work.text.len()), &mut edits);
    } else {
        let text = work.text.clone();
        for (span, content) in entries(&text, line.end) {
            match spelled(content, column(&text, span.start) + 2) {
                Some(Some(entry)) => edits.replace(span, format!("- {entry}")),
                Some(None) => work.review.push(format!("`{content}` has no form of its own: spell it out")),
                None => {}
            }
        }
    }
    work.apply(edits, "spell out the capabilities");
}

/// Finds the line of the top key `capabilities`, and where its colon ends.
fn key(text: &str) -> Option<(Span, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix("capabilities")
            && rest.trim_start().starts_with(':')
        {
            let colon = line.find(':').unwrap_or(0);
            return Some((Span::new(start, start + line.len()), start + colon + 1));
        }
        start += line.len();
    }
    None
}

/// Finds the entries of a list that begins after `from`: each from its dash to the end of its text, and that text.
fn entries(text: &str, from: usize) -> Vec<(Span, &str)> {
    let mut entries = Vec::new();
    let (mut start, mut margin) = (from, None);
    for line in text[from..].split_inclusive('\n') {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        let is_blank = content.is_empty() || content.starts_with('#');
        if let Some(entry) = content.strip_prefix("- ").filter(|_| margin.is_none_or(|margin| margin == indent)) {
            margin = Some(indent);
            let entry = without_comment(entry);
            let dash = start + indent;
            let lead = content.len() - content[2..].trim_start().len();
            entries.push((Span::new(dash, dash + lead + entry.len()), entry));
        } else if !is_blank && indent == 0 {
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

/// Spells out an entry that is a capability as text; the inner nothing is a capability that cannot be spelled out.
fn spelled(entry: &str, indent: usize) -> Option<Option<String>> {
    let text = entry.trim_matches(['"', '\'']);
    let capability: Capability = text.trim().parse().ok()?;
    let margin = format!("\n{}", " ".repeat(indent));
    Some(capability.parts().map(|parts| match parts {
        (primary, None) => format!("primary: {primary}{margin}specifics: \"*\""),
        (primary, Some((item_type, specifics))) => {
            let specifics =
                if specifics.contains(['*', '?']) { format!("\"{specifics}\"") } else { specifics.to_owned() };
            format!("primary: {primary}{margin}item_type: {item_type}{margin}specifics: {specifics}")
        }
    }))
}

/// Spells out a list that is written on one line, or in brackets over several.
fn flow(work: &mut Work, rest: Span, edits: &mut Edits) {
    let source = rest.of(&work.text);
    let Some(end) = source.find(']') else { return };
    let list = source[..=end].trim_start();
    let Ok(serde_json::Value::Array(values)) = yaml::parse(list) else { return };
    let texts: Option<Vec<&str>> = values.iter().map(serde_json::Value::as_str).collect();
    let entries: Option<Option<Vec<String>>> =
        texts.map(|texts| texts.into_iter().map(|text| spelled(text, 4).flatten()).collect());
    match entries {
        Some(Some(entries)) if !entries.is_empty() => {
            let list: String = entries.iter().map(|entry| format!("\n  - {entry}")).collect();
            edits.replace(Span::new(rest.start, rest.start + end + 1), list);
        }
        Some(None) => work.review.push("the list of capabilities has one that cannot be spelled out".to_owned()),
        _ => {}
    }
}
