//! A small strict DOM over the xml block, with the place of everything in it.
//!
//! Bounded nesting, attributes and sizes; the five entities and nothing else; no document type, no processing
//! instructions. The first fault ends the reading: text after malformed XML has no meaning.

use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::format::span::Span;

const MOST_NESTING: usize = 64;
/// Few enough that whatever compares them with each other comes to an end.
const MOST_ELEMENTS: usize = 4000;
const MOST_ATTRIBUTES: usize = 32;
const MOST_ATTRIBUTE_BYTES: usize = 8 * 1024;

/// An element with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::format) struct Element {
    pub(in crate::format) name: String,
    /// The start tag.
    pub(in crate::format) span: Span,
    /// From the start tag to the end tag.
    pub(in crate::format) whole: Span,
    pub(in crate::format) attributes: Vec<Attribute>,
    pub(in crate::format) children: Vec<Element>,
    /// The text directly inside, in one piece.
    pub(in crate::format) text: String,
    /// The place of the first text that is not blank.
    pub(in crate::format) text_span: Option<Span>,
    /// The comments directly inside.
    pub(in crate::format) comments: Vec<Span>,
}

/// An attribute, its value unescaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::format) struct Attribute {
    pub(in crate::format) name: String,
    pub(in crate::format) value: String,
    pub(in crate::format) span: Span,
}

/// Why a text is not XML of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::format) struct XmlFault {
    pub(in crate::format) span: Span,
    pub(in crate::format) message: String,
    pub(in crate::format) hint: String,
}

impl Element {
    pub(in crate::format) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    pub(in crate::format) fn value(&self, name: &str) -> Option<&str> {
        self.attribute(name).map(|attribute| attribute.value.as_str())
    }

    pub(in crate::format) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The place of the text, or of the element without text.
    pub(in crate::format) fn text_place(&self) -> Span {
        self.text_span.unwrap_or(self.span)
    }
}

/// Reads the element that `zone` of `text` holds.
pub(in crate::format) fn parse(text: &str, zone: Span) -> Result<Element, XmlFault> {
    let source = zone.of(text);
    let mut reader = Reader::from_str(source);
    reader.config_mut().check_comments = true;
    let mut tree = Tree { base: zone.start, elements: 0, open: Vec::new(), root: None };
    loop {
        let start = offset(reader.buffer_position());
        let event = reader.read_event();
        let span = Span::new(zone.start + start, zone.start + offset(reader.buffer_position()));
        match event {
            Ok(Event::Eof) => return tree.finish(zone),
            Ok(event) => tree.take(event, span)?,
            Err(error) => {
                let at = zone.start + offset(reader.error_position());
                return Err(tree.explain(&error, at, text));
            }
        }
    }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

struct Tree {
    base: usize,
    elements: usize,
    open: Vec<Element>,
    root: Option<Element>,
}

impl Tree {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), XmlFault> {
        match event {
            Event::Start(tag) => self.start(&tag, span),
            Event::Empty(tag) => {
                self.start(&tag, span)?;
                self.end(span)
            }
            Event::End(_) => self.end(span),
            Event::Text(text) => self.text(&text, span),
            Event::CData(text) => self.text(&text, span),
            Event::GeneralRef(name) => {
                let value = entity(&name).ok_or_else(|| unknown_entity(&name, span))?;
                self.text(value.encode_utf8(&mut [0; 4]), span)
            }
            Event::Comment(_) => {
                self.open.last_mut().into_iter().for_each(|element| element.comments.push(span));
                Ok(())
            }
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) => Err(fault(
                span,
                "declarations, processing instructions and document types are not allowed here",
                "remove it: the block starts with `<directive`",
            )),
            Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, span: Span) -> Result<(), XmlFault> {
        if self.open.len() == MOST_NESTING {
            return Err(fault(span, "elements are nested more than 64 deep", "flatten the block"));
        }
        self.elements += 1;
        if self.elements > MOST_ELEMENTS {
            let message = format!("the block has more than {MOST_ELEMENTS} elements");
            return Err(fault(span, message, "split the directive, or use patterns"));
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(fault(span, "a second element follows the first", "keep one `<directive>` element"));
        }
        let name = tag.name().as_ref().to_owned();
        if !name.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            let sign = Span::new(span.start, span.start + 1);
            return Err(fault(sign, "`<` starts no element here", "write `&lt;` for a less-than sign"));
        }
        let attributes = attributes(tag, span)?;
        self.open.push(Element {
            name,
            span,
            whole: span,
            attributes,
            children: Vec::new(),
            text: String::new(),
            text_span: None,
            comments: Vec::new(),
        });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), XmlFault> {
        let Some(mut element) = self.open.pop() else {
            return Err(fault(span, "an end tag closes nothing", "remove it"));
        };
        element.whole.end = span.end;
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.root = Some(element),
        }
        Ok(())
    }

    fn text(&mut self, text: &str, span: Span) -> Result<(), XmlFault> {
        let blank = text.trim().is_empty();
        if let Some(bad) = text.chars().find(|found| found.is_control() && !matches!(found, '\t' | '\n' | '\r')) {
            let message = format!("the text contains the control character U+{:04X}", u32::from(bad));
            return Err(fault(span, message, "remove the control character"));
        }
        match self.open.last_mut() {
            Some(element) => {
                if !blank && element.text_span.is_none() {
                    element.text_span = Some(trimmed(text, span));
                }
                element.text.push_str(text);
                Ok(())
            }
            None if blank => Ok(()),
            None => Err(fault(trimmed(text, span), "text is outside of the element", "move it out of the block")),
        }
    }

    fn finish(mut self, zone: Span) -> Result<Element, XmlFault> {
        if let Some(open) = self.open.pop() {
            let message =
                format!("`<{}>` is never closed: expected `</{}>` before the block ends", open.name, open.name);
            return Err(fault(open.span, message, "add the end tag"));
        }
        self.root.ok_or_else(|| fault(zone, "the block contains no element", "write a `<directive>` element into it"))
    }

    /// Puts a fault of the reader into words, at the place of the markup that is wrong.
    fn explain(&self, error: &Error, at: usize, text: &str) -> XmlFault {
        let end = text[floor(text, at)..].find(['>', '\n']).map_or(text.len(), |length| at + length + 1);
        let span = Span::new(at.max(self.base), end);
        match error {
            Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                let opened = self.open.last().map_or_else(String::new, |open| {
                    format!(
                        ", because `<{}>` was opened on line {}",
                        open.name,
                        crate::format::Position::of(text, open.span.start).line
                    )
                });
                let message = format!("expected `</{expected}>`, found `</{found}>`{opened}");
                fault(span, message, format!("write one name in both tags, or put `</{expected}>` before this one"))
            }
            Error::IllFormed(IllFormedError::UnclosedReference) => fault(
                span,
                "`&` starts an entity that is not closed: expected `&amp;`, `&lt;`, `&gt;`, `&quot;` or `&apos;`",
                "write `&amp;` for an ampersand",
            ),
            Error::IllFormed(other) => fault(span, format!("the xml is not well-formed: {other}"), "mend the tag"),
            Error::Syntax(other) => fault(span, format!("the xml is not well-formed: {other}"), "mend the tag"),
            other => fault(span, format!("the xml cannot be read: {other}"), "mend the tag"),
        }
    }
}

