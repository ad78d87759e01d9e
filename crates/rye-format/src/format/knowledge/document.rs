//! Knowledge: a fenced yaml header and a text, or a file of pure YAML whose top keys are the header.
//!
//! Front matter between lines of `---` is the header's legacy form. The text never holds header or signature line.

use std::collections::BTreeMap;

use crate::format::header::{Header, mapping};
use crate::format::span::Findings;
use crate::format::syntax::fence;
use crate::format::{Anchors, Span, rules};
use crate::id::{Extension, nearest};
use crate::item::{Item, Knowledge};

const REQUIRED: [&str; 4] = ["name", "title", "category", "version"];
/// Every key of a header.
const HEADER: [&str; 11] = [
    "name",
    "title",
    "category",
    "version",
    "entry_type",
    "author",
    "tags",
    "created_at",
    "references",
    "extends",
    "used_by",
];

/// Reads knowledge.
pub(in crate::format) fn read(
    text: &str,
    extension: &Extension,
    findings: &mut Findings<'_>,
) -> (Option<Item>, Anchors) {
    let is_yaml = extension.as_str() == "yaml";
    let zones = if is_yaml { Some((Span::new(0, text.len()), "")) } else { zones(text, findings) };
    let Some((zone, body)) = zones else { return (None, Anchors::default()) };
    let Some((keys, places)) = mapping(text, zone, findings) else { return (None, Anchors::default()) };
    let first_key = places.values().map(|place| place.start).min().unwrap_or(zone.start);
    let line = text[first_key..zone.end].lines().next().map_or(0, str::len);
    let whole = Span::new(first_key, first_key + line);
    let mut header = Header { keys, places, whole, rule: &rules::HEADER_VALUE, findings };
    let anchors = Anchors::new(text, whole, header.place("name"), header.place("category"));
    let body = if is_yaml { data(text, &mut header) } else { body.trim().to_owned() };
    let knowledge = entry(&mut header, body);
    for key in header.keys.keys() {
        let shown: String = key.chars().take(40).collect();
        let message = format!("`{shown}` is not a key of a knowledge header");
        let hint = match nearest(&shown, HEADER) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it, or move it into the text".to_owned(),
        };
        header.findings.at(&rules::UNKNOWN_KEY, header.place(key), message, hint);
    }
    (knowledge.map(|knowledge| Item::Knowledge(Box::new(knowledge))), anchors)
}

/// Takes the text of pure YAML: the value of `body` or `content`, or else every key outside of the header, as it is
/// written.
fn data(text: &str, header: &mut Header<'_, '_>) -> String {
    for key in ["body", "content"] {
        if header.keys.contains_key(key) {
            return header.text(key).unwrap_or_default().trim().to_owned();
        }
    }
    let own = |key: &&String| HEADER.contains(&key.as_str());
    let (known, data): (Vec<String>, Vec<String>) = header.keys.keys().cloned().partition(|key| own(&key));
    let all_placed = header.places.len() == header.keys.len()
        && known.iter().chain(&data).all(|key| header.places.contains_key(key.as_str()));
    let written = if all_placed { source_of(text, &data, &header.places) } else { as_json(&data, header) };
    header.keys.retain(|key, _| HEADER.contains(&key.as_str()));
    written
}

/// Returns the lines of these keys, each up to the next key.
fn source_of(text: &str, keys: &[String], places: &BTreeMap<String, Span>) -> String {
    let mut starts: Vec<usize> = places.values().map(|place| place.start).collect();
    starts.sort_unstable();
    let mut wanted: Vec<usize> = keys.iter().filter_map(|key| places.get(key)).map(|place| place.start).collect();
    wanted.sort_unstable();
    let block = |start: usize| {
        let end = starts.get(starts.partition_point(|other| *other <= start)).copied().unwrap_or(text.len());
        text[start..end].trim_end()
    };
    wanted.into_iter().map(block).collect::<Vec<_>>().join("\n")
}

/// Returns the values of these keys as JSON, where the places of their lines are not known.
fn as_json(keys: &[String], header: &Header<'_, '_>) -> String {
    let values: serde_json::Map<_, _> =
        keys.iter().filter_map(|key| Some((key.clone(), header.keys.get(key)?.clone()))).collect();
    if values.is_empty() { String::new() } else { format!("{:#}", serde_json::Value::Object(values)) }
}

