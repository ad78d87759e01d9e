//! Whether the prompts and resources that a client knows are still what there is.
//!
//! Items are files that other programs may change, so their names and stamps are looked at from time to time; only for
//! a client that listed some, or that subscribed, and never for more than a small share of the time.

use std::sync::Arc;
use std::time::Duration;

use super::fingerprint::Seen;
use super::shared_state::Shared;
use super::stop::Stop;

/// How long after one look the next one comes at the earliest.
const PAUSE: Duration = Duration::from_secs(2);

/// How many times as long as a look took the pause after it is.
const SHARE: u32 = 200;

/// Which lists changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Changed {
    /// Whether the prompts did.
    pub(super) prompts: bool,
    /// Whether the resources did.
    pub(super) resources: bool,
}

/// Polls, and reports changes since `seen`, until the connection ends or the receiver is gone.
pub(super) async fn watch<F, T>(shared: Arc<Shared>, stop: Stop, mut seen: Option<Seen>, tell: F)
where
    F: Fn(Changed) -> T,
    T: Future<Output = bool>,
{
    let mut pause = PAUSE;
    loop {
        tokio::select! {
            () = stop.said() => return,
            () = tokio::time::sleep(pause) => {}
        }
        let Some((now, took)) = shared.look().await else { continue };
        pause = PAUSE.max(took.saturating_mul(SHARE));
        let before = seen.replace(now).unwrap_or(now);
        // A skill is a prompt, and its files are resources.
        let skills = before.skills != now.skills;
        let changed = Changed {
            prompts: skills || before.directives != now.directives,
            resources: skills || before.knowledge != now.knowledge,
        };
        if (changed.prompts || changed.resources) && !tell(changed).await {
            return;
        }
    }
}
