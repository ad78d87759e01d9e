//! Known values in every usual spelling, one in the other, and cut anywhere.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use rye::redact::{Arriving, Redactor, Secret};
use serde_json::json;

/// A value with what escapes and encodings differ in.
const VALUE: &str = "k9+Qa7/Xb2=Yc'9Zd~4We&6R!f1";

/// Text before a value, of which line breaks fall within its Base64.
const BEFORE: &str = "name = ada.lovelace, host = db.example.org, key: ";

fn each(text: &str, spell: impl Fn(u8) -> String) -> String {
    text.bytes().map(spell).collect()
}

/// Writes other characters than these as `%HH`.
fn percent(text: &str, kept: &str) -> String {
    each(text, |byte| {
        let is_kept = byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte);
        if is_kept { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    })
}

fn wrapped(text: &str, width: usize, end: &str) -> String {
    let lines: Vec<&str> = text.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
    lines.join(end)
}

/// Puts a text into the string of a JSON text.
fn in_json(text: &str) -> String {
    json!(text).to_string()
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('\'', "&#39;")
        .replace('+', "&#43;")
        .replace('/', "&#x2F;")
        .replace('=', "&equals;")
}

fn octal_where_needed(text: &str) -> String {
    each(text, |byte| if byte.is_ascii_alphanumeric() { char::from(byte).into() } else { format!("\\{byte:03o}") })
}

/// Writes a text as a shell does between `$'` and `'`, with more backslashes than are needed.
fn quoted_by_shell(text: &str) -> String {
    each(text, |byte| match byte {
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        byte if byte.is_ascii_alphanumeric() || byte == b' ' => char::from(byte).into(),
        byte => format!("\\{}", char::from(byte)),
    })
}

