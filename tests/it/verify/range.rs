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
    // A remaining fault is reported once, of the commit that brought it.
    sandbox.edit(GREET, "Greet someone", "Rob someone");
    sandbox.commit("worse");
    let worse = head(&sandbox);
    sandbox.put("README", "unrelated\n");
    sandbox.commit("unrelated");
    let seen = verify(&sandbox, &RANGE);
    seen.is_refused(&[("RYE-S004", GREET), ("RYE-S004", NOTES)]);
    assert_eq!((seen.field(0, "commit_id"), seen.field(1, "commit_id")), (&*worse, &*bad));
}

/// Somebody who checks that commit out has the older item, or the one that was removed.
#[test]
fn what_is_rolled_back_on_the_way_is_found_although_it_was_mended() {
    let sandbox = project();
    let old = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    let removed = ".ai/knowledge/demo/removed.md";
    sandbox.put(removed, &signed(removed, NOTES_TEXT, ADA));
    sandbox.commit("more");
    let gone = fs::read_to_string(sandbox.project().join(removed)).unwrap();
    sandbox.git(&["rm", "-q", removed]);
    sandbox.put(NOTES, &signed_at(NOTES, &NOTES_TEXT.replace("short", "brief"), BOB, LATER));
    sandbox.commit("newer");
    sandbox.git(&["branch", "-f", "base"]);
    sandbox.put(NOTES, &old);
    sandbox.put(removed, &gone);
    sandbox.commit("older");
    let older = head(&sandbox);
    sandbox.git(&["checkout", "-q", "base", "--", NOTES]);
    sandbox.git(&["rm", "-q", removed]);
    sandbox.commit("mended");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
    let seen = verify(&sandbox, &RANGE);
    seen.is_refused(&[("RYE-S011", NOTES), ("RYE-S011", removed)]);
    assert_eq!((seen.field(0, "commit_id"), seen.field(1, "commit_id")), (&*older, &*older));
}

/// The range itself has something newer, also without a revision to compare with.
#[test]
fn what_is_rolled_back_within_the_range_is_found() {
    let sandbox = project();
    let step = |text: &str, at: &str| {
        sandbox.put(NOTES, &signed_at(NOTES, &NOTES_TEXT.replace("short", text), ADA, at));
        sandbox.commit(text);
    };
    step("brief", LATER);
    step("terse", "2026-03-19T00:00:00Z");
    step("brief", LATER);
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
    verify(&sandbox, &RANGE).is_refused(&[("RYE-S011", NOTES)]);
    let alone = ["--range", "base..HEAD", "--allowed-signers", ".ai/trust/allowed_signers"];
    verify(&sandbox, &alone).is_refused(&[("RYE-S011", NOTES)]);
    // Signed again it is new.
    step("final", "2026-03-20T00:00:00Z");
    sandbox.git(&["reset", "-q", "--soft", "base"]);
    sandbox.commit("folded");
    verify(&sandbox, &RANGE).is_ok();
}

/// A checkout of that commit fills the folder with unverified files.
#[test]
fn a_submodule_or_symlink_on_the_way_is_found_although_it_was_taken_back() {
    let sandbox = project();
    let base = head(&sandbox);
    sandbox.put("target", "../../../old/notes.md");
    let target = sandbox.git(&["hash-object", "-w", "target"]);
    let cases = [
        ("160000", &*base, ".ai/knowledge"),
        ("160000", &base, ".ai/knowledge/demo"),
        ("160000", &base, NOTES),
        ("160000", &base, ".ai"),
        ("120000", target.trim(), NOTES),
    ];
    for (mode, id, path) in cases {
        sandbox.git(&["reset", "-q", "--hard", &base]);
        sandbox.git(&["rm", "-rq", "--cached", path]);
        sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{id},{path}")]);
        sandbox.git(&["commit", "-qm", path]);
        let bad = head(&sandbox);
        sandbox.git(&["read-tree", &base]);
        sandbox.git(&["commit", "-qm", "back"]);
        verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
        let seen = verify(&sandbox, &RANGE);
        let own = ("RYE-S021", path);
        let trust = ("RYE-M010", ".ai/trust/trust.sig");
        let all = [trust, own];
        seen.is_refused(if path == ".ai" { &all } else { &all[1..] });
        let last = seen.json["findings"].as_array().unwrap().len() - 1;
        assert_eq!(seen.field(last, "commit_id"), bad);
        assert!(seen.field(last, "hint").starts_with("the end of the range no longer has it"), "{:#}", seen.json);
    }
}

