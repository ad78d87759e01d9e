//! Every field and region of a signed file, its name, what came before it, who signed it, and version 1.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use rye::trust::{Namespace, RawSignature, SignatureLine, Signed};

use super::world::{COVER, DATA, GREET, HELLO, ITEMS, NOTES, RUN, TEXT, signed, signed_at, subject};
use super::{ADA, BOB, CAROL, Case, DAVE, EARLIER, EVE, LATER, NEW, OLD, Original, ROOT, STOLEN, TIME, key};
use crate::trust::legacy::v1_line;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (path, text) in ITEMS {
        let file = File::of(path, text);
        cases.extend(fields(&file));
        cases.extend(the_line(&file));
        cases.extend(regions(&file));
        cases.extend(signers(path, text));
        cases.extend(version_1(path, text));
    }
    cases.extend(names());
    cases.extend(scripts());
    cases.extend(places());
    cases
}

/// A signed file, taken apart.
struct File {
    path: &'static str,
    before: String,
    line: SignatureLine,
    open: &'static str,
    close: &'static str,
    after: String,
}

impl File {
    fn of(path: &'static str, text: &str) -> Self {
        let subject = subject(path);
        let (open, close) = subject.extension.comment().around();
        let (line, _) = Signed::new(subject, text.as_bytes().to_vec()).sign(&key(ADA), TIME.parse().unwrap()).unwrap();
        let at = if text.starts_with("#!") { text.find('\n').unwrap() + 1 } else { 0 };
        let (before, after) = text.split_at(at);
        Self { path, before: before.to_owned(), line, open, close, after: after.to_owned() }
    }

    /// Puts a line with its newline where the own one was.
    fn with_line(&self, line: &str) -> String {
        format!("{}{line}{}", self.before, self.after)
    }

    fn whole_line(&self) -> String {
        format!("{}{}{}\n", self.open, self.line.bare(), self.close)
    }

    fn whole(&self) -> String {
        self.with_line(&self.whole_line())
    }

    fn with_fields(&self, line: &SignatureLine) -> String {
        self.with_line(&format!("{}{}{}\n", self.open, line.bare(), self.close))
    }

    /// Replaces a text within the line.
    fn with(&self, from: &str, to: &str) -> String {
        let line = self.whole_line();
        assert!(line.contains(from), "{line} {from}");
        self.with_line(&line.replacen(from, to, 1))
    }

    fn case(&self, what: &str, rule: &'static str, text: impl Into<Vec<u8>>) -> Case {
        Case::new(format!("{}: {what}", self.path), rule, self.path).put(self.path, text)
    }
}

/// Each field, written otherwise or with another value.
fn fields(file: &File) -> Vec<Case> {
    let line = &file.line;
    let (hash, signature, key_id) = (line.hash.to_string(), line.signature_text(), line.key_id.to_string());
    let past = Original::InHistory(file.path);
    let other_byte = |at: usize| {
        let mut bytes = line.signature.0;
        bytes[at] ^= 1;
        file.with_fields(&SignatureLine { signature: RawSignature(bytes), ..line.clone() })
    };
    let mut cases = vec![
        file.case("a second later", "RYE-S005", file.with("01:41:08Z", "01:41:09Z")).because(past),
        file.case("ten years later", "RYE-S005", file.with(":2026-", ":2036-")).because(past),
        file.case("its first hour", "RYE-S005", file.with("T01:41:08Z", "T00:00:00Z")).because(past),
        file.case("another hash", "RYE-S004", file.with(&hash, &flipped(&hash))),
        file.case("the first half of the signature", "RYE-S005", other_byte(0)),
        file.case("the second half of the signature", "RYE-S005", other_byte(32)),
        file.case("the end of the signature", "RYE-S005", other_byte(63)),
        file.case("the same signature in other numbers", "RYE-S005", {
            let signature = RawSignature(above_the_order(line.signature.0));
            file.with_fields(&SignatureLine { signature, ..line.clone() })
        }),
        file.case("no signature at all, in 64 bytes", "RYE-S005", {
            file.with_fields(&SignatureLine { signature: RawSignature([0; 64]), ..line.clone() })
        }),
        file.case("a key nobody has", "RYE-S006", file.with(&key_id, &flipped(&key_id))),
        file.case("another trusted key", "RYE-S005", file.with(&key_id, &id_of(BOB))).because(past),
        file.case("a revoked key", "RYE-S005", file.with(&key_id, &id_of(STOLEN))).because(past),
        file.case("a key of commits", "RYE-S006", file.with(&key_id, &id_of(DAVE))),
        file.case("a stranger's key", "RYE-S006", file.with(&key_id, &id_of(EVE))),
    ];
    let malformed = [
        ("a month that is none", file.with("2026-03-17", "2026-13-17")),
        ("a blank for the T", file.with("17T01", "17 01")),
        ("a time zone", file.with("08Z:", "08+00:00:")),
        ("parts of a second", file.with("08Z:", "08.000Z:")),
        ("no time", file.with(TIME, "")),
        ("the hash in capitals", file.with(&hash, &hash.to_uppercase())),
        ("the hash cut short", file.with(&hash, &hash[1..])),
        ("no hash", file.with(&hash, "")),
        ("the signature cut short", file.with(&signature, &signature[4..])),
        ("the signature without padding", file.with("==:", ":")),
        ("the signature's spare bits", file.with(&signature, &spare_bits(&signature))),
        ("no signature", file.with(&signature, "")),
        ("the key id in capitals", file.with(&key_id, &key_id.to_uppercase())),
        ("the key id cut short", file.with(&key_id, &key_id[1..])),
        ("a fifth field", file.with(&key_id, &format!("{key_id}:more"))),
        ("one field less", file.with(&format!(":{key_id}"), "")),
    ];
    cases.extend(
        malformed
            .into_iter()
            .filter(|(_, text)| *text != file.whole())
            .map(|(what, text)| file.case(what, "RYE-S002", text)),
    );
    cases
}

