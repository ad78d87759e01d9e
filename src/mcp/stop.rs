//! The word that ends a connection: said once, by a signal, by the client's leaving, or by a lost stdout.

use std::sync::Arc;

use tokio::sync::watch;

/// Asks everything of a connection to stop; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Makes a word that was not said yet.
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Says it.
    pub(super) fn now(&self) {
        self.0.send_replace(true);
    }

    /// Waits for it.
    pub(super) async fn said(&self) {
        // The sender is part of this value, so the channel cannot close before.
        drop(self.0.subscribe().wait_for(|said| *said).await);
    }
}
