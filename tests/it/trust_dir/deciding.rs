//! The person's own decisions: how far they reach, and whom they refuse.

use std::fs;

use super::{clone_of, hand_over, private_key, proposing, refused_by, run, somebody, trust_below};
use crate::support::Sandbox;

/// Makes a project whose directive a friend signed, and the friend.
fn signed_by_a_friend() -> (Sandbox, Sandbox) {
    let sandbox = clone_of(&Sandbox::signed(), "me");
    let friend = somebody("friend");
    let key = friend.path("config/rye/keys/person").display().to_string();
    sandbox.rye(&["sign", "directive", "demo/greet", "--key", &key, "-q", "--yes"]).succeeds();
    hand_over(&friend, &sandbox, "friend.pub");
    (sandbox, friend)
}

fn error(sandbox: &Sandbox, args: &[&str]) -> (String, String) {
    let (code, seen) = run(sandbox, args);
    (code, seen.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or_default().to_owned())
}

#[test]
fn a_key_counts_for_a_namespace_until_it_is_retired_removed_or_revoked() {
    let (sandbox, friend) = signed_by_a_friend();
    let key = hand_over(&friend, &sandbox, "friend.pub");
    assert_eq!(refused_by(&sandbox, "."), "RYE-S006");
    trust_below(&sandbox, "main/other", "friend", &key);
    assert_eq!(refused_by(&sandbox, "."), "RYE-S006", "another namespace");
    trust_below(&sandbox, "main/demo", "friend", &key);
    assert_eq!(refused_by(&sandbox, "."), "RYE-S006", "it was not pulled");
    let digest =
        rye::trust::ContentHash::of(&fs::read(sandbox.project().join(".ai/directives/demo/greet.md")).unwrap());
    let lock = format!(
        "format = 1\n\n[[item]]\nid = \"demo/greet\"\ntype = \"directive\"\nversion = \"0.1.0\"\nsha256 = \"{digest}\"\nregistry = \"main\"\nsigner = \"SHA256:x\"\n"
    );
    sandbox.put("rye.lock", &lock);
    assert_eq!(refused_by(&sandbox, "."), "");
    let file = sandbox.path("config/rye/trust/namespaces/main/demo");
    assert!(fs::read_to_string(&file).unwrap().starts_with("friend ssh-ed25519 "));
    sandbox.rye(&["trust", "retire", "friend", "--at", "2026-03-17T01:41:09Z", "-q"]).succeeds();
    assert_eq!(refused_by(&sandbox, "."), "", "signed a second before");
    sandbox.rye(&["trust", "retire", "friend", "-q"]).succeeds();
    assert_eq!(refused_by(&sandbox, "."), "RYE-S008");
    // A later end would be trust by another name.
    sandbox.rye(&["trust", "retire", "friend", "--at", "2030-01-01", "-q"]).succeeds();
    assert_eq!(refused_by(&sandbox, "."), "RYE-S008");
    sandbox.rye(&["trust", "remove", "friend", "-q"]).succeeds();
    assert_eq!(refused_by(&sandbox, "."), "RYE-S006");
    assert_eq!(fs::read_to_string(&file).unwrap(), "");
    sandbox.rye(&["trust", "revoke", "friend.pub", "--reason", "stolen", "-q"]).succeeds();
    assert_eq!(refused_by(&sandbox, "."), "RYE-S010");
    let (code, sentence) = error(&sandbox, &["trust", "add", "friend.pub"]);
    assert!(code == "1" && sentence.ends_with("in `friend.pub` is revoked"), "{sentence}");
}

