//! What a call may leave behind besides its result: what a thread that is taken up again has to know of it.

use crate::action::{Action, Permitted};
use crate::capability::Access;
use crate::id::{ItemId, ItemType};
use crate::item::Builtin;

/// What a call may leave behind besides its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::thread) enum Traces {
    /// Nothing.
    Nothing,
    /// Files of the thread's tree.
    InTree,
    /// Whatever a script can do.
    Beyond,
}

impl Traces {
    /// Tells what a call may leave behind. `shadowed`: a tool of the project may have the name of a built-in one.
    pub(in crate::thread) fn of(permitted: &Permitted, shadowed: bool) -> Self {
        match permitted.action() {
            Action::Tool { id, .. } | Action::TakeIn { item_type: ItemType::Tool, id, .. } => of_tool(id, shadowed),
            Action::TakeIn { .. } | Action::Load { is_copied: false, .. } | Action::Search(_) => Self::Nothing,
            Action::Load { is_copied: true, .. } | Action::Sign { .. } => Self::InTree,
        }
    }
}

fn of_tool(id: &ItemId, shadowed: bool) -> Traces {
    match Builtin::of(id) {
        Some(Builtin::File(tool)) if !shadowed => match tool.access() {
            Access::Read => Traces::Nothing,
            Access::Write => Traces::InTree,
        },
        Some(Builtin::RegistrySearch | Builtin::WebFetch) if !shadowed => Traces::Nothing,
        Some(Builtin::RegistryPull) if !shadowed => Traces::InTree,
        Some(_) | None => Traces::Beyond,
    }
}
