//! The limits in force for one thread, and by which rules it is held to them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::context::LimitRules;
use crate::item::{Cost, CurrencyMismatch, Limits, Money, Price};

/// The limits in force for one thread: none is left open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ceilings {
    /// Round trips to the model.
    pub turns: u32,
    /// Input and output tokens over the whole thread.
    pub tokens: u64,
    /// Seconds from the first event.
    pub duration: u64,
    /// Money over the whole thread.
    pub spend: Money,
    /// The greatest context of one call, in tokens, if the directive declares one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// How tokens are counted.
    #[serde(default, skip_serializing_if = "Counting::is_whole")]
    pub counting: Counting,
    /// After how many rounds in a row that are alike the thread is stopped; never without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<u32>,
}

/// How tokens are counted, and by what a call is judged before it is made. It is recorded, because a replay must judge
/// as the thread was judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// The whole input of every call counts, and the bytes of a request bound it. No thread is started so any more; it is the
    /// rule for records that name none.
    #[default]
    Whole,
    /// Each token counts once, and the bytes of a request bound its tokens.
    Bound,
    /// Each token counts once, and the tokens of a request are estimated.
    Estimate,
}

impl Counting {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    const fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }
}

impl Ceilings {
    /// Joins what the caller asks for with what the directive declares, the stricter winning, and closes what both
    /// leave open with the defaults. `rules` are those of the configuration.
    ///
    /// # Errors
    ///
    /// Fails when two of them limit the spend in different currencies.
    pub fn new(
        declared: &Limits,
        cost: Option<&Cost>,
        asked: &Limits,
        rules: &LimitRules,
    ) -> Result<Self, CurrencyMismatch> {
        let declared = declared.effective(cost)?;
        let asked = rules.rates.limits(asked, declared.spend.as_ref());
        let limits = declared.stricter(&asked)?.or(&Limits::defaults());
        Ok(Self {
            turns: limits.turns.unwrap_or_default(),
            tokens: limits.tokens.unwrap_or_default(),
            duration: limits.duration.unwrap_or_default(),
            spend: limits.spend.expect("because the defaults limit the spend"),
            context: cost.map(|cost| cost.context_tokens),
            counting: if rules.strict { Counting::Bound } else { Counting::Estimate },
            repeats: Some(rules.repeats),
        })
    }

    /// Returns a price in the currency of the limit on money.
    ///
    /// # Errors
    ///
    /// Fails when the configuration has no rate between the two currencies.
    pub fn price(&self, price: &Price, rules: &LimitRules) -> Result<Price, CurrencyMismatch> {
        let mismatch = || CurrencyMismatch { one: self.spend.clone(), other: price.input_per_million.clone() };
        rules.rates.price(price, self.spend.currency()).ok_or_else(mismatch)
    }

    /// Returns the limits as text by name, as tokens and events carry them.
    #[must_use]
    pub fn as_text(&self) -> BTreeMap<String, String> {
        let mut text = BTreeMap::from([
            ("turns".to_owned(), self.turns.to_string()),
            ("tokens".to_owned(), self.tokens.to_string()),
            ("duration".to_owned(), self.duration.to_string()),
            ("spend".to_owned(), self.spend.to_string()),
        ]);
        text.extend(self.context.map(|context| ("context".to_owned(), context.to_string())));
        text
    }
}
