//! `--limit NAME=VALUE`: one limit of a thread.

use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

use crate::item::{Limits, Money};

/// One limit as it was given; the others are open.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Limit(Limits);

/// Reads one limit.
///
/// # Errors
///
/// Says in words what would be right.
pub(super) fn parse(text: &str) -> Result<Limit, String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    let mut limits = Limits::default();
    match name {
        "turns" => limits.turns = Some(number(value, u32::MAX)?),
        "tokens" => limits.tokens = Some(number(value, u64::MAX)?),
        "spend" => limits.spend = Some(money(value)?),
        "duration" => limits.duration = Some(number(value, u64::MAX)?),
        "complexity" => {
            let words = Limits::WORDS.join(", ");
            limits = Limits::of_complexity(value)
                .ok_or_else(|| format!("unknown complexity `{value}` (expected one of {words})"))?;
        }
        "spawns" | "depth" => {
            return Err(format!(
                "`{name}` has no effect in this version, because threads do not start other threads yet"
            ));
        }
        _ => return Err(format!("unknown limit `{name}` (expected turns, tokens, spend, duration or complexity)")),
    }
    Ok(Limit(limits))
}

/// Joins limits; of two for the same thing the last one counts.
pub(super) fn joined(given: &[Limit]) -> Limits {
    given.iter().fold(Limits::default(), |all, limit| limit.0.or(&all))
}

fn number<T: FromStr<Err = ParseIntError> + Display>(value: &str, most: T) -> Result<T, String> {
    value.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("`{value}` is too large (expected at most {most})"),
        _ => format!("expected a whole number, found `{value}`"),
    })
}

/// Reads an amount with its currency, which is USD by default.
fn money(value: &str) -> Result<Money, String> {
    let end = value.find(|character: char| character.is_ascii_alphabetic()).unwrap_or(value.len());
    let (amount, currency) = (value[..end].trim(), &value[end..]);
    let currency = if currency.is_empty() { "USD" } else { currency };
    Money::parse(amount, currency).map_err(|error| format!("invalid amount `{value}`: {}", error.reason))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn limits_are_read_and_joined() {
        let given: Vec<Limit> =
            ["turns=4", "spend=0.10", "spend=0.05 EUR", "turns=2"].map(|text| parse(text).unwrap()).into();
        let spend = Money::parse("0.05", "EUR").unwrap();
        assert_eq!(joined(&given), Limits { turns: Some(2), spend: Some(spend), ..Limits::default() });
        let words: Vec<Limit> = ["complexity=simple", "turns=9"].map(|text| parse(text).unwrap()).into();
        let spend = Money::parse("0.05", "USD").unwrap();
        let simple = Limits { turns: Some(9), tokens: Some(20_000), spend: Some(spend), ..Limits::default() };
        assert_eq!(joined(&words), simple);
        for text in [
            "complexity=hard",
            "turns",
            "turns=-1",
            "turns=many",
            "spend=1.5.2",
            "spend=1 dollars",
            "time=3",
            "spawns=1",
            "depth=1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let refused = |text| parse(text).err().unwrap();
        assert_eq!(refused("spend=abc"), "invalid amount `abc`: write it as a decimal number like `0.10`");
        assert_eq!(refused("spend=1 usd"), "invalid amount `1 usd`: a currency is three capital letters like `USD`");
        let large = parse("turns=99999999999999999999").err();
        assert_eq!(large.as_deref(), Some("`99999999999999999999` is too large (expected at most 4294967295)"));
    }
}
