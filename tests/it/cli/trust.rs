//! `rye trust`: what each verb prints, and what it refuses.

use snapbox::str;

use crate::support::{Sandbox, assert_seen, has, on_terminal};

const FRIEND: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHUqwd0T/WgoVUGdfMuWFFF6XsfaJNAmT9eGfYafPxbS";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.put("bob.pub", &format!("{FRIEND} bob@example.org\n"));
    sandbox
}

#[test]
fn decisions_are_made_ended_and_taken_back() {
    let sandbox = sandbox();
    // A decision of a build that had `trust add --namespace`: it is refused now, and existing lines stay in force.
    let decisions = sandbox.path("config/rye/trust/namespaces/main");
    std::fs::create_dir_all(&decisions).unwrap();
    std::fs::write(decisions.join("demo"), format!("bob@example.org {FRIEND}\n")).unwrap();
    assert_seen(
        sandbox.rye(&["trust", "retire", "bob@example.org", "--at", "2026-04-01"]).transcript(),
        str![[r#"
$ rye trust retire bob@example.org --at 2026-04-01
retired 8f2b6e36ca89ee43 bob@example.org
[stderr]
note: written to `[SANDBOX]/config/rye/trust/namespaces/main/demo`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "list"]).transcript(),
        str![[r#"
$ rye trust list
you	706f575fc5331071	SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4	everything	trusted	your own key
bob@example.org	8f2b6e36ca89ee43	SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY	`demo/**` of the registry `main`	until 2026-04-01T00:00:00Z	[SANDBOX]/config/rye/trust/namespaces/main/demo:1
[stderr]
note: for stock git: `git config gpg.ssh.allowedSignersFile [SANDBOX]/config/rye/trust/git_allowed_signers` and `git config gpg.ssh.revocationFile [SANDBOX]/config/rye/trust/git_revoked`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "retire", "bob@example.org", "--at", "2026-05-01"]).transcript(),
        str![[r#"
$ rye trust retire bob@example.org --at 2026-05-01
retired 8f2b6e36ca89ee43 bob@example.org
[stderr]
note: it was so already
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "revoke", "bob@example.org", "--reason", "laptop stolen"]).transcript(),
        str![[r#"
$ rye trust revoke bob@example.org --reason 'laptop stolen'
revoked 8f2b6e36ca89ee43 bob@example.org
[stderr]
note: written to `[SANDBOX]/config/rye/trust/revoked`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "remove", "bob@example.org"]).transcript(),
        str![[r#"
$ rye trust remove bob@example.org
removed 8f2b6e36ca89ee43 bob@example.org
[stderr]
note: written to `[SANDBOX]/config/rye/trust/namespaces/main/demo`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "list", "--json"]).transcript(),
        str![[r#"
$ rye trust list --json
{"keys":[{"key_id":"706f575fc5331071","principal":"you","fingerprint":"SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4","reach":"everything","origin":"your own key","state":"trusted"}],"revoked":[{"key_id":"8f2b6e36ca89ee43","fingerprint":"SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY","comment":"laptop stolen","reach":"everything","origin":"[SANDBOX]/config/rye/trust/revoked"}],"path":"[SANDBOX]/config/rye/trust/allowed_signers","git_allowed_signers":"[SANDBOX]/config/rye/trust/git_allowed_signers","git_revoked":"[SANDBOX]/config/rye/trust/git_revoked"}
[stderr]
note: for stock git: `git config gpg.ssh.allowedSignersFile [SANDBOX]/config/rye/trust/git_allowed_signers` and `git config gpg.ssh.revocationFile [SANDBOX]/config/rye/trust/git_revoked`
[exit 0]

"#]],
    );
}

#[test]
fn a_proposal_is_made_shown_and_accepted() {
    let sandbox = sandbox();
    assert_seen(
        sandbox.rye(&["trust", "propose", "--principal", "ada@example.org"]).transcript(),
        str![[r#"
$ rye trust propose --principal ada@example.org
proposed version 1, signed by 706f575fc5331071
[stderr]
+ key 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org: items, trust files, commits
+ root 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org signs changes of the trust files
note: run `rye trust accept` to accept it yourself
note: run `rye commit -m 'Say whom to trust'` to commit it
note: others accept it with `rye trust accept`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "accept"]).transcript(),
        str![[r#"
$ rye trust accept
[stderr]
+ key 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org: items, trust files, commits
+ root 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org signs changes of the trust files
error: not accepted: confirm on a terminal or pass `--yes`
hint: look at what would change, then run `rye trust accept --yes`
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "accept", "--yes"]).transcript(),
        str![[r#"
$ rye trust accept --yes
accepted version 1 for `[SANDBOX]/project`
[stderr]
+ key 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org: items, trust files, commits
+ root 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org signs changes of the trust files
[exit 0]

"#]],
    );
    sandbox.put(
        ".ai/trust/policy.toml",
        "format = 1\nroot_signers = 1\n\n[[require]]\nitems = \"deploy/*\"\ntype = \"directive\"\nsigners = 2\n",
    );
    assert_seen(
        sandbox.rye(&["trust", "add", "bob.pub", "--project"]).transcript(),
        str![[r#"
$ rye trust add bob.pub --project
bob@example.org	8f2b6e36ca89ee43	SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY	rye,git in this project
[stderr]
note: written to `[SANDBOX]/project/.ai/trust/allowed_signers`
note: it has no effect until a root signs it: `rye trust propose`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "list"]).transcript(),
        str![[r#"
$ rye trust list
you	706f575fc5331071	SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4	everything	trusted	your own key
ada@example.org	706f575fc5331071	SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4	rye,rye-trust,git in this project	trusted	.ai/trust/allowed_signers:1
[stderr]
note: version 1 stays in force: the new proposal is invalid: `allowed_signers` does not match the signed manifest
note: for stock git: `git config gpg.ssh.allowedSignersFile [SANDBOX]/config/rye/trust/projects/a61cb159d54a9d47161dcb4206d6266e4950cfd5/[..]/git_allowed_signers` and `git config gpg.ssh.revocationFile [SANDBOX]/config/rye/trust/projects/a61cb159d54a9d47161dcb4206d6266e4950cfd5/[..]/git_revoked`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "propose"]).transcript(),
        str![[r#"
$ rye trust propose
proposed version 2, signed by 706f575fc5331071
[stderr]
+ key 8f2b6e36ca89ee43 SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY: bob@example.org: items, commits
+ rule: directive items `deploy/*` must be signed by 2 people
note: run `rye trust accept` to accept it yourself
note: run `rye commit -m 'Say whom to trust'` to commit it
note: others accept it with `rye trust accept`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "propose", "--json"]).transcript(),
        str![[r#"
$ rye trust propose --json
{"status":"unchanged","version":2,"digest":"378958b71f6292f88747874f0c8cc177a8556dfb2f93ec0212db60bfe3d7709f","signed_by":["706f575fc5331071"],"changes":[{"change":"key_added","key_id":"8f2b6e36ca89ee43","fingerprint":"SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY","text":"bob@example.org: items, commits"},{"change":"rule_added","text":"directive items `deploy/*` must be signed by 2 people"}],"files":[],"accepted":false}
[stderr]
+ key 8f2b6e36ca89ee43 SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY: bob@example.org: items, commits
+ rule: directive items `deploy/*` must be signed by 2 people
note: run `rye trust accept` to accept it yourself
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify"]).transcript(),
        str![[r#"
$ rye verify
ok: 4 items checked: 4 good
[stderr]
note: this project proposes a change (version 2) of what you accepted (version 1), which stays in force; `rye trust accept` shows it and asks
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "accept", "--yes"]).transcript(),
        str![[r#"
$ rye trust accept --yes
accepted version 2 for `[SANDBOX]/project`
[stderr]
+ key 8f2b6e36ca89ee43 SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY: bob@example.org: items, commits
+ rule: directive items `deploy/*` must be signed by 2 people
[exit 0]

"#]],
    );
    sandbox.rye(&["trust", "retire", "bob@example.org", "--project", "-q"]).succeeds();
    sandbox.rye(&["trust", "revoke", "bob@example.org", "--reason", "left", "--project", "-q"]).succeeds();
    sandbox.put(".ai/trust/policy.toml", "format = 1\n");
    sandbox.rye(&["trust", "propose", "-q"]).succeeds();
    assert_seen(
        sandbox.rye(&["trust", "accept", "--yes", "--json"]).transcript(),
        str![[r#"
$ rye trust accept --yes --json
{"status":"accepted","version":3,"digest":"96b2be97117adae01fe4dc0c5af3d8fb59cc1a9e73c55284f339b44e24b6d115","root_commit":"a61cb159d54a9d47161dcb4206d6266e4950cfd5","path":"[SANDBOX]/project","changes":[{"change":"key_narrowed","key_id":"8f2b6e36ca89ee43","fingerprint":"SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY","text":"bob@example.org: items, commits, until 2026-03-17T01:41:08Z (was bob@example.org: items, commits)"},{"change":"revoked","key_id":"8f2b6e36ca89ee43","fingerprint":"SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY","text":"left"},{"change":"rule_removed","text":"directive items `deploy/*` must be signed by 2 people"}],"accepted_at":"2026-03-17T01:41:08Z"}
[stderr]
~ key narrowed 8f2b6e36ca89ee43 SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY: bob@example.org: items, commits, until 2026-03-17T01:41:08Z (was bob@example.org: items, commits)
+ revoked 8f2b6e36ca89ee43 SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY: left
- rule: directive items `deploy/*` must be signed by 2 people
[exit 0]

"#]],
    );
}

#[test]
fn one_command_proposes_commits_and_accepts() {
    let sandbox = sandbox();
    let propose = ["trust", "propose", "--author", "bob.pub", "--commit", "--yes"];
    assert_seen(
        sandbox.rye(&propose).transcript().replace(&sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned(), "[COMMIT]"),
        str![[r#"
$ rye trust propose --author bob.pub --commit --yes
proposed version 1, signed by 706f575fc5331071
accepted version 1 for this project
[stderr]
+ key 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org: items, trust files, commits
+ key 8f2b6e36ca89ee43 SHA256:jowpgZ/o/vXObF3b63Dm8vxddylGHcT1I7E4TXBrlPY: bob@example.org: items, commits
+ root 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org signs changes of the trust files
note: commit [COMMIT]
note: others accept it with `rye trust accept`
[exit 0]

"#]],
    );
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]), "Trust files, version 1\n");
    let files = ".ai/trust/allowed_signers\n.ai/trust/trust.sig\n";
    assert_eq!(sandbox.git(&["show", "--format=", "--name-only", "HEAD"]), files);
    assert!(sandbox.git(&["cat-file", "-p", "HEAD"]).contains("SSH SIGNATURE"));
    let listed = sandbox.rye(&["trust", "list"]).transcript();
    assert!(listed.contains("bob@example.org") && listed.contains("rye,git in this project"), "{listed}");
    let again = sandbox.rye(&propose).transcript();
    assert!(again.contains("unchanged version 1") && !again.contains("note: commit"), "{again}");
    sandbox.rye(&["trust", "accept"]).succeeds();
}

#[test]
fn a_declined_proposal_is_not_signed() {
    if !has("python3") {
        return;
    }
    let sandbox = sandbox();
    let rye = crate::support::RYE;
    let dialogue = [("sign and accept version 1 for this project? [y/N]", "n\n")];
    let (seen, code) = on_terminal(&sandbox, &dialogue, &[rye, "trust", "propose"]);
    assert!(code != 0 && seen.contains("SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4"), "{seen}");
    assert!(seen.ends_with(" nothing was signed\n"), "{seen}");
    assert!(!sandbox.project().join(".ai/trust").exists());
    let dialogue = [("sign and accept version 1 for this project? [y/N]", "y\n")];
    let (seen, code) = on_terminal(&sandbox, &dialogue, &[rye, "trust", "propose"]);
    assert!(code == 0 && seen.contains("others accept it with"), "{seen}");
}

#[test]
fn what_cannot_be_decided_says_why() {
    let sandbox = sandbox();
    sandbox.rye(&["trust", "add", "bob.pub", "-q"]).succeeds();
    assert_seen(
        sandbox.rye(&["trust", "remove", "bob@example.com"]).transcript(),
        str![[r#"
$ rye trust remove bob@example.com
[stderr]
error: unknown key `bob@example.com`
hint: did you mean `bob@example.org`?
hint: run `rye trust list` to list the keys, or name a file with the public key
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "retire", "you"]).transcript(),
        str![[r#"
$ rye trust retire you
[stderr]
error: cannot change 706f575fc5331071: it is your own person key
hint: if others may have it, run `rye trust revoke 706f575fc5331071`
hint: to use another one from now on, run `rye key import new_key --force`
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "retire", "bob@example.org", "--at", "soon"]).transcript(),
        str![[r#"
$ rye trust retire bob@example.org --at soon
[stderr]
error: invalid value 'soon' for '--at <TIME>': write it as `2026-03-17` or `2026-03-17T01:41:08Z`

For more information, try '--help'.
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "add", "bob.pub", "--principal", "two words"]).transcript(),
        str![[r#"
$ rye trust add bob.pub --principal 'two words'
[stderr]
error: `two words` is not a valid principal: it must not be empty, begin with `!`, or contain blanks or quotes
hint: name the holder with `--principal ada@example.org`
[exit 2]

"#]],
    );
    sandbox.rye(&["trust", "revoke", "bob.pub", "-q"]).succeeds();
    assert_seen(
        sandbox.rye(&["trust", "add", "bob.pub"]).transcript(),
        str![[r#"
$ rye trust add bob.pub
[stderr]
error: the key 8f2b6e36ca89ee43 in `bob.pub` is revoked
hint: its signatures are always bad; if that was a mistake, take its line out of `[SANDBOX]/config/rye/trust/revoked`
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "accept"]).transcript(),
        str![[r#"
$ rye trust accept
[stderr]
error: this project has no proposal: `.ai/trust/allowed_signers` is missing
hint: a maintainer proposes the first keys with `rye trust propose`
[exit 1]

"#]],
    );
    sandbox.put(".ai/trust/allowed_signers", &format!("bob@example.org namespaces=\"rye\" {FRIEND}\n"));
    assert_seen(
        sandbox.rye(&["trust", "accept"]).transcript(),
        str![[r#"
$ rye trust accept
[stderr]
error: invalid trust files: `.ai/trust/trust.sig` is missing [RYE-M001]
hint: ask a root of the project to sign the trust files with `rye trust propose`
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "propose"]).transcript(),
        str![[r#"
$ rye trust propose
[stderr]
error: your key 706f575fc5331071 is not a root of this project: no line of `.ai/trust/allowed_signers` gives it `rye-trust`
hint: ask a root of the project to run `rye trust propose --root their_key.pub` with your public key: `rye key export`
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "revoke", "you"]).transcript(),
        str![[r#"
$ rye trust revoke you
revoked 706f575fc5331071 you
[stderr]
note: written to `[SANDBOX]/config/rye/trust/revoked`
warning: what your person key signed is bad from now on, and so is what it will sign
note: for a new one, run `ssh-keygen -t ed25519 -f new_key && rye key import new_key --force`, then review what the old one signed and sign it again
[exit 0]

"#]],
    );
}

#[test]
fn a_project_needs_a_name_for_its_first_root() {
    let sandbox = sandbox();
    let nobody = sandbox.rye(&["trust", "propose"]).env("GIT_AUTHOR_EMAIL", "").env("GIT_COMMITTER_EMAIL", "");
    assert_seen(
        nobody.transcript(),
        str![[r#"
$ GIT_AUTHOR_EMAIL= GIT_COMMITTER_EMAIL= rye trust propose
[stderr]
error: git knows no e-mail address to name you by in `.ai/trust/allowed_signers`
hint: run `rye trust propose --principal ada@example.org` with your own name
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["trust", "propose"]).transcript(),
        str![[r#"
$ rye trust propose
proposed version 1, signed by 706f575fc5331071
[stderr]
+ key 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org: items, trust files, commits
+ root 706f575fc5331071 SHA256:XUVTqVrVJ4zpEFI9lHEMEcn5tz++nXOxbAqEWxsfeN4: ada@example.org signs changes of the trust files
note: run `rye trust accept` to accept it yourself
note: run `rye commit -m 'Say whom to trust'` to commit it
note: others accept it with `rye trust accept`
[exit 0]

"#]],
    );
}

#[test]
fn files_that_name_ones_own_agent_as_a_person_are_not_proposed() {
    let sandbox = sandbox();
    // Fixed randomness would make the same key twice.
    sandbox.rye(&["key", "generate", "-q"]).env("RYE_SEED", "agent").succeeds();
    sandbox.rye(&["trust", "propose", "--principal", "ada@example.org", "-q"]).succeeds();
    let line = sandbox.rye(&["key", "export", "agent", "--as", "allowed-signers", "--principal", "eve@example.org"]);
    let line = String::from_utf8(line.stdout()).unwrap();
    let path = sandbox.project().join(".ai/trust/allowed_signers");
    let signers = std::fs::read_to_string(&path).unwrap();
    let manifest = std::fs::read(sandbox.project().join(".ai/trust/trust.sig")).unwrap();
    // Under any name, and for whatever use.
    let key: Vec<&str> = line.split_whitespace().filter(|word| word.starts_with("ssh-") || word.len() > 60).collect();
    for named in [
        line.replace(" namespaces=\"git-turns\"", ""),
        format!("eve@example.org namespaces=\"rye-trust\" {}\n", key.join(" ")),
    ] {
        std::fs::write(&path, format!("{signers}{named}")).unwrap();
        let seen = sandbox.rye(&["trust", "propose"]).transcript();
        assert!(seen.contains("error: `.ai/trust/allowed_signers` names the key of your own agent, "), "{seen}");
        assert!(seen.contains(", as the key of `eve@example.org`") && seen.ends_with("[exit 1]\n"), "{seen}");
        assert_eq!(std::fs::read(sandbox.project().join(".ai/trust/trust.sig")).unwrap(), manifest);
    }
    // The hint says how to go on.
    let seen = sandbox.rye(&["trust", "propose"]).transcript();
    let id = seen.split("rye trust remove ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    sandbox.rye(&["trust", "remove", &id, "--project", "-q"]).succeeds();
    sandbox.rye(&["trust", "propose", "-q"]).succeeds();
}

/// Whoever revokes in a hurry is told the finished steps when the rest fails: as on a full disk, an entry blocks a file
/// for stock git.
#[test]
fn a_revocation_that_is_in_force_says_so_when_the_rest_fails() {
    let sandbox = sandbox();
    sandbox.rye(&["trust", "add", "bob.pub", "--yes", "-q"]).succeeds();
    let in_the_way = sandbox.path("config/rye/trust/git_revoked");
    let _ = std::fs::remove_file(&in_the_way);
    std::fs::create_dir_all(in_the_way.join("full")).unwrap();
    let seen = sandbox.rye(&["trust", "revoke", "bob@example.org"]).transcript();
    assert!(seen.contains("is revoked, and the revocation is in force") && seen.ends_with("[exit 1]\n"), "{seen}");
    assert!(std::fs::read_to_string(sandbox.path("config/rye/trust/revoked")).unwrap().contains("ssh-ed25519"));
}

#[test]
fn a_trust_file_over_its_limit_is_told_with_its_own_limit() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/trust/policy.toml", &"#".repeat(300 * 1024));
    let seen = sandbox.rye(&["trust", "accept", "--yes"]).transcript();
    assert!(seen.contains("262144 bytes") && !seen.contains("1 MiB"), "{seen}");
}
