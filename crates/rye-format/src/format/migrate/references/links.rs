//! The targets of the links in a Markdown text, where they are written.

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag};

use crate::format::Span;

/// Finds the targets of links, wiki links and images, and of the definitions that links refer to. A target that is
/// written otherwise than it reads, with escapes, is left out.
pub(super) fn targets(text: &str) -> Vec<Span> {
    let parser = Parser::new_ext(text, Options::ENABLE_WIKILINKS);
    let defined: Vec<_> = parser
        .reference_definitions()
        .iter()
        .filter_map(|(_, definition)| {
            let source = text.get(definition.span.clone())?;
            behind(source, "]:", &definition.dest, definition.span.start)
        })
        .collect();
    let written = parser.into_offset_iter().filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
            target(link_type, &dest_url, text.get(range.clone())?, range.start)
        }
        _ => None,
    });
    written.chain(defined).collect()
}

fn target(link_type: LinkType, target: &CowStr<'_>, source: &str, start: usize) -> Option<Span> {
    match link_type {
        LinkType::WikiLink { .. } => behind(source, "[[", target, start),
        LinkType::Inline => behind(source, "](", target, start),
        _ => None,
    }
}

/// Finds a target directly behind a mark, blanks and `<` aside.
fn behind(source: &str, mark: &str, target: &str, start: usize) -> Option<Span> {
    let mut places = source.match_indices(mark).map(|(at, _)| at + mark.len());
    let place = places.find_map(|at| {
        let rest = source[at..].trim_start();
        let rest = rest.strip_prefix('<').unwrap_or(rest);
        rest.starts_with(target).then(|| source.len() - rest.len())
    })?;
    (!target.is_empty()).then(|| Span::new(start + place, start + place + target.len()))
}
