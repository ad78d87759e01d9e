//! Known values in dumps, in lists of numbers, between characters that are not seen, and in lines that have something before them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rye::redact::{Redactor, Secret};
use serde_json::json;

use super::bounds::told;
use super::shapes::{LETTERS, random};

/// A value with what encodings differ in.
const VALUE: &str = "k9+Qa7/Xb2=Yc'9Zd~4We&6R!f1";

/// Text around a value, of which rows and lines fall within the value.
const BEFORE: &str = "name = ada.lovelace, key: ";
const BEHIND: &str = ", host = db.example.org, and so on, until the end";

fn redactor(value: &str) -> Redactor {
    Redactor::of_values([Secret::new("MY_KEY".to_owned(), value)])
}

/// Writes rows of 16 bytes, each behind its offset.
fn rows(text: &str, offset: fn(usize) -> String, row: impl Fn(&[u8]) -> String) -> String {
    let rows = text.as_bytes().chunks(16).enumerate();
    rows.map(|(number, bytes)| format!("{}{}\n", offset(number * 16), row(bytes))).collect()
}

fn each(bytes: &[u8], spell: impl Fn(u8) -> String) -> String {
    bytes.iter().map(|byte| spell(*byte)).collect()
}

/// Writes each two bytes together, the second one first.
fn words(bytes: &[u8], spell: impl Fn(u16) -> String) -> String {
    let word = |pair: &[u8]| u16::from_le_bytes([pair[0], pair.get(1).copied().unwrap_or_default()]);
    bytes.chunks(2).map(|pair| spell(word(pair))).collect()
}

fn seen(bytes: &[u8]) -> String {
    each(bytes, |byte| char::from(byte).to_string())
}

fn xxd(text: &str) -> String {
    let pairs = |bytes: &[u8]| bytes.chunks(2).map(|pair| each(pair, |byte| format!("{byte:02x}"))).collect::<Vec<_>>();
    rows(text, |at| format!("{at:08x}: "), |bytes| format!("{:<39}  {}", pairs(bytes).join(" "), seen(bytes)))
}

fn hexdump(text: &str) -> String {
    let half = |bytes: &[u8]| each(bytes, |byte| format!("{byte:02x} "));
    let both = |bytes: &[u8]| format!("{} {}", half(&bytes[..bytes.len().min(8)]), half(bytes.get(8..).unwrap_or(&[])));
    rows(text, |at| format!("{at:08x}  "), |bytes| format!("{:<49} |{}|", both(bytes), seen(bytes)))
}

fn octal(at: usize) -> String {
    format!("{at:07o}")
}

fn od_characters(text: &str) -> String {
    rows(text, octal, |bytes| each(bytes, |byte| format!("{:>4}", char::from(byte))))
}

fn list(text: &str, between: &str) -> String {
    text.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(between)
}

fn wide(text: &str, spell: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(spell).collect()
}

fn quoted_printable(text: &str) -> String {
    let spelled = text.replace('=', "=3D").replace('/', "=2F");
    let lines = spelled.as_bytes().chunks(20).map(|line| String::from_utf8_lossy(line).into_owned());
    // Not within `=3D`.
    lines
        .collect::<Vec<_>>()
        .join("=\n")
        .replace("==\n3D", "=3D=\n")
        .replace("=3=\nD", "=3D=\n")
        .replace("==\n2F", "=2F=\n")
        .replace("=2=\nF", "=2F=\n")
}

/// Writes Base64 in lines of 64, each with something before it and behind it.
fn in_lines(text: &str, before: fn(usize) -> String, behind: &str) -> String {
    let encoded = STANDARD.encode(format!("{text}{text}"));
    let lines = encoded.as_bytes().chunks(64).enumerate();
    lines.map(|(number, line)| format!("{}{}{behind}\n", before(number + 8), String::from_utf8_lossy(line))).collect()
}

