//! A passphrase on its way from a terminal to a key: wiped from memory when dropped, and never shown.

use std::fmt;
use std::io;

use thiserror::Error;
use zeroize::{Zeroize, Zeroizing};

/// The most bytes a passphrase has, as in OpenSSH. The space is taken at once: growing would leave copies behind.
const LONGEST: usize = 1024;

/// What opens a protected key: any bytes, as they were typed.
pub struct Passphrase(Zeroizing<Vec<u8>>);

/// Why there is no passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum NoPassphrase {
    /// The program was not started on a terminal.
    #[error("no terminal to ask for it on")]
    Nobody,
    /// The person did not answer.
    #[error("it was asked for, and not given")]
    Cancelled,
    /// The terminal does not work.
    #[error("the terminal cannot be asked: {kind}")]
    Terminal { kind: io::ErrorKind },
}

impl Passphrase {
    /// Makes an empty one, to be typed.
    #[must_use]
    pub fn new() -> Self {
        Self(Zeroizing::new(Vec::with_capacity(LONGEST)))
    }

    /// Adds a typed byte; bytes beyond the longest passphrase are ignored.
    pub fn push(&mut self, byte: u8) {
        if self.0.len() < LONGEST {
            self.0.push(byte);
        }
    }

    /// Takes the last character back.
    pub fn erase(&mut self) {
        let is_middle = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
        while self.0.pop().as_ref().is_some_and(is_middle) {}
    }

    /// Takes everything back.
    pub fn clear(&mut self) {
        self.0.zeroize();
        self.0.reserve_exact(LONGEST);
    }

    /// Tells whether nothing was typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::trust) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Default for Passphrase {
    fn default() -> Self {
        Self::new()
    }
}

impl From<&str> for Passphrase {
    fn from(text: &str) -> Self {
        let mut passphrase = Self::new();
        text.bytes().for_each(|byte| passphrase.push(byte));
        passphrase
    }
}

impl PartialEq for Passphrase {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_can_be_taken_back_by_characters_and_is_never_shown() {
        let mut typed = Passphrase::from("aé€x");
        typed.erase();
        typed.erase();
        assert_eq!(typed, Passphrase::from("aé"));
        typed.erase();
        typed.erase();
        typed.erase();
        assert!(typed.is_empty());
        typed.push(b'!');
        assert_eq!(format!("{typed:?}"), "Passphrase(…)");
        typed.clear();
        assert_eq!(typed, Passphrase::new());
        assert_eq!(Passphrase::from("x".repeat(LONGEST + 1).as_str()).as_bytes().len(), LONGEST);
    }
}
