//! The fields that items and turns are searched by, and what each weighs.
//!
//! A change of them needs a new `FORMAT` in `place.rs` of `rye-index`.

use std::sync::LazyLock;

use crate::id::{ItemType, Space};
use crate::index::{Field, Kind, Schema, Weight};
use crate::trust::Verdict;

/// The fields of the language of docs/search.md.
pub static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let mut types = ItemType::ALL.map(ItemType::as_str).to_vec();
    types.push(THREAD);
    let mut fields = said();
    fields.extend([
        whole("type", Kind::Value(types)),
        whole("space", Kind::Value(Space::ALL.map(Space::as_str).to_vec())),
        whole("key", Kind::Value(Vec::new())),
        whole("verdict", Kind::Asked(Verdict::OF_ITEMS.map(Verdict::as_str).to_vec())),
    ]);
    Schema::new(fields)
});

/// The fields of items in registries.
pub static REGISTRY_SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let mut fields = said();
    fields.extend([
        whole("type", Kind::Value(ItemType::ALL.map(ItemType::as_str).to_vec())),
        whole("registry", Kind::Value(Vec::new())),
        whole("namespace", Kind::Value(Vec::new())),
        whole("version", Kind::Value(Vec::new())),
        whole("key", Kind::Value(Vec::new())),
    ]);
    Schema::new(fields)
});

/// What items say.
fn said() -> Vec<Field> {
    vec![
        text("title", None, 4.0, 0.3, 6.0),
        text("name", None, 2.5, 0.3, 4.0),
        text("id", None, 2.5, 0.3, 4.0),
        text("tag", Some("tags"), 2.0, 0.3, 4.0),
        text("description", None, 2.5, 0.5, 20.0),
        text("category", None, 1.0, 0.3, 2.0),
        text("input", Some("inputs"), 0.7, 0.5, 10.0),
        text("author", None, 0.7, 0.3, 2.0),
        text("body", None, 1.0, 0.5, 300.0),
    ]
}

/// The type of a turn.
pub(super) const THREAD: &str = "thread";

const fn text(name: &'static str, alias: Option<&'static str>, weight: f32, shortening: f32, length: f32) -> Field {
    Field { name, alias, kind: Kind::Text(Weight { weight, shortening, length }) }
}

const fn whole(name: &'static str, kind: Kind) -> Field {
    Field { name, alias: None, kind }
}
