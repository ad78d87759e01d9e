//! References to directives that are renamed, in every item.
//!
//! Only where a text is a reference: attributes, relation elements, permissions, calls, keys, header lists, links and
//! paths below `.ai/directives`. A name in prose stays as it is, and is told of; so is a pattern that a renamed
//! directive falls out of, or into.

mod keys;
mod links;
mod renames;

pub use renames::{Renames, snake_id};

use super::edits::Edits;
use super::names::words;
use super::tags::tags;
use super::work::Work;
use super::{Job, Scope};
use crate::capability::Primary;
use crate::format::Span;
use crate::format::knowledge::FrontMatter;
use crate::format::syntax::fence;
use crate::id::{ItemType, fnmatch};

/// Elements whose text names a directive.
const RELATIONS: [&str; 8] = [
    "requires",
    "depends_on",
    "used_by",
    "suggests",
    "conflicts_with",
    "example_of",
    "extends",
    "continuation_directive",
];
const HEADER_LISTS: [&str; 3] = ["references", "extends", "used_by"];
const CHANGE: &str = "name renamed directives as they are called now";

pub(super) fn rewrite(work: &mut Work<'_>, job: &Job<'_>) {
    let mends = job.scope == Scope::All;
    if job.renames.is_empty() && !mends {
        return;
    }
    let text = work.text.clone();
    let mut found = Found { text: &text, job, mends, edits: Edits::default() };
    found.paths();
    found.capabilities();
    match job.item_type() {
        ItemType::Directive => {
            found.tags();
            found.keyed(keys::quoted(&text));
        }
        ItemType::Knowledge => {
            found.header_lists();
            found.links();
        }
        ItemType::Tool => {
            found.keyed(keys::quoted(&text));
            found.keyed(keys::on_lines(&text));
        }
        // Its manifest names files, and no items.
        ItemType::Skill => {}
    }
    let edits = found.edits;
    patterns(work, job);
    work.apply(edits, CHANGE);
    mentions(work, job.renames);
}

struct Found<'t> {
    text: &'t str,
    job: &'t Job<'t>,
    /// Whether references to formerly renamed items are corrected.
    mends: bool,
    edits: Edits,
}

impl Found<'_> {
    /// Puts the new form of a text in its place, if it has one; blanks around it stay.
    fn put(&mut self, span: Span, new: Option<String>) {
        let text = span.of(self.text);
        let start = span.start + text.len() - text.trim_start().len();
        new.into_iter().for_each(|new| self.edits.replace(Span::new(start, start + text.trim().len()), new));
    }

    /// Returns the new form of a text that names a directive.
    fn directive(&self, reference: &str) -> Option<String> {
        let renames = self.job.renames;
        renames.of(reference).or_else(|| renames.of_gone(reference).filter(|_| self.mends))
    }

    /// Returns the new form of a pattern that is one id, in either form.
    fn pattern(&self, pattern: &str) -> Option<String> {
        let id = pattern.replace('.', "/");
        let renames = self.job.renames;
        let new = renames.new_id(&id).map(str::to_owned).or_else(|| renames.of_gone(&id).filter(|_| self.mends))?;
        Some(if pattern.contains('.') { new.replace('/', ".") } else { new })
    }

    fn link(&self, link: &str) -> Option<String> {
        let renames = self.job.renames;
        renames.link(link).or_else(|| renames.link_of_gone(link).filter(|_| self.mends))
    }

    fn tags(&mut self) {
        for tag in tags(self.text) {
            let is_directive = tag.has(self.text, "item_type", "directive");
            let content = Span::new(tag.end, tag.end + self.text[tag.end..].find('<').unwrap_or(0));
            let id = tag.attribute("item_id").filter(|_| is_directive);
            let base = tag.attribute("extends").filter(|_| tag.name == "directive");
            let wrapped = tag.attribute("value").filter(|_| tag.has(self.text, "name", "directive_name"));
            for span in id.into_iter().chain(base).chain(wrapped) {
                self.put(span, self.directive(span.of(self.text).trim()));
            }
            let text = content.of(self.text).trim();
            let named = match tag.name {
                "directive" if tag.attributes.is_empty() => self.pattern(text),
                "execute" if is_directive && id.is_none() => self.directive(text),
                "param" if tag.has(self.text, "name", "directive_name") => self.directive(text),
                name if RELATIONS.contains(&name) => self.directive(text),
                _ => None,
            };
            self.put(content, named);
        }
    }

    /// Replaces values that name a directive because of their key.
    fn keyed(&mut self, values: Vec<Span>) {
        for span in values {
            let text = span.of(self.text).trim();
            self.put(span, self.directive(text).or_else(|| self.pattern(text)));
        }
    }

    /// Replaces whole capabilities that name one directive.
    fn capabilities(&mut self) {
        for span in words(self.text) {
            let word = span.of(self.text);
            let Some((head, id)) = word.split_once(".directive.") else { continue };
            let is_head = head.strip_prefix("rye.").is_some_and(|primary| primary.parse::<Primary>().is_ok());
            let is_whole =
                !self.text[span.end..].starts_with(['*', '?', '[']) && !self.text[span.end..].starts_with(".*");
            if let Some(new) = self.pattern(id).filter(|_| is_head && is_whole) {
                self.edits.replace(Span::new(span.end - id.len(), span.end), new.replace('/', "."));
            }
        }
    }

    /// Replaces entries of the header's lists.
    fn header_lists(&mut self) {
        let header = self.header();
        let (mut start, mut within) = (header.start, false);
        for line in header.of(self.text).split_inclusive('\n') {
            let key = line.split(':').next().unwrap_or("");
            let is_list = HEADER_LISTS.contains(&key) && key.len() < line.len();
            let entry = line.trim_start().strip_prefix("- ").filter(|_| within);
            if is_list || entry.is_some() {
                let from = if is_list { key.len() + 1 } else { line.len() - entry.map_or(0, str::len) };
                for span in entries(line, from) {
                    self.put(Span::new(start + span.start, start + span.end), self.link(span.of(line)));
                }
            }
            within = is_list || within && (entry.is_some() || line.starts_with([' ', '#']) || line.trim().is_empty());
            start += line.len();
        }
    }

    /// Finds the header of knowledge.
    fn header(&self) -> Span {
        if self.job.is_yaml() {
            return Span::new(0, self.text.len());
        }
        let fenced = || {
            fence::outline(self.text).fences.first().filter(|fence| fence.language == "yaml").map(|fence| fence.content)
        };
        FrontMatter::find(self.text).map(|front| front.content).or_else(fenced).unwrap_or_default()
    }

    /// Replaces the targets of links.
    fn links(&mut self) {
        for span in links::targets(self.text) {
            let target = span.of(self.text);
            let page = Span::new(span.start, span.start + target.find('#').unwrap_or(target.len()));
            match self.link(page.of(self.text)) {
                Some(new) => self.edits.replace(page, new),
                None => self.relative(page),
            }
        }
    }

    /// Replaces a path from the entry's own folder to a directive's file.
    fn relative(&mut self, page: Span) {
        let Some(path) = self.job.path_from_folder(page.of(self.text)) else { return };
        let id = path.strip_prefix(".ai/directives/").and_then(|path| path.strip_suffix(".md"));
        let Some(id) = id else { return };
        let new = self.job.renames.new_id(id).and_then(|new| new.rsplit('/').next());
        if let (Some(old), Some(new)) = (id.rsplit('/').next(), new) {
            let end = page.end - ".md".len();
            self.edits.replace(Span::new(end - old.len(), end), new);
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
                && let Some(new) = self.job.renames.new_id(span.of(self.text))
            {
                self.edits.replace(span, new);
            }
        }
    }
}