/// The line as a whole: written otherwise, elsewhere, twice, not at all.
fn the_line(file: &File) -> Vec<Case> {
    let line = file.whole_line();
    let trimmed = line.trim_end();
    let other_style = if file.open.starts_with('#') {
        format!("// {}\n", file.line.bare())
    } else {
        format!("# {}\n", file.line.bare())
    };
    let malformed = [
        ("CR LF at its end", format!("{trimmed}\r\n")),
        ("a lone CR in it", line.replacen("rye:", "\rrye:", 1)),
        ("a line separator in it", line.replacen("rye:", "\u{2028}rye:", 1)),
        ("a NUL at its end", format!("{trimmed}\0\n")),
        ("a blank before it", format!(" {line}")),
        ("a blank behind it", format!("{trimmed} \n")),
        ("a word behind it", format!("{trimmed} exec\n")),
        ("a mark of byte order before it", format!("\u{feff}{line}")),
        ("its name in capitals", line.replacen("rye:signed:", "RYE:SIGNED:", 1)),
        ("another style of comment", other_style),
        ("no comment", format!("{}\n", file.line.bare())),
    ];
    let mut cases: Vec<Case> =
        malformed.into_iter().map(|(what, line)| file.case(what, "RYE-S002", file.with_line(&line))).collect();
    let strangers = signed(file.path, &format!("{}{}", file.before, file.after), EVE);
    let strangers = strangers.lines().find(|line| line.contains("rye:signed:")).unwrap().to_owned();
    cases.extend([
        file.case("the same line twice", "RYE-S003", file.with_line(&line.repeat(2))),
        file.case("a stranger's line below it", "RYE-S003", file.with_line(&format!("{line}{strangers}\n"))),
        file.case("a stranger's line above it", "RYE-S003", file.with_line(&format!("{strangers}\n{line}"))),
        file.case("no line", "RYE-S001", file.with_line("")),
        // Below a `#!` line it is then the third one, which is not read.
        file.case(
            "a line above it",
            if file.before.is_empty() { "RYE-S002" } else { "RYE-S001" },
            file.with_line(&format!("\n{line}")),
        ),
        file.case("the line at the end of the file", "RYE-S001", format!("{}{}{line}", file.before, file.after)),
    ]);
    for old in [
        "rye:validated:2025-01-01T00:00:00Z:0123456789abcdef",
        "kiwi-mcp:validated:2025",
        "placeholder:unsigned:unsigned",
    ] {
        let line = format!("{}{old}{}\n", file.open, file.close);
        cases.push(file.case(&format!("`{old}` in its place"), "RYE-S001", file.with_line(&line)));
    }
    cases
}

