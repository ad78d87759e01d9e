//! Limits as arithmetic: the rest before a call, the settled amount after it, and money that never drifts.

use proptest::prelude::*;
use rye::context::LimitRules;
use rye::event::Usage;
use rye::item::{Cost, CurrencyMismatch, Limits, Price};
use rye::thread::harness::{Ceilings, Counting, Harness, LimitPassed, Size};

use super::machine::{Terms, harness, price, usd};

fn used(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens, ..Usage::default() }
}

/// A first request of so many bytes.
const fn first(bytes: u64) -> Size {
    Size { all: bytes, answer: 0, after: bytes, counted: None, kept: 0, last: 0 }
}

/// A further request, with so many bytes of the last answer and after it.
const fn further(all: u64, answer: u64, after: u64) -> Size {
    Size { all, answer, after, counted: None, kept: 0, last: 0 }
}

fn ceilings(declared: &Limits, asked: &Limits) -> Result<Ceilings, CurrencyMismatch> {
    Ceilings::new(declared, None, asked, &LimitRules::default())
}

/// What stops a thread of these terms before a call of 300 bytes, after some turns and tokens.
fn stopped(terms: &Terms, turns: u32, usage: Usage, now_ms: u64) -> Option<(&'static str, String)> {
    let mut harness = harness(terms);
    for _ in 0..turns {
        harness.begin_turn();
    }
    harness.add(usage);
    harness.before_call(first(300), 50, now_ms).err().map(|reached| (reached.limit, reached.value))
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
    // 100 tokens are estimated, and 16 of the answer are the fewest.
    let free = Terms { price: (0, 0), tokens: 1_000, spend: 0, ..Terms::default() };
    assert_eq!(stopped(&free, 0, used(0, 884), 0), None);
    assert_eq!(stopped(&free, 0, used(0, 885), 0), stop("tokens", "1000"));
    assert_eq!(stopped(&free, 0, used(u64::MAX, 7), 0), stop("tokens", "1000"));
    // 100 tokens cost 100 nano-units, one output token 2.
    assert_eq!(stopped(&terms, 0, used(0, 434), 0), None);
    assert_eq!(stopped(&terms, 0, used(0, 435), 0), stop("spend", "0.000001 USD"));
}

#[test]
fn the_answer_is_cut_to_what_is_left() {
    let tokens = Terms { tokens: 120, ..Terms::default() };
    assert_eq!(harness(&tokens).before_call(first(300), 50, 0), Ok(20));
    let spend = Terms { spend: 140, price: (1_000_000, 2_000_000), ..Terms::default() };
    assert_eq!(harness(&spend).before_call(first(300), 50, 0), Ok(20));
    assert_eq!(harness(&Terms::default()).before_call(first(300), 50, 0), Ok(50));
    // Fewer than a model can use do not count, unless it never takes more.
    let few = Terms { tokens: 115, ..Terms::default() };
    assert_eq!(harness(&few).before_call(first(300), 50, 0).unwrap_err().limit, "tokens");
    assert_eq!(harness(&few).before_call(first(300), 10, 0), Ok(10));
}

#[test]
fn a_token_counts_once_and_money_pays_for_each_time_it_is_read() {
    let mut harness = harness(&Terms { price: (1_000_000, 0), ..Terms::default() });
    harness.add(used(100, 10));
    assert_eq!(harness.tokens(), 110);
    harness.add(used(160, 5));
    assert_eq!((harness.tokens(), harness.spend()), (100 + 60 + 10 + 5, &usd(260)));
    // A conversation that got shorter takes nothing back.
    harness.add(used(120, 0));
    assert_eq!(harness.tokens(), 175);
    harness.add(used(130, 0));
    assert_eq!((harness.tokens(), harness.usage().total()), (185, 525));
    // A provider that counts nothing does not make the next input new.
    harness.add(used(0, 0));
    harness.add(used(130, 0));
    assert_eq!(harness.tokens(), 185);
}

#[test]
fn a_fork_goes_on_from_the_last_input() {
    let mut before = harness(&Terms { price: (1_000_000, 0), ..Terms::default() });
    before.add(used(100, 10));
    let mut after = before.resumed(before.ceilings().clone(), price((1_000_000, 0)), 0, 0).unwrap();
    after.add(used(130, 5));
    assert_eq!((after.tokens(), after.spend()), (145, &usd(230)));
}

