//! What git can do to a repository: every state has an answer with a command to paste, and none is an empty success.

use std::process::Command;

use super::*;

/// Clones the project with options of git; returns the sandbox of the clone.
pub(super) fn cloned(from: &Sandbox, options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::remove_dir(sandbox.project()).unwrap();
    let url = format!("file://{}", from.project().display());
    let target = sandbox.project().display().to_string();
    let mut git = Command::new("git");
    git.args(["clone", "-q"]).args(options).args([&url, &target]);
    assert!(git.env_clear().envs(from.variables()).status().unwrap().success());
    sandbox
}

fn hint(seen: &Seen) -> &str {
    seen.json["error"]["hints"][0].as_str().unwrap_or_default()
}

#[test]
fn a_bare_repository_is_verified_from_its_objects() {
    let origin = project();
    let sandbox = cloned(&origin, &["--bare"]);
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "HEAD"]).is_ok();
    verify(&sandbox, &["--range", "HEAD..HEAD", "--trust-root", "HEAD", "demo/notes"]).is_ok();
    let seen = verify(&sandbox, &[]);
    seen.fails("1", "git-bare");
    assert_eq!(seen.json["error"]["hints"][1], "or verify a revision: `rye verify --rev HEAD`");
    origin.edit(NOTES, "short", "evil");
    origin.commit("bad");
    let sandbox = cloned(&origin, &["--bare"]);
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "HEAD~"]).is_refused(&[("RYE-S004", NOTES)]);
}

/// A checkout may show items where a commit has none: these are unverified. A file system that folds case shows them in
/// the place of verified files.
#[test]
fn names_that_a_file_system_takes_for_those_of_items_and_trust_files_are_found() {
    let sandbox = project();
    let cases = [
        (".AI/config.toml", ".AI"),
        (".Ai/tools/demo/old.sh", ".Ai"),
        (".a\u{200c}i/config.toml", ".a\u{200c}i"),
        ("AI~1/config.toml", "AI~1"),
        (".ai/TOOLS/demo/old.sh", ".ai/TOOLS"),
        (".ai/knowl\u{200d}edge/x.md", ".ai/knowl\u{200d}edge"),
        (".ai/KNOWLE~1/x.md", ".ai/KNOWLE~1"),
        (".ai/Trust/policy.toml", ".ai/Trust"),
        (".ai/Config.toml", ".ai/Config.toml"),
        (".ai/config.toml.", ".ai/config.toml."),
    ];
    for (path, found) in cases {
        sandbox.put(path, "x\n");
        verify(&sandbox, &["--trust-root", "base"]).is_refused(&[("RYE-S021", found)]);
        sandbox.git(&["add", "-A", "-f"]);
        sandbox.git(&["commit", "-qm", path]);
        let bad = head(&sandbox);
        verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_refused(&[("RYE-S021", found)]);
        let range = ["--range", "base..HEAD", "--trust-root", "base"];
        let seen = verify(&sandbox, &range);
        seen.is_refused(&[("RYE-S021", found)]);
        assert!(seen.field(0, "message").contains("some file systems take it for `.ai"), "{:#}", seen.json);
        // Also on the way, and where a merge takes it from a side that is not part of the range.
        sandbox.git(&["rm", "-rq", path]);
        sandbox.git(&["commit", "-qm", "removed"]);
        let seen = verify(&sandbox, &range);
        seen.is_refused(&[("RYE-S021", found)]);
        assert_eq!(seen.field(0, "commit_id"), bad);
        let tree = rev(&sandbox, &format!("{bad}^{{tree}}"));
        let merge = sandbox.git(&["commit-tree", "-m", "merge", "-p", "HEAD", "-p", &bad, &tree]);
        let seen = verify(&sandbox, &["--range", &format!("HEAD..{}", merge.trim()), "--trust-root", "base"]);
        seen.is_refused(&[("RYE-S021", found)]);
        sandbox.git(&["reset", "-q", "--hard", "base"]);
    }
    for path in [".aim/config.toml", ".ai/tool/x", ".ai/trusted/x", ".ai/config.toml.orig"] {
        sandbox.put(path, "x\n");
    }
    sandbox.commit("neighbours");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
}

#[test]
fn what_a_commit_only_points_to_is_not_passed_over() {
    let sandbox = project();
    let id = head(&sandbox);
    sandbox.git(&["rm", "-rq", "--cached", ".ai/knowledge"]);
    let entry = |mode: &str, id: &str, path: &str| {
        sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{id},{path}")]);
        sandbox.git(&["commit", "-qm", path]);
        let seen = verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]);
        sandbox.git(&["rm", "-q", "--cached", "--", path]);
        seen
    };
    for path in [".ai/knowledge", ".ai/knowledge/demo", NOTES] {
        entry("160000", &id, path).is_refused(&[("RYE-S021", path)]);
    }
    sandbox.put("target", "../../../old/notes.md");
    let target = sandbox.git(&["hash-object", "-w", "target"]);
    entry("120000", target.trim(), NOTES).is_refused(&[("RYE-S021", NOTES)]);
    // As in a work tree.
    for path in [".ai/knowledge", ".ai/knowledge/demo"] {
        entry("120000", target.trim(), path).is_refused(&[("RYE-S021", path)]);
    }
    // The folder of all items.
    sandbox.git(&["rm", "-rq", "--cached", ".ai"]);
    entry("160000", &id, ".ai").is_refused(&[("RYE-M010", ".ai/trust/trust.sig"), ("RYE-S021", ".ai")]);
}

