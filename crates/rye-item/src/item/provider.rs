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
    /// The sizes of each model; `*` matches any other.
    pub models: BTreeMap<String, ModelSizes>,
    /// The greatest output of one call, in tokens, for models that do not say it themselves.
    pub max_output_tokens: Option<u64>,
    /// Where its requests go; none for a provider that needs no network.
    pub reach: Option<Reach>,
    /// The template of the system prompt; empty without one.
    pub system_template: String,
}

/// How a provider is reached over the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// The address that the paths of its wire format are added to.
    pub url: String,
    /// The variable of the environment that takes the place of `url`, as the vendor's own clients read it.
    pub url_variable: Option<String>,
    /// What authenticates its requests; none for a server that asks for nothing.
    pub auth: Option<Auth>,
    /// Further headers of every request, by lower-case name.
    pub headers: BTreeMap<String, String>,
    /// How often a request that failed is repeated.
    pub retry: Option<Retry>,
}

/// How large the conversations and answers of a model can be, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ModelSizes {
    /// The context: input and output of one call.
    pub context: Option<u64>,
    /// The greatest output of one call.
    pub max_output_tokens: Option<u64>,
}

/// How often a request that failed is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Retry {
    /// The most attempts, the first one included.
    pub attempts: u32,
    /// The longest wait before all of them together, in seconds.
    pub seconds: u32,
}

impl Retry {
    /// The most that a document may ask for.
    pub const MOST: Self = Self { attempts: 5, seconds: 30 };
}

impl ProviderDocument {
    /// The key of `pricing` and `models` for any other model.
    pub const EVERY_MODEL: &'static str = "*";

    /// Returns the sizes of a model: its own, or those of every other model.
    #[must_use]
    pub fn sizes(&self, model: &str) -> ModelSizes {
        self.models.get(model).or_else(|| self.models.get(Self::EVERY_MODEL)).copied().unwrap_or_default()
    }
}

/// What authenticates requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Auth {
    /// The name of the secret.
    pub secret: String,
    /// The header that carries it, by lower-case name.
    pub header: String,
    /// The prefix in the header, such as `Bearer `.
    pub prefix: String,
}

/// What a model costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// For a million input tokens.
    pub input_per_million: Money,
    /// For a million output tokens, in the same currency.
    pub output_per_million: Money,
    /// For a million input tokens that come from the provider's cache; without it, as other input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_per_million: Option<Money>,
    /// For a million input tokens that the provider puts into its cache; without it, as other input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_per_million: Option<Money>,
    /// For a million input tokens that stay in the provider's cache for an hour; without it, as others put there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h_per_million: Option<Money>,
    /// Whether no request asks for such a cache: its price does not count before a call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache_1h_unasked: bool,
}

/// The tokens of a call, by what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Billed {
    /// All input, that of the cache included.
    pub input: u64,
    /// Of the input, what came from the cache.
    pub cache_read: u64,
    /// Input tokens that were written to the cache.
    pub cache_write: u64,
    /// Of the tokens written to the cache, those that stay there for an hour.
    pub cache_write_1h: u64,
    /// The output.
    pub output: u64,
}

impl Price {
    /// Returns what a call of these tokens costs without a cache, rounded up.
    #[must_use]
    pub fn of(&self, input: u64, output: u64) -> Money {
        self.of_billed(Billed { input, output, ..Billed::default() })
    }

    /// Returns what a call costs, rounded up. Parts of the cache that exceed the input count as they are.
    #[must_use]
    pub fn of_billed(&self, billed: Billed) -> Money {
        let Billed { input, cache_read, cache_write, cache_write_1h, output } = billed;
        let fresh = input.saturating_sub(cache_read).saturating_sub(cache_write);
        let parts = [
            (&self.input_per_million, fresh),
            (self.read(), cache_read),
            (self.write(), cache_write.saturating_sub(cache_write_1h)),
            (self.write_1h(), cache_write_1h),
        ];
        let output = self.output_per_million.for_count(output);
        // All prices are read in one currency, so the sums always exist.
        parts.iter().fold(output, |sum, (price, count)| sum.plus(&price.for_count(*count)).unwrap_or(sum))
    }

    /// Names what an hour in the cache costs where the document does not: twice the price of other input. That counts before a call
    /// only if requests ask for it.
    #[must_use]
    pub fn with_hour(self, is_asked: bool) -> Self {
        if self.cache_write_1h_per_million.is_some() {
            return self;
        }
        let input = &self.input_per_million;
        let twice = input.plus(input).unwrap_or_else(|| input.clone());
        let hour = if twice.nano() < self.write().nano() { self.write().clone() } else { twice };
        Self { cache_write_1h_per_million: Some(hour), cache_1h_unasked: !is_asked, ..self }
    }

    /// Returns the most that a call can cost: as if all its input were of the dearest kind.
    #[must_use]
    pub fn bound(&self, input: u64, output: u64) -> Money {
        let hour = if self.cache_1h_unasked { self.write() } else { self.write_1h() };
        let kinds = [&self.input_per_million, self.read(), self.write(), hour];
        let dearest = kinds
            .into_iter()
            .fold(&self.input_per_million, |most, kind| if kind.nano() > most.nano() { kind } else { most });
        let output = self.output_per_million.for_count(output);
        output.plus(&dearest.for_count(input)).unwrap_or(output)
    }

    fn read(&self) -> &Money {
        self.cache_read_per_million.as_ref().unwrap_or(&self.input_per_million)
    }

    fn write(&self) -> &Money {
        self.cache_write_per_million.as_ref().unwrap_or(&self.input_per_million)
    }

    fn write_1h(&self) -> &Money {
        self.cache_write_1h_per_million.as_ref().unwrap_or_else(|| self.write())
    }
}
