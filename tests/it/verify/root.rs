//! A revision that is trusted: its keys judge, its items are what others are compared with.

use super::*;

/// Somebody with write access adds their own key and signs with it.
#[test]
fn a_change_cannot_bring_the_keys_it_is_judged_by() {
    let sandbox = project();
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
    sandbox.put(NOTES, &signed(NOTES, &NOTES_TEXT.replace("short", "evil"), EVE));
    sandbox.put(".ai/trust/allowed_signers", &(signers() + &signer(EVE, "eve", &["rye", "rye-trust"])));
    let item = ("RYE-S006", NOTES);
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&[("RYE-M004", ".ai/trust/allowed_signers"), item]);
    // With a manifest of her own, she is not a root of the base.
    seal(&sandbox, 2, LATER, &[EVE]);
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&[("RYE-M006", ".ai/trust/trust.sig"), item]);
    // Without any.
    fs::remove_file(sandbox.project().join(".ai/trust/trust.sig")).unwrap();
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&[("RYE-M010", ".ai/trust/trust.sig"), item]);
    sandbox.commit("evil");
    for args in [["--rev", "HEAD"], ["--range", "base..HEAD"]] {
        let seen = verify(&sandbox, &[&args[..], &["--trust-root", "base"]].concat());
        seen.is_refused(&[("RYE-M010", ".ai/trust/trust.sig"), item]);
        assert_eq!((seen.field(0, "commit_id"), seen.field(1, "commit_id")), (&*head(&sandbox), &*head(&sandbox)));
        assert_eq!((seen.field(0, "verdict"), seen.field(1, "verdict")), ("", "untrusted"));
        assert!(seen.field(1, "hint").contains("`rye trust add their_key.pub --project`"), "{:#}", seen.json);
    }
    // Where she wrote `.ai/trust` as a link to somewhere else.
    fs::remove_dir_all(sandbox.project().join(".ai/trust")).unwrap();
    fs::create_dir(sandbox.project().join("elsewhere")).unwrap();
    sandbox.put("elsewhere/allowed_signers", &signers());
    std::os::unix::fs::symlink("../elsewhere", sandbox.project().join(".ai/trust")).unwrap();
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&[("RYE-M003", ".ai/trust/allowed_signers"), item]);
    sandbox.commit("linked");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"])
        .is_refused(&[("RYE-M010", ".ai/trust/trust.sig"), item]);
}

/// Somebody who may push tags names one like the protected branch, and git would take the tag.
#[test]
fn a_tag_does_not_take_the_place_of_the_branch_that_judges() {
    let sandbox = project();
    sandbox.git(&["update-ref", "refs/remotes/origin/main", "base"]);
    sandbox.put(NOTES, &signed(NOTES, &NOTES_TEXT.replace("short", "evil"), EVE));
    sandbox.put(GREET, &signed(GREET, GREET_TEXT, EVE));
    sandbox.put(".ai/trust/allowed_signers", &signer(EVE, "eve", &["rye", "rye-trust"]));
    seal(&sandbox, 2, LATER, &[EVE]);
    sandbox.commit("evil");
    sandbox.git(&["tag", "origin/main"]);
    let args = ["--range", "origin/main..HEAD", "--trust-root", "origin/main"];
    verify(&sandbox, &args).fails("1", "ambiguous-revision");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "refs/tags/origin/main"]).is_ok();
    let seen = verify(&sandbox, &["--rev", "HEAD", "--trust-root", "refs/remotes/origin/main"]);
    seen.is_refused(&[("RYE-M006", ".ai/trust/trust.sig"), ("RYE-S006", GREET), ("RYE-S006", NOTES)]);
}

