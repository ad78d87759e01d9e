//! What a model may do: every call of a model, a hook or a client as one value, checked, then performed.
//!
//! A call is parsed once into an [`Action`]. Only [`Action::permit`] makes a [`Permitted`] action, and only a permitted
//! action can be performed, so what is checked is the very value that is dispatched (hole 6 of the threat model).
//! Threads, their hooks and connections over MCP have no other way to a tool.
//!
//! - [`Toolbox`], [`primary_spec`], [`flat_names`]: the tools a model is offered, under names that no two share.
//! - [`perform`]: does what is permitted, under [`Bounds`], and returns what was [`Done`].

mod bounds;
mod done;
mod error;
mod names;
mod perform;
mod primary;
mod search;
mod toolbox;

use std::fmt;

pub use bounds::Bounds;
pub use done::{DATA, Done};
pub use error::Error;
pub use names::flat_names;
pub use perform::perform;
pub use primary::{action, parse_primary, primary_spec};
pub use search::Search;
pub use toolbox::{DEVIATION, OfferedTool, RETURN, Resolved, Toolbox};

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
    fn tool(id: ItemId, given: Given) -> Result<Self, String> {
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

    /// Returns the call and the configured pattern for which a person must agree to it first.
    #[must_use]
    pub fn must_ask(&self) -> Option<(&Call, &Capability)> {
        self.ask.as_ref().map(|(call, pattern)| (call, pattern))
    }
}
