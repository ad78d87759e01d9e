//! What moves with an item, and what changes for it.

use super::Page;
use crate::ops::mv::{Outcome, Status};

/// Writes one line per file.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    let (verb, change) = match outcome.status {
        Status::Moved => ("Moved", "Changed"),
        Status::DryRun => ("Would move", "Would change"),
    };
    let signed = |is_signed: bool| if is_signed { "signed by you" } else { "not signed" };
    let Outcome { path, new_path, .. } = outcome;
    page.line(format!("{verb} {} -> {} ({})", page.path(path), page.path(new_path), signed(outcome.signed)));
    for companion in &outcome.companions {
        let verb = match (companion.stays, outcome.status) {
            (false, _) => verb,
            (true, Status::Moved) => "Copied",
            (true, Status::DryRun) => "Would copy",
        };
        page.line(format!("{verb} {} -> {} (companion)", companion.path, companion.new_path));
    }
    for changed in &outcome.references {
        let (path, lines) = (page.path(&changed.path), lines(&changed.lines));
        page.line(format!("{change} {path}, {lines} ({})", signed(changed.signed)));
    }
}

/// Names lines of a file.
pub(in crate::cli) fn lines(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().map(ToString::to_string).collect();
    format!("line{} {}", if lines.len() == 1 { "" } else { "s" }, shown.join(", "))
}
