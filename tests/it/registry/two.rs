//! Two people with keys of their own on one bare repository.

use std::fs;

use super::{as_bob, json, publish, shared, write};
use crate::support::{Person, Sandbox, has, on_terminal};

const BOB: Person = Person::new("bob");

fn public_key(sandbox: &Sandbox, config: &str) -> String {
    sandbox.path(&format!("{config}/rye/keys/person.pub")).display().to_string()
}

#[test]
fn what_one_person_publishes_another_pulls_and_trusts_for_that_namespace_alone() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/runbook", "1.0.0", "Restart it.");
    let seen = as_bob(&sandbox, &BOB, &["pull", "team/runbook"]).transcript();
    let asked = "`team/**` of the registry `team` is signed by SHA256:";
    assert!(
        seen.contains(asked) && seen.contains("error: not pulled: confirm on a terminal or pass `--yes`"),
        "{seen}"
    );
    assert!(seen.ends_with("[exit 3]\n") && !sandbox.path("bob/.ai").exists(), "{seen}");
    let outcome = json(&as_bob(&sandbox, &BOB, &["pull", "team/runbook", "--yes", "--json"]).stdout());
    assert_eq!(outcome["pulled"][0]["verdict"], "good");
    let trust = json(&as_bob(&sandbox, &BOB, &["trust", "list", "--json"]).stdout());
    let reach: Vec<&str> = trust["keys"].as_array().unwrap().iter().map(|key| key["reach"].as_str().unwrap()).collect();
    assert!(reach.contains(&"rye in `team/**` of the registry `team`"), "{reach:?}");
    // Asked once; and another item of the namespace is good, one of another namespace is not.
    publish(&sandbox, "team/second", "1.0.0", "Second.");
    as_bob(&sandbox, &BOB, &["pull", "team/second"]).succeeds();
    publish(&sandbox, "ops/other", "1.0.0", "Other.");
    let seen = as_bob(&sandbox, &BOB, &["pull", "ops/other"]).transcript();
    assert!(seen.contains("`ops/**` of the registry `team` is signed by") && seen.ends_with("[exit 3]\n"), "{seen}");
    let seen = as_bob(&sandbox, &BOB, &["pull", "ops/other", "--yes"]).env("CLAUDECODE", "1").transcript();
    assert!(
        seen.contains("refused to trust this key for `ops/**` of `team`") && seen.ends_with("[exit 3]\n"),
        "{seen}"
    );
}

