//! Attacks with a signed file, one by one (docs/threat-model.md).

use proptest::prelude::*;
use rye::id::ItemType;
use rye::trust::{Fault, Namespace, Predecessor, SignatureLine, Verdict};

use super::{
    DIRECTIVE, KNOWLEDGE, SEED, TIME, TOOL, items, judge, judge_with, key, keys_of, signed, signed_text, subject, time,
    trusted, unverified,
};

#[test]
fn the_signature_is_removed() {
    for (subject, text) in items() {
        assert_eq!(judge(&subject, text), Err("RYE-S001"));
    }
    assert_eq!(judge(&items()[0].0, ""), Err("RYE-S001"));
}

/// Hole 2: moved, renamed, another type, and re-dated.
#[test]
fn the_file_is_moved_renamed_retyped_or_re_dated() {
    let bytes = signed(&subject(ItemType::Knowledge, "team/greetings", "md"), KNOWLEDGE.as_bytes());
    assert_eq!(judge(&subject(ItemType::Knowledge, "team/greetings", "md"), &bytes), Ok(Verdict::Good));
    for (item_type, id) in [
        (ItemType::Knowledge, "greetings"),
        (ItemType::Knowledge, "rye/greetings"),
        (ItemType::Knowledge, "team/greeting"),
        (ItemType::Directive, "team/greetings"),
    ] {
        assert_eq!(judge(&subject(item_type, id, "md"), &bytes), Err("RYE-S005"), "{item_type} {id}");
    }
    for (subject, text) in items() {
        let later = signed_text(&subject, text).replacen(TIME, "2027-03-17T01:41:08Z", 1);
        assert_eq!(judge(&subject, later), Err("RYE-S005"));
    }
}

/// Hole 24: the docstring of a signed Python tool is a shell script's command.
#[test]
fn a_signed_py_is_renamed_sh_so_that_its_docstring_runs() {
    let text = "\"\"\"$(touch /tmp/owned)\"\"\"\nprint('harmless')\n";
    let bytes = signed(&subject(ItemType::Tool, "demo/hello", "py"), text.as_bytes());
    assert_eq!(judge(&subject(ItemType::Tool, "demo/hello", "py"), &bytes), Ok(Verdict::Good));
    for extension in ["sh", "rb", "yaml"] {
        assert_eq!(judge(&subject(ItemType::Tool, "demo/hello", extension), &bytes), Err("RYE-S005"), "{extension}");
    }
    assert_eq!(judge(&subject(ItemType::Tool, "demo/hello", "js"), &bytes), Err("RYE-S002"));
}

/// Hole 25: `set -e\r` is an unknown option, and the script goes on after a failure.
#[test]
fn a_carriage_return_is_put_into_a_signed_shell_script() {
    let script = subject(ItemType::Tool, "demo/clean", "sh");
    let text = signed_text(&script, "#!/bin/sh\nset -e\ncd build\nrm -r *\n");
    assert_eq!(judge(&script, &text), Ok(Verdict::Good));
    assert_eq!(judge(&script, text.replacen("set -e\n", "set -e\r\n", 1)), Err("RYE-S004"));
    assert_eq!(judge(&script, text.replacen("#!/bin/sh\n", "#!/bin/sh\r\n", 1)), Err("RYE-S004"));
    assert_eq!(judge(&script, text.replace('\n', "\r\n")), Err("RYE-S002"));
    assert_eq!(judge(&script, text.replace('\n', "\r")), Err("RYE-S002"));
}

/// Hole 26: an interpreter sees a new line where this program saw the rest of a comment.
#[test]
fn code_hides_behind_a_line_break_that_is_none() {
    for (extension, text) in [("py", TOOL), ("js", "console.log('hello')\n"), ("lua", "print('hello')\n")] {
        let tool = subject(ItemType::Tool, "demo/hello", extension);
        let text = signed_text(&tool, text);
        let at = text.find("rye:signed:").unwrap();
        let end = at + text[at..].find('\n').unwrap();
        for line_break in ["\r", "\u{2028}", "\u{2029}", "\u{85}", "\u{b}", "\u{c}", "\0"] {
            let hidden = format!("{}{line_break}evil(){}", &text[..end], &text[end..]);
            assert_eq!(judge(&tool, hidden), Err("RYE-S002"), "{extension} {line_break:?}");
            let before = format!("{}evil(){line_break}{}", &text[..at], &text[at..]);
            assert_eq!(judge(&tool, before), Err("RYE-S002"), "{extension} {line_break:?}");
        }
    }
}

#[test]
fn a_second_signature_line_is_put_below_the_first() {
    for (subject, text) in items() {
        let text = signed_text(&subject, text);
        let line = text.lines().find(|line| line.contains("rye:signed:")).unwrap();
        assert_eq!(judge(&subject, text.replacen(line, &format!("{line}\n{line}"), 1)), Err("RYE-S003"));
        let word = format!("{line}\nsee RYE:Signed: below");
        assert_eq!(judge(&subject, text.replacen(line, &word, 1)), Err("RYE-S003"));
        assert_eq!(judge(&subject, format!("{text}{line}\n")), Err("RYE-S004"));
    }
}

