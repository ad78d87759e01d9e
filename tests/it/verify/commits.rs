//! Commits that must be signed themselves.

use super::*;

pub(super) const ALL: [&str; 5] = ["--range", "base..HEAD", "--trust-root", "base", "--commits"];
pub(super) const COMMIT: &str = ".";

/// Replaces the signature of the last commit, and everything git would say about that.
pub(super) fn forge(sandbox: &Sandbox, change: impl FnOnce(String) -> String) {
    let commit = sandbox.git(&["cat-file", "commit", "HEAD"]);
    fs::write(sandbox.path("tmp/commit"), change(commit)).unwrap();
    let file = sandbox.path("tmp/commit").display().to_string();
    let forged = sandbox.git(&["hash-object", "-t", "commit", "-w", "--literally", &file]);
    sandbox.git(&["reset", "-q", "--hard", forged.trim()]);
}

/// Takes the `gpgsig` header out of a commit: its value and the rest.
pub(super) fn taken_apart(commit: &str) -> (String, String) {
    let (mut signature, mut rest) = (String::new(), String::new());
    let mut inside = false;
    for line in commit.split_inclusive('\n') {
        inside = line.starts_with("gpgsig ") || inside && line.starts_with(' ');
        match line.strip_prefix("gpgsig ").or_else(|| line.strip_prefix(' ')) {
            Some(text) if inside => signature += text,
            _ => rest += line,
        }
    }
    (signature, rest)
}

pub(super) fn put_together(signature: &str, rest: &str) -> String {
    let (head, body) = rest.split_once("\n\n").unwrap();
    format!("{head}\ngpgsig {}\n\n{body}", signature.trim_end().replace('\n', "\n "))
}

#[test]
fn every_commit_of_a_range_is_signed_by_somebody_who_may() {
    let sandbox = project();
    commit_by(&sandbox, ADA, "ada's");
    commit_by(&sandbox, BOB, "bob's");
    let seen = verify(&sandbox, &ALL);
    seen.is_ok();
    assert_eq!(seen.json["commits_checked"], 2);
    // Stock git says the same.
    let file = format!("gpg.ssh.allowedSignersFile={}", sandbox.project().join(".ai/trust/allowed_signers").display());
    sandbox.git(&["-c", &file, "verify-commit", "HEAD", "HEAD~"]);

    sandbox.put("README", "text\n");
    sandbox.commit("nobody's");
    let nobodys = head(&sandbox);
    let seen = verify(&sandbox, &ALL);
    seen.is_refused(&[("RYE-C001", COMMIT)]);
    assert_eq!((seen.field(0, "commit_id"), seen.field(0, "verdict")), (&*nobodys, "unsigned"));
    assert_eq!(seen.json["findings"][0]["line"], 1);
    // Without `--commits` it is not checked.
    verify(&sandbox, &ALL[..4]).is_ok();
    verify(&sandbox, &["--rev", "HEAD", "--commits", "--trust-root", "base"]).is_refused(&[("RYE-C001", COMMIT)]);
    verify(&sandbox, &["--rev", "HEAD~", "--commits", "--trust-root", "base"]).is_ok();
}

#[test]
fn a_byte_of_another_encoding_in_a_foreign_line_leaves_the_other_lines_in_force() {
    let sandbox = project();
    let signers = [&b"\xffcarol@x zz\n# caf\xe9\n"[..], signers().as_bytes()].concat();
    fs::write(sandbox.project().join(".ai/trust/allowed_signers"), &signers).unwrap();
    seal(&sandbox, 2, LATER, &[ADA]);
    commit_by(&sandbox, ADA, "a foreign line");
    sandbox.git(&["branch", "-f", "base"]);
    commit_by(&sandbox, BOB, "bob's");
    let own = sandbox.path("config/rye/trust");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("allowed_signers"), &signers).unwrap();
    let file = own.join("allowed_signers").display().to_string();
    for by in [&["--trust-root", "base"][..], &["--allowed-signers", &file], &[]] {
        let seen = sandbox.rye(&[&["verify", "--range", "base..HEAD", "--commits"], by].concat()).transcript();
        assert!(seen.contains("line 1 (it is not UTF-8)") && !seen.contains("line 2 ("), "{by:?} {seen}");
        assert!(seen.ends_with("[exit 0]\n"), "{by:?} {seen}");
    }
}

