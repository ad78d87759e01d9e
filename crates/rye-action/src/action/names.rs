//! The names tools have for a model: flat, and never shared by two tools (hole 12 of the threat model).

use std::collections::BTreeMap;

use rye_plugin_abi::provider::ToolSpec;
use serde_json::Value;

use crate::capability::Primary;
use crate::id::ItemId;
use crate::trust::ContentHash;

/// The name of the call that ends a directive.
pub const RETURN: &str = "directive_return";

/// The name of the call by which a model says that its work leaves the declared way.
pub const DEVIATION: &str = "rye_deviation";

/// The name of the call by which a model reads a part of an earlier result that it saw abridged.
pub const RECALL: &str = "rye_read_result";

/// The longest tool name that the wire families take.
const MAX_NAME: usize = 64;

/// Gives each id a name of `[A-Za-z0-9_-]`, at most 64 long; a collision or overflow gets a digest of the id.
#[must_use]
pub fn flat_names<'a>(ids: impl Iterator<Item = &'a ItemId> + Clone) -> BTreeMap<String, ItemId> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for id in ids.clone() {
        *counts.entry(plain_name(id)).or_default() += 1;
    }
    let clear = |name: &str| name.len() <= MAX_NAME && counts.get(name) == Some(&1) && !is_reserved(name);
    let (plain, other): (Vec<&ItemId>, Vec<&ItemId>) = ids.partition(|id| clear(&plain_name(id)));
    let mut names: BTreeMap<String, ItemId> = plain.into_iter().map(|id| (plain_name(id), id.clone())).collect();
    for id in other {
        // A longer digest each time: an id made to look like another's digested name gets out of its way.
        let free = (8..).step_by(8).map(|digits| digested(id, digits)).find(|name| !names.contains_key(name));
        names.extend(free.map(|name| (name, id.clone())));
    }
    names
}

/// Tells whether a model means a tool that it was not offered: by the name that the tool would have, or by its id.
pub(super) fn is_name_of(name: &str, id: &ItemId) -> bool {
    name == plain_name(id) || name == digested(id, 8) || name == id.as_str() || name == id.dotted()
}

/// Says that a call has an argument that does not exist, and which ones exist.
pub(super) fn unknown_argument(name: &str, known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    format!("unknown argument `{name}` (expected {})", known.join(", "))
}

fn plain_name(id: &ItemId) -> String {
    id.as_str().replace(['/', '-'], "_")
}

fn is_reserved(name: &str) -> bool {
    [RETURN, DEVIATION, RECALL].contains(&name)
        || name.strip_prefix("rye_").is_some_and(|word| word.parse::<Primary>().is_ok())
}

fn digested(id: &ItemId, digits: usize) -> String {
    let digest = ContentHash::of(id.as_str().as_bytes()).to_string();
    let digits = digits.min(MAX_NAME - 8);
    let kept: String = plain_name(id).chars().take(MAX_NAME - digits - 1).collect();
    format!("{kept}_{}", &digest[..digits])
}

/// Describes one tool for a model.
pub(super) fn spec(name: &str, description: &str, input_schema: Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), input_schema }
}
