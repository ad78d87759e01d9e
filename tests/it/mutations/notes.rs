//! A second signature that is invalid: every field of it, its use, its place, its holder, and floods of lines.

use rye::trust::{Namespace, RawSignature, SignatureLine, Signed};

use super::world::{GREET, ITEMS, NOTES, NOTES_REF, PLAN, TEXT, countersignature, signed, subject};
use super::{ADA, ADA_AGAIN, BOB, CAROL, Case, DAVE, EVE, NEW, OLD, ROOT, STOLEN, TIME, WIDE, key};
use crate::trust::legacy::v1_line;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |what: &str, note: &dyn Fn(&str, &str) -> Vec<u8>| {
        let item = Item::new(cases.len());
        let bytes = note(&item.path, &item.text);
        cases.push(item.case(what).note(NOTES_REF, &*item.path, bytes));
    };
    for (what, number) in [
        ("a stranger", EVE),
        ("who signed already", ADA),
        ("her other key", ADA_AGAIN),
        ("who may be anybody of her house", WIDE),
        ("who signs only commits", DAVE),
        ("who signs only manifests", ROOT),
        ("who has left", OLD),
        ("who is not yet there", NEW),
        ("whose key was stolen", STOLEN),
    ] {
        add(what, &|path, text| countersignature(path, text, number).into());
    }
    for (what, change) in changes() {
        add(what, &|path, text| change(&Bobs::of(path, text)).into_bytes());
    }
    for namespace in [Namespace::Git, Namespace::Agent, Namespace::Trust] {
        add(&format!("for the use `{}`", namespace.as_str()), &|path, text| {
            let Bobs { line, subject, .. } = Bobs::of(path, text);
            let signature = key(BOB).sign(namespace, &subject.message(line.timestamp, &line.hash));
            bare(&SignatureLine { signature, ..line }).into_bytes()
        });
    }
    for (what, bytes) in garbage() {
        add(what, &|_, _| bytes.clone());
    }
    add("all who may not, at once", &|path, text| {
        [EVE, ADA, ADA_AGAIN, WIDE, DAVE, OLD, NEW, STOLEN].map(|who| countersignature(path, text, who)).concat().into()
    });
    cases.extend(floods());
    cases.extend(elsewhere());
    cases.extend(own_lines());
    cases
}

/// A new item that Ada signed and a second person must, too. Each has a text of its own, and so its own note.
struct Item {
    path: String,
    text: String,
}

impl Item {
    fn new(number: usize) -> Self {
        Self::named(&format!("case_{number}"))
    }

    fn named(name: &str) -> Self {
        Self { path: format!(".ai/knowledge/team/{name}.md"), text: format!("{TEXT}{name}\n") }
    }

    fn case(&self, what: &str) -> Case {
        let case = Case::new(format!("countersigned: {what}"), "RYE-S012", &*self.path);
        case.put(&*self.path, signed(&self.path, &self.text, ADA))
    }

    fn bobs(&self) -> String {
        countersignature(&self.path, &self.text, BOB)
    }
}

/// Bob's signature, which would count.
struct Bobs {
    subject: rye::trust::Subject,
    line: SignatureLine,
    text: String,
}

impl Bobs {
    fn of(path: &str, text: &str) -> Self {
        let subject = subject(path);
        let item = Signed::new(subject.clone(), text.as_bytes().to_vec());
        Self { subject, line: item.sign(&key(BOB), TIME.parse().unwrap()).unwrap().0, text: text.to_owned() }
    }

    fn bare(&self) -> String {
        bare(&self.line)
    }

    /// Replaces a text in it.
    fn with(&self, from: &str, to: &str) -> String {
        assert!(self.bare().contains(from), "{from}");
        self.bare().replacen(from, to, 1)
    }
}

fn bare(line: &SignatureLine) -> String {
    format!("{}\n", line.bare())
}

type Changed = fn(&Bobs) -> String;