#[test]
fn a_failed_attempt_is_paid_and_its_input_counts_once() {
    let mut harness = harness(&Terms { price: (1_000_000, 1_000_000), ..Terms::default() });
    assert_eq!(harness.add_failed(used(100, 7)), usd(107));
    harness.add(used(100, 10));
    assert_eq!((harness.tokens(), harness.spend(), harness.turns()), (117, &usd(217), 0));
    // What a cut stream reports may be a part: the count stays.
    harness.add_failed(used(1, 0));
    harness.add(used(120, 0));
    assert_eq!(harness.tokens(), 117 + 20);
}

#[test]
fn the_next_input_is_the_last_one_and_what_was_said_since() {
    let estimated = |size: Size, past: Usage| {
        let mut harness = harness(&Terms { tokens: 10_000, ..Terms::default() });
        harness.add(past);
        let counted = harness.tokens();
        10_000 - counted - harness.before_call(size, u64::MAX, 0).unwrap()
    };
    // All bytes at first, and where the provider counts nothing.
    assert_eq!(estimated(first(301), used(0, 0)), 101);
    assert_eq!(estimated(further(301, 30, 60), used(0, 9)), 101);
    // The answer counts as what it was, or less where reasoning stays out of it.
    assert_eq!(estimated(further(3_000, 300, 31), used(500, 40)), 40 + 11);
    assert_eq!(estimated(further(3_000, 90, 31), used(500, 400)), 30 + 11);
}

#[test]
fn what_passes_a_limit_is_told_by_how_much() {
    let mut harness =
        harness(&Terms { tokens: 100, spend: 1_000, price: (10_000_000, 10_000_000), ..Terms::default() });
    harness.add(used(50, 50));
    assert_eq!(harness.passed(), []);
    harness.add(used(60, 1));
    let passed = |limit: &str, value: &str, by: &str| LimitPassed {
        limit: limit.to_owned(),
        value: value.to_owned(),
        by: by.to_owned(),
    };
    assert_eq!(harness.passed(), [passed("tokens", "100", "11"), passed("spend", "0.000001 USD", "0.00000061 USD")]);
    let reached = harness.before_call(first(0), 50, 0).unwrap_err();
    assert_eq!(
        reached.sentence(),
        "the limit on tokens (100) is reached: 111 are used, the next call would add about 0"
    );
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
    let rules = LimitRules::default();
    let ceilings = Ceilings::new(&Limits::default(), Some(&cost), &Limits::default(), &rules).unwrap();
    let mut harness = Harness::new(ceilings, price((0, 0)), 0).unwrap();
    assert_eq!(harness.ceilings().turns, 4);
    assert_eq!(harness.before_call(first(300), 50, 0), Ok(50));
    assert_eq!(harness.before_call(first(301), 50, 0).unwrap_err().limit, "context");
    assert!(!harness.is_pressed(first(237)) && harness.is_pressed(first(238)));
    harness.add(used(90, 30));
    assert_eq!(harness.before_call(further(9, 15, 15), 50, 0), Ok(50));
    assert_eq!(harness.before_call(further(9, 15, 18), 50, 0).unwrap_err().limit, "context");
}

/// `limits.strict`: a request has no more tokens than bytes.
#[test]
fn a_strict_limit_is_held_by_bytes() {
    let terms = Terms { tokens: 400, strict: true, ..Terms::default() };
    let mut strict = harness(&terms);
    assert_eq!(strict.before_call(first(300), 500, 0), Ok(100));
    strict.add(used(80, 20));
    assert_eq!(strict.before_call(further(360, 40, 20), 500, 0), Ok(400 - 100 - (360 - 80)));
    assert_eq!(strict.before_call(further(380, 40, 40), 500, 0).unwrap_err().limit, "tokens");
}

