//! The folders of the system that every program in the sandbox may read, and what is kept out of them.
//!
//! A machine's own software lies there, and on some machines more: a service's home in `/opt`, a project in `/usr/src/app`, keys
//! below `/usr/local`. So a granted folder never includes a home, a git folder, or a file that others than its owner and group may
//! not read. The last two are looked for (`survey.rs`), which takes a while in large folders, so the answer is kept for an hour
//! (`cache.rs`). The project is the caller's to take out.

mod cache;
mod homes;
mod roots;
mod survey;

use std::path::PathBuf;

pub(super) use self::roots::{SETTINGS, roots};
use self::survey::Survey;
use crate::context::Context;

/// Returns what no sandbox may read of the system's folders with programs, by paths without links: homes, wherever they lie, git folders, and
/// what this user may read and others may not.
#[must_use]
pub fn kept_out(ctx: &Context) -> Vec<PathBuf> {
    let survey = cache::read(ctx).unwrap_or_else(|| cache::renewed(ctx));
    let mut kept = survey.kept_from_this_user();
    kept.extend(homes::all(ctx.home().ok().as_deref()));
    kept
}

/// Returns the folders that every sandbox grants, by paths without links.
#[must_use]
pub fn system_folders() -> Vec<PathBuf> {
    roots().into_iter().chain([PathBuf::from(SETTINGS)]).collect()
}

/// Returns what no sandbox may read of the system's settings. They are few, and looked through anew each time.
pub(super) fn private_settings() -> Vec<PathBuf> {
    Survey::of(&[PathBuf::from(SETTINGS)]).kept_from_this_user()
}