type Spelling = (&'static str, fn(&str) -> String);

const SPELLINGS: &[Spelling] = &[
    ("as it is", str::to_owned),
    ("JSON", in_json),
    ("JSON with \\/", |text| in_json(text).replace('/', "\\/")),
    ("\\u0041", |text| each(text, |byte| format!("\\u{byte:04x}"))),
    ("\\u{41}", |text| each(text, |byte| format!("\\u{{{byte:X}}}"))),
    ("\\U00000041", |text| each(text, |byte| format!("\\U{byte:08X}"))),
    ("\\x41", |text| each(text, |byte| format!("\\x{byte:02x}"))),
    ("\\101", |text| each(text, |byte| format!("\\{byte:o}"))),
    ("punctuation in octal", octal_where_needed),
    ("printf %q", quoted_by_shell),
    ("HTML", html),
    ("&#65;", |text| each(text, |byte| format!("&#{byte};"))),
    ("&#x41;", |text| each(text, |byte| format!("&#x{byte:x};"))),
    ("quote", |text| percent(text, "_.-~/")),
    ("quote with nothing safe", |text| percent(text, "_.-~")),
    ("encodeURIComponent", |text| percent(text, "-_.!~*'()")),
    ("small digits", |text| percent(text, "-_.!~*'()").to_lowercase()),
    ("%41", |text| each(text, |byte| format!("%{byte:02x}"))),
    ("Base64", |text| STANDARD.encode(text)),
    ("Base64 without padding", |text| STANDARD_NO_PAD.encode(format!("a{text}"))),
    ("Base64 for URLs", |text| URL_SAFE.encode(format!("ab{text}c"))),
    ("Base64 for URLs without padding", |text| URL_SAFE_NO_PAD.encode(text)),
    ("Base64 in lines", |text| wrapped(&STANDARD.encode(format!("{BEFORE}{text}{BEFORE}")), 76, "\n")),
    ("Base64 in lines of CRLF", |text| wrapped(&STANDARD.encode(format!("{BEFORE}a{text}{BEFORE}")), 76, "\r\n")),
    ("Base64 in indented lines", |text| wrapped(&STANDARD.encode(format!("{BEFORE}ab{text}")), 64, "\n    ")),
    ("Base64 in lines in JSON", |text| in_json(&wrapped(&STANDARD.encode(format!("{BEFORE}{text}")), 76, "\n"))),
    ("Base64 in lines of CRLF in JSON", |text| {
        in_json(&wrapped(&STANDARD.encode(format!("{BEFORE}{text}")), 76, "\r\n"))
    }),
    ("continued", |text| wrapped(text, 9, "\\\n")),
    ("hexadecimal", |text| each(text, |byte| format!("{byte:02x}"))),
    ("large hexadecimal", |text| each(text, |byte| format!("{byte:02X}"))),
    ("hexadecimal with spaces", |text| each(text, |byte| format!("{byte:02x} "))),
    ("hexadecimal with colons", |text| each(text, |byte| format!("{byte:02X}:"))),
    ("hexadecimal of an array", |text| each(text, |byte| format!("0x{byte:02x}, "))),
    ("wrapped", |text| wrapped(text, 9, "\n")),
    ("wrapped and indented", |text| wrapped(text, 9, "\r\n\t  ")),
];

fn redactor(value: &str) -> Redactor {
    Redactor::of_values([Secret::new("MY_KEY".to_owned(), value)])
}

fn arrived(redactor: &Redactor, pieces: impl IntoIterator<Item = String>) -> String {
    let mut arriving = Arriving::default();
    let mut shown: String = pieces.into_iter().map(|piece| arriving.push(redactor, &piece)).collect();
    shown.push_str(&arriving.close(redactor));
    shown
}

/// Spells a value, and asserts that its middle is gone.
fn assert_hidden(name: &str, spelled: &str, shown: &str) {
    let middle = &spelled[spelled.len() / 2 - 3..spelled.len() / 2 + 3];
    assert!(shown.contains("[redacted: value of MY_KEY]"), "{name}: {spelled:?}: {shown:?}");
    // Of a spelling in lines, what was encoded with the value may stay.
    assert!(spelled.contains(['\n', '\\']) || !shown.contains(middle), "{name}: {spelled:?}: {shown:?}");
}

#[test]
fn a_value_is_found_in_every_spelling_and_wherever_it_is_cut() {
    let redactor = redactor(VALUE);
    for (name, spell) in SPELLINGS {
        let value = if *name == "small digits" { VALUE.to_lowercase() } else { VALUE.to_owned() };
        let redactor = if *name == "small digits" { self::redactor(&value) } else { self::redactor(VALUE) };
        let spelled = spell(&value);
        let text = format!("It is \"{spelled}\", keep it.\nNext \\u00 line\n");
        let whole = redactor.text(&text).into_owned();
        assert_hidden(name, &spelled, &whole);
        assert!(whole.starts_with("It is ") && whole.ends_with(" line\n"), "{name}: {whole}");
        for at in 0..=text.len() {
            let (one, two) = text.split_at(at);
            assert_eq!(arrived(&redactor, [one.to_owned(), two.to_owned()]), whole, "{name}: {one:?} {two:?}");
        }
        assert_eq!(arrived(&redactor, text.chars().map(String::from)), whole, "{name}");
    }
    assert_eq!(redactor.text("k9+Qa7/Xb2=Yc"), "k9+Qa7/Xb2=Yc");
}

#[test]
fn a_value_is_found_in_any_two_spellings_one_in_the_other() {
    let redactor = redactor(VALUE);
    for (inner, first) in SPELLINGS.iter().filter(|(name, _)| *name != "small digits") {
        for (place, (outer, second)) in SPELLINGS.iter().enumerate().filter(|(_, (name, _))| *name != "small digits") {
            let name = format!("{inner} in {outer}");
            let text = format!("see {} there", second(&first(VALUE)));
            let whole = redactor.text(&text).into_owned();
            assert!(whole.contains("[redacted: value of MY_KEY]"), "{name}: {text:?}: {whole:?}");
            assert!(whole.starts_with("see ") && whole.ends_with(" there"), "{name}: {whole:?}");
            let (one, two) = text.split_at(4 + (place * 37 + inner.len() * 11) % (text.len() - 8));
            assert_eq!(arrived(&redactor, [one.to_owned(), two.to_owned()]), whole, "{name}: {one:?} {two:?}");
        }
    }
}

/// A value of several words is known with a line break in the place of a space, and as forms send it; a key of several lines
/// without its lines.
#[test]
fn a_value_with_spaces_or_lines_is_found_in_other_lines() {
    for (value, text) in [
        ("correct horse battery", "say correct horse\nbattery twice"),
        ("correct horse battery", "say correct\r\n  horse battery twice"),
        ("correct horse battery", "say correct+horse+battery twice"),
        ("correct horse battery", "say correct%20horse%20battery twice"),
        ("-----BEGIN\nabcdef\nghijkl\n-----END", "say -----BEGIN\\nabcdef\\nghijkl\\n-----END twice"),
        ("-----BEGIN\nabcdef\nghijkl\n-----END", "say -----BEGIN\n    abcdef\n    ghijkl\n    -----END twice"),
        ("-----BEGIN\nabcdef\nghijkl\n-----END\n", "say -----BEGIN abcdef ghijkl -----END twice"),
        ("-----BEGIN\n  abcdef\r\nghijkl\n-----END", "say -----BEGIN+abcdef+ghijkl+-----END twice"),
        ("sch\u{fc}ssel-\u{1f511}-bund", "say sch\\u00fcssel-\\ud83d\\udd11-bund twice"),
        ("sch\u{fc}ssel-\u{1f511}-bund", "say sch%C3%BCssel-%f0%9f%94%91-bund twice"),
        ("abcd%2Fefgh\\nij", "say abcd%2Fefgh\\nij twice"),
        ("abcd%2Fefgh\\nij", "say abcd%252Fefgh%5Cnij twice"),
        ("abcd%2Fefgh\\nij", "say abcd%2\nFefgh\\nij twice"),
    ] {
        let redactor = redactor(value);
        let whole = redactor.text(text);
        assert_eq!(whole, "say [redacted: value of MY_KEY] twice", "{text:?}");
        assert_eq!(arrived(&redactor, text.chars().map(String::from)), whole, "{text:?}");
    }
}

/// Of a value that is in a text twice, or across another one, no end stays.
#[test]
fn values_that_overlap_go_as_one() {
    let secrets = [("ONE", "abcdefghijkl"), ("TWO", "ghijklmnopqr")];
    let redactor = Redactor::new(secrets.map(|(name, value)| Secret::new(name.to_owned(), value)));
    assert_eq!(redactor.text("x abcdefghijklmnopqr y"), "x [redacted: value of ONE] y");
}

/// Prose with known values is shown at most a word late.
#[test]
fn prose_is_shown_as_it_comes_though_values_are_known() {
    let redactor = Redactor::new([Secret::new("MY_KEY".to_owned(), VALUE)]);
    let text = "The first half of an answer, that is it. And then\nthe other one: 12 of 100% are done, and so on.\n";
    let (mut arriving, mut shown, mut sent) = (Arriving::default(), String::new(), String::new());
    for piece in text.split_inclusive(' ') {
        sent.push_str(piece);
        shown.push_str(&arriving.push(&redactor, piece));
        assert!(sent.starts_with(&shown) && sent.len() - shown.len() <= 16, "{sent:?}: {shown:?}");
    }
    shown.push_str(&arriving.close(&redactor));
    assert_eq!(shown, text);
}

/// What never ends is not kept without a bound, and not shown in the place of a value.
#[test]
fn the_beginning_of_a_value_without_an_end_is_hidden() {
    let redactor = redactor(VALUE);
    let mut arriving = Arriving::default();
    let mut shown = arriving.push(&redactor, &VALUE[..9]);
    for _ in 0..20 {
        shown.push_str(&arriving.push(&redactor, &"\n".repeat(16 * 1024)));
    }
    shown.push_str(&arriving.push(&redactor, &VALUE[9..]));
    shown.push_str(&arriving.close(&redactor));
    assert!(!shown.contains(&VALUE[..9]) && shown.contains("[redacted: "), "{}", shown.trim());
}
