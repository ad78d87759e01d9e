//! An action, and the check that makes it a permitted one.

use std::fmt;

use super::search::Search;
use crate::capability::{Authority, Call, Capability, Consent, Denial, Primary};
use crate::id::{ItemId, ItemType};
use crate::item::{Builtin, Touch};
use crate::ops::execute::Given;

/// What a call asks for, parsed.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Run a tool.
    Tool {
        /// The tool.
        id: ItemId,
        /// Its parameters.
        given: Given,
        /// What it touches, if it is built in.
        touches: Vec<Touch>,
    },
    /// Take in a directive's instructions or knowledge.
    TakeIn {
        /// Directive or knowledge.
        item_type: ItemType,
        /// The item.
        id: ItemId,
        /// Inputs of a directive.
        given: Given,
    },
    /// Read an item's raw bytes.
    Load {
        /// The item's type.
        item_type: ItemType,
        /// The item.
        id: ItemId,
    },
    /// Find items by what they say.
    Search(Search),
    /// Sign an item, with the agent key.
    Sign {
        /// The item's type.
        item_type: ItemType,
        /// The item.
        id: ItemId,
    },
}

/// An action that is allowed. It can be made only by the check.
#[derive(Debug, Clone, PartialEq)]
pub struct Permitted {
    action: Action,
    ask: Option<(Call, Capability)>,
}

impl Action {
    /// Returns what a permission check judges; a search is judged item by item, as it finds them.
    #[must_use]
    pub fn call(&self) -> Option<Call> {
        match self {
            Self::Tool { id, .. } => Some(Call::on(Primary::Execute, ItemType::Tool, id.clone())),
            Self::TakeIn { item_type, id, .. } => Some(Call::on(Primary::Execute, *item_type, id.clone())),
            Self::Load { item_type, id } => Some(Call::on(Primary::Load, *item_type, id.clone())),
            Self::Sign { item_type, id } => Some(Call::on(Primary::Sign, *item_type, id.clone())),
            Self::Search(_) => None,
        }
    }

    /// Returns the capability that would cover the action.
    #[must_use]
    pub fn needed(&self) -> String {
        match (self.call(), self) {
            (Some(call), _) => call.needed(),
            (None, Self::Search(Search { item_type: Some(item_type), .. })) => format!("rye.search.{item_type}.*"),
            (None, _) => Capability::all_of(Primary::Search).to_string(),
        }
    }

    /// Returns the item the action is on; a search is on none.
    #[must_use]
    pub const fn item_id(&self) -> Option<&ItemId> {
        match self {
            Self::Tool { id, .. } | Self::TakeIn { id, .. } | Self::Load { id, .. } | Self::Sign { id, .. } => Some(id),
            Self::Search(_) => None,
        }
    }

    /// Checks the action against what allows it: every token of a thread's chain, or a connection's permissions. What a
    /// search may find is checked again for each item.
    ///
    /// # Errors
    ///
    /// Returns the denial the model gets to see.
    pub fn permit(self, authority: &impl Authority) -> Result<Permitted, Denial> {
        let Some(call) = self.call() else {
            let Self::Search(search) = &self else { return Ok(Permitted { action: self, ask: None }) };
            authority.judge_search(search.item_type)?;
            return Ok(Permitted { action: self, ask: None });
        };
        let consent = authority.judge(&call)?;
        if let Self::Tool { touches, .. } = &self {
            touches.iter().try_for_each(|touch| authority.judge_path(touch.access, &touch.path))?;
        }
        let ask = match consent {
            Consent::Given => None,
            Consent::Needed { pattern } => Some((call, pattern)),
        };
        Ok(Permitted { action: self, ask })
    }

    /// Makes the run of a tool. Of a built-in one it is known here which paths it touches.
    pub(super) fn tool(id: ItemId, given: Given) -> Result<Self, String> {
        let touches = match Builtin::of(&id) {
            Some(builtin) => builtin.touches(&given.as_text())?,
            None => Vec::new(),
        };
        Ok(Self::Tool { id, given, touches })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.call(), self) {
            (Some(call), _) => call.fmt(f),
            (None, Self::Search(Search { item_type: Some(item_type), .. })) => write!(f, "search {item_type}"),
            (None, _) => f.pad("search"),
        }
    }
}

impl Permitted {
    /// Returns the action.
    #[must_use]
    pub const fn action(&self) -> &Action {
        &self.action
    }

    /// Gives the action to whoever performs it.
    pub(super) fn into_action(self) -> Action {
        self.action
    }

    /// Returns the call and the configured pattern for which a person must agree to it first.
    #[must_use]
    pub fn must_ask(&self) -> Option<(&Call, &Capability)> {
        self.ask.as_ref().map(|(call, pattern)| (call, pattern))
    }
}
