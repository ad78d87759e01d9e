//! What a response says about asking again: `retry-after-ms`, `retry-after` (seconds, which may be a fraction, or a date)
//! and `x-should-retry`, as the vendors' own clients read them.

use std::time::Duration;

use jiff::fmt::rfc2822;
use reqwest::header::HeaderMap;

use crate::id::Timestamp;

/// The longest time that is reported; longer waits are useless.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What a response says about asking again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Advice {
    /// After how long.
    pub after: Option<Duration>,
    /// Whether at all; overrules what the status suggests.
    pub should_retry: Option<bool>,
}

impl Advice {
    /// Reads the advice of a response; an unreadable one counts as absent.
    pub(super) fn of(headers: &HeaderMap, now: Timestamp) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        let milliseconds = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()).map(|ms| ms / 1000.0);
        let seconds = || text("retry-after").and_then(|text| seconds(text, now));
        // A time that is too long to be counted is a long one all the same.
        let wait = |seconds: f64| (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST));
        let after = milliseconds.or_else(seconds).and_then(wait).map(|wait| wait.min(LONGEST));
        let should_retry = match text("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
        Self { after, should_retry }
    }
}

fn seconds(text: &str, now: Timestamp) -> Option<f64> {
    let date = || {
        let then = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
        // A date in the past: at once.
        Some((then.as_millisecond() - now.milliseconds()).max(0) as f64 / 1000.0)
    };
    text.parse().ok().or_else(date)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::*;

    fn advice(headers: &[(&'static str, &'static str)]) -> Advice {
        let pairs =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        Advice::of(&HeaderMap::from_iter(pairs), "2026-11-23T10:00:00Z".parse().unwrap())
    }

    #[test]
    fn every_form_of_the_headers_is_read() {
        let after = |headers: &[(&'static str, &'static str)]| advice(headers).after;
        assert_eq!(after(&[("retry-after", "2")]), Some(Duration::from_secs(2)));
        assert_eq!(after(&[("retry-after", "0.25")]), Some(Duration::from_millis(250)));
        assert_eq!(after(&[("retry-after", "9"), ("retry-after-ms", "1500")]), Some(Duration::from_millis(1500)));
        assert_eq!(after(&[("retry-after", "Mon, 23 Nov 2026 10:00:07 GMT")]), Some(Duration::from_secs(7)));
        assert_eq!(after(&[("retry-after", "Mon, 23 Nov 2026 09:00:00 GMT")]), Some(Duration::ZERO));
        for nonsense in ["", "soon", "-3", "NaN"] {
            assert_eq!(after(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        for endless in ["inf", "1e400", "1e308", "99999999999999999999999"] {
            assert_eq!(after(&[("retry-after", endless)]), Some(LONGEST), "{endless}");
        }
        assert_eq!(advice(&[("x-should-retry", "true")]).should_retry, Some(true));
        assert_eq!(advice(&[("x-should-retry", "false")]).should_retry, Some(false));
        assert_eq!(advice(&[("x-should-retry", "maybe")]), Advice::default());
    }
}
