//! Own keys, keys without their armour, and spellings of known values and of tokens, each by a table.

#![expect(clippy::unwrap_used, reason = "tests")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::{Inspector, Redactor, Secret};
use crate::trust::SigningKey;

const VALUE: &str = "k9+Qa7/Xb2=Yc'9Zd~4We&6R!f1";

fn text() -> String {
    format!("name = ada, key: {VALUE}, host = db.example.org")
}

fn each(text: &str, spell: impl Fn(u8) -> String) -> String {
    text.bytes().map(spell).collect()
}

fn after_each(text: &str, mark: &str) -> String {
    text.chars().map(|letter| format!("{letter}{mark}")).collect()
}

/// Writes numbers of so many bytes.
fn numbers(text: &str, width: usize, is_swapped: bool, between: &str) -> String {
    let number = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes.resize(width, 0);
        if is_swapped {
            bytes.reverse();
        }
        bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)).to_string()
    };
    text.as_bytes().chunks(width).map(number).collect::<Vec<_>>().join(between)
}

/// Writes rows of 16 bytes behind offsets, each number of so many bytes in a column.
fn rows(text: &str, width: usize, column: usize) -> String {
    let row = |(at, bytes): (usize, &[u8])| {
        let bytes = std::str::from_utf8(bytes).unwrap();
        let cells =
            numbers(bytes, width, true, " ").split(' ').map(|cell| format!("{cell:>column$}")).collect::<String>();
        format!("{:07o}{cells}\n", at * 16)
    };
    text.as_bytes().chunks(16).enumerate().map(row).collect()
}

fn lines(text: &str, width: usize, before: impl Fn(usize) -> String) -> String {
    let lines = text.as_bytes().chunks(width).enumerate();
    lines.map(|(number, line)| format!("{}{}\n", before(number + 8), String::from_utf8_lossy(line))).collect()
}

fn wide(text: &str, spell: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(spell).collect()
}

fn base32(text: &str) -> String {
    let bits: String = each(text, |byte| format!("{byte:08b}"));
    let digit = |bits: &[u8]| {
        let bits = format!("{:0<5}", std::str::from_utf8(bits).unwrap());
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[usize::from_str_radix(&bits, 2).unwrap()])
    };
    bits.as_bytes().chunks(5).map(digit).collect()
}

#[test]
fn numbers_of_any_base_width_and_order_are_undone() {
    let text = text();
    let list = |width, is_swapped| format!("[{}]", numbers(&text, width, is_swapped, ", "));
    let members: Vec<String> = text.bytes().enumerate().map(|(at, byte)| format!("\"{at}\":{byte}")).collect();
    let decimal = rows(&text, 1, 4);
    let bits = decimal.lines().map(|row| {
        let cells = row.split_whitespace().skip(1).map(|cell| format!(" {:08b}", cell.parse::<u8>().unwrap()));
        format!("0000{}:{}\n", &row[..4], cells.collect::<String>())
    });
    for spelled in [
        list(1, false),
        list(2, false),
        list(2, true),
        list(4, false),
        list(4, true),
        list(8, false),
        list(8, true),
        each(&text, |byte| format!("{byte}u8, ")),
        each(&text, |byte| format!("0x{byte:02x}, ")),
        each(&text, |byte| format!("0b{byte:b}, ")),
        each(&text, |byte| format!("0o{byte:o}, ")),
        format!("{{{}}}", members.join(",")),
        format!("{{\n  {}\n}}", members.join(",\n  ")),
        rows(&text, 1, 4),
        rows(&text, 2, 6),
        rows(&text, 4, 12),
        rows(&text, 8, 21),
        rows(&text, 2, 6).lines().map(|row| format!("{}\n", &row[7..])).collect(),
        bits.collect(),
        base32(&text),
    ] {
        assert_hidden(&spelled);
    }
}

#[test]
fn what_is_not_seen_is_undone_between_any_two_letters() {
    let marks = [
        "\u{feff}",
        "\u{ad}",
        "\u{2066}",
        "\u{2069}",
        "\u{61c}",
        "\u{34f}",
        "\u{180b}",
        "\u{180e}",
        "\u{206a}",
        "\u{fe0f}",
        "\u{e0100}",
        "\u{e0041}",
        "\u{fff9}",
        "\u{3164}",
        "\u{200f}",
        "\u{2064}",
        "\u{9b}31m",
        "\\e[1m",
        "\\033[1m",
        "^[[31m",
    ];
    for mark in marks {
        assert_hidden(&after_each(&text(), mark));
    }
    assert_hidden(&text().chars().map(|letter| format!("{letter}\u{8}{letter}")).collect::<String>());
    assert_hidden(&text().chars().map(|letter| format!("_\u{8}{letter}")).collect::<String>());
}

#[test]
fn short_lines_with_something_before_each_are_joined() {
    let befores: [fn(usize) -> String; 6] = [
        |_| "> ".to_owned(),
        |_| "+".to_owned(),
        |_| " * ".to_owned(),
        |_| "// ".to_owned(),
        |number| format!("{number}: "),
        |number| format!("{number:>6}\t"),
    ];
    for before in befores {
        for width in [9, 12, 20, 36] {
            for spelled in [text(), STANDARD.encode(text()), each(&text(), |byte| format!("{byte:02x}"))] {
                assert_hidden(&lines(&spelled, width, before));
            }
        }
    }
}