/// The damage to a line that would count.
fn changes() -> [(&'static str, Changed); 24] {
    [
        ("a second later", |bobs| bobs.with("01:41:08Z", "01:41:09Z")),
        ("a year before", |bobs| bobs.with(":2026-", ":2025-")),
        ("another hash", |bobs| {
            let hash = bobs.line.hash.to_string();
            bobs.with(&hash, &rye::trust::ContentHash::of(b"other").to_string())
        }),
        ("another signature", |bobs| {
            let mut bytes = bobs.line.signature.0;
            bytes[40] ^= 1;
            bare(&SignatureLine { signature: RawSignature(bytes), ..bobs.line.clone() })
        }),
        ("no signature in it", |bobs| bare(&SignatureLine { signature: RawSignature([0; 64]), ..bobs.line.clone() })),
        ("another key's id", |bobs| bobs.with(&id_of(BOB), &id_of(CAROL))),
        ("a stranger's, under Bob's id", |bobs| {
            let item = Signed::new(bobs.subject.clone(), bobs.text.as_bytes().to_vec());
            let line = item.sign(&key(EVE), TIME.parse().unwrap()).unwrap().0;
            bare(&SignatureLine { key_id: bobs.line.key_id.clone(), ..line })
        }),
        ("of other bytes", |bobs| countersignature(&path_of(bobs), "other\n", BOB)),
        ("of one byte more", |bobs| countersignature(&path_of(bobs), &format!("{}\n", bobs.text), BOB)),
        ("of another item", |bobs| countersignature(NOTES, &bobs.text, BOB)),
        ("of the neighbour", |bobs| countersignature(PLAN, &bobs.text, BOB)),
        ("of another type", |bobs| {
            countersignature(&path_of(bobs).replace("knowledge", "directives"), &bobs.text, BOB)
        }),
        ("of another extension", |bobs| countersignature(&path_of(bobs).replace(".md", ".yaml"), &bobs.text, BOB)),
        ("copied from another item's note", |_| countersignature(PLAN, TEXT, BOB)),
        ("in comment marks", |bobs| format!("<!-- {} -->\n", bobs.bare().trim_end())),
        ("behind a blank", |bobs| format!(" {}", bobs.bare())),
        ("before a blank", |bobs| format!("{} \n", bobs.bare().trim_end())),
        ("with CR LF", |bobs| bobs.bare().replace('\n', "\r\n")),
        ("in capitals", |bobs| bobs.with("rye:signed:", "RYE:SIGNED:")),
        ("with its hash in capitals", |bobs| {
            let hash = bobs.line.hash.to_string();
            bobs.with(&hash, &hash.to_uppercase())
        }),
        ("without padding", |bobs| bobs.with("==:", ":")),
        ("with a fifth field", |bobs| format!("{}:more\n", bobs.bare().trim_end())),
        ("broken into two lines", |bobs| bobs.with(":", ":\n")),
        ("in version 1", |bobs| format!("{}\n", v1_line("", "", bobs.text.as_bytes(), &[BOB; 32]))),
    ]
}

fn path_of(bobs: &Bobs) -> String {
    format!(".ai/knowledge/{}.md", bobs.subject.item_id)
}

fn id_of(number: u8) -> String {
    key(number).public().key_id().to_string()
}

/// Notes of other programs, and of none.
fn garbage() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("nothing", Vec::new()),
        ("newlines", b"\n\n\n".to_vec()),
        ("a sentence", b"Reviewed-by: Bob <bob@example.org>\n".to_vec()),
        ("a line that only begins like one", b"rye:signed:everything is fine\n".to_vec()),
        ("no text", (0..=255).collect()),
        ("colons", b"rye:signed::::\n".to_vec()),
    ]
}

