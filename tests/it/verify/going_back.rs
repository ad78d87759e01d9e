//! What goes back to something older within a range: by a commit, and by a merge that takes the stale side.

use super::*;

const RANGE: [&str; 4] = ["--range", "base..HEAD", "--trust-root", "base"];
const TOOL: &str = ".ai/tools/demo/count.sh";
const TOOL_TEXT: &str = "# version: 0.1.0\n# description: \"count\"\necho 1\n";
const CONFIG: &str = ".ai/config.toml";
const DENY: &str = "[permissions]\ndeny = [\"rye.execute.tool.*\"]\n";
const MANIFEST: &str = ".ai/trust/trust.sig";
/// The paths that a merge takes from the stale side, and the findings.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);

const LAST: &str = "2026-03-19T00:00:00Z";

/// Proposes the next version: with denials, and with or without a signer.
fn propose(sandbox: &Sandbox, version: u64, more: &str, config: Option<&str>) {
    sandbox.put(".ai/trust/allowed_signers", &(signers() + more));
    if let Some(config) = config {
        sandbox.put(CONFIG, config);
    }
    seal(sandbox, version, LATER, &[ADA]);
    sandbox.commit(&format!("version {version}"));
}

fn notes(sandbox: &Sandbox, text: &str, at: &str) {
    sandbox.put(NOTES, &signed_at(NOTES, &NOTES_TEXT.replace("short", text), ADA, at));
    sandbox.commit(text);
}

/// Gives the paths the content that they have in another commit, or removes them where it has none.
fn take(sandbox: &Sandbox, from: &str, paths: &[&str]) {
    for path in paths {
        sandbox.git(&["rm", "-rq", "--ignore-unmatch", path]);
        if !sandbox.git(&["ls-tree", from, path]).is_empty() {
            sandbox.git(&["checkout", "-q", from, "--", path]);
        }
    }
}

/// Commits the tree that is staged with these parents, and goes there.
fn merge(sandbox: &Sandbox, parents: &[&str]) -> String {
    sandbox.git(&["add", "-A"]);
    let tree = sandbox.git(&["write-tree"]);
    let mut args = vec!["commit-tree", "-m", "merge", tree.trim()];
    args.extend(parents.iter().flat_map(|parent| ["-p", parent]));
    let merged = sandbox.git(&args).trim().to_owned();
    sandbox.git(&["reset", "-q", "--hard", &merged]);
    merged
}

#[test]
fn trust_files_do_not_go_back_within_the_range() {
    let sandbox = project();
    propose(&sandbox, 2, &signer(7, "carol", &["rye"]), None);
    sandbox.git(&["tag", "v2"]);
    propose(&sandbox, 3, "", Some(DENY));
    sandbox.git(&["tag", "v3"]);
    verify(&sandbox, &RANGE).is_ok();
    for older in ["v2", "base"] {
        sandbox.git(&["reset", "-q", "--hard", "v3"]);
        take(&sandbox, older, &[".ai/trust", CONFIG]);
        sandbox.commit("back");
        let back = head(&sandbox);
        // At the end, and with more above it, it is told once.
        for text in ["one\n", "two\n"] {
            let seen = verify(&sandbox, &RANGE);
            seen.is_refused(&[("RYE-M008", MANIFEST)]);
            assert_eq!(seen.field(0, "commit_id"), back, "{older}");
            assert!(seen.field(0, "hint").starts_with("restore them: `git restore --source "), "{:#}", seen.json);
            sandbox.put("README", text);
            sandbox.commit("more");
        }
        take(&sandbox, "v3", &[".ai/trust", CONFIG]);
        sandbox.commit("mended");
        let seen = verify(&sandbox, &RANGE);
        seen.is_refused(&[("RYE-M008", MANIFEST)]);
        assert!(seen.field(0, "hint").starts_with("the end of the range no longer has it"), "{:#}", seen.json);
    }
}