#[test]
fn a_shallow_clone_says_what_is_cut_off() {
    let origin = project();
    for text in ["one", "two", "three"] {
        origin.put("README", text);
        origin.commit(text);
    }
    let sandbox = cloned(&origin, &["--depth", "2", "--no-single-branch"]);
    let root = ["--trust-root", "HEAD"];
    verify(&sandbox, &[&root[..], &["--rev", "HEAD", "--commits=authored"]].concat()).is_refused(&[("RYE-C001", ".")]);
    verify(&sandbox, &[&root[..], &["--range", "HEAD~..HEAD"]].concat()).is_ok();
    for args in [["--range", "HEAD~2..HEAD"], ["--rev", "HEAD~2"], ["--trust-root", "HEAD~2"]] {
        let seen = verify(&sandbox, &args);
        seen.fails("1", "git-shallow");
        assert_eq!(hint(&seen), "run `git fetch --unshallow`", "{args:?}");
    }
    // As pasted.
    sandbox.git(&["fetch", "-q", "--unshallow"]);
    verify(&sandbox, &["--range", "HEAD~2..HEAD", "--trust-root", "HEAD~2"]).is_ok();
}

#[test]
fn a_partial_clone_says_what_is_missing() {
    let origin = project();
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    let sandbox = cloned(&origin, &["--filter=blob:none", "--no-checkout"]);
    sandbox.put("nobody", "");
    let seen = verify(&sandbox, &["--rev", "HEAD", "--allowed-signers", "nobody"]);
    seen.fails("1", "git-partial");
    assert_eq!(hint(&seen), "run `git fetch --refetch --no-filter origin`");
    let seen = verify(&sandbox, &["--rev", "HEAD", "--trust-root", "HEAD"]);
    seen.fails("1", "git-partial");
}

/// Who can write refs shows another history than the one that is signed.
#[test]
fn a_history_that_is_answered_for_by_another_is_refused() {
    let sandbox = project();
    sandbox.put("README", "text\n");
    sandbox.commit("text");
    let ways: [&[&str]; 4] = [
        &["--rev", "HEAD", "--allowed-signers", ".ai/trust/allowed_signers"],
        &["--range", "base..HEAD", "--allowed-signers", ".ai/trust/allowed_signers"],
        &["--trust-root", "base"],
        &["--rev", "HEAD", "--trust-root", "base", "--commits"],
    ];
    sandbox.git(&["replace", "HEAD", "base"]);
    for args in ways {
        let seen = verify(&sandbox, args);
        seen.fails("1", "git-replace-refs");
        assert!(hint(&seen).contains("git replace -d"), "{args:?}");
    }
    sandbox.git(&["replace", "-d", &head(&sandbox)]);
    let grafts = sandbox.project().join(".git/info/grafts");
    fs::create_dir_all(grafts.parent().unwrap()).unwrap();
    fs::write(&grafts, format!("{}\n", head(&sandbox))).unwrap();
    for args in ways {
        let seen = verify(&sandbox, args);
        seen.fails("1", "git-grafts");
        let command = "look at the file, then remove it: `rm [SANDBOX]/project/.git/info/grafts`";
        assert_eq!(hint(&seen), command, "{args:?}");
    }
    fs::remove_file(grafts).unwrap();
    verify(&sandbox, ways[0]).is_ok();
}

#[test]
fn object_and_ref_formats_make_no_difference_or_are_told() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, ADA));
    sandbox.put(".ai/trust/allowed_signers", &signers());
    sandbox.put(".ai/trust/policy.toml", "format = 1\n[[require]]\nitems = \"*\"\nsigners = 2\n");
    seal(&sandbox, 1, TIME, &[ADA]);
    commit_by(&sandbox, ADA, "first");
    sandbox.git(&["branch", "base"]);
    commit_by(&sandbox, BOB, "second");
    let args = ["--range", "base..HEAD", "--commits", "--trust-root", "base"];
    verify(&sandbox, &args).is_refused(&[("RYE-S012", NOTES)]);
    countersign(&sandbox, NOTES, BOB);
    let seen = verify(&sandbox, &args);
    seen.is_ok();
    assert_eq!(seen.json["commits_checked"], 1);

    // Stock git may not know the other format of refs yet.
    let sandbox = project();
    let migrate = Command::new("git")
        .args(["refs", "migrate", "--ref-format=reftable"])
        .env_clear()
        .envs(sandbox.variables())
        .current_dir(sandbox.project())
        .output()
        .unwrap();
    if migrate.status.success() {
        let seen = verify(&sandbox, &["--trust-root", "base"]);
        seen.fails("1", "git-reftable");
        let hint = hint(&seen);
        let command = hint.split('`').nth(1).unwrap().to_owned();
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[..3], ["git", "clone", "--ref-format=files"], "{hint}");
        let cloned = words[words.len() - 1];
        sandbox.git(&words[1..]);
        assert!(
            sandbox.git(&["-C", cloned, "config", "--default", "files", "extensions.refStorage"]).contains("files")
        );
        assert_eq!(sandbox.git(&["-C", cloned, "rev-parse", "HEAD"]), sandbox.git(&["rev-parse", "HEAD"]));
    }
}
