//! Redaction: replaced text, text that stays byte for byte, and that time is linear.
//!
//! This file contains no secret, and no text that looks like one: `shapes` makes them up of their beginnings and of
//! characters that a counter picks.

mod arriving;
pub(crate) mod bounds;
mod dumps;
pub(crate) mod shapes;
mod spellings;
mod untouched;

use std::borrow::Cow;

use rye::redact::{Redactor, Secret, marks, marks_in};
use serde_json::json;

use shapes::{LETTERS, random};

#[test]
fn the_mark_names_the_kind_and_nothing_else_changes() {
    let redactor = Redactor::default();
    let key = random("AKIA", shapes::CAPITALS, 16);
    let text = format!("key = \"{key}\"  # ünïcode\n{key},{key}\n");
    assert_eq!(
        redactor.text(&text),
        "key = \"[redacted: aws access key]\"  # ünïcode\n[redacted: aws access key],[redacted: aws access key]\n"
    );
    assert!(matches!(redactor.text("nothing is here"), Cow::Borrowed(_)));
    let url = format!("postgres://ada:{}@db.example.org:5432/garden", random("", LETTERS, 12));
    assert_eq!(redactor.text(&url), "postgres://ada:[redacted: password in a url]@db.example.org:5432/garden");
}

/// Redacted text stays as it is: a thread that is read back, forked or searched has the same bytes.
#[test]
fn redacting_again_changes_nothing() {
    let redactor = Redactor::default();
    for (_, text) in shapes::all() {
        let once = redactor.text(&text).into_owned();
        assert_eq!(redactor.text(&once), once, "{text}");
    }
}

#[test]
fn values_are_redacted_in_every_text_and_by_the_names_of_members() {
    let redactor = Redactor::default();
    let (token, key) = (random("ghp_", LETTERS, 36), random("", LETTERS, 32));
    let value = json!({"a": [1, null, {token.clone(): format!("x {token}")}], "client_secret": key, "public_key": key});
    assert!(redactor.finds_in(&value));
    let mark = "[redacted: github token]";
    let redacted = redactor.value(value);
    assert_eq!(
        redacted,
        json!({"a": [1, null, {mark: format!("x {mark}")}], "client_secret": "[redacted: assigned key]", "public_key": key})
    );
    assert!(!redactor.finds_in(&redacted));
    assert_eq!(marks_in(&redacted), [mark, mark, "[redacted: assigned key]"]);
    assert_eq!(marks("[redacted: ] [redacted: a\nb").count(), 1);
}

#[test]
fn a_value_of_this_installation_is_found_however_it_is_written() {
    use base64::Engine as _;
    let value = "geheim/und+lang \"genug\"";
    let secret = |name: &str, value: &str| Secret::new(name.to_owned(), value);
    let redactor = Redactor::new([secret("MY_KEY", value), secret("SHORT", "abc")]);
    let encoded = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    for written in [
        value.to_owned(),
        json!(value).to_string(),
        "geheim%2Fund%2Blang%20%22genug%22".to_owned(),
        encoded(value),
        encoded(&format!("ada:{value}")),
        encoded(&format!("ad:{value}:x")),
        encoded(&format!("a:{value}\n")),
    ] {
        let shown = redactor.text(&format!("see {written} there")).into_owned();
        assert!(shown.contains("[redacted: value of MY_KEY]") && shown.ends_with(" there"), "{written}: {shown}");
    }
    assert_eq!(redactor.text("abc"), "abc");
    assert!(!format!("{redactor:?}").contains("geheim"));
}

/// A part of a stream is not recognizable as a secret; texts are redacted whole, and a text of any size in linear time.
#[test]
fn a_long_text_of_beginnings_is_looked_at_once() {
    let value = "k9+Qa7/Xb2=Yc9Zd4We6Rf1Tg8Uh3V";
    let redactor = Redactor::new([Secret::new("MY_KEY".to_owned(), value)]);
    let most = 256 * 1024;
    for piece in [
        "token token_secret_",
        "://a:b",
        "-----BEGIN PRIVATE KEY-----\n",
        "eyJhbGciOiJIUzI1.eyJ.",
        "sk-ant-",
        "PrivatePrivate-Lines:",
        "password=",
        "AAAA",
        "b3BlbnNzaC1rZXktdjE ",
        "fn main() { let token = next(); }\n",
        "VVVV",
        "VlZXVlZXVlZX",
        "4f1c ",
        "34663163",
        "\\",
        "\\u005c",
        "%25",
        "&amp;",
        "\n",
        "k9+Qa7/Xb2",
        "azkrUWE3L1hiMj1",
        "=3D",
        "=3D=\n",
        "115, 101, ",
        "00000000: 3033 3032 3035 3033\n",
        "\u{1b}[m",
        "> QUFBQUFBQUFBQUFBQUFBQUFBQUFB\n",
        "\0A",
    ] {
        let text = piece.repeat(most / piece.len());
        let shown = redactor.text(&text);
        assert!(shown.len() <= text.len());
    }
}
