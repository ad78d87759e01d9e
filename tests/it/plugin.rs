//! The plugin host and the plugins that are part of the program.
//!
//! - `host`: finding, judging and opening libraries.
//! - `installed`: plugins of others, and everything that keeps one from being opened.
//! - `misbehaving`: errors about plugins that break the contract.
//! - `steps`, `scripted`, `script`: golden tests of each plugin's translation, asked through the host.

mod host;
mod installed;
mod misbehaving;
mod script;
mod scripted;
mod steps;

use std::path::{Path, PathBuf};

use rye::plugin::{Error, Plugins};
use rye_plugin_abi::provider::{DirectiveBrief, EncodeRequest};
use serde_json::{Value, json};

/// The program as cargo builds it for tests.
fn program() -> PathBuf {
    PathBuf::from(crate::support::RYE)
}

/// The file of a library as cargo leaves it among the dependencies.
fn built(crate_name: &str) -> PathBuf {
    let name = format!("{}{crate_name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    program().parent().unwrap_or(Path::new(".")).join("deps").join(name)
}

fn plugins() -> Plugins {
    Plugins::of_program(&program()).expect("the program was built")
}

/// What follows a step's failure has one definition, in the contract: this does not compile with two.
#[test]
fn what_follows_a_failure_has_one_definition() {
    let item: rye::item::OnError = rye_plugin_abi::provider::OnError::Continue;
    assert!(!item.is_end());
}

/// A request without a conversation for a directive given as JSON.
fn request(directive: Value) -> EncodeRequest {
    EncodeRequest {
        state: Value::Null,
        document: Value::Null,
        model: "none".to_owned(),
        system: String::new(),
        messages: std::sync::Arc::default(),
        tools: Vec::new(),
        max_output_tokens: 1000,
        directive: match directive {
            Value::Null => DirectiveBrief::default(),
            other => serde_json::from_value(other).expect("a directive's brief"),
        },
        script: None,
    }
}

/// What a plugin reports as code and message.
fn reported<T: std::fmt::Debug>(result: Result<T, Error>) -> (String, String) {
    match result {
        Err(Error::Reported { code, message, .. }) => (code, message),
        other => panic!("nothing was reported: {other:?}"),
    }
}

/// The usage that providers without a model report.
fn no_usage() -> Value {
    json!({"kind": "usage", "input_tokens": 0, "output_tokens": 0})
}