/// A record without `counting` was made when the whole input counted: it is judged so for ever.
#[test]
fn a_record_that_names_no_counting_counts_the_whole_input() {
    let recorded = r#"{"turns": 9, "tokens": 1000, "duration": 60, "spend": {"amount": "1.00", "currency": "USD"}}"#;
    let ceilings: Ceilings = serde_json::from_str(recorded).unwrap();
    assert_eq!((ceilings.counting, ceilings.repeats), (Counting::Whole, None));
    let mut harness = Harness::new(ceilings.clone(), price((0, 0)), 0).unwrap();
    assert_eq!(serde_json::to_value(&ceilings).unwrap(), serde_json::from_str::<serde_json::Value>(recorded).unwrap());
    harness.add(used(400, 1));
    harness.add(used(400, 1));
    assert_eq!((harness.tokens(), harness.passed()), (802, Vec::new()));
    assert_eq!(harness.before_call(first(197), 50, 0), Ok(1));
    let reached = harness.before_call(first(198), 50, 0).unwrap_err();
    assert_eq!(reached.sentence(), "the limit on tokens (1000) is reached");
}

#[test]
fn what_stays_in_the_cache_for_an_hour_has_a_price_of_its_own() {
    let tokens =
        Usage { cache_read_tokens: 100, cache_write_tokens: 300, cache_write_1h_tokens: 200, ..used(1_000, 10) };
    let per = |nano: u64| Some(usd(nano * 1_000_000));
    let base = Price { cache_read_per_million: per(1), cache_write_per_million: per(12), ..price((10_000_000, 0)) };
    let spent = |price: &Price| {
        let limits = Limits::default();
        Harness::new(ceilings(&limits, &limits).unwrap(), price.clone(), 0).unwrap().add(tokens)
    };
    let (asked, unasked) = (base.clone().with_hour(true), base.clone().with_hour(false));
    for price in [&asked, &unasked] {
        assert_eq!(spent(price), usd(600 * 10 + 100 + 100 * 12 + 200 * 20), "twice the price of other input");
    }
    assert_eq!(unasked.bound(7, 0), usd(7 * 12), "no request asks for it");
    assert_eq!(asked.bound(7, 0), usd(7 * 20), "every request asks for it");
    // As threads recorded it that knew no such price, and replay by it.
    assert_eq!((spent(&base), base.bound(7, 0)), (usd(600 * 10 + 100 + 300 * 12), usd(7 * 12)));
    let dear = Price { cache_write_per_million: per(25), ..base.clone() };
    assert_eq!(spent(&dear.with_hour(false)), usd(600 * 10 + 100 + 300 * 25), "an hour is no cheaper than less");
    let priced = Price { cache_write_1h_per_million: per(30), ..base };
    assert_eq!(spent(&priced), usd(600 * 10 + 100 + 100 * 12 + 200 * 30));
    assert_eq!(priced.bound(7, 0), usd(7 * 30), "before a call, all input is of the dearest kind");
    assert_eq!(priced.clone().with_hour(false), priced, "its own price stays");
}

#[test]
fn the_provider_is_asked_to_count_where_a_limit_is_near() {
    let terms = Terms { tokens: 1_000, spend: 0, ..Terms::default() };
    assert!(!harness(&terms).is_near(first(2_247)) && harness(&terms).is_near(first(2_250)));
    let counted = |tokens: u64| Size { counted: Some(tokens), ..first(6_000) };
    assert_eq!(harness(&terms).before_call(counted(900), 500, 0), Ok(100), "what was counted is not an estimate");
    assert_eq!(harness(&terms).before_call(counted(985), 500, 0).unwrap_err().limit, "tokens");
    assert!(!harness(&Terms { strict: true, ..terms }).is_near(first(6_000)), "bytes are no estimate either");
    let dear = Terms { spend: 1_000, price: (1_000_000, 0), ..Terms::default() };
    assert!(!harness(&dear).is_near(first(2_247)) && harness(&dear).is_near(first(2_250)));
}