/// Tells of patterns that cover a renamed directive under one of its names only.
fn patterns(work: &mut Work<'_>, job: &Job<'_>) {
    let text = work.text.clone();
    let elements = tags(&text).into_iter().filter(|tag| tag.name == "directive" && tag.attributes.is_empty());
    let elements = elements.map(|tag| Span::new(tag.end, tag.end + text[tag.end..].find('<').unwrap_or(0)));
    let values = keys::on_lines(&text).into_iter().filter(|_| job.item_type() == ItemType::Tool);
    for span in elements.chain(values) {
        let pattern = span.of(&text).trim();
        if !pattern.contains(['*', '?', '[']) {
            continue;
        }
        let dotted = pattern.replace('/', ".");
        for (old, new) in job.renames.ids() {
            let covers = |id: &str| fnmatch::matches(&dotted, &id.replace('/', "."));
            match (covers(old), covers(new)) {
                (true, false) => work
                    .look(span.start, format!("the pattern `{pattern}` covers `{old}`, and not its new name `{new}`")),
                (false, true) => work.look(
                    span.start,
                    format!("the pattern `{pattern}` covers `{new}`, and did not cover its old name `{old}`"),
                ),
                _ => {}
            }
        }
    }
}

/// Tells of places where a renamed directive is named in prose or code.
fn mentions(work: &mut Work<'_>, renames: &Renames) {
    if renames.is_empty() {
        return;
    }
    let text = work.text.clone();
    for span in words(&text) {
        let word = span.of(&text);
        let id = word.strip_suffix(".md").unwrap_or(word).replace('.', "/");
        let Some(new) = renames.new_id(&id) else { continue };
        let quotes = ['`', '"', '\''];
        let before = text[..span.start].strip_suffix(quotes);
        let is_quoted = before.is_some() && text[span.end..].starts_with(quotes);
        // Of a type that says which item is meant, and means another.
        let is_of_other_type = before.is_some_and(|before| before.ends_with("item_id="));
        if (id.contains('/') || is_quoted) && !is_of_other_type {
            work.look(
                span.start,
                format!("`{id}` is named here, which is `{new}` now: change it if it is a reference"),
            );
        }
    }
}

/// Finds the words of a line that could be ids, from a place on.
fn entries(line: &str, from: usize) -> Vec<Span> {
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
