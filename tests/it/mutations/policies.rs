//! How many must sign: weaker rules, rules that cannot be read, and what they would let pass.

use super::trust_files::{MANIFEST, POLICY, Trust, next};
use super::world::{TEXT, signed};
use super::{ADA, Case, EARLIER, EVE};

/// The policy of the trusted revision.
pub(super) const BASE: &str = "\
format = 1
root_signers = 2

[[require]]
items = \"team/*\"
type = \"knowledge\"
signers = 2

[[require]]
items = \"release/*\"
signers = 1
principals = [\"bob@example.org\"]
";

/// Signed by one person only.
const LONE: &str = ".ai/knowledge/team/lone.md";
/// Signed by Ada, where it must be Bob.
const RELEASE: &str = ".ai/directives/release/all.md";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (what, policy) in weaker() {
        // Changed in silence.
        let silent = Case::new(format!("{what}, in silence"), "RYE-M004", POLICY).put(POLICY, &*policy);
        cases.push(used(silent));
        // Signed by one root of two.
        let alone = Trust { policy: policy.clone(), roots: vec![ADA], ..next() };
        cases.push(used(alone.put(Case::new(format!("{what}, says one root"), "RYE-M006", MANIFEST))));
        // Agreed on: from the next time on.
        let agreed = Trust { policy, ..next() };
        let case = Case::new(format!("{what}, as agreed, and used at once"), "RYE-S012", LONE);
        cases.push(
            agreed
                .put(case)
                .put(LONE, signed(LONE, TEXT, ADA))
                .put(RELEASE, signed(RELEASE, TEXT, ADA))
                .and("RYE-S012", RELEASE),
        );
    }
    for (what, policy) in unreadable() {
        cases.push(Case::new(format!("{what}, in silence"), "RYE-M003", POLICY).put(POLICY, &*policy));
        let agreed = Trust { policy, ..next() };
        cases.push(agreed.put(Case::new(format!("{what}, as agreed"), "RYE-M003", POLICY)));
    }
    cases.push(used(Case::new("no policy", "RYE-M004", POLICY).remove(POLICY)));
    let low = Trust { policy: "format = 1\n".to_owned(), version: 2, at: EARLIER, ..next() };
    cases.push(used(low.put(Case::new("the policy of an earlier version", "RYE-M008", MANIFEST))));
    let strangers = Trust { policy: "format = 1\n".to_owned(), roots: vec![EVE], ..next() };
    cases.push(used(strangers.put(Case::new("a stranger's policy", "RYE-M006", MANIFEST))));
    cases
}

/// Adds what the change would let pass: the base's policy refuses it.
fn used(case: Case) -> Case {
    let case = case.put(LONE, signed(LONE, TEXT, ADA)).put(RELEASE, signed(RELEASE, TEXT, ADA));
    case.and("RYE-S012", LONE).and("RYE-S012", RELEASE)
}

/// Policies that demand less.
fn weaker() -> Vec<(&'static str, String)> {
    let with = |from: &str, to: &str| {
        assert!(BASE.contains(from), "{from}");
        BASE.replacen(from, to, 1)
    };
    let rules: Vec<&str> = BASE.split("\n[[require]]").collect();
    vec![
        (
            "one signer for two",
            with("signers = 2\n\n[[require]]\nitems = \"release", "signers = 1\n\n[[require]]\nitems = \"release"),
        ),
        ("one root for two", with("root_signers = 2", "root_signers = 1")),
        ("no word of roots", with("root_signers = 2\n", "")),
        ("other items", with("team/*", "teams/*")),
        ("fewer items", with("team/*", "team/a*")),
        ("another type", with("\"knowledge\"", "\"tool\"")),
        ("another principal", with("bob@", "ada@")),
        ("more principals", with("\"bob@example.org\"", "\"bob@example.org\", \"ada@example.org\"")),
        ("everybody", with("principals = [\"bob@example.org\"]\n", "")),
        ("one rule less", format!("{}\n[[require]]{}", rules[0], rules[2])),
        ("no rule", rules[0].to_owned()),
        ("nothing but its format", "format = 1\n".to_owned()),
    ]
}

/// Policies that cannot be understood in full: nothing in them is passed over.
fn unreadable() -> Vec<(&'static str, String)> {
    let with = |from: &str, to: &str| BASE.replacen(from, to, 1);
    vec![
        ("an empty policy", String::new()),
        ("no format", with("format = 1\n", "")),
        ("another format", with("format = 1", "format = 2")),
        ("a misspelt key", with("root_signers", "root_signer")),
        ("no signer at all", with("signers = 2", "signers = 0")),
        ("more signers than there may be", with("signers = 2", "signers = 65")),
        ("a negative number", with("signers = 2", "signers = -1")),
        ("a number in words", with("signers = 2", "signers = \"two\"")),
        ("a rule without items", with("items = \"team/*\"\n", "")),
        ("a type that is none", with("\"knowledge\"", "\"wisdom\"")),
        ("the same key twice", with("format = 1\n", "format = 1\nformat = 1\n")),
        ("an open bracket", with("[[require]]", "[[require]")),
        ("no TOML", "require two, please\n".to_owned()),
        ("a pattern for a principal", with("bob@", "*@")),
        ("a NUL", format!("{BASE}\0")),
    ]
}
