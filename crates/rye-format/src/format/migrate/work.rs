//! A text being rewritten: the changes, the unchanged forms and why, and the place of each in the file.

use std::cell::OnceCell;
use std::rc::Rc;

use serde::Serialize;

use super::edits::{Edits, Trace};
use crate::format::directive::pure_xml;
use crate::format::syntax::xml::{self, Element, XmlFault};
use crate::format::syntax::{fence, prose};
use crate::format::{Position, Span};
use crate::trust::Split;

/// The most remarks kept about one file.
const MOST: usize = 100;
/// How many characters of a form a remark shows.
const SHOWN: usize = 120;

/// Something in a file that a person has to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// The line, from 1, in the file as it was.
    pub line: usize,
    /// Whether a legacy form stays as it is.
    pub stays: bool,
    /// What it is, and why.
    pub message: String,
}

#[derive(Debug, Clone)]
pub(super) struct Work<'f> {
    /// The text as it is so far, without its signature line.
    pub(super) text: String,
    pub(super) changes: Vec<String>,
    remarks: Vec<Remark>,
    /// The file as it was.
    file: &'f str,
    /// The ways back from the text to the file, the last one first to be gone.
    traces: Vec<Trace>,
    block: OnceCell<Result<Option<Rc<Block>>, XmlFault>>,
}

/// The element of a directive in a text.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) root: Element,
    /// The fence around it; `None` without one.
    pub(super) fence: Option<Span>,
}

impl<'f> Work<'f> {
    /// Begins with a file that has a place for a signature line.
    pub(super) fn of_item(file: &'f str, parts: &Split<'_>) -> Self {
        let line = Span::new(parts.before.len(), file.len() - parts.after.len());
        let text = String::from_utf8_lossy(&parts.body()).into_owned();
        Self { text, traces: vec![Trace::of_removal(line)], ..Self::of(file) }
    }

    pub(super) fn of(file: &'f str) -> Self {
        let (changes, remarks, traces) = (Vec::new(), Vec::new(), Vec::new());
        Self { text: file.to_owned(), changes, remarks, file, traces, block: OnceCell::new() }
    }

    /// Makes edits, and tells of them.
    pub(super) fn apply(&mut self, edits: Edits, change: impl Into<String>) {
        if let Some((text, trace)) = edits.apply(&self.text) {
            self.text = text;
            self.block = OnceCell::new();
            self.traces.push(trace);
            let change = change.into();
            if !self.changes.contains(&change) {
                self.changes.push(change);
            }
        }
    }

    /// Returns the element of the directive; `None` if it is missing or unreadable.
    pub(super) fn block(&self) -> Option<Rc<Block>> {
        self.read_block().as_ref().ok().and_then(Clone::clone)
    }

    /// Returns why the element of the directive cannot be read.
    pub(super) fn fault(&self) -> Option<&XmlFault> {
        self.read_block().as_ref().err()
    }

    fn read_block(&self) -> &Result<Option<Rc<Block>>, XmlFault> {
        self.block.get_or_init(|| {
            let Some((zone, fence)) = zone(&self.text) else { return Ok(None) };
            xml::parse(&self.text, zone).map(|root| Some(Rc::new(Block { root, fence })))
        })
    }

    /// Tells of a legacy form that stays as it is.
    pub(super) fn stays(&mut self, at: usize, message: impl Into<String>) {
        self.remark(at, true, message.into());
    }

    /// Tells of something else to look at.
    pub(super) fn look(&mut self, at: usize, message: impl Into<String>) {
        self.remark(at, false, message.into());
    }

    fn remark(&mut self, at: usize, stays: bool, message: String) {
        if self.remarks.len() > MOST {
            return;
        }
        let (line, message) = match self.remarks.len() {
            MOST => (1, format!("there are more than {MOST} places to look at; the rest is not listed")),
            _ => (self.line(at), message),
        };
        let remark = Remark { line, stays, message };
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Returns the line of the file for the byte at `at` of the text.
    fn line(&self, at: usize) -> usize {
        let origin = self.traces.iter().rev().fold(at, |at, trace| trace.origin(at));
        Position::of(self.file, origin).line
    }

    /// Forgets what stays: another look may find less.
    pub(super) fn look_again(&mut self) {
        self.remarks.retain(|remark| !remark.stays);
    }

    /// Returns the text, the changes, and the remarks in the order of the file; the file itself if nothing was.
    pub(super) fn finish(self) -> (String, Vec<String>, Vec<Remark>) {
        let Self { text, changes, mut remarks, file, .. } = self;
        remarks.sort_by_key(|remark| remark.line);
        (if changes.is_empty() { file.to_owned() } else { text }, changes, remarks)
    }
}

/// Finds the element of a directive, bare or in its fence.
fn zone(text: &str) -> Option<(Span, Option<Span>)> {
    let outline = fence::outline(text);
    if let Some(fence) = outline.fences.iter().find(|fence| holds_directive(fence, text)) {
        return fence.closed.then_some((fence.content, Some(fence.block)));
    }
    // An element in a block of another kind is an example.
    let shows = |at: usize| outline.fences.iter().any(|fence| (fence.block.start..fence.block.end).contains(&at));
    pure_xml::bare(text).filter(|bare| !shows(bare.start)).map(|bare| (bare, None))
}

/// Tells whether a fence is the one of a directive.
pub(super) fn holds_directive(fence: &fence::Fence, text: &str) -> bool {
    fence.language == "xml" && fence.content.of(text).contains("<directive")
}

/// Returns a part of a file in the form for a sentence.
pub(super) fn shown(part: &str) -> String {
    let line = prose::one_line(part);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