/// Whichever parent comes first, at the end or mended later, also where the stale side is the other's own past.
#[test]
fn a_merge_does_not_take_the_older_of_two_sides() {
    for stale_is_past in [false, true] {
        let sandbox = project();
        sandbox.git(&["checkout", "-q", "-b", "stale"]);
        if !stale_is_past {
            sandbox.put("stale", "stale\n");
            sandbox.commit("stale");
        }
        sandbox.git(&["checkout", "-q", "-b", "fresh", "base"]);
        notes(&sandbox, "brief", LATER);
        sandbox.git(&["rm", "-q", GREET]);
        sandbox.commit("removed");
        propose(&sandbox, 2, "", Some(DENY));
        let cases: [Case<'_>; 5] = [
            (&[NOTES], &[("RYE-S011", NOTES)]),
            (&[GREET], &[("RYE-S011", GREET)]),
            (&[".ai/trust", CONFIG], &[("RYE-M008", MANIFEST)]),
            (&[CONFIG], &[("RYE-M004", CONFIG)]),
            (&[".ai"], &[("RYE-M008", MANIFEST), ("RYE-S011", GREET), ("RYE-S011", NOTES)]),
        ];
        for (paths, findings) in cases {
            for parents in [["fresh", "stale"], ["stale", "fresh"]] {
                sandbox.git(&["checkout", "-q", "-B", "merged", "fresh"]);
                take(&sandbox, "stale", paths);
                let merged = merge(&sandbox, &parents);
                let seen = verify(&sandbox, &RANGE);
                seen.is_refused(findings);
                assert_eq!(seen.field(0, "commit_id"), merged, "{paths:?} {parents:?}");
                take(&sandbox, "fresh", &[".ai"]);
                sandbox.commit("mended");
                let seen = verify(&sandbox, &RANGE);
                seen.is_refused(findings);
                assert_eq!(seen.field(0, "commit_id"), merged, "{paths:?} {parents:?}");
                // What the range begins after has the newer side too.
                let seen = verify(&sandbox, &["--range", "fresh..HEAD", "--trust-root", "fresh"]);
                seen.is_refused(findings);
            }
        }
    }
}

/// The sentence says what has the newer one.
#[test]
fn what_is_rolled_back_is_told_with_what_it_is_older_than() {
    let sandbox = project();
    notes(&sandbox, "brief", LATER);
    take(&sandbox, "base", &[NOTES]);
    sandbox.commit("back");
    let seen = verify(&sandbox, &RANGE);
    let told = "before the other content that an earlier commit has in its place (signed at 2026-03-18T00:00:00Z)";
    assert!(seen.field(0, "message").ends_with(told), "{:#}", seen.json);
    let seen = verify(&sandbox, &["--rev", "HEAD", "--trust-root", "HEAD~"]);
    let told = "before the other content that the base has in its place (signed at 2026-03-18T00:00:00Z)";
    assert!(seen.field(0, "message").ends_with(told), "{:#}", seen.json);
    take(&sandbox, "HEAD~", &[NOTES]);
    sandbox.git(&["commit", "-q", "--amend", "-m", "more", "--allow-empty"]);
    sandbox.git(&["rm", "-q", NOTES]);
    sandbox.commit("removed");
    take(&sandbox, "base", &[NOTES]);
    sandbox.commit("back");
    let seen = verify(&sandbox, &RANGE);
    seen.is_refused(&[("RYE-S011", NOTES)]);
    assert!(seen.field(0, "message").contains("before an earlier commit removed it (at "), "{:#}", seen.json);
}

/// Another extension makes no other item of it.
#[test]
fn an_item_does_not_go_back_by_way_of_another_extension() {
    let sandbox = project();
    let old = ".ai/tools/demo/count.py";
    sandbox.put(old, &signed(old, "# version: 0.1.0\n# description: \"count\"\nprint(1)\n", ADA));
    sandbox.commit("old");
    sandbox.git(&["rm", "-q", old]);
    sandbox.put(TOOL, &signed_at(TOOL, TOOL_TEXT, ADA, LATER));
    sandbox.commit("new");
    sandbox.git(&["rm", "-q", TOOL]);
    take(&sandbox, "HEAD~", &[old]);
    sandbox.commit("back");
    let back = head(&sandbox);
    let seen = verify(&sandbox, &RANGE);
    seen.is_refused(&[("RYE-S011", old)]);
    assert_eq!(seen.field(0, "commit_id"), back);
}