/// A line that would count, in a note that is too large to be one.
fn floods() -> Vec<Case> {
    let flood = |what: &str, name: &str, note: &dyn Fn(&Item) -> String| {
        let item = Item::named(name);
        let bytes = note(&item);
        item.case(what).note(NOTES_REF, &*item.path, bytes)
    };
    vec![
        flood("a note of more than 256 KiB", "huge", &|item| format!("{}{}", item.bobs(), "x".repeat(256 * 1024))),
        flood("a note of many short lines", "long", &|item| format!("{}{}", item.bobs(), "x\n".repeat(140 * 1024))),
        flood("a note of more than 256 signatures", "many", &|item| {
            let line = Bobs::of(&item.path, &item.text).line;
            let other = |number: usize| SignatureLine {
                hash: rye::trust::ContentHash::of(&number.to_be_bytes()),
                ..line.clone()
            };
            (0..257).map(|number| bare(&other(number))).collect::<String>() + &bare(&line)
        }),
        flood("one line three times, and it is Ada's", "thrice", &|item| {
            countersignature(&item.path, &item.text, ADA).repeat(3)
        }),
    ]
}

/// A line that would count, at a place that is not read.
fn elsewhere() -> Vec<Case> {
    let places = [
        ("refs/notes/commits", "commits"),
        ("refs/notes/review", "review"),
        ("refs/notes/rye/more", "below"),
        ("refs/notes/remotes/origin/review", "remote"),
        ("refs/heads/rye_notes", "branch"),
        ("refs/rye/notes", "hidden"),
    ];
    let mut cases: Vec<Case> = places
        .into_iter()
        // A ref below another one cannot be.
        .filter(|(reference, _)| !reference.starts_with("refs/notes/rye/"))
        .map(|(reference, name)| {
            let item = Item::named(name);
            let bobs = item.bobs();
            item.case(&format!("under {reference}")).note(reference, &*item.path, bobs)
        })
        .collect();
    let item = Item::named("at_another");
    cases.push(item.case("on another item's blob").note(NOTES_REF, GREET, item.bobs()));
    let item = Item::named("in_the_text");
    let text = format!("{}{}", item.text, item.bobs());
    let case = Case::new("countersigned: in its own text", "RYE-S012", &*item.path);
    cases.push(case.put(&*item.path, signed(&item.path, &text, ADA)));
    let item = Item::named("as_a_file");
    cases.push(item.case("in a file of the project").put("refs/notes/rye", item.bobs()));
    cases.push(Item::named("nowhere").case("nowhere"));
    cases
}

/// Two may have countersigned it: its own line must count all the same.
fn own_lines() -> Vec<Case> {
    let both = |what: &str, rule, name: &str, own: &dyn Fn(&Item) -> String| {
        let item = Item::named(name);
        let own = own(&item);
        let notes = [ADA, BOB].map(|who| countersignature(&item.path, &item.text, who)).concat();
        let case = Case::new(format!("countersigned by both: {what}"), rule, &*item.path);
        case.put(&*item.path, own).note(NOTES_REF, &*item.path, notes)
    };
    let text = |item: &Item| item.text.clone();
    vec![
        both("a stranger's own line", "RYE-S006", "own_1", &|item| signed(&item.path, &item.text, EVE)),
        both("a stolen key's own line", "RYE-S010", "own_2", &|item| signed(&item.path, &item.text, STOLEN)),
        both("no line of its own", "RYE-S001", "own_3", &text),
        both("a changed text", "RYE-S004", "own_4", &|item| signed(&item.path, &item.text, ADA) + "more\n"),
        both("an own line that is moved", "RYE-S005", "own_5", &|item| {
            let own = signed(&item.path, &item.text, ADA);
            own.replace(TIME, "2026-03-17T01:41:09Z")
        }),
        Case::new("countersigned: what two signed under another name", "RYE-S005", ".ai/knowledge/team/copy.md")
            .put(".ai/knowledge/team/copy.md", signed(PLAN, TEXT, ADA))
            .because(super::Original::InTree(PLAN)),
        Case::new("countersigned: an item that needs none is not helped by one", "RYE-S004", NOTES)
            .put(NOTES, format!("{}more\n", signed(NOTES, ITEMS[3].1, ADA)))
            .note(NOTES_REF, NOTES, countersignature(NOTES, &format!("{}more\n", ITEMS[3].1), BOB)),
    ]
}
