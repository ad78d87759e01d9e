//! Commits that the key of a forge signed: they count for their trees, as merges of what people signed.

use super::commits::{COMMIT, forge, put_together, taken_apart};
use super::*;

const FORGE: u8 = 9;
const FILES: [&str; 3] = ["one", "two", "three"];

/// A project whose files know the forge.
fn team(policy: &str) -> Sandbox {
    let signers = signers() + &signer(FORGE, "noreply@forge.example", &["git-forge"]);
    let sandbox = project_with(&[("allowed_signers", &signers), ("policy.toml", policy)]);
    for file in FILES {
        sandbox.put(file, "text\n");
    }
    commit_by(&sandbox, ADA, "files");
    sandbox.git(&["branch", "-f", "base"]);
    sandbox
}

const PLAIN: &str = "format = 1\n";

/// Begins a branch with a commit of Bob's.
fn branch(sandbox: &Sandbox) {
    sandbox.git(&["checkout", "-q", "-b", "topic", "base"]);
    for (text, file) in [("bob's\n", "one"), ("more\n", "two")] {
        sandbox.put(file, text);
        commit_by(sandbox, BOB, &format!("change {file}"));
    }
    sandbox.git(&["checkout", "-q", "main"]);
}

/// Commits what is staged as the forge does.
fn by_forge(sandbox: &Sandbox, message: &str) {
    by_forge_for(sandbox, message, "Bob <bob@example.org>");
}

fn by_forge_for(sandbox: &Sandbox, message: &str, author: &str) {
    let (signing, author) = (signing(sandbox, FORGE), format!("--author={author}"));
    let mut args: Vec<&str> = signing.iter().map(String::as_str).collect();
    args.extend(["commit", "-q", "-S", "--allow-empty", &author, "-m", message]);
    sandbox.git(&args);
}

fn squash(sandbox: &Sandbox) {
    sandbox.git(&["merge", "-q", "--squash", "topic"]);
    by_forge(sandbox, "change one and two (#1)");
}

fn judged(sandbox: &Sandbox, more: &[&str]) -> Seen {
    verify(sandbox, &[&["--range", "base..main", "--commits", "--trust-root", "base"], more].concat())
}

#[test]
fn a_squash_or_merge_of_verified_commits_counts() {
    let sandbox = team(PLAIN);
    branch(&sandbox);
    squash(&sandbox);
    judged(&sandbox, &[]).is_ok();
    // Any ref will do, or the name of what was merged; without the commits nothing vouches for the tree.
    let topic = rev(&sandbox, "topic");
    sandbox.git(&["update-ref", "refs/pull/1/head", &topic]);
    sandbox.git(&["branch", "-q", "-D", "topic"]);
    judged(&sandbox, &[]).is_ok();
    sandbox.git(&["update-ref", "-d", "refs/pull/1/head"]);
    judged(&sandbox, &[]).is_refused(&[("RYE-C009", COMMIT)]);
    judged(&sandbox, &["--merged", &topic]).is_ok();
    let seen = judged(&sandbox, &[]);
    assert!(!seen.field(0, "hint").contains("rebase") && seen.field(0, "hint").contains("--merged"), "{:#}", seen.json);

    // A second one upon the first, and a merge, while main moved on in another file.
    sandbox.git(&["branch", "topic", &topic]);
    sandbox.put("three", "ada's\n");
    commit_by(&sandbox, ADA, "change three");
    sandbox.git(&["checkout", "-q", "-b", "other", "base"]);
    sandbox.put("four", "bob's\n");
    commit_by(&sandbox, BOB, "add four");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--squash", "other"]);
    by_forge(&sandbox, "add four (#2)");
    judged(&sandbox, &[]).is_ok();
    sandbox.git(&["checkout", "-q", "-b", "third", "base"]);
    sandbox.put("five", "bob's\n");
    commit_by(&sandbox, BOB, "add five");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--no-ff", "--no-commit", "third"]);
    by_forge(&sandbox, "Merge pull request #3");
    judged(&sandbox, &[]).is_ok();
}