#[test]
fn an_item_that_came_with_a_clone_is_not_executed_before_its_key_is_trusted() {
    let (sandbox, other) = shared(&BOB);
    publish(&sandbox, "team/runbook", "1.0.0", "Restart it.");
    let third = super::another(&sandbox, "carol");
    sandbox.rye(&["-C", &third, "pull", "team/runbook", "-q"]).succeeds();
    for path in ["rye.lock", ".ai/knowledge/team/runbook.md"] {
        let to = sandbox.path("bob").join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(sandbox.path("carol").join(path), to).unwrap();
    }
    sandbox.git(&["-C", &other, "add", "-A"]);
    let seen = as_bob(&sandbox, &BOB, &["execute", "knowledge", "team/runbook"]).transcript();
    assert!(seen.contains("which is not trusted here") && seen.ends_with("[exit 3]\n"), "{seen}");
    assert!(seen.contains("hint: it was pulled from the registry `team`: run `rye pull team/runbook`"), "{seen}");
    let seen = as_bob(&sandbox, &BOB, &["pull", "--locked"]).transcript();
    assert!(seen.contains("knowledge `team/runbook` is untrusted") && seen.ends_with("[exit 0]\n"), "{seen}");
    // The lock came with the project: it does not say where a namespace of Bob's comes from.
    let list = || json(&as_bob(&sandbox, &BOB, &["registry", "list", "--json"]).stdout()).to_string();
    assert!(!list().contains(r#""namespaces":["team"]"#), "{}", list());
    as_bob(&sandbox, &BOB, &["pull", "team/runbook", "--yes"]).succeeds();
    assert!(list().contains(r#""namespaces":["team"]"#), "{}", list());
    as_bob(&sandbox, &BOB, &["execute", "knowledge", "team/runbook"]).succeeds();
}

/// A decision about a registry is one about the items published there.
#[test]
fn a_file_that_was_copied_by_hand_does_not_count_by_a_registrys_key_and_nothing_does_after_it_was_removed() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/runbook", "1.0.0", "Restart it.");
    as_bob(&sandbox, &BOB, &["pull", "team/runbook", "--yes", "-q"]).succeeds();
    let execute = |id: &str| as_bob(&sandbox, &BOB, &["execute", "knowledge", id]).transcript();
    write(&sandbox, "team/draft", "1.0.0", "Never published.");
    sandbox.rye(&["sign", "knowledge", "team/draft", "-q"]).succeeds();
    let path = ".ai/knowledge/team/draft.md";
    fs::copy(sandbox.project().join(path), sandbox.path("bob").join(path)).unwrap();
    assert!(execute("team/draft").ends_with("[exit 3]\n"), "{}", execute("team/draft"));
    assert!(execute("team/runbook").ends_with("[exit 0]\n"), "{}", execute("team/runbook"));
    // Another version than that of the lock.
    let (path, before) = (".ai/knowledge/team/runbook.md", fs::read(sandbox.path("bob/.ai/knowledge/team/runbook.md")));
    sandbox.edit(path, "1.0.0", "1.1.0");
    sandbox.rye(&["sign", "knowledge", "team/runbook", "-q"]).succeeds();
    fs::copy(sandbox.project().join(path), sandbox.path("bob").join(path)).unwrap();
    assert!(execute("team/runbook").ends_with("[exit 3]\n"), "{}", execute("team/runbook"));
    fs::write(sandbox.path("bob").join(path), before.unwrap()).unwrap();
    // A commit is judged by its own lock.
    sandbox.git(&["-C", "../bob", "add", "-A", "--", ".ai/knowledge/team/runbook.md", "rye.lock"]);
    sandbox.git(&["-C", "../bob", "commit", "-q", "-m", "pulled"]);
    sandbox.git(&["-C", "../bob", "rm", "-q", "--cached", "rye.lock"]);
    fs::rename(sandbox.path("bob/rye.lock"), sandbox.path("lock")).unwrap();
    assert!(execute("team/runbook").ends_with("[exit 3]\n"), "{}", execute("team/runbook"));
    let seen = as_bob(&sandbox, &BOB, &["verify", "--rev", "HEAD"]).transcript();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    fs::rename(sandbox.path("lock"), sandbox.path("bob/rye.lock")).unwrap();
    let seen = as_bob(&sandbox, &BOB, &["registry", "remove", "team"]).transcript();
    assert!(seen.contains("note: the keys that you trusted for `team/**` of it no longer count"), "{seen}");
    assert!(execute("team/runbook").ends_with("[exit 3]\n"), "{}", execute("team/runbook"));
}

/// What a trusted key publishes may want more than before: a person looks at it.
#[test]
fn an_agent_client_neither_pulls_nor_updates_by_a_key_that_counts_already() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/runbook", "1.0.0", "One.");
    as_bob(&sandbox, &BOB, &["pull", "team/runbook", "--yes", "-q"]).succeeds();
    publish(&sandbox, "team/runbook", "1.1.0", "Two.");
    publish(&sandbox, "team/second", "1.0.0", "Second.");
    for args in [&["update", "--yes"][..], &["pull", "team/runbook", "--yes"], &["pull", "team/second", "--yes"]] {
        let seen = as_bob(&sandbox, &BOB, args).env("CLAUDECODE", "1").transcript();
        assert!(seen.contains(": refused to ") && seen.ends_with("[exit 3]\n"), "{seen}");
        assert!(!sandbox.path("bob/.ai/knowledge/team/second.md").exists());
    }
    let text = fs::read_to_string(sandbox.path("bob/.ai/knowledge/team/runbook.md")).unwrap();
    assert!(text.contains("1.0.0"), "{text}");
    as_bob(&sandbox, &BOB, &["update", "--yes"]).succeeds();
}

/// Moves an entry of the first person's project into Bob's, signs and publishes it there.
fn by_bob(sandbox: &Sandbox, id: &str, needs: &str, registry: &str) -> String {
    write(sandbox, id, "1.0.0", "Bob's.");
    let path = format!(".ai/knowledge/{id}.md");
    sandbox.edit(&path, "version: \"1.0.0\"\n", &format!("version: \"1.0.0\"\nextends: [{needs}]\n"));
    let to = sandbox.path("bob").join(&path);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(sandbox.project().join(&path), to).unwrap();
    as_bob(sandbox, &BOB, &["sign", "knowledge", id, "-q"]).succeeds();
    as_bob(sandbox, &BOB, &["publish", "knowledge", id, "--registry", registry, "--yes"]).transcript()
}

#[test]
fn what_needs_an_item_of_another_person_is_published_with_their_release() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/manners", "1.0.0", "Be kind.");
    as_bob(&sandbox, &BOB, &["pull", "team/manners", "--yes", "-q"]).succeeds();
    let seen = by_bob(&sandbox, "bob/guide", "team/manners", "team");
    assert!(seen.contains("knowledge team/manners 1.0.0 is published in `team` already"), "{seen}");
    assert!(seen.contains("Published bob/guide 1.0.0 to team") && seen.ends_with("[exit 0]\n"), "{seen}");
    // Only new items go into another registry; the source of the namespace stays.
    as_bob(&sandbox, &BOB, &["registry", "init", "../bobs.git", "-q"]).succeeds();
    as_bob(&sandbox, &BOB, &["registry", "add", "bobs", "../bobs.git", "-q"]).succeeds();
    let seen = by_bob(&sandbox, "mine/guide", "team/manners", "bobs");
    assert!(seen.contains("Unchanged team/manners 1.0.0 in team\n"), "{seen}");
    assert!(seen.contains("Published mine/guide 1.0.0 to bobs (seq 2)") && seen.ends_with("[exit 0]\n"), "{seen}");
    sandbox.rye(&["registry", "add", "bobs", "../bobs.git", "-q"]).succeeds();
    let third = super::another(&sandbox, "third");
    let outcome = json(&sandbox.rye(&["-C", &third, "pull", "mine/guide", "--yes", "--json"]).stdout());
    let from: Vec<&str> =
        outcome["pulled"].as_array().unwrap().iter().map(|item| item["registry"].as_str().unwrap()).collect();
    assert_eq!(from, ["team", "bobs"], "{outcome}");
    // A changed item is new, and not Bob's to sign for.
    let path = sandbox.path("bob/.ai/knowledge/team/manners.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("Be kind.", "Be kinder.").replace("1.0.0", "1.1.0")).unwrap();
    let seen = by_bob(&sandbox, "bob/third", "team/manners", "team");
    assert!(seen.contains("cannot publish knowledge `team/manners`: it needs your own signature"), "{seen}");
}

#[test]
fn a_namespace_belongs_to_who_claimed_it_until_they_share_or_transfer_it() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/runbook", "1.0.0", "One.");
    let bobs = |args: &[&str]| as_bob(&sandbox, &BOB, args).transcript();
    fs::create_dir_all(sandbox.path("bob/.ai/knowledge/team")).unwrap();
    write(&sandbox, "team/guide", "1.0.0", "Two.");
    fs::rename(sandbox.project().join(".ai/knowledge/team/guide.md"), sandbox.path("bob/.ai/knowledge/team/guide.md"))
        .unwrap();
    as_bob(&sandbox, &BOB, &["sign", "knowledge", "team/guide", "-q"]).succeeds();
    let seen = bobs(&["publish", "knowledge", "team/guide", "--yes"]);
    assert!(seen.contains("does not own the namespace `team` in `team`") && seen.ends_with("[exit 3]\n"), "{seen}");
    let seen = bobs(&["registry", "yank", "team/runbook", "1.0.0"]);
    assert!(seen.contains("does not own the namespace `team`") && seen.ends_with("[exit 3]\n"), "{seen}");
    let key = public_key(&sandbox, "config-bob");
    let seen = sandbox.rye(&["registry", "owner", "add", "team", &key]).transcript();
    assert!(seen.contains("not changed: confirm on a terminal or pass `--yes`"), "{seen}");
    sandbox.rye(&["registry", "owner", "add", "team", &key, "--yes"]).succeeds();
    let seen = bobs(&["publish", "knowledge", "team/guide", "--yes"]);
    assert!(seen.contains("Published team/guide 1.0.0 to team (seq "), "{seen}");
    sandbox.rye(&["pull", "team/guide", "--yes"]).succeeds();
    // Bob takes it over: earlier versions stay good, and only he may go on.
    let seen = bobs(&["registry", "owner", "transfer", "team", &key, "--yes"]);
    assert!(seen.contains("Transferred team to SHA256:") && seen.ends_with("[exit 0]\n"), "{seen}");
    write(&sandbox, "team/runbook", "1.1.0", "More.");
    sandbox.rye(&["sign", "knowledge", "team/runbook", "-q"]).succeeds();
    let seen = sandbox.rye(&["publish", "knowledge", "team/runbook", "--yes"]).transcript();
    assert!(seen.contains("does not own the namespace `team`") && seen.ends_with("[exit 3]\n"), "{seen}");
    as_bob(&sandbox, &BOB, &["pull", "team/runbook", "--yes"]).succeeds();
    let seen = bobs(&["registry", "owner", "remove", "team", &key, "--yes"]);
    assert!(seen.contains("would be left without an owner"), "{seen}");
    let seen = bobs(&["registry", "deprecate", "team/runbook", "use team/guide"]);
    assert!(seen.contains("Deprecated team/runbook in team (seq "), "{seen}");
    let seen = bobs(&["pull", "team/runbook"]);
    assert!(seen.contains("warning: knowledge `team/runbook` is deprecated: use team/guide"), "{seen}");
    let seen = bobs(&["registry", "info", "team"]);
    assert!(seen.contains("deprecated: use team/guide"), "{seen}");
    let seen = sandbox.rye(&["registry", "verify", "team"]).transcript();
    assert!(seen.contains("ok\tteam\t") && seen.ends_with("[exit 0]\n"), "{seen}");
}

#[test]
fn an_owner_replaces_their_key_and_the_old_one_owns_nothing_any_more() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/runbook", "1.0.0", "One.");
    let key = public_key(&sandbox, "config-bob");
    let rotate = ["registry", "owner", "rotate", "team", &key];
    let seen = sandbox.rye(&rotate).transcript();
    assert!(seen.contains("not changed: confirm on a terminal or pass `--yes`"), "{seen}");
    let seen = sandbox.rye(&[&rotate[..], &["--yes"]].concat()).transcript();
    assert!(seen.contains("Replaced your key by SHA256:") && seen.ends_with("[exit 0]\n"), "{seen}");
    let seen = sandbox.rye(&[&rotate[..], &["--yes"]].concat()).transcript();
    assert!(seen.contains("does not own the namespace `team` in `team`") && seen.ends_with("[exit 3]\n"), "{seen}");
    assert!(seen.contains("rye registry owner add team your_key.pub"), "{seen}");
    let seen = as_bob(&sandbox, &BOB, &["registry", "yank", "team/runbook", "1.0.0"]).transcript();
    assert!(seen.contains("Yanked team/runbook 1.0.0 in team (seq 4)"), "{seen}");
    sandbox.rye(&["registry", "verify"]).succeeds();
}

