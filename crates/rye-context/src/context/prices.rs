//! `[prices]`: what models cost that a provider document does not price, or prices otherwise (docs/formats.md, section 8).

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Value;

use crate::id::ItemId;
use crate::item::{Money, Price};

/// Prices by provider document, then by model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<ItemId, BTreeMap<String, OwnPrice>>);

/// The price of a million tokens of a model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
struct OwnPrice(Price);

/// A price as TOML has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    input_per_million: Decimal,
    output_per_million: Decimal,
    cache_read_per_million: Option<Decimal>,
    cache_write_per_million: Option<Decimal>,
    cache_write_1h_per_million: Option<Decimal>,
    #[serde(default = "usd")]
    currency: String,
}

/// A decimal number, as text or as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Decimal {
    Text(String),
    Whole(u64),
    /// The shortest decimal that reads as this number is the one that was written.
    Fraction(f64),
}

impl Prices {
    /// Returns the prices for the models of a provider document.
    pub fn of(&self, provider: &ItemId) -> impl Iterator<Item = (&str, &Price)> {
        self.0.get(provider).into_iter().flatten().map(|(model, price)| (model.as_str(), &price.0))
    }

    /// Returns the lines of the configuration that give a model a price.
    #[must_use]
    pub fn lines(provider: &ItemId, model: &str, price: &Price) -> String {
        let Price {
            input_per_million,
            output_per_million,
            cache_read_per_million,
            cache_write_per_million,
            cache_write_1h_per_million,
            // Of the requests, not of the model.
            cache_1h_unasked: _,
        } = price;
        let amounts = [
            ("input_per_million", Some(input_per_million)),
            ("output_per_million", Some(output_per_million)),
            ("cache_read_per_million", cache_read_per_million.as_ref()),
            ("cache_write_per_million", cache_write_per_million.as_ref()),
            ("cache_write_1h_per_million", cache_write_1h_per_million.as_ref()),
        ];
        let amounts =
            amounts.into_iter().filter_map(|(key, amount)| Some(format!("{key} = \"{}\"\n", amount?.amount())));
        let currency = format!("currency = \"{}\"\n", input_per_million.currency());
        [header(provider, model) + "\n"].into_iter().chain(amounts).chain([currency]).collect()
    }

    /// Returns the text of a configuration with the lines of a price at its end, in the place of those that it has for the
    /// model. Every other line stays as it is.
    #[must_use]
    pub fn written_into(text: &str, provider: &ItemId, model: &str, price: &Price) -> String {
        let own = header(provider, model);
        let mut is_own = false;
        let mut kept = String::new();
        for line in text.lines() {
            if line.trim_start().starts_with('[') {
                is_own = line.trim() == own;
            }
            if !is_own {
                kept.push_str(line);
                kept.push('\n');
            }
        }
        let kept = kept.trim_end();
        let gap = if kept.is_empty() { "" } else { "\n\n" };
        format!("{kept}{gap}{}", Self::lines(provider, model, price))
    }
}

fn header(provider: &ItemId, model: &str) -> String {
    let quoted = |text: &str| Value::String(text.to_owned()).to_string();
    format!("[prices.{}.{}]", quoted(provider.as_str()), quoted(model))
}

fn usd() -> String {
    "USD".to_owned()
}

impl TryFrom<Written> for OwnPrice {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let amount = |decimal: Decimal| {
            let text = match decimal {
                Decimal::Text(text) => text,
                Decimal::Whole(number) => number.to_string(),
                Decimal::Fraction(number) => number.to_string(),
            };
            Money::parse(&text, &written.currency).map_err(|error| error.to_string())
        };
        let optional = |decimal: Option<Decimal>| decimal.map(amount).transpose();
        Ok(Self(Price {
            input_per_million: amount(written.input_per_million)?,
            output_per_million: amount(written.output_per_million)?,
            cache_read_per_million: optional(written.cache_read_per_million)?,
            cache_write_per_million: optional(written.cache_write_per_million)?,
            cache_write_1h_per_million: optional(written.cache_write_1h_per_million)?,
            cache_1h_unasked: false,
        }))
    }
}