/// Somebody takes over the trust files for the time of one commit.
#[test]
fn trust_files_on_the_way_are_such_as_may_follow() {
    let sandbox = project();
    let trust = |text: &str| sandbox.put(".ai/trust/allowed_signers", text);
    trust(&(signers() + &signer(EVE, "eve", &["rye", "rye-trust"])));
    sandbox.commit("hers");
    let hers = head(&sandbox);
    sandbox.git(&["rm", "-rq", ".ai/trust"]);
    sandbox.commit("none");
    let none = head(&sandbox);
    sandbox.git(&["checkout", "-q", "base", "--", ".ai/trust"]);
    sandbox.commit("back");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
    let seen = verify(&sandbox, &RANGE);
    seen.is_refused(&[("RYE-M004", ".ai/trust/allowed_signers"), ("RYE-M010", ".ai/trust/trust.sig")]);
    assert_eq!((seen.field(0, "commit_id"), seen.field(1, "commit_id")), (&*hers, &*none));
    assert!(seen.field(0, "hint").starts_with("the end of the range no longer has it"), "{:#}", seen.json);
    // Roots may take several steps, and a merge of later commits of the base is not a step.
    sandbox.git(&["reset", "-q", "--hard", "base"]);
    for (version, name) in [(2, "carol"), (3, "dave")] {
        trust(&(signers() + &signer(7, name, &["rye"])));
        seal(&sandbox, version, LATER, &[ADA]);
        sandbox.commit(name);
    }
    verify(&sandbox, &RANGE).is_ok();
    sandbox.git(&["branch", "agreed"]);
    sandbox.git(&["checkout", "-q", "-b", "side", "base"]);
    sandbox.put("README", "side\n");
    sandbox.commit("side");
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "merge", "agreed"]);
    verify(&sandbox, &["--range", "agreed..HEAD", "--trust-root", "agreed"]).is_ok();
}

/// Files that the range did not touch are still checked: the whole tree at its end.
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
        verify(&sandbox, &["--range", range]).fails("2", "git-range");
    }
    verify(&sandbox, &["--range", "nowhere..HEAD"]).fails("1", "unknown-revision");
    // What HEAD has and the base has not is nothing, the other way round.
    sandbox.put("README", "text\n");
    sandbox.commit("text");
    verify(&sandbox, &["--range", "HEAD..base", "--trust-root", "base"]).is_ok();
    // Only named items are judged, on the way too.
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
    assert!(seen.contains("hint: run `git log --oneline HEAD..base` to list its commits"), "{seen}");
    // Who asks for quiet, and who reads nothing but the log, is told why it fails.
    let seen = sandbox.rye(&[&commits[..], &["-q"]].concat()).transcript();
    assert!(seen.contains(told) && seen.ends_with("[exit 7]\n"), "{seen}");
    let successful = |more: &[&str]| {
        let args = [&commits[..], &["--format", "sarif"], more].concat();
        let log: Value = serde_json::from_slice(&sandbox.rye(&args).into_command().output().unwrap().stdout).unwrap();
        log["runs"][0]["invocations"][0]["executionSuccessful"].clone()
    };
    assert_eq!((successful(&[]), successful(&["--allow-empty"])), (false.into(), true.into()));
    sandbox.rye(&[&commits[..], &["--allow-empty"]].concat()).succeeds();
    let seen = verify(&sandbox, &commits[1..]);
    let json = (&seen.json["status"], &seen.json["range_commits"], &seen.json["commits_checked"]);
    assert_eq!(json, (&"empty".into(), &0.into(), &0.into()));
    // Faults at the end are reported first.
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
