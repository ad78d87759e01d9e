//! The `<limits>` and `<cost>` elements of a directive.

use std::fmt::Display;
use std::str::FromStr;

use super::elements::{Shape, check, group, leaf};
use crate::format::span::Findings;
use crate::format::syntax::xml::Element;
use crate::format::{Span, rules};
use crate::item::{Cost, Limits, Money, Usage};

const LIMITS: Shape = leaf(
    &[
        "turns",
        "max_turns",
        "tokens",
        "max_tokens",
        "spend",
        "max_spend",
        "spend_currency",
        "duration",
        "spawns",
        "depth",
        "complexity",
    ],
    false,
);
const COST: Shape = group(&[], &["context", "duration", "spend"]);
const DEFAULT_CURRENCY: &str = "USD";
const CONTEXT: Shape = leaf(&["estimated_usage", "turns", "spawn_threshold"], true);

/// Reads `<limits>`.
pub(super) fn limits(element: &Element, findings: &mut Findings<'_>) -> Limits {
    check(element, &LIMITS, findings);
    let spend = either(element, "spend", "max_spend", findings);
    let currency = currency(element, "spend_currency", findings);
    let meant = plain(element, "complexity").and_then(|found| complexity(found, findings));
    let limits = Limits {
        turns: either(element, "turns", "max_turns", findings).and_then(|found| number(found, 1, findings)),
        tokens: either(element, "tokens", "max_tokens", findings).and_then(|found| number(found, 1, findings)),
        spend: spend.and_then(|found| money(found, currency, findings)),
        duration: plain(element, "duration").and_then(|found| number(found, 1, findings)),
        spawns: plain(element, "spawns").and_then(|found| number(found, 0, findings)),
        depth: plain(element, "depth").and_then(|found| number(found, 0, findings)),
    };
    limits.or(&meant.unwrap_or_default())
}

/// Reads a word for limits.
fn complexity((word, span): Found<'_>, findings: &mut Findings<'_>) -> Option<Limits> {
    let limits = Limits::of_complexity(word);
    if limits.is_none() {
        let shown: String = word.chars().take(40).collect();
        let hint = format!("write one of: {}", Limits::WORDS.join(", "));
        findings.at(&rules::BAD_VALUE, span, format!("unknown complexity `{shown}`"), hint);
    }
    limits
}

/// Reads `<cost>`.
pub(super) fn cost(element: &Element, findings: &mut Findings<'_>) -> Option<Cost> {
    check(element, &COST, findings);
    let duration = element.child("duration").and_then(|child| {
        check(child, &leaf(&[], true), findings);
        number((child.text.trim(), child.text_place()), 1, findings)
    });
    let spend = element.child("spend").and_then(|child| {
        check(child, &leaf(&["currency"], true), findings);
        let currency = currency(child, "currency", findings);
        money((child.text.trim(), child.text_place()), currency, findings)
    });
    let Some(context) = element.child("context") else {
        let hint = "add `<context estimated_usage=\"medium\" turns=\"10\">8000</context>`";
        findings.at(&rules::MISSING_ELEMENT, element.span, "the cost has no `<context>`", hint);
        return None;
    };
    check(context, &CONTEXT, findings);
    for name in ["estimated_usage", "turns"] {
        super::declarations::required(context, name, findings);
    }
    Some(Cost {
        context_tokens: number((context.text.trim(), context.text_place()), 1, findings)?,
        estimated_usage: plain(context, "estimated_usage").and_then(|found| usage(found, findings)),
        turns: plain(context, "turns").and_then(|found| number(found, 1, findings)),
        spawn_threshold: plain(context, "spawn_threshold").and_then(|found| number(found, 0, findings)),
        duration,
        spend,
    })
}

type Found<'e> = (&'e str, Span);

fn plain<'e>(element: &'e Element, name: &str) -> Option<Found<'e>> {
    element.attribute(name).map(|attribute| (attribute.value.as_str(), attribute.span))
}

/// Returns the attribute under either of its names; both at once contradict each other.
fn either<'e>(element: &'e Element, short: &str, long: &str, findings: &mut Findings<'_>) -> Option<Found<'e>> {
    let (one, other) = (plain(element, short), plain(element, long));
    if let (Some(_), Some((_, span))) = (one, other) {
        let message = format!("`{short}` and `{long}` are two names of one limit");
        findings.at(&rules::LIMITS_CONFLICT, span, message, "keep one of them");
    }
    one.or(other)
}

fn number<T>((text, span): Found<'_>, least: T, findings: &mut Findings<'_>) -> Option<T>
where
    T: FromStr + PartialOrd + Display,
{
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = text.parse().ok().filter(|value| plain && *value >= least);
    if value.is_none() {
        let shown: String = text.chars().take(40).collect();
        let (message, hint) = if plain && text.parse::<T>().is_err() {
            (format!("`{shown}` is a larger number than can be counted to"), "write a smaller one")
        } else {
            let hint = "write a whole number without sign, blanks or separators";
            (format!("`{shown}` is not a whole number of at least {least}"), hint)
        };
        findings.at(&rules::BAD_VALUE, span, message, hint);
    }
    value
}

/// Returns the currency of an attribute; a fault of it is reported at its place.
fn currency<'e>(element: &'e Element, name: &str, findings: &mut Findings<'_>) -> &'e str {
    let Some((currency, span)) = plain(element, name) else { return DEFAULT_CURRENCY };
    match Money::parse("0", currency) {
        Ok(_) => currency,
        Err(error) => {
            findings.at(
                &rules::BAD_VALUE,
                span,
                error.to_string(),
                format!("write a currency such as `{name}=\"USD\"`"),
            );
            DEFAULT_CURRENCY
        }
    }
}

fn money((text, span): Found<'_>, currency: &str, findings: &mut Findings<'_>) -> Option<Money> {
    Money::parse(text, currency)
        .map_err(|error| findings.at(&rules::BAD_VALUE, span, error.to_string(), "write an amount such as `0.10`"))
        .ok()
}

fn usage((text, span): Found<'_>, findings: &mut Findings<'_>) -> Option<Usage> {
    match text {
        "low" => Some(Usage::Low),
        "medium" => Some(Usage::Medium),
        "high" => Some(Usage::High),
        other => {
            let message = format!("`{}` is not an estimate of usage", other.chars().take(40).collect::<String>());
            findings.at(&rules::BAD_VALUE, span, message, "write `low`, `medium` or `high`");
            None
        }
    }
}
