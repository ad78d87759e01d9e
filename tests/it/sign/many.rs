//! Many items at once, and what `--json` says of one.

use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// More than are written at once.
const MANY: usize = 600;

fn path(number: usize) -> String {
    format!(".ai/tools/many{}/t{number}.sh", number % 3)
}

fn json_of(sandbox: &Sandbox, args: &[&str]) -> Value {
    serde_json::from_slice(&sandbox.rye(args).stdout()).unwrap()
}

#[test]
fn each_of_many_items_is_signed_completely() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    for number in 0..MANY {
        let text =
            format!("# version: \"1.0.0\"\n# description: Number {number}\n# category: many{}\ntrue\n", number % 3);
        sandbox.put(&path(number), &text);
    }
    let done = json_of(&sandbox, &["sign", "--all", "--json"]);
    assert_eq!((done["status"].as_str(), done["items"].as_array().map(Vec::len)), (Some("signed"), Some(MANY)));
    assert!(done.get("signature").is_none(), "{done}");
    for number in 0..MANY {
        let text = fs::read_to_string(sandbox.project().join(path(number))).unwrap();
        assert!(text.contains("rye:signed:") && text.contains(&format!("Number {number}\n")), "{text}");
    }
    let left = fs::read_dir(sandbox.project().join(".ai/tools/many0")).unwrap().flatten();
    assert!(left.into_iter().all(|file| !file.file_name().to_string_lossy().starts_with(".rye-tmp-")));
    sandbox.rye(&["verify", "-q"]).succeeds();
    assert_eq!(json_of(&sandbox, &["sign", "--all", "--json"])["status"], "unchanged");
}

/// The shape of the seeds.
#[test]
fn of_one_item_the_signature_is_told_in_brief() {
    let sandbox = Sandbox::with_items();
    for status in ["signed", "unchanged"] {
        let done = json_of(&sandbox, &["sign", "tool", "demo/echo", "--json"]);
        let whole = &done["items"][0]["signature"];
        assert_eq!(done["status"], status);
        assert_eq!(done["signature"], json!({"timestamp": whole["timestamp"], "hash": whole["hash"]}), "{done}");
    }
}
