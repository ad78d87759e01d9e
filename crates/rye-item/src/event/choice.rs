//! The model that a thread asked for, and the one that was chosen to answer.

use serde::{Deserialize, Serialize};

use crate::id::ItemId;
use crate::item::Model;

/// The model that a thread asked for, and the one that was chosen to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChoice {
    /// What was asked for.
    pub asked: AskedModel,
    /// The provider document that was chosen.
    pub provider: ItemId,
    /// The model that was chosen.
    pub model: String,
}

/// What a directive and the command line ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedModel {
    /// The directive's tier, or the default one.
    pub tier: String,
    /// The directive's model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The directive's tier for when its model fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// The directive's model for when its own fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_id: Option<String>,
    /// The model that was named on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
    /// The provider document that was named on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ItemId>,
}

impl AskedModel {
    /// Records what a directive asks for, and what the command line names.
    #[must_use]
    pub fn new(declared: &Model, named: Option<&str>, provider: Option<&ItemId>) -> Self {
        let Model { tier, id, fallback, fallback_id, text: _ } = declared.clone();
        Self { tier, id, fallback, fallback_id, named: named.map(str::to_owned), provider: provider.cloned() }
    }

    /// Returns the model that was asked for by its id: on the command line, or else in the directive.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.named.as_deref().or(self.id.as_deref())
    }
}
