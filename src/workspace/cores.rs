//! Looking at many files or folders at once.

use std::num::NonZero;
use std::thread;

/// Fewer folders than this are not worth another worker.
pub(super) const FOLDERS_PER_WORKER: usize = 8;

/// Shares work out to the cores, where there is enough of it: `least` for each. Results come in the order of the work.
pub(super) fn on_every_core<T: Send, R: Send>(
    mut work: Vec<T>,
    least: usize,
    each: impl Fn(Vec<T>) -> R + Sync,
) -> Vec<R> {
    let workers = workers(work.len() / least);
    if workers < 2 {
        return vec![each(work)];
    }
    let share = work.len().div_ceil(workers);
    let mut others: Vec<Vec<T>> = (1..workers).map(|_| work.split_off(work.len().saturating_sub(share))).collect();
    others.reverse();
    let each = &each;
    thread::scope(|scope| {
        let others: Vec<_> = others.into_iter().map(|share| scope.spawn(move || each(share))).collect();
        let own = each(work);
        let others = others.into_iter().map(|other| other.join().expect("because looking does not panic"));
        std::iter::once(own).chain(others).collect()
    })
}

/// Returns how many workers take so many shares. How many cores there are is asked only where it matters: the answer takes a
/// dozen calls of the system.
fn workers(shares: usize) -> usize {
    if shares < 2 { 1 } else { shares.min(thread::available_parallelism().map_or(1, NonZero::get)) }
}