#[test]
fn a_forge_s_key_alone_never_makes_a_commit_good() {
    let sandbox = team(PLAIN);
    let refused = |what: &str| {
        let seen = judged(&sandbox, &[]);
        let last = seen.findings().last().map(|(_, rule, _)| (*rule).to_owned());
        assert_eq!((seen.code.as_str(), last.as_deref()), ("3", Some("RYE-C009")), "{what} {:#}", seen.json);
        sandbox.git(&["reset", "-q", "--hard", "base"]);
    };
    branch(&sandbox);
    // Whatever it says, the tree is another one.
    sandbox.put("one", "evil\n");
    sandbox.git(&["add", "-A"]);
    by_forge(&sandbox, "change one and two (#1)");
    refused("an edit on the web page");
    sandbox.git(&["merge", "-q", "--squash", "topic"]);
    sandbox.put("one", "evil\n");
    sandbox.git(&["add", "-A"]);
    by_forge(&sandbox, "change one and two (#1)");
    refused("a squash and an edit");
    sandbox.git(&["merge", "-q", "--no-ff", "--no-commit", "topic"]);
    sandbox.put("evil", "evil\n");
    sandbox.git(&["add", "-A"]);
    by_forge(&sandbox, "Merge pull request #1");
    refused("an evil merge");
    by_forge(&sandbox, "nothing");
    refused("an empty commit");
    // The branch has a commit that nobody signed.
    sandbox.git(&["checkout", "-q", "topic"]);
    sandbox.put("two", "unsigned\n");
    sandbox.commit("unsigned");
    sandbox.git(&["checkout", "-q", "main"]);
    squash(&sandbox);
    refused("a squash of a commit that is not signed");
    // And one that only the forge signed.
    sandbox.git(&["checkout", "-q", "-B", "topic", "base"]);
    sandbox.put("two", "on the page\n");
    sandbox.git(&["add", "-A"]);
    by_forge(&sandbox, "edit two");
    sandbox.git(&["checkout", "-q", "main"]);
    squash(&sandbox);
    refused("a squash of a commit of the forge");
    // The parent is not verified.
    sandbox.git(&["checkout", "-q", "-B", "topic", "base"]);
    sandbox.put("two", "bob's\n");
    commit_by(&sandbox, BOB, "two");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("three", "unsigned\n");
    sandbox.commit("unsigned");
    squash(&sandbox);
    refused("a squash onto a commit that is not signed");
    // A signature of another commit stays a damaged one.
    squash(&sandbox);
    forge(&sandbox, |commit| {
        let (signature, rest) = taken_apart(&commit);
        put_together(&signature, &rest.replace("(#1)", "(#2)"))
    });
    judged(&sandbox, &[]).is_refused(&[("RYE-C003", COMMIT)]);
}

#[test]
fn a_trust_root_that_contains_a_forge_s_commit_vouches_for_nothing_it_merges() {
    let sandbox = team(PLAIN);
    sandbox.git(&["checkout", "-q", "-b", "topic", "base"]);
    sandbox.put("one", "evil\n");
    sandbox.commit("evil");
    sandbox.put("two", "bob's\n");
    commit_by(&sandbox, BOB, "upon evil");
    for how in [&["--squash"][..], &["--no-ff", "--no-commit"]] {
        sandbox.git(&["checkout", "-q", "-B", "main", "base"]);
        sandbox.git(&[&["merge", "-q"], how, &["topic"]].concat());
        by_forge(&sandbox, "Merge pull request #1");
        sandbox.git(&["branch", "-f", "merged"]);
        sandbox.put("three", "ada's\n");
        commit_by(&sandbox, ADA, "change three");
        // The root is the commit itself, one after it, or the tip of a scheduled run.
        for (rev, root) in [("merged", "merged"), ("merged", "main"), ("merged", "base")] {
            let args = ["--no-cache", "--commits", "--rev", rev, "--trust-root", root, "--allow-empty"];
            verify(&sandbox, &args).is_refused(&[("RYE-C009", COMMIT)]);
        }
        let seen = verify(&sandbox, &["--range", "base..main", "--commits", "--trust-root", "main"]);
        assert!(seen.findings().iter().any(|(_, rule, _)| *rule == "RYE-C009"), "{how:?} {:#}", seen.json);
    }
    // What people signed counts whatever the root is.
    sandbox.git(&["branch", "-q", "-D", "topic"]);
    sandbox.git(&["checkout", "-q", "-B", "main", "base"]);
    branch(&sandbox);
    squash(&sandbox);
    for root in ["main", "base"] {
        verify(&sandbox, &["--rev", "main", "--commits", "--trust-root", root]).is_ok();
    }
}

