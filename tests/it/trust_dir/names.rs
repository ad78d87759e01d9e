//! The names of keys' holders: the comment of an exported key, and the question for a key without one.

use std::fs;

use super::{hand_over, run, somebody};
use crate::support::Sandbox;

const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHUqwd0T/WgoVUGdfMuWFFF6XsfaJNAmT9eGfYafPxbS";
const OTHER: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH/kcrYn7BIHTIodX2TPli0bv15roDHQ6d5q6ug93JH4";

fn exported(sandbox: &Sandbox, args: &[&str]) -> String {
    String::from_utf8(sandbox.rye(&[&["key", "export"], args].concat()).stdout()).unwrap()
}

#[test]
fn an_exported_key_names_its_holder() {
    let sandbox = somebody("ada");
    assert!(exported(&sandbox, &[]).ends_with(" Ada <ada@example.org>\n"));
    assert!(exported(&sandbox, &["--comment", "Eve <eve@example.org>"]).ends_with(" Eve <eve@example.org>\n"));
    assert!(exported(&sandbox, &["--as", "allowed-signers"]).starts_with("ada@example.org "));
    let line = exported(&sandbox, &["agent"]);
    assert!(line.starts_with("rye-agent:ada@example.org namespaces=\"git-turns\" ssh-ed25519 "), "no person holds it");
    assert_eq!(exported(&sandbox, &["agent", "--as", "allowed-signers"]), line);
    let unknown = sandbox.rye(&["key", "export", "agent"]).env("GIT_AUTHOR_EMAIL", "").env("GIT_COMMITTER_EMAIL", "");
    let seen = unknown.transcript();
    assert!(seen.contains("hint: name the holder with `--principal") && seen.ends_with("[exit 2]\n"), "{seen}");
    let (code, seen) = run(&sandbox, &["key", "export", "--comment", "two\nlines"]);
    assert!(code == "2" && seen.contains("error: a comment must be one line of text"), "{seen}");
    let unknown = sandbox.rye(&["key", "export"]).env("GIT_AUTHOR_EMAIL", "").env("GIT_COMMITTER_EMAIL", "");
    let seen = unknown.transcript();
    let note =
        "note: the line does not name you: set git's `user.email`, or pass `--comment 'Ada <ada@example.org>'`\n";
    assert!(seen.contains(" rye person key\n") && seen.contains(note), "{seen}");
    // Git's configuration is asked outside of a repository, too.
    fs::write(sandbox.path("gitconfig"), "[user]\nname = Eve\nemail = eve@example.org\n").unwrap();
    let config = sandbox.path("gitconfig").display().to_string();
    let mut run = sandbox.rye(&["key", "export"]).env("GIT_CONFIG_GLOBAL", &config).into_command();
    for variable in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        run.env_remove(variable);
    }
    assert!(String::from_utf8(run.output().unwrap().stdout).unwrap().ends_with(" Eve <eve@example.org>\n"));
}

#[test]
fn an_imported_key_keeps_what_it_says_of_its_holder() {
    let (sandbox, author) = (Sandbox::empty(), somebody("author"));
    let key = super::private_key(&author, "person");
    let path = sandbox.path("id_ed25519");
    fs::write(&path, key.to_openssh("ada@laptop")).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    sandbox.rye(&["key", "import", "../id_ed25519", "-q"]).succeeds();
    assert_eq!(exported(&sandbox, &[]), format!("{} ada@laptop\n", key.public().to_openssh()));
}

