//! Looking at many files or folders at once.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::spread::Spread;

/// Fewer folders than this are not worth another worker.
pub(super) const FOLDERS_PER_WORKER: usize = 8;

/// A worker takes this much of what makes it worth its while at once: who is slower takes fewer parts.
const PARTS: usize = 4;

/// Shares work out to the cores, where there is enough of it: `least` for each. Results come in the order of the work.
pub(crate) fn on_every_core<T: Sync, R: Send>(work: &[T], least: usize, each: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    on_every_core_beside(work, least, each, || ()).0
}

/// Shares work out as [`on_every_core`] does; this thread does something else before it takes part.
pub(crate) fn on_every_core_beside<T: Sync, R: Send, M>(
    work: &[T],
    least: usize,
    each: impl Fn(&[T]) -> R + Sync,
    meanwhile: impl FnOnce() -> M,
) -> (Vec<R>, M) {
    let others = vec![(); workers(work.len() / least) - 1];
    share_out_beside(work, least.div_ceil(PARTS), ((), others), |(), part| each(part), meanwhile)
}

/// Shares work out in parts to workers that have each a state of their own: whoever is done takes the next part. Results come
/// in the order of the work.
pub(crate) fn share_out<'w, S: Send, T: Sync, R: Send>(
    work: &'w [T],
    part: usize,
    states: (S, Vec<S>),
    each: impl Fn(&S, &'w [T]) -> R + Sync,
) -> Vec<R> {
    share_out_beside(work, part, states, each, || ()).0
}

/// Shares work out as [`share_out`] does; this thread, which has the first state, does something else before it takes part.
fn share_out_beside<'w, S: Send, T: Sync, R: Send, M>(
    work: &'w [T],
    part: usize,
    (first, others): (S, Vec<S>),
    each: impl Fn(&S, &'w [T]) -> R + Sync,
    meanwhile: impl FnOnce() -> M,
) -> (Vec<R>, M) {
    let parts: Vec<&'w [T]> = work.chunks(part).collect();
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        parts.get(at).map(|part| (at, *part))
    };
    let run = |state: S| std::iter::from_fn(take).map(|(at, part)| (at, each(&state, part))).collect::<Vec<_>>();
    let spread = (!others.is_empty()).then(Spread::from_here).flatten();
    let (mut done, beside) = thread::scope(|scope| {
        let (run, spread) = (&run, &spread);
        let worker = |(number, state)| {
            let work = move || {
                spread.iter().for_each(|spread| spread.place(number));
                run(state)
            };
            // Where there may be no more threads, those there are do the work.
            thread::Builder::new().spawn_scoped(scope, work).ok()
        };
        let workers: Vec<_> = others.into_iter().enumerate().filter_map(worker).collect();
        if !workers.is_empty() {
            // They begin on this core, and move to others once they run.
            thread::yield_now();
        }
        let beside = meanwhile();
        let mut done = run(first);
        done.extend(workers.into_iter().flat_map(|worker| worker.join().expect("because no worker panics")));
        (done, beside)
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    (done.into_iter().map(|(_, result)| result).collect(), beside)
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

    #[test]
    fn something_else_is_done_once_by_the_caller() {
        let caller = thread::current().id();
        for length in [0, 1, 5000] {
            let work: Vec<usize> = (0..length).collect();
            let (done, beside) = on_every_core_beside(&work, 8, <[usize]>::to_vec, || thread::current().id());
            assert_eq!((done.concat(), beside), (work, caller));
        }
    }
}
