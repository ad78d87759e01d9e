//! The steps of a directive's process and the action elements in them.

use std::collections::BTreeMap;

pub use rye_plugin_abi::provider::OnError;
use serde::Serialize;

use crate::capability::Primary;
use crate::id::ItemType;

/// One step of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The step's name.
    pub name: String,
    /// Everything the step says, its action elements left out; a template.
    pub text: String,
    /// The calls the step names, in order.
    pub actions: Vec<Action>,
    /// What follows when one of its calls fails or is denied, where no model runs.
    #[serde(skip_serializing_if = "OnError::is_end")]
    pub on_error: OnError,
    /// Whether it is nothing but action elements, and perhaps a description: so it can be done without a model.
    #[serde(skip)]
    pub acts_alone: bool,
}

/// A call that a step spells out. Ids, attributes and parameters are templates: render them with the inputs first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Action {
    /// What to do.
    pub primary: Primary,
    /// To an item of which type.
    pub item_type: Option<ItemType>,
    /// To which item; a search names none. A template.
    pub item_id: Option<String>,
    /// Further attributes such as `query`; values are templates.
    pub attributes: BTreeMap<String, String>,
    /// Parameters in order; values are templates.
    pub params: Vec<(String, String)>,
}
