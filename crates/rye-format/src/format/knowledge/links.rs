//! The links of knowledge: those of its header, then those of its text, each once.
//!
//! In the text `[[target]]`, `[[target|words]]` and Markdown links and images count, outside of code. A link into the
//! page itself (`#heading`) is not one. [`Graph`](crate::item::Graph) resolves their targets.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::format::{Finding, Span, rules};
use crate::item::{Knowledge, Link, LinkKind, Node, Target};

/// The most links taken from one text.
const MOST: usize = 10_000;
/// The most findings about the links of one file: each costs a look through its text.
const MOST_FINDINGS: usize = 100;

/// Returns the links of an entry.
#[must_use]
pub fn links(knowledge: &Knowledge) -> Vec<Link> {
    let header = [
        (LinkKind::References, &knowledge.references),
        (LinkKind::Extends, &knowledge.extends),
        (LinkKind::UsedBy, &knowledge.used_by),
    ];
    let header =
        header.into_iter().flat_map(|(kind, targets)| targets.iter().map(move |target| (kind, target.clone())));
    let text = targets(&knowledge.body).into_iter().map(|target| (LinkKind::Text, target));
    let mut seen = BTreeSet::new();
    let links = header.chain(text).filter_map(|(kind, target)| {
        let page = target.split('#').next().unwrap_or("").trim();
        let into_itself = page.is_empty() && target.starts_with('#');
        (!into_itself).then(|| Link { kind, target: page.to_owned() })
    });
    links.filter(|link| seen.insert(link.clone())).collect()
}

fn targets(text: &str) -> Vec<String> {
    let events = Parser::new_ext(text, Options::ENABLE_WIKILINKS);
    let target = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    };
    events.filter_map(target).take(MOST).collect()
}

/// Returns a warning for each link of an entry that leads nowhere, or to several items; `text` is its file's.
#[must_use]
pub fn findings(text: &str, links: &[(Link, Target)]) -> Vec<Finding> {
    let mut written: Option<BTreeMap<String, Span>> = None;
    let mut place_of = |link: &Link| {
        let in_text = (link.kind == LinkKind::Text).then(|| written.get_or_insert_with(|| written_links(text)));
        in_text.and_then(|places| places.get(&link.target).copied()).or_else(|| place(text, link))
    };
    let found = links.iter().filter_map(|(link, target)| finding(text, link, target, &mut place_of));
    found.take(MOST_FINDINGS).collect()
}

fn finding(
    text: &str,
    link: &Link,
    target: &Target,
    place_of: &mut impl FnMut(&Link) -> Option<Span>,
) -> Option<Finding> {
    let shown: String = link.target.chars().take(80).collect();
    let (message, hint) = match target {
        Target::Unresolved if shown.is_empty() => {
            ("a link names nothing".to_owned(), "write an id, a path or an address, or remove the link".to_owned())
        }
        Target::Unresolved => (
            format!("the link `{shown}` leads to no item and no file"),
            "write an id such as `rye/core/terminology`, a path from the project's top, or an address".to_owned(),
        ),
        Target::Ambiguous(nodes) => {
            (format!("the link `{shown}` may mean {}", choices(nodes)), "write the whole id".to_owned())
        }
        Target::Item(_) | Target::Path(_) | Target::Address(_) => return None,
    };
    let span = place_of(link);
    let position = span
        .map_or(crate::format::Position { line: 1, column: 1 }, |span| crate::format::Position::of(text, span.start));
    Some(Finding::placed(&rules::KNOWLEDGE_LINK, span, position, message, hint))
}

/// Finds where the text of a file spells out each target: the first link to it, the header left aside.
fn written_links(text: &str) -> BTreeMap<String, Span> {
    let mut places = BTreeMap::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_WIKILINKS).into_offset_iter() {
        let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else { continue };
        let page = dest_url.split('#').next().unwrap_or("").trim();
        let link = &text[range.clone()];
        // The words of a link may be those of its target; they come after it or before it.
        let spelled = if link.starts_with("[[") { link.find(page) } else { link.rfind(page) };
        let spelled = spelled.filter(|_| !page.is_empty()).map(|at| range.start + at);
        if let Some(start) = spelled.filter(|_| places.len() < MOST) {
            places.entry(page.to_owned()).or_insert(Span::new(start, start + page.len()));
        }
    }
    places
}

/// Finds the place of a header's link: the first occurrence of its target that is not part of a longer word.
fn place(text: &str, link: &Link) -> Option<Span> {
    let inside = |found: Option<char>| found.is_some_and(|found| found.is_alphanumeric() || "/_-".contains(found));
    let target = Some(link.target.as_str()).filter(|target| !target.is_empty())?;
    let whole = |start: &usize| {
        let (before, after) = (&text[..*start], &text[start + target.len()..]);
        !inside(before.chars().next_back()) && !inside(after.chars().next())
    };
    let mut places = text.match_indices(target).map(|(start, _)| start);
    places.find(whole).map(|start| Span::new(start, start + target.len()))
}

fn choices(nodes: &[Node]) -> String {
    let names: Vec<String> =
        nodes.iter().take(5).map(|node| format!("{} `{}`", node.item_type, node.item_id)).collect();
    names.join(" or ")
}
