//! `rye sign`: many at once, without losing a byte; and countersignatures of committed items.

mod agent_files;
mod many;
mod replacing;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use rye::id::ItemType;
use rye::trust::{LineState, split};

use crate::support::{Person, Sandbox, has, on_terminal};

const GREET: &str = ".ai/directives/demo/greet.md";
const ECHO: &str = ".ai/tools/demo/echo.sh";

/// What a file holds without its signature line.
fn body(bytes: &[u8]) -> Vec<u8> {
    let comment = "sh".parse::<rye::id::Extension>().unwrap().comment();
    let split = split(ItemType::Tool, comment, bytes);
    assert!(matches!(split.line, LineState::Present(_)), "{}", String::from_utf8_lossy(bytes));
    split.body()
}

#[test]
fn several_ids_and_patterns_are_signed_at_once() {
    let sandbox = Sandbox::with_items();
    let seen = sandbox.rye(&["sign", "tool", "demo/echo", "demo/f*", "demo/echo"]).transcript();
    let expected = "signed\ttool\tdemo/echo\t.ai/tools/demo/echo.sh\nsigned\ttool\tdemo/fail\t.ai/tools/demo/fail.sh\n";
    assert!(seen.contains(expected) && seen.matches("signed\t").count() == 2 && seen.ends_with("[exit 0]\n"), "{seen}");
    let again = sandbox.rye(&["sign", "tool", "demo/*"]).transcript();
    assert_eq!(again.matches("unchanged\ttool").count(), 2, "{again}");
}

#[test]
fn two_files_that_claim_one_id_are_named_and_the_others_signed() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/fail.py", "print()\n");
    for args in [&["sign", "--all"][..], &["sign", "tool", "demo/*"]] {
        let seen = sandbox.rye(args).transcript();
        assert!(seen.contains("failed\ttool\tdemo/fail\t"), "{seen}");
        assert!(
            seen.contains("fail.py` and `[SANDBOX]/project/.ai/tools/demo/fail.sh` differ only by extension")
                && seen.contains("hint: rename or remove all of these files but one"),
            "{seen}"
        );
        assert!(seen.contains("tool\tdemo/echo") && seen.ends_with("[exit 2]\n"), "{seen}");
    }
    let json = sandbox.rye(&["sign", "--all", "--json"]).stdout();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["status"], "failed");
}

#[test]
fn a_file_that_cannot_be_used_keeps_no_other_from_being_signed() {
    let sandbox = Sandbox::with_items();
    sandbox.put("elsewhere.sh", "true\n");
    std::os::unix::fs::symlink("../../../elsewhere.sh", sandbox.project().join(".ai/tools/demo/a_link.sh")).unwrap();
    sandbox.put(".ai/tools/demo/big.sh", &"#".repeat(1_100_000));
    let seen = sandbox.rye(&["sign", "tool", "*"]).transcript();
    assert!(seen.contains("failed\ttool\tdemo/big\t") && seen.contains("signed\ttool\tdemo/fail\t"), "{seen}");
    assert!(seen.contains("is larger than 1048576 bytes\nhint: ") && seen.ends_with("[exit 2]\n"), "{seen}");
    let seen = sandbox.rye(&["sign", "tool", "demo/a_link"]).transcript();
    assert!(
        seen.contains("demo/a_link.sh` is a symlink, and symlinks are not followed here\nhint: run `ls -ld "),
        "{seen}"
    );
}

#[test]
fn no_byte_mode_or_line_ending_is_lost() {
    let head = "# version: \"1.0.0\"\n# description: Says it\n# category: demo\n";
    let cases: [(&str, String, u32); 5] = [
        ("crlf", format!("#!/bin/sh\n{head}echo a\r\necho b\r\n"), 0o755),
        ("open", format!("#!/bin/sh\n{head}echo a"), 0o640),
        ("plain", format!("{head}echo \u{e9}\u{2028}\n\n\n"), 0o600),
        ("empty_lines", format!("#!/bin/sh\n\n{head}\n"), 0o700),
        ("tabs", format!("{head}\techo a \t\n"), 0o444 | 0o200),
    ];
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    for (name, text, mode) in &cases {
        let path = format!(".ai/tools/demo/{name}.sh");
        sandbox.put(&path, text);
        fs::set_permissions(sandbox.project().join(path), fs::Permissions::from_mode(*mode)).unwrap();
    }
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    for (name, text, mode) in &cases {
        let path = sandbox.project().join(format!(".ai/tools/demo/{name}.sh"));
        let (bytes, found) = (fs::read(&path).unwrap(), fs::metadata(&path).unwrap());
        assert_eq!((body(&bytes), found.permissions().mode() & 0o777), (text.as_bytes().to_vec(), *mode), "{name}");
    }
    let before: Vec<Vec<u8>> = cases
        .iter()
        .map(|(name, ..)| fs::read(sandbox.project().join(format!(".ai/tools/demo/{name}.sh"))).unwrap())
        .collect();
    sandbox.rye(&["sign", "--all", "-q"]).env("RYE_NOW", "2030-01-01T00:00:00Z").succeeds();
    for ((name, ..), before) in cases.iter().zip(before) {
        assert_eq!(fs::read(sandbox.project().join(format!(".ai/tools/demo/{name}.sh"))).unwrap(), before, "{name}");
    }
}