/// Writes an unsigned commit on `base` whose tree has these bytes, as any fetched ref. It is tried before `topic`: the time of both
/// is the same, and its id the lesser one.
fn hostile(sandbox: &Sandbox, name: &str, tree: &[u8]) {
    let file = sandbox.path("tmp/tree");
    fs::write(&file, tree).unwrap();
    let file = file.display().to_string();
    let tree = sandbox.git(&["hash-object", "-t", "tree", "-w", "--literally", &file]);
    let made =
        |number: u32| sandbox.git(&["commit-tree", "-m", &format!("hostile {number}"), "-p", "base", tree.trim()]);
    let topic = rev(sandbox, "topic");
    let commit = (0..).map(made).find(|commit| commit.trim() < topic.as_str()).unwrap();
    sandbox.git(&["update-ref", &format!("refs/pull/{name}/head"), commit.trim()]);
}

/// An entry of a tree.
fn entry(sandbox: &Sandbox, name: &str) -> Vec<u8> {
    let blob = sandbox.git(&["hash-object", "-w", "one"]);
    let id = (0..20).map(|at| u8::from_str_radix(&blob[2 * at..2 * at + 2], 16).unwrap());
    format!("100644 {name}\0").into_bytes().into_iter().chain(id).collect()
}

#[test]
fn a_branch_that_cannot_be_judged_vouches_for_nothing_and_stops_nothing() {
    let sandbox = team(PLAIN);
    branch(&sandbox);
    squash(&sandbox);
    judged(&sandbox, &[]).is_ok();
    let many = entry(&sandbox, "NUMBER");
    let at = many.windows(6).position(|bytes| bytes == b"NUMBER").unwrap();
    let numbered = |number: usize| {
        let mut entry = many.clone();
        entry[at..at + 6].copy_from_slice(format!("{number:06}").as_bytes());
        entry
    };
    let trees: [(&str, Vec<u8>); 5] = [
        ("long", entry(&sandbox, &"x".repeat(5_000))),
        ("short", entry(&sandbox, "git~1")),
        ("damaged", b"100644 one".to_vec()),
        ("missing", [&b"40000 folder\0"[..], &[7; 20]].concat()),
        ("many", (0..400_001).flat_map(numbered).collect()),
    ];
    for (name, tree) in &trees {
        hostile(&sandbox, name, tree);
        judged(&sandbox, &[]).is_ok();
    }
    // Without the branch it squashed, the commit is refused by its rule.
    sandbox.git(&["branch", "-q", "-D", "topic"]);
    judged(&sandbox, &[]).is_refused(&[("RYE-C009", COMMIT)]);
}

/// Rebases `topic` onto main as the forge does: each commit anew, by its key, with the author of the old one.
fn rebase_by_forge(sandbox: &Sandbox, from: &str) {
    let signing = signing(sandbox, FORGE);
    let mut args: Vec<&str> = signing.iter().map(String::as_str).collect();
    args.extend(["rebase", "-q", "--force-rebase", "--gpg-sign", "--onto", "main", from, "topic~0"]);
    sandbox.git(&args);
    sandbox.git(&["checkout", "-q", "-B", "main"]);
}

/// Numbers, one a line, one of them replaced.
fn lines(replaced: usize, by: &str) -> String {
    (1..=9).map(|line| if line == replaced { format!("{by}\n") } else { format!("{line}\n") }).collect()
}

