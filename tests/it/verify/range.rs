//! Ranges: what each commit brings, and the whole tree at the end.

use super::*;

const RANGE: [&str; 4] = ["--range", "base..HEAD", "--trust-root", "base"];

#[test]
fn what_was_bad_on_the_way_is_found_although_it_was_mended() {
    let sandbox = project();
    sandbox.edit(NOTES, "short", "evil");
    sandbox.commit("bad");
    let bad = head(&sandbox);
    sandbox.git(&["checkout", "-q", "base", "--", NOTES]);
    sandbox.commit("mended");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
    let seen = verify(&sandbox, &RANGE);
    seen.is_refused(&[("RYE-S004", NOTES)]);
    assert_eq!(seen.field(0, "commit_id"), bad);
    assert_eq!(
        seen.field(0, "hint"),
        format!("the end of the range no longer has it; fold the commits into one: `git rebase -i {bad}~`")
    );
    // Two items at the end, and one version that was left behind; the mended notes are those of the base again.
    assert_eq!(seen.json["checked"], 3);
    // What is still there is told once, of the commit that brought it.
    sandbox.edit(GREET, "Greet someone", "Rob someone");
    sandbox.commit("worse");
    let worse = head(&sandbox);
    sandbox.put("README", "unrelated\n");
    sandbox.commit("unrelated");
    let seen = verify(&sandbox, &RANGE);
    seen.is_refused(&[("RYE-S004", GREET), ("RYE-S004", NOTES)]);
    assert_eq!((seen.field(0, "commit_id"), seen.field(1, "commit_id")), (&*worse, &*bad));
}

/// What nobody touched in the range is still looked at: the whole tree at its end.
#[test]
fn what_was_bad_before_the_range_is_found_at_its_end() {
    let sandbox = project();
    sandbox.edit(NOTES, "short", "evil");
    sandbox.commit("bad");
    sandbox.git(&["branch", "-f", "base"]);
    sandbox.put("README", "unrelated\n");
    sandbox.commit("unrelated");
    let seen = verify(&sandbox, &RANGE);
    seen.is_refused(&[("RYE-S004", NOTES)]);
    assert_eq!(seen.field(0, "commit_id"), head(&sandbox));
    // An empty range is its end.
    let seen = verify(&sandbox, &["--range", "HEAD..HEAD", "--trust-root", "base"]);
    seen.is_refused(&[("RYE-S004", NOTES)]);
}

/// A merge brings what neither side had.
#[test]
fn a_merge_that_brings_something_of_its_own_is_judged_for_it() {
    let sandbox = project();
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.put("side", "side\n");
    sandbox.commit("side");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("main", "main\n");
    sandbox.commit("main");
    sandbox.git(&["merge", "-q", "--no-commit", "side"]);
    sandbox.edit(NOTES, "short", "evil");
    sandbox.commit("merged");
    let merged = head(&sandbox);
    sandbox.git(&["checkout", "-q", "base", "--", NOTES]);
    sandbox.commit("mended");
    let seen = verify(&sandbox, &RANGE);
    seen.is_refused(&[("RYE-S004", NOTES)]);
    assert_eq!(seen.field(0, "commit_id"), merged);
}

#[test]
fn version_1_after_version_2_is_found_in_the_range_itself() {
    let sandbox = project();
    let line = crate::trust::legacy::v1_line("<!-- ", " -->", NOTES_TEXT.as_bytes(), &[ADA; 32]);
    let old = format!("{line}\n{NOTES_TEXT}");
    sandbox.put(NOTES, &old);
    sandbox.commit("version 1");
    sandbox.git(&["branch", "-f", "base"]);
    let range = ["--range", "base..HEAD", "--allowed-signers", ".ai/trust/allowed_signers", "--allow-legacy"];
    // It was always so: only a warning.
    let seen = verify(&sandbox, &range);
    assert_eq!((&*seen.code, seen.findings()), ("0", vec![("warning", "RYE-S009", NOTES)]));
    sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, ADA));
    sandbox.commit("version 2");
    verify(&sandbox, &range).is_ok();
    fs::remove_file(sandbox.project().join(NOTES)).unwrap();
    sandbox.commit("removed");
    sandbox.put(NOTES, &old);
    sandbox.commit("version 1 again");
    verify(&sandbox, &range).is_refused(&[("RYE-S014", NOTES)]);
}

#[test]
fn a_range_is_two_revisions_that_are_there() {
    let sandbox = project();
    for range in ["base", "base...HEAD", "a..b..c"] {
        verify(&sandbox, &["--range", range]).fails("1", "git-range");
    }
    verify(&sandbox, &["--range", "nowhere..HEAD"]).fails("1", "unknown-revision");
    // What HEAD has and the base has not is nothing, the other way round.
    sandbox.put("README", "text\n");
    sandbox.commit("text");
    verify(&sandbox, &["--range", "HEAD..base", "--trust-root", "base"]).is_ok();
    // Only what is named is judged, on the way too.
    sandbox.edit(NOTES, "short", "evil");
    sandbox.commit("bad");
    verify(&sandbox, &[&RANGE[..], &["demo/greet"]].concat()).is_ok();
    verify(&sandbox, &[&RANGE[..], &["demo/notes"]].concat()).is_refused(&[("RYE-S004", NOTES)]);
}

/// Whoever names the wrong end must not think that something was looked at.
#[test]
fn a_range_without_commits_is_told_and_no_success() {
    let sandbox = project();
    let told = "the range `HEAD..base` has no commits";
    let args = ["verify", "--range", "HEAD..base", "--trust-root", "base"];
    let seen = sandbox.rye(&args).transcript();
    assert!(seen.contains(&format!("[stderr]\nwarning: {told}\nhint: ")) && seen.ends_with("[exit 0]\n"), "{seen}");
    let commits = [&args[..], &["--commits"]].concat();
    let seen = sandbox.rye(&commits).transcript();
    assert!(seen.contains(told) && seen.ends_with("[exit 7]\n"), "{seen}");
    sandbox.rye(&[&commits[..], &["--allow-empty"]].concat()).succeeds();
    let seen = verify(&sandbox, &commits[1..]);
    let json = (&seen.json["status"], &seen.json["range_commits"], &seen.json["commits_checked"]);
    assert_eq!(json, (&"empty".into(), &0.into(), &0.into()));
    // What is wrong at the end is told before.
    sandbox.edit(NOTES, "short", "evil");
    sandbox.commit("bad");
    let seen = verify(&sandbox, &["--range", "HEAD..HEAD", "--commits", "--trust-root", "base"]);
    seen.is_refused(&[("RYE-S004", NOTES)]);
}

#[test]
fn nothing_to_verify_is_no_success() {
    let sandbox = project();
    sandbox.git(&["rm", "-q", "-r", ".ai/knowledge", ".ai/directives"]);
    sandbox.commit("empty");
    for args in [&["--rev", "HEAD"][..], &["--range", "HEAD~..HEAD"], &["--range", "HEAD..HEAD"]] {
        let args = [args, &["--trust-root", "base"]].concat();
        assert_eq!(verify(&sandbox, &args).code, "7", "{args:?}");
        assert_eq!(verify(&sandbox, &[&args[..], &["--allow-empty"]].concat()).code, "0", "{args:?}");
    }
}