/// A clone of one branch has no `origin/main`; somebody pushed a tag of that name.
#[test]
fn in_a_single_branch_clone_no_tag_judges() {
    let origin = project();
    origin.git(&["checkout", "-q", "-b", "change"]);
    origin.put(NOTES, &signed(NOTES, &NOTES_TEXT.replace("short", "evil"), EVE));
    origin.put(GREET, &signed(GREET, GREET_TEXT, EVE));
    origin.put(".ai/trust/allowed_signers", &signer(EVE, "eve", &["rye", "git", "rye-trust"]));
    seal(&origin, 2, LATER, &[EVE]);
    commit_by(&origin, EVE, "evil");
    origin.git(&["tag", "origin/main"]);
    let sandbox = super::repositories::cloned(&origin, &["--single-branch", "--branch", "change"]);
    for (range, root) in [
        ("origin/main..HEAD", "origin/main"),
        ("origin/main..HEAD", "refs/tags/origin/main"),
        ("refs/tags/origin/main..HEAD", "origin/main~0"),
    ] {
        let seen = verify(&sandbox, &["--commits", "--range", range, "--trust-root", root]);
        seen.fails("1", "short-tag");
        let hint = "fetch the branch: `git fetch origin +refs/heads/main:refs/remotes/origin/main`, and name it \
                    `refs/remotes/origin/main`";
        assert_eq!(seen.json["error"]["hints"][0], hint);
    }
    // As docs/ci.md says it.
    let page = include_str!("../../../docs/ci.md");
    let commands = page.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let mut lines = commands.lines();
    let fetch: Vec<&str> = lines.next().unwrap().split(' ').skip(1).map(|word| word.trim_matches('\'')).collect();
    sandbox.git(&fetch);
    let args: Vec<&str> = lines.next().unwrap().split(' ').skip(2).collect();
    let seen = verify(&sandbox, &args);
    let commit = ("RYE-C004", ".");
    seen.is_refused(&[("RYE-M006", ".ai/trust/trust.sig"), ("RYE-S006", GREET), ("RYE-S006", NOTES), commit]);
}

/// A change is pushed as a branch with the very name of the ref that is to judge it.
#[test]
fn a_branch_does_not_judge_itself_by_the_name_of_another_ref() {
    for name in
        ["refs/remotes/origin/main", "remotes/origin/main", "origin/main", "refs/rye-verify/base", "refs/heads/main"]
    {
        let origin = project();
        let branch = format!("refs/heads/{name}");
        origin.git(&["checkout", "-q", "-b", "change"]);
        origin.put(NOTES, &signed(NOTES, &NOTES_TEXT.replace("short", "evil"), EVE));
        origin.put(GREET, &signed(GREET, GREET_TEXT, EVE));
        origin.put(".ai/trust/allowed_signers", &signer(EVE, "eve", &["rye", "git", "rye-trust"]));
        seal(&origin, 2, LATER, &[EVE]);
        commit_by(&origin, EVE, "evil");
        origin.git(&["update-ref", &branch, "HEAD"]);
        let sandbox = super::repositories::cloned(&origin, &["--single-branch", "--branch", name]);
        for source in [["--rev", "HEAD"], ["--range", "HEAD~1..HEAD"]] {
            let seen = verify(&sandbox, &[&source[..], &["--commits", "--trust-root", name]].concat());
            assert_ne!(seen.json["status"], "ok", "{name}");
            seen.fails("1", "unknown-revision");
        }
    }
}

#[test]
fn roots_may_change_the_trust_files_and_the_change_judges_nothing_yet() {
    let sandbox = project();
    sandbox.put(".ai/trust/allowed_signers", &(signers() + &signer(EVE, "eve", &["rye"])));
    seal(&sandbox, 2, LATER, &[ADA]);
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
    sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, EVE));
    sandbox.commit("a new signer");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_refused(&[("RYE-S006", NOTES)]);
    // Merged, it does.
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "HEAD"]).is_ok();
    // The way back is not allowed.
    verify(&sandbox, &["--rev", "base", "--trust-root", "HEAD"]).is_refused(&[("RYE-M008", ".ai/trust/trust.sig")]);
}