type Spelling = (&'static str, fn(&str) -> String);

const SPELLINGS: &[Spelling] = &[
    ("xxd", xxd),
    ("hexdump -C", hexdump),
    ("hexdump", |text| rows(text, |at| format!("{at:07x}"), |bytes| words(bytes, |word| format!(" {word:04x}")))),
    ("od -t x1", |text| rows(text, octal, |bytes| each(bytes, |byte| format!(" {byte:02x}")))),
    ("od -t x1, no offsets", |text| rows(text, |_| String::new(), |bytes| each(bytes, |byte| format!(" {byte:02x}")))),
    ("od -x, no offsets", |text| rows(text, |_| String::new(), |bytes| words(bytes, |word| format!(" {word:04x}")))),
    ("od", |text| rows(text, octal, |bytes| words(bytes, |word| format!(" {word:06o}")))),
    ("od -b", |text| rows(text, octal, |bytes| each(bytes, |byte| format!(" {byte:03o}")))),
    ("od -c", od_characters),
    ("od -t u1", |text| rows(text, octal, |bytes| each(bytes, |byte| format!(" {byte:>3}")))),
    ("xxd, by grep -n", |text| xxd(text).lines().map(|line| format!("12:{line}\n")).collect()),
    ("xxd, quoted", |text| xxd(text).lines().map(|line| format!("> {line}\n")).collect()),
    ("a list of numbers", |text| format!("[{}]", list(text, ", "))),
    ("a list in lines", |text| format!("[\n    {}\n]", list(text, ",\n    "))),
    ("numbers alone", |text| list(text, " ")),
    ("quoted-printable", quoted_printable),
    ("UTF-16 in Base64", |text| STANDARD.encode(wide(text, u16::to_le_bytes))),
    ("large-endian UTF-16 in Base64", |text| STANDARD.encode(wide(text, u16::to_be_bytes))),
    ("UTF-16 in hexadecimal", |text| each(&wide(text, u16::to_le_bytes), |byte| format!("{byte:02x}"))),
    ("coloured letters", |text| {
        text.chars().map(|letter| format!("\u{1b}[3{}m{letter}\u{1b}[0m", text.len() % 8)).collect()
    }),
    ("linked letters", |text| text.chars().map(|letter| format!("\u{1b}]8;;x\u{7}{letter}\u{1b}(B")).collect()),
    ("zero-width characters", |text| text.chars().flat_map(|letter| [letter, '\u{200b}', '\u{2060}']).collect()),
    ("zeros", |text| text.chars().flat_map(|letter| [letter, '\0']).collect()),
    ("Base64 behind >", |text| in_lines(text, |_| "> ".to_owned(), "")),
    ("Base64 behind +", |text| in_lines(text, |_| "+".to_owned(), "")),
    ("Base64 behind -", |text| in_lines(text, |_| "-".to_owned(), "")),
    ("Base64 behind #", |text| in_lines(text, |_| "# ".to_owned(), "")),
    ("Base64 behind numbers", |text| in_lines(text, |number| format!("{number:>6}\t"), "")),
    ("Base64 behind numbers and hyphens", |text| in_lines(text, |number| format!("{number}-"), "")),
    ("Base64 behind paths", |text| in_lines(text, |number| format!("notes/of/some/folder/key.txt:{number}:"), "")),
    ("Base64 in strings", |text| in_lines(text, |_| "    \"".to_owned(), "\" +")),
];

#[test]
fn a_value_is_found_in_dumps_numbers_and_between_what_is_not_seen() {
    let redactor = redactor(VALUE);
    for (name, spell) in SPELLINGS {
        for (before, behind) in [("", ""), (BEFORE, BEHIND), ("ab", "")] {
            let spelled = spell(&format!("{before}{VALUE}{behind}"));
            let text = format!("The first line\n{}\nThe last line\n", spelled.trim_end_matches('\n'));
            let whole = redactor.text(&text).into_owned();
            assert!(whole.contains("[redacted: value of MY_KEY]"), "{name}: {text}: {whole}");
            assert!(whole.starts_with("The first line\n") && whole.ends_with("The last line\n"), "{name}: {whole}");
            // What shows the bytes as text is gone with them.
            assert_eq!(told(&VALUE[1..25], &whole), None, "{name}: {whole}");
        }
    }
}

#[test]
fn a_value_is_found_in_a_dump_within_another_spelling() {
    let redactor = redactor(VALUE);
    for (name, spell) in SPELLINGS {
        let spelled = spell(&format!("{BEFORE}{VALUE}{BEHIND}"));
        for outer in [STANDARD.encode(&spelled), json!(spelled).to_string(), json!({"a": spelled}).to_string()] {
            let whole = redactor.text(&outer).into_owned();
            assert!(whole.contains("[redacted: value of MY_KEY]"), "{name}: {outer}: {whole}");
        }
    }
}

/// A key of several lines, and a credential with one in a string.
fn several_lines() -> [(String, Vec<String>); 2] {
    let line = |number: usize| random("", LETTERS, 64 + number)[..64].to_owned();
    let lines: Vec<String> = (0..5).map(line).collect();
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", lines.join("\n"));
    let id = random("4f", "0123456789abcdef", 38);
    let credential = json!({"type": "service_account", "private_key_id": id, "private_key": pem, "uri": "https://accounts.example.org/o/oauth2/auth"});
    let credential = serde_json::to_string_pretty(&credential).unwrap();
    [(pem, lines.clone()), (credential, lines.into_iter().chain([id]).collect())]
}

/// Each long line of a value is a value, so that neither what is before it nor the lack of the others matters.
#[test]
fn a_line_of_a_value_is_found_whatever_is_before_it() {
    let prefixes = ["", "1:", "12-", "+", "-", "> ", "| ", "    12\t", "notes/key.pem:7:", "// ", "\u{1b}[32m+"];
    for (value, secrets) in several_lines() {
        let redactor = redactor(&value);
        for prefix in prefixes {
            let lines: Vec<String> = value.lines().map(|line| format!("{prefix}{line}\n")).collect();
            let parts = (0..lines.len()).flat_map(|first| [&lines[first..], &lines[first..=first]]);
            for shown in parts.map(|part| redactor.text(&part.concat()).into_owned()) {
                for secret in &secrets {
                    assert_eq!(told(secret, &shown), None, "{prefix:?}: {shown}");
                }
            }
        }
        let numbered = (1..).zip(value.lines()).map(|(at, line)| format!("{at}\t{line}\n")).collect::<String>();
        let shown = redactor.text(&numbered);
        assert!(secrets.iter().all(|secret| told(secret, &shown).is_none()), "{shown}");
        // Lines that every such value has stay.
        assert_eq!(redactor.text("  \"type\": \"service_account\",\n}\n"), "  \"type\": \"service_account\",\n}\n");
        assert_eq!(
            redactor.text("https://accounts.example.org/o/oauth2/auth"),
            "https://accounts.example.org/o/oauth2/auth"
        );
    }
}
