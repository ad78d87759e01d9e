//! A Markdown page taken apart: its code blocks, the files it asks the reader to save, its inline code.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The line of its first line of code, counted from 1.
    pub(super) line: usize,
    /// The first word after the fence.
    pub(super) language: String,
    pub(super) text: String,
    /// The file named by a paragraph before it that says "Save this as".
    pub(super) saved_as: Option<String>,
}

/// A page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) name: String,
    pub(super) blocks: Vec<Block>,
    /// Inline code, with its line.
    pub(super) codes: Vec<(usize, String)>,
}

/// Takes `text` apart. Blocks without a language are kept, too.
pub(super) fn read(name: &str, text: &str) -> Page {
    let mut page = Page { name: name.to_owned(), ..Page::default() };
    let mut paragraph = String::new();
    let mut named = None;
    let mut block: Option<Block> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        let line = 1 + text[..range.start].matches('\n').count();
        match event {
            Event::Start(Tag::Paragraph | Tag::Heading { .. }) => (paragraph, named) = (String::new(), None),
            Event::Start(Tag::CodeBlock(kind)) => {
                let saved_as = named.take().filter(|_| paragraph.contains("Save this as"));
                block = Some(Block { line: line + 1, language: language(&kind), text: String::new(), saved_as });
            }
            Event::End(TagEnd::CodeBlock) => page.blocks.extend(block.take()),
            Event::Text(part) => match &mut block {
                Some(block) => block.text.push_str(&part),
                None => paragraph.push_str(&part),
            },
            Event::Code(code) => {
                named = Some(code.to_string());
                page.codes.push((line, code.into_string()));
            }
            _ => {}
        }
    }
    page
}

fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default().to_owned(),
        CodeBlockKind::Indented => String::new(),
    }
}