/// A team with a branch that changes the beginning of a file, whose end changed on main.
fn both_sides() -> Sandbox {
    let sandbox = team(PLAIN);
    sandbox.put("lines", &lines(0, ""));
    commit_by(&sandbox, ADA, "lines");
    sandbox.git(&["branch", "-f", "base"]);
    branch(&sandbox);
    sandbox.git(&["checkout", "-q", "topic"]);
    sandbox.put("lines", &lines(1, "bob's"));
    commit_by(&sandbox, BOB, "the first line");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("lines", &lines(9, "ada's"));
    commit_by(&sandbox, ADA, "the last line");
    sandbox
}

#[test]
fn a_rebase_of_verified_commits_counts() {
    let sandbox = team(PLAIN);
    branch(&sandbox);
    sandbox.put("three", "ada's\n");
    commit_by(&sandbox, ADA, "change three");
    rebase_by_forge(&sandbox, "base");
    judged(&sandbox, &[]).is_ok();
    // The last of them alone, as a pipeline sees it that is told of a push.
    let single = ["--rev", "main", "--commits", "--trust-root", "base"];
    verify(&sandbox, &single).is_ok();
    let topic = rev(&sandbox, "topic");
    sandbox.git(&["branch", "-q", "-D", "topic"]);
    judged(&sandbox, &[]).is_refused(&[("RYE-C009", COMMIT), ("RYE-C009", COMMIT)]);
    judged(&sandbox, &["--merged", &topic]).is_ok();

    // Both sides changed a file, and main has the first change of the branch already, so it is left out.
    let sandbox = both_sides();
    sandbox.put("one", "bob's\n");
    commit_by(&sandbox, ADA, "the same as bob");
    rebase_by_forge(&sandbox, "base");
    assert_eq!(sandbox.git(&["rev-list", "--count", "base..main"]).trim(), "4");
    judged(&sandbox, &[]).is_ok();
}

#[test]
fn a_rebase_that_leaves_out_or_adds_something_is_refused() {
    let refused = |what: &str, sandbox: &Sandbox| {
        let seen = judged(sandbox, &[]);
        let last = seen.findings().last().map(|(_, rule, _)| (*rule).to_owned());
        assert_eq!((seen.code.as_str(), last.as_deref()), ("3", Some("RYE-C009")), "{what} {:#}", seen.json);
    };
    let rebased = || {
        let sandbox = both_sides();
        rebase_by_forge(&sandbox, "topic~2");
        sandbox
    };
    refused("the second and third without the first", &rebased());
    let sandbox = both_sides();
    rebase_by_forge(&sandbox, "base");
    judged(&sandbox, &[]).is_ok();
    let amend = |file: &str| {
        sandbox.put(file, "evil\n");
        sandbox.git(&["add", "-A"]);
        let signing = signing(&sandbox, FORGE);
        let mut args: Vec<&str> = signing.iter().map(String::as_str).collect();
        args.extend(["commit", "-q", "-S", "--amend", "--no-edit"]);
        sandbox.git(&args);
    };
    let good = rev(&sandbox, "main");
    for file in ["lines", "evil"] {
        amend(file);
        refused("a change in addition", &sandbox);
        sandbox.git(&["reset", "-q", "--hard", &good]);
    }
    // One of the branch is not signed.
    let sandbox = both_sides();
    sandbox.git(&["checkout", "-q", "topic"]);
    sandbox.put("two", "unsigned\n");
    sandbox.commit("unsigned");
    sandbox.put("two", "bob's\n");
    commit_by(&sandbox, BOB, "again");
    rebase_by_forge(&sandbox, "base");
    refused("a commit that is not signed", &sandbox);
}

