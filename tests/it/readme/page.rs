//! A Markdown page taken apart: its code blocks, the files it asks the reader to save, its inline code.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The line of its first line of code, counted from 1.
    pub(super) line: usize,
    /// The first word after the fence.
    pub(super) language: String,
    /// The second word after the fence: who works here, where a page has several people.
    pub(super) person: Option<String>,
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
                let (language, person) = words(&kind);
                block = Some(Block { line: line + 1, language, person, text: String::new(), saved_as });
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

/// Returns the first two words after a fence.
fn words(kind: &CodeBlockKind<'_>) -> (String, Option<String>) {
    match kind {
        CodeBlockKind::Fenced(info) => {
            let mut words = info.split_whitespace().map(str::to_owned);
            (words.next().unwrap_or_default(), words.next())
        }
        CodeBlockKind::Indented => (String::new(), None),
    }
}
