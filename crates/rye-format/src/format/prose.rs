//! A model's words as Markdown: what a page shows as headings, lists, tables, code, emphasis and links. HTML in them is text, and an
//! image is a link.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prose {
    /// A shape begins.
    Start(Shape),
    /// It ends.
    End(Shape),
    /// Words.
    Text(String),
    /// Code within a line.
    Code(String),
    /// The end of a line within a paragraph.
    Break,
    /// A line across.
    Rule,
}

/// What words are part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A paragraph.
    Paragraph,
    /// A heading, of a level from 1 to 6.
    Heading(u8),
    /// A quotation.
    Quote,
    /// A list; a numbered one with its first number.
    List(Option<u64>),
    /// An entry of a list.
    Item,
    /// A table.
    Table,
    /// A row of a table; the first one has its titles.
    Row,
    /// A cell of a row.
    Cell,
    /// Lines of code.
    CodeBlock,
    /// Emphasis.
    Emphasis,
    /// Strong emphasis.
    Strong,
    /// A link, to this address.
    Link(String),
}

/// Reads a text. Whoever shows it escapes each part: an entity may stand for any character.
#[must_use]
pub fn prose(text: &str) -> Vec<Prose> {
    let mut parts = Vec::new();
    // What is open; none for what has no shape here.
    let mut open: Vec<Option<Shape>> = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(tag) => {
                if matches!(tag, Tag::Image { .. }) {
                    parts.push(Prose::Text("image: ".to_owned()));
                }
                let shape = shape(tag);
                parts.extend(shape.clone().map(Prose::Start));
                open.push(shape);
            }
            Event::End(_) => parts.extend(open.pop().flatten().map(Prose::End)),
            Event::Code(text) => parts.push(Prose::Code(text.into_string())),
            Event::SoftBreak | Event::HardBreak => parts.push(Prose::Break),
            Event::Rule => parts.push(Prose::Rule),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => parts.push(Prose::Text(text.into_string())),
            Event::TaskListMarker(is_done) => {
                parts.push(Prose::Text(if is_done { "[x] " } else { "[ ] " }.to_owned()));
            }
        }
    }
    parts
}

fn shape(tag: Tag<'_>) -> Option<Shape> {
    Some(match tag {
        Tag::Paragraph => Shape::Paragraph,
        Tag::Heading { level, .. } => Shape::Heading(number(level)),
        Tag::BlockQuote(_) => Shape::Quote,
        Tag::CodeBlock(_) => Shape::CodeBlock,
        Tag::List(first) => Shape::List(first),
        Tag::Item => Shape::Item,
        Tag::Table(_) => Shape::Table,
        Tag::TableHead | Tag::TableRow => Shape::Row,
        Tag::TableCell => Shape::Cell,
        Tag::Emphasis => Shape::Emphasis,
        Tag::Strong => Shape::Strong,
        Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => Shape::Link(dest_url.into_string()),
        Tag::HtmlBlock => Shape::Paragraph,
        // Not read, as their syntax is not turned on.
        _ => return None,
    })
}

const fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_text_and_an_image_is_a_link() {
        let parts = prose("a <b>c</b> ![d](https://example.org/x.png)\n\n<script>e</script>\n");
        let link = Shape::Link("https://example.org/x.png".to_owned());
        assert!(parts.contains(&Prose::Text("<b>".to_owned())) && parts.contains(&Prose::Start(link)), "{parts:?}");
        assert!(parts.iter().any(|part| matches!(part, Prose::Text(text) if text.contains("<script>"))), "{parts:?}");
    }

    #[test]
    fn what_begins_ends() {
        let text =
            "# A\n\n> - b *c* **d** `e`\n>   1. f\n\n```\ng\n```\n\n---\n[h](i)\n\n| a | b |\n|---|---|\n| c | d |\n";
        let parts = prose(text);
        let mut open = Vec::new();
        for part in &parts {
            match part {
                Prose::Start(shape) => open.push(shape),
                Prose::End(shape) => assert_eq!(open.pop(), Some(shape)),
                Prose::Text(_) | Prose::Code(_) | Prose::Break | Prose::Rule => {}
            }
        }
        assert!(
            open.is_empty()
                && parts.contains(&Prose::Start(Shape::Heading(1)))
                && parts.contains(&Prose::Start(Shape::Cell)),
            "{parts:?}"
        );
    }
}
