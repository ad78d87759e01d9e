//! What a cloned project brings counts for nothing before its person accepts it, and then for that project alone.

use std::fs;
use std::os::unix::fs::symlink;

use rye::id::ItemType;
use rye::trust::{Signed, Subject};

use super::{clone_of, clone_to, hand_over, private_key, proposing, refused_by, run, somebody};
use crate::support::Sandbox;

const SIGNERS: &str = ".ai/trust/allowed_signers";

/// Accepts what the project proposes, or tells how it was refused: exit code and error.
fn accept(person: &Sandbox) -> Result<(), (String, String)> {
    let (code, seen) = run(person, &["trust", "accept", "--yes"]);
    let error = seen.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or_default().to_owned();
    if code == "0" { Ok(()) } else { Err((code, error)) }
}

fn refused(code: &str, error: &str) -> Result<(), (String, String)> {
    Err((code.to_owned(), error.to_owned()))
}

#[test]
fn a_proposal_counts_once_its_person_has_accepted_it() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    assert_eq!(refused_by(&victim, "."), "RYE-S006");
    let (code, seen) = run(&victim, &["trust", "accept"]);
    assert_eq!(code, "3", "no terminal to ask on: {seen}");
    assert!(seen.contains("ada@example.org: items, trust files, commits"), "{seen}");
    assert_eq!(refused_by(&victim, "."), "RYE-S006");
    accept(&victim).unwrap();
    assert_eq!(refused_by(&victim, "."), "");
    victim.rye(&["verify", "-q"]).succeeds();
    let (_, again) = run(&victim, &["trust", "accept"]);
    assert!(again.contains("unchanged version 1"), "{again}");
}

/// The message on a fresh clone names the next command; without a manifest nothing can be accepted.
#[test]
fn of_a_key_that_the_project_proposes_verify_says_how_to_look_at_it() {
    let author = proposing();
    let other = somebody("other");
    clone_to(&other, &author, "project");
    let (_, seen) = run(&other, &["verify"]);
    assert!(seen.contains("hint: the project proposes this key: "), "{seen}");
    assert!(!seen.contains("rye trust add"), "{seen}");
    let seen = other.rye(&["execute", "directive", "demo/greet", "-i", "name=Ada"]).transcript();
    assert!(seen.contains("rye trust accept") && !seen.contains("rye trust add"), "{seen}");
    fs::remove_file(other.project().join(".ai/trust/trust.sig")).unwrap();
    let (_, seen) = run(&other, &["verify"]);
    assert!(seen.contains("`rye trust add their_key.pub`") && !seen.contains("proposes"), "{seen}");
}

/// Hole 3, with everything a project could bring along.
#[test]
fn a_cloned_project_with_its_own_key_policy_revocations_plugin_and_provider_gains_nothing() {
    let author = proposing();
    let victim = somebody("victim");
    hand_over(&victim, &author, "victim.pub");
    author.rye(&["trust", "revoke", "victim.pub", "--project", "-q"]).succeeds();
    author.put(".ai/trust/policy.toml", "format = 1\n[[require]]\nitems = \"*\"\nsigners = 9\n");
    author.rye(&["trust", "propose", "-q"]).succeeds();
    author.put(".ai/plugins/librye_provider_steps.so", "not a library");
    author.put(".ai/config.toml", "[interpreters]\nsh = \"./evil\"\n");
    author.commit("bring everything along");
    clone_to(&victim, &author, "project");
    let (_, before) = run(&victim, &["trust", "list", "--json"]);
    assert!(!before.contains("ada@example.org") && before.contains(r#""revoked":[]"#), "{before}");
    assert_eq!(refused_by(&victim, "."), "RYE-S006");

    // The victim's own signature is neither revoked nor held to the policy; the project's settings are refused whole.
    fs::remove_file(victim.project().join(".ai/config.toml")).unwrap();
    victim.rye(&["sign", "--all", "-q", "--yes"]).succeeds();
    victim.rye(&["verify", "-q"]).succeeds();
    assert_eq!(refused_by(&victim, "."), "");

    // Once accepted, all of it holds, for this project.
    accept(&victim).unwrap();
    assert_eq!(refused_by(&victim, "."), "RYE-S010");
}

#[test]
fn what_was_accepted_is_withdrawn() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    let (code, seen) = run(&victim, &["trust", "accept", "--withdraw"]);
    assert!(code == "1" && seen.contains("error: nothing that this project proposes was accepted here"), "{seen}");
    accept(&victim).unwrap();
    assert_eq!(refused_by(&victim, "."), "");
    let (code, seen) = run(&victim, &["trust", "accept", "--withdraw"]);
    assert!(code == "0" && seen.contains("withdrawn version 1 for "), "{seen}");
    assert_eq!(refused_by(&victim, "."), "RYE-S006");
    let roots = fs::read_dir(victim.path("config/rye/trust/projects")).unwrap();
    for root in roots.map(|root| root.unwrap().path()) {
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "no copy, and no file for stock git is left");
    }
    accept(&victim).unwrap();
    assert_eq!(refused_by(&victim, "."), "");
}

