//! Migrations as text: a diff that `git apply` takes, or what became of each file.

use super::Page;
use crate::ops::migrate::{Outcome, State};

/// Writes the diffs, or one line per file that changes.
pub(in crate::cli) fn write(page: &mut Page, outcome: &Outcome, diffs: bool) {
    for file in outcome.files.iter().filter(|file| file.state != State::Kept) {
        if diffs {
            page.foreign(&file.diff);
            continue;
        }
        let path = file.new_path.as_ref().map_or_else(|| file.path.clone(), |new| format!("{} -> {new}", file.path));
        let done = match file.state {
            State::Failed => "failed: ",
            State::Left => "not reached: ",
            State::Unmoved => "not moved yet: ",
            State::Kept | State::Pending | State::Changed => "",
        };
        page.line(format!("{path}: {done}{}", super::one_line(&file.changes.join("; "))));
    }
}
