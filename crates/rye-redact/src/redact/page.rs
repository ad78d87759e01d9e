//! The table of spellings in docs/threat-model.md promises what this test proves: each of its rows, at a door and in a record.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use super::{Inspector, Redactor, Secret};
use crate::trust::SigningKey;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

const VALUE: &str = "k9+Qa7/Xb2=Yc'9Zd~4We&6R!f1";

const TOKEN: &str = "k9Qa7Xb2Yc9Zd4We6Rf1Tg8Uh3Vi5Pj0OkNl";

/// What a row says is found: spellings of known values, of tokens and of keys.
type Samples = [Vec<String>; 3];

fn value() -> String {
    format!("name = ada, key: {VALUE}, host = db.example.org")
}

fn token() -> String {
    format!("first: ghp_{TOKEN} and more\n")
}

/// Keys as OpenSSH, PKCS#1, PKCS#8 and SEC 1 write them.
fn keys() -> Vec<String> {
    let digits = STANDARD.encode([9, 77, 200, 3, 250, 41].repeat(60));
    let armoured = |label: &str, header: &[u8]| {
        let body = lines(&format!("{}{digits}", STANDARD.encode(header)), 64, |_| String::new());
        format!("-----BEGIN {label}-----\n{body}-----END {label}-----\n")
    };
    let seed: [u8; 32] = [7, 200, 13, 10, 99, 0, 255, 31].repeat(4).try_into().unwrap();
    vec![
        SigningKey::from_seed(&seed).to_openssh("a key").to_string(),
        armoured("RSA PRIVATE KEY", &[0x30, 0x82, 4, 0xa4, 2, 1, 0, 2, 0x82, 1, 1, 0]),
        armoured("PRIVATE KEY", &[0x30, 0x82, 4, 0xbe, 2, 1, 0, 0x30, 0x0d, 6, 9, 0x2a]),
        armoured("EC PRIVATE KEY", &[0x30, 0x77, 2, 1, 1, 4, 0x20, 9, 200, 31, 77, 250]),
    ]
}

fn each(text: &str, spell: impl Fn(u8) -> String) -> String {
    text.bytes().map(spell).collect()
}

fn after_each(text: &str, mark: &str) -> String {
    text.chars().map(|letter| format!("{letter}{mark}")).collect()
}

fn lines(text: &str, width: usize, before: impl Fn(usize) -> String) -> String {
    let lines = text.as_bytes().chunks(width).enumerate();
    lines.map(|(number, line)| format!("{}{}\n", before(number + 8), String::from_utf8_lossy(line))).collect()
}

fn wide(text: &str, spell: fn(u16) -> [u8; 2]) -> String {
    String::from_utf8(text.encode_utf16().flat_map(spell).collect()).unwrap()
}

fn unseen(text: &str) -> Vec<String> {
    let mut spelled = vec![wide(text, u16::to_le_bytes), wide(text, u16::to_be_bytes)];
    spelled.extend(["\u{200b}", "\u{ad}", "\u{1b}[1m", "\u{9b}31m", "^[[31m"].map(|mark| after_each(text, mark)));
    spelled
}

const BEFORES: [fn(usize) -> String; 6] = [
    |_| "> ".to_owned(),
    |_| "+".to_owned(),
    |_| " * ".to_owned(),
    |_| "// ".to_owned(),
    |number| format!("{number}: "),
    |number| format!("{number:>6}\t"),
];

/// Escapes of letters; `every` tells how many letters are between two of them.
fn escapes(text: &str, every: usize) -> Vec<String> {
    let spell = |escape: fn(u8) -> String| {
        let letters = text.bytes().enumerate();
        letters.map(|(at, byte)| if at % every == 0 { escape(byte) } else { char::from(byte).into() }).collect()
    };
    let escapes: [fn(u8) -> String; 8] = [
        |byte| format!("\\x{byte:02x}"),
        |byte| format!("\\{byte:03o}"),
        |byte| format!("\\u{byte:04x}"),
        |byte| format!("\\u{{{byte:x}}}"),
        |byte| format!("\\U{byte:08x}"),
        |byte| format!("%{byte:02X}"),
        |byte| format!("&#{byte};"),
        |byte| format!("&#x{byte:x};"),
    ];
    escapes.into_iter().map(spell).collect()
}

/// What is between the first and the last line of a key, spelled; the lines themselves stay.
fn within(key: &str, spell: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let (first, rest) = key.split_once('\n').unwrap();
    let (body, last) = rest.split_once("-----END").unwrap();
    spell(body).into_iter().map(|body| format!("{first}\n{body}\n-----END{last}")).collect()
}

