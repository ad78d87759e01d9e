//! Every part of a commit, every invalid signature, and every way to answer for history with another one.

use rye::trust::Namespace;

use super::world::{SECONDS, Unsigned, World};
use super::{ADA, BOB, CAROL, Case, EVE, NEW, OLD, ROOT, STOLEN, key};

/// The path of a finding about a commit.
const COMMIT: &str = ".";

pub(super) fn cases() -> Vec<Case> {
    [unsigned(), signers(), amended(), envelopes()].into_iter().flatten().collect()
}

fn case(what: &str, rule: &'static str) -> Case {
    Case::new(what, rule, COMMIT).put("CHANGES", what)
}

/// Puts a signature into the headers.
fn with(signature: &str, text: &str) -> String {
    with_header("gpgsig", signature, text)
}

fn with_header(header: &str, signature: &str, text: &str) -> String {
    let (head, body) = text.split_once("\n\n").unwrap();
    format!("{head}\n{header} {}\n\n{body}", signature.trim_end().replace('\n', "\n "))
}

fn by(number: u8, namespace: Namespace, text: &str) -> String {
    key(number).sign_armored(namespace, text.as_bytes())
}

fn honest(text: &str) -> String {
    by(BOB, Namespace::Git, text)
}

/// No signature where one belongs.
fn unsigned() -> Vec<Case> {
    vec![
        case("no signature", "RYE-C001").forge(|commit| commit.text.clone()),
        case("a signature in the message", "RYE-C001")
            .forge(|commit| format!("{}\n{}", commit.text, honest(&commit.text))),
        case("a signature of another format's header", "RYE-C001")
            .forge(|commit| with_header("gpgsig-sha256", &honest(&commit.text), &commit.text)),
        case("a signature in a header nobody knows", "RYE-C001")
            .forge(|commit| with_header("signature", &honest(&commit.text), &commit.text)),
    ]
}

/// Signed by people who may not, or for another use.
fn signers() -> Vec<Case> {
    let signed = |what: &str, rule, number: u8| {
        case(what, rule).forge(move |commit| with(&by(number, Namespace::Git, &commit.text), &commit.text))
    };
    let mut cases = vec![
        signed("by a stranger", "RYE-C004", EVE),
        signed("by who signs only items", "RYE-C004", CAROL),
        signed("by who signs only manifests", "RYE-C004", ROOT),
        signed("by who has left", "RYE-C005", OLD),
        signed("by who is not yet there", "RYE-C005", NEW),
        signed("by a stolen key", "RYE-C006", STOLEN),
        case("by a stolen key, before it was stolen, as it says", "RYE-C006").forge(|commit| {
            let text = commit.text.replace(&SECONDS.to_string(), "1577836800");
            with(&by(STOLEN, Namespace::Git, &text), &text)
        }),
    ];
    for namespace in [Namespace::Item, Namespace::Agent, Namespace::Trust] {
        let what = format!("for the use `{}`", namespace.as_str());
        cases.push(case(&what, "RYE-C003").forge(move |commit| with(&by(BOB, namespace, &commit.text), &commit.text)));
    }
    cases
}