/// A long conversation in the provider's cache is not priced as if it were all new: the money left would never be used.
#[test]
fn the_next_call_is_priced_by_what_is_in_the_cache() {
    let per = |nano: u64| Some(usd(nano * 1_000_000));
    let price =
        Price { cache_read_per_million: per(1), cache_write_per_million: per(12), ..price((10_000_000, 10_000_000)) };
    let limits = Limits { spend: Some(usd(20_000)), ..Limits::default() };
    let rules = |strict| LimitRules { strict, ..LimitRules::default() };
    let room = |strict, usage: Usage| {
        let ceilings = Ceilings::new(&limits, None, &Limits::default(), &rules(strict)).unwrap();
        let mut harness = Harness::new(ceilings, price.clone(), 0).unwrap();
        harness.add(usage);
        harness.before_call(further(1_060, 0, 60), u64::MAX, 0).unwrap()
    };
    let cached = Usage { cache_read_tokens: 300, cache_write_tokens: 600, ..used(1_000, 0) };
    // Spent: 100 fresh, 300 read, 600 written. Next: 900 read, 100 fresh, 20 new ones written.
    let spent = 1_000 + 300 + 7_200;
    assert_eq!(room(false, cached), (20_000 - spent - 900 - 1_000 - 20 * 12) / 10);
    assert_eq!(room(false, used(500, 0)), (20_000 - 5_000 - 5_000 - 20 * 12) / 10);
    assert_eq!(room(true, Usage { cache_read_tokens: 1_000, ..used(1_000, 0) }), (20_000 - 1_000 - 1_060 * 12) / 10);
}

#[test]
fn a_caller_only_narrows_and_currencies_do_not_mix() {
    let declared = Limits { turns: Some(4), tokens: Some(10), ..Limits::default() };
    let asked = Limits { turns: Some(9), tokens: Some(3), duration: Some(60), ..Limits::default() };
    let ceilings = ceilings(&declared, &asked).unwrap();
    let text: Vec<_> = ceilings.as_text().into_iter().collect();
    let expected = [("duration", "60"), ("spend", "1.00 USD"), ("tokens", "3"), ("turns", "4")];
    assert_eq!(text, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let euro = rye::item::Money::from_nano(1, "EUR").unwrap();
    let prices = Price { input_per_million: euro.clone(), output_per_million: euro, ..price((0, 0)) };
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
        prop_assert!(harness.tokens() <= tokens);
    }

    /// Whatever was used: a strict call that is allowed fits into the rest, at its upper bound.
    #[test]
    fn a_strict_call_that_is_allowed_fits_into_every_limit(
        past in prop::collection::vec((0u64..2_000, 0u64..2_000), 0..5),
        bytes in 0u64..5_000, wanted in 1u64..5_000, per in (0u64..9_000_000_000, 0u64..9_000_000_000), spend in 0u64..50_000_000,
    ) {
        let mut harness = harness(&Terms { tokens: 8_000, spend, price: per, strict: true, ..Terms::default() });
        for (input, output) in past {
            harness.add(used(input, output));
        }
        if let Ok(output) = harness.before_call(first(bytes), wanted, 0) {
            prop_assert!(output >= 1 && output <= wanted);
            let bound = price(per).of(bytes, output);
            prop_assert!(harness.spend().nano() + bound.nano() <= spend);
            // The call uses all that it may.
            harness.add(used(bytes, output));
            prop_assert!(harness.tokens() <= 8_000);
            prop_assert_eq!(harness.passed(), []);
        }
    }

    /// Whatever was used: a limit is passed by no more than the estimate's error, in tokens and in money.
    #[test]
    fn a_limit_is_passed_by_no_more_than_the_estimate_missed(
        past in prop::collection::vec((0u64..2_000, 0u64..2_000), 0..5), answer in 0u64..2_000,
        after in 0u64..5_000, real in 0u64..9_000, wanted in 1u64..5_000, per in (0u64..9_000_000_000, 0u64..9_000_000_000), spend in 0u64..50_000_000,
    ) {
        let mut harness = harness(&Terms { tokens: 8_000, spend, price: per, ..Terms::default() });
        let mut last = (0, 0);
        for (input, output) in past {
            harness.add(used(input, output));
            last = (input, output);
        }
        let size = further(8_000 + after, answer, after);
        let estimate = if last.0 == 0 { size.all.div_ceil(3) } else { last.0 + last.1.min(answer.div_ceil(3)) + after.div_ceil(3) };
        if let Ok(output) = harness.before_call(size, wanted, 0) {
            harness.add(used(real, output));
            let missed = real.saturating_sub(estimate);
            prop_assert!(harness.tokens().saturating_sub(8_000) <= missed);
            let over = harness.spend().nano().saturating_sub(spend);
            // Rounding up is paid too: half a nano-unit here and there.
            prop_assert!(over <= price(per).of(missed, 0).nano() + 2, "{over} for {missed} tokens");
        }
    }
}