/// Somebody has put their key among the files, and waits for a root to sign them for another reason.
#[test]
fn a_root_is_shown_what_its_signature_stands_for() {
    let author = proposing();
    accept(&author).unwrap();
    hand_over(&somebody("eve"), &author, "eve.pub");
    hand_over(&somebody("bob"), &author, "bob.pub");
    for key in ["eve.pub", "bob.pub"] {
        author.rye(&["trust", "add", key, "--project", "-q"]).succeeds();
    }
    let (_, seen) = run(&author, &["trust", "propose"]);
    let shown: Vec<&str> = seen.lines().filter(|line| line.starts_with(['+', '-', '~'])).collect();
    assert_eq!(shown.len(), 2, "{seen}");
    assert!(shown.iter().any(|line| line.starts_with("+ key ") && line.ends_with(": eve: items, commits")), "{seen}");
    let (_, again) = run(&author, &["trust", "propose"]);
    assert!(again.contains("unchanged version 2"), "nothing is signed: {again}");
}

/// Names and rules of a proposal are shown to whoever is to judge it.
#[test]
fn what_a_proposal_holds_cannot_control_the_terminal() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    accept(&victim).unwrap();
    victim.put(".ai/trust/policy.toml", "format = 1\n[[require]]\nitems = \"a\\u001b[2J\\u202e\\n*\"\nsigners = 2\n");
    for args in [&["trust", "accept"][..], &["trust", "list"], &["verify"], &["trust", "propose"]] {
        let (_, seen) = run(&victim, args);
        assert!(!seen.contains(['\u{1b}', '\u{202e}']), "{seen:?}");
    }
    let (_, seen) = run(&victim, &["trust", "list"]);
    assert!(seen.contains("a\u{FFFD}[2J"), "{seen}");
}

/// A file that is not a trust file must not prevent a verification.
#[test]
fn trust_files_that_make_no_sense_stop_nothing_else() {
    let sandbox = Sandbox::signed();
    for (name, text) in
        [("allowed_signers", "nonsense"), ("revoked", "nonsense"), ("policy.toml", "]"), ("trust.sig", "x")]
    {
        sandbox.put(&format!(".ai/trust/{name}"), text);
        sandbox.rye(&["verify", "-q"]).succeeds();
        let (code, seen) = run(&sandbox, &["trust", "list"]);
        assert!(code == "0" && seen.contains("cannot be accepted"), "{seen}");
        assert!(accept(&sandbox).is_err());
    }
}

#[test]
fn what_was_accepted_counts_at_its_place_and_for_its_history_only() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    accept(&victim).unwrap();
    clone_to(&victim, &author, "other");
    assert_eq!((refused_by(&victim, "."), refused_by(&victim, "../other")), (String::new(), "RYE-S006".to_owned()));
    let (_, seen) = run(&victim, &["-C", "../other", "verify"]);
    assert!(seen.contains("what you accepted at `[SANDBOX]/project` does not count here"), "{seen}");
    assert!(seen.contains("`rye trust accept` shows them and asks"), "{seen}");

    // The folder moves, and another project takes its place.
    fs::rename(victim.project(), victim.path("moved")).unwrap();
    fs::create_dir(victim.project()).unwrap();
    assert_eq!(refused_by(&victim, "../moved"), "RYE-S006");
    let other = Sandbox::signed();
    other.put("README", "another history\n");
    other.git(&["add", "-A"]);
    other.git(&["commit", "-q", "--amend", "-m", "another beginning"]);
    clone_to(&victim, &other, "project");
    assert_eq!(refused_by(&victim, "."), "RYE-S006");
}