#[test]
fn a_countersignature_stands_beside_what_is_committed() {
    let sandbox = Sandbox::signed();
    let before = fs::read(sandbox.project().join(GREET)).unwrap();
    let bob = Person::new("bob");
    let seen = sandbox.rye(&["sign", "directive", "demo/greet", "--detached"]).by(&bob).transcript();
    assert!(seen.contains("signed\tdirective\tdemo/greet") && seen.ends_with("[exit 0]\n"), "{seen}");
    assert_eq!(fs::read(sandbox.project().join(GREET)).unwrap(), before);
    let blob = sandbox.git(&["rev-parse", &format!("HEAD:{GREET}")]);
    let note = sandbox.git(&["notes", "--ref=rye", "show", blob.trim()]);
    let lines: Vec<&str> = note.lines().collect();
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    assert_eq!((lines.len(), &lines), (2, &sorted), "the author's line and Bob's");
    assert!(lines.iter().all(|line| line.starts_with("rye:signed:2026-03-17T01:41:08Z:")), "{note}");
    assert!(lines.iter().any(|line| line.ends_with(&sandbox.key_id(&bob))), "{note}");

    // Once is enough, also for the author, whose line is in the file.
    for run in [
        sandbox.rye(&["sign", "directive", "demo/greet", "--detached"]).by(&bob),
        sandbox.rye(&["sign", "directive", "demo/greet", "--detached"]),
    ] {
        let again = run.transcript();
        assert!(again.contains("unchanged\tdirective\tdemo/greet"), "{again}");
    }
    assert_eq!(sandbox.git(&["notes", "--ref=rye", "show", blob.trim()]), note);
}

/// An older text that is wanted again needs signatures of now.
#[test]
fn what_was_signed_before_is_signed_again_where_that_is_asked_for() {
    let sandbox = Sandbox::signed();
    let (bob, later) = (Person::new("bob"), "2026-04-01T00:00:00Z");
    let countersign = ["sign", "directive", "demo/greet", "--detached"];
    sandbox.rye(&countersign).by(&bob).succeeds();
    sandbox.rye(&[&countersign[..], &["--again"]].concat()).by(&bob).env("RYE_NOW", later).succeeds();
    let blob = sandbox.git(&["rev-parse", &format!("HEAD:{GREET}")]);
    let note = sandbox.git(&["notes", "--ref=rye", "show", blob.trim()]);
    let times: Vec<&str> = note.lines().map(|line| &line["rye:signed:".len()..][..20]).collect();
    assert_eq!(times, ["2026-03-17T01:41:08Z", later], "the author's line and Bob's");
    let sign = ["sign", "directive", "demo/greet", "--again"];
    sandbox.rye(&sign).env("RYE_NOW", later).succeeds();
    let text = fs::read_to_string(sandbox.project().join(GREET)).unwrap();
    assert_eq!(text.matches("rye:signed:").count(), 1);
    assert!(text.contains(&format!("rye:signed:{later}:")), "{text}");
}

#[test]
fn what_is_not_committed_or_not_signed_is_not_countersigned() {
    let sandbox = Sandbox::signed();
    let bob = Person::new("bob");
    let countersign = |id: &str| sandbox.rye(&["sign", "tool", id, "--detached"]).by(&bob).transcript();
    sandbox.edit(ECHO, "category", "category ");
    let seen = countersign("demo/echo");
    assert!(
        seen.contains("error: tool `demo/echo` has uncommitted changes\nhint: commit it with `rye commit`"),
        "{seen}"
    );
    sandbox.commit("unsigned change");
    let seen = countersign("demo/echo");
    assert!(seen.contains("error: tool `demo/echo` has no signature of its own to countersign"), "{seen}");
    // All or nothing.
    let seen = countersign("demo/*");
    assert!(seen.ends_with("[exit 1]\n") && sandbox.git(&["for-each-ref", "refs/notes"]).is_empty(), "{seen}");
    let seen = sandbox.rye(&["sign", "tool", "demo/fail", "--detached", "--check"]).by(&bob).transcript();
    assert!(seen.contains("to sign\ttool\tdemo/fail") && seen.ends_with("[exit 1]\n"), "{seen}");
    assert!(sandbox.git(&["for-each-ref", "refs/notes"]).is_empty());
}

#[test]
fn plain_signing_writes_no_note() {
    let sandbox = Sandbox::signed();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    assert!(sandbox.git(&["for-each-ref", "refs/notes"]).is_empty());
}

#[test]
fn hidden_characters_are_told_to_whoever_signs_and_shown_on_a_terminal() {
    let sandbox = Sandbox::with_items();
    let path = ".ai/knowledge/demo/notes.md";
    sandbox.edit(path, "short", "sh\u{202e}ort\u{e0061}");
    for command in [&["lint"][..], &["sign", "knowledge", "demo/notes"]] {
        let seen = sandbox.rye(command).transcript();
        let told = "an invisible character: `\\u{202e}`, and 1 more";
        assert!(seen.contains(told) && seen.contains("[RYE-F008]"), "{seen}");
    }
    sandbox.edit(path, "ort", "orter");
    let seen = sandbox.rye(&["commit", "-m", "x", "--yes"]).transcript();
    assert!(seen.contains("[RYE-F008]") && seen.ends_with("[exit 0]\n"), "{seen}");
    // Raw in a pipe, escaped on a terminal.
    let load = ["load", "knowledge", "demo/notes"];
    assert!(String::from_utf8(sandbox.rye(&load).stdout()).unwrap().contains("sh\u{202e}orter\u{e0061}"));
    if has("python3") {
        let (seen, _) = on_terminal(&sandbox, &[], &[&[crate::support::RYE], &load[..]].concat());
        assert!(seen.contains("sh\\u{202e}orter\\u{e0061}") && !seen.contains('\u{202e}'), "{seen}");
    }
}
