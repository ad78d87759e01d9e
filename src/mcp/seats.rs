//! How much a connection may have at once: calls that wait, calls that run, and bytes that the client did not read yet.
//!
//! Who finds no seat is refused. Who has one waits for its turn, and begins only while the client reads its answers.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::error::Failure;
use super::stop::Stop;

/// How many calls are performed at once; others wait.
pub(super) const MOST_CALLS: usize = 16;

/// The most calls that wait or run.
const MOST_SEATS: usize = 128;

/// The most bytes of answers that may wait for the client when a call begins.
const MOST_UNREAD: usize = 32 * 1024 * 1024;

/// The most bytes of answers that wait for the client at all; with more of them it counts as gone.
const MOST_WAITING: usize = 256 * 1024 * 1024;

/// The seats of one connection.
#[derive(Debug)]
pub(super) struct Seats {
    seats: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    unread: Unread,
}

/// A place among the calls that wait or run, until it is dropped.
#[derive(Debug)]
pub(super) struct Seat(#[expect(dead_code, reason = "what counts is that it is dropped")] OwnedSemaphorePermit);

/// A place among the calls that run, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn(#[expect(dead_code, reason = "what counts is that it is dropped")] OwnedSemaphorePermit);

impl Seats {
    /// Makes the seats of a connection with these unread answers.
    pub(super) fn new(unread: Unread) -> Self {
        let places = |places| Arc::new(Semaphore::new(places));
        Self { seats: places(MOST_SEATS), turns: places(MOST_CALLS), unread }
    }

    /// Takes a seat.
    ///
    /// # Errors
    ///
    /// Fails when there is none.
    pub(super) fn take(&self) -> Result<Seat, Failure> {
        Arc::clone(&self.seats).try_acquire_owned().map(Seat).map_err(|_| Failure::Busy { waiting: MOST_SEATS })
    }

    /// Waits for a turn. Who finds one free begins, even when the client has sent its last word.
    ///
    /// # Errors
    ///
    /// Fails when nothing more is to begin.
    pub(super) async fn turn(&self, stop: &Stop) -> Result<Turn, Failure> {
        let begun = async {
            let turn = Arc::clone(&self.turns).acquire_owned().await;
            self.unread.is_little().await;
            turn
        };
        tokio::select! {
            biased;
            turn = begun => turn.map(Turn).map_err(|_| Failure::Cancelled),
            () = stop.no_more_said() => Err(Failure::Cancelled),
        }
    }
}

/// The bytes of answers that wait for the client; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Unread(Arc<watch::Sender<usize>>);

impl Unread {
    /// Makes the count of a client that has read everything.
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    /// Counts an answer, and tells whether the client may still be there.
    pub(super) fn add(&self, bytes: usize) -> bool {
        self.0.send_modify(|unread| *unread += bytes);
        *self.0.borrow() <= MOST_WAITING
    }

    /// Counts what was written.
    pub(super) fn written(&self, bytes: usize) {
        self.0.send_modify(|unread| *unread = unread.saturating_sub(bytes));
    }

    async fn is_little(&self) {
        // The sender is part of this value, so the channel cannot close before.
        drop(self.0.subscribe().wait_for(|unread| *unread <= MOST_UNREAD).await);
    }
}
