//! What the host says of plugins that break the contract.

use rye::plugin::{Error, Plugin, Provider, ToolKind};
use rye_plugin_abi::Table;
use serde_json::Value;

use super::{built, program, request};

fn misbehaving(name: &str) -> Result<Plugin, Error> {
    Plugin::open(&built("rye_plugin_misbehaving"), name, &program())
}

/// What asking a misbehaving provider for a turn ends with.
fn asked(name: &str, model: &str) -> Error {
    let mut question = request(Value::Null);
    question.model = model.to_owned();
    let provider = Provider::new(misbehaving(name).expect("its table is good")).expect("it is a provider");
    provider.encode(&question).expect_err("it misbehaves")
}

#[test]
fn a_table_that_breaks_the_contract_is_refused() {
    let refused = |name| misbehaving(name).expect_err("its table is wrong").to_string();
    let table = |name: &str, problem: &str| format!("the table of the plugin `{name}` {problem}");
    let size = format!("has {} bytes instead of {}", Table::SIZE - 8, Table::SIZE);
    let expected = [
        ("wrong_abi", "the plugin `wrong_abi` was made for contract version 2, this program for version 1".to_owned()),
        ("wrong_size", table("wrong_size", &size)),
        ("no_call", table("no_call", "cannot be used: a function is missing")),
        ("no_free", table("no_free", "cannot be used: a function is missing")),
        ("no_name", table("no_name", "cannot be used: its name is missing or too long")),
        ("long_name", table("long_name", "cannot be used: its name is missing or too long")),
        ("garbled_name", table("garbled_name", "cannot be used: its name is not UTF-8")),
    ];
    for (name, message) in expected {
        assert_eq!(refused(name), message);
    }
    assert!(misbehaving("absent").expect_err("it has no table").to_string().contains("`rye_plugin_v1_absent`"));
}

#[test]
fn a_plugin_of_another_kind_is_refused() {
    let odd = Provider::new(misbehaving("wrong_kind").expect("a table")).expect_err("it is of no known kind");
    assert_eq!(odd.to_string(), "the plugin `good` is of kind 99, not a provider");
    let provider = ToolKind::new(misbehaving("silent").expect("a table")).expect_err("it is a provider");
    assert_eq!(provider.to_string(), "the plugin `good` is of kind 1, not a tool kind");
}

#[test]
fn a_panic_is_caught_and_named_whatever_it_carries() {
    let panicked = |model| match asked("panicking", model) {
        Error::Panicked { plugin, message } => (plugin, message),
        other => panic!("{other:?}"),
    };
    let named = |message: &str| ("panicking".to_owned(), message.to_owned());
    assert_eq!(panicked("opus"), named("no model `opus`"));
    assert_eq!(panicked("grenade"), named("a value that is not text"));
    let described = misbehaving("panicking").expect("a table").describe();
    assert!(matches!(described, Err(Error::Panicked { message, .. }) if message == "plain text"));
}

#[test]
fn a_bad_answer_is_named_with_its_plugin() {
    let message = |name| asked(name, "none").to_string();
    assert_eq!(message("garbage"), "the answer of the plugin `garbage` is not JSON");
    assert_eq!(message("silent"), "the answer of the plugin `good` is not JSON");
    for name in ["wrong_shape", "no_answer", "failing_wrongly"] {
        assert_eq!(message(name), format!("the answer of the plugin `{name}` is not of the right shape"));
    }
    let kind = "the plugin `later_kind` answers with the kind of answer `http`, which this version does not know";
    assert_eq!(message("later_kind"), kind);
    assert_eq!(message("failing"), "the plugin `failing` reports `tired`: not today");
    assert_eq!(message("odd_status"), "a call of the plugin `odd_status` ended with the unknown status 77");
    let large = "the answer of the plugin `too_large` has 16777217 bytes, more than the limit of 16777216";
    assert_eq!(message("too_large"), large);
}

#[test]
fn a_plugin_that_calls_itself_otherwise_than_its_table_is_refused() {
    let described = misbehaving("renamed").expect("a table").describe().expect_err("another name");
    assert_eq!(described.to_string(), "the plugin `renamed` calls itself `someone_else`");
}

#[test]
fn unknown_fields_of_an_answer_are_tolerated() {
    let provider = Provider::new(misbehaving("more_fields").expect("a table")).expect("a provider");
    let response = provider.encode(&request(Value::Null)).expect("an answer");
    assert_eq!(response.state, Value::from(7));
}
