//! Signatures of version 1: what they are worth, what they leave open, and that they never pass for more.
//!
//! They are made here from the page alone: the program can only read them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use ed25519_dalek::Signer;
use proptest::prelude::*;
use rye::format::{Renames, Scope, migrate};
use rye::id::ItemType;
use rye::trust::{Fault, Namespace, RawSignature, SignatureLine, SigningKey, Subject, TrustedKey, Uncovered, Verdict};
use sha2::{Digest, Sha256};

use super::{
    DIRECTIVE, KNOWLEDGE, SEED, TIME, TOOL, items, judge, judge_with, key, keys_of, signed_text, subject, time,
    trusted, unverified,
};

/// Made once with Python's `cryptography`, like the two other constants: over the block of [`DIRECTIVE`].
const DIRECTIVE_LINE: &str = "<!-- rye:signed:2026-03-17T01:41:08Z:a5ffd88f2095e10d6ad92f218106522d18f84e9d733fbe0e5718fdc7f12f4164:7bof9i6LMsv3VIeiX3c2yah65rpV4F7RVICNPwsiBzcy3Vd5lUhnKMM-QmDyC-6UZy6avn4xpEZI7sZhdwI4Bw==:7f2d9ed0b71b8e5a -->";
/// Over [`TOOL`] without its first line.
const TOOL_LINE: &str = "# rye:signed:2026-03-17T01:41:08Z:03e693d9f2f687e0f40e36a8df7fcb4d1c22974012b7c2a55c000eb30f305824:sjsOu1xDrUqYXuNW1eCNKOEp1WkgVihUmBV-WmL2eO2dkFPi40XXBF_IcKCcAHb61_0z44f3tbpA-7zjM02RAg==:7f2d9ed0b71b8e5a";
/// Over all of [`KNOWLEDGE`].
const KNOWLEDGE_LINE: &str = "# rye:signed:2026-03-17T01:41:08Z:4497849407d4453feba330e6c663d306498913296ddcc9b7e17844d7f475305a:3Ae7bBR1xTgXjXXJXI7oOdQlpIqj5XTXLC96Nt-QdqQiIaAcPly-CwYCrkL4yG0hezD_VMMeZCwwpCV4NloLAA==:7f2d9ed0b71b8e5a";

const STEPS: &str = "\n<process>\n  <step name=\"ask\">Ask first.</step>\n</process>\n";

const ALWAYS: [Uncovered; 5] =
    [Uncovered::Type, Uncovered::Id, Uncovered::Extension, Uncovered::Time, Uncovered::LineEndings];

/// A file signed in version 1, in its three parts.
#[derive(Debug, Clone)]
struct Old {
    subject: Subject,
    shebang: &'static str,
    line: String,
    below: String,
}

impl Old {
    fn text(&self) -> String {
        format!("{}{}\n{}", self.shebang, self.line, self.below)
    }

    /// Returns the file with another line in the place of its own.
    fn with_line(&self, line: &str) -> String {
        format!("{}{line}\n{}", self.shebang, self.below)
    }
}

/// The three items of the other tests, the directive with steps below its block.
fn olds() -> [Old; 3] {
    let [(directive, text), (tool, script), (knowledge, data)] = items();
    let (shebang, below) = script.split_at(script.find('\n').unwrap() + 1);
    [
        Old { subject: directive, shebang: "", line: DIRECTIVE_LINE.to_owned(), below: format!("{text}{STEPS}") },
        Old { subject: tool, shebang, line: TOOL_LINE.to_owned(), below: below.to_owned() },
        Old { subject: knowledge, shebang: "", line: KNOWLEDGE_LINE.to_owned(), below: data.to_owned() },
    ]
}

/// Signs `hashed` as version 1 did and returns the line without its newline.
pub(crate) fn v1_line(open: &str, close: &str, hashed: &[u8], seed: &[u8; 32]) -> String {
    let hash: String = Sha256::digest(hashed).iter().map(|byte| format!("{byte:02x}")).collect();
    let signature = ed25519_dalek::SigningKey::from_bytes(seed).sign(hash.as_bytes()).to_bytes();
    let key_id = SigningKey::from_seed(seed).public().key_id();
    format!("{open}rye:signed:{TIME}:{hash}:{}:{key_id}{close}", URL_SAFE.encode(signature))
}

