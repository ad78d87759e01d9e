//! From a file's bytes to an item, with every finding in one pass.

use super::hidden::hidden;
use super::rules;
use super::span::Findings;
use super::{Anchors, Finding, Position, Span, directive, knowledge, skill, tool};
use crate::id::{Extension, ItemType};
use crate::item::{Item, SkillManifest};

/// The largest file that is read, in bytes.
pub const MOST_BYTES: usize = 1024 * 1024;

/// An item as far as it could be read, and the findings.
///
/// With findings of severity error, the item may be present: then it is only for showing. Usable items come from
/// [`accept`](super::accept).
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The item, when its text says enough to make one.
    pub item: Option<Item>,
    /// The findings, in the order of the text.
    pub findings: Vec<Finding>,
    pub(super) anchors: Anchors,
}

/// Reads an item from the bytes of its file, signature line included.
#[must_use]
pub fn parse_bytes(item_type: ItemType, extension: &Extension, bytes: &[u8]) -> Parsed {
    if bytes.len() > MOST_BYTES {
        return refused(too_large(bytes.len()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(item_type, extension, text),
        Err(error) => refused(not_utf8(bytes, error.valid_up_to())),
    }
}

/// Reads the manifest of a skill from the bytes of its file, signature line included; `None` if it holds none.
#[must_use]
pub fn skill_manifest(bytes: &[u8]) -> Option<SkillManifest> {
    match parse_bytes(ItemType::Skill, &Extension::MANIFEST, bytes).item {
        Some(Item::Skill(manifest)) => Some(*manifest),
        _ => None,
    }
}

/// Reads an item from its text, signature line included.
#[must_use]
pub fn parse(item_type: ItemType, extension: &Extension, text: &str) -> Parsed {
    if text.len() > MOST_BYTES {
        return refused(too_large(text.len()));
    }
    if !extension.suits(item_type) {
        let message = format!("a {item_type} cannot have the extension `.{extension}`");
        let hint = "directives are `.md`, knowledge is `.md` or `.yaml`, skills are `.sig`, tools are anything else";
        return refused(Finding::whole(&rules::WRONG_EXTENSION, message, hint));
    }
    let mut findings = Findings::about(text);
    check_characters(text, &mut findings);
    let (item, anchors) = match item_type {
        ItemType::Directive => directive::read(text, &mut findings),
        ItemType::Tool => tool::read(text, extension, &mut findings),
        ItemType::Knowledge => knowledge::read(text, extension, &mut findings),
        ItemType::Skill => skill::read(text, &mut findings),
    };
    Parsed { item, findings: findings.into_list(), anchors }
}

fn refused(finding: Finding) -> Parsed {
    Parsed { item: None, findings: vec![finding], anchors: Anchors::default() }
}

fn too_large(length: usize) -> Finding {
    let message = format!("the file has {length} bytes, more than the {MOST_BYTES} an item may have");
    Finding::whole(&rules::TOO_LARGE, message, "split it, or keep large data outside of items")
}

pub(super) fn not_utf8(bytes: &[u8], at: usize) -> Finding {
    let valid = bytes.get(..at).and_then(|valid| std::str::from_utf8(valid).ok()).unwrap_or("");
    let span = Span::new(at, at + 1);
    let message = format!("the file is not UTF-8: byte {at} starts no character");
    let hint = "save the file as UTF-8".to_owned();
    Finding::placed(&rules::NOT_UTF8, Some(span), Position::of(valid, at), message, hint)
}

pub(super) fn check_characters(text: &str, findings: &mut Findings<'_>) {
    if text.starts_with('\u{FEFF}') {
        let hint = "save the file as UTF-8 without BOM";
        findings.at(&rules::BYTE_ORDER_MARK, Span::new(0, 3), "the file starts with a byte order mark", hint);
    }
    if let Some(at) = text.find('\0') {
        findings.at(&rules::NUL, Span::new(at, at + 1), "the file contains a NUL", "remove it: items are text");
    }
    let mut found = hidden(text).filter(|(at, _)| *at > 0 || !text.starts_with('\u{FEFF}'));
    if let Some((at, character)) = found.next() {
        let more = found.count();
        let others = if more == 0 { String::new() } else { format!(", and {more} more") };
        let message = format!("an invisible character: `{}`{others}", character.escape_unicode());
        let hint = "remove it, or review what it changes: a reader and a model see different texts";
        findings.at(&rules::HIDDEN, Span::new(at, at + character.len_utf8()), message, hint);
    }
}