/// An orphan branch, a shallow clone in the same place, a folder that moved: none of them is the accepted project, and
/// its demands still count.
#[test]
fn what_was_accepted_goes_on_to_forbid_where_it_no_longer_counts() {
    let author = Sandbox::signed();
    author.put(".ai/trust/policy.toml", "format = 1\n[[require]]\nitems = \"demo/greet\"\nsigners = 2\n");
    author.rye(&["trust", "propose", "--principal", "ada@example.org", "-q"]).succeeds();
    author.commit("propose whom to trust");
    let victim = clone_of(&author, "victim");
    hand_over(&author, &victim, "ada.pub");
    victim.rye(&["trust", "add", "ada.pub", "-q"]).succeeds();
    assert_eq!(refused_by(&victim, "."), "");
    accept(&victim).unwrap();
    assert_eq!(refused_by(&victim, "."), "RYE-S012");
    let told = "the policy and the revoked keys that you accepted at `[SANDBOX]/project (history of ";
    let is_told = |place: &str| {
        assert_eq!(refused_by(&victim, place), "RYE-S012", "{place}");
        let (_, seen) = run(&victim, &["-C", place, "verify"]);
        assert!(seen.contains(told) && seen.contains("RYE-S012"), "{place}: {seen}");
    };
    victim.git(&["checkout", "-q", "--orphan", "other"]);
    victim.git(&["commit", "-q", "-m", "another beginning"]);
    is_told(".");
    victim.git(&["checkout", "-q", "main"]);
    assert!(!run(&victim, &["verify"]).1.contains(told));
    // The folder moves, and a shallow clone takes its place.
    fs::rename(victim.project(), victim.path("moved")).unwrap();
    fs::create_dir(victim.project()).unwrap();
    is_told("../moved");
    // An empty folder is not a repository that took its place.
    fs::create_dir(victim.project().join(".git")).unwrap();
    is_told("../moved");
    fs::remove_dir(victim.project().join(".git")).unwrap();
    victim.put(".git", "");
    is_told("../moved");
    fs::remove_file(victim.project().join(".git")).unwrap();
    std::os::unix::fs::symlink("../moved/.git", victim.project().join(".git")).unwrap();
    is_told("../moved");
    fs::remove_file(victim.project().join(".git")).unwrap();
    fs::remove_dir(victim.project()).unwrap();
    std::os::unix::fs::symlink(victim.path("moved"), victim.project()).unwrap();
    is_told("../moved");
    fs::remove_file(victim.project()).unwrap();
    let url = format!("file://{}", author.project().display());
    let mut git = std::process::Command::new("git");
    git.args(["clone", "-q", "--depth", "1", &url]).arg(victim.project()).env_clear().envs(victim.variables());
    assert!(git.status().unwrap().success());
    is_told(".");
    // A clone next to it is another project, until its person says so.
    assert_eq!(refused_by(&victim, "../moved"), "");
    // The person drops it.
    fs::remove_dir_all(victim.project()).unwrap();
    fs::rename(victim.path("moved"), victim.project()).unwrap();
    victim.git(&["checkout", "-q", "other"]);
    is_told(".");
    victim.rye(&["trust", "accept", "--withdraw", "-q"]).succeeds();
    assert_eq!(refused_by(&victim, "."), "");
    assert!(!run(&victim, &["verify"]).1.contains(told));
}