#[test]
fn a_merge_may_be_left_out() {
    let sandbox = project();
    commit_by(&sandbox, ADA, "ada's");
    sandbox.git(&["checkout", "-q", "-b", "side", "base"]);
    commit_by(&sandbox, BOB, "bob's");
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "merged by a server", "main"]);
    verify(&sandbox, &ALL).is_refused(&[("RYE-C001", COMMIT)]);
    let authored = ["--range", "base..HEAD", "--trust-root", "base", "--commits=authored"];
    let seen = verify(&sandbox, &authored);
    seen.is_ok();
    assert_eq!((&seen.json["commits_checked"], &seen.json["merges_left_out"]), (&2.into(), &1.into()));
    let seen = sandbox.rye(&[&["verify"], &authored[..]].concat()).transcript();
    assert!(seen.contains("items and 2 commits checked (1 merge left out): "), "{seen}");
    let help = sandbox.rye(&["verify", "--help"]).transcript();
    assert!(help.contains("`authored` lets merge commits pass"), "{help}");
}

/// A stranger's commit that joins two commits of the base: all of the range is a merge.
#[test]
fn a_range_of_nothing_but_merges_is_told_and_no_success() {
    let sandbox = project();
    commit_by(&sandbox, ADA, "ada's");
    sandbox.git(&["branch", "-f", "base"]);
    sandbox.put("README", "evil\n");
    sandbox.git(&["add", "-A"]);
    let tree = sandbox.git(&["write-tree"]);
    let merge = sandbox.git(&["commit-tree", "-m", "merge", "-p", "base~", "-p", "base", tree.trim()]);
    sandbox.git(&["reset", "-q", "--hard", merge.trim()]);
    let ranged = ["verify", "--range", "base..HEAD", "--trust-root", "base", "--commits=authored"];
    let single = ["verify", "--rev", "HEAD", "--trust-root", "base", "--commits=authored"];
    for args in [ranged, single] {
        let seen = sandbox.rye(&args).transcript();
        let told = "warning: no commit was checked: each of them is a merge";
        assert!(seen.contains(told) && seen.ends_with("[exit 7]\n"), "{seen}");
        sandbox.rye(&[&args[..], &["--allow-empty"]].concat()).succeeds();
        let seen = verify(&sandbox, &args[1..]);
        assert_eq!((&seen.json["status"], &seen.json["commits_checked"]), (&"empty".into(), &0.into()));
    }
}

/// Every way in which a signature does not count has its rule.
#[test]
fn a_commit_is_refused_by_the_rule_that_fits() {
    let sandbox = project();
    let rule = |wanted: &str, verdict: &str| {
        let seen = verify(&sandbox, &ALL);
        seen.is_refused(&[(wanted, COMMIT)]);
        assert_eq!(seen.field(0, "verdict"), verdict);
        assert!(seen.field(0, "hint").contains('`'), "{:#}", seen.json);
        let message = seen.field(0, "message").to_owned();
        sandbox.git(&["reset", "-q", "--hard", "base"]);
        message
    };
    commit_by(&sandbox, EVE, "eve's");
    let message = rule("RYE-C004", "untrusted");
    assert!(message.contains(&key(EVE).public().fingerprint()), "{message}");
    // A signature that says nothing about this commit: another tree, message, author, time.
    let tree = rev(&sandbox, "base^{tree}");
    for at in 0..4 {
        sandbox.put("README", "text\n");
        commit_by(&sandbox, ADA, "ada's");
        forge(&sandbox, |commit| match at {
            0 => format!("tree {tree}\n{}", commit.split_once('\n').unwrap().1),
            1 => commit.replace("ada's", "eve's"),
            2 => commit.replace("\nauthor Ada", "\nauthor Eve"),
            _ => commit.replace("\ncommitter Ada <ada@example.org> 1", "\ncommitter Ada <ada@example.org> 2"),
        });
        assert!(rule("RYE-C003", "tampered").contains("does not fit"));
    }
    // Made for another use.
    commit_by(&sandbox, ADA, "ada's");
    forge(&sandbox, |commit| {
        let (_, rest) = taken_apart(&commit);
        put_together(&key(ADA).sign_armored(Namespace::Item, rest.as_bytes()), &rest)
    });
    assert!(rule("RYE-C003", "tampered").contains("another use"));
    // Damaged ones, and none at all.
    let kinds = [
        ("-----BEGIN PGP SIGNATURE-----\n\nwsBc\n", "malformed, or several"),
        ("-----BEGIN SIGNED MESSAGE-----\nMIA\n-----END PGP MESSAGE-----\n", "malformed, or several"),
        ("-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n", "malformed or of another algorithm"),
        ("trust me\n", "of no known kind"),
    ];
    for (armored, kind) in kinds {
        commit_by(&sandbox, ADA, "ada's");
        forge(&sandbox, |commit| put_together(armored, &taken_apart(&commit).1));
        assert!(rule("RYE-C002", "tampered").contains(kind), "{kind}");
    }
    // Something before or behind a good one: git takes it for none.
    for (before, behind) in [("anything at all\n", ""), ("\n", ""), (" ", ""), ("", "more\n"), ("", "\n\nmore")] {
        commit_by(&sandbox, ADA, "ada's");
        forge(&sandbox, |commit| {
            let (good, rest) = taken_apart(&commit);
            put_together(&format!("{before}{good}{behind}"), &rest)
        });
        rule("RYE-C002", "tampered");
    }
    // Two signatures, the second one good.
    commit_by(&sandbox, ADA, "ada's");
    forge(&sandbox, |commit| {
        let (good, rest) = taken_apart(&commit);
        put_together(&(key(EVE).sign_armored(Namespace::Git, rest.as_bytes()) + &good), &rest)
    });
    rule("RYE-C002", "tampered");
}

