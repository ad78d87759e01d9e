//! Installed hooks.

use super::{Cell, Page, Table};
use crate::ops::hook::{Outcome, Status};

/// Writes one row per hook.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    let mut table = Table::new(vec!["STATUS", "HOOK", "PATH", "FORMER HOOK"]).with_whole_last();
    for hook in &outcome.hooks {
        let status = match hook.status {
            Status::Installed => Cell::with("installed", |paint, text| paint.green(text)),
            Status::Unchanged => Cell::dim("unchanged"),
            Status::Removed => Cell::with("removed", |paint, text| paint.green(text)),
            Status::Restored => Cell::with("restored", |paint, text| paint.green(text)),
            Status::Absent => Cell::dim("absent"),
        };
        let kept = hook.kept.as_ref().map_or(String::new(), |kept| page.path(kept));
        table.row(vec![status, Cell::new(hook.name), Cell::dim(page.path(&hook.path)), Cell::dim(kept)]);
    }
    page.table(&table);
}
