//! Whose signature it is: the original of a moved, renamed or redated item.

use super::*;

const ROOT: [&str; 2] = ["--trust-root", "base"];

#[test]
fn the_original_is_named_from_the_tree_or_from_history() {
    let sandbox = project();
    let text = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    let copy = ".ai/knowledge/demo/copy.md";
    sandbox.put(copy, &text);
    let because = |args: &[&str]| {
        let seen = verify(&sandbox, &[&ROOT[..], args].concat());
        seen.is_refused(&[("RYE-S005", copy)]);
        seen.field(0, "because").to_owned()
    };
    let original = "this is the signature of knowledge `demo/notes`";
    assert_eq!(because(&[]), original);
    sandbox.commit("copied");
    assert_eq!(because(&["--rev", "HEAD"]), original);
    // The original is gone from the tree, and history holds it.
    let had_it = rev(&sandbox, "HEAD");
    sandbox.git(&["rm", "-q", NOTES]);
    sandbox.commit("moved");
    let past = format!("{original} as of commit `{}`", &had_it[..12]);
    assert_eq!(because(&[]), past);
    assert_eq!(because(&["--rev", "HEAD"]), past);
    let transcript = sandbox.rye(&["verify", "--trust-root", "base"]).transcript();
    assert!(transcript.contains(&format!("\nbecause: {past}\nhint: ")), "{transcript}");
    let transcript = sandbox.rye(&["verify", "--trust-root", "base", "--format", "github"]).transcript();
    assert!(transcript.contains(&format!("re-dated after it was signed ({past})%0Ahint: ")), "{transcript}");
}

#[test]
fn what_was_dated_anew_is_told_by_the_date_it_had() {
    let sandbox = project();
    sandbox.edit(NOTES, "rye:signed:2026", "rye:signed:2036");
    let seen = verify(&sandbox, &ROOT);
    seen.is_refused(&[("RYE-S005", NOTES)]);
    let past =
        format!("this is the signature of knowledge `demo/notes` as of commit `{}`", &rev(&sandbox, "base")[..12]);
    assert_eq!(seen.field(0, "because"), past);
    // Of a signature that was never there nothing is said.
    sandbox.put(NOTES, &signed(GREET, NOTES_TEXT, ADA));
    let seen = verify(&sandbox, &ROOT);
    seen.is_refused(&[("RYE-S005", NOTES)]);
    assert_eq!(seen.json["findings"][0].get("because"), None);
}