fn entry(header: &mut Header<'_, '_>, body: String) -> Option<Knowledge> {
    for key in REQUIRED.into_iter().filter(|key| !header.keys.contains_key(*key)) {
        let message = format!("the header has no `{key}`");
        header.findings.at(&rules::HEADER_KEY, header.whole, message, format!("add `{key}: …`"));
    }
    let (name, title, category) = (header.text("name"), header.text("title"), header.text("category"));
    let version = header.parsed("version", &rules::HEADER_VALUE, "write `version: \"1.0.0\"`");
    let (entry_type, author, created_at) =
        (header.text("entry_type"), header.text("author"), header.text("created_at"));
    Some(Knowledge {
        tags: header.texts("tags"),
        references: header.texts("references"),
        extends: header.texts("extends"),
        used_by: header.texts("used_by"),
        name: name?,
        title: title?,
        category: category?,
        version: version?,
        entry_type,
        author,
        created_at,
        body,
    })
}

/// Finds the header and the text after it. Only blanks and comments may come before it.
fn zones<'t>(text: &'t str, findings: &mut Findings<'_>) -> Option<(Span, &'t str)> {
    if let Some(front) = FrontMatter::find(text) {
        return front.zones(text, findings);
    }
    let outline = fence::outline(text);
    let first = outline.fences.first().filter(|fence| fence.language == "yaml" && opens(&text[..fence.block.start]));
    let Some(header) = first else {
        let hint = "start the file with a block fenced as ```yaml that contains name, title, category and version";
        findings.whole(&rules::NO_HEADER, "the knowledge has no header", hint);
        return None;
    };
    if !header.closed {
        let opening = Span::new(header.block.start, header.content.start);
        findings.at(&rules::UNCLOSED_FENCE, opening, "the yaml header is not closed", "end it with a line of ```");
        return None;
    }
    Some((header.content, &text[header.block.end..]))
}

/// Tells whether these are only blank lines and comments (or the stray end of one).
fn opens(before: &str) -> bool {
    let is_nothing = |line: &str| line.is_empty() || line == "-->" || line.starts_with("<!--") && line.ends_with("-->");
    before.lines().all(|line| is_nothing(line.trim()))
}

/// A legacy header between two lines of `---`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) struct FrontMatter {
    /// The marks of the first line.
    pub(in crate::format) opening: Span,
    /// The text between the lines.
    pub(in crate::format) content: Span,
    /// The marks of the last line, when there is one.
    pub(in crate::format) closing: Option<Span>,
}

impl FrontMatter {
    /// Finds front matter after blanks and comments only.
    pub(in crate::format) fn find(text: &str) -> Option<Self> {
        let mut lines = lines(text).skip_while(|line| opens(line.of(text)));
        let opening = lines.next().filter(|line| line.of(text).trim_end() == "---")?;
        let closing = lines.find(|line| matches!(line.of(text).trim_end(), "---" | "..."));
        let marks = |line: Span| Span::new(line.start, line.start + 3);
        let content = Span::new(opening.end, closing.map_or(text.len(), |line| line.start));
        Some(Self { opening: marks(opening), content, closing: closing.map(marks) })
    }

    fn zones<'t>(self, text: &'t str, findings: &mut Findings<'_>) -> Option<(Span, &'t str)> {
        let Some(closing) = self.closing else {
            let hint = "end the header with a line of ```, and start it with one of ```yaml";
            findings.at(&rules::UNCLOSED_FENCE, self.opening, "the front matter is not closed", hint);
            return None;
        };
        let hint = "write ```yaml instead of the first `---` and ``` instead of the second: `rye migrate` does it";
        findings.at(&rules::FRONT_MATTER, self.opening, "front matter is a legacy form", hint);
        Some((self.content, &text[closing.end..]))
    }
}

/// Returns the place of each line, its end included.
fn lines(text: &str) -> impl Iterator<Item = Span> {
    text.split_inclusive('\n').scan(0, |start, line| {
        let span = Span::new(*start, *start + line.len());
        *start = span.end;
        Some(span)
    })
}