#[test]
fn a_file_that_both_sides_changed_is_merged_as_git_merges_it() {
    for how in [&["--squash"][..], &["--no-ff", "--no-commit"]] {
        let sandbox = both_sides();
        sandbox.git(&[&["merge", "-q"], how, &["topic"]].concat());
        by_forge(&sandbox, "Merge pull request #1");
        judged(&sandbox, &[]).is_ok();
        // Another line, or one of the sides alone, is no merge.
        for text in [lines(5, "evil"), lines(1, "bob's"), lines(9, "ada's")] {
            let sandbox = both_sides();
            sandbox.git(&[&["merge", "-q"], how, &["topic"]].concat());
            sandbox.put("lines", &text);
            sandbox.git(&["add", "-A"]);
            by_forge(&sandbox, "Merge pull request #1");
            judged(&sandbox, &[]).is_refused(&[("RYE-C009", COMMIT)]);
        }
    }
    // What git leaves to a person is nothing that the forge can decide.
    let sandbox = both_sides();
    sandbox.put("lines", &lines(1, "ada's"));
    commit_by(&sandbox, ADA, "the same line");
    for side in ["--ours", "--theirs"] {
        sandbox.git(&["checkout", "-q", "-B", "tried", "main"]);
        sandbox.git(&["read-tree", "-m", "-u", "--aggressive", "base", "main", "topic"]);
        sandbox.git(&["checkout", "-q", side, "--", "lines"]);
        sandbox.git(&["add", "-A"]);
        by_forge(&sandbox, "Merge pull request #1");
        verify(&sandbox, &["--range", "base..tried", "--commits", "--trust-root", "base"])
            .is_refused(&[("RYE-C009", COMMIT)]);
    }
}

#[test]
fn a_branch_that_the_forge_updated_counts() {
    let sandbox = both_sides();
    // The button brings main into the branch.
    sandbox.git(&["checkout", "-q", "topic"]);
    sandbox.git(&["merge", "-q", "--no-ff", "--no-commit", "main"]);
    by_forge(&sandbox, "Merge branch 'main' into topic");
    sandbox.git(&["checkout", "-q", "main"]);
    squash(&sandbox);
    judged(&sandbox, &[]).is_ok();
    // A second branch, based on the first before it was squashed.
    sandbox.git(&["checkout", "-q", "-b", "second", "topic"]);
    sandbox.put("four", "bob's\n");
    commit_by(&sandbox, BOB, "add four");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--no-ff", "--no-commit", "second"]);
    by_forge(&sandbox, "Merge pull request #2");
    judged(&sandbox, &[]).is_ok();
    // An update that brings more than main is none.
    sandbox.git(&["checkout", "-q", "-B", "third", "base"]);
    sandbox.put("five", "bob's\n");
    commit_by(&sandbox, BOB, "add five");
    sandbox.git(&["merge", "-q", "--no-ff", "--no-commit", "main"]);
    sandbox.put("evil", "evil\n");
    sandbox.git(&["add", "-A"]);
    by_forge(&sandbox, "Merge branch 'main' into third");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--squash", "third"]);
    by_forge(&sandbox, "add five (#3)");
    judged(&sandbox, &[]).is_refused(&[("RYE-C009", COMMIT)]);
}

/// The tree proves the changes, and the author's name is proved by the signatures of the squashed commits alone.
#[test]
fn an_author_who_signed_nothing_of_a_squash_or_rebase_is_told() {
    let sandbox = team(PLAIN);
    branch(&sandbox);
    sandbox.git(&["merge", "-q", "--squash", "topic"]);
    by_forge_for(&sandbox, "change one and two (#1)", "Eve <eve@example.org>");
    let seen = judged(&sandbox, &[]);
    seen.is_ok();
    assert_eq!(seen.findings(), [("warning", "RYE-C007", COMMIT)]);
    assert!(seen.field(0, "message").contains("eve@example.org"), "{:#}", seen.json);
    let told = sandbox.rye(&["verify", "--range", "base..main", "--commits", "--trust-root", "base"]).transcript();
    assert!(told.contains("1 commit of another author"), "{told}");
    // A merge has no changes of its own: whoever pressed the button is not compared.
    sandbox.git(&["reset", "-q", "--hard", "base"]);
    sandbox.git(&["merge", "-q", "--no-ff", "--no-commit", "topic"]);
    by_forge_for(&sandbox, "merge (#1)", "Eve <eve@example.org>");
    let seen = judged(&sandbox, &[]);
    seen.is_ok();
    assert_eq!(seen.findings(), []);
}

