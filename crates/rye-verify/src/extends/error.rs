//! Why a chain cannot be used.

use thiserror::Error;

use super::super::locate::LocateError;
use super::unmet::Unmet;
use crate::format::template::MOST_FILLED;
use crate::id::ItemId;

/// The most directives a chain may have.
pub(super) const MOST_LINKS: usize = 16;

/// Why a chain cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The directives extend each other.
    #[error("the directives extend each other in a circle: {}", arrows(path))]
    Circle {
        /// The directives from the leaf to the one that was there before.
        path: Vec<ItemId>,
    },
    /// The chain is too long.
    #[error("the chain of directives is longer than {MOST_LINKS}: {}", arrows(path))]
    TooLong {
        /// The directives from the leaf on.
        path: Vec<ItemId>,
    },
    /// The directive itself cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The item is of another type.
    #[error("only a directive can extend and be extended")]
    NotADirective,
    /// Something a directive names cannot be used.
    #[error("`{name}`, which directive `{item_id}` names in `{element}`, cannot be used")]
    Part {
        item_id: ItemId,
        /// The attribute or element that names it.
        element: &'static str,
        /// What it names.
        name: ItemId,
        #[source]
        source: Box<LocateError>,
    },
    /// A bare name fits several items.
    #[error("`{name}`, which directive `{item_id}` names in `{element}`, fits several items: {}", listed(ids))]
    Ambiguous {
        item_id: ItemId,
        /// The element that names it.
        element: &'static str,
        name: ItemId,
        ids: Vec<ItemId>,
    },
    /// The knowledge that comes with it is too long.
    #[error("the context of directive `{item_id}` is longer than {MOST_FILLED} bytes in all")]
    ContextTooLong { item_id: ItemId },
    /// A word that a directive requires is not offered here.
    #[error(transparent)]
    Unmet(#[from] Unmet),
    /// Two directives of one thread exclude each other.
    #[error("directive `{one}` conflicts with `{other}`, and both are loaded in one thread")]
    Conflict {
        /// The directive that says so.
        one: ItemId,
        other: ItemId,
    },
}

/// Says that what a directive names cannot be used.
pub(super) fn part(by: &ItemId, element: &'static str, name: &ItemId, source: LocateError) -> Error {
    Error::Part { item_id: by.clone(), element, name: name.clone(), source: Box::new(source) }
}

fn arrows(path: &[ItemId]) -> String {
    path.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" → ")
}

fn listed(ids: &[ItemId]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}
