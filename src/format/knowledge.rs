//! Knowledge: a fenced yaml header and a text, or a file of pure YAML whose top keys are the header.

use super::header::{Header, mapping};
use super::span::Findings;
use super::{Anchors, Span, fence, rules};
use crate::id::{Extension, ItemType};
use crate::item::{Item, Knowledge};
use crate::trust::{LineState, split};

const REQUIRED: [&str; 4] = ["name", "title", "category", "version"];

/// Reads knowledge.
pub(super) fn read(text: &str, extension: &Extension, findings: &mut Findings<'_>) -> (Option<Item>, Anchors) {
    let is_yaml = extension.as_str() == "yaml";
    let zones =
        if is_yaml { Some((Span::new(0, text.len()), unsigned(text, extension))) } else { zones(text, findings) };
    let Some((zone, body)) = zones else { return (None, Anchors::default()) };
    let Some((keys, places)) = mapping(text, zone, findings) else { return (None, Anchors::default()) };
    let whole = Span::new(zone.start, zone.start + zone.of(text).lines().next().map_or(0, str::len));
    let mut header = Header { keys, places, whole, rule: &rules::HEADER_VALUE, findings };
    let anchors = Anchors::new(text, whole, header.place("name"), header.place("category"));
    let knowledge = entry(&mut header, body);
    if !is_yaml {
        for key in header.keys.keys() {
            let message = format!("`{}` is no key of a knowledge header", key.chars().take(40).collect::<String>());
            header.findings.at(&rules::UNKNOWN_KEY, header.place(key), message, "remove it, or move it into the text");
        }
    }
    (knowledge.map(|knowledge| Item::Knowledge(Box::new(knowledge))), anchors)
}

/// Leaves out the signature line: it speaks to programs.
fn unsigned<'t>(text: &'t str, extension: &Extension) -> &'t str {
    match split(ItemType::Knowledge, extension.comment(), text.as_bytes()).line {
        LineState::Present(_) => text.split_once('\n').map_or(text, |(_, rest)| rest),
        LineState::Absent | LineState::Legacy | LineState::Malformed { .. } | LineState::Doubled => text,
    }
}

fn entry(header: &mut Header<'_, '_>, body: &str) -> Option<Knowledge> {
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
        body: body.trim().to_owned(),
    })
}

/// Finds the header fence and the text after it. Only blanks and comments may stand before it.
fn zones<'t>(text: &'t str, findings: &mut Findings<'_>) -> Option<(Span, &'t str)> {
    let outline = fence::outline(text);
    let first = outline.fences.first().filter(|fence| fence.language == "yaml" && opens(&text[..fence.block.start]));
    let Some(header) = first else {
        no_header(text, findings);
        return None;
    };
    if !header.closed {
        let opening = Span::new(header.block.start, header.content.start);
        findings.at(&rules::UNCLOSED_FENCE, opening, "the yaml header is not closed", "end it with a line of ```");
        return None;
    }
    Some((header.content, &text[header.block.end..]))
}

/// Tells whether only blank lines and comments (or the stray end of one) stand here.
fn opens(before: &str) -> bool {
    let is_nothing = |line: &str| line.is_empty() || line == "-->" || line.starts_with("<!--") && line.ends_with("-->");
    before.lines().all(|line| is_nothing(line.trim()))
}

fn no_header(text: &str, findings: &mut Findings<'_>) {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        if content == "---" {
            let message = "front matter is a legacy form that is not supported by this version";
            let hint = "replace both `---` lines: ```yaml before the keys, ``` after them";
            return findings.at(&rules::FRONT_MATTER, Span::new(offset, offset + 3), message, hint);
        }
        if !opens(content) {
            break;
        }
        offset += line.len();
    }
    let hint = "start the file with a block fenced as ```yaml that holds name, title, category and version";
    findings.whole(&rules::NO_HEADER, "the knowledge has no header", hint);
}