fn base32(text: &str) -> String {
    let bits: String = each(text, |byte| format!("{byte:08b}"));
    let digit = |bits: &[u8]| {
        let bits = format!("{:0<5}", std::str::from_utf8(bits).unwrap());
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[usize::from_str_radix(&bits, 2).unwrap()])
    };
    bits.as_bytes().chunks(5).map(digit).collect()
}

/// A text as quoted-printable whose lines go on.
fn quoted(text: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'0'..=b'9' => char::from(byte).to_string(),
        byte => format!("={byte:02X}"),
    };
    let letters: Vec<String> = text.bytes().map(letter).collect();
    letters.chunks(20).map(<[String]>::concat).collect::<Vec<_>>().join("=\n")
}

/// Numbers of so many bytes, in a base, with zeros before them.
fn words(text: &str, width: usize, is_little: bool, base: u32) -> Vec<String> {
    let word = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes.resize(width, 0);
        if is_little {
            bytes.reverse();
        }
        let number = bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let octal = [3, 6, 0, 11, 0, 0, 0, 22][width - 1];
        match base {
            2 => format!("{number:0>0$b}", width * 8),
            8 => format!("{number:0>octal$o}"),
            16 => format!("{number:0>0$x}", width * 2),
            _ => format!("{number:>0$}", [3, 5, 0, 10, 0, 0, 0, 20][width - 1]),
        }
    };
    text.as_bytes().chunks(width).map(word).collect()
}

/// As `od` writes it, with offsets or without.
fn dumps(text: &str) -> Vec<String> {
    let mut spelled = Vec::new();
    for (base, width, is_little) in [8, 10, 16].into_iter().flat_map(|base| {
        [1, 2, 4, 8].into_iter().flat_map(move |width| [true, false].map(|is_little| (base, width, is_little)))
    }) {
        let rows = words(text, width, is_little, base);
        let rows = rows.chunks(16 / width).map(|row| row.iter().map(|word| format!(" {word}")).collect::<String>());
        let rows: Vec<String> = rows.collect();
        spelled.push(rows.iter().map(|row| format!("{row}\n")).collect());
        spelled.push(rows.iter().enumerate().map(|(at, row)| format!("{:07o}{row}\n", at * 16)).collect());
    }
    for group in [1, 2, 4, 6] {
        let row = |(at, bytes): (usize, &[u8])| {
            let groups = bytes
                .chunks(group)
                .map(|group| format!(" {}", group.iter().map(|byte| format!("{byte:08b}")).collect::<String>()));
            format!("{:08x}:{}  {}\n", at * 6, groups.collect::<String>(), String::from_utf8_lossy(bytes))
        };
        spelled.push(text.as_bytes().chunks(6).enumerate().map(row).collect());
    }
    spelled
}

/// Lists of numbers, with any of these between them.
fn lists(text: &str) -> Vec<String> {
    let mut spelled = Vec::new();
    for between in [", ", ",", "; ", ";", " ", "\n"] {
        for base in [2, 8, 10, 16] {
            for width in [1, 2, 4, 8] {
                // What is longer than a number cannot be in a list.
                spelled.extend([true, false].map(|is_little| words(text, width, is_little, base).join(between)));
            }
        }
        spelled.push(text.bytes().map(|byte| format!("0{byte:o}")).collect::<Vec<_>>().join(between));
        spelled.push(text.bytes().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(between));
        spelled.push(text.bytes().map(|byte| format!("0b{byte:b}")).collect::<Vec<_>>().join(between));
        spelled.push(text.bytes().map(|byte| format!("0o{byte:o}")).collect::<Vec<_>>().join(between));
    }
    spelled
}

/// A key in lines of any width, with marks and without.
fn folded(key: &str) -> Vec<String> {
    let widths = [1, 7, 24, 28, 40].into_iter();
    within(key, |body| {
        let body = body.replace('\n', "");
        let plain = widths.clone().map(|width| lines(&body, width, |_| String::new()));
        plain.chain(widths.clone().flat_map(|width| BEFORES.map(|before| lines(&body, width, before)))).collect()
    })
}

/// A key with escapes within its armour, and in a URL.
fn escaped(key: &str) -> Vec<String> {
    let parts = [1, 7].into_iter().flat_map(|every| within(key, |body| escapes(body, every)));
    let url = each(key, |byte| match byte {
        byte if byte.is_ascii_alphanumeric() || b"_.-~".contains(&byte) => char::from(byte).into(),
        byte => format!("%{byte:02X}"),
    });
    parts.chain([url.replace("%20", "+"), url]).collect()
}