/// The text: each region of it, with the line as it was, and with the hash made to fit.
fn regions(file: &File) -> Vec<Case> {
    let line = file.whole_line();
    let middle = file.after.char_indices().nth(file.after.chars().count() / 2).unwrap().0;
    let after = |text: String| format!("{}{line}{text}", file.before);
    let texts = [
        ("a word before the text", format!("x{}", file.after)),
        ("a word within the text", format!("{}x{}", &file.after[..middle], &file.after[middle..])),
        ("a line behind the text", format!("{}more\n", file.after)),
        ("a blank behind the text", format!("{} ", file.after)),
        ("a NUL behind the text", format!("{}\0", file.after)),
        ("no newline at the end", file.after.trim_end().to_owned()),
        ("half of the text", file.after[..middle].to_owned()),
        ("no text", String::new()),
        ("CR LF throughout the text", file.after.replace('\n', "\r\n")),
        ("lone CRs throughout the text", file.after.replace('\n', "\r")),
    ];
    let mut cases: Vec<Case> =
        texts.iter().map(|(what, text)| file.case(what, "RYE-S004", after(text.clone()))).collect();
    // Whoever changes the text can compute its hash, too: then the signature is what does not fit.
    for (what, text) in texts.into_iter().take(4) {
        let (line, _) = Signed::new(subject(file.path), format!("{}{text}", file.before).into_bytes())
            .sign(&key(EVE), TIME.parse().unwrap())
            .unwrap();
        let line = SignatureLine { hash: line.hash, ..file.line.clone() };
        let text = format!("{}{}{}{}\n{text}", file.before, file.open, line.bare(), file.close);
        // The signature is that of the text before.
        let past = Original::InHistory(file.path);
        cases.push(file.case(&format!("{what}, and its right hash"), "RYE-S005", text).because(past));
    }
    cases
}

/// The text signed anew, by people who may not, or for another use.
fn signers(path: &'static str, text: &str) -> Vec<Case> {
    let text = &format!("{text}More.\n");
    let case = |what: &str, rule, text: String| Case::new(format!("{path}: {what}"), rule, path).put(path, text);
    let by = |number, at| signed_at(path, text, number, at);
    let mut cases = vec![
        case("signed by a stranger", "RYE-S006", by(EVE, TIME)),
        case("signed by a key of commits", "RYE-S006", by(DAVE, TIME)),
        case("signed by a key of manifests", "RYE-S006", by(ROOT, TIME)),
        case("signed by somebody who has left", "RYE-S008", by(OLD, TIME)),
        case("signed by somebody who is not yet there", "RYE-S008", by(NEW, TIME)),
        case("signed by a stolen key", "RYE-S010", by(STOLEN, LATER)),
        case("signed by a stolen key before it was stolen, as it says", "RYE-S010", by(STOLEN, "2020-01-01T00:00:00Z")),
        case("signed before the base's", "RYE-S011", by(CAROL, EARLIER)),
        case(
            "signed by a stranger, who names another key",
            "RYE-S005",
            by(EVE, TIME).replace(&id_of(EVE), &id_of(ADA)),
        ),
    ];
    for namespace in [Namespace::Git, Namespace::Agent, Namespace::Trust] {
        let subject = subject(path);
        let (mut line, _) =
            Signed::new(subject.clone(), text.as_bytes().to_vec()).sign(&key(ADA), TIME.parse().unwrap()).unwrap();
        let right = line.signature_text();
        line.signature = key(ADA).sign(namespace, &subject.message(TIME.parse().unwrap(), &line.hash));
        let text = by(ADA, TIME).replace(&right, &line.signature_text());
        cases.push(case(&format!("signed for the use `{}`", namespace.as_str()), "RYE-S005", text));
    }
    cases
}

