//! Inputs, templates, money and limits.

use proptest::prelude::*;
use rye::format::template::{MOST_FILLED, Room, TemplateError, TooLong, render};
use rye::item::{Input, InputKind, Inputs, Limits, Money, resolve, typed};
use serde_json::{Map, Value, json};

fn declared() -> Vec<Input> {
    let input = |name: &str, kind, required, default: Option<Value>| Input {
        name: name.to_owned(),
        kind,
        required,
        default,
        description: String::new(),
    };
    vec![
        input("topic", InputKind::String, true, None),
        input("count", InputKind::Integer, false, Some(json!(3))),
        input("extra", InputKind::Object, false, None),
    ]
}

fn given(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is not a map"),
    }
}

fn inputs(value: Value) -> Inputs {
    resolve(&declared(), &given(value)).expect("good inputs")
}

#[test]
fn values_win_over_defaults_and_the_wrapper_is_unwrapped() {
    let plain = inputs(json!({"topic": "x", "extra": null}));
    assert_eq!(serde_json::to_value(&plain).expect("plain data"), json!({"topic": "x", "count": 3}));
    let wrapped = inputs(json!({"directive_name": "d", "inputs": {"topic": "x", "count": 4}}));
    assert_eq!(serde_json::to_value(&wrapped).expect("plain data"), json!({"topic": "x", "count": 4}));
}

#[test]
fn wrong_inputs_are_named_with_what_would_be_right() {
    let cases = [
        (json!({"topc": "x"}), "unknown input `topc` (did you mean `topic`?); declared are `topic`, `count`, `extra`"),
        (json!({}), "missing required input `topic`; declared are `topic`, `count`, `extra`"),
        (json!({"topic": " "}), "required input `topic` is empty"),
        (json!({"topic": 1}), "input `topic` must be a string, but the number `1` was given"),
        (json!({"topic": "x", "count": "3"}), "input `count` must be an integer, but the string `\"3\"` was given"),
        (json!({"topic": "x", "count": 1.5}), "input `count` must be an integer, but the number `1.5` was given"),
        (
            json!({"topic": "x", "count": typed(InputKind::Integer, "99999999999999999999")}),
            "input `count` must be an integer, but the integer of more than 64 bits `\"99999999999999999999\"` was given",
        ),
    ];
    for (value, wanted) in cases {
        assert_eq!(resolve(&declared(), &given(value)).expect_err(wanted).to_string(), wanted);
    }
    let none = resolve(&[], &given(json!({"a": 1}))).expect_err("nothing is declared");
    assert_eq!(none.to_string(), "unknown input `a`; no input is declared");
}

#[test]
fn command_line_values_are_typed_by_the_declaration() {
    let cases = [
        (InputKind::String, "3", json!("3")),
        (InputKind::Integer, "3", json!(3)),
        (InputKind::Integer, "3.5", json!("3.5")),
        (InputKind::Number, "3.5", json!(3.5)),
        (InputKind::Boolean, "true", json!(true)),
        (InputKind::Boolean, "yes", json!("yes")),
        (InputKind::Array, "[1]", json!([1])),
        (InputKind::Object, "{\"a\":1}", json!({"a": 1})),
        (InputKind::Object, "[1]", json!("[1]")),
    ];
    for (kind, text, wanted) in cases {
        assert_eq!(typed(kind, text), wanted, "{kind} {text}");
    }
}

