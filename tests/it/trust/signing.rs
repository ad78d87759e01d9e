//! What `sign` writes, keeps and refuses; and that taking a file apart is exact for any bytes.

use proptest::prelude::*;
use rye::id::ItemType;
use rye::trust::{LineState, Subject, Unsignable, Verdict, split};

use super::{TIME, items, judge, key, signed, signed_text, subject, time, unverified};

#[test]
fn signing_twice_in_the_same_second_changes_nothing() {
    for (subject, text) in items() {
        let once = signed(&subject, text.as_bytes());
        let again = unverified(&subject, &once).sign(&key(), time("2026-03-17T01:41:08.999Z")).unwrap();
        assert_eq!(again.1, once);
        assert_eq!(again.0.timestamp, time(TIME));
    }
}

#[test]
fn signing_again_replaces_the_line_and_keeps_every_other_byte() {
    let later = time("2027-01-01T00:00:00Z");
    for (subject, text) in items() {
        let original = signed_text(&subject, text);
        let fresh = unverified(&subject, text.as_bytes()).sign(&key(), later).unwrap().1;
        let line = original.lines().find(|line| line.contains("rye:signed:")).unwrap();
        for damaged in [
            original.clone(),
            original.replacen(line, &format!("{line}\r"), 1),
            original.replacen(line, &format!("{line}|registry@user"), 1),
            original.replacen(line, &format!("  {line}"), 1),
            original.replacen(line, "# rye:signed:2026", 1),
        ] {
            assert_eq!(unverified(&subject, damaged.as_bytes()).sign(&key(), later).unwrap().1, fresh, "{damaged}");
        }
    }
    let [_, (tool, text), _] = items();
    let original = signed_text(&tool, text);
    let [shebang, line, rest] = original.splitn(3, '\n').collect::<Vec<_>>().try_into().unwrap();
    let moved = format!("{line}\n{shebang}\n{rest}");
    assert_eq!(signed_text(&tool, &moved), original, "a line above the `#!` goes to its place");
}

/// Text about signatures may mention the mark, but not where only a signature may stand.
#[test]
fn a_text_about_signature_lines_keeps_every_word_or_is_refused() {
    let about = subject(ItemType::Knowledge, "team/signatures", "md");
    let third = "# Signatures\n\nA line `rye:signed:…` is a signature.\n";
    assert_eq!(judge(&about, signed_text(&about, third)), Ok(Verdict::Good));
    // On line 2 it is malformed until the signature moves it to line 3.
    let second = "# Signatures\nA line `rye:signed:…` is a signature.\n";
    assert_eq!(judge(&about, second), Err("RYE-S002"));
    let text = signed_text(&about, second);
    assert_eq!((judge(&about, &text), text.split_once('\n').unwrap().1), (Ok(Verdict::Good), second));
    // On line 1 it would be right below the signature: there is no way to sign it, and it is not swallowed.
    let refused = Err(Unsignable { reason: "the text below it has `rye:signed:` on its first line" });
    for first in
        ["# The `rye:signed:` line\n\nText.\n", "# rye:signed: explained\n", "# rye:signed:2026\revil()\rmore\n"]
    {
        assert_eq!(judge(&about, first), Err("RYE-S002"));
        assert_eq!(unverified(&about, first.as_bytes()).sign(&key(), time(TIME)), refused, "{first:?}");
    }
    let doubled = format!("{}{}", text.split_inclusive('\n').next().unwrap(), text);
    assert_eq!(judge(&about, &doubled), Err("RYE-S003"));
    assert_eq!(unverified(&about, doubled.as_bytes()).sign(&key(), time(TIME)), refused);
}

#[test]
fn a_shebang_line_that_leaves_no_place_is_refused() {
    let tool = subject(ItemType::Tool, "demo/hello", "sh");
    let refused = Err(Unsignable { reason: "it stands on the `#!` line" });
    for text in ["#!/bin/sh", "#!/bin/sh # rye:signed: here\ntrue\n"] {
        assert_eq!(unverified(&tool, text.as_bytes()).sign(&key(), time(TIME)), refused, "{text:?}");
    }
    // For other types `#!` means nothing.
    let text = signed_text(&subject(ItemType::Knowledge, "a", "md"), "#!/bin/sh\n");
    assert!(text.starts_with("<!-- rye:signed:") && text.ends_with("-->\n#!/bin/sh\n"));
}

/// Bytes with a taste for what matters here: marks, line ends, comments, whole lines.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let (shown, shell) = (subject(ItemType::Knowledge, "a", "md"), subject(ItemType::Tool, "a", "sh"));
    let pieces = [
        "#!",
        "\n",
        "\r",
        "\r\n",
        "rye:signed:",
        "RYE:SIGNED:",
        "# ",
        "<!-- ",
        " -->",
        "// ",
        ":",
        "2026",
        "\u{2028}",
        "\u{feff}",
        "x",
        " ",
    ];
    let mut pieces: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect();
    pieces.push(signed(&shown, b""));
    pieces.push(signed(&shell, b""));
    let piece = prop_oneof![4 => prop::sample::select(pieces), 1 => any::<Vec<u8>>()];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn subjects() -> impl Strategy<Value = Subject> {
    prop::sample::select(vec![
        subject(ItemType::Directive, "a/b", "md"),
        subject(ItemType::Knowledge, "a/b", "md"),
        subject(ItemType::Knowledge, "a", "yaml"),
        subject(ItemType::Tool, "a", "py"),
        subject(ItemType::Tool, "a-b/c_d", "sh"),
        subject(ItemType::Tool, "a", "js"),
        subject(ItemType::Tool, "a", "lua"),
    ])
}

fn mentions(bytes: &[u8]) -> bool {
    bytes.to_ascii_lowercase().windows(11).any(|window| window == b"rye:signed:")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// What is taken apart is all there: a file with a line is its three parts, a file without is its two.
    #[test]
    fn taking_apart_is_exact(subject in subjects(), bytes in bytes()) {
        let comment = subject.extension.comment();
        let split = split(subject.item_type, comment, &bytes);
        match &split.line {
            LineState::Absent => prop_assert_eq!(split.body(), bytes),
            LineState::Present(line) => {
                prop_assert_eq!([split.before, line.render(comment).as_bytes(), split.after].concat(), bytes);
            }
            LineState::Malformed { .. } | LineState::Doubled => {
                prop_assert!(mentions(&bytes) && bytes.starts_with(split.before) && bytes.ends_with(split.after));
            }
        }
    }

    /// What is signed verifies, holds every byte that is no signature line, and stays the same when signed again. What
    /// is refused speaks of the mark, or is one `#!` line.
    #[test]
    fn what_is_signed_verifies(subject in subjects(), bytes in bytes()) {
        let item = unverified(&subject, &bytes);
        let Ok((line, signed)) = item.sign(&key(), time(TIME)) else {
            prop_assert!(mentions(&bytes) || (bytes.starts_with(b"#!") && !bytes.contains(&b'\n')));
            return Ok(());
        };
        prop_assert_eq!(judge(&subject, &signed), Ok(Verdict::Good));
        let again = unverified(&subject, &signed);
        prop_assert_eq!(again.split().body(), item.split().body());
        prop_assert_eq!(again.split().covered(), line.hash);
        prop_assert_eq!(again.sign(&key(), time(TIME)), Ok((line, signed)));
        if !mentions(&bytes) {
            prop_assert_eq!(again.split().body(), bytes);
        }
    }
}
