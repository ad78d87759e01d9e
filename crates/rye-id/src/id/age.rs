//! Spans of time as people write them: `30m`, `2h`, `7d`, `4w`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A span of time, in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age(i64);

impl Age {
    /// Returns it in seconds.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0
    }
}

impl FromStr for Age {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expected = || format!("expected a number with `m`, `h`, `d` or `w`, such as `30d`, found `{text}`");
        let unit = match text.bytes().last() {
            Some(b'm') => 60,
            Some(b'h') => 3_600,
            Some(b'd') => 86_400,
            Some(b'w') => 604_800,
            _ => return Err(expected()),
        };
        let number: u32 = text[..text.len() - 1].parse().map_err(|_| expected())?;
        Ok(Self(i64::from(number) * unit))
    }
}

/// In its largest unit.
impl fmt::Display for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(604_800, 'w'), (86_400, 'd'), (3_600, 'h'), (60, 'm')];
        let (seconds, unit) = units.into_iter().find(|(seconds, _)| self.0 % seconds == 0).unwrap_or((60, 'm'));
        write!(f, "{}{unit}", self.0 / seconds)
    }
}

impl Serialize for Age {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Age {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_a_unit() {
        let age = |text: &str| text.parse::<Age>().map(Age::seconds);
        assert_eq!((age("30d"), age("2h"), age("0m")), (Ok(2_592_000), Ok(7_200), Ok(0)));
        let written = |text: &str| text.parse::<Age>().map(|age| age.to_string());
        assert_eq!(
            (written("30d"), written("14d"), written("90m")),
            (Ok("30d".into()), Ok("2w".into()), Ok("90m".into()))
        );
        for wrong in ["", "30", "d", "-1d", "1.5h", "99999999999d", "3é"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
