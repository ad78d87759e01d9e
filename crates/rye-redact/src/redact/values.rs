//! The secrets of this installation: their names and values.

use std::fmt;

use zeroize::Zeroizing;

/// A secret of this installation: its name, which is not secret, and its value.
pub struct Secret {
    name: String,
    value: Zeroizing<String>,
}

impl Secret {
    /// Takes a copy of a value, which is overwritten when it is dropped.
    #[must_use]
    pub fn new(name: String, value: &str) -> Self {
        Self { name, value: Zeroizing::new(value.to_owned()) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn value(&self) -> &str {
        &self.value
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("name", &self.name).finish_non_exhaustive()
    }
}
