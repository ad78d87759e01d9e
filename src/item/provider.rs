//! A provider document: a YAML tool that says how to reach models and what they cost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Money;

/// What a provider document says (docs/formats.md, section 6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProviderDocument {
    /// The plugin that speaks the wire format.
    pub plugin: String,
    /// The model id of each tier.
    pub tiers: BTreeMap<String, String>,
    /// The price of each model; a model that is not here has no known price.
    pub pricing: BTreeMap<String, Price>,
    /// The greatest output of one call, in tokens.
    pub max_output_tokens: Option<u64>,
    /// The template of the system prompt; empty when there is none.
    pub system_template: String,
}

/// What a model costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// For a million input tokens.
    pub input_per_million: Money,
    /// For a million output tokens, in the same currency.
    pub output_per_million: Money,
}

impl Price {
    /// Returns what a call of these tokens costs, rounded up.
    #[must_use]
    pub fn of(&self, input_tokens: u64, output_tokens: u64) -> Money {
        let input = self.input_per_million.for_count(input_tokens);
        let output = self.output_per_million.for_count(output_tokens);
        // Both prices are read in one currency, so the sum always exists.
        input.plus(&output).unwrap_or(output)
    }
}
