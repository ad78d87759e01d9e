//! Version requirements, as cargo reads them: `1.2.3` and `^1.2.3` (compatible), `~1.2.3`, `=1.2.3`, `1`, `1.2`, `*`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Version;

/// Which versions of an item will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Requirement {
    operator: Operator,
    major: u32,
    minor: Option<u32>,
    patch: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operator {
    Any,
    Exact,
    Tilde,
    Caret,
}

/// A text that is not a version requirement.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a version requirement (expected one like `1.2.3`, `^1.2`, `~1.2.3`, `=1.2.3` or `*`)")]
pub struct RequirementError {
    /// The text as given.
    pub text: String,
}

impl Requirement {
    /// Any version.
    pub const ANY: Self = Self { operator: Operator::Any, major: 0, minor: None, patch: None };

    /// Exactly one version.
    #[must_use]
    pub const fn exactly(version: Version) -> Self {
        let Version { major, minor, patch } = version;
        Self { operator: Operator::Exact, major, minor: Some(minor), patch: Some(patch) }
    }

    /// Tells whether a version will do.
    #[must_use]
    pub fn allows(&self, version: Version) -> bool {
        let number = (version.major, version.minor, version.patch);
        let lowest = (self.major, self.minor.unwrap_or(0), self.patch.unwrap_or(0));
        match self.operator {
            Operator::Any => true,
            Operator::Exact => self.fits(version),
            Operator::Tilde => number >= lowest && version.major == self.major && self.fits_minor(version),
            Operator::Caret => number >= lowest && self.is_compatible(version),
        }
    }

    fn fits(&self, version: Version) -> bool {
        version.major == self.major && self.fits_minor(version) && self.patch.is_none_or(|patch| patch == version.patch)
    }

    fn fits_minor(&self, version: Version) -> bool {
        self.minor.is_none_or(|minor| minor == version.minor)
    }

    /// The leftmost number that is not zero must stay; `0.0` and `0` leave open what they do not name.
    fn is_compatible(&self, version: Version) -> bool {
        match (self.major, self.minor, self.patch) {
            (0, None, _) => version.major == 0,
            (0, Some(0), Some(patch)) => (version.major, version.minor, version.patch) == (0, 0, patch),
            (0, Some(minor), _) => version.major == 0 && version.minor == minor,
            (major, ..) => version.major == major,
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.operator {
            Operator::Any => return f.write_str("*"),
            Operator::Exact => "=",
            Operator::Tilde => "~",
            Operator::Caret => "^",
        })?;
        write!(f, "{}", self.major)?;
        self.minor.into_iter().chain(self.patch).try_for_each(|number| write!(f, ".{number}"))
    }
}

impl FromStr for Requirement {
    type Err = RequirementError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || RequirementError { text: text.chars().take(80).collect() };
        if text == "*" {
            return Ok(Self::ANY);
        }
        let (operator, numbers) = match text.as_bytes().first() {
            Some(b'=') => (Operator::Exact, &text[1..]),
            Some(b'~') => (Operator::Tilde, &text[1..]),
            Some(b'^') => (Operator::Caret, &text[1..]),
            _ => (Operator::Caret, text),
        };
        let numbers: Vec<u32> = numbers.split('.').map(number).collect::<Option<_>>().ok_or_else(wrong)?;
        match numbers[..] {
            [major] => Ok(Self { operator, major, minor: None, patch: None }),
            [major, minor] => Ok(Self { operator, major, minor: Some(minor), patch: None }),
            [major, minor, patch] => Ok(Self { operator, major, minor: Some(minor), patch: Some(patch) }),
            _ => Err(wrong()),
        }
    }
}

super::serde_as_text!(Requirement);

/// Reads a number without sign or leading zero.
fn number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn requirements_allow_what_cargo_s_do() {
        let cases = [
            ("*", "0.0.1 1.2.3", ""),
            ("1.2.3", "1.2.3 1.3.0 1.99.0", "1.2.2 2.0.0 0.9.0"),
            ("^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2 1.0.0"),
            ("0.0.3", "0.0.3", "0.0.4 0.1.0"),
            ("0.0", "0.0.0 0.0.9", "0.1.0"),
            ("0", "0.0.0 0.9.0", "1.0.0"),
            ("1", "1.0.0 1.9.9", "2.0.0 0.1.0"),
            ("~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"),
            ("~1.2", "1.2.0 1.2.9", "1.3.0"),
            ("~1", "1.0.0 1.9.0", "2.0.0"),
            ("=1.2.3", "1.2.3", "1.2.4"),
            ("=1.2", "1.2.0 1.2.9", "1.3.0"),
        ];
        for (requirement, allowed, refused) in cases {
            let parsed: Requirement = requirement.parse().unwrap();
            assert_eq!(parsed.to_string().parse::<Requirement>().unwrap(), parsed);
            for (versions, expected) in [(allowed, true), (refused, false)] {
                for version in versions.split_whitespace() {
                    assert_eq!(parsed.allows(version.parse().unwrap()), expected, "{requirement} {version}");
                }
            }
        }
        for text in ["", "^", "1.2.3.4", "1..2", ">=1", "01", "1.x", " 1", "-1"] {
            assert!(text.parse::<Requirement>().is_err(), "{text}");
        }
    }
}
