//! Work on every core.

use std::sync::OnceLock;

use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

/// More shares than this do not spread work better, and each may cost something by itself.
const MOST_SHARES: usize = 64;

/// Does each share of work, on every core where there are several; results come in the order of the shares.
pub fn on_every_core<W: Send, R: Send>(shares: Vec<W>, each: impl Fn(W) -> R + Send + Sync) -> Vec<R> {
    if shares.len() < 2 || !has_workers() {
        return shares.into_iter().map(each).collect();
    }
    shares.into_par_iter().map(each).collect()
}

/// Splits work into shares of at least `least`: fewer are not worth a second core.
pub fn shares<T>(work: &[T], least: usize) -> Vec<&[T]> {
    work.chunks(least.max(work.len().div_ceil(MOST_SHARES))).collect()
}

/// Starts the workers when they are asked for first. Where there may be no more threads, the caller works alone.
fn has_workers() -> bool {
    static WORKERS: OnceLock<bool> = OnceLock::new();
    *WORKERS.get_or_init(|| ThreadPoolBuilder::new().build_global().is_ok())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_share_is_done_once_and_in_order() {
        for (length, least) in [(0, 3), (1, 3), (7, 1), (7, 2), (64, 64), (100, 3), (5000, 1), (5000, 512)] {
            let work: Vec<usize> = (0..length).collect();
            let shares = shares(&work, least);
            assert!(shares.len() <= MOST_SHARES, "{length} by {least}");
            let done = on_every_core(shares, |share| {
                // The first takes longest.
                std::thread::sleep(Duration::from_millis(if share[0] == 0 { 20 } else { 0 }));
                share.to_vec()
            });
            assert_eq!(done.concat(), work, "{length} by {least}");
        }
    }
}
