//! Hints that fit their case: what they say to do can be done, by the command that says it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::support::users::User;
use crate::support::{Sandbox, has, ssh_keygen};

#[test]
fn a_file_that_is_no_private_key_is_not_imported_and_says_why() {
    let sandbox = Sandbox::empty();
    sandbox.put("words", "root:x:0:0\n");
    let seen = sandbox.rye(&["key", "import", "words"]).transcript();
    let told = "error: cannot import `[SANDBOX]/project/words`\ncause: this is not a key in the format of OpenSSH or PKCS#8\n\
                hint: name the file of a private key: `rye key import ~/.ssh/id_ed25519`\n[exit 1]\n";
    assert!(seen.ends_with(told), "{seen}");
    if !has("ssh-keygen") {
        return;
    }
    for (name, algorithm) in [("ecdsa", "ecdsa"), ("rsa", "ssh-rsa")] {
        ssh_keygen(&sandbox.project(), &["-q", "-t", name, "-N", "", "-f", name]);
        let public = format!("{name}.pub");
        fs::set_permissions(sandbox.project().join(&public), fs::Permissions::from_mode(0o644)).unwrap();
        // A public key is trusted, and the private one says what can be done with it.
        let cause = format!("cause: the key is of type `{algorithm}`; only ssh-ed25519 keys can be used\n");
        let seen = sandbox.rye(&["key", "import", name]).transcript();
        let hint = format!("run `rye trust add [SANDBOX]/project/{public}` with the public half\n[exit 1]\n");
        assert!(seen.contains(&cause) && seen.ends_with(&hint), "{seen}");
        fs::write(sandbox.project().join(&public), named(&sandbox.project().join(&public), name)).unwrap();
        let seen = sandbox.rye(&["key", "import", &public]).transcript();
        let told = "note: commits that git signs with this key count from now on, as after `rye trust add`";
        assert!(seen.contains(told) && !seen.contains("chmod") && seen.ends_with("[exit 0]\n"), "{seen}");
        let listed = sandbox.rye(&["trust", "list"]).transcript();
        assert!(listed.contains(&format!("{name}@example.org")), "{listed}");
    }
    // Whatever is a private key behind such a line is a secret.
    let text = format!(
        "{}{}",
        fs::read_to_string(sandbox.project().join("rsa.pub")).unwrap(),
        fs::read_to_string(sandbox.project().join("rsa")).unwrap()
    );
    sandbox.put("both", &text);
    fs::set_permissions(sandbox.project().join("both"), fs::Permissions::from_mode(0o644)).unwrap();
    let seen = sandbox.rye(&["key", "import", "both"]).transcript();
    assert!(seen.contains("can be read by others"), "{seen}");
}

/// Returns the line of a public key with an address as its comment.
fn named(public: &std::path::Path, name: &str) -> String {
    let line = fs::read_to_string(public).unwrap();
    let words: Vec<&str> = line.split_whitespace().take(2).collect();
    format!("{} {name}@example.org\n", words.join(" "))
}

#[test]
fn a_commit_is_signed_by_the_command_of_its_hint() {
    if !has("ssh-keygen") {
        return;
    }
    let sandbox = Sandbox::signed();
    let base = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    for message in ["one", "two"] {
        sandbox.put("README", message);
        sandbox.commit(message);
    }
    let range = format!("{base}..HEAD");
    let verify = ["verify", "--range", &range, "--commits"];
    let seen = String::from_utf8(sandbox.rye(&verify).into_command().output().unwrap().stdout).unwrap();
    let seen = format!("{seen}{}", sandbox.rye(&verify).transcript());
    let hint =
        seen.lines().find(|line| line.contains("the later commits: `git -c")).unwrap_or_else(|| panic!("{seen}"));
    let command = hint.split('`').nth(3).unwrap().replace("[SANDBOX]", sandbox.path("").to_str().unwrap());
    let mut shell = Command::new("sh");
    shell.env_clear().envs(sandbox.variables()).current_dir(sandbox.project()).args(["-c", &command]);
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    sandbox.rye(&verify).succeeds();
}

#[test]
fn without_git_it_is_what_to_install() {
    let sandbox = Sandbox::signed();
    let seen = sandbox.rye(&["commit", "-m", "x", "--yes"]).env("PATH", "/nowhere").transcript();
    assert!(seen.contains("hint: install git 2.34 or newer, and put it on `PATH`\n"), "{seen}");
}

#[test]
fn turns_are_searched_where_the_hint_says() {
    let sandbox = Sandbox::signed();
    let run = ["thread", "run", "demo/greet", "-i", "name=Ada", "--provider", "rye/agent/providers/steps", "-q"];
    sandbox.rye(&run).succeeds();
    let seen = sandbox.rye(&["search", "type:thread Ada"]).transcript();
    assert!(seen.contains("run `rye search --threads 'type:thread Ada'`\n"), "{seen}");
    let seen = sandbox.rye(&["search", "--threads", "type:thread Ada"]).transcript();
    assert!(!seen.contains("no results") && !seen.contains("hint: run"), "{seen}");
}

#[test]
fn a_home_folder_that_is_missing_has_no_items() {
    let sandbox = Sandbox::signed();
    for args in [&["list"][..], &["search", "greet"], &["status"], &["verify"], &["lint"]] {
        // The cache, which is written below it, makes the folder.
        let missing = sandbox.path(&format!("nowhere-{}", args[0])).display().to_string();
        let run = sandbox.rye(args).env("HOME", &missing).env("RYE_USER_SPACE", &missing);
        let seen = run.transcript();
        assert!(seen.ends_with("[exit 0]\n") && !seen.contains("error:"), "{seen}");
    }
    // A project's folder must be there.
    let seen = sandbox.rye(&["-C", "../nowhere", "list"]).transcript();
    assert!(seen.contains("error: no such folder"), "{seen}");
}

#[test]
fn a_thread_that_cannot_write_its_record_names_the_folder_there_is() {
    for user in User::all().into_iter().filter(|user| !user.is_super()) {
        user.does(cannot_record);
    }
}

fn cannot_record() {
    let sandbox = Sandbox::signed();
    let git = sandbox.project().join(".git");
    fs::set_permissions(&git, fs::Permissions::from_mode(0o555)).unwrap();
    let run = ["thread", "run", "demo/greet", "-i", "name=Ada", "--provider", "rye/agent/providers/steps"];
    let seen = sandbox.rye(&run).transcript();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(seen.contains("hint: make `[SANDBOX]/project/.git` writable"), "{seen}");
}
