//! `outdated`: what the lock says, compared with the registries and git repositories.

use serde::Serialize;

use super::registry::{OutdatedItem, outdated_items};
use super::upstream::{self, OutdatedSkill, outdated_skills};
use crate::git::Terminal;
use crate::id::Space;
use crate::session::Session;

/// The newer versions.
#[derive(Debug, Clone, Serialize)]
pub struct Outdated {
    /// Every item of the lock that came from a registry, sorted.
    pub items: Vec<OutdatedItem>,
    /// Every skill of the lock that came from a git repository, sorted.
    pub skills: Vec<OutdatedSkill>,
}

/// Compares a lock with the registries and the git repositories that its items came from.
///
/// # Errors
///
/// Fails when the lock, a registry or a git repository cannot be read.
pub fn outdated(
    session: &Session,
    space: Space,
    is_offline: bool,
    terminal: Terminal,
) -> Result<Outdated, upstream::Error> {
    let items = outdated_items(session, space, is_offline, terminal)?;
    Ok(Outdated { items, skills: outdated_skills(session, space, is_offline, terminal)? })
}
