//! A capability: a pattern over the names of calls.
//!
//! `*` matches any run of characters, dots included, `?` exactly one, and `[ab]`, `[a-z]` and `[!a]` one of a class: fnmatch. A former
//! name of a tool is replaced by its current one when a pattern is read, and a pattern with wildcards that covers a former
//! name covers the current one. `rye.search.<type>` is read as `rye.search.<type>.*`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Call, Primary, aliases};
use crate::id::{ItemType, fnmatch};

/// Calls that a person must agree to each time unless their configuration says otherwise: published items are public,
/// and pulled items are a stranger's.
pub const ALWAYS_ASKED: &str = "rye.execute.tool.rye.registry.*";

/// A pattern such as `rye.execute.tool.rye.file-system.*`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability(String);

/// A text that is not a capability.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a capability: {reason}")]
pub struct CapabilityError {
    /// The text as given.
    pub text: String,
    /// The fault.
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

    /// Makes the capability for all items of a type under one primary action.
    #[must_use]
    pub(super) fn any_of(primary: Primary, item_type: ItemType) -> Self {
        Self(format!("rye.{primary}.{item_type}.*"))
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
        fnmatch::matches(&self.0, &needed)
            || (call.item_id.is_none() && fnmatch::matches(&self.0, &format!("{needed}.")))
            || call.former_needs().any(|needed| fnmatch::matches(&self.0, &needed))
    }

    /// Tells whether this pattern covers all that `other` covers. It may miss it, and never says so wrongly.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        fnmatch::includes(&self.0, &other.0) || other.former().any(|other| fnmatch::includes(&self.0, &other))
    }

    /// Tells whether some name is covered by both patterns.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        fnmatch::overlaps(&self.0, &other.0)
            || other.former().any(|other| fnmatch::overlaps(&self.0, &other))
            || self.former().any(|own| fnmatch::overlaps(&own, &other.0))
    }

    /// Returns the capability under the former names of the one tool it names.
    fn former(&self) -> impl Iterator<Item = String> {
        let named = match self.parts() {
            Some((primary, Some((item_type, id)))) => {
                id.replace('.', "/").parse().ok().map(|id| (primary, item_type, id))
            }
            _ => None,
        };
        named.into_iter().flat_map(|(primary, item_type, id)| {
            let former: Vec<String> = Call::on(primary, item_type, id).former_needs().collect();
            former
        })
    }

    /// Returns primary action, item type and the rest, as far as the pattern spells them out: what a permission
    /// element says. `rye.search.*` has no type; `rye.*` and patterns whose wildcards reach into these parts have none.
    #[must_use]
    pub fn parts(&self) -> Option<(Primary, Option<(ItemType, &str)>)> {
        let (primary, rest) = self.0.strip_prefix("rye.")?.split_once('.')?;
        let primary = primary.parse().ok()?;
        match rest.split_once('.') {
            None if rest == "*" => Some((primary, None)),
            None => None,
            Some((item_type, specifics)) => Some((primary, Some((item_type.parse().ok()?, specifics)))),
        }
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
            None if is_whole_search(text) => Ok(Self(format!("{text}.*"))),
            None => Ok(Self(current(text).unwrap_or_else(|| text.to_owned()))),
            Some(reason) => Err(CapabilityError { text: text.to_owned(), reason }),
        }
    }
}

crate::id::serde_as_text!(Capability);

/// Tells whether a pattern is `rye.search.<type>`: what covers a search of the type covers what it finds.
fn is_whole_search(text: &str) -> bool {
    text.strip_prefix("rye.search.").is_some_and(|rest| rest.parse::<ItemType>().is_ok())
}

/// Replaces a former name that a pattern without wildcards spells out.
fn current(text: &str) -> Option<String> {
    let (head, id) = text.split_once(".tool.")?;
    head.strip_prefix("rye.")?.parse::<Primary>().ok()?;
    Some(format!("{head}.tool.{}", aliases::current_dotted(ItemType::Tool, id)?))
}

fn fault(text: &str) -> Option<&'static str> {
    let known = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'*' | b'?' | b'[' | b']' | b'!')
    };
    if !text.starts_with("rye.") {
        Some("it must start with `rye.`")
    } else if text.len() > 300 {
        Some("it is longer than 300 bytes")
    } else if text.split('.').any(str::is_empty) {
        Some("it has an empty part")
    } else if !text.bytes().all(known) {
        Some("only letters, digits, `_`, `-`, `.`, `*`, `?` and classes such as `[ab]` are allowed")
    } else if let Some(fault) = fnmatch::fault(text) {
        Some(fault)
    } else if has_mark_outside(text) {
        Some("`!` is only allowed at the beginning of a class")
    } else {
        unknown_part(text)
    }
}

/// Finds a `!` that is outside of a class.
fn has_mark_outside(text: &str) -> bool {
    text.split(']').any(|piece| piece.split('[').next().is_some_and(|outside| outside.contains('!')))
}

/// Finds an unknown action or item type: such a pattern would cover nothing, without notice.
fn unknown_part(text: &str) -> Option<&'static str> {
    // A wildcard that may cover a dot may end in any part, so the rest is unknown.
    let mut parts = text.split('.').skip(1).take_while(|part| !part.contains(['*', '?', '!']));
    let action = parts.next()?;
    if !Primary::ALL.iter().any(|known| fnmatch::matches(action, known.as_str())) {
        return Some("after `rye.` comes an action: `execute`, `search`, `load` or `sign`");
    }
    let item_type = parts.next()?;
    let is_unknown = !ItemType::ALL.iter().any(|known| fnmatch::matches(item_type, known.as_str()));
    is_unknown.then_some("after the action comes a type: `tool`, `directive`, `knowledge` or `skill`")
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
        assert!(covers("rye.execute.tool.rye.file-system.rea[cd]", Primary::Execute, read));
        assert!(covers("rye.[el]*.tool.rye.file-system.[!w]*", Primary::Execute, read));
        assert!(!covers("rye.execute.tool.rye.file-system.[!r]ead", Primary::Execute, read));
        assert!(!covers("rye.load.tool.*", Primary::Execute, read));
        assert!(!covers("rye.execute.tool.rye.file-system", Primary::Execute, read));
        assert!(!covers("rye.execute.tool.rye.file_system.*", Primary::Execute, read));
    }

    #[test]
    fn a_class_that_is_none_is_refused() {
        for pattern in
            ["rye.execute.tool.[a", "rye.execute.tool.a]", "rye.execute.tool.[]", "rye.execute.tool.a!", "rye.x[a].y"]
        {
            assert!(pattern.parse::<Capability>().is_err(), "{pattern}");
        }
    }

    /// Hole 8 of the threat model: a granted search that did not permit searching.
    #[test]
    fn a_search_is_covered_by_a_pattern_over_its_type() {
        assert!(covers("rye.search.tool.*", Primary::Search, None));
        assert!(covers("rye.search.*", Primary::Search, None));
        assert!(covers("rye.search.tool", Primary::Search, None));
        assert!(covers("rye.search.tool", Primary::Search, Some("any/tool")));
        assert!(!covers("rye.search.knowledge.*", Primary::Search, None));
        assert!(!covers("rye.search.tool.mine.*", Primary::Search, None));
    }
}