#[test]
fn in_a_closed_registry_only_its_maker_claims_namespaces() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["registry", "init", "../closed.git", "--claims", "owners", "-q"]).succeeds();
    super::another(&sandbox, "bob");
    sandbox.key_id(&BOB);
    as_bob(&sandbox, &BOB, &["registry", "add", "closed", "../closed.git", "-q"]).succeeds();
    write(&sandbox, "bob/guide", "1.0.0", "Two.");
    fs::create_dir_all(sandbox.path("bob/.ai/knowledge")).unwrap();
    fs::rename(sandbox.project().join(".ai/knowledge/bob"), sandbox.path("bob/.ai/knowledge/bob")).unwrap();
    as_bob(&sandbox, &BOB, &["sign", "knowledge", "bob/guide", "-q"]).succeeds();
    let seen = as_bob(&sandbox, &BOB, &["publish", "knowledge", "bob/guide", "--yes"]).transcript();
    assert!(seen.contains("does not own the namespace `bob` in `closed`") && seen.ends_with("[exit 3]\n"), "{seen}");
}

#[test]
fn many_publishers_at_once_lose_nothing_and_double_nothing() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["registry", "init", "../team.git", "-q"]).succeeds();
    let names: Vec<String> = (0..16).map(|number| format!("p{number}")).collect();
    let people: Vec<Person> = names.iter().map(|name| Person::new(Box::leak(name.clone().into_boxed_str()))).collect();
    let run = |person: &Person, name: &str, args: &[&str]| {
        let home = sandbox.path(&format!("home-{name}"));
        fs::create_dir_all(&home).unwrap();
        sandbox.rye(args).by(person).env("HOME", &home.display().to_string())
    };
    for (name, person) in names.iter().zip(&people) {
        run(person, name, &["registry", "add", "team", "../team.git", "-q"]).succeeds();
        run(person, name, &["key", "generate", "-q"]).succeeds();
        write(&sandbox, &format!("{name}/item"), "1.0.0", "Text.");
        run(person, name, &["sign", "knowledge", &format!("{name}/item"), "-q"]).succeeds();
    }
    let started: Vec<_> = names
        .iter()
        .zip(&people)
        .map(|(name, person)| run(person, name, &["publish", "knowledge", &format!("{name}/item"), "--yes"]).spawn())
        .collect();
    for child in started {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    sandbox.rye(&["registry", "add", "team", "../team.git", "-q"]).succeeds();
    let seen = sandbox.rye(&["registry", "verify"]).transcript();
    assert!(seen.contains("ok\tteam\t33 lines\t16 versions\n"), "{seen}");
    let fsck = sandbox.git(&["-C", "../team.git", "fsck", "--strict", "--no-dangling"]);
    assert_eq!(fsck, "");
}