/// Judges with only [`key`] trusted: the uncovered part, or the broken rule.
fn uncovered(subject: &Subject, bytes: impl AsRef<[u8]>) -> Result<Vec<Uncovered>, &'static str> {
    match unverified(subject, bytes.as_ref()).verify(&keys_of([trusted(&key())])) {
        Ok(item) => panic!("accepted as {}", item.verdict()),
        Err(Fault::Legacy { key_id, uncovered }) => {
            assert_eq!(key_id, key().public().key_id());
            Ok(uncovered)
        }
        Err(fault) => Err(fault.rule()),
    }
}

#[test]
fn another_implementation_makes_the_same_lines() {
    let block = "<directive name=\"deploy\" version=\"1.0.0\">\n</directive>";
    let made = [
        v1_line("<!-- ", " -->", block.as_bytes(), &SEED),
        v1_line("# ", "", TOOL.split_once('\n').unwrap().1.as_bytes(), &SEED),
        v1_line("# ", "", KNOWLEDGE.as_bytes(), &SEED),
    ];
    assert_eq!(made, [DIRECTIVE_LINE, TOOL_LINE, KNOWLEDGE_LINE]);
}

#[test]
fn a_valid_signature_of_version_1_is_legacy_and_what_it_leaves_uncovered_is_named() {
    let [directive, tool, knowledge] = olds();
    let with = |more: &[Uncovered]| Ok([&ALWAYS, more].concat());
    assert_eq!(uncovered(&directive.subject, directive.text()), with(&[Uncovered::Prose, Uncovered::Steps]));
    assert_eq!(uncovered(&tool.subject, tool.text()), with(&[Uncovered::Shebang]));
    assert_eq!(uncovered(&knowledge.subject, knowledge.text()), with(&[]));
    // Without steps below its block a directive has none to lose.
    let bare = format!("{DIRECTIVE_LINE}\n{DIRECTIVE}");
    assert_eq!(uncovered(&directive.subject, bare), with(&[Uncovered::Prose]));

    let fault = unverified(&directive.subject, directive.text().as_bytes()).judge_line(&keys_of([trusted(&key())]));
    let fault = fault.unwrap_err();
    assert_eq!((fault.rule(), fault.verdict(), fault.verdict().is_accepted()), ("RYE-S009", Verdict::Legacy, false));
    assert_eq!(
        fault.to_string(),
        "the key `7f2d9ed0b71b8e5a` signed it in version 1, which does not cover: type, id, extension, time, line \
         endings, all text outside of the `<directive>` block, the process steps"
    );
}

/// Hole 1 and 2 as they were: the change goes unseen, so the verdict names it whether or not it was made.
#[test]
fn what_version_1_does_not_see_is_named_and_never_good() {
    let [directive, tool, knowledge] = olds();
    for (old, from, to, part) in [
        (&directive, "Ask first.", "Ask nobody.", Uncovered::Steps),
        (&directive, "# Deploy", "# Deploy everything", Uncovered::Prose),
        (&directive, "</process>\n", "</process>", Uncovered::Prose),
        (&directive, "```xml", "```XML", Uncovered::Prose),
        (&directive, TIME, "2020-01-01T00:00:00Z", Uncovered::Time),
        (&tool, "python3", "evil", Uncovered::Shebang),
        (&tool, "#!/usr/bin/env python3\n", "", Uncovered::Shebang),
        (&tool, TIME, "2020-01-01T00:00:00Z", Uncovered::Time),
        (&tool, "('hello')\n", "('hello')\r\n", Uncovered::LineEndings),
        (&tool, "('hello')\n", "('hello')\r", Uncovered::LineEndings),
        (&knowledge, "---\n", "---\r\n", Uncovered::LineEndings),
    ] {
        let text = old.text();
        assert!(text.contains(from), "{from:?}");
        let uncovered = uncovered(&old.subject, text.replacen(from, to, 1));
        assert!(uncovered.as_ref().is_ok_and(|parts| parts.contains(&part)), "{from:?} to {to:?}: {uncovered:?}");
    }
    for (old, item_type, id, extension) in [
        (&knowledge, ItemType::Knowledge, "team/elsewhere", "yaml"),
        (&knowledge, ItemType::Tool, "team/greetings", "yaml"),
        (&tool, ItemType::Tool, "demo/hello", "sh"),
    ] {
        assert!(uncovered(&subject(item_type, id, extension), old.text()).is_ok(), "{item_type} {id} {extension}");
    }
}

