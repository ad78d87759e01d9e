//! Values of JSON as people read them: what is short on its line, what is long as a block, and nothing without end.

use rye::format::event_text::{abridged, parts};
use serde_json::{Value, json};

fn told(value: &Value) -> Vec<(String, String, bool)> {
    parts(value).into_iter().map(|part| (part.name, part.text, part.is_block)).collect()
}

fn part(name: &str, text: &str, is_block: bool) -> (String, String, bool) {
    (name.to_owned(), text.to_owned(), is_block)
}

#[test]
fn texts_with_lines_are_blocks_and_what_is_short_stays_short() {
    let value = json!({"path": "a.md", "content": "one\ntwo\n", "tags": ["x", "y"], "n": 3, "none": {}});
    assert_eq!(
        told(&value),
        [
            part("path", "a.md", false),
            part("content", "one\ntwo\n", true),
            part("tags", r#"["x","y"]"#, false),
            part("n", "3", false),
            part("none", "{}", false),
        ]
    );
    assert_eq!(
        told(&json!({"files": [{"path": "a", "text": "1\n2"}]})),
        [part("files.0.path", "a", false), part("files.0.text", "1\n2", true)]
    );
    assert_eq!(told(&json!("x")), [part("", "x", false)]);
    assert_eq!(told(&json!({})), [part("", "{}", false)]);
    assert_eq!(told(&json!("x".repeat(81))), [part("", &"x".repeat(81), true)]);
}

#[test]
fn what_is_deep_ends_as_json() {
    let deep = (0..40).fold(json!("a\nb"), |value, _| json!([value]));
    let [part] = parts(&deep).try_into().unwrap_or_else(|_| panic!());
    assert!(part.name == ["0"; 8].join(".") && part.text.contains("\\n"), "{part:?}");
}

#[test]
fn a_text_is_cut_between_characters() {
    assert_eq!(abridged("äöü", 2), ("äö", 1));
    assert_eq!(abridged("ab", 2), ("ab", 0));
}