fn floor(text: &str, at: usize) -> usize {
    if text.is_char_boundary(at) { at.min(text.len()) } else { text.len() }
}

fn attributes(tag: &BytesStart<'_>, span: Span) -> Result<Vec<Attribute>, XmlFault> {
    let mut list = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| attribute_fault(&error, span))?;
        if list.len() == MOST_ATTRIBUTES {
            return Err(fault(span, "an element has more than 32 attributes", "remove unneeded ones"));
        }
        if attribute.value.len() > MOST_ATTRIBUTE_BYTES {
            return Err(fault(span, "an attribute is longer than 8 KiB", "move the text into an element"));
        }
        let name = attribute.key.as_ref();
        let place = name_place(tag, name, span);
        let value = unescape(&attribute.value, place)?;
        list.push(Attribute { name: name.to_owned(), value, span: place });
    }
    Ok(list)
}

/// Finds the place of an attribute's name in the file: it is a part of the tag's own text, after its `<`.
fn name_place(tag: &BytesStart<'_>, name: &str, span: Span) -> Span {
    let inside = name.as_ptr().addr().saturating_sub(tag.as_ptr().addr());
    let start = (span.start + 1 + inside).min(span.end);
    Span::new(start, (start + name.len()).min(span.end))
}

fn attribute_fault(error: &AttrError, tag: Span) -> XmlFault {
    let (at, message, hint) = match error {
        AttrError::ExpectedEq(at) => (at, "an attribute has no `=` and value", "write `name=\"value\"`"),
        AttrError::ExpectedValue(at) => (at, "an attribute has no value", "write `name=\"value\"`"),
        AttrError::UnquotedValue(at) => (at, "an attribute's value is not quoted", "put the value in double quotes"),
        AttrError::ExpectedQuote(at, _) => (at, "an attribute's value has no closing quote", "close the quote"),
        AttrError::Duplicated(at, _) => (at, "an attribute appears twice in one element", "keep one of them"),
    };
    // Positions of the reader count from the tag's name, one byte after its `<`.
    let start = (tag.start + 1 + at).min(tag.end.saturating_sub(1));
    fault(Span::new(start, start + 1), message, hint)
}

/// Replaces the five entities; anything else after an ampersand is refused.
fn unescape(raw: &str, span: Span) -> Result<String, XmlFault> {
    if raw.contains('<') {
        return Err(fault(
            span,
            "`<` is not allowed in an attribute's value",
            "write `&lt;`, or close the quote before it",
        ));
    }
    let mut parts = raw.split('&');
    let mut value = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').unwrap_or((part, ""));
        value.push(entity(name).ok_or_else(|| unknown_entity(name, span))?);
        value.push_str(rest);
    }
    Ok(value)
}

/// Returns the character of one of the five entities.
pub(in crate::format) fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

fn unknown_entity(name: &str, span: Span) -> XmlFault {
    let shown: String = name.chars().take(30).collect();
    let message =
        format!("`&{shown};` is not an entity: only `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&apos;` are known");
    fault(span, message, "write the character itself, or `&amp;` for an ampersand")
}

/// Narrows a span to its text without the blanks around it.
fn trimmed(text: &str, span: Span) -> Span {
    let lead = text.len() - text.trim_start().len();
    Span::new(span.start + lead, span.start + lead + text.trim().len())
}

fn fault(span: Span, message: impl Into<String>, hint: impl Into<String>) -> XmlFault {
    XmlFault { span, message: message.into(), hint: hint.into() }
}
