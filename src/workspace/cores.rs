//! Looking at many files or folders at once.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Fewer folders than this are not worth another worker.
pub(super) const FOLDERS_PER_WORKER: usize = 8;

/// A worker takes this much of what makes it worth its while at once: who is slower takes fewer parts.
const PARTS: usize = 4;

/// Shares work out to the cores, where there is enough of it: `least` for each. Results come in the order of the work.
pub(crate) fn on_every_core<T: Sync, R: Send>(work: &[T], least: usize, each: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let others = vec![(); workers(work.len() / least) - 1];
    share_out(work, least.div_ceil(PARTS), ((), others), |(), part| each(part))
}

/// Shares work out in parts to workers that have each a state of their own: whoever is done takes the next part. Results come
/// in the order of the work.
pub(crate) fn share_out<'w, S: Send, T: Sync, R: Send>(
    work: &'w [T],
    part: usize,
    (first, others): (S, Vec<S>),
    each: impl Fn(&S, &'w [T]) -> R + Sync,
) -> Vec<R> {
    let parts: Vec<&'w [T]> = work.chunks(part).collect();
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        parts.get(at).map(|part| (at, *part))
    };
    let run = |state: S| std::iter::from_fn(take).map(|(at, part)| (at, each(&state, part))).collect::<Vec<_>>();
    let mut done = thread::scope(|scope| {
        let run = &run;
        // Where there may be no more threads, those there are do the work.
        let worker = |state| thread::Builder::new().spawn_scoped(scope, move || run(state)).ok();
        let workers: Vec<_> = others.into_iter().filter_map(worker).collect();
        let mut done = run(first);
        done.extend(workers.into_iter().flat_map(|worker| worker.join().expect("because no worker panics")));
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Returns how many workers take so many shares: at least one. How many cores there are is asked only where it matters: the
/// answer takes a dozen calls of the system.
pub(crate) fn workers(shares: usize) -> usize {
    if shares < 2 { 1 } else { shares.min(thread::available_parallelism().map_or(1, NonZero::get)) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_part_is_done_once_and_in_order() {
        for (length, part, others) in [(0, 3, 0), (0, 3, 2), (1, 3, 4), (7, 1, 0), (7, 2, 1), (100, 3, 7), (64, 64, 3)]
        {
            let work: Vec<usize> = (0..length).collect();
            let done = share_out(&work, part, ((), vec![(); others]), |(), part| {
                // The first takes longest.
                thread::sleep(Duration::from_millis(if part[0] == 0 { 20 } else { 0 }));
                part.to_vec()
            });
            assert_eq!(done.len(), length.div_ceil(part));
            assert_eq!(done.concat(), work, "{length} by {part}, {others} others");
        }
        for least in [1, 8, 512] {
            let work: Vec<usize> = (0..5000).collect();
            assert_eq!(on_every_core(&work, least, <[usize]>::to_vec).concat(), work);
        }
    }
}
