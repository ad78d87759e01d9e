//! How much a connection may have at once: calls that wait, calls that run, and bytes in both directions.
//!
//! Each kind of call has seats and turns of its own, so slow tools block neither a search nor a look at an item.
//! Without a free seat a call is refused. With one it waits for its turn, and begins only while the client reads its
//! answers.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::error::Failure;
use super::stop::Stop;
use crate::action::Action;
use crate::item::Builtin;

/// How many tools run at once; others wait.
const MOST_TOOLS: usize = 16;

/// How many calls that only read or write a file of the project run at once; one whose person is asked counts meanwhile.
const MOST_QUICK: usize = 8;

/// How many searches run at once: each uses every core, and the first one makes the index for the rest.
const MOST_SEARCHES: usize = 1;

/// How many calls run at once, of whichever kind.
pub(super) const MOST_CALLS: usize = MOST_TOOLS + MOST_QUICK + MOST_SEARCHES;

/// The most calls of one kind that wait or run.
const MOST_SEATS: usize = 128;

/// The most KiB of requests that wait or run.
const MOST_KIB: usize = 32 * 1024;

/// The most bytes of answers that may wait for the client when a call begins.
const MOST_UNREAD: usize = 2 * 1024 * 1024;

/// The most bytes of answers that wait for the client at all; with more of them it counts as gone.
const MOST_WAITING: usize = 32 * 1024 * 1024;

/// What a call shares its turns with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Tools, which take as long as they take.
    Tool,
    /// Searches.
    Search,
    /// What only reads items, signs one, or reaches a file of the project.
    Quick,
}

impl Kind {
    /// Returns the kind of an action.
    pub(super) fn of(action: &Action) -> Self {
        match action {
            Action::Tool { id, .. } => match Builtin::of(id) {
                Some(Builtin::File(_)) => Self::Quick,
                Some(
                    Builtin::RegistrySearch | Builtin::RegistryPull | Builtin::RegistryPublish | Builtin::WebFetch,
                )
                | None => Self::Tool,
            },
            Action::Search(_) => Self::Search,
            Action::TakeIn { .. } | Action::Load { .. } | Action::Sign { .. } => Self::Quick,
        }
    }
}

/// The seats of one connection.
#[derive(Debug)]
pub(super) struct Seats {
    tools: Lane,
    searches: Lane,
    quick: Lane,
    kib: Arc<Semaphore>,
    unread: Unread,
}

/// The seats and turns of one kind.
#[derive(Debug)]
struct Lane {
    seats: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

impl Lane {
    fn new(turns: usize) -> Self {
        Self { seats: Arc::new(Semaphore::new(MOST_SEATS)), turns: Arc::new(Semaphore::new(turns)) }
    }
}

/// A place among the calls that wait or run, until it is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    kind: Kind,
    _held: [OwnedSemaphorePermit; 2],
}

/// A place among the calls that run, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn(#[expect(dead_code, reason = "what counts is that it is dropped")] OwnedSemaphorePermit);

impl Seats {
    /// Makes the seats of a connection with these unread answers.
    pub(super) fn new(unread: Unread) -> Self {
        let (tools, searches, quick) = (Lane::new(MOST_TOOLS), Lane::new(MOST_SEARCHES), Lane::new(MOST_QUICK));
        Self { tools, searches, quick, kib: Arc::new(Semaphore::new(MOST_KIB)), unread }
    }

    const fn lane(&self, kind: Kind) -> &Lane {
        match kind {
            Kind::Tool => &self.tools,
            Kind::Search => &self.searches,
            Kind::Quick => &self.quick,
        }
    }

    /// Takes a seat for a request of so many bytes.
    ///
    /// # Errors
    ///
    /// Fails without a free seat.
    pub(super) fn take(&self, kind: Kind, bytes: usize) -> Result<Seat, Failure> {
        let busy = |waiting: String| move |_| Failure::Busy { waiting };
        let seat = Arc::clone(&self.lane(kind).seats).try_acquire_owned();
        let seat = seat.map_err(busy(format!("{MOST_SEATS} calls")))?;
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        let bytes = Arc::clone(&self.kib).try_acquire_many_owned(kib);
        let bytes = bytes.map_err(busy(format!("requests of {} MiB", MOST_KIB / 1024)))?;
        Ok(Seat { kind, _held: [seat, bytes] })
    }

    /// Waits for a turn. The first to find a free seat begins, even when the client has sent its last word.
    ///
    /// # Errors
    ///
    /// Fails when nothing more is to begin.
    pub(super) async fn turn(&self, seat: &Seat, stop: &Stop) -> Result<Turn, Failure> {
        let begun = async {
            let turn = Arc::clone(&self.lane(seat.kind).turns).acquire_owned().await;
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

    /// Counts written bytes.
    pub(super) fn written(&self, bytes: usize) {
        self.0.send_modify(|unread| *unread = unread.saturating_sub(bytes));
    }

    async fn is_little(&self) {
        // The sender is part of this value, so the channel cannot close before.
        drop(self.0.subscribe().wait_for(|unread| *unread <= MOST_UNREAD).await);
    }
}
