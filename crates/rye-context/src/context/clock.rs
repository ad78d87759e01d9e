//! Time and randomness: the system's, or fixed ones, with which every run makes the same commit ids.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::ContextError;
use crate::id::Timestamp;

/// The source of time and randomness.
#[derive(Debug)]
pub struct Clock {
    started: Instant,
    fixed: Option<Timestamp>,
    seed: Option<String>,
    drawn: AtomicU64,
}

impl Clock {
    /// Returns the system's time and randomness.
    #[must_use]
    pub fn system() -> Self {
        Self::fixed(None, None)
    }

    /// Returns a clock that stands still at `now`, if that is given, and randomness that follows from `seed`, if that is: so that keys and
    /// commit ids are the same on every machine. For tests; whoever knows the seed knows the keys.
    #[must_use]
    pub fn fixed(now: Option<Timestamp>, seed: Option<String>) -> Self {
        Self { started: started(), fixed: now, seed, drawn: AtomicU64::new(0) }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.fixed.unwrap_or_else(system_now)
    }

    pub(super) fn elapsed_ms(&self) -> u64 {
        if self.fixed.is_some() { 0 } else { u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX) }
    }

    pub(super) fn random<const N: usize>(&self) -> Result<[u8; N], ContextError> {
        let mut bytes = [0; N];
        match &self.seed {
            Some(seed) => self.seeded(seed, &mut bytes),
            None => getrandom::fill(&mut bytes).map_err(|_| ContextError::Random)?,
        }
        Ok(bytes)
    }

    /// Fills `bytes` from the seed: each draw has its own stream.
    fn seeded(&self, seed: &str, bytes: &mut [u8]) {
        let draw = self.drawn.fetch_add(1, Ordering::Relaxed);
        for (block, chunk) in bytes.chunks_mut(32).enumerate() {
            let digest = crate::trust::Blake3Hash::of(format!("{seed}/{draw}/{block}").as_bytes());
            chunk.copy_from_slice(&digest.as_bytes()[..chunk.len()]);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the door to the clock")]
fn started() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "this is the door to the clock")]
fn system_now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_milliseconds(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