/// `permissions.deny` of the project is taken out, by itself or on the way.
#[test]
fn what_the_configuration_denies_is_not_taken_back_unseen() {
    const CONFIG: &str = ".ai/config.toml";
    const DENY: &str = "[permissions]\ndeny = [\"rye.execute.tool.*\"]\n";
    let sandbox = project();
    let against_base = |args: &[&str]| verify(&sandbox, &[args, &["--trust-root", "base"]].concat());
    sandbox.put(CONFIG, DENY);
    seal(&sandbox, 2, LATER, &[ADA]);
    against_base(&[]).is_ok();
    sandbox.commit("denies");
    sandbox.git(&["branch", "-f", "base"]);
    for text in ["", "[permissions]\ndeny = []\n"] {
        sandbox.put(CONFIG, text);
        against_base(&[]).is_refused(&[("RYE-M004", CONFIG)]);
    }
    fs::remove_file(sandbox.project().join(CONFIG)).unwrap();
    against_base(&[]).is_refused(&[("RYE-M004", CONFIG)]);
    sandbox.commit("denies nothing");
    against_base(&["--rev", "HEAD"]).is_refused(&[("RYE-M004", CONFIG)]);
    against_base(&["--range", "base..HEAD"]).is_refused(&[("RYE-M004", CONFIG)]);
    sandbox.put(CONFIG, DENY);
    sandbox.commit("as if nothing had been");
    against_base(&["--rev", "HEAD"]).is_ok();
    against_base(&["--range", "base..HEAD"]).is_refused(&[("RYE-M004", CONFIG)]);
    // Without the manifest, by a stranger's, by a root's.
    let manifest = sandbox.project().join(".ai/trust/trust.sig");
    fs::remove_file(&manifest).unwrap();
    sandbox.put(CONFIG, "");
    against_base(&[]).is_refused(&[("RYE-M010", ".ai/trust/trust.sig")]);
    seal(&sandbox, 3, LATER, &[EVE]);
    against_base(&[]).is_refused(&[("RYE-M006", ".ai/trust/trust.sig")]);
    seal(&sandbox, 3, LATER, &[ADA]);
    against_base(&[]).is_ok();
}

/// An old release of an item is brought back, with its signature.
#[test]
fn what_is_older_than_the_base_has_it_is_rolled_back() {
    let sandbox = project();
    let old = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    sandbox.put(NOTES, &signed_at(NOTES, &NOTES_TEXT.replace("short", "brief"), BOB, LATER));
    sandbox.commit("newer");
    sandbox.git(&["branch", "-f", "base"]);
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
    sandbox.put(NOTES, &old);
    let seen = verify(&sandbox, &["--trust-root", "base"]);
    seen.is_refused(&[("RYE-S011", NOTES)]);
    assert_eq!(seen.json["summary"]["rolled_back"], 1);
    assert_eq!(
        seen.field(0, "message"),
        "knowledge `demo/notes`: it was signed at 2026-03-17T01:41:08Z, before the other content that the base has in its \
         place (signed at 2026-03-18T00:00:00Z)"
    );
    sandbox.commit("older");
    verify(&sandbox, &["--range", "base..HEAD", "--trust-root", "base"]).is_refused(&[("RYE-S011", NOTES)]);
    // Alone it is as good as ever; and the same content signed again earlier is not a step back.
    verify(&sandbox, &["--allowed-signers", ".ai/trust/allowed_signers"]).is_ok();
    sandbox.put(NOTES, &signed_at(NOTES, &NOTES_TEXT.replace("short", "brief"), ADA, TIME));
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
    // A verdict that is remembered does not hide it.
    sandbox.put(NOTES, &old);
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&[("RYE-S011", NOTES)]);
}

/// The protected branch took an item out, and a change brings it back with the signature it had.
#[test]
fn what_the_base_removed_does_not_come_back_by_its_old_signature() {
    let sandbox = project();
    let old = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    sandbox.git(&["rm", "-q", NOTES]);
    sandbox.commit("removed");
    sandbox.put("README", "later\n");
    sandbox.commit("later");
    sandbox.git(&["branch", "-f", "base"]);
    // An entry that never existed is new.
    let other = ".ai/knowledge/demo/other.md";
    sandbox.put(other, &signed(other, NOTES_TEXT, ADA));
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
    sandbox.put(NOTES, &old);
    let seen = verify(&sandbox, &["--trust-root", "base"]);
    seen.is_refused(&[("RYE-S011", NOTES)]);
    assert_eq!((seen.field(0, "verdict"), seen.json["summary"]["rolled_back"].as_u64()), ("rolled_back", Some(1)));
    let told = "it was signed at 2026-03-17T01:41:08Z, before the base removed it (at 2026-03-17T01:41:08Z)";
    assert_eq!(seen.field(0, "message"), format!("knowledge `demo/notes`: {told}"));
    // Also with other bytes that were signed before.
    sandbox.put(NOTES, &signed(NOTES, &NOTES_TEXT.replace("short", "brief"), BOB));
    sandbox.commit("back");
    for source in [["--rev", "HEAD"], ["--range", "base..HEAD"]] {
        verify(&sandbox, &[&source[..], &["--trust-root", "base"]].concat()).is_refused(&[("RYE-S011", NOTES)]);
    }
    // Signed again it is wanted again.
    sandbox.put(NOTES, &signed_at(NOTES, NOTES_TEXT, ADA, LATER));
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
}

