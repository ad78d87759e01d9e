//! A time zone: which moment a time of day means that names no zone.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp as Moment};

use super::Timestamp;

/// How far around a time one of standard time is looked for: half a week at a time, for more than a year.
const STEP: SignedDuration = SignedDuration::from_hours(84);
const STEPS: i32 = 120;

/// A time zone; UTC unless said otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Default for Zone {
    fn default() -> Self {
        Self(TimeZone::UTC)
    }
}

impl Zone {
    /// Reads a file of the zoneinfo database.
    #[must_use]
    pub fn from_tzif(bytes: &[u8]) -> Option<Self> {
        TimeZone::tzif("local", bytes).ok().map(Self)
    }

    /// Reads a zone in the form of POSIX: `EST5EDT,M3.2.0,M11.1.0`.
    #[must_use]
    pub fn from_posix(text: &str) -> Option<Self> {
        TimeZone::posix(text).ok().map(Self)
    }

    /// Returns the moment of a time of day in the form `2026-03-17T01:41:08`. It is one of standard time, in summer too: so
    /// OpenSSH takes it, by `mktime` with `tm_isdst = 0`.
    #[must_use]
    pub fn standard_time(&self, text: &str) -> Option<Timestamp> {
        let civil: DateTime = text.parse().ok()?;
        let near = self.0.to_ambiguous_timestamp(civil).compatible().ok()?;
        let steps = (1..=STEPS).flat_map(|step| [-step, step]);
        let around = std::iter::once(near).chain(steps.filter_map(|step| near.checked_add(STEP * step).ok()));
        let standard = around.map(|moment| self.0.to_offset_info(moment)).find(|info| !info.dst().is_dst());
        // A zone without standard time: as it is.
        let offset = standard.map_or_else(|| self.0.to_offset(near), |info| info.offset());
        let moment: Moment = offset.to_timestamp(civil).ok()?;
        Some(Timestamp::from_milliseconds(moment.as_millisecond()))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_time_without_a_zone_is_one_of_standard_time() {
        let moment = |zone: &Zone, text: &str| zone.standard_time(text).unwrap().to_string();
        let berlin = Zone::from_posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        assert_eq!(moment(&Zone::default(), "2026-07-01T00:00:00"), "2026-07-01T00:00:00Z");
        assert_eq!(moment(&berlin, "2026-01-01T00:00:00"), "2025-12-31T23:00:00Z");
        assert_eq!(moment(&berlin, "2026-07-01T00:00:00"), "2026-06-30T23:00:00Z");
        // The hour that is missing, and the one that comes twice.
        assert_eq!(moment(&berlin, "2026-03-29T02:30:00"), "2026-03-29T01:30:00Z");
        assert_eq!(moment(&berlin, "2026-10-25T02:30:00"), "2026-10-25T01:30:00Z");
        for wrong in ["", "2026-02-30T00:00:00", "today"] {
            assert_eq!(berlin.standard_time(wrong), None, "{wrong}");
        }
        assert_eq!(Zone::from_tzif(b"TZif"), None);
        assert_eq!(Zone::from_posix("Europe/Nowhere"), None);
    }
}
