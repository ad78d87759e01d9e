//! The places of a project that no tool may touch, at any spelling some file system takes for them.
//!
//! Git's own folder (also of nested repositories, also a `.git` file), and below any `.ai`: trust, threads, settings
//! and plugins. Names are compared folded, which refuses a few harmless names and misses none. The program's own places
//! are in `own_places.rs`, git repositories in `git_folder.rs`.

use std::path::PathBuf;

use super::error::Error;
use crate::capability::{ProjectPath, folded};

/// What lies below `.ai` and decides what may run.
const BELOW_AI: [&str; 5] = ["trust", "threads", "config.toml", "plugins", "agent-files.sig"];

/// Refuses a path that is, or lies in, a place no tool may touch.
pub(super) fn check(path: &ProjectPath) -> Result<(), Error> {
    match reason(path) {
        Some(reason) => Err(Error::Refused { path: PathBuf::from(path.as_str()), reason }),
        None => Ok(()),
    }
}

/// Names the rule that refuses `path`.
pub(super) fn reason(path: &ProjectPath) -> Option<&'static str> {
    let parts: Vec<String> = path.parts().map(folded).collect();
    if parts.iter().any(|part| is_git(part)) {
        return Some("no tool may touch git's own folder");
    }
    parts.windows(2).any(is_own_of_ai).then_some("no tool may touch trust, threads, settings or plugins below `.ai`")
}

/// Tells whether two folded names, one below the other, are `.ai` and what decides in it.
pub(super) fn is_own_of_ai(pair: &[String]) -> bool {
    matches!(pair, [above, below] if is_ai(above) && is_below_ai(below))
}

/// `git~1` is the short name that some file systems give `.git`.
pub(super) fn is_git(part: &str) -> bool {
    matches!(part, ".git" | "git~1")
}

pub(super) fn is_ai(part: &str) -> bool {
    matches!(part, ".ai" | "ai~1")
}

/// Tells whether a name directly below `.ai` is refused.
pub(super) fn is_below_ai(part: &str) -> bool {
    BELOW_AI.contains(&part)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn is_refused(path: &str) -> bool {
        reason(&path.parse().unwrap()).is_some()
    }

    #[test]
    fn every_refused_place_at_every_spelling() {
        for path in [
            ".git",
            ".git/config",
            ".GIT/config",
            "a/b/.git/hooks/x",
            ".Git",
            ".g\u{200c}it",
            ".git.",
            ".git ",
            "GIT~1",
            ".git::$INDEX_ALLOCATION",
            ".ai/trust",
            ".ai/trust/allowed_signers",
            ".AI/Trust/x",
            ".ai/tru\u{17f}t",
            ".ai/threads",
            ".ai/threads/x/thread.json",
            ".ai/config.toml",
            ".ai/Config.TOML",
            ".ai/con\u{fb01}g.toml",
            ".ai/plugins",
            ".ai/plugins/x.so",
            ".ai/agent-files.sig",
            ".ai/Agent-Files.SIG",
            "nested/.ai/trust",
            ".aI/pLugins",
        ] {
            assert!(is_refused(path), "{path:?} was let through");
        }
    }

    #[test]
    fn their_neighbours_are_free() {
        for path in [
            "",
            ".gitignore",
            ".github/x",
            "git",
            ".ai",
            ".ai/tools/trust",
            ".ai/directives/x.md",
            "trust",
            "config.toml",
            ".ai/trusted",
            "docs/.gitkeep",
        ] {
            assert!(!is_refused(path), "{path:?} was refused");
        }
    }
}