/// The protected branch had it as the second parent of a merge, which took it out.
#[test]
fn what_a_merge_removed_does_not_come_back_by_its_old_signature() {
    let sandbox = project();
    sandbox.git(&["checkout", "-q", "-b", "topic"]);
    sandbox.put("README", "topic\n");
    sandbox.commit("topic");
    sandbox.git(&["checkout", "-q", "main"]);
    let other = ".ai/knowledge/demo/other.md";
    sandbox.put(other, &signed(other, NOTES_TEXT, ADA));
    sandbox.commit("with");
    let old = fs::read_to_string(sandbox.project().join(other)).unwrap();
    sandbox.git(&["checkout", "-q", "topic"]);
    sandbox.git(&["merge", "-q", "--no-commit", "--no-ff", "main"]);
    sandbox.git(&["rm", "-q", "-f", other]);
    sandbox.commit("merged without it");
    sandbox.git(&["branch", "-f", "base"]);
    sandbox.put(other, &old);
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&[("RYE-S011", other)]);
}

/// Ada is a root of two projects: what she signed for one counts for nothing in the other.
#[test]
fn the_trust_files_of_another_project_do_not_count_here() {
    let sandbox = project();
    let root_commit = sandbox.git(&["rev-list", "--max-parents=0", "HEAD"]).trim().to_owned();
    seal_of(&sandbox, 2, LATER, &[ADA], Some(root_commit.clone()));
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
    let wider = signers() + &signer(EVE, "eve", &["rye"]);
    sandbox.put(".ai/trust/allowed_signers", &wider);
    // The base's own manifest names no project: the history tells it.
    seal_of(&sandbox, 3, LATER, &[ADA], Some("a".repeat(40)));
    let theirs = [("RYE-M013", ".ai/trust/trust.sig")];
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&theirs);
    seal_of(&sandbox, 3, LATER, &[ADA], Some(root_commit));
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
    sandbox.commit("wider");
    sandbox.git(&["branch", "-f", "base"]);
    for other in [Some("a".repeat(40)), None] {
        seal_of(&sandbox, 4, LATER, &[ADA], other);
        verify(&sandbox, &["--trust-root", "base"]).is_refused(&theirs);
    }
}

#[test]
fn version_1_does_not_come_back_after_version_2() {
    let sandbox = project();
    let line = crate::trust::legacy::v1_line("<!-- ", " -->", NOTES_TEXT.as_bytes(), &[ADA; 32]);
    sandbox.put(NOTES, &format!("{line}\n{NOTES_TEXT}"));
    let root = ["--trust-root", "base", "--allow-legacy"];
    verify(&sandbox, &root).is_refused(&[("RYE-S014", NOTES)]);
    sandbox.commit("older form");
    verify(&sandbox, &[&root[..], &["--rev", "HEAD"]].concat()).is_refused(&[("RYE-S014", NOTES)]);
    // Where it was of version 1 before, it still is what it was.
    sandbox.git(&["branch", "-f", "base"]);
    let seen = verify(&sandbox, &root);
    assert_eq!((&*seen.code, seen.findings()), ("0", vec![("warning", "RYE-S009", NOTES)]));
}

/// Somebody removes the project's own item, and the one in the home folder takes its place.
#[test]
fn what_was_removed_lets_nothing_else_take_effect() {
    let sandbox = project();
    let home = sandbox.path("home").join(NOTES);
    fs::create_dir_all(home.parent().unwrap()).unwrap();
    fs::write(&home, "anything").unwrap();
    fs::remove_file(sandbox.project().join(NOTES)).unwrap();
    fs::remove_file(sandbox.project().join(GREET)).unwrap();
    sandbox.put(".ai/tools/demo/a.sh", &signed(".ai/tools/demo/a.sh", "# version: 1.0.0\ntrue\n", ADA));
    let seen = verify(&sandbox, &["--trust-root", "base"]);
    seen.is_refused(&[("RYE-S013", NOTES)]);
    assert_eq!((seen.field(0, "verdict"), seen.json["checked"].as_u64()), ("unshadowed", Some(1)));
    assert_eq!(seen.json["summary"]["unshadowed"], 1);
    // Who asks about something else is told about that.
    verify(&sandbox, &["--trust-root", "base", ".ai/tools"]).is_ok();
    sandbox.commit("removed");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_refused(&[("RYE-S013", NOTES)]);
    fs::remove_file(home).unwrap();
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
}