#[test]
fn keys_are_read_in_every_form_and_from_stdin() {
    let (sandbox, friend) = signed_by_a_friend();
    let export = |form: &str| String::from_utf8(friend.rye(&["key", "export", "--as", form]).stdout()).unwrap();
    let (plain, pem, line) = (export("openssh"), export("pem"), export("allowed-signers"));
    for (text, principal) in [(&plain, Some("ada@example.org")), (&pem, None), (&line, Some("ada@example.org"))] {
        let seen = sandbox.rye(&["trust", "add", "-", "--json"]).stdin(text).transcript();
        if let Some(principal) = principal {
            assert!(seen.contains(&format!(r#""principal":"{principal}""#)), "{seen}");
            assert_eq!(refused_by(&sandbox, "."), "");
            sandbox.rye(&["trust", "remove", principal, "-q"]).succeeds();
        } else {
            assert!(seen.contains(r#""code":"unnamed-key""#), "{seen}");
        }
        let seen = sandbox.rye(&["trust", "add", "-", "--principal", "bob", "--json"]).stdin(text).transcript();
        assert!(seen.contains(r#""principal":"bob""#), "{seen}");
        sandbox.rye(&["trust", "remove", "bob", "-q"]).succeeds();
    }
    let third = hand_over(&somebody("third"), &sandbox, "third.pub");
    let named = third.split(' ').take(2).chain(["third@example.org"]).collect::<Vec<_>>().join(" ");
    let several = format!("# keys of a server\n{plain}{named}\n");
    sandbox.rye(&["trust", "add", "-", "-q"]).stdin(&several).succeeds();
    let (_, seen) = run(&sandbox, &["trust", "list"]);
    assert!(seen.contains("allowed_signers:1") && seen.contains("allowed_signers:2"), "{seen}");
}

#[test]
fn what_must_not_be_trusted_is_refused() {
    let (sandbox, _) = signed_by_a_friend();
    let agent = String::from_utf8(sandbox.rye(&["key", "export", "agent"]).stdout()).unwrap();
    sandbox.put("agent.pub", &agent);
    sandbox.put("words", "nothing of that sort\n");
    sandbox.put("endless", &"#".repeat(300 * 1024));
    let private = sandbox.path("config/rye/keys/person").display().to_string();
    for (file, sentence) in [
        ("agent.pub", "`agent.pub` is the key of your own agent, which is trusted only in its threads"),
        ("words", "no public key in `words` (expected OpenSSH, PEM or allowed_signers lines)"),
        (private.as_str(), "`[SANDBOX]/config/rye/keys/person` is a private key (expected a public key)"),
    ] {
        assert_eq!(error(&sandbox, &["trust", "add", file]), ("1".to_owned(), sentence.to_owned()));
    }
    let endless = "cannot read `[SANDBOX]/project/endless`: larger than 256 KiB";
    assert_eq!(error(&sandbox, &["trust", "add", "endless"]), ("2".to_owned(), endless.to_owned()));
    for principal in ["", "two words", "#", "a\"b"] {
        let (code, sentence) = error(&sandbox, &["trust", "add", "friend.pub", "--principal", principal]);
        assert!(code == "2" && sentence.contains("is not a valid principal"), "{sentence}");
    }
    for namespace in ["main/demo", "../up"] {
        let (code, sentence) = error(&sandbox, &["trust", "add", "friend.pub", "--namespace", namespace]);
        assert!(code == "2" && sentence.contains("`rye pull` shows the key of a namespace"), "{sentence}");
    }
    assert!(!sandbox.path("config/rye/trust/namespaces").exists());
    assert!(!sandbox.path("config/rye/trust/allowed_signers").exists());
}

#[test]
fn a_key_is_found_by_each_of_its_names() {
    let (sandbox, friend) = signed_by_a_friend();
    let key = private_key(&friend, "person").public();
    sandbox.rye(&["trust", "add", "friend.pub", "-q"]).succeeds();
    let (id, fingerprint) = (key.key_id().to_string(), key.fingerprint());
    for name in [&id, &fingerprint, "friend", "friend.pub", &id[..6], &fingerprint[..14]] {
        let (code, seen) = run(&sandbox, &["trust", "retire", name, "--json"]);
        assert!(code == "0" && seen.contains(key.key_id().as_str()), "{seen}");
    }
    let (code, _) = run(&sandbox, &["trust", "remove", &id[..3]]);
    assert_eq!(code, "1", "too short");
    let (_, seen) = run(&sandbox, &["trust", "remove", "frend"]);
    assert!(seen.contains("unknown key `frend`") && seen.contains("did you mean `friend`?"), "{seen}");
    hand_over(&somebody("third"), &sandbox, "third.pub");
    sandbox.rye(&["trust", "add", "third.pub", "--principal", "friend", "-q"]).succeeds();
    let (code, sentence) = error(&sandbox, &["trust", "remove", "friend"]);
    assert!(code == "1" && sentence.starts_with("`friend` matches 2 keys: "), "{sentence}");
    let (_, sentence) = error(&sandbox, &["trust", "remove", "you"]);
    assert!(sentence.contains("is your own person key"), "{sentence}");
}

#[test]
fn revoking_one_s_own_keys_says_what_follows() {
    let sandbox = Sandbox::signed();
    assert_eq!(refused_by(&sandbox, "."), "");
    let (code, seen) = run(&sandbox, &["trust", "revoke", "you", "--reason", "laptop stolen"]);
    assert!(code == "0" && seen.contains("rye key import new_key --force"), "{seen}");
    assert_eq!(refused_by(&sandbox, "."), "RYE-S010");
    let (_, list) = run(&sandbox, &["trust", "list"]);
    assert!(list.contains("\trevoked\t"), "{list}");
    let git = fs::read_to_string(sandbox.path("config/rye/trust/git_allowed_signers")).unwrap();
    assert!(!git.contains("you "), "{git}");
}

/// Whoever signs with a key of theirs that counts no longer learns it from whoever sees the result, or at once.
#[test]
fn signing_with_a_key_that_counts_no_longer_warns() {
    let (sandbox, bob) = (Sandbox::signed(), crate::support::Person::new("bob"));
    let id = sandbox.key_id(&bob);
    let key = sandbox.path("config-bob/rye/keys/person").display().to_string();
    let warned = |args: &[&str]| sandbox.rye(args).env("RYE_SIGNING_KEY", &key).transcript();
    assert!(!warned(&["sign", "--all"]).contains("warning: "), "whom nobody knows may be known elsewhere");
    sandbox.rye(&["trust", "add", &format!("{key}.pub"), "--principal", "bob@example.org", "-q"]).succeeds();
    assert!(!warned(&["sign", "--all"]).contains("warning: "));
    sandbox.rye(&["trust", "retire", &id, "-q"]).succeeds();
    let seen = warned(&["sign", "--all"]);
    assert!(seen.contains(&format!("warning: the key {id} is not valid at this time: what it signs")), "{seen}");
    sandbox.rye(&["trust", "revoke", &id, "-q"]).succeeds();
    let sentence = format!("warning: the key {id} is revoked: what it signs does not count here\n");
    for args in [&["sign", "--all"][..], &["commit", "-m", "mine", ".ai"]] {
        let seen = warned(args);
        assert!(seen.contains(&sentence) && seen.contains("rye key import new_key --force"), "{seen}");
    }
}

#[test]
fn one_s_own_keys_have_no_line_to_change_and_each_its_own_way_out() {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let (_, seen) = run(&sandbox, &["trust", "retire", "rye-agent"]);
    assert!(seen.contains("move `agent` and `agent.pub` out") && !seen.contains("key import"), "{seen}");
    let (_, seen) = run(&sandbox, &["trust", "remove", "you"]);
    assert!(seen.contains("rye key import new_key --force") && !seen.contains("`agent.pub`"), "{seen}");
    let (_, seen) = run(&sandbox, &["trust", "add", "nothing.pub"]);
    assert!(seen.contains("project/nothing.pub`: no such file") && seen.contains("hint: name a file with"), "{seen}");
}

/// What an agent signs proves nothing any more, so it mints no token either.
#[test]
fn a_revoked_agent_starts_no_thread() {
    let sandbox = clone_of(&Sandbox::signed(), "me");
    sandbox.rye(&["sign", "--all", "-q", "--yes"]).succeeds();
    sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada", "-q"]).succeeds();
    let (_, seen) = run(&sandbox, &["trust", "revoke", "rye-agent"]);
    assert!(seen.contains("move `agent` and `agent.pub` out of the folder"), "{seen}");
    let (code, sentence) = error(&sandbox, &["thread", "run", "demo/greet", "-i", "name=Ada"]);
    assert!(code == "1" && sentence.contains("which signs capability tokens, is revoked"), "{sentence}");
    for half in ["agent", "agent.pub"] {
        fs::remove_file(sandbox.path("config/rye/keys").join(half)).unwrap();
    }
    sandbox.rye(&["key", "generate", "-q"]).env("RYE_SEED", "again").succeeds();
    sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada", "-q"]).env("RYE_SEED", "later").succeeds();
}

#[test]
fn a_project_s_files_are_edited_for_a_root_to_propose() {
    let author = proposing();
    hand_over(&somebody("bob"), &author, "bob.pub");
    let signers = || fs::read_to_string(author.project().join(".ai/trust/allowed_signers")).unwrap();
    let first = signers();
    author.rye(&["trust", "add", "bob.pub", "--project", "-q"]).succeeds();
    assert!(signers().starts_with(&first) && signers().contains("\nbob namespaces=\"rye,git\" ssh-ed25519 "));
    assert!(!author.path("config/rye/trust/allowed_signers").exists(), "the author's own decisions are others");
    author.rye(&["trust", "retire", "bob", "--project", "-q"]).succeeds();
    assert!(signers().contains("\nbob namespaces=\"rye,git\",valid-before=\"20260317014108Z\" "));
    author.rye(&["trust", "revoke", "bob", "--reason", "left", "--project", "-q"]).succeeds();
    let revoked = fs::read_to_string(author.project().join(".ai/trust/revoked")).unwrap();
    assert!(revoked.ends_with(" left\n"), "{revoked}");
    author.rye(&["trust", "remove", "bob", "--project", "-q"]).succeeds();
    assert_eq!(signers(), first);
    let (_, seen) = run(&author, &["trust", "propose"]);
    assert!(seen.contains("proposed version 2"), "{seen}");
}