/// The line may end as the older program let it; its ending is named.
#[test]
fn the_end_of_a_line_of_version_1_is_read_loosely_and_named() {
    use Uncovered::{LineEnd, RegistrySuffix, TrailingBlanks};
    for old in olds() {
        let close = old.subject.extension.comment().around().1;
        let fields = old.line.strip_suffix(close).unwrap();
        let suffixed = format!("{fields}|rye-registry@alice{close}");
        let is_knowledge = old.subject.item_type == ItemType::Knowledge;
        for (line, parts) in [
            (format!("{}\r", old.line), &[LineEnd][..]),
            (suffixed.clone(), &[RegistrySuffix]),
            (format!("{suffixed}\r"), &[LineEnd, RegistrySuffix]),
            (format!("{} ", old.line), &[TrailingBlanks]),
            (format!("{} \t ", old.line), &[TrailingBlanks]),
            (format!("{suffixed} \r"), &[LineEnd, TrailingBlanks, RegistrySuffix]),
        ] {
            let seen = uncovered(&old.subject, old.with_line(&line));
            if is_knowledge && parts.contains(&TrailingBlanks) {
                assert_eq!(seen, Err("RYE-S002"), "there they were part of the text: {line:?}");
            } else {
                assert!(seen.as_ref().is_ok_and(|seen| seen.ends_with(parts)), "{line:?}: {seen:?}");
            }
        }
        let crlf = uncovered(&old.subject, old.text().replace('\n', "\r\n"));
        assert!(crlf.is_ok_and(|parts| parts.ends_with(&[LineEnd])), "{}", old.subject);
        for line in [
            format!("{}\r\r", old.line),
            format!("{}\u{b}", old.line),
            format!("{}\u{2028}", old.line),
            format!("{}\revil()", old.line),
            format!(" {}", old.line),
            format!("{fields}|{close}"),
            format!("{fields}|rye{close}"),
            format!("{fields}|rye@{close}"),
            format!("{fields}|rye@a|b@c{close}"),
            format!("{fields}|rye@a b{close}"),
            format!("{fields}|rye@a\revil(){close}"),
            format!("{fields} {close}more"),
            fields.replacen("rye:signed:", "rye:signed: ", 1) + close,
        ] {
            assert_eq!(uncovered(&old.subject, old.with_line(&line)), Err("RYE-S002"), "{line:?}");
        }
    }
}

/// What the hash of version 1 does see is refused as ever.
#[test]
fn what_version_1_does_see_is_tampered() {
    let [directive, tool, knowledge] = olds();
    for (old, from, to, rule) in [
        (&directive, "1.0.0", "1.0.1", "RYE-S004"),
        (&directive, "\n</directive>", "\n\n</directive>", "RYE-S004"),
        (&directive, "</process>", "</process></directive>", "RYE-S004"),
        (&directive, "# Deploy", "# Deploy <directive>", "RYE-S004"),
        (&directive, "</directive>", "</Directive>", "RYE-S004"),
        (&directive, "a5ffd88f", "a5ffd88e", "RYE-S004"),
        (&directive, "7bof9i6L", "7bof9i6M", "RYE-S004"),
        (&tool, "hello", "hullo", "RYE-S004"),
        (&tool, "('hello')\n", "('hello')", "RYE-S004"),
        (&tool, "#!/usr", "#! /usr", "RYE-S004"),
        (&tool, "python3\n", "python3\rmore\n", "RYE-S004"),
        (&tool, "sjsOu1xD", "sjsOu1xE", "RYE-S004"),
        (&knowledge, "Text.\n", "Text.\n\n", "RYE-S004"),
        (&knowledge, "3Ae7bBR1", "3Ae7bBR2", "RYE-S005"),
        (&knowledge, "NloLAA==", "NloLAA", "RYE-S002"),
        (&knowledge, "4497849407d4", "4497849407D4", "RYE-S002"),
    ] {
        let text = old.text();
        assert!(text.contains(from), "{from:?}");
        assert_eq!(uncovered(&old.subject, text.replacen(from, to, 1)), Err(rule), "{from:?} to {to:?}");
    }
    for old in olds() {
        let Old { subject, shebang, line, below } = &old;
        let twice = |first: &str| format!("{shebang}{first}\n{line}\n{below}");
        assert_eq!(uncovered(subject, twice(line)), Err("RYE-S003"));
        assert_eq!(uncovered(subject, twice(&format!("{line}\r"))), Err("RYE-S003"));
        assert_eq!(
            uncovered(subject, format!("\n{shebang}{line}\n{below}")).unwrap_err(),
            match shebang.len() {
                0 => "RYE-S002",
                _ => "RYE-S001",
            }
        );
        assert_eq!(uncovered(subject, format!("{shebang}{below}")), Err("RYE-S001"));
    }
    // Hidden below another `#!` line, or above one.
    let Old { subject, shebang, line, below } = &tool;
    assert_eq!(uncovered(subject, format!("{shebang}{shebang}{line}\n{below}")), Err("RYE-S002"));
    let above = v1_line("# ", "", TOOL.as_bytes(), &SEED);
    assert_eq!(uncovered(subject, format!("{above}\n{TOOL}")), Err("RYE-S002"));
}