/// A key is found to be stolen. Earlier reviewed items stay; new ones do not.
#[test]
fn a_revoked_key_s_content_counts_only_where_the_trusted_revision_has_it() {
    let sandbox = project();
    sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, BOB));
    sandbox.put(".ai/trust/revoked", &revoked(BOB));
    seal(&sandbox, 2, LATER, &[ADA]);
    sandbox.commit("revoke");
    sandbox.git(&["branch", "-f", "base"]);
    for source in [&[][..], &["--rev", "HEAD"]] {
        let seen = verify(&sandbox, &[source, &["--trust-root", "base"]].concat());
        assert_eq!((&*seen.code, seen.findings()), ("0", vec![("warning", "RYE-S010", NOTES)]), "{source:?}");
        assert_eq!((seen.field(0, "verdict"), seen.json["summary"]["revoked"].as_u64()), ("revoked", Some(1)));
    }
    // One byte of difference, with a date from before.
    sandbox.put(NOTES, &signed_at(NOTES, &format!("{NOTES_TEXT}\n"), BOB, "2020-01-01T00:00:00Z"));
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&[("RYE-S010", NOTES)]);
    // The same bytes at another place are others.
    sandbox.put(".ai/knowledge/demo/more.md", &signed(".ai/knowledge/demo/more.md", NOTES_TEXT, BOB));
    sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, BOB));
    let seen = verify(&sandbox, &["--trust-root", "base"]);
    assert_eq!(
        (&*seen.code, seen.findings()),
        ("3", vec![("error", "RYE-S010", ".ai/knowledge/demo/more.md"), ("warning", "RYE-S010", NOTES)])
    );
    // Without a trusted revision nothing is pinned.
    sandbox.put("revoked", &revoked(BOB));
    verify(&sandbox, &["--allowed-signers", ".ai/trust/allowed_signers", "--revoked", "revoked", NOTES])
        .is_refused(&[("RYE-S010", NOTES)]);
}

/// What a person revoked is bad for them whoever judges: a file, a revision, and as a root of a change.
#[test]
fn a_key_that_the_person_revoked_counts_nowhere() {
    let sandbox = project();
    sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, BOB));
    commit_by(&sandbox, BOB, "bob's");
    let file = ["--allowed-signers", ".ai/trust/allowed_signers"];
    let root = ["--trust-root", "base"];
    let range = ["--range", "base..HEAD", "--commits", "--trust-root", "base"];
    verify(&sandbox, &range).is_ok();
    sandbox.put("bob.pub", &key(BOB).public().to_openssh());
    sandbox.rye(&["trust", "revoke", "bob.pub", "--reason", "stolen", "-q", "--yes"]).succeeds();
    fs::remove_file(sandbox.project().join("bob.pub")).unwrap();
    verify(&sandbox, &file).is_refused(&[("RYE-S010", NOTES)]);
    verify(&sandbox, &root).is_refused(&[("RYE-S010", NOTES)]);
    let seen = verify(&sandbox, &range);
    seen.is_refused(&[("RYE-S010", NOTES), ("RYE-C006", ".")]);
    for nth in 0..2 {
        assert!(seen.field(nth, "because").starts_with("you revoked this key, in `"), "{:#}", seen.json);
    }
    // Also what the root has itself.
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "HEAD"]).is_refused(&[("RYE-S010", NOTES)]);
    // Nor does it announce a change, as a root.
    let sandbox = project();
    sandbox.put(".ai/trust/allowed_signers", &(signers() + &signer(EVE, "eve", &["rye"])));
    seal(&sandbox, 2, LATER, &[ADA]);
    sandbox.commit("let Eve in");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
    let range = ["--range", "base..HEAD", "--trust-root", "base"];
    sandbox.put("revoked", &revoked(ADA));
    let seen = verify(&sandbox, &[&range[..], &["--revoked", "revoked"]].concat());
    assert!(seen.findings().contains(&("error", "RYE-M007", ".ai/trust/trust.sig")), "{:#}", seen.json);
    assert_eq!(seen.field(0, "because"), "");
    sandbox.put("ada.pub", &key(ADA).public().to_openssh());
    sandbox.rye(&["trust", "revoke", "ada.pub", "--reason", "stolen", "-q", "--yes"]).succeeds();
    let seen = verify(&sandbox, &range);
    assert!(seen.findings().contains(&("error", "RYE-M007", ".ai/trust/trust.sig")), "{:#}", seen.json);
    assert!(seen.field(0, "because").starts_with("you revoked this key, in `"), "{:#}", seen.json);
}

