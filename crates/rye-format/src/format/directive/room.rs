//! The room for a text that is filled in: one bound for everything that a directive comes to, checked while it grows.

use std::cell::Cell;

use thiserror::Error;

/// The most that texts with filled in values come to, in bytes, all texts of one directive together.
pub const MOST_FILLED: usize = 4 * 1024 * 1024;

/// There is no room left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("with its values filled in, the text is longer than {MOST_FILLED} bytes")]
pub struct TooLong;

/// Room for text.
#[derive(Debug)]
pub struct Room {
    left: Cell<usize>,
}

impl Room {
    /// Makes room for [`MOST_FILLED`] bytes.
    #[must_use]
    pub const fn new() -> Self {
        Self { left: Cell::new(MOST_FILLED) }
    }

    /// Appends `more` to `text`.
    ///
    /// # Errors
    ///
    /// Fails when there is no room for all of it. From then on nothing fits.
    pub fn push(&self, text: &mut String, more: &str) -> Result<(), TooLong> {
        self.take(more.len())?;
        text.push_str(more);
        Ok(())
    }

    /// Takes room for `bytes`.
    ///
    /// # Errors
    ///
    /// As [`Room::push`].
    pub fn take(&self, bytes: usize) -> Result<(), TooLong> {
        let left = self.left.replace(0).checked_sub(bytes).ok_or(TooLong)?;
        self.left.set(left);
        Ok(())
    }
}

impl Default for Room {
    fn default() -> Self {
        Self::new()
    }
}
