//! Calls that are withheld because they hold a mark in the place of a secret.

use super::call_result::{Answered, coded};
use super::performer::{Performer, is_builtin};
use crate::action::Permitted;

/// How much of a file is read to see what of it a call keeps, in bytes.
const MAX_EXISTING: u64 = 8 * 1024 * 1024;

impl Performer<'_> {
    /// Lets a call through that holds no mark; else returns what the model gets to see.
    pub(in crate::thread) fn let_through(&self, call_id: &str, permitted: Permitted) -> Result<Permitted, Answered> {
        let is_builtin = is_builtin(self.session, permitted.action());
        let existing = |permitted: &Permitted| self.text_at(permitted);
        let withheld = self.guard.let_through(call_id, permitted, is_builtin, existing);
        withheld.map_err(|withheld| coded("redacted", &withheld))
    }

    /// Reads the file that a call touches; empty if missing.
    fn text_at(&self, permitted: &Permitted) -> String {
        let Some(touch) = permitted.touches().first() else { return String::new() };
        let read = self.project().read(&touch.path, MAX_EXISTING);
        read.map(|content| String::from_utf8_lossy(&content.bytes).into_owned()).unwrap_or_default()
    }
}
