//! The word that ends a connection: said once, by a signal, by the client's leaving, or by a lost stdout. Before it, the
//! word that nothing more begins.

use std::sync::Arc;

use tokio::sync::watch;

use crate::process::CancelFlag;

/// Asks everything of a connection to stop; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    word: Arc<watch::Sender<Word>>,
    flag: CancelFlag,
}

/// The requests, in increasing urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    GoOn,
    NoMore,
    Stop,
}

impl Stop {
    /// Makes a word that was not said yet.
    pub(super) fn new() -> Self {
        Self { word: Arc::new(watch::Sender::new(Word::GoOn)), flag: CancelFlag::new() }
    }

    /// Says it. No call begins after that, whatever the runtime is busy with.
    pub(super) fn now(&self) {
        self.flag.cancel();
        self.say(Word::Stop);
    }

    /// Says that what waits for its turn is not to begin any more.
    pub(super) fn no_more(&self) {
        self.say(Word::NoMore);
    }

    /// Waits for it.
    pub(super) async fn said(&self) {
        self.heard(Word::Stop).await;
    }

    /// Waits for the word that nothing more begins.
    pub(super) async fn no_more_said(&self) {
        self.heard(Word::NoMore).await;
    }

    /// Makes the flag of one call, which is set with this word.
    pub(super) fn flag(&self) -> CancelFlag {
        self.flag.child()
    }

    fn say(&self, word: Word) {
        self.word.send_modify(|said| *said = word.max(*said));
    }

    async fn heard(&self, word: Word) {
        // The sender is part of this value, so the channel cannot close before.
        drop(self.word.subscribe().wait_for(|said| *said >= word).await);
    }
}
