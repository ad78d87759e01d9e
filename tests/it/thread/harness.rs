//! Limits as arithmetic: what is left before a call, and money that never drifts.

use proptest::prelude::*;
use rye::event::Usage;
use rye::item::{Cost, Limits};
use rye::thread::harness::{Ceilings, Harness};

use super::machine::{Terms, harness, price, usd};

fn used(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens, ..Usage::default() }
}

/// What stops a thread of these terms before a call of 100 bytes, after some turns and tokens.
fn stopped(terms: &Terms, turns: u32, usage: Usage, now_ms: u64) -> Option<(&'static str, String)> {
    let mut harness = harness(terms);
    for _ in 0..turns {
        harness.begin_turn();
    }
    harness.add(usage);
    harness.before_call(100, 50, now_ms).err().map(|reached| (reached.limit, reached.value))
}

#[test]
fn each_limit_stops_at_its_edge_and_not_before() {
    let terms =
        Terms { turns: 3, tokens: 1_000, seconds: 2, spend: 1_000, price: (1_000_000, 2_000_000), ..Terms::default() };
    let stop = |name, value: &str| Some((name, value.to_owned()));
    assert_eq!(stopped(&terms, 2, used(0, 0), 1_999), None);
    assert_eq!(stopped(&terms, 3, used(0, 0), 0), stop("turns", "3"));
    assert_eq!(stopped(&terms, 0, used(0, 0), 2_000), stop("duration", "2 s"));
    assert_eq!(stopped(&terms, 0, used(0, 0), u64::MAX), stop("duration", "2 s"));
    let free = Terms { price: (0, 0), tokens: 1_000, spend: 0, ..Terms::default() };
    assert_eq!(stopped(&free, 0, used(800, 99), 0), None);
    assert_eq!(stopped(&free, 0, used(800, 100), 0), stop("tokens", "1000"));
    assert_eq!(stopped(&free, 0, used(u64::MAX, 7), 0), stop("tokens", "1000"));
    // 100 bytes cost 100 nano-units, one output token 2.
    assert_eq!(stopped(&terms, 0, used(898, 0), 0), None);
    assert_eq!(stopped(&terms, 0, used(899, 0), 0), stop("spend", "0.000001 USD"));
}

#[test]
fn the_answer_is_cut_to_what_is_left() {
    let tokens = Terms { tokens: 120, ..Terms::default() };
    assert_eq!(harness(&tokens).before_call(100, 50, 0), Ok(20));
    let spend = Terms { spend: 120, price: (1_000_000, 2_000_000), ..Terms::default() };
    assert_eq!(harness(&spend).before_call(100, 50, 0), Ok(10));
    assert_eq!(harness(&Terms::default()).before_call(100, 50, 0), Ok(50));
}

#[test]
fn a_context_that_is_too_large_stops_the_thread() {
    let cost = Cost {
        context_tokens: 100,
        estimated_usage: None,
        turns: Some(4),
        spawn_threshold: None,
        duration: None,
        spend: None,
    };
    let ceilings = Ceilings::new(&Limits::default(), Some(&cost), &Limits::default()).unwrap();
    let mut harness = Harness::new(ceilings, price((0, 0)), 0).unwrap();
    assert_eq!(harness.ceilings().turns, 4);
    assert_eq!(harness.before_call(400, 50, 0), Ok(50));
    assert_eq!(harness.before_call(404, 50, 0).unwrap_err().limit, "context");
    harness.add(used(101, 0));
    assert_eq!(harness.before_call(4, 50, 0).unwrap_err().limit, "context");
}

#[test]
fn a_caller_only_narrows_and_currencies_do_not_mix() {
    let declared = Limits { turns: Some(4), tokens: Some(10), ..Limits::default() };
    let asked = Limits { turns: Some(9), tokens: Some(3), duration: Some(60), ..Limits::default() };
    let ceilings = Ceilings::new(&declared, None, &asked).unwrap();
    let text: Vec<_> = ceilings.as_text().into_iter().collect();
    let expected = [("duration", "60"), ("spend", "1.00 USD"), ("tokens", "3"), ("turns", "4")];
    assert_eq!(text, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let euro = rye::item::Money::from_nano(1, "EUR").unwrap();
    let prices = rye::item::Price {
        input_per_million: euro.clone(),
        output_per_million: euro,
        cache_read_per_million: None,
        cache_write_per_million: None,
    };
    assert!(Harness::new(ceilings, prices, 0).is_err());
}

proptest! {
    /// Hole 18 of the threat model: money in floats drifted. The sum is exact, and no turn is lost (hole 14).
    #[test]
    fn what_was_spent_is_the_sum_of_all_turns(turns in prop::collection::vec((0u64..1_000_000, 0u64..1_000_000), 0..20), per in (0u64..100_000_000_000, 0u64..100_000_000_000)) {
        let mut harness = harness(&Terms { price: per, ..Terms::default() });
        let (mut nano, mut tokens) = (0u64, 0u64);
        for (input, output) in turns {
            let cost = harness.add(used(input, output));
            let exact = (u128::from(per.0) * u128::from(input)).div_ceil(1_000_000) + (u128::from(per.1) * u128::from(output)).div_ceil(1_000_000);
            prop_assert_eq!(u128::from(cost.nano()), exact);
            nano += cost.nano();
            tokens += input + output;
        }
        prop_assert_eq!(harness.spend(), &usd(nano));
        prop_assert_eq!(harness.usage().total(), tokens);
    }

    /// Whatever was used: a call that is allowed fits into what is left, at its upper bound.
    #[test]
    fn an_allowed_call_fits_into_every_limit(
        past in prop::collection::vec((0u64..2_000, 0u64..2_000), 0..5),
        bytes in 0u64..5_000, wanted in 1u64..5_000, per in (0u64..9_000_000_000, 0u64..9_000_000_000), spend in 0u64..50_000_000,
    ) {
        let mut harness = harness(&Terms { tokens: 8_000, spend, price: per, ..Terms::default() });
        for (input, output) in past {
            harness.add(used(input, output));
        }
        if let Ok(output) = harness.before_call(bytes, wanted, 0) {
            prop_assert!(output >= 1 && output <= wanted);
            prop_assert!(harness.usage().total() + bytes + output <= 8_000);
            let bound = price(per).of(bytes, output);
            prop_assert!(harness.spend().nano() + bound.nano() <= spend);
        }
    }
}
