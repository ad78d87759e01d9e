//! What the tests of the program as a whole share.

mod sandbox;

pub(crate) use sandbox::Sandbox;
use snapbox::{Assert, IntoData};

/// Asserts that `seen` is what the snapshot says, backslashes included; `SNAPSHOTS=overwrite` refreshes it.
#[track_caller]
pub(crate) fn assert_seen(seen: String, snapshot: impl IntoData) {
    Assert::new().action_env("SNAPSHOTS").normalize_paths(false).eq(seen, snapshot);
}