/// Where there are more branches than are tried, the finding says so, and naming the branch helps.
#[test]
fn a_branch_beyond_the_bound_is_not_called_a_change_of_the_forge() {
    use std::fmt::Write as _;
    let sandbox = team(PLAIN);
    branch(&sandbox);
    // The branch ends long before it is merged.
    sandbox.git(&["checkout", "-q", "topic"]);
    let mut git = std::process::Command::new("git");
    git.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
    git.env("GIT_COMMITTER_DATE", "2026-03-01T00:00:00Z").args(signing(&sandbox, BOB));
    assert!(git.args(["commit", "-q", "-S", "--amend", "--no-edit"]).status().unwrap().success());
    sandbox.git(&["checkout", "-q", "main"]);
    squash(&sandbox);
    let at = sandbox.git(&["log", "-1", "--format=%ct", "main"]).trim().parse::<u64>().unwrap();
    let mut import = String::new();
    for number in 0..2_050 {
        let message = format!("flood {number}");
        let _ = write!(
            import,
            "commit refs/heads/flood/{number}\ncommitter Eve <eve@example.org> {at} +0000\ndata {}\n{message}\n\n",
            message.len()
        );
    }
    fs::write(sandbox.path("tmp/import"), import).unwrap();
    let import = format!("git fast-import --quiet <{}", sandbox.path("tmp/import").display());
    let mut shell = std::process::Command::new("sh");
    shell.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
    assert!(shell.args(["-c", &import]).status().unwrap().success());
    let seen = judged(&sandbox, &[]);
    seen.is_refused(&[("RYE-C009", COMMIT)]);
    assert!(seen.field(0, "because").contains("not checked against all"), "{:#}", seen.json);
    judged(&sandbox, &["--merged", "topic"]).is_ok();
}

/// What the policy lets pass is not a commit of another author.
#[test]
fn what_a_policy_lets_pass_is_counted_apart() {
    let sandbox = team("format = 1\nforge = \"attests\"\n");
    sandbox.put("one", "edited on the page\n");
    sandbox.git(&["add", "-A"]);
    by_forge(&sandbox, "edit one");
    let told = sandbox.rye(&["verify", "--range", "base..main", "--commits", "--trust-root", "base"]).transcript();
    assert!(told.contains("1 commit passed by the policy") && !told.contains("another author"), "{told}");
}

#[test]
fn a_policy_lets_a_forge_attest_with_a_warning() {
    let sandbox = team("format = 1\nforge = \"attests\"\n");
    sandbox.put("one", "edited on the page\n");
    sandbox.git(&["add", "-A"]);
    by_forge(&sandbox, "edit one");
    let seen = judged(&sandbox, &[]);
    seen.is_ok();
    assert_eq!(seen.findings(), [("warning", "RYE-C009", COMMIT)]);
    assert!(seen.field(0, "message").contains("signs for every account"), "{:#}", seen.json);
    assert!(seen.field(0, "hint").contains("and not whose"), "{:#}", seen.json);
    // Nothing else passes by it.
    sandbox.put("one", "unsigned\n");
    sandbox.commit("unsigned");
    judged(&sandbox, &[]).is_refused(&[("RYE-C009", COMMIT), ("RYE-C001", COMMIT)]);
}

#[test]
fn a_policy_lets_x509_pass_with_a_warning() {
    const X509: &str = include_str!("../support/signatures/x509.pem");
    for (policy, severity) in [(PLAIN, "error"), ("format = 1\nx509 = \"unjudged\"\n", "warning")] {
        let sandbox = team(policy);
        commit_by(&sandbox, ADA, "ada's");
        forge(&sandbox, |commit| put_together(X509, &taken_apart(&commit).1));
        let seen = judged(&sandbox, &[]);
        assert_eq!(seen.findings(), [(severity, "RYE-C008", COMMIT)]);
        assert_eq!(seen.code, if severity == "error" { "3" } else { "0" });
        let is_told = seen.field(0, "hint").ends_with(": the signature proves nothing here, because it is not judged");
        assert_eq!(is_told, severity == "warning", "{:#}", seen.json);
    }
}
