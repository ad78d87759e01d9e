//! The person's and the agent's keys.

use super::{Cell, Page, Table};
use crate::keys::KeyInfo;

/// Writes keys.
pub(in crate::cli) fn write(page: &mut Page<'_>, keys: &[KeyInfo]) {
    let mut table = Table::new(vec!["NAME", "KEY ID", "FINGERPRINT", "HELD BY", "FILE"]).with_whole_last();
    for key in keys {
        table.row(vec![
            Cell::with(key.name, |paint, text| paint.bold(text)),
            Cell::new(&key.key_id),
            Cell::dim(&key.fingerprint),
            Cell::new(key.held.as_str()),
            Cell::dim(page.path(&key.path)),
        ]);
    }
    page.table(&table);
}