/// Signatures of version 1: in the place of one of version 2, on new items, and damaged.
fn version_1(path: &'static str, text: &str) -> Vec<Case> {
    let (open, close) = subject(path).extension.comment().around();
    let at = if text.starts_with("#!") { text.find('\n').unwrap() + 1 } else { 0 };
    let (before, below) = text.split_at(at);
    let hashed = match (below.find("<directive"), below.rfind("</directive>")) {
        (Some(from), Some(to)) => &below[from..to + "</directive>".len()],
        _ => below,
    };
    let new = format!("{}_old.{}", path.rsplit_once('.').unwrap().0, path.rsplit_once('.').unwrap().1);
    let by = |number: u8| v1_line(open, close, hashed.as_bytes(), &[number; 32]);
    let whole = |line: &str, below: &str| format!("{before}{line}\n{below}");
    let case = |what: &str, rule, path: &str, text: String| {
        Case::new(format!("{path}, version 1: {what}"), rule, path).put(path, text)
    };
    let line = by(ADA);
    let with_suffix = line.replacen(close.trim_end(), "", usize::from(!close.is_empty()));
    let with_suffix = format!("{with_suffix}|hub@ada{close}");
    vec![
        case("after version 2", "RYE-S014", path, whole(&line, below)),
        case("after version 2, with a line end of its own", "RYE-S014", path, whole(&format!("{line}\r"), below)),
        case("a new item", "RYE-S009", &new, whole(&line, below)),
        case("a new item with CR LF", "RYE-S009", &new, whole(&line, &below.replace('\n', "\r\n"))),
        case("a registry behind the key", "RYE-S009", &new, whole(&with_suffix, below)),
        case("by a stranger", "RYE-S006", &new, whole(&by(EVE), below)),
        case("by a stolen key", "RYE-S010", &new, whole(&by(STOLEN), below)),
        case("by somebody who has left", "RYE-S008", &new, whole(&by(OLD), below)),
        case("twice", "RYE-S003", &new, whole(&format!("{line}\n{line}"), below)),
        case("another text", "RYE-S004", &new, whole(&line, &below.replace(['e', 'T'], "x"))),
        // A line of neither version gets the rule of version 2, whose hash is that of the whole text.
        case("another signature", if hashed == text { "RYE-S005" } else { "RYE-S004" }, &new, {
            let signature = line.split(':').nth(6).unwrap();
            whole(&line.replace(signature, &URL_SAFE.encode([7; 64])), below)
        }),
    ]
}

/// The same bytes under another type, id or extension.
fn names() -> Vec<Case> {
    let moved = [
        (GREET, ".ai/directives/demo/welcome.md", "RYE-S005"),
        (GREET, ".ai/directives/greet.md", "RYE-S005"),
        (GREET, ".ai/directives/demo/demo/greet.md", "RYE-S005"),
        (GREET, ".ai/knowledge/demo/greet.md", "RYE-S005"),
        (NOTES, ".ai/directives/demo/notes.md", "RYE-S005"),
        (NOTES, ".ai/knowledge/demo/notes2.md", "RYE-S005"),
        (NOTES, ".ai/knowledge/other/notes.md", "RYE-S005"),
        (DATA, ".ai/knowledge/demo/data2.yaml", "RYE-S005"),
        (DATA, ".ai/tools/demo/data.yaml", "RYE-S005"),
        (DATA, ".ai/tools/demo/data.sh", "RYE-S005"),
        (HELLO, ".ai/tools/demo/bye.py", "RYE-S005"),
        (HELLO, ".ai/tools/hello.py", "RYE-S005"),
        (RUN, ".ai/tools/demo/walk.sh", "RYE-S005"),
        (RUN, ".ai/tools/demo/walk.py", "RYE-S005"),
        // In another style of comment the line does not count.
        (NOTES, ".ai/knowledge/demo/notes2.yaml", "RYE-S002"),
        (RUN, ".ai/tools/demo/run2.js", "RYE-S002"),
    ];
    let text = |path: &str| ITEMS.iter().find(|(known, _)| *known == path).unwrap().1;
    let mut cases = Vec::new();
    for (from, to, rule) in moved {
        let whole = signed(from, text(from), ADA);
        let because = |original| (rule == "RYE-S005").then_some(original);
        let copied = Case::new(format!("{from} is copied to {to}"), rule, to).put(to, whole.clone());
        cases.push(copied.because(because(Original::InTree(from))));
        let renamed = Case::new(format!("{from} is renamed {to}"), rule, to).put(to, whole).remove(from);
        cases.push(renamed.because(because(Original::InHistory(from))));
    }
    for (path, extension) in [(HELLO, "sh"), (RUN, "py"), (DATA, "md"), (NOTES, "yaml")] {
        let other = format!("{}.{extension}", path.rsplit_once('.').unwrap().0);
        let whole = signed(path, text(path), ADA);
        let rule = if path == NOTES || path == DATA { "RYE-S002" } else { "RYE-S005" };
        let renamed = Case::new(format!("{path} is renamed .{extension}"), rule, &*other).put(&*other, &*whole);
        let original = (rule == "RYE-S005").then_some(Original::InHistory(path));
        cases.push(renamed.remove(path).because(original));
        // With the original next to it both are refused, however well they are signed.
        let good = signed(&other, text(path), ADA);
        let beside = Case::new(format!("{path} gets a neighbour .{extension}"), "RYE-S021", path);
        cases.push(beside.put(&*other, good).and("RYE-S021", other));
    }
    // One item's line above another one's text.
    let line = signed(NOTES, text(NOTES), ADA).lines().next().unwrap().to_owned();
    let mixed = format!("{line}\n{}", text(GREET));
    cases.push(Case::new("another item's line", "RYE-S004", GREET).put(GREET, mixed));
    // The other item's signature, with the right time, hash and key.
    let own = signed(GREET, text(GREET), ADA);
    let signature = |whole: &str| whole.split(':').nth(6).unwrap().to_owned();
    let theirs = own.replace(&signature(&own), &signature(&line));
    let case = Case::new("another item's signature above the right hash", "RYE-S005", GREET).put(GREET, theirs);
    cases.push(case.because(Original::InTree(NOTES)));
    cases
}