/// A line of the root whose key is nobody of those that it excludes, as OpenSSH reads it.
#[test]
fn a_negated_principal_excludes_whom_it_names() {
    let line = signer(EVE, "*@example.org,!eve@example.org", &["rye", "git"]);
    let signers = signers() + &line;
    for (name, rules) in [("bob@example.org", &[][..]), ("eve@example.org", &["RYE-S012", "RYE-S012"])] {
        let policy = format!("format = 1\n[[require]]\nitems = \"*\"\nsigners = 1\nprincipals = [\"{name}\"]\n");
        let sandbox = project_with(&[("allowed_signers", &signers), ("policy.toml", &policy)]);
        sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, EVE));
        sandbox.put(GREET, &signed(GREET, GREET_TEXT, EVE));
        let seen = verify(&sandbox, &["--trust-root", "base"]);
        let found: Vec<&str> = seen.findings().into_iter().map(|(_, rule, _)| rule).collect();
        assert_eq!(found, rules, "{name} {:#}", seen.json);
    }
    // A person is not added under such a name.
    let sandbox = project();
    sandbox.put("line", &line);
    for args in [&["trust", "add", "line", "--yes"][..], &["trust", "add", "line", "--principal", "!eve", "--yes"]] {
        let seen = sandbox.rye(args).transcript();
        assert!(!seen.ends_with("[exit 0]\n"), "{args:?}: {seen}");
    }
}

#[test]
fn a_root_that_cannot_judge_is_an_error_and_no_success() {
    let sandbox = project();
    verify(&sandbox, &["--trust-root", "nonsense"]).fails("1", "unknown-revision");
    let trust = |change: &dyn Fn()| {
        sandbox.git(&["checkout", "-q", "base", "--", ".ai/trust"]);
        change();
        sandbox.commit("change");
    };
    let put = |name: &str, text: &str| sandbox.put(&format!(".ai/trust/{name}"), text);
    trust(&|| put("policy.toml", "format = 1\nsigner = 2\n"));
    verify(&sandbox, &["--trust-root", "HEAD"]).fails("1", "trust-root");
    trust(&|| put("revoked", &revoked(BOB)));
    verify(&sandbox, &["--trust-root", "HEAD"]).fails("1", "trust-root");
    trust(&|| put("allowed_signers", "* everybody"));
    verify(&sandbox, &["--trust-root", "HEAD"]).fails("1", "trust-root");
    sandbox.git(&["rm", "-q", "-r", ".ai/trust"]);
    sandbox.commit("without");
    verify(&sandbox, &["--trust-root", "HEAD"]).fails("1", "no-trust-files");
    // A root without a manifest judges, and its files cannot be changed.
    put("allowed_signers", &signers());
    sandbox.commit("unsigned");
    verify(&sandbox, &["--trust-root", "HEAD"]).is_ok();
    put("allowed_signers", &signer(ADA, "ada", &[]));
    seal(&sandbox, 1, TIME, &[ADA]);
    verify(&sandbox, &["--trust-root", "HEAD"]).is_refused(&[("RYE-M011", ".ai/trust/trust.sig")]);
}

#[test]
fn options_that_contradict_each_other_are_a_mistake() {
    let sandbox = project();
    let contradictions: [(&[&str], &str); 3] = [
        (
            &["--rev", "HEAD", "--range", "base..HEAD"],
            "`--rev` and `--range` both say what to verify; a range ends with a revision",
        ),
        (&["--commits"], "`--commits` is about commits; say which with `--range A..B` or `--rev REV`"),
        (
            &["--allowed-signers", "a", "--trust-root", "base"],
            "`--allowed-signers` and `--trust-root` both say who may sign",
        ),
    ];
    for (args, sentence) in contradictions {
        let seen = verify(&sandbox, args);
        seen.fails("2", "usage");
        assert_eq!(seen.json["error"]["message"], sentence);
    }
    verify(&sandbox, &["--revoked", "none"]).fails("2", "no-revoked");
    sandbox.put("list", "no key\n");
    verify(&sandbox, &["--revoked", "list"]).fails("2", "revocation-file");
}
