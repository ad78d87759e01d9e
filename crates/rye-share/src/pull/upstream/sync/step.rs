//! What `sync` makes of one skill.

use super::super::super::place::PresentSkill;
use super::super::super::registry;
use super::super::super::signature::told;
use super::super::outcome::{Synced, SyncedSkill};
use super::restore::Restored;
use crate::format::registry_files::LockedSkill;
use crate::id::ItemId;
use crate::item::SkillFault;

/// What would be made of one skill.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) skill: SyncedSkill,
    pub(super) action: Action,
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Action {
    Nothing,
    /// Make it again from git.
    Restore {
        id: ItemId,
        restored: Box<Restored>,
    },
    /// Make it again from its registry.
    Pull(Box<registry::Plan>),
    Adopt(Box<LockedSkill>),
    Prune {
        id: ItemId,
        present: PresentSkill,
    },
}

impl Step {
    /// Tells something of a skill, and does nothing.
    pub(super) fn new(id: &ItemId, folder: &str, status: Synced, detail: Option<String>) -> Self {
        let skill = SyncedSkill { status, item_id: Some(id.clone()), folder: folder.to_owned(), detail };
        Self { skill, action: Action::Nothing }
    }

    /// Tells that something in a folder of skills, or all of it, cannot be a skill.
    pub(super) fn refused(folder: &str, fault: &SkillFault) -> Self {
        let item_id = folder.rsplit('/').next().and_then(|name| name.parse().ok());
        let skill =
            SyncedSkill { status: Synced::Refused, item_id, folder: folder.to_owned(), detail: Some(told(fault)) };
        Self { skill, action: Action::Nothing }
    }
}
