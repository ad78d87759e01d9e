//! An action, and the check that makes it a permitted one.

use std::fmt;

use super::search::Search;
use crate::capability::{Authority, Call, Capability, Consent, Denial, Primary, shell};
use crate::execute::{self, Given};
use crate::id::{ItemId, ItemType};
use crate::item::{Builtin, FileTool, Touch};

/// What a call asks for, parsed.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Run a tool.
    Tool {
        /// The tool.
        id: ItemId,
        /// Its parameters.
        given: Given,
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
        /// Whether to copy it into the project.
        is_copied: bool,
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

/// What a permission check judges: a call, or a search, which is judged again for each item that it finds.
enum Judged {
    Call(Call),
    Search(Option<ItemType>),
}

/// An action that is allowed. It can be made only by the check.
#[derive(Debug, Clone, PartialEq)]
pub struct Permitted {
    action: Action,
    touches: Vec<Touch>,
    ask: Option<(Call, Capability)>,
}

impl Action {
    /// Returns what a permission check judges.
    fn judged(&self) -> Judged {
        let call = |primary, item_type, id: &ItemId| Judged::Call(Call::on(primary, item_type, id.clone()));
        match self {
            Self::Tool { id, given } | Self::TakeIn { item_type: ItemType::Tool, id, given } => {
                // An undecidable case is denied, by every judge.
                let judged = shell::judged_id(id, &given.as_text()).unwrap_or_else(|_| id.clone());
                call(Primary::Execute, ItemType::Tool, &judged)
            }
            Self::TakeIn { item_type, id, .. } => call(Primary::Execute, *item_type, id),
            Self::Load { item_type, id, .. } => call(Primary::Load, *item_type, id),
            Self::Sign { item_type, id } => call(Primary::Sign, *item_type, id),
            Self::Search(search) => Judged::Search(search.item_type),
        }
    }

    /// Returns the capability that would cover the action.
    #[must_use]
    pub fn needed(&self) -> String {
        match self.judged() {
            Judged::Call(call) => call.needed(),
            Judged::Search(Some(item_type)) => format!("rye.search.{item_type}.*"),
            Judged::Search(None) => Capability::all_of(Primary::Search).to_string(),
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

    /// Checks the action against what allows it: every token of a thread's chain, or a connection's permissions. Each
    /// item found by a search is checked again.
    ///
    /// # Errors
    ///
    /// Returns the denial the model gets to see.
    pub fn permit(self, authority: &impl Authority) -> Result<Permitted, Denial> {
        let call = match self.judged() {
            Judged::Call(call) => call,
            Judged::Search(item_type) => {
                authority.judge_search(item_type)?;
                return Ok(Permitted { action: self, touches: Vec::new(), ask: None });
            }
        };
        let consent = authority.judge(&call)?;
        // An undecidable case is not allowed: an action made by `tool` always can.
        let unknown = |_| Denial::Call { call: call.to_string(), needed: call.needed() };
        let touches = touches(&call, &self).map_err(unknown)?;
        touches.iter().try_for_each(|touch| authority.judge_path(touch.access, &touch.path))?;
        let mut ask = asked(call, consent);
        if let Some(write) = self.write() {
            let consent = authority.judge(&write)?;
            ask = ask.or_else(|| asked(write, consent));
        }
        Ok(Permitted { action: self, touches, ask })
    }

    /// Returns the call of the tool that writes files, if loading copies one: it needs what that needs. Where the copy may lie is judged
    /// when its path is known.
    fn write(&self) -> Option<Call> {
        match self {
            Self::Load { is_copied: true, .. } => {
                let write = Builtin::File(FileTool::Write).id().parse().ok()?;
                Some(Call::on(Primary::Execute, ItemType::Tool, write))
            }
            Self::Load { is_copied: false, .. }
            | Self::Tool { .. }
            | Self::TakeIn { .. }
            | Self::Search(_)
            | Self::Sign { .. } => None,
        }
    }

    /// Makes the run of a tool that was not offered. Its parameters are unknown to the model: the permission is judged first,
    /// and wrong parameters of a permitted tool are told when it is run.
    pub(super) fn of_other(id: ItemId, given: Given) -> Self {
        match Self::tool(id.clone(), given.clone()) {
            Ok(action) => action,
            Err(_) => Self::TakeIn { item_type: ItemType::Tool, id, given },
        }
    }

    /// Makes the run of a tool. A built-in one must name paths of the project, one that runs programs the program.
    pub(super) fn tool(id: ItemId, given: Given) -> Result<Self, String> {
        let (id, given) = execute::as_run(id, given)?;
        touched(&id, &given).map(|_| Self::Tool { id, given })
    }
}

/// Returns a call that a person must agree to, with the pattern that says so.
fn asked(call: Call, consent: Consent) -> Option<(Call, Capability)> {
    match consent {
        Consent::Given => None,
        Consent::Needed { pattern } => Some((call, pattern)),
    }
}

/// Returns the paths that an action touches by itself.
fn touches(call: &Call, action: &Action) -> Result<Vec<Touch>, String> {
    match action {
        Action::Tool { id, given } => touched(id, given),
        // An execution of a tool under another name is a tool's execution.
        Action::TakeIn { id, given, .. } if call.item_type == ItemType::Tool => touched(id, given),
        Action::TakeIn { .. } | Action::Load { .. } | Action::Search(_) | Action::Sign { .. } => Ok(Vec::new()),
    }
}

/// Returns the paths that a tool touches, if it is built in. Of one that runs programs, the program must be known.
fn touched(id: &ItemId, given: &Given) -> Result<Vec<Touch>, String> {
    shell::judged_id(id, &given.as_text())?;
    let Some(builtin) = Builtin::of(id) else { return Ok(Vec::new()) };
    let parameters = given.as_text();
    builtin.touches(&parameters).map_err(|error| {
        let is_known = |name: &str| builtin.parameters().iter().any(|parameter| parameter.name == name);
        match parameters.keys().find(|name| !is_known(name)) {
            Some(name) => format!("unknown parameter `{name}`; {error}"),
            None => error,
        }
    })
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.judged() {
            Judged::Call(call) => call.fmt(f),
            Judged::Search(Some(item_type)) => write!(f, "search {item_type}"),
            Judged::Search(None) => f.pad("search"),
        }
    }
}

impl Permitted {
    /// Gives a tool another text as one of its parameters, which no check judges: the content of a file that is written.
    #[must_use]
    pub fn with_content(mut self, parameter: &str, content: String) -> Self {
        match &mut self.action {
            Action::Tool { id, given }
                if Builtin::of(id) == Some(Builtin::File(FileTool::Write)) && parameter == "content" =>
            {
                given.pairs.retain(|(name, _)| name != parameter);
                given.object.insert(parameter.to_owned(), content.into());
            }
            Action::Tool { .. }
            | Action::TakeIn { .. }
            | Action::Load { .. }
            | Action::Search(_)
            | Action::Sign { .. } => {}
        }
        self
    }

    /// Returns the action.
    #[must_use]
    pub const fn action(&self) -> &Action {
        &self.action
    }

    /// Returns the paths that the action touches by itself, if it runs a built-in tool.
    #[must_use]
    pub fn touches(&self) -> &[Touch] {
        &self.touches
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