#[test]
fn on_a_terminal_a_person_sees_the_key_and_decides_what_becomes_public_and_whom_they_trust() {
    if !has("python3") {
        return;
    }
    let (sandbox, _) = shared(&BOB);
    write(&sandbox, "team/runbook", "1.0.0", "One.");
    sandbox.rye(&["sign", "knowledge", "team/runbook", "-q"]).succeeds();
    let rye = crate::support::RYE;
    let publish = [rye, "publish", "knowledge", "team/runbook"];
    let (seen, code) = on_terminal(&sandbox, &[("publish to `team`? [y/N] ", "n\n")], &publish);
    assert!(code == 5 && seen.contains("nothing was published"), "{code}: {seen}");
    let (seen, code) = on_terminal(&sandbox, &[("publish to `team`? [y/N] ", "y\n")], &publish);
    assert!(code == 0 && seen.contains("Published team/runbook 1.0.0 to team (seq 2)"), "{code}: {seen}");
    assert!(seen.contains("  runbook.md (") && seen.contains("under your key SHA256:"), "{seen}");
    assert!(!seen.contains("From ") && !seen.contains("Writing objects"), "git is silent: {seen}");
    // Bob's folders, in the environment of the one command.
    let (config, home) =
        (sandbox.path("config-bob").display().to_string(), sandbox.path("home-bob").display().to_string());
    let pull = format!("RYE_SEED=bob XDG_CONFIG_HOME={config} HOME={home} exec {rye} -C ../bob pull team/runbook");
    let question = "trust this key for `team/**` of `team`? [y/N] ";
    let (seen, code) = on_terminal(&sandbox, &[(question, "n\n")], &["sh", "-c", &pull]);
    assert!(code == 5 && seen.contains("nothing was pulled") && !sandbox.path("bob/.ai").exists(), "{code}: {seen}");
    let (seen, code) = on_terminal(&sandbox, &[(question, "y\n")], &["sh", "-c", &pull]);
    assert!(code == 0 && seen.contains("Pulled team/runbook 1.0.0 from team"), "{code}: {seen}");
    as_bob(&sandbox, &BOB, &["execute", "knowledge", "team/runbook"]).succeeds();
}
