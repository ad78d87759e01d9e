//! What `sign` writes, keeps and refuses; and that taking a file apart is exact for any bytes.

use proptest::prelude::*;
use rye::id::ItemType;
use rye::trust::{LineState, SignError, Subject, Unsignable, Verdict, is_legacy_line, split};

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

/// Text about signatures may mention the mark, but not where only a signature may be.
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
    // On line 1 it would be right below the signature: it cannot be signed, and it is not dropped.
    let refused = Err(SignError::from(Unsignable { reason: "the text below it has `rye:signed:` on its first line" }));
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

/// Lines of older programs count as no signature, and a new one takes their place instead of standing above them.
#[test]
fn lines_of_older_programs_are_replaced() {
    let [(directive, markdown), (tool, script), (yaml, data)] = items();
    let lines = [
        format!("rye:validated:{TIME}:{}", "ab".repeat(32)),
        format!("kiwi-mcp:validated:{TIME}:abc"),
        "placeholder:unsigned:unsigned".to_owned(),
        format!("rye:signed:{TIME}:placeholder:unsigned:unsigned"),
        "rye:signed:placeholder:unsigned:unsigned".to_owned(),
    ];
    for line in &lines {
        let (markup, hash) = (format!("<!-- {line} -->\n"), format!("# {line}\n"));
        let (shebang, rest) = script.split_at(script.find('\n').unwrap() + 1);
        for (subject, text, legacy) in [
            (&directive, markdown, format!("{markup}{markdown}")),
            (&directive, markdown, format!("{markup}{markup}{markdown}")),
            (&directive, markdown, format!("<!--{line}-->\r\n{markdown}")),
            (&yaml, data, format!("{hash}{data}")),
            (&tool, script, format!("{shebang}{hash}{rest}")),
            (&tool, script, format!("{hash}{script}")),
        ] {
            assert_eq!(judge(subject, &legacy), Err("RYE-S001"), "{legacy}");
            assert_eq!(signed_text(subject, &legacy), signed_text(subject, text), "{legacy}");
        }
    }
    // What only looks like one stays, byte for byte.
    let own = [
        "# kiwi-mcp: how to move\n",
        "# see rye:validated:x\n",
        "// rye:validated:x\n",
        "rye:validated:x\n",
        "# rye:validated:x\revil()\n",
        "# rye:validated:x\u{2028}evil()\n",
        "# placeholder:unsigned:unsigned:x\n",
    ];
    for line in own {
        let text = format!("{line}{data}");
        assert_eq!(signed_text(&yaml, &text).split_once('\n').unwrap().1, text, "{line:?}");
    }
    let hidden = "<!-- rye:validated:x--><script>evil()</script><!-- -->\n# A\n";
    assert_eq!(signed_text(&directive, hidden).split_once('\n').unwrap().1, hidden);
    // Above a signature line one is in the way, as anything would be.
    let [above, below] = ["# rye:validated:x\n", ""].map(|line| format!("{line}{}", signed_text(&yaml, data)));
    assert_eq!((judge(&yaml, above), judge(&yaml, below)), (Err("RYE-S002"), Ok(Verdict::Good)));
}

#[test]
fn a_shebang_line_that_leaves_no_place_is_refused() {
    let tool = subject(ItemType::Tool, "demo/hello", "sh");
    let refused = Err(SignError::from(Unsignable { reason: "it is on the `#!` line" }));
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
        "# rye:validated:2026\n",
        "<!-- kiwi-mcp:x -->\n",
        "placeholder:unsigned:unsigned",
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

    /// Taking apart loses nothing: a file with a line is its three parts, a file without is its two.
    #[test]
    fn taking_apart_is_exact(subject in subjects(), bytes in bytes()) {
        let comment = subject.extension.comment();
        let split = split(subject.item_type, comment, &bytes);
        match &split.line {
            LineState::Absent => prop_assert_eq!(split.body(), bytes),
            LineState::Legacy => {
                let lines = &bytes[split.before.len()..bytes.len() - split.after.len()];
                prop_assert_eq!([split.before, lines, split.after].concat(), bytes.clone());
                prop_assert!(lines.split_inclusive(|byte| *byte == b'\n').all(|line| is_legacy_line(comment, line)));
            }
            LineState::Present(line) => {
                prop_assert_eq!([split.before, line.render(comment).as_bytes(), split.after].concat(), bytes);
            }
            LineState::Malformed { .. } | LineState::Doubled => {
                prop_assert!(mentions(&bytes) && bytes.starts_with(split.before) && bytes.ends_with(split.after));
            }
        }
    }

    /// A signed file verifies, keeps every byte outside of the signature line, and stays the same when signed again. A
    /// refused text contains the mark, or is one `#!` line.
    #[test]
    fn what_is_signed_verifies(subject in subjects(), bytes in bytes()) {
        let item = unverified(&subject, &bytes);
        let Ok((line, signed)) = item.sign(&key(), time(TIME)) else {
            let body = split(subject.item_type, subject.extension.comment(), &bytes).body();
            prop_assert!(mentions(&bytes) || (body.starts_with(b"#!") && !body.contains(&b'\n')));
            return Ok(());
        };
        prop_assert_eq!(judge(&subject, &signed), Ok(Verdict::Good));
        let again = unverified(&subject, &signed);
        prop_assert_eq!(again.split().body(), item.split().body());
        prop_assert_eq!(again.split().covered(), line.hash);
        prop_assert_eq!(again.sign(&key(), time(TIME)), Ok((line, signed)));
        if !mentions(&bytes) && item.split().line != LineState::Legacy {
            prop_assert_eq!(again.split().body(), bytes);
        }
    }
}
