//! A core of its own for every thread to begin with.
//!
//! Some kernels, in virtual machines above all, leave a new thread behind the one that made it until the next tick of the clock,
//! four milliseconds away, beside idle cores: as long as everything that the thread is for.

#[cfg(target_os = "linux")]
pub(super) use linux::Spread;
#[cfg(not(target_os = "linux"))]
pub(super) use other::Spread;

#[cfg(target_os = "linux")]
mod linux {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The cores that threads may run on.
    pub(in crate::workspace) struct Spread {
        allowed: CpuSet,
        /// Those but that of the thread that makes the others.
        free: Vec<usize>,
    }

    impl Spread {
        /// Looks at the cores there are, and at the one this thread is on; none where that is not told.
        pub(in crate::workspace) fn from_here() -> Option<Self> {
            let here = current_core()?;
            let allowed = sched_getaffinity(None).ok()?;
            // From the next one on, so that searches beside each other do not meet.
            let cores = (here + 1..CpuSet::MAX_CPU).chain(0..here);
            let free = cores.filter(|core| allowed.is_set(*core)).collect();
            Some(Self { allowed, free })
        }

        /// Moves this thread, one of several by `number`, and leaves the rest to the kernel again.
        pub(in crate::workspace) fn place(&self, number: usize) {
            let Some(core) = self.free.get(number) else { return };
            let mut one = CpuSet::new();
            one.set(*core);
            if sched_setaffinity(None, &one).is_ok() {
                // Where that fails, the thread stays where it is well.
                let _ = sched_setaffinity(None, &self.allowed);
            }
        }
    }

    /// Returns the core that this thread runs on, field 39 of proc(5)'s `stat`: the C library's way needs `unsafe`, and rustix's
    /// ends the program under valgrind.
    fn current_core() -> Option<usize> {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        fields.split_ascii_whitespace().nth(36)?.parse().ok()
    }

    #[cfg(test)]
    mod tests {
        use std::thread;

        use super::*;

        #[test]
        fn placed_threads_may_run_wherever_the_process_may() {
            let Some(spread) = Spread::from_here() else { panic!("because there is a /proc") };
            assert!(spread.free.iter().all(|core| spread.allowed.is_set(*core)));
            for number in 0..=spread.free.len() {
                let allowed = || {
                    spread.place(number);
                    (0..CpuSet::MAX_CPU)
                        .filter(|core| sched_getaffinity(None).is_ok_and(|set| set.is_set(*core)))
                        .count()
                };
                let told = thread::scope(|scope| scope.spawn(allowed).join().expect("because it does not panic"));
                assert_eq!(told, spread.free.len() + 1);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    /// Where nothing is known of cores, nothing is placed.
    pub(in crate::workspace) struct Spread;

    impl Spread {
        pub(in crate::workspace) const fn from_here() -> Option<Self> {
            None
        }

        pub(in crate::workspace) const fn place(&self, _: usize) {}
    }
}
