//! A thread's id: `<directive name>-<yyyymmdd-hhmmss>-<base32 random>`.
//!
//! It is one segment of a ref and of a path, at most 100 bytes, and unique by the creation of its ref.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Timestamp;

const MAX_BYTES: usize = 100;
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The id of a thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(String);

/// A text that is not a thread id.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` is not a thread id: letters, digits, `_` and `-`, at most 100 bytes, starting with a letter or digit"
)]
pub struct ThreadIdError {
    /// The text as given.
    pub text: String,
}

impl ThreadId {
    /// Makes an id from the directive's name, the start and five random bytes.
    #[must_use]
    pub fn new(directive_name: &str, start: Timestamp, random: [u8; 5]) -> Self {
        let tail = format!("-{}-{}", start.to_compact_text(), base32(random));
        let name: String = directive_name.chars().take(MAX_BYTES - tail.len()).collect();
        Self(format!("{name}{tail}"))
    }

    /// Returns when the thread began, as its id says.
    #[must_use]
    pub fn started_at(&self) -> Option<Timestamp> {
        let mut parts = self.0.rsplit('-').skip(1);
        let (time, day) = (parts.next()?, parts.next()?);
        let of = |text: &'_ str, range: std::ops::Range<usize>| text.get(range).map(str::to_owned);
        let day = [of(day, 0..4)?, of(day, 4..6)?, of(day, 6..8)?].join("-");
        let time = [of(time, 0..2)?, of(time, 2..4)?, of(time, 4..6)?].join(":");
        format!("{day}T{time}Z").parse().ok()
    }

    /// Returns what the full names of all threads' branches start with, ending in `/`; an id follows.
    #[must_use]
    pub fn branches(prefix: &str) -> String {
        format!("refs/heads/{prefix}/threads/")
    }

    /// Returns the folder of this thread in the trees of its branch, without a final `/`.
    #[must_use]
    pub fn folder(&self) -> String {
        format!(".ai/threads/{self}")
    }

    /// Returns the id as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for ThreadId {
    type Err = ThreadIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let first = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        let rest = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        if first && rest && text.len() <= MAX_BYTES {
            Ok(Self(text.to_owned()))
        } else {
            Err(ThreadIdError { text: text.to_owned() })
        }
    }
}

super::serde_as_text!(ThreadId);

/// Writes 40 bits as eight characters.
fn base32(bytes: [u8; 5]) -> String {
    let bits = bytes.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    (0..8).rev().map(|place| char::from(BASE32[(bits >> (place * 5) & 31) as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_bounded_and_read_back() {
        let start = Timestamp::from_milliseconds(1_773_711_668_000);
        let id = ThreadId::new("first_thread", start, [0, 1, 2, 3, 255]);
        assert_eq!(id.as_str(), "first_thread-20260317-014108-aaaqea77");
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        assert_eq!(id.started_at(), Some(start));
        assert_eq!("made-by-hand".parse::<ThreadId>().ok().and_then(|id| id.started_at()), None);
        assert_eq!(ThreadId::new(&"x".repeat(300), start, [9; 5]).as_str().len(), 100);
    }
}