/// A damaged line is never taken for no line.
#[test]
fn the_line_is_written_in_another_way() {
    for (subject, text) in items() {
        let text = signed_text(&subject, text);
        let line = text.lines().find(|line| line.contains("rye:signed:")).unwrap();
        let (open, close) = subject.extension.comment().around();
        let fields = line.strip_prefix(open).and_then(|line| line.strip_suffix(close)).unwrap();
        let [key_id, signature, hash, _] = fields.rsplitn(4, ':').collect::<Vec<_>>().try_into().unwrap();
        let with = |from: &str, to: &str| line.replacen(from, to, 1);
        for other in [
            format!("{line} "),
            format!("{line}\t"),
            format!("{line}\r"),
            format!(" {line}"),
            format!("\t{line}"),
            format!("\u{feff}{line}"),
            format!("{open}{fields}|registry@user{close}"),
            format!("{open}{fields}:{close}"),
            format!("{open}{fields} and more{close}"),
            format!("// {fields}"),
            format!("-- {fields}"),
            format!("/* {fields} */"),
            fields.to_owned(),
            line.replacen(' ', "  ", 1),
            line.replacen(' ', "", 1),
            with(hash, &hash.to_uppercase()),
            with(hash, &hash[1..]),
            with(signature, signature.trim_end_matches('=')),
            with(signature, &format!("{}=", signature.trim_end_matches('='))),
            with(signature, &format!("{signature}====")),
            with(&format!(":{signature}"), ""),
            with(signature, &signature.replace(['-', '_'], "+")),
            with(key_id, &key_id.to_uppercase()),
            with(key_id, &key_id[..15]),
            with(key_id, &format!("{key_id}0")),
            with(TIME, "2026-03-17T01:41:08+00:00"),
            with(TIME, "2026-03-17T01:41:08.000Z"),
            with(TIME, "2026-03-17 01:41:08Z"),
            with(TIME, "2026-03-17t01:41:08z"),
            with(TIME, "2026-02-30T01:41:08Z"),
            with("rye:signed:", "RYE:signed:"),
            with("rye:signed:", "rye:signed: "),
            with("rye:signed:", "rye:signed:v2:"),
            "rye:signed:".to_owned(),
        ] {
            assert_eq!(judge(&subject, text.replacen(line, &other, 1)), Err("RYE-S002"), "{subject}: {other:?}");
        }
    }
}

/// The line's own newline is not covered, so it must be there: without text below it nothing else would tell.
#[test]
fn the_newline_of_a_line_with_nothing_below_it_is_removed() {
    let empty = subject(ItemType::Knowledge, "team/empty", "md");
    let text = signed_text(&empty, "");
    assert_eq!(judge(&empty, &text), Ok(Verdict::Good));
    assert_eq!(judge(&empty, text.trim_end()), Err("RYE-S002"));
}

#[test]
fn a_malformed_line_says_what_is_wrong_with_it() {
    let [(directive, text), ..] = items();
    let text = signed_text(&directive, text);
    let line = text.lines().next().unwrap();
    for (other, wanted) in [
        (format!("{line}\r"), "it ends with CR LF instead of LF"),
        (format!("{line}\rmore"), "it contains a lone CR"),
        (format!("{line}\u{2028}more"), "it contains a character other than printable ASCII"),
        (format!("{line}\0"), "it contains a character other than printable ASCII"),
        (format!("{line} "), "it is not written in the file's comment style, alone on its line"),
        (line.replacen("2026", "26", 1), "its time is not written like 2026-03-17T01:41:08Z"),
        (line.replacen("==:", ":", 1), "its signature is not 64 bytes in padded base64url"),
        (line.replacen(" -->", "a -->", 1), "its key id is not 16 lowercase hexadecimal digits"),
        ("<!-- rye:signed:2026 -->".to_owned(), "it is cut short"),
    ] {
        let fault = unverified(&directive, text.replacen(line, &other, 1).as_bytes()).verify(&keys_of([])).unwrap_err();
        assert_eq!(fault, Fault::MalformedLine { reason: wanted }, "{other:?}");
    }
}

/// One file has one place for its line: a valid line in another place is malformed, though it covers the same bytes.
#[test]
fn the_line_is_moved_to_another_line() {
    let [(directive, _), (tool, _), _] = items();
    let text = signed_text(&directive, DIRECTIVE);
    let (line, body) = text.split_once('\n').unwrap();
    let (title, rest) = body.split_once('\n').unwrap();
    assert_eq!(judge(&directive, format!("{title}\n{line}\n{rest}")), Err("RYE-S002"));
    assert_eq!(judge(&directive, format!("{body}{line}\n")), Err("RYE-S001"));

    let text = signed_text(&tool, TOOL);
    let [shebang, line, rest] = text.splitn(3, '\n').collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(judge(&tool, format!("{line}\n{shebang}\n{rest}")), Err("RYE-S002"));
    assert_eq!(judge(&tool, format!("{line}\n{rest}")), Err("RYE-S004"));
    assert_eq!(judge(&tool, format!("{shebang} {line}\n{rest}")), Err("RYE-S002"));
    assert_eq!(judge(&tool, format!("{shebang}\n{rest}{line}\n")), Err("RYE-S001"));
    // A `#!` put above a tool that had none is no longer the text that was signed.
    let plain = signed_text(&tool, "print('hello')\n");
    assert_eq!(judge(&tool, format!("#!/bin/evil\n{plain}")), Err("RYE-S004"));
}

