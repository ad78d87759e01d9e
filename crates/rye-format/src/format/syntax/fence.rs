//! The zones of a Markdown file: title, preamble, the fenced header block, and what follows it.
//!
//! Fences are those of CommonMark, outside of lists and quotes; a block fenced with more backticks is an example and
//! holds no fence. A comment on line 1 (or 2), such as a signature line, is not content.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag};

use crate::format::Span;

/// A fenced block at the top of the document's structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::format) struct Fence {
    /// The first word after the backticks.
    pub(in crate::format) language: String,
    /// The whole block with both fence lines.
    pub(in crate::format) block: Span,
    /// The text between the fence lines.
    pub(in crate::format) content: Span,
    /// Whether the closing fence line is there.
    pub(in crate::format) closed: bool,
}

/// The fences and the first heading of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::format) struct Outline {
    pub(in crate::format) fences: Vec<Fence>,
    /// The first heading of level 1 before any fence.
    pub(in crate::format) heading: Option<Span>,
}

/// Reads the outline of a Markdown text.
pub(in crate::format) fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    outline.take(&tag, range, text);
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    outline
}

impl Outline {
    fn take(&mut self, tag: &Tag<'_>, range: Range<usize>, text: &str) {
        match tag {
            Tag::Heading { level: HeadingLevel::H1, .. } if self.heading.is_none() && self.fences.is_empty() => {
                self.heading = Some(Span::new(range.start, range.end));
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => self.fences.push(fence(info, range, text)),
            _ => {}
        }
    }
}

fn fence(info: &str, range: Range<usize>, text: &str) -> Fence {
    let block = Span::new(range.start, range.end);
    let source = block.of(text);
    let content_start = source.find('\n').map_or(block.end, |newline| block.start + newline + 1);
    let last = source.trim_end_matches(['\r', '\n']);
    // A block of one line has no closing line.
    let last_start = last.rfind('\n').map(|newline| block.start + newline + 1).filter(|start| *start >= content_start);
    let closing = last_start.map(|start| Span::new(start, block.start + last.len()));
    let closed = closing.is_some_and(|line| closes(first_line(source), line.of(text)));
    let content_end = closing.filter(|_| closed).map_or(block.end, |line| line.start);
    let language = info.split_whitespace().next().unwrap_or("").to_owned();
    Fence { language, block, content: Span::new(content_start, content_end.max(content_start)), closed }
}

fn first_line(source: &str) -> &str {
    source.lines().next().unwrap_or("")
}

/// Tells whether `line` is the closing fence of the block that `opening` starts.
fn closes(opening: &str, line: &str) -> bool {
    let (opening, line) = (opening.trim_start(), line.trim());
    let mark = opening.chars().next().unwrap_or('`');
    let length = opening.chars().take_while(|found| *found == mark).count();
    line.len() >= length && line.chars().all(|found| found == mark)
}

/// The title of a document: its heading without the marks.
pub(in crate::format) fn title(text: &str, heading: Option<Span>) -> String {
    let heading = heading.map_or("", |span| span.of(text));
    heading.lines().next().unwrap_or("").trim_start_matches('#').trim_end_matches('#').trim().to_owned()
}
