//! Money as a whole number of nano-units of one currency.
//!
//! Invariants: exact, never a float (hole 18 of the threat model); `parse` of the printed form gives the same value.
//! Deliberately without exchange rates: amounts of two currencies do not mix.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

const NANO: u64 = 1_000_000_000;
const MILLION: u128 = 1_000_000;

/// An amount of money, never negative.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Money {
    nano: u64,
    currency: String,
}

/// An invalid amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("invalid amount of money `{text}`: {reason}")]
pub struct MoneyError {
    /// The text as given.
    pub text: String,
    /// The fault.
    pub reason: &'static str,
}

impl Money {
    /// Makes an amount of `nano` billionths of one unit of `currency`.
    ///
    /// # Errors
    ///
    /// Fails when the currency is not three capital letters.
    pub fn from_nano(nano: u64, currency: &str) -> Result<Self, MoneyError> {
        check_currency(currency)?;
        Ok(Self { nano, currency: currency.to_owned() })
    }

    /// Reads a decimal amount such as `0.10`, with up to nine digits after the point.
    ///
    /// # Errors
    ///
    /// Fails on signs, exponents, more digits than are kept, amounts beyond 18 billion, and unknown currency forms.
    pub fn parse(amount: &str, currency: &str) -> Result<Self, MoneyError> {
        let refuse = |reason| MoneyError { text: amount.to_owned(), reason };
        let (whole, fraction) = amount.split_once('.').unwrap_or((amount, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return Err(refuse("write it as a decimal number like `0.10`"));
        }
        if fraction.len() > 9 {
            return Err(refuse("at most nine digits may follow the point"));
        }
        let too_large = || refuse("it is too large");
        let whole: u64 = whole.parse().map_err(|_| too_large())?;
        let fraction: u64 = format!("{fraction:0<9}").parse().map_err(|_| too_large())?;
        let nano = whole.checked_mul(NANO).and_then(|nano| nano.checked_add(fraction)).ok_or_else(too_large)?;
        Self::from_nano(nano, currency)
    }

    /// Returns the amount in billionths of a unit.
    #[must_use]
    pub const fn nano(&self) -> u64 {
        self.nano
    }

    /// Returns the currency, three capital letters.
    #[must_use]
    pub fn currency(&self) -> &str {
        &self.currency
    }

    /// Returns the amount as a decimal with at least two digits after the point: `0.10`.
    #[must_use]
    pub fn amount(&self) -> String {
        let fraction = format!("{:09}", self.nano % NANO);
        let kept = fraction.trim_end_matches('0').len().max(2);
        format!("{}.{}", self.nano / NANO, &fraction[..kept])
    }

    /// Returns what `count` pieces cost when a million of them cost this, rounded up to a nano-unit.
    #[must_use]
    pub fn for_count(&self, count: u64) -> Self {
        let nano = (u128::from(self.nano) * u128::from(count)).div_ceil(MILLION);
        Self { nano: u64::try_from(nano).unwrap_or(u64::MAX), currency: self.currency.clone() }
    }

    /// Adds an amount of the same currency; `None` when the currencies differ. Saturates far beyond any budget.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        (self.currency == other.currency)
            .then(|| Self { nano: self.nano.saturating_add(other.nano), currency: self.currency.clone() })
    }

    /// Takes an amount of the same currency away, down to zero; `None` when the currencies differ.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Option<Self> {
        (self.currency == other.currency)
            .then(|| Self { nano: self.nano.saturating_sub(other.nano), currency: self.currency.clone() })
    }
}

fn check_currency(currency: &str) -> Result<(), MoneyError> {
    if currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Ok(());
    }
    Err(MoneyError { text: currency.to_owned(), reason: "a currency is three capital letters like `USD`" })
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount(), self.currency)
    }
}

/// The form in JSON: the amount is a decimal string.
#[derive(Serialize, Deserialize)]
struct Wire {
    amount: String,
    currency: String,
}

impl Serialize for Money {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire { amount: self.amount(), currency: self.currency.clone() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        Self::parse(&wire.amount, &wire.currency).map_err(serde::de::Error::custom)
    }
}
