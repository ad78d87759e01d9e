//! How many must sign: the file, the rules, and everybody who tries to count twice.

use proptest::prelude::*;
use rye::format::trust_policy;
use rye::id::{ItemType, Space};
use rye::trust::{ContentHash, Fault, Require, SigningKey, Subject, TrustedKey, TrustedKeys};

use super::notes::countersignature;
use super::{TIME, items, key, keys_of, other_key, signed, subject, trusted, unverified};

const POLICY: &str = "\
format = 1
root_signers = 2

[[require]]
items = \"deploy/*\"
signers = 2

[[require]]
items = \"*\"
type = \"tool\"
signers = 1
principals = [\"alice\", \"bob\"]
";

#[test]
fn a_policy_is_read_as_it_is_written() {
    let policy = trust_policy(POLICY.as_bytes()).unwrap();
    let any = Require { item_type: None, pattern: "deploy/*".to_owned(), signers: 2, principals: None };
    let tools = Require {
        item_type: Some(ItemType::Tool),
        pattern: "*".to_owned(),
        signers: 1,
        principals: Some(vec!["alice".to_owned(), "bob".to_owned()]),
    };
    assert_eq!((policy.root_signers(), policy.rules()), (2, &[any, tools][..]));
    assert_eq!(policy.digest(), Some(ContentHash::of(POLICY.as_bytes())));
    let empty = trust_policy(b"format = 1\n").unwrap();
    assert_eq!((empty.root_signers(), empty.rules().len()), (1, 0));
}

#[test]
fn what_is_not_understood_in_a_policy_is_told_with_its_line() {
    let rule = "format = 1\n[[require]]\n";
    for (text, line, reason) in [
        (String::new(), 1, "`format = 1` is missing"),
        ("format = 2".to_owned(), 1, "`format` must be 1: the file is of another version"),
        ("format = 1\nroot_signer = 2".to_owned(), 2, "`root_signer` is not a known key; did you mean `root_signers`?"),
        (
            "format = 1\nx = 2".to_owned(),
            2,
            "`x` is not a known key (known: `format`, `root_signers`, `require`, `forge`, `x509`)",
        ),
        ("format = 1\nroot_signers = 0".to_owned(), 2, "`root_signers` must be a whole number from 1 to 64"),
        ("format = 1\nroot_signers = 0x2".to_owned(), 2, "`root_signers` must be a whole number from 1 to 64"),
        ("format = 1\n\nrequire = 3".to_owned(), 3, "rules are written as `[[require]]`"),
        (format!("{rule}signers = 2"), 2, "the rule has no `items`"),
        (format!("{rule}items = \"*\""), 2, "the rule has no `signers`"),
        (format!("{rule}items = \"*\"\nsigners = 65"), 4, "`signers` must be a whole number from 1 to 64"),
        (
            format!("{rule}items = \"*\"\nsigners = 1\nsigner = 2"),
            5,
            "`signer` is not a known key; did you mean `signers`?",
        ),
        (format!("{rule}items = [\"*\"]\nsigners = 1"), 3, "`items` must be text in quotes"),
        (
            format!("{rule}items = \"a.b\"\nsigners = 1"),
            3,
            "`a.b` fits no id: write ids with `*` and `?`, such as `deploy/*`",
        ),
        (
            format!("{rule}items = \"/a\"\nsigners = 1"),
            3,
            "`/a` fits no id: write ids with `*` and `?`, such as `deploy/*`",
        ),
        (
            format!("{rule}items = \"*\"\nsigners = 1\ntype = \"tools\""),
            5,
            "unknown item type `tools` (expected directive, tool, knowledge or skill)",
        ),
        (
            format!("{rule}items = \"*\"\nsigners = 2\nprincipals = [\"a\"]"),
            4,
            "there are fewer `principals` than `signers`",
        ),
        (format!("{rule}items = \"*\"\nsigners = 1\nprincipals = [\"a\",\n\"a\"]"), 6, "`a` is named twice"),
        (
            format!("{rule}items = \"*\"\nsigners = 1\nprincipals = [\"*@acme.org\"]"),
            5,
            "`*@acme.org` is not a principal: patterns, commas, quotes and blanks are not allowed here",
        ),
    ] {
        let error = trust_policy(text.as_bytes()).unwrap_err();
        assert_eq!((error.line, error.reason.as_str()), (line, reason), "{text}");
    }
    assert_eq!(trust_policy(b"format = 1\n=").unwrap_err().line, 2);
    assert_eq!(trust_policy(&[0xff]).unwrap_err().reason, "the file is not UTF-8");
    assert_eq!(trust_policy(&vec![b'#'; 300_000]).unwrap_err().reason, "the file is larger than 262144 bytes");
}

#[test]
fn of_several_rules_the_strictest_wins() {
    let policy = "format = 1\n[[require]]\nitems = \"*\"\nsigners = 1\n[[require]]\nitems = \"deploy/*\"\nsigners = 3\n\
                  [[require]]\nitems = \"deploy/*\"\ntype = \"directive\"\nsigners = 2\n";
    let policy = trust_policy(policy.as_bytes()).unwrap();
    for (item_type, id, signers) in [
        (ItemType::Directive, "deploy/staging", 3),
        (ItemType::Tool, "deploy/a/b", 3),
        (ItemType::Tool, "deploys", 1),
        (ItemType::Directive, "deploy", 1),
    ] {
        assert_eq!(policy.required_for(&subject(item_type, id, "md")).signers(), signers, "{id}");
    }
    assert!(trust_policy(b"format = 1").unwrap().required_for(&subject(ItemType::Tool, "a", "py")).is_empty());
}

fn named(key: &SigningKey, principal: &str) -> TrustedKey {
    TrustedKey { principal: principal.to_owned(), ..trusted(key) }
}

/// A world in which items below `deploy/` need two people.
fn world(trusted: impl IntoIterator<Item = TrustedKey>) -> TrustedKeys {
    let mut keys = keys_of(trusted);
    keys.set_policy(trust_policy(POLICY.as_bytes()).unwrap());
    keys
}

/// Judges [`items`]' directive, signed by `key()` and countersigned by others.
fn judged(keys: &TrustedKeys, others: &[&SigningKey]) -> Result<(), Fault> {
    let [(item, text), ..] = items();
    let notes = others.iter().map(|other| countersignature(&item, text, other, TIME));
    let bytes = signed(&item, text.as_bytes());
    unverified(&item, &bytes).in_space(Space::Project).countersigned(notes).verify(keys).map(drop)
}

fn missing(have: usize, need: usize) -> Result<(), Fault> {
    Err(Fault::MissingCountersignatures { have, need })
}

/// One person wants to pass for two.
#[test]
fn nobody_counts_twice() {
    let (second, third) = (other_key(2), other_key(3));
    let me = named(&key(), "alice@work,alice@home");
    for (what, keys, others, wanted) in [
        ("signs twice", vec![me.clone()], vec![key()], missing(1, 2)),
        ("has two keys", vec![me.clone(), named(&second, "alice@home")], vec![other_key(2)], missing(1, 2)),
        ("has a name by pattern", vec![me.clone(), named(&second, "*@home")], vec![other_key(2)], missing(1, 2)),
        ("trusts one key under two names", vec![me.clone(), named(&key(), "bob")], vec![key()], missing(1, 2)),
        (
            "has a third key that joins two",
            vec![named(&key(), "alice"), named(&second, "bob"), named(&third, "alice,bob")],
            vec![other_key(2), other_key(3)],
            missing(1, 2),
        ),
        ("asks a stranger", vec![me.clone()], vec![other_key(2)], missing(1, 2)),
        ("asks somebody else", vec![me, named(&second, "bob")], vec![other_key(2)], Ok(())),
    ] {
        let others: Vec<&SigningKey> = others.iter().collect();
        assert_eq!(judged(&world(keys), &others), wanted, "{what}");
    }
}

#[test]
fn an_agent_countersigns_nothing() {
    let mut keys = world([named(&key(), "alice")]);
    keys.set_agent(other_key(2).public());
    let [(item, text), ..] = items();
    keys.accept_from_agent(item, ContentHash::of(text.as_bytes()));
    assert_eq!(judged(&keys, &[&other_key(2)]), missing(1, 2));
    // Nor does it sign for a person, where a policy asks for people.
    keys.set_agent(key().public());
    let mut keys = world([]);
    keys.set_agent(key().public());
    let [(item, text), ..] = items();
    keys.accept_from_agent(item, ContentHash::of(text.as_bytes()));
    assert_eq!(judged(&keys, &[]), missing(0, 2));
}

#[test]
fn a_rule_may_say_whose_signatures_count() {
    let [_, (tool, text), _] = items();
    let bytes = signed(&tool, text.as_bytes());
    let judged = |principal: &str, others: &[(&SigningKey, &str)]| {
        let others = || others.iter().copied();
        let keys = world([named(&key(), principal)].into_iter().chain(others().map(|(key, name)| named(key, name))));
        let notes = others().map(|(key, _)| countersignature(&tool, text, key, TIME));
        unverified(&tool, &bytes).in_space(Space::Project).countersigned(notes).verify(&keys).map(drop)
    };
    assert_eq!(judged("alice", &[]), Ok(()));
    assert_eq!(judged("carol", &[]), missing(0, 1));
    assert_eq!(judged("carol", &[(&other_key(2), "bob")]), Ok(()));
    assert_eq!(judged("a*", &[]), Ok(()));
    assert_eq!(judged("a*,!alice", &[]), missing(0, 1));
}

/// The policy is the project's, for the project's items; files at unknown places are held to it too.
#[test]
fn a_policy_is_about_the_project_s_items() {
    let [(item, text), ..] = items();
    let keys = world([named(&key(), "alice")]);
    let bytes = signed(&item, text.as_bytes());
    let judge = |space| unverified(&item, &bytes).in_space(space).verify(&keys).map(drop);
    assert_eq!(judge(Space::User), Ok(()));
    assert_eq!(judge(Space::Project), missing(1, 2));
    assert_eq!(unverified(&item, &bytes).verify(&keys).map(drop), missing(1, 2));
    let other: Subject = subject(ItemType::Directive, "other/staging", "md");
    let bytes = signed(&other, text.as_bytes());
    assert_eq!(unverified(&other, &bytes).in_space(Space::Project).verify(&keys).map(drop), Ok(()));
}

proptest! {
    /// Whoever else signs, an item that was accepted by people who share no name stays accepted.
    #[test]
    fn strangers_and_repetitions_change_nothing(numbers in prop::collection::vec(0..6_u8, 0..12)) {
        let keys = world([named(&key(), "alice"), named(&other_key(1), "bob")]);
        let others: Vec<SigningKey> = numbers.iter().map(|number| other_key(*number)).collect();
        let others: Vec<&SigningKey> = others.iter().collect();
        let wanted = if numbers.contains(&1) { Ok(()) } else { missing(1, 2) };
        prop_assert_eq!(judged(&keys, &others), wanted);
    }

    #[test]
    fn no_text_makes_the_reader_of_policies_stumble(text in "[a-z\"=\\[\\] \\n#1*]{0,80}|\\PC*") {
        drop(trust_policy(text.as_bytes()));
        drop(trust_policy(format!("format = 1\n[[require]]\n{text}").as_bytes()));
    }
}
