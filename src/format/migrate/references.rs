//! References to directives that are renamed, in every item.
//!
//! Only where a text is a reference: attributes, relation elements, permissions, calls, header lists, links and paths
//! below `.ai/directives`. A name in prose stays as it is.

use std::collections::BTreeMap;

use super::Work;
use super::edits::Edits;
use super::tags::tags;
use crate::format::Span;
use crate::id::{ItemId, ItemType};

/// Elements whose text names a directive.
const RELATIONS: [&str; 9] = [
    "requires",
    "depends_on",
    "used_by",
    "suggests",
    "conflicts_with",
    "example_of",
    "extends",
    "continuation_directive",
    "continuation",
];
const HEADER_LISTS: [&str; 3] = ["references", "extends", "used_by"];
const CHANGE: &str = "name renamed directives as they are called now";
/// How far apart the parts of one call may stand, in bytes.
const CALL: usize = 1000;

/// New ids of directives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames {
    ids: BTreeMap<String, String>,
    /// Last segments that name a renamed directive and no other.
    names: BTreeMap<String, String>,
    /// Those that name no other item either.
    link_names: BTreeMap<String, String>,
}

impl Renames {
    /// Takes the new ids of directives; `items` are all items there are, under their old ids.
    #[must_use]
    pub fn new(renamed: &BTreeMap<ItemId, ItemId>, items: &[(ItemType, ItemId)]) -> Self {
        let mut renames = Self::default();
        for (old, new) in renamed {
            renames.ids.insert(old.to_string(), new.to_string());
            let of_name = |found: &&(ItemType, ItemId)| found.1.name() == old.name();
            let same_name: Vec<_> = items.iter().filter(of_name).collect();
            if same_name.iter().all(|(item_type, id)| *item_type != ItemType::Directive || id == old) {
                renames.names.insert(old.name().to_owned(), new.name().to_owned());
            }
            if same_name.iter().all(|(item_type, id)| *item_type == ItemType::Directive && id == old) {
                renames.link_names.insert(old.name().to_owned(), new.name().to_owned());
            }
        }
        renames
    }

    /// Returns the id that a directive gets, or has already.
    pub(super) fn id<'a>(&'a self, item_id: &'a ItemId) -> &'a str {
        self.ids.get(item_id.as_str()).map_or(item_id.as_str(), String::as_str)
    }

    /// Returns the new form of a text that names a directive by id, path or unique last segment.
    fn of(&self, reference: &str) -> Option<String> {
        self.ids.get(reference).or_else(|| self.names.get(reference)).cloned()
    }

    /// Returns the new form of a pattern that is one id, in either form.
    fn pattern(&self, pattern: &str) -> Option<String> {
        let new = self.ids.get(&pattern.replace('.', "/"))?;
        Some(if pattern.contains('.') { new.replace('/', ".") } else { new.clone() })
    }

    /// Returns the new form of a link of knowledge.
    fn link(&self, link: &str) -> Option<String> {
        self.ids.get(link).or_else(|| self.link_names.get(link)).cloned()
    }
}

pub(super) fn rewrite(work: &mut Work, item_type: ItemType, renames: &Renames) {
    if renames.ids.is_empty() {
        return;
    }
    let text = work.text.clone();
    let mut found = Found { text: &text, renames, edits: Edits::default() };
    found.paths();
    match item_type {
        ItemType::Directive => {
            found.tags();
            found.calls();
            found.near_patterns(&mut work.review);
        }
        ItemType::Knowledge => {
            found.header_lists();
            found.links();
        }
        ItemType::Tool => found.calls(),
    }
    let edits = found.edits;
    if !edits.is_empty() {
        work.apply(edits, CHANGE);
    }
}

struct Found<'t> {
    text: &'t str,
    renames: &'t Renames,
    edits: Edits,
}