#[test]
fn a_later_proposal_counts_only_when_it_is_accepted_too() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    accept(&victim).unwrap();
    let stranger = somebody("stranger");
    hand_over(&stranger, &author, "bob.pub");
    author.rye(&["trust", "add", "bob.pub", "--project", "-q"]).succeeds();
    author.rye(&["trust", "propose", "-q"]).succeeds();
    author.commit("let Bob sign");
    victim.git(&["pull", "-q"]);
    let (_, seen) = run(&victim, &["verify"]);
    assert!(seen.contains("a change (version 2) of what you accepted (version 1), which stays in force"), "{seen}");
    assert!(!run(&victim, &["trust", "list", "--json"]).1.contains(r#""principal":"bob""#));
    let (_, seen) = run(&victim, &["trust", "accept", "--yes"]);
    assert!(seen.contains("bob: items, commits") && seen.contains("accepted version 2"), "{seen}");
    assert!(run(&victim, &["trust", "list", "--json"]).1.contains(r#""principal":"bob""#));

    // The files of the past are brought back.
    victim.git(&["checkout", "-q", "HEAD~1", "--", ".ai/trust"]);
    let sentence = "what this project proposes cannot follow version 2, which you accepted: version 1 of the trust files cannot follow version 2 [RYE-M008]";
    assert_eq!(accept(&victim), refused("3", sentence));
    let (_, seen) = run(&victim, &["trust", "list"]);
    assert!(seen.contains("version 2 stays in force: the new proposal is invalid") && seen.contains("bob"), "{seen}");
}

#[test]
fn a_stranger_s_signature_announces_nothing() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    accept(&victim).unwrap();
    let mallory = clone_of(&author, "mallory");
    hand_over(&mallory, &mallory, "mallory.pub");
    let sentence =
        "your key KEY is not a root of this project: no line of `.ai/trust/allowed_signers` gives it `rye-trust`";
    let key_id = private_key(&mallory, "person").public().key_id();
    let (_, seen) = run(&mallory, &["trust", "propose"]);
    assert!(seen.contains(&sentence.replace("KEY", key_id.as_str())), "{seen}");
    mallory.rye(&["trust", "propose", "--root", "mallory.pub", "-q"]).succeeds();
    for name in ["allowed_signers", "trust.sig"] {
        let text = fs::read_to_string(mallory.project().join(".ai/trust").join(name)).unwrap();
        victim.put(&format!(".ai/trust/{name}"), &text);
    }
    let sentence = "what this project proposes cannot follow version 1, which you accepted: 0 of the 1 root signers that are needed have signed the manifest (those that the files before it name) [RYE-M006]";
    assert_eq!(accept(&victim), refused("3", sentence));
    // An unsigned edit is not a proposal.
    victim.git(&["checkout", "-q", "--", ".ai/trust"]);
    victim.edit(SIGNERS, "ada@example.org", "eve@example.org");
    let sentence = "what this project proposes cannot follow version 1, which you accepted: `allowed_signers` does not match the signed manifest [RYE-M004]";
    assert_eq!(accept(&victim), refused("3", sentence));
}

#[test]
fn a_manifest_of_another_project_vouches_for_nothing_here() {
    let author = proposing();
    let mallory = somebody("mallory");
    mallory.git(&["init", "-q", "-b", "main"]);
    mallory.rye(&["trust", "propose", "--principal", "ada@example.org", "-q"]).succeeds();
    mallory.put("README", "mine\n");
    let theirs = fs::read_to_string(author.project().join(".ai/trust/trust.sig")).unwrap();
    mallory.put(".ai/trust/trust.sig", &theirs);
    mallory.commit("borrow a signature");
    let victim = clone_of(&mallory, "victim");
    let sentence = "invalid trust files: `allowed_signers` does not match the signed manifest [RYE-M004]";
    assert_eq!(accept(&victim), refused("3", sentence));
}

#[test]
fn a_root_that_a_person_revoked_announces_nothing_to_them() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    let key_id = private_key(&author, "person").public().key_id();
    victim.rye(&["trust", "revoke", "ada@example.org", "--reason", "stolen", "-q"]).succeeds();
    let sentence =
        format!("invalid trust files: the manifest is signed by the root key `{key_id}`, which is revoked [RYE-M007]");
    assert_eq!(accept(&victim), refused("3", &sentence));
}

/// Hole 31: a model signed its own work.
#[test]
fn a_line_for_the_agent_s_key_makes_no_person_of_it() {
    let author = proposing();
    let victim = clone_of(&author, "victim");
    let agent = private_key(&victim, "agent");
    let line = format!("eve@example.org namespaces=\"rye,git,rye-trust\" {}\n", agent.public().to_openssh());
    let signers = fs::read_to_string(author.project().join(SIGNERS)).unwrap();
    author.put(SIGNERS, &(signers + &line));
    author.rye(&["trust", "propose", "-q"]).succeeds();
    author.commit("trust somebody's agent");
    victim.git(&["pull", "-q"]);
    accept(&victim).unwrap();
    assert_eq!(refused_by(&victim, "."), "");
    let path = victim.project().join(".ai/directives/demo/greet.md");
    let subject = Subject {
        item_type: ItemType::Directive,
        item_id: "demo/greet".parse().unwrap(),
        extension: "md".parse().unwrap(),
    };
    let signed = Signed::new(subject, fs::read(&path).unwrap()).sign(&agent, "2026-03-17T01:41:08Z".parse().unwrap());
    fs::write(&path, signed.unwrap().1).unwrap();
    assert_eq!(refused_by(&victim, "."), "RYE-S007");
    let git = fs::read_to_string(victim.path("config/rye/trust/git_allowed_signers")).unwrap();
    assert!(!git.contains("eve@example.org"), "{git}");
}

#[test]
fn trust_files_behind_a_symlink_or_without_end_are_not_read() {
    let author = proposing();
    let folder = author.project().join(".ai/trust");
    fs::rename(&folder, author.path("elsewhere")).unwrap();
    symlink(author.path("elsewhere"), &folder).unwrap();
    for verb in [["trust", "accept", "--yes"], ["trust", "propose", "-q"], ["trust", "revoke", "you"]] {
        let project = ["--project"];
        let args: Vec<&str> = verb.iter().chain(project.iter().filter(|_| verb[1] == "revoke")).copied().collect();
        let (code, seen) = run(&author, &args);
        assert!(code == "1" && seen.contains("symlink"), "{seen}");
    }
    fs::remove_file(&folder).unwrap();
    fs::rename(author.path("elsewhere"), &folder).unwrap();
    let signers = folder.join("allowed_signers");
    fs::rename(&signers, author.path("signers")).unwrap();
    symlink(author.path("signers"), &signers).unwrap();
    let (code, seen) = run(&author, &["trust", "accept", "--yes"]);
    assert!(code == "1" && seen.contains("symlink"), "{seen}");
    fs::remove_file(&signers).unwrap();
    fs::write(&signers, "#".repeat(300 * 1024)).unwrap();
    let (code, seen) = run(&author, &["trust", "accept", "--yes"]);
    assert!(code == "1" && seen.contains("262144"), "{seen}");
    let (code, seen) = run(&author, &["trust", "list"]);
    assert!(code == "0" && seen.contains("cannot be accepted"), "{seen}");
}

#[test]
fn a_project_without_a_commit_is_nobody_s_yet() {
    let sandbox = Sandbox::with_items();
    let seen = sandbox.rye(&["trust", "propose", "--principal", "ada@example.org"]).transcript();
    let note =
        "note: the project has no commit yet: run `rye trust propose --commit` to commit it and to accept it yourself";
    assert!(seen.contains(note) && !seen.contains("run `rye trust accept`"), "{seen}");
    assert_eq!(
        accept(&sandbox),
        refused("1", "this project has no commit yet, and a project is known by its first one")
    );
    fs::remove_dir_all(sandbox.project().join(".ai/trust")).unwrap();
    let sentence = "this project has no proposal: `.ai/trust/allowed_signers` is missing";
    assert_eq!(accept(&sandbox), refused("1", sentence));
}

#[test]
fn two_roots_sign_one_version_one_after_the_other() {
    let ada = Sandbox::signed();
    let bob = clone_of(&ada, "bob");
    hand_over(&bob, &ada, "bob.pub");
    ada.put(".ai/trust/policy.toml", "format = 1\nroot_signers = 2\n");
    let (_, seen) = run(&ada, &["trust", "propose", "--principal", "ada@example.org", "--root", "bob.pub"]);
    assert!(seen.contains("proposed version 1") && seen.contains("cannot be accepted yet: 1 of the 2"), "{seen}");
    let (_, seen) = run(&ada, &["trust", "propose"]);
    assert!(seen.contains("unchanged version 1"), "{seen}");
    assert!(accept(&ada).is_err());
    ada.commit("propose, one of two");
    bob.git(&["pull", "-q"]);
    let (_, seen) = run(&bob, &["trust", "propose"]);
    assert!(seen.contains("countersigned version 1") && !seen.contains("cannot"), "{seen}");
    accept(&bob).unwrap();
    let manifest = fs::read_to_string(bob.project().join(".ai/trust/trust.sig")).unwrap();
    ada.put(".ai/trust/trust.sig", &manifest);
    accept(&ada).unwrap();
    // A change takes both again.
    ada.rye(&["trust", "retire", "bob", "--project", "-q"]).succeeds();
    let (_, seen) = run(&ada, &["trust", "propose"]);
    assert!(seen.contains("proposed version 2") && seen.contains("cannot be accepted yet"), "{seen}");
    assert_eq!(accept(&ada).unwrap_err().0, "3");
}