/// The rest of a tool's `#!` line.
fn scripts() -> Vec<Case> {
    let text = |path: &str| ITEMS.iter().find(|(known, _)| *known == path).unwrap().1;
    let (hello, run) = (signed(HELLO, text(HELLO), ADA), signed(RUN, text(RUN), ADA));
    let (shebang, rest) = hello.split_once('\n').unwrap();
    let (line, body) = rest.split_once('\n').unwrap();
    let case = |what: &str, rule, path, text: String| Case::new(format!("{path}: {what}"), rule, path).put(path, text);
    vec![
        case("another interpreter", "RYE-S004", HELLO, hello.replace("python3", "sh")),
        case("an option of the interpreter", "RYE-S004", HELLO, hello.replace("python3", "python3 -i")),
        case("the interpreter with CR LF", "RYE-S004", HELLO, hello.replacen('\n', "\r\n", 1)),
        case("no interpreter", "RYE-S004", HELLO, rest.to_owned()),
        case("an interpreter where there was none", "RYE-S004", RUN, format!("#!/bin/sh\n{run}")),
        case("the line above the interpreter", "RYE-S002", HELLO, format!("{line}\n{shebang}\n{body}")),
        case("the line behind the interpreter", "RYE-S002", HELLO, format!("{shebang} {line}\n{body}")),
        case("a second interpreter", "RYE-S002", HELLO, format!("{shebang}\n{shebang}\n{line}\n{body}")),
    ]
}

/// Present and missing files.
fn places() -> Vec<Case> {
    let huge = format!("{}{}", signed(NOTES, TEXT, ADA), "x".repeat(1 << 20));
    let line = signed(NOTES, TEXT, ADA).lines().next().unwrap().to_owned();
    vec![
        Case::new("an item is removed, and the one at home takes effect", "RYE-S013", COVER).remove(COVER),
        Case::new("an item of more than 1 MiB", "RYE-S021", NOTES).put(NOTES, huge),
        Case::new("an empty item", "RYE-S001", NOTES).put(NOTES, ""),
        Case::new("a line without a text or newline", "RYE-S002", NOTES).put(NOTES, line),
        Case::new("no text at all, in bytes", "RYE-S001", NOTES).put(NOTES, [0xff, 0xfe, 0x00]),
        Case::new("a new item without a line", "RYE-S001", ".ai/tools/demo/new.sh")
            .put(".ai/tools/demo/new.sh", "true\n"),
    ]
}

fn id_of(number: u8) -> String {
    key(number).public().key_id().to_string()
}

/// Changes the first of some hexadecimal digits.
fn flipped(digits: &str) -> String {
    let first = if digits.starts_with('0') { "1" } else { "0" };
    format!("{first}{}", &digits[1..])
}

/// Sets a bit of the last character before the padding that encodes nothing.
fn spare_bits(signature: &str) -> String {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (last, head) = (&signature[85..86], &signature[..85]);
    let at = ALPHABET.find(last).unwrap();
    format!("{head}{}==", &ALPHABET[at + 1..at + 2])
}

/// Adds the order of the group to the second half: a verifier that does not look takes it for the same number.
fn above_the_order(signature: [u8; 64]) -> [u8; 64] {
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut other = signature;
    let mut carry = 0_u16;
    for (byte, order) in other[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        (*byte, carry) = (sum.to_le_bytes()[0], sum >> 8);
    }
    other
}
