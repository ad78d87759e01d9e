//! The door to text diffs.

use std::ops::Range;
use std::time::Duration;

use similar::{Algorithm, ChangeTag, TextDiff, capture_diff_slices};

/// How long lines are compared before the rest counts as changed.
const PATIENCE: Duration = Duration::from_millis(500);

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
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::configure().algorithm(Algorithm::Histogram).newline_terminated(true).diff_slices(&old, &new);
    diff.unified_diff().context_radius(CONTEXT).header(old_name, new_name).to_string()
}

/// Returns the hunks of a unified diff, without a header, for people to read: of texts that differ in every other line it
/// says less exactly where.
#[must_use]
pub fn bounded_diff(old: &str, new: &str) -> String {
    let (old, new) = (lines(old), lines(new));
    bounded(&old, &new).unified_diff().context_radius(CONTEXT).to_string()
}

/// Compares lines for a bounded time.
fn bounded<'t>(old: &[&'t str], new: &[&'t str]) -> TextDiff<'t, 't, str> {
    TextDiff::configure()
        .algorithm(Algorithm::Histogram)
        .timeout(PATIENCE)
        .newline_terminated(true)
        .diff_slices(old, new)
}

/// The lines of a text as git has them: a lone CR ends none.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Counts the lines that the new text has added and that the old one has lost.
#[must_use]
pub fn changed_lines(old: &str, new: &str) -> (usize, usize) {
    let (old, new) = (lines(old), lines(new));
    let diff = bounded(&old, &new);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    (count(ChangeTag::Insert), count(ChangeTag::Delete))
}

/// Aligns two sequences: ranges of both in order, with the same members or with different ones.
#[must_use]
pub fn aligned<T: Ord + std::hash::Hash>(old: &[T], new: &[T]) -> Vec<(Range<usize>, Range<usize>)> {
    let operations = capture_diff_slices(Algorithm::Myers, old, new);
    operations.into_iter().map(|operation| (operation.old_range(), operation.new_range())).collect()
}
