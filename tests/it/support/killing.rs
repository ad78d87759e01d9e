//! When tests kill a program: at points spread over the whole of its run.

use std::time::Duration;

/// At how many points: few, or as many as `KILL_POINTS` says (`.ci/slow` takes 100).
pub(crate) fn points() -> u32 {
    std::env::var("KILL_POINTS").ok().and_then(|points| points.parse().ok()).unwrap_or(12)
}

/// The part of a run after which it is killed for the `point`th time, from 0 to 1. Golden-ratio steps: spread over the whole,
/// in no order.
pub(crate) fn part(point: u32) -> f64 {
    (f64::from(point) * 0.618_033_988_75).fract()
}

/// That part of what a whole run takes.
pub(crate) fn moment(whole: Duration, point: u32) -> Duration {
    whole.mul_f64(part(point))
}