#[test]
fn a_commit_is_judged_by_its_committer_s_time_and_never_by_a_revoked_key() {
    let sandbox = project();
    let line = signer(BOB, "bob", &["rye", "git"]).replace(" ssh-ed25519", ",valid-before=\"20260317Z\" ssh-ed25519");
    let signers = signer(ADA, "ada", &["rye", "git", "rye-trust"]) + &line;
    sandbox.put("signers", &signers);
    commit_by(&sandbox, BOB, "bob's");
    let named = ["--range", "base..HEAD", "--commits", "--allowed-signers", "signers"];
    let seen = verify(&sandbox, &named);
    seen.is_refused(&[("RYE-C005", COMMIT)]);
    assert_eq!(seen.field(0, "verdict"), "retired");
    sandbox.put("signers", &signers.replace("20260317Z", "20260318Z"));
    verify(&sandbox, &named).is_ok();
    sandbox.put("revoked", &revoked(BOB));
    let seen = verify(&sandbox, &[&named[..], &["--revoked", "revoked"]].concat());
    seen.is_refused(&[("RYE-C006", COMMIT)]);
    assert_eq!(seen.field(0, "verdict"), "revoked");
    // A key for items alone signs no commits.
    sandbox.put("signers", &(signer(ADA, "ada", &[]) + &signer(BOB, "bob", &["rye"])));
    verify(&sandbox, &named).is_refused(&[("RYE-C004", COMMIT)]);
}

/// A printed command works as pasted.
#[test]
fn a_commit_is_signed_by_the_command_of_its_hint() {
    let sandbox = project();
    for text in ["one", "two"] {
        sandbox.put("README", text);
        sandbox.commit(text);
    }
    // Where git knows no key, the command names one.
    assert!(verify(&sandbox, &ALL).field(0, "hint").contains(" -c user.signingKey=~/.ssh/id_ed25519 rebase "));
    let signing = signing(&sandbox, ADA);
    sandbox.git(&["config", "user.signingkey", signing[3].split_once('=').unwrap().1]);
    let seen = verify(&sandbox, &ALL);
    seen.is_refused(&[("RYE-C001", COMMIT), ("RYE-C001", COMMIT)]);
    let command = seen.field(0, "hint").split('`').nth(3).unwrap().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-ec", &command]).env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    verify(&sandbox, &ALL).is_ok();
    // The first commit of all has nothing before it.
    let seen = verify(&sandbox, &["--rev", "base", "--commits", "--allowed-signers", ".ai/trust/allowed_signers"]);
    assert!(seen.field(0, "hint").ends_with("-S' --root`"), "{:#}", seen.json);
}

/// To sign a commit again makes every later one anew: where another person signed one of them, no hint says to do so.
#[test]
fn no_hint_replaces_the_signature_of_another_person() {
    let sandbox = project();
    sandbox.put("README", "one");
    sandbox.commit("unsigned");
    let again = |at: usize| verify(&sandbox, &ALL).field(at, "hint").to_owned();
    assert!(again(0).contains("rebase --exec"), "{}", again(0));
    commit_by(&sandbox, BOB, "his own");
    let hint = again(0);
    assert!(
        hint.contains("to sign it again would replace signatures of later commits that may not be yours"),
        "{hint}"
    );
    assert!(!["rebase", "amend", "push"].iter().any(|word| hint.contains(word)), "{hint}");
    assert!(hint.contains("`--range ") && hint.contains("undo what is wrong in a new commit"), "{hint}");
    // A later one can be signed.
    sandbox.put("README", "two");
    sandbox.commit("unsigned too");
    let hints = [again(0), again(1)];
    assert_eq!(hints.iter().filter(|hint| hint.contains("rebase --exec")).count(), 1, "{hints:?}");
}