/// The rows of the page of which something is found, each with what proves it.
fn rows() -> Vec<(&'static str, Samples)> {
    let (value, token, keys) = (value(), token(), keys());
    let mut struck = unseen(&value);
    struck.push(value.chars().map(|letter| format!("{letter}\u{8}{letter}")).collect());
    struck.push(value.chars().map(|letter| format!("_\u{8}{letter}")).collect());
    let short = [9, 12, 20, 36].into_iter().flat_map(|width| BEFORES.map(|before| lines(&value, width, before)));
    let encoded = |text: &str| vec![STANDARD.encode(text), URL_SAFE_NO_PAD.encode(text), base32(text), quoted(text)];
    let mut encodings = encoded(&value);
    encodings.extend([each(&value, |byte| format!("{byte:02x}")), each(&value, |byte| format!("{byte:02X}:"))]);
    encodings.extend(["Base64".to_owned()].into_iter().map(|_| STANDARD.encode(VALUE)));
    let pairs = [STANDARD.encode(&value), each(&value, |byte| format!("{byte:02x}")), escapes(&value, 1)[0].clone()];
    let pairs = pairs.iter().flat_map(|inner| {
        [STANDARD.encode(inner), each(inner, |byte| format!("{byte:02x}")), escapes(inner, 1)[2].clone()]
    });
    vec![
        ("as it is", [vec![value.clone()], vec![token.clone()], keys.clone()]),
        (
            "UTF-16; between letters: ignorable characters of Unicode, colours of terminals (`ESC [`, C1), `^[[`",
            [unseen(&value), unseen(&token), keys.iter().flat_map(|key| unseen(key)).collect()],
        ),
        ("each letter struck over by itself, or `_` by the letter", [struck, vec![], vec![]]),
        (
            "lines of 9 letters or more with `> `, `+`, ` * `, `// `, `N: ` or a number and a tab before each",
            [short.collect(), vec![], vec![]],
        ),
        (
            "lines of any width between `BEGIN` and `END`, also with one of these marks",
            [vec![], vec![], keys.iter().flat_map(|key| folded(key)).collect()],
        ),
        (
            "escapes `\\xNN`, `\\NNN`, `\\uNNNN`, `\\u{N}`, `\\UNNNNNNNN`, `%NN`, `&#N;`, `&#xN;`, of every letter or some; URL-encoding",
            [
                [1, 7].into_iter().flat_map(|every| escapes(&value, every)).collect(),
                vec![],
                keys.iter().flat_map(|key| escaped(key)).collect(),
            ],
        ),
        (
            "Base64, Base32 in capitals, hexadecimal, quoted-printable whose lines go on, from 12 bytes on",
            [encodings, vec![], vec![]],
        ),
        (
            "rows of `od` in base 8, 10 or 16 and of `xxd -b`, of 1, 2, 4 or 8 bytes, of either order",
            [dumps(&value), vec![], vec![]],
        ),
        (
            "lists of numbers in base 2, 8, 10 or 16, of 1, 2, 4 or 8 bytes, of either order, with blanks, commas or semicolons between them",
            [lists(&value), vec![], vec![]],
        ),
        ("two of Base64, hexadecimal and escapes, one in the other", [pairs.collect(), vec![], vec![]]),
    ]
}

#[test]
fn what_the_page_says_is_found_is_found_at_a_door_and_in_a_record() {
    let page = include_str!("../../../../docs/threat-model.md");
    let table = page.lines().skip_while(|line| !line.starts_with("| spelling |")).skip(2);
    let table = table.take_while(|line| line.starts_with('|')).map(|line| line.split(" | ").collect::<Vec<_>>());
    let found: Vec<Vec<&str>> = table.filter(|cells| cells[1..4].contains(&"found")).collect();
    let rows = rows();
    let names = |cells: &Vec<&str>| cells[0].trim_start_matches("| ").to_owned();
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), rows.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let redactor = || Redactor::new([Secret::new("MY_KEY".to_owned(), VALUE)]);
    let (marks, mut missed) =
        (["[redacted: value of MY_KEY]", "[redacted: github token]", "[redacted: private key]"], Vec::new());
    for (cells, (name, samples)) in found.iter().zip(&rows) {
        for (column, samples) in samples.iter().enumerate() {
            assert_eq!(cells[column + 1] == "found", !samples.is_empty(), "{name}, column {column}");
            for spelled in samples {
                let mut inspector = Inspector::new(redactor(), BTreeSet::new(), &[]);
                inspector.look("a.txt", None, spelled.as_bytes());
                let kept = redactor().text(spelled).into_owned();
                let is_kept_out = inspector.finish().is_err();
                if !is_kept_out || !kept.contains(marks[column]) {
                    let shown: String = spelled.chars().take(160).collect();
                    missed.push(format!("{name}, column {column}, door {is_kept_out}: {shown:?}"));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} are missed:\n{}", missed.len(), missed.join("\n"));
}