impl Found<'_> {
    /// Replaces a text by its new form, if it has one; blanks around it stay.
    fn replace(&mut self, span: Span, new: impl Fn(&str) -> Option<String>) {
        let text = span.of(self.text);
        if let Some(new) = new(text.trim()) {
            let start = span.start + text.len() - text.trim_start().len();
            self.edits.replace(Span::new(start, start + text.trim().len()), new);
        }
    }

    fn tags(&mut self) {
        let renames = self.renames;
        for tag in tags(self.text) {
            let is_directive = tag.has(self.text, "item_type", "directive");
            let content = Span::new(tag.end, tag.end + self.text[tag.end..].find('<').unwrap_or(0));
            let id = tag.attribute("item_id").filter(|_| is_directive);
            let base = tag.attribute("extends").filter(|_| tag.name == "directive");
            for span in id.into_iter().chain(base) {
                self.replace(span, |text| renames.of(text));
            }
            match tag.name {
                "directive" if tag.attributes.is_empty() => self.replace(content, |text| renames.pattern(text)),
                "execute" if is_directive && id.is_none() => self.replace(content, |text| renames.of(text)),
                name if RELATIONS.contains(&name) => self.replace(content, |text| renames.of(text)),
                _ => {}
            }
        }
    }

    /// Replaces ids in calls such as `rye_execute(item_type="directive", item_id="…")`, and in JSON and YAML like it.
    fn calls(&mut self) {
        let renames = self.renames;
        for (at, _) in self.text.match_indices("item_id") {
            let rest = self.text[at + "item_id".len()..].trim_start_matches(['"', '\'']).trim_start();
            let Some(value) = rest.strip_prefix(['=', ':']).map(str::trim_start) else { continue };
            let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { continue };
            let start = self.text.len() - value.len() + 1;
            let end = value[1..].find(quote).map_or(start, |length| start + length);
            if self.call_is_of_directive(at, end) {
                self.replace(Span::new(start, end), |text| renames.of(text));
            }
        }
    }

    fn call_is_of_directive(&self, at: usize, end: usize) -> bool {
        let floor =
            |at: usize| (0..=at.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let before = &self.text[floor(at.saturating_sub(CALL))..at];
        let after = &self.text[end..floor(end + CALL)];
        let before = before.rfind(['(', '{']).map_or("", |open| &before[open..]);
        let after = after.find([')', '}']).map_or("", |close| &after[..close]);
        [before, after].iter().any(|part| {
            let value =
                part.split_once("item_type").map(|(_, rest)| rest.trim_start_matches(['"', '\'', '=', ':', ' ']));
            value.is_some_and(|value| value.starts_with("directive"))
        })
    }

    /// Names patterns that a renamed directive falls out of.
    fn near_patterns(&self, review: &mut Vec<String>) {
        for tag in tags(self.text).iter().filter(|tag| tag.name == "directive" && tag.attributes.is_empty()) {
            let content = &self.text[tag.end..];
            let pattern = content[..content.find('<').unwrap_or(0)].trim();
            if pattern.contains('-') && pattern.contains(['*', '?']) {
                review.push(format!("the pattern `{pattern}` may have meant directives that are renamed"));
            }
        }
    }

    /// Replaces entries of the header's lists.
    fn header_lists(&mut self) {
        let renames = self.renames;
        let (mut start, mut within) = (0, false);
        for line in self.text.split_inclusive('\n') {
            let key = line.split(':').next().unwrap_or("");
            let is_list = HEADER_LISTS.contains(&key) && key.len() < line.len();
            let entry = line.trim_start().strip_prefix("- ").filter(|_| within);
            if is_list || entry.is_some() {
                let from = if is_list { key.len() + 1 } else { line.len() - entry.map_or(0, str::len) };
                for span in words(line, from) {
                    self.replace(Span::new(start + span.start, start + span.end), |text| renames.link(text));
                }
            }
            within = is_list || within && (entry.is_some() || line.starts_with([' ', '#']) || line.trim().is_empty());
            start += line.len();
        }
    }

    /// Replaces `[[links]]` and the targets of Markdown links.
    fn links(&mut self) {
        let renames = self.renames;
        for (open, close) in [("[[", "]"), ("](", ")")] {
            for (at, _) in self.text.match_indices(open) {
                let start = at + open.len();
                let line = self.text[start..].lines().next().unwrap_or("");
                if let Some(end) = line.find(close) {
                    let target = line[..end].split(['|', '#', ' ']).next().unwrap_or("");
                    self.replace(Span::new(start, start + target.len()), |text| renames.link(text));
                }
            }
        }
    }

    /// Replaces paths of directives.
    fn paths(&mut self) {
        let folder = format!(".ai/{}/", ItemType::Directive.folder());
        for (at, _) in self.text.match_indices(&folder) {
            let start = at + folder.len();
            let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/');
            let length = self.text.as_bytes()[start..].iter().take_while(|byte| part(byte)).count();
            let span = Span::new(start, start + length);
            if self.text[span.end..].starts_with(".md")
                && let Some(new) = self.renames.ids.get(span.of(self.text))
            {
                self.edits.replace(span, new.clone());
            }
        }
    }
}

/// Finds the words of a line that could be ids, from a place on.
fn words(line: &str, from: usize) -> Vec<Span> {
    let mut words = Vec::new();
    let mut start = from;
    for piece in line[from..].split_inclusive([' ', ',', '[', ']', '"', '\'', '\n', '\r', '\t']) {
        let word = piece.trim_end_matches([' ', ',', '[', ']', '"', '\'', '\n', '\r', '\t']);
        if word.starts_with('#') {
            break;
        }
        words.push(Span::new(start, start + word.len()));
        start += piece.len();
    }
    words
}
