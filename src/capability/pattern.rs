//! A capability: a pattern over the names of calls.
//!
//! `*` matches any run of characters, dots included, and `?` exactly one: fnmatch as the seed documents use it.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Call, Primary};
use crate::id::{ItemType, glob};

/// A pattern such as `rye.execute.tool.rye.file-system.*`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability(String);

/// A text that is no capability.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is no capability: {reason}")]
pub struct CapabilityError {
    /// The text as given.
    pub text: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl Capability {
    /// Makes the capability that covers everything.
    #[must_use]
    pub fn everything() -> Self {
        Self("rye.*".to_owned())
    }

    /// Makes the capability for all items of any type under one primary action.
    #[must_use]
    pub fn all_of(primary: Primary) -> Self {
        Self(format!("rye.{primary}.*"))
    }

    /// Makes a capability from the text of a permission element; `/` and `.` mean the same in `specifics`.
    ///
    /// # Errors
    ///
    /// Fails when `specifics` is empty or holds a character that no id and no pattern has.
    pub fn of(primary: Primary, item_type: ItemType, specifics: &str) -> Result<Self, CapabilityError> {
        format!("rye.{primary}.{item_type}.{}", specifics.trim().replace('/', ".")).parse()
    }

    /// Returns the pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether this pattern covers `call`. `rye.search.<type>` is covered by `rye.search.<type>.*`.
    #[must_use]
    pub fn covers(&self, call: &Call) -> bool {
        let needed = call.needed();
        glob::matches(&self.0, &needed) || (call.item_id.is_none() && glob::matches(&self.0, &format!("{needed}.")))
    }

    /// Tells whether some call is covered both by this pattern and by `pattern`.
    #[must_use]
    pub fn overlaps(&self, pattern: &str) -> bool {
        glob::overlap(&self.0, pattern)
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for Capability {
    type Err = CapabilityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match fault(text) {
            None => Ok(Self(text.to_owned())),
            Some(reason) => Err(CapabilityError { text: text.to_owned(), reason }),
        }
    }
}

crate::id::serde_as_text!(Capability);

fn fault(text: &str) -> Option<&'static str> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'*' | b'?');
    if !text.starts_with("rye.") {
        Some("it must start with `rye.`")
    } else if text.len() > 300 {
        Some("it is longer than 300 bytes")
    } else if text.split('.').any(str::is_empty) {
        Some("it has an empty part")
    } else if !text.bytes().all(known) {
        Some("only letters, digits, `_`, `-`, `.`, `*` and `?` may stand in it")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn covers(pattern: &str, primary: Primary, id: Option<&str>) -> bool {
        let call = Call { primary, item_type: ItemType::Tool, item_id: id.map(|id| id.parse().unwrap()) };
        pattern.parse::<Capability>().unwrap().covers(&call)
    }

    #[test]
    fn stars_cross_dots_and_stop_at_nothing_else() {
        let read = Some("rye/file-system/read");
        assert!(covers("rye.execute.tool.rye.file-system.*", Primary::Execute, read));
        assert!(covers("rye.*", Primary::Execute, read));
        assert!(covers("rye.execute.*.read", Primary::Execute, read));
        assert!(covers("rye.execute.tool.rye.file-system.rea?", Primary::Execute, read));
        assert!(!covers("rye.load.tool.*", Primary::Execute, read));
        assert!(!covers("rye.execute.tool.rye.file-system", Primary::Execute, read));
        assert!(!covers("rye.execute.tool.rye.file_system.*", Primary::Execute, read));
    }

    /// Hole 8 of the threat model: a granted search that did not permit searching.
    #[test]
    fn a_search_is_covered_by_a_pattern_over_its_type() {
        assert!(covers("rye.search.tool.*", Primary::Search, None));
        assert!(covers("rye.search.*", Primary::Search, None));
        assert!(!covers("rye.search.knowledge.*", Primary::Search, None));
        assert!(!covers("rye.search.tool.mine.*", Primary::Search, None));
    }
}