/// The hash of the line is right, the signature is another person's, of another use, or of another scheme.
#[test]
fn the_right_hash_stands_beside_a_signature_that_is_not_the_signer_s() {
    use ed25519_dalek::Signer;
    let [_, (tool, text), _] = items();
    let line = unverified(&tool, text.as_bytes()).sign(&key(), time(TIME)).unwrap().0;
    let message = tool.message(line.timestamp, &line.hash);
    let stranger = rye::trust::SigningKey::from_seed(&[9; 32]);
    let bare = ed25519_dalek::SigningKey::from_bytes(&SEED).sign(&message).to_bytes();
    let v1 = ed25519_dalek::SigningKey::from_bytes(&SEED).sign(line.hash.to_string().as_bytes()).to_bytes();
    for signature in [
        stranger.sign(Namespace::Item, &message),
        key().sign(Namespace::Git, &message),
        key().sign(Namespace::Agent, &message),
        rye::trust::RawSignature(bare),
        rye::trust::RawSignature(v1),
        rye::trust::RawSignature([0; 64]),
    ] {
        let forged = SignatureLine { signature, ..line.clone() }.render(tool.extension.comment());
        let (shebang, body) = text.split_once('\n').unwrap();
        assert_eq!(judge(&tool, format!("{shebang}\n{forged}{body}")), Err("RYE-S005"));
    }
}

#[test]
fn each_fault_has_its_rule_and_verdict() {
    let key_id = key().public().key_id();
    let faults = [
        (Fault::Unsigned, "RYE-S001", Verdict::Unsigned),
        (Fault::MalformedLine { reason: "x" }, "RYE-S002", Verdict::Tampered),
        (Fault::SecondLine, "RYE-S003", Verdict::Tampered),
        (Fault::Changed, "RYE-S004", Verdict::Tampered),
        (Fault::Misplaced, "RYE-S005", Verdict::Tampered),
        (Fault::UntrustedKey { key_id: key_id.clone() }, "RYE-S006", Verdict::Untrusted),
        (Fault::AgentSigned, "RYE-S007", Verdict::Untrusted),
        (Fault::OutsideValidity { key_id: key_id.clone() }, "RYE-S008", Verdict::Retired),
        (Fault::Legacy { key_id: key_id.clone(), uncovered: vec![] }, "RYE-S009", Verdict::Legacy),
        (Fault::Revoked { key_id }, "RYE-S010", Verdict::Revoked),
        (
            Fault::RolledBack { than: Predecessor::Base, known: time(TIME), claimed: time(TIME) },
            "RYE-S011",
            Verdict::RolledBack,
        ),
        (Fault::MissingCountersignatures { have: 1, need: 2 }, "RYE-S012", Verdict::MissingCountersignature),
        (Fault::Unshadowed, "RYE-S013", Verdict::Unshadowed),
        (Fault::Downgraded, "RYE-S014", Verdict::Legacy),
    ];
    for (fault, rule, verdict) in faults {
        assert_eq!((fault.rule(), fault.verdict(), verdict.is_accepted()), (rule, verdict, false));
    }
}

/// A built-in item counts by its bytes alone, under its own name, and no key is asked.
#[test]
fn a_built_in_item_counts_by_its_bytes() {
    let [_, (tool, text), _] = items();
    let mut keys = keys_of([]);
    keys.add_builtin(tool.clone(), rye::trust::ContentHash::of(text.as_bytes()));
    assert_eq!(judge_with(&keys, &tool, text), Ok(Verdict::Builtin));
    assert_eq!(judge_with(&keys, &tool, format!("{text}\n")), Err("RYE-S001"));
    assert_eq!(judge_with(&keys, &subject(ItemType::Tool, "demo/other", "py"), text), Err("RYE-S001"));
    assert_eq!(judge_with(&keys, &tool, signed(&tool, text.as_bytes())), Err("RYE-S006"));
}

proptest! {
    /// No two bytes exchanged, no run of bytes replaced: whatever differs from the signed file is refused.
    #[test]
    fn whatever_differs_is_refused(which in 0..3_usize, at in 0..1000_usize, cut in 0..40_usize, new: Vec<u8>) {
        let (subject, text) = items()[which].clone();
        let bytes = signed(&subject, text.as_bytes());
        let at = at % bytes.len();
        let end = (at + cut).min(bytes.len());
        let other = [&bytes[..at], &new, &bytes[end..]].concat();
        prop_assume!(other != bytes);
        prop_assert!(judge_with(&keys_of([trusted(&key())]), &subject, &other).is_err());
    }
}
