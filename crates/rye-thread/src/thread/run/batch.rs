//! Calls of one message that run at the same time: scripts, which mostly wait.
//!
//! One rule decides about parallel calls: a call of a tool that is not built in may run in parallel with its neighbors
//! of that kind; every other call runs alone, in its place. In a thread that works in its person's own tree, every call
//! runs alone: each of its changes is brought there before the next call.

use std::num::NonZero;
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::call_result::{Answered, abridged, not_written};
use super::course::Call;
use super::observer::Stage;
use super::performer::Performer;
use crate::action::{Action, Permitted};
use crate::item::Builtin;
use crate::machine::Performed;
use crate::thread::error::Error;
use crate::thread::model::Guard;
use crate::thread::tree::Changes;

/// The most calls that run at the same time.
const MOST: usize = 8;

/// Hears of a call that ended in parallel with others: its result, the whole output where the model sees it abridged,
/// and what changed so far.
pub(in crate::thread) type Ended<'a> = dyn FnMut(&Performed, Option<&[u8]>, &Changes) -> Result<(), Error> + 'a;

/// What a worker tells of its work.
enum Told<R> {
    Began(usize),
    Ended(usize, R),
}

impl Performer<'_> {
    /// Tells whether a call may run in parallel with others of that kind.
    pub(in crate::thread) fn runs_beside(&self, permitted: &Permitted) -> bool {
        match permitted.action() {
            // A tool with the name of a built-in one runs alone, like that one.
            Action::Tool { id, .. } => self.in_place.is_none() && Builtin::of(id).is_none(),
            Action::TakeIn { .. } | Action::Load { .. } | Action::Search(_) | Action::Sign { .. } => false,
        }
    }

    /// Performs calls, at the same time if there are several. Returns their results in the same order; `told` hears the
    /// progress of each, and `ended` of each parallel call as soon as it ended, with the content of the next commit at
    /// that time.
    ///
    /// # Errors
    ///
    /// Fails when the program's own storage does.
    pub(super) fn perform_all(
        &mut self,
        calls: Vec<Call>,
        remaining: Duration,
        told: &mut dyn FnMut(&str, Stage),
        ended: &mut Ended<'_>,
    ) -> Result<Vec<Performed>, Error> {
        let mut results = Vec::with_capacity(calls.len());
        if calls.len() > 1 {
            return self.perform_together(calls, remaining, told, ended);
        }
        for Call { call_id, permitted } in calls {
            told(&call_id, Stage::Began);
            let performed = self.perform(call_id, permitted, remaining)?;
            told(&performed.call_id, Stage::Ended(performed.status));
            results.push(performed);
        }
        Ok(results)
    }

    fn perform_together(
        &mut self,
        calls: Vec<Call>,
        remaining: Duration,
        told: &mut dyn FnMut(&str, Stage),
        ended: &mut Ended<'_>,
    ) -> Result<Vec<Performed>, Error> {
        let ctx = self.session.context();
        let elapsed_ms = || ctx.elapsed_ms();
        let began = elapsed_ms();
        let let_through = |call: Call| (self.let_through(&call.call_id, call.permitted), call.call_id);
        let (permitted, ids): (Vec<_>, Vec<_>) = calls.into_iter().map(let_through).unzip();
        let (doing, guard, mut beside) = self.beside();
        let perform = |permitted: Result<Permitted, Answered>| {
            let started = elapsed_ms();
            let left = remaining.saturating_sub(Duration::from_millis(started.saturating_sub(began)));
            (
                permitted.map_or_else(|held| held, |permitted| doing.answer(permitted, left)),
                elapsed_ms().saturating_sub(started),
            )
        };
        let mut stored = Ok(());
        let answers = at_once(permitted, most(), perform, |told_of| match told_of {
            Told::Began(at) => told(&ids[at], Stage::Began),
            Told::Ended(at, (answered, duration_ms)) => {
                told(&ids[at], Stage::Ended(answered.status));
                beside.look(answered.status);
                let (performed, kept) = result(guard, &ids[at], answered.clone(), *duration_ms);
                if stored.is_ok() {
                    stored = ended(&performed, kept.as_ref().map(|(_, whole)| whole.as_slice()), beside.changes);
                }
            }
        });
        stored?;
        // Which of them wrote outside of the commit is unknown.
        let lost = beside.lost();
        let results = ids.iter().zip(answers).map(|(call_id, (answered, duration_ms))| {
            let answered = if lost.is_empty() { answered } else { not_written(&lost, Some(answered)) };
            result(guard, call_id, answered, duration_ms)
        });
        let (results, kept): (Vec<_>, Vec<_>) = results.collect::<Vec<_>>().into_iter().unzip();
        self.artifacts.extend(kept.into_iter().flatten());
        Ok(results)
    }
}

