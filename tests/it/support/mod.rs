//! What the tests of the program as a whole share.

mod sandbox;

use std::process::{Command, Stdio};

pub(crate) use sandbox::Sandbox;
use snapbox::{Assert, IntoData};

/// Tells whether a program that is no part of a Rust toolchain is here. A test without it is shorter, and says so; in
/// CI everything must be there.
#[expect(clippy::print_stderr, reason = "what is skipped must be seen")]
pub(crate) fn has(program: &str) -> bool {
    // An option nobody has: a usage error is all that is wanted.
    let found = Command::new(program).arg("-?").stdin(Stdio::null()).output().is_ok();
    if !found {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "`{program}` is needed in CI");
        eprintln!("skipped: there is no `{program}` on PATH");
    }
    found
}

/// Asserts that `seen` is what the snapshot says, backslashes included; `SNAPSHOTS=overwrite` refreshes it.
#[track_caller]
pub(crate) fn assert_seen(seen: String, snapshot: impl IntoData) {
    Assert::new().action_env("SNAPSHOTS").normalize_paths(false).eq(seen, snapshot);
}
