//! Exchange rates, as a person configured them.
//!
//! Limits and prices in different currencies meet by a rate that the person gives, once, before a thread begins: prices
//! are rounded up and limits down. Everything after that is counted in the limit's currency.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use super::{Limits, Money, Price};

/// How many billionths of the second currency one unit of the first costs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rates(BTreeMap<(String, String), u64>);

const ONE: u128 = 1_000_000_000;

/// A rate as TOML has it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Whole(u64),
    /// The shortest decimal that reads as this number is the one that was written.
    Decimal(f64),
}

impl Rates {
    /// Reads a rate such as `EUR/USD` = `1.08`: one EUR costs 1.08 USD.
    ///
    /// # Errors
    ///
    /// The fault of the pair or the rate.
    pub fn add(&mut self, pair: &str, rate: &str) -> Result<(), String> {
        let currencies = pair.split_once('/').filter(|(from, to)| from != to);
        let Some((from, to)) =
            currencies.filter(|(from, to)| Money::parse("0", from).and(Money::parse("0", to)).is_ok())
        else {
            return Err(format!("`{pair}` must be two currencies like `EUR/USD`"));
        };
        let nano = Money::parse(rate, to).map_err(|error| error.to_string())?.nano();
        if nano == 0 {
            return Err(format!("the rate of `{pair}` must be more than zero"));
        }
        self.0.insert((from.to_owned(), to.to_owned()), nano);
        Ok(())
    }

    /// Converts a price, rounded up; none without a rate.
    #[must_use]
    pub fn price(&self, price: &Price, to: &str) -> Option<Price> {
        let convert = |amount: &Money| self.convert(amount, to, u128::div_ceil);
        let optional = |amount: &Option<Money>| match amount {
            Some(amount) => convert(amount).map(Some),
            None => Some(None),
        };
        Some(Price {
            input_per_million: convert(&price.input_per_million)?,
            output_per_million: convert(&price.output_per_million)?,
            cache_read_per_million: optional(&price.cache_read_per_million)?,
            cache_write_per_million: optional(&price.cache_write_per_million)?,
            cache_write_1h_per_million: optional(&price.cache_write_1h_per_million)?,
            cache_1h_unasked: price.cache_1h_unasked,
        })
    }

    /// Returns limits with the money in another currency, rounded down; as they are without a rate.
    #[must_use]
    pub fn limits(&self, limits: &Limits, to: Option<&Money>) -> Limits {
        let mut limits = limits.clone();
        if let (Some(spend), Some(to)) = (&limits.spend, to)
            && let Some(converted) = self.convert(spend, to.currency(), |amount, by| amount / by)
        {
            limits.spend = Some(converted);
        }
        limits
    }

    fn convert(&self, amount: &Money, to: &str, divide: fn(u128, u128) -> u128) -> Option<Money> {
        if amount.currency() == to {
            return Some(amount.clone());
        }
        let rate = |from: &str, to: &str| self.0.get(&(from.to_owned(), to.to_owned())).copied().map(u128::from);
        let nano = match (rate(amount.currency(), to), rate(to, amount.currency())) {
            (Some(rate), _) => divide(u128::from(amount.nano()) * rate, ONE),
            (None, Some(rate)) => divide(u128::from(amount.nano()) * ONE, rate),
            (None, None) => return None,
        };
        Money::from_nano(u64::try_from(nano).unwrap_or(u64::MAX), to).ok()
    }
}

impl<'de> Deserialize<'de> for Rates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut rates = Self::default();
        for (pair, written) in BTreeMap::<String, Written>::deserialize(deserializer)? {
            let rate = match written {
                Written::Text(text) => text,
                Written::Whole(number) => number.to_string(),
                Written::Decimal(number) => number.to_string(),
            };
            rates.add(&pair, &rate).map_err(serde::de::Error::custom)?;
        }
        Ok(rates)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn money(amount: &str, currency: &str) -> Money {
        Money::parse(amount, currency).unwrap()
    }

    #[test]
    fn prices_round_up_and_limits_round_down_in_both_directions() {
        let mut rates = Rates::default();
        rates.add("EUR/USD", "1.08").unwrap();
        let price = Price {
            input_per_million: money("2.00", "USD"),
            output_per_million: money("10.80", "USD"),
            cache_read_per_million: Some(money("0.1", "USD")),
            cache_write_per_million: None,
            cache_write_1h_per_million: None,
            cache_1h_unasked: false,
        };
        let euro = rates.price(&price, "EUR").unwrap();
        assert_eq!(
            (euro.input_per_million.amount(), euro.output_per_million.amount()),
            ("1.851851852".into(), "10.00".into())
        );
        assert_eq!(euro.cache_read_per_million, Some(money("0.092592593", "EUR")));
        assert_eq!(rates.price(&euro, "USD").unwrap().output_per_million, money("10.80", "USD"));
        assert_eq!(rates.price(&price, "USD"), Some(price.clone()));
        assert_eq!(rates.price(&price, "GBP"), None);
        let limits = Limits { spend: Some(money("1.00", "USD")), ..Limits::default() };
        let converted = |to: &str| rates.limits(&limits, Some(&money("5", to))).spend.unwrap().to_string();
        assert_eq!(converted("EUR"), "0.925925925 EUR");
        assert_eq!(converted("GBP"), "1.00 USD", "which is then refused");
        assert_eq!(rates.limits(&limits, None), limits);
    }

    #[test]
    fn a_rate_is_two_currencies_and_more_than_zero() {
        for (pair, rate) in [("EUR", "1"), ("EUR/EUR", "1"), ("EUR/usd", "1"), ("EUR/USD", "0"), ("EUR/USD", "-1")] {
            assert!(Rates::default().add(pair, rate).is_err(), "{pair} {rate}");
        }
        let read = |value| serde_json::from_value::<Rates>(value);
        let mut rates = Rates::default();
        rates.add("EUR/USD", "1.08").unwrap();
        assert_eq!(read(json!({"EUR/USD": 1.08})).unwrap(), rates);
        assert_eq!(read(json!({"EUR/USD": "1.08"})).unwrap(), rates);
        assert!(read(json!({"EUR/USD": true})).is_err() && read(json!({"EUR": 2})).is_err());
    }
}
