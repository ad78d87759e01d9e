//! Keys, and whom the person trusts.

use super::{Cell, Page, Table};
use crate::keys::KeyInfo;
use crate::ops::trust::Outcome;

/// Writes keys.
pub(in crate::cli) fn write(page: &mut Page<'_>, keys: &[KeyInfo]) {
    let mut table = Table::new(vec!["NAME", "KEY ID", "FINGERPRINT", "HELD BY", "FILE"]);
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

/// Writes decisions.
pub(in crate::cli) fn write_trusted(page: &mut Page<'_>, outcome: &Outcome) {
    let mut table = Table::new(vec!["PRINCIPAL", "KEY ID", "FINGERPRINT", "REACH", "WRITTEN IN"]);
    for key in &outcome.keys {
        table.row(vec![
            Cell::with(&key.principal, |paint, text| paint.bold(text)),
            Cell::new(&key.key_id),
            Cell::dim(&key.fingerprint),
            Cell::new(&key.reach),
            Cell::dim(page.path(&key.origin)),
        ]);
    }
    page.table(&table);
}