/// The same trust holds as for version 2: scope, span of validity at the time the line claims, and the agent.
#[test]
fn a_key_counts_for_version_1_as_far_as_it_is_trusted() {
    for old in olds() {
        let rule = |trusted: Vec<TrustedKey>| judge_with(&keys_of(trusted), &old.subject, old.text()).unwrap_err();
        let with = |valid_after, valid_before, namespaces: &[&str]| {
            let moment = |text: Option<&str>| text.map(time);
            let namespaces = namespaces.iter().map(|name| (*name).to_owned()).collect();
            let (valid_after, valid_before) = (moment(valid_after), moment(valid_before));
            rule(vec![TrustedKey { namespaces, valid_after, valid_before, ..trusted(&key()) }])
        };
        assert_eq!(rule(vec![]), "RYE-S006");
        assert_eq!(rule(vec![trusted(&SigningKey::from_seed(&[9; 32]))]), "RYE-S006");
        assert_eq!(with(None, None, &["git"]), "RYE-S006");
        assert_eq!(with(None, None, &["git", "rye"]), "RYE-S009");
        assert_eq!(with(Some("2026-03-17T01:41:08Z"), Some("2026-03-17T01:41:09Z"), &[]), "RYE-S009");
        assert_eq!(with(Some("2026-03-17T01:41:09Z"), None, &[]), "RYE-S008");
        assert_eq!(with(None, Some("2026-03-17T01:41:08Z"), &[]), "RYE-S008");
        let mut keys = keys_of([]);
        keys.set_agent(key().public());
        assert_eq!(judge_with(&keys, &old.subject, old.text()), Err("RYE-S007"));
    }
}

/// The text of knowledge has one hash in both versions, so only the message keeps them apart.
#[test]
fn no_signature_is_of_both_versions() {
    let [.., old] = olds();
    let (line, text) = unverified(&old.subject, KNOWLEDGE.as_bytes()).sign(&key(), time(TIME)).unwrap();
    assert_eq!(line.hash.to_string(), KNOWLEDGE_LINE.split(':').nth(5).unwrap());
    assert_eq!(judge(&old.subject, &text), Ok(Verdict::Good));
    assert_eq!(judge(&old.subject, old.text()), Err("RYE-S009"));
    // A line of version 2 that ends as only one of version 1 may.
    let text = String::from_utf8(text).unwrap();
    let (first, below) = text.split_once('\n').unwrap();
    for end in ["\r", " ", "|registry@user"] {
        assert_eq!(judge(&old.subject, format!("{first}{end}\n{below}")), Err("RYE-S002"), "{end:?}");
    }
    // The envelope over the message of version 1, and the bare signature over that of version 2.
    let digits = line.hash.to_string();
    let bare = ed25519_dalek::SigningKey::from_bytes(&SEED).sign(&old.subject.message(line.timestamp, &line.hash));
    for signature in [key().sign(Namespace::Item, digits.as_bytes()), RawSignature(bare.to_bytes())] {
        let forged = SignatureLine { signature, ..line.clone() }.render(old.subject.extension.comment());
        assert_eq!(judge(&old.subject, format!("{forged}{KNOWLEDGE}")), Err("RYE-S005"));
    }
}