/// Makes the result of a call, and keeps the whole output by its digest where the model sees it abridged.
fn result(
    guard: &Guard,
    call_id: &str,
    answered: Answered,
    duration_ms: u64,
) -> (Performed, Option<(String, Vec<u8>)>) {
    let Answered { status, output, stderr, hosts } = answered;
    let whole = guard.result(output);
    let text = whole.to_string();
    let (output, kept) = match abridged(&text, status) {
        None => (whole, None),
        Some((seen, digest)) => (seen, Some((digest, text.into_bytes()))),
    };
    let artifact = kept.as_ref().map(|(digest, _)| digest.clone());
    let (call_id, hosts, stderr) = (call_id.to_owned(), guard.hosts(hosts), stderr.map(|said| guard.text(said)));
    (Performed { call_id, status, output, artifact, stderr, hosts, duration_ms }, kept)
}

/// As many as there are processors, but two at least: scripts mostly wait.
fn most() -> usize {
    thread::available_parallelism().map_or(2, NonZero::get).clamp(2, MOST)
}

/// Does all work, up to `most` pieces at the same time, and returns the results in the order of the work.
fn at_once<W: Send, R: Send>(
    work: Vec<W>,
    most: usize,
    perform: impl Fn(W) -> R + Sync,
    mut told: impl FnMut(Told<&R>),
) -> Vec<R> {
    let (sender, heard) = channel();
    let workers = most.min(work.len());
    let waiting = Mutex::new(work.into_iter().enumerate());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, perform) = (sender.clone(), &next, &perform);
            scope.spawn(move || {
                while let Some((at, piece)) = next() {
                    // It is heard to the end: the receiver waits for every sender.
                    let _ = sender.send(Told::Began(at));
                    let _ = sender.send(Told::Ended(at, perform(piece)));
                }
            });
        }
        drop(sender);
        let mut results = Vec::new();
        for what in heard {
            match what {
                Told::Began(at) => told(Told::Began(at)),
                Told::Ended(at, result) => {
                    told(Told::Ended(at, &result));
                    results.push((at, result));
                }
            }
        }
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_work_whatever_ends_first() {
        // Each waits for one of the others: alone, none would end.
        let pairs = [Barrier::new(2), Barrier::new(2)];
        let (mut began, mut ended) = (0, 0);
        let results = at_once(
            vec![0, 1, 2, 3],
            2,
            |number: usize| {
                pairs[number / 2].wait();
                number * 10
            },
            |told| match told {
                Told::Began(_) => began += 1,
                Told::Ended(at, result) => {
                    assert_eq!(*result, at * 10);
                    ended += 1;
                }
            },
        );
        assert_eq!((results, began, ended), (vec![0, 10, 20, 30], 4, 4));
        assert_eq!(at_once(Vec::<u8>::new(), 8, |piece| piece, |_| ()), Vec::<u8>::new());
    }

    #[test]
    fn a_few_run_at_the_same_time() {
        assert!((2..=MOST).contains(&most()));
    }
}