/// What an earlier run found good by itself is compared all the same.
#[test]
fn what_goes_back_is_found_although_an_earlier_run_found_it_good() {
    let sandbox = project();
    sandbox.rye(&["key", "generate"]).succeeds();
    notes(&sandbox, "brief", LATER);
    take(&sandbox, "base", &[NOTES]);
    sandbox.commit("back");
    let signers = ["--allowed-signers", ".ai/trust/allowed_signers"];
    verify(&sandbox, &signers).is_ok();
    for _ in 0..2 {
        verify(&sandbox, &[&["--range", "base..HEAD"], &signers[..]].concat()).is_refused(&[("RYE-S011", NOTES)]);
    }
}

/// People merge what the other side changed since, also in several steps, and whichever came first.
#[test]
fn a_merge_of_the_newer_side_passes() {
    let sandbox = project();
    // The roots change hands in two steps: the last version has no signature of the first root.
    let roots = |numbers: &[u8], version: u64, by: &[u8]| {
        let line = |number: &u8| signer(*number, &format!("root{number}@example.org"), &["rye", "git", "rye-trust"]);
        sandbox.put(
            ".ai/trust/allowed_signers",
            &(signer(ADA, "ada", &["rye", "git"]) + &numbers.iter().map(line).collect::<String>()),
        );
        seal(&sandbox, version, LATER, by);
        sandbox.commit(&format!("version {version}"));
    };
    sandbox.git(&["checkout", "-q", "-b", "feature"]);
    sandbox.put(TOOL, &signed(TOOL, TOOL_TEXT, ADA));
    sandbox.commit("feature");
    sandbox.git(&["checkout", "-q", "main"]);
    roots(&[BOB], 2, &[ADA, BOB]);
    notes(&sandbox, "brief", LATER);
    let removed = ".ai/knowledge/demo/removed.md";
    sandbox.put(removed, &signed(removed, NOTES_TEXT, ADA));
    sandbox.commit("added");
    sandbox.git(&["branch", "middle"]);
    roots(&[3], 3, &[BOB, 3]);
    sandbox.put(CONFIG, DENY);
    roots(&[3], 4, &[3]);
    notes(&sandbox, "terse", LAST);
    sandbox.git(&["rm", "-q", GREET, removed]);
    sandbox.commit("removed");
    let all = ["--range", "main..HEAD", "--trust-root", "main"];
    for merged in [&["main"][..], &["middle", "main"]] {
        sandbox.git(&["checkout", "-q", "-B", "merged", "feature"]);
        for branch in merged {
            sandbox.git(&["merge", "-q", "--no-ff", "-m", branch, branch]);
        }
        verify(&sandbox, &all).is_ok();
    }
    sandbox.git(&["checkout", "-q", "-B", "merged", "main"]);
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "feature", "feature"]);
    verify(&sandbox, &all).is_ok();
}

/// A branch may be older than the trust files.
#[test]
fn a_merge_of_the_first_trust_files_passes() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, ADA));
    sandbox.commit("first");
    sandbox.git(&["checkout", "-q", "-b", "early"]);
    sandbox.put("README", "early\n");
    sandbox.commit("early");
    sandbox.git(&["checkout", "-q", "main"]);
    propose(&sandbox, 1, "", None);
    sandbox.git(&["checkout", "-q", "early"]);
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "main", "main"]);
    verify(&sandbox, &["--range", "main..HEAD", "--trust-root", "main"]).is_ok();
    // The other way round it takes them away.
    sandbox.git(&["checkout", "-q", "-B", "merged", "main"]);
    take(&sandbox, "early~", &[".ai/trust"]);
    merge(&sandbox, &["main", "early~"]);
    let seen = verify(&sandbox, &["--range", "main..HEAD", "--trust-root", "main"]);
    seen.is_refused(&[("RYE-M010", MANIFEST)]);
}
