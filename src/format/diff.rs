//! The door to text diffs.

use similar::{Algorithm, TextDiff};

/// Lines of context around a change, as git has them.
const CONTEXT: usize = 3;

/// Returns what changes between two texts, as a unified diff; empty when they are the same.
///
/// `git apply` and `patch -p1` take it when the names are paths with `a/` and `b/` before them.
#[must_use]
pub fn unified_diff(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let diff = TextDiff::configure().algorithm(Algorithm::Histogram).diff_lines(old, new);
    diff.unified_diff().context_radius(CONTEXT).header(old_name, new_name).to_string()
}
