//! The places of an item's parts that are later compared with its id.

use super::{Position, Span};

/// The places of the parts that are later compared with the item's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchors {
    pub(super) item: Place,
    pub(super) name: Place,
    pub(super) category: Place,
    /// The first call that the process of a directive writes out in its text.
    pub(super) call: Option<Place>,
}

/// A span with its line and column, for when the text is no longer at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) span: Option<Span>,
    pub(super) position: Position,
}

impl Default for Anchors {
    fn default() -> Self {
        let start = Place { span: None, position: Position::START };
        Self { item: start, name: start, category: start, call: None }
    }
}

impl Anchors {
    pub(super) fn new(text: &str, item: Span, name: Span, category: Span) -> Self {
        let place = |span: Span| Place { span: Some(span), position: Position::of(text, span.start) };
        Self { item: place(item), name: place(name), category: place(category), call: None }
    }

    /// Adds where a call is written out.
    pub(super) fn with_call(self, text: &str, call: Option<Span>) -> Self {
        let call = call.map(|span| Place { span: Some(span), position: Position::of(text, span.start) });
        Self { call, ..self }
    }
}