/// Whatever its line ends with, signing again leaves the file that signing it for the first time would.
#[test]
fn signing_and_migrating_take_exactly_the_line_of_version_1_away() {
    let later = time("2027-01-01T00:00:00Z");
    for old in olds() {
        let close = old.subject.extension.comment().around().1;
        let fields = old.line.strip_suffix(close).unwrap();
        let lf = format!("{}{}", old.shebang, old.below);
        let crlf = lf.replace('\n', "\r\n");
        for (body, end) in [(&lf, "\n"), (&lf, "\r\n"), (&crlf, "\r\n"), (&crlf, "\n"), (&lf, " \n"), (&lf, "\t \r\n")]
        {
            for line in [old.line.clone(), format!("{fields}|rye-registry@alice{close}")] {
                let (shebang, below) =
                    body.split_at(if old.shebang.is_empty() { 0 } else { body.find('\n').unwrap() + 1 });
                let text = format!("{shebang}{line}{end}{below}");
                let fresh = unverified(&old.subject, body.as_bytes()).sign(&key(), later).unwrap().1;
                let item = unverified(&old.subject, text.as_bytes());
                assert_eq!(item.sign(&key(), later).unwrap().1, fresh, "{text:?}");
                assert_eq!(item.split().body(), body.as_bytes(), "{text:?}");
                assert_eq!(judge(&old.subject, &fresh), Ok(Verdict::Good));
                // Migration changes nothing here, or drops the same line with what it changes.
                let migrated = migrate(&old.subject, &text, Scope::All, &Renames::default());
                let expected = migrate(&old.subject, body, Scope::All, &Renames::default());
                let kept = if expected.is_change() { &expected.text } else { &text };
                assert_eq!((&migrated.text, migrated.changes), (kept, expected.changes), "{text:?}");
            }
        }
    }
}

/// Text with a taste for what the two versions see differently.
fn body() -> impl Strategy<Value = String> {
    let pieces = [
        "<directive name=\"a\">",
        "</directive>",
        "<process>do</process>",
        "\n",
        "\r\n",
        "\r",
        "#!/bin/sh\n",
        "```xml\n",
        "x",
        " ",
        "é",
        "rye:signed:",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..8).prop_map(|pieces| pieces.concat())
}

fn seen_by_version_1(item_type: ItemType, below: &str) -> String {
    let text = below.replace("\r\n", "\n").replace('\r', "\n");
    let block =
        || Some(text.get(text.find("<directive")?..text.rfind("</directive>")? + "</directive>".len())?.to_owned());
    if item_type == ItemType::Directive { block().unwrap_or_default() } else { text.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// However a file is made around a line of version 1, and whatever is done to it, it is never good.
    #[test]
    fn no_line_of_version_1_is_ever_good(
        which in 0..5_usize,
        shebang in prop::sample::select(vec!["", "#!/bin/sh\n", "#!/bin/sh\r\n", "#! x\n"]),
        below in body(),
        end in prop::sample::select(vec!["\n", "\r\n", " \n", "\r", "", "|a@b\n"]),
        splice in proptest::option::of((0..400_usize, 0..4_usize, body())),
    ) {
        let (item_type, extension, shebang) = [
            (ItemType::Directive, "md", ""),
            (ItemType::Knowledge, "md", ""),
            (ItemType::Knowledge, "yaml", ""),
            (ItemType::Tool, "sh", shebang),
            (ItemType::Tool, "js", shebang),
        ][which];
        let subject = subject(item_type, "a/b", extension);
        let (open, close) = subject.extension.comment().around();
        let line = v1_line(open, close, seen_by_version_1(item_type, &below).as_bytes(), &SEED);
        let mut bytes = format!("{shebang}{line}{end}{below}").into_bytes();
        if let Some((at, cut, new)) = &splice {
            let at = at % bytes.len();
            bytes.splice(at..(at + cut).min(bytes.len()), new.bytes());
        }
        let verdict = judge(&subject, &bytes);
        prop_assert!(verdict.is_err());
        let (first, has_block) = (below.split('\n').next().unwrap_or(""), below.contains("<directive"));
        let plain = splice.is_none() && matches!(end, "\n" | "\r\n") && !first.contains("rye:signed:");
        let placed = shebang != "#! x\n" && (item_type != ItemType::Tool || !(shebang.is_empty() && below.starts_with("#!")));
        let whole = item_type != ItemType::Directive || has_block && !seen_by_version_1(item_type, &below).is_empty();
        if plain && placed && whole {
            prop_assert_eq!(verdict, Err("RYE-S009"));
        }
        // Signed again it is whole, and good.
        if plain && placed {
            let signed = signed_text(&subject, std::str::from_utf8(&bytes).unwrap());
            prop_assert_eq!(judge(&subject, &signed), Ok(Verdict::Good));
            prop_assert!(signed.ends_with(&below) && !signed.contains(&line));
        }
    }
}
