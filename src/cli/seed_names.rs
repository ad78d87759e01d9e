//! Members of outcomes under the names that the seed documents give them, in addition to those of docs/formats.md.
//!
//! On the command line only: a model reads each of them once, since its context is dear.

use std::io;

use serde::Serialize;
use serde_json::Value;

use crate::ops::execute::Outcome;

/// Returns the executed item; `body` are the instructions of a directive.
pub(super) fn executed(outcome: &Outcome) -> io::Result<Value> {
    let mut value = serde_json::to_value(outcome)?;
    if let Outcome::Directive(directive) = outcome {
        value["body"] = directive.instructions.as_str().into();
    }
    Ok(value)
}

/// Returns the results; of a hit, `id` is its `item_id` and `preview` its `snippet`.
pub(super) fn found(outcome: &impl Serialize) -> io::Result<Value> {
    let mut value = serde_json::to_value(outcome)?;
    for hit in value["results"].as_array_mut().into_iter().flatten() {
        hit["id"] = hit["item_id"].clone();
        hit["preview"] = hit["snippet"].clone();
    }
    Ok(value)
}
