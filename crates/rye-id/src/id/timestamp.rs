//! A moment in UTC, to the second in signatures and to the millisecond in events.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    milliseconds: i64,
}

/// A text that is not a time in the form `2026-03-17T01:41:08Z`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a time like `2026-03-17T01:41:08Z`")]
pub struct TimestampError {
    /// The text as given.
    pub text: String,
}

impl Timestamp {
    /// Makes the moment `milliseconds` after 1970.
    #[must_use]
    pub const fn from_milliseconds(milliseconds: i64) -> Self {
        Self { milliseconds }
    }

    /// Returns whole seconds since 1970.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.milliseconds.div_euclid(1000)
    }

    /// Returns milliseconds since 1970.
    #[must_use]
    pub const fn milliseconds(self) -> i64 {
        self.milliseconds
    }

    /// Returns the moment `seconds` later.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self { milliseconds: self.milliseconds.saturating_add(seconds.saturating_mul(1000)) }
    }

    /// Returns the form of signature lines: `YYYY-MM-DDTHH:MM:SSZ`, the part below a second dropped.
    #[must_use]
    pub fn to_seconds_text(self) -> String {
        self.civil("%Y-%m-%dT%H:%M:%SZ")
    }

    /// Returns the form of thread ids: `yyyymmdd-hhmmss`.
    #[must_use]
    pub fn to_compact_text(self) -> String {
        self.civil("%Y%m%d-%H%M%S")
    }

    fn civil(self, format: &str) -> String {
        let moment = jiff::Timestamp::from_millisecond(self.milliseconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        moment.strftime(format).to_string()
    }
}

/// The form of events: seconds, and three digits of milliseconds when there are any.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.milliseconds.rem_euclid(1000) {
            0 => f.pad(&self.to_seconds_text()),
            rest => write!(f, "{}.{rest:03}Z", self.civil("%Y-%m-%dT%H:%M:%S")),
        }
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    /// Accepts exactly what [`Timestamp`]'s `Display` writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<jiff::Timestamp>()
            .ok()
            .map(|moment| Self::from_milliseconds(moment.as_millisecond()))
            .filter(|moment| moment.to_string() == text)
            .ok_or_else(|| TimestampError { text: text.to_owned() })
    }
}

super::serde_as_text!(Timestamp);

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_the_written_form_is_read() {
        let moment: Timestamp = "2026-03-17T01:41:08Z".parse().unwrap();
        assert_eq!((moment.seconds(), moment.to_compact_text().as_str()), (1_773_711_668, "20260317-014108"));
        assert_eq!(Timestamp::from_milliseconds(1_773_711_668_007).to_string(), "2026-03-17T01:41:08.007Z");
        for text in
            ["2026-03-17 01:41:08Z", "2026-03-17T01:41:08+00:00", "2026-02-30T00:00:00Z", "", "2026-03-17T01:41Z"]
        {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