/// Signed, and changed afterwards.
fn amended() -> Vec<Case> {
    type Amend = fn(&Unsigned) -> String;
    type Change = Box<dyn Fn(&Unsigned) -> String>;
    let replaced = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        text.replacen(from, to, 1)
    };
    let line = |text: &str, name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    let changes: Vec<(&str, Change)> = vec![
        (
            "another parent",
            Box::new(move |commit| {
                replaced(&commit.text, &line(&commit.text, "parent "), &format!("parent {}", commit.earlier))
            }),
        ),
        (
            "one parent more",
            Box::new(move |commit| {
                let parent = line(&commit.text, "parent ");
                replaced(&commit.text, &parent, &format!("{parent}\nparent {}", commit.earlier))
            }),
        ),
        (
            "the same parent twice",
            Box::new(move |commit| {
                let parent = line(&commit.text, "parent ");
                replaced(&commit.text, &parent, &format!("{parent}\n{parent}"))
            }),
        ),
        ("another author", Box::new(move |commit| replaced(&commit.text, "author Bob", "author Eve"))),
        (
            "another address of the author",
            Box::new(move |commit| replaced(&commit.text, "author Bob <bob@", "author Bob <eve@")),
        ),
        ("another committer", Box::new(move |commit| replaced(&commit.text, "committer Bob", "committer Eve"))),
        (
            "another address of the committer",
            Box::new(move |commit| replaced(&commit.text, "committer Bob <bob@", "committer Bob <eve@")),
        ),
        (
            "another date",
            Box::new(move |commit| commit.text.replace(&SECONDS.to_string(), &(SECONDS - 86_400).to_string())),
        ),
        (
            "another date of the author",
            Box::new(move |commit| replaced(&commit.text, &SECONDS.to_string(), &(SECONDS + 1).to_string())),
        ),
        ("another time zone", Box::new(move |commit| replaced(&commit.text, "+0000", "+0100"))),
        ("an encoding", Box::new(move |commit| replaced(&commit.text, "\n\n", "\nencoding ISO-8859-1\n\n"))),
        ("a header more", Box::new(move |commit| replaced(&commit.text, "\n\n", "\nreviewed-by Bob\n\n"))),
        (
            "a merged tag",
            Box::new(move |commit| replaced(&commit.text, "\n\n", "\nmergetag object 1\n type commit\n\n")),
        ),
        ("another subject", Box::new(move |commit| replaced(&commit.text, "another subject", "another one"))),
        ("a line more in the message", Box::new(|commit| format!("{}\nSigned-off-by: Ada\n", commit.text))),
        ("a newline more in the message", Box::new(|commit| format!("{}\n", commit.text))),
        ("no newline at the end", Box::new(|commit| commit.text.trim_end().to_owned())),
        ("a NUL in the message", Box::new(|commit| format!("{}\0rest", commit.text))),
    ];
    let mut cases: Vec<Case> = changes
        .into_iter()
        .map(|(what, change)| {
            case(what, "RYE-C003").forge(move |commit| {
                let changed = change(commit);
                assert_ne!(changed, commit.text);
                with(&honest(&commit.text), &changed)
            })
        })
        .collect();
    // The tree is what the commit is about: a signature of one does not count for another.
    let trees: [(&str, Amend); 2] = [
        ("another tree", |commit| with_tree(&commit.text, &commit.other_tree)),
        ("another tree and parent", |commit| {
            let text = with_tree(&commit.text, &commit.other_tree);
            let parent = text.lines().find(|line| line.starts_with("parent ")).unwrap().to_owned();
            text.replacen(&parent, &format!("parent {}", commit.earlier), 1)
        }),
    ];
    for (what, signed) in trees {
        // The other one is signed; the content is the whole project.
        cases.push(case(what, "RYE-C003").forge(move |commit| with(&honest(&signed(commit)), &commit.text)));
    }
    cases
}

fn with_tree(text: &str, tree: &str) -> String {
    let (_, rest) = text.split_once('\n').unwrap();
    format!("tree {tree}\n{rest}")
}