#[test]
fn placeholders_follow_their_table() {
    let without = inputs(json!({"topic": "{input:count}"}));
    let with = inputs(json!({"topic": "t", "count": 7, "extra": {"a": [1, "b"]}}));
    let cases = [
        ("<{input:topic}>", "<{input:count}>", "<t>"),
        ("{input:count}{input:count:9}{input:count|9}{input:count?}", "3333", "7777"),
        ("[{input:extra}|{input:extra?}|{input:extra:none: x}|{input:extra|}]", "[||none: x|]", "[J|J|J|J]"),
        (
            "{input} {inputs:topic} {{input:topic}}",
            "{input} {inputs:topic} {{input:count}}",
            "{input} {inputs:topic} {t}",
        ),
    ];
    for (template, bare, full) in cases {
        assert_eq!(render(template, &without, &Room::new()).expect("renders"), bare);
        assert_eq!(render(template, &with, &Room::new()).expect("renders"), full.replace('J', r#"{"a":[1,"b"]}"#));
    }
    let undeclared = TemplateError::Undeclared { placeholder: "{input:nope}".to_owned() };
    assert_eq!(render("a {input:nope}", &with, &Room::new()), Err(undeclared));
    for broken in
        ["{input:}", "{input:topic", "{input:to pic}", "{input:topic?x}", "{input:topic:{}}", "{input:topic:\n}"]
    {
        assert!(matches!(render(broken, &with, &Room::new()), Err(TemplateError::Malformed { .. })), "{broken}");
    }
}

#[test]
fn all_texts_that_share_a_room_have_one_bound() {
    let long = inputs(json!({"topic": "x".repeat(MOST_FILLED / 4)}));
    let four = "{input:topic}".repeat(4);
    assert_eq!(render(&four, &long, &Room::new()).map(|text| text.len()), Ok(MOST_FILLED));
    assert_eq!(render(&format!("{four}."), &long, &Room::new()), Err(TooLong.into()));
    assert_eq!(render(&"{input:topic}".repeat(100_000), &long, &Room::new()), Err(TooLong.into()));
    let room = Room::new();
    assert!(render(&four, &long, &room).is_ok());
    assert_eq!(render("a", &long, &room), Err(TooLong.into()));
}

#[test]
fn money_is_exact_and_strict() {
    let usd = |amount: &str| Money::parse(amount, "USD");
    assert_eq!(usd("0.1").expect("money").nano(), 100_000_000);
    assert_eq!(usd("0.000000001").expect("money").amount(), "0.000000001");
    assert_eq!(usd("5").expect("money").to_string(), "5.00 USD");
    for bad in
        ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,0", "1.0000000001", "18446744074", "99999999999999999999", "１"]
    {
        assert!(usd(bad).is_err(), "{bad}");
    }
    assert!(Money::parse("1", "usd").is_err() && Money::parse("1", "EURO").is_err());
    assert_eq!(usd("3").expect("money").for_count(1).nano(), 3_000);
    assert_eq!(usd("0.000001").expect("money").for_count(1).nano(), 1);
    assert_eq!(
        serde_json::to_value(usd("0.1").expect("money")).expect("data"),
        json!({"amount": "0.10", "currency": "USD"})
    );
}

#[test]
fn the_stricter_limit_wins_and_currencies_do_not_mix() {
    let one = Limits { turns: Some(3), spend: Money::parse("1", "USD").ok(), ..Limits::default() };
    let other = Limits { turns: Some(5), tokens: Some(9), spend: Money::parse("0.5", "USD").ok(), ..Limits::default() };
    let both = one.stricter(&other).expect("one currency");
    assert_eq!(both, Limits { turns: Some(3), tokens: Some(9), spend: other.spend.clone(), ..Limits::default() });
    let euro = Limits { spend: Money::parse("1", "EUR").ok(), ..Limits::default() };
    let error = one.stricter(&euro).expect_err("two currencies");
    assert_eq!(error.to_string(), "`1.00 USD` and `1.00 EUR` are in different currencies");
    assert_eq!(one.or(&Limits::defaults()).tokens, Some(200_000));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn money_reads_what_it_prints(nano in any::<u64>()) {
        let money = Money::from_nano(nano, "USD").expect("a currency");
        prop_assert_eq!(Money::parse(&money.amount(), "USD"), Ok(money.clone()));
        let text = serde_json::to_string(&money).expect("plain data");
        prop_assert_eq!(serde_json::from_str::<Money>(&text).expect("as written"), money);
    }

    /// Single pass: whatever the value, it arrives once and as it is.
    #[test]
    fn values_are_never_scanned_again(before in "[^{]{0,20}", value in ".{0,40}", after in "[^{]{0,20}") {
        prop_assume!(!value.trim().is_empty());
        let given = inputs(json!({"topic": value}));
        let rendered = render(&format!("{before}{{input:topic}}{after}"), &given, &Room::new());
        prop_assert_eq!(rendered, Ok(format!("{before}{value}{after}")));
    }

    #[test]
    fn text_without_placeholders_stays(text in ".{0,80}") {
        prop_assume!(!text.contains("{input:"));
        prop_assert_eq!(render(&text, &inputs(json!({"topic": "x"})), &Room::new()), Ok(text));
    }

    #[test]
    fn limits_only_narrow(a in any::<(Option<u32>, Option<u64>)>(), b in any::<(Option<u32>, Option<u64>)>()) {
        let limits = |(turns, tokens)| Limits { turns, tokens, ..Limits::default() };
        let both = limits(a).stricter(&limits(b)).expect("no money");
        for one in [a, b] {
            prop_assert!(one.0.is_none_or(|turns| both.turns.is_some_and(|both| both <= turns)));
            prop_assert!(one.1.is_none_or(|tokens| both.tokens.is_some_and(|both| both <= tokens)));
        }
    }
}