fn assert_hidden(spelled: &str) {
    let redactor = Redactor::of_values([Secret::new("MY_KEY".to_owned(), VALUE)]);
    assert!(redactor.text(spelled).contains("[redacted: value of MY_KEY]"), "{spelled}");
    // Another value is not found in it.
    let other = Redactor::of_values([Secret::new("MY_KEY".to_owned(), &VALUE.replace('Q', "P"))]);
    assert_eq!(other.text(spelled), spelled);
}

#[test]
fn a_token_of_known_form_is_found_in_wide_text_and_between_what_is_not_seen() {
    let token = format!("{}_{}", "ghp", "k9Qa7Xb2Yc9Zd4We6Rf1Tg8Uh3Vi5Pj0OkNl");
    let written = format!("first: {token} and more\n");
    let seen = |bytes: &[u8]| {
        let mut inspector = Inspector::default();
        inspector.look("a.txt", None, bytes);
        inspector.finish().err().map(|leaks| leaks.to_string()).unwrap_or_default()
    };
    for bytes in [
        wide(&written, u16::to_le_bytes),
        wide(&format!("\u{feff}{written}"), u16::to_be_bytes),
        after_each(&written, "\u{200b}").into_bytes(),
        after_each(&written, "\u{1b}[1m").into_bytes(),
    ] {
        assert!(seen(&bytes).contains("(github token)"), "{}", String::from_utf8_lossy(&bytes));
    }
    // A zero alone ends a name.
    assert_eq!(seen(b"notes\0skill\0\0\0a.txt"), "");
}

/// A key's file, and the bytes that only its owner knows.
fn key() -> (String, Vec<u8>) {
    let seed = [7, 200, 13, 10, 99, 0, 255, 31].repeat(4);
    let key = SigningKey::from_seed(seed.as_slice().try_into().unwrap());
    (key.to_openssh("rye person key").to_string(), seed)
}

#[test]
fn an_own_key_is_found_in_parts_and_in_any_spelling() {
    let (file, seed) = key();
    let redactor = Redactor::new([Secret::of_key(Zeroizing::new(file.clone().into_bytes()))]);
    let body: Vec<&str> = file.lines().collect();
    let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let decoded = STANDARD.decode(body[1..body.len() - 1].concat()).unwrap();
    for spelled in [
        file.clone(),
        STANDARD.encode(&file),
        hexadecimal(file.as_bytes()),
        String::from_utf8(wide(&file, u16::to_le_bytes)).unwrap(),
        body[2].to_owned(),
        format!("  12\t{}\n", body[3]),
        hexadecimal(&decoded),
        hexadecimal(&seed),
        STANDARD.encode(&seed),
        format!("{seed:?}"),
    ] {
        assert!(redactor.text(&spelled).contains("[redacted: private key]"), "{spelled}");
    }
    // What every key has, and the public half.
    let public = SigningKey::from_seed(seed.as_slice().try_into().unwrap()).public().to_openssh();
    for text in [public.as_str(), "-----BEGIN OPENSSH PRIVATE KEY-----", "ssh-ed25519 none"] {
        assert_eq!(redactor.text(text), text);
    }
}

/// A key is known by its first line, wherever its armour is, and whatever is before each line.
#[test]
fn a_key_without_its_armour_is_found() {
    let digits = STANDARD.encode([9, 77, 200, 3, 250, 41].repeat(200));
    let headers: [&[u8]; 6] = [
        &[0x30, 0x82, 4, 0xa4, 2, 1, 0, 2, 0x82, 1, 1, 0],
        &[0x30, 0x82, 4, 0xbe, 2, 1, 0, 0x30, 0x0d, 6, 9, 0x2a],
        &[0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70],
        &[0x30, 0x77, 2, 1, 1, 4, 0x20, 9, 200, 31, 77, 250],
        &[0x30, 0x81, 0x87, 2, 1, 0, 0x30, 0x13, 6, 7, 0x2a, 0x86],
        b"openssh-key-v1\0\0\0\0",
    ];
    for header in headers {
        let body = format!("{}{digits}", STANDARD.encode(header));
        let spellings: [fn(usize) -> String; 5] = [
            |_| String::new(),
            |_| "> ".to_owned(),
            |_| "+".to_owned(),
            |number| format!("{number}:"),
            |number| format!("{number:>6}\t"),
        ];
        for before in spellings {
            let text = format!("see\n{}\nend", lines(&body[..640], 64, before));
            let shown = Redactor::default().text(&text).into_owned();
            assert!(shown.contains("[redacted: private key]") && !shown.contains(&body[300..320]), "{text}: {shown}");
            assert!(shown.starts_with("see\n") && shown.ends_with("end"), "{shown}");
        }
    }
    // A certificate, a public key, a signature.
    for header in [
        &[0x30, 0x82, 3, 0x77, 0x30, 0x82, 2, 0x5f, 0xa0, 3, 2, 1][..],
        &[0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0],
    ] {
        let text = lines(&format!("{}{digits}", STANDARD.encode(header)), 64, |_| String::new());
        assert_eq!(Redactor::default().text(&text), text);
    }
}
