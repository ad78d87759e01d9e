//! Values that name a directive because of their key: in calls, JSON, code and YAML.

use crate::format::Span;

/// Keys whose value is a directive.
const OF_DIRECTIVES: [&str; 4] = ["directive", "directive_id", "directive_name", "continuation_directive"];
/// Keys whose value is an item of the type written next to it.
const OF_ITEMS: [&str; 2] = ["item_id", "specifics"];
/// How far apart the parts of one call may be, in bytes.
const CALL: usize = 1000;

/// Finds the quoted values of such keys: `item_id="…"`, `"directive": "…"`.
pub(super) fn quoted(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for (key, of_any_type) in OF_DIRECTIVES.map(|key| (key, false)).into_iter().chain(OF_ITEMS.map(|key| (key, true))) {
        for (at, _) in text.match_indices(key) {
            let Some(value) = quoted_value(text, at, key) else { continue };
            if !of_any_type || is_beside_directive(text, at, value.end) {
                found.push(value);
            }
        }
    }
    found
}

/// Returns the text between the quotes behind a key.
fn quoted_value(text: &str, at: usize, key: &str) -> Option<Span> {
    let is_part = |found: char| found.is_ascii_alphanumeric() || matches!(found, '_' | '-' | '/' | '.' | '<');
    if text[..at].ends_with(is_part) {
        return None;
    }
    let rest = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
    let value = rest.strip_prefix(['=', ':'])?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let start = text.len() - value.len() + 1;
    Some(Span::new(start, start + value[1..].find(quote)?))
}

/// Tells whether `item_type` is a directive in the brackets around a value.
fn is_beside_directive(text: &str, at: usize, end: usize) -> bool {
    let floor = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let before = &text[floor(at.saturating_sub(CALL))..at];
    let after = &text[end..floor(end + CALL)];
    let before = before.rfind(['(', '{']).map_or("", |open| &before[open..]);
    let after = after.find([')', '}']).map_or("", |close| &after[..close]);
    [before, after].iter().any(|part| {
        let value = part.split_once("item_type").map(|(_, rest)| rest.trim_start_matches(['"', '\'', '=', ':', ' ']));
        value.is_some_and(|value| value.starts_with("directive"))
    })
}

/// Finds the values of such keys on lines of their own: `directive: …`, and `item_id: …` next to `item_type:
/// directive`.
pub(super) fn on_lines(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Vec<Map> = Vec::new();
    for line in lines(text) {
        let ends = |map: &Map| map.column > line.column || line.begins && map.column == line.column;
        while let Some(map) = open.pop_if(|map| ends(map)) {
            found.extend(map.directives());
        }
        if open.last().is_none_or(|map| map.column < line.column) {
            open.push(Map { column: line.column, ..Map::default() });
        }
        let Some(map) = open.last_mut() else { continue };
        match line.key {
            "item_type" => map.is_of_directive = line.value.of(text) == "directive",
            key if OF_ITEMS.contains(&key) => map.items.push(line.value),
            key if OF_DIRECTIVES.contains(&key) => found.push(line.value),
            _ => {}
        }
    }
    found.extend(open.into_iter().flat_map(Map::directives));
    found
}

/// A map whose lines are being read.
#[derive(Default)]
struct Map {
    column: usize,
    is_of_directive: bool,
    items: Vec<Span>,
}

impl Map {
    /// Returns the items that are directives.
    fn directives(self) -> Vec<Span> {
        if self.is_of_directive { self.items } else { Vec::new() }
    }
}

/// A line that is `key: value`, perhaps an entry of a list.
struct Line<'t> {
    key: &'t str,
    /// The value without its quotes.
    value: Span,
    column: usize,
    /// Whether it begins an entry.
    begins: bool,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        start += line.len();
        read(line, start - line.len())
    })
}

fn read(line: &str, start: usize) -> Option<Line<'_>> {
    let content = line.trim_start();
    if content.is_empty() || content.starts_with('#') {
        return None;
    }
    let entry = content.trim_start_matches("- ").trim_start();
    let (key, value) = entry.split_once(':').unwrap_or((entry.trim_end(), ""));
    let at = start + line.len() - value.len();
    let value = value.trim_end();
    let lead = value.len() - value.trim_start().len();
    let inner = value.trim_start();
    let (at, inner) = match inner.chars().next() {
        Some(quote @ ('"' | '\'')) => (at + lead + 1, inner[1..].split(quote).next().unwrap_or_default()),
        _ => (at + lead, inner.split(" #").next().unwrap_or_default().trim_end()),
    };
    let value = Span::new(at, at + inner.len());
    Some(Line {
        key: key.trim_matches(['"', '\'']),
        value,
        column: line.len() - entry.len(),
        begins: entry.len() < content.len(),
    })
}