#[test]
fn a_key_without_a_name_asks_for_one() {
    let sandbox = Sandbox::signed();
    for (comment, place) in [("", "."), (" rye person key", "."), (" *@*", "--project")] {
        sandbox.put("bob.pub", &format!("{KEY}{comment}\n"));
        let args = ["trust", "add", "bob.pub", "--project"];
        let (code, seen) = run(&sandbox, &args[..if place == "." { 3 } else { 4 }]);
        assert!(code == "2" && seen.contains("error: `bob.pub` does not say whose key 8f2b6e36ca89ee43 is"), "{seen}");
        assert!(seen.contains("run `rye trust add bob.pub --principal ada@example.org`"), "{seen}");
    }
    // A key that is trusted for everything on this machine would still have no name in the file.
    let again = "ask them for it again, with their name: `rye key export --comment eve@example.org`\n";
    for (flag, hint) in
        [("--root", ""), ("--author", "run `rye trust add bob.pub --principal eve@example.org --project`")]
    {
        let (code, seen) = run(&sandbox, &["trust", "propose", flag, "bob.pub", "--yes"]);
        assert!(code == "2" && seen.contains("does not say whose key") && seen.contains(hint), "{seen}");
        assert!(seen.contains(again) && !seen.contains("ada@example.org"), "{seen}");
    }
    let (code, seen) = run(&sandbox, &["trust", "propose", "--author", "nope.pub"]);
    assert!(
        code == "2" && seen.contains("hint: name a file with a public key") && !seen.contains("trust add"),
        "{seen}"
    );
    // What the hint says works.
    let seen = run(&sandbox, &["trust", "propose", "--author", "bob.pub"]).1;
    assert!(seen.contains("hint: run `rye trust propose` without it first"), "{seen}");
    sandbox.rye(&["trust", "propose", "-q"]).succeeds();
    let seen = run(&sandbox, &["trust", "propose", "--author", "bob.pub"]).1;
    assert!(seen.contains("hint: ask whose key it is, then run `rye trust add bob.pub"), "{seen}");
    let add = ["trust", "add", "bob.pub", "--principal", "eve@example.org", "--project", "-q"];
    sandbox.rye(&add).succeeds();
    sandbox.rye(&["trust", "propose", "--commit", "--yes", "-q"]).succeeds();
    assert!(sandbox.git(&["show", "HEAD:.ai/trust/allowed_signers"]).contains("eve@example.org"));
    sandbox.rye(&["trust", "add", "bob.pub", "--principal", "bob@example.org", "-q"]).succeeds();
}

#[test]
fn an_author_whose_line_names_the_use_of_a_root_is_refused() {
    for uses in ["rye-trust,rye,git", "rye-trust", "rye*", "*"] {
        let sandbox = Sandbox::signed();
        sandbox.put("bob.pub", &format!("bob@example.org namespaces=\"{uses}\" {KEY}\n"));
        let (code, seen) = run(&sandbox, &["trust", "propose", "--author", "bob.pub", "--yes"]);
        assert!(code == "2" && seen.contains("8f2b6e36ca89ee43 as an author") && seen.contains("`--root`"), "{seen}");
        assert!(!sandbox.project().join(".ai/trust/allowed_signers").exists());
        let (code, seen) = run(&sandbox, &["trust", "add", "--project", "bob.pub"]);
        assert!(code == "2" && seen.contains("8f2b6e36ca89ee43 as an author") && seen.contains("`--root`"), "{seen}");
        assert!(!sandbox.project().join(".ai/trust/allowed_signers").exists());
        sandbox.rye(&["trust", "propose", "--root", "bob.pub", "--yes", "-q"]).succeeds();
    }
    // One that names other uses, or none, is an author.
    for uses in ["namespaces=\"rye,git\" ", ""] {
        let sandbox = Sandbox::signed();
        sandbox.put("bob.pub", &format!("bob@example.org {uses}{KEY}\n"));
        sandbox.rye(&["trust", "propose", "--author", "bob.pub", "--yes", "-q"]).succeeds();
    }
}

#[test]
fn a_known_key_is_renamed_and_a_shared_name_is_told() {
    let sandbox = Sandbox::signed();
    sandbox.put("bob.pub", &format!("{KEY} bob@example.org\n"));
    for place in [&[][..], &["--project"]] {
        let add = |args: &[&str]| run(&sandbox, &[&["trust", "add", "bob.pub"], place, args].concat());
        assert_eq!(add(&[]).0, "0");
        // Without a name that is given, the one that was decided stays.
        sandbox.put("bob.pub", &format!("{KEY} mallory@example.org\n"));
        let (_, seen) = add(&[]);
        assert!(seen.contains("already") && !seen.contains("renamed"), "{seen}");
        let (_, seen) = add(&["--principal", "robert@example.org"]);
        let told = "renamed 8f2b6e36ca89ee43 SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY: bob@example.org is robert@example.org now";
        assert!(seen.contains(told) && seen.contains("written to"), "{seen}");
        let (_, seen) = add(&["--principal", "robert@example.org"]);
        assert!(seen.contains("already"), "{seen}");
        sandbox.put("bob.pub", &format!("{KEY} bob@example.org\n"));
    }
    let third = somebody("third");
    hand_over(&third, &sandbox, "third.pub");
    let (_, seen) = run(&sandbox, &["trust", "add", "third.pub", "--principal", "robert@example.org"]);
    assert!(seen.contains("warning: `robert@example.org` has 2 keys ("), "{seen}");
    assert!(seen.contains("8f2b6e36ca89ee43); for a policy they are one person"), "{seen}");
    let decisions = fs::read_to_string(sandbox.path("config/rye/trust/allowed_signers")).unwrap();
    assert_eq!(decisions.matches("robert@example.org ").count(), 2, "{decisions}");
    assert!(!decisions.contains(OTHER));
}
