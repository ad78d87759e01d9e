//! What counts from the point on at which a thread is taken up again, as its event carries it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::harness::{Ceilings, Compaction};
use crate::capability::Policy;
use crate::item::Price;

/// What counts from there on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The patterns of the configuration that deny or ask.
    pub policy: Policy,
    /// The limits in force.
    pub limits: Ceilings,
    /// What the model costs.
    pub price: Price,
    /// The most output tokens that the provider takes.
    pub max_output_tokens: u64,
    /// By what it keeps its conversation within the model's context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
}

impl Terms {
    /// Returns the limits as text by name, as events carry them.
    pub fn limits_as_text(&self) -> Map<String, Value> {
        self.limits.as_text().into_iter().map(|(name, value)| (name, Value::String(value))).collect()
    }
}