/// Envelopes that are damaged, or of other kinds, or too many.
fn envelopes() -> Vec<Case> {
    let not_judged = [
        ("of OpenPGP", "-----BEGIN PGP SIGNATURE-----\n\nwsBc\n-----END PGP SIGNATURE-----\n"),
        ("a message of OpenPGP", "-----BEGIN PGP MESSAGE-----\n\nwsBc\n-----END PGP MESSAGE-----\n"),
        ("of X.509", "-----BEGIN SIGNED MESSAGE-----\nMIA\n-----END SIGNED MESSAGE-----\n"),
    ];
    let kinds = [
        ("of OpenPGP, cut short", "-----BEGIN PGP SIGNATURE-----\n\nwsBc\n"),
        ("of two bytes", "-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n"),
        ("of nothing", "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n"),
        ("in words", "trust me\n"),
        ("of a line of rye", "rye:signed:2026-03-17T01:41:08Z\n"),
    ];
    let mut cases: Vec<Case> = kinds
        .into_iter()
        .map(|(what, armored)| case(what, "RYE-C002").forge(move |commit| with(armored, &commit.text)))
        .collect();
    cases.extend(not_judged.into_iter().map(|(what, armored)| {
        let because = what.ends_with("OpenPGP").then_some(super::Original::OpenPgp);
        case(what, "RYE-C008").because(because).forge(move |commit| with(armored, &commit.text))
    }));
    cases.extend([
        case("of OpenPGP before a good one", "RYE-C002")
            .forge(move |commit| with(&(not_judged[0].1.to_owned() + &honest(&commit.text)), &commit.text)),
        case("of OpenPGP behind a good one", "RYE-C002")
            .forge(move |commit| with(&(honest(&commit.text) + not_judged[0].1), &commit.text)),
        case("cut short", "RYE-C002").forge(|commit| {
            let lines: Vec<String> = honest(&commit.text).lines().map(str::to_owned).collect();
            with(&lines[..lines.len() - 2].join("\n"), &commit.text)
        }),
        case("with carriage returns", "RYE-C002")
            .forge(|commit| with(&honest(&commit.text).replace('\n', "\r\n"), &commit.text)),
        case("with one carriage return", "RYE-C002")
            .forge(|commit| with(&honest(&commit.text).replacen('\n', "\r\n", 2), &commit.text)),
        case("a line of it lost", "RYE-C002").forge(|commit| {
            let lines: Vec<String> = honest(&commit.text).lines().map(str::to_owned).collect();
            with(&[&lines[..2], &lines[3..]].concat().join("\n"), &commit.text)
        }),
        case("two, the first a stranger's", "RYE-C002")
            .forge(|commit| with(&(by(EVE, Namespace::Git, &commit.text) + &honest(&commit.text)), &commit.text)),
        case("two, the second a stranger's", "RYE-C002")
            .forge(|commit| with(&(honest(&commit.text) + &by(EVE, Namespace::Git, &commit.text)), &commit.text)),
        case("two good ones", "RYE-C002")
            .forge(|commit| with(&(honest(&commit.text) + &by(ADA, Namespace::Git, &commit.text)), &commit.text)),
        case("another byte of it", "RYE-C003").forge(|commit| {
            let armored = honest(&commit.text);
            let at = armored.find("\n-----END").unwrap() - 20;
            let other = if &armored[at..=at] == "A" { "B" } else { "A" };
            with(&format!("{}{other}{}", &armored[..at], &armored[at + 1..]), &commit.text)
        }),
        case("of an earlier commit", "RYE-C003").forge(|commit| with(&honest(&commit.earlier), &commit.text)),
        case("over nothing", "RYE-C003").forge(|commit| with(&honest(""), &commit.text)),
        case("over its message alone", "RYE-C003").forge(|commit| {
            let (_, message) = commit.text.split_once("\n\n").unwrap();
            with(&honest(message), &commit.text)
        }),
        case("over its own bytes, signature and all", "RYE-C003")
            .forge(|commit| with(&honest(&with(&honest(&commit.text), &commit.text)), &commit.text)),
    ]);
    cases
}

/// Who can write refs answers for an object with another one: nothing is verified then, whatever it is about.
#[test]
fn a_history_that_is_answered_for_is_not_verified() {
    for (of, by) in [("base", "base~"), ("base^{tree}", "base~^{tree}"), ("base:README", "base:.ai/trust/revoked")] {
        let world = World::new(&[]);
        let error = world.error_after(&[&["replace", "-f", of, by]]);
        assert!(error.contains("refs/replace/"), "{of}: {error}");
    }
    let world = World::new(&[]);
    let grafts = world.sandbox().project().join(".git/info/grafts");
    std::fs::create_dir_all(grafts.parent().unwrap()).unwrap();
    std::fs::write(&grafts, format!("{}\n", world.base())).unwrap();
    let error = world.error_after(&[]);
    assert!(error.contains("grafts"), "{error}");
    let code = world.sandbox().rye(&["verify", "--trust-root", "base"]).transcript();
    assert!(code.ends_with("[exit 1]\n"), "{code}");
}