/// What a protected branch has stays: neither the trust root nor a remote's default branch is rewritten.
#[test]
fn no_hint_rewrites_a_commit_that_a_protected_branch_has() {
    let sandbox = project();
    let signers = ["--allowed-signers", ".ai/trust/allowed_signers"];
    let assert_stays = |args: &[&str], verdict: &str| {
        let seen = verify(&sandbox, args);
        let hint = seen.field(0, "hint");
        assert_eq!((&*seen.code, seen.field(0, "verdict")), ("3", verdict), "{:#}", seen.json);
        assert!(!["rebase", "amend", "push"].iter().any(|word| hint.contains(word)), "{hint}");
        assert!(hint.contains(&format!("`--range {}..", seen.field(0, "commit_id"))), "{hint}");
    };
    // The trust root itself.
    assert_stays(&["--rev", "base", "--commits", "--trust-root", "base"], "unsigned");
    // The branch of a remote, as a push to it is verified: by what was there before.
    sandbox.git(&["remote", "add", "origin", "nowhere"]);
    type Change = fn(String) -> String;
    let changes: [(&str, Change); 2] =
        [("unsigned", |commit| taken_apart(&commit).1), ("tampered", |commit| commit.replace("ada's", "eve's"))];
    for name in ["HEAD", "main", "master"] {
        for (verdict, change) in changes {
            commit_by(&sandbox, ADA, "ada's");
            forge(&sandbox, change);
            let seen = verify(&sandbox, &ALL);
            assert!(seen.field(0, "hint").contains("if no protected branch has it, sign it"), "{:#}", seen.json);
            let branch = format!("refs/remotes/origin/{name}");
            sandbox.git(&["update-ref", &branch, "HEAD"]);
            assert_stays(&ALL, verdict);
            assert_stays(&[&["--rev", "HEAD", "--commits"], &signers[..]].concat(), verdict);
            // Only what the branch has stays.
            sandbox.put("README", "text\n");
            sandbox.commit("nobody's");
            let seen = verify(&sandbox, &ALL);
            let hints = [seen.field(0, "hint"), seen.field(1, "hint")];
            assert_eq!(hints.map(|hint| hint.contains("rebase")), [false, true], "{hints:?}");
            sandbox.git(&["update-ref", "-d", &branch]);
            sandbox.git(&["reset", "-q", "--hard", "base"]);
        }
    }
}

/// Git shows both names and compares nothing, so it is not an error.
#[test]
fn a_commit_signed_by_somebody_else_than_its_author_is_told() {
    let sandbox = project();
    commit_by(&sandbox, BOB, "his own");
    verify(&sandbox, &ALL).is_ok();
    commit_for(&sandbox, BOB, "Ada <ada@example.org>", "in her name");
    let seen = verify(&sandbox, &ALL);
    assert_eq!((&*seen.code, seen.findings()), ("0", vec![("warning", "RYE-C007", COMMIT)]));
    let id = head(&sandbox);
    let message = "it is signed by `bob@example.org`, and its author is `Ada <ada@example.org>`";
    assert_eq!(seen.field(0, "message"), format!("commit `{}` (in her name): {message}", &id[..12]));
    assert_eq!((seen.field(0, "commit_id"), seen.field(0, "verdict")), (&*id, ""));
    let hint = format!("`git log --format=fuller --show-signature -1 {}`", &id[..12]);
    assert!(seen.field(0, "hint").ends_with(&hint), "{:#}", seen.json);
    let told = sandbox.rye(&[&["verify"], &ALL[..]].concat()).transcript();
    assert!(told.contains("\nok: 2 items and 2 commits checked: 2 good, 1 commit of another author\n"), "{told}");
    // A pattern may fit both; a principal that is not an address proves nothing.
    for principal in ["*@example.org", "bob"] {
        sandbox.put("../signers", &(signer(ADA, "ada", &["rye"]) + &signer(BOB, principal, &["git"])));
        let args = ["--range", "base..HEAD", "--commits", "--allowed-signers", "../signers"];
        verify(&sandbox, &args).is_ok();
        assert_eq!(verify(&sandbox, &args).findings(), []);
    }
}

#[test]
fn only_what_joins_histories_is_a_merge() {
    let sandbox = project();
    sandbox.put("README", "text\n");
    sandbox.commit("first");
    let first = head(&sandbox);
    let authored = ["--range", "base..HEAD", "--trust-root", "base", "--commits=authored"];
    for other in ["HEAD", "HEAD~", "base"] {
        sandbox.git(&["reset", "-q", "--hard", &first]);
        sandbox.git(&["commit", "-q", "--amend", "--no-edit", "--allow-empty"]);
        let other = rev(&sandbox, other);
        sandbox.put("README", "more\n");
        sandbox.commit("like a merge");
        forge(&sandbox, |commit| commit.replacen("\nauthor ", &format!("\nparent {other}\nauthor "), 1));
        assert_eq!(sandbox.git(&["log", "-1", "--format=%P"]).split_whitespace().count(), 2);
        let seen = verify(&sandbox, &authored);
        seen.is_refused(&[("RYE-C001", COMMIT), ("RYE-C001", COMMIT)]);
        assert_eq!(seen.field(1, "commit_id"), head(&sandbox));
    }
}
