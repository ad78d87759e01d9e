//! Two people share runs: Ada runs and pushes, Ben fetches, reads, trusts her agent for turns, and accepts. And remotes that lie.

use rye::keys::KeyName;
use rye::thread::Outcome;
use serde_json::Value;

use super::world::{FILES, World, directive, text, write};

/// Ada with a thread that a remote has, and her trust files; Ben with a clone and keys of his own.
struct Both {
    ada: World,
    ben: World,
    thread: Outcome,
}

impl Both {
    fn new() -> Self {
        let ada = World::new();
        ada.directive(FILES, r#"turns="3""#, "");
        ada.commit("items");
        let origin = ada.path("origin.git").display().to_string();
        ada.git_in(".", &["init", "-q", "--bare", "-b", "main", "origin.git"]);
        ada.git(&["remote", "add", "origin", &origin]);
        let thread = ada.run(&[write("src/a.txt", "b\n"), text("Done.")]);
        done(&ada, &["trust", "propose", "--principal", "ada@example.org", "--commit", "--yes"]);
        ada.git(&["push", "-q", "origin", "main"]);
        done(&ada, &["thread", "push", "origin", "@latest", "--yes"]);
        let ben = World::bare();
        ben.git_in(".", &["clone", "-q", &origin, "project"]);
        ben.git(&["config", "user.name", "Ben"]);
        ben.git(&["config", "user.email", "ben@example.org"]);
        done(&ben, &["key", "generate"]);
        Self { ada, ben, thread }
    }

    /// The thread's name for Ben.
    fn name(&self) -> String {
        format!("origin/{}", self.thread.thread_id)
    }

    /// Runs git in the remote.
    fn origin(&self, args: &[&str]) -> String {
        self.ada.git_in("origin.git", args).trim_end().to_owned()
    }

    fn fetched(&self) -> String {
        let name = format!("refs/remotes/origin/rye/threads/{}", self.thread.thread_id);
        self.ben.git(&["rev-parse", &name])
    }
}

/// Runs the program: its exit code and all that it prints.
fn said(world: &World, args: &[&str]) -> (i32, String) {
    let output = world.rye(args).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

fn done(world: &World, args: &[&str]) -> Value {
    let (code, value) = world.rye_json(args);
    assert_eq!(code, 0, "{args:?}: {value}");
    value
}

/// Attack: a colleague's run of a task is run again, and the flags that the colleague gave open the other person's machine.
#[test]
fn the_flags_of_a_colleague_do_not_count_for_another_person() {
    let Both { ada, ben, .. } = Both::new();
    let script = ada.script(&[write("src/a.txt", "b\n"), text("Done.")]).display().to_string();
    let scripted = ["--provider", super::world::SCRIPTED, "--script", &script];
    done(&ada, &[&["run", "--write", "src/**", "--shell", "sh", "Do it"], &scripted[..]].concat());
    done(&ada, &["thread", "push", "origin", "@latest", "--yes"]);
    done(&ben, &["thread", "fetch", "origin"]);
    done(&ben, &["trust", "accept", "--yes"]);
    let listed = done(&ben, &["thread", "list", "--remote"]);
    let mut ids = listed["threads"].as_array().unwrap().iter().map(|thread| thread["thread_id"].as_str().unwrap());
    let name = ids.find(|id| id.starts_with("task-")).unwrap().to_owned();
    let again = ["thread", "rerun", &format!("origin/{name}"), "--script", &script];
    let (code, refused) = ben.rye_json(&again);
    assert_eq!((code, &refused["error"]["code"]), (3, &serde_json::json!("granted-by-another")), "{refused}");
    // A branch of one's own with it changes nothing.
    ben.git(&["branch", &format!("rye/threads/{name}"), &format!("refs/remotes/origin/rye/threads/{name}")]);
    assert_eq!(ben.rye_json(&["thread", "rerun", &name, "--script", &script]).0, 3);
}

#[test]
fn a_colleague_s_run_is_fetched_read_trusted_for_turns_and_accepted() {
    let both = Both::new();
    let (ben, name) = (&both.ben, both.name());
    let id = both.thread.thread_id.as_str();
    let key = ben_sees_key(&both);
    // Nothing was fetched yet but by the clone, which knows all branches.
    ben.git(&["update-ref", "-d", &format!("refs/remotes/origin/rye/threads/{id}")]);
    let (_, list) = said(ben, &["thread", "list"]);
    assert!(list.contains("no threads yet") && list.contains("`rye thread fetch`"), "{list}");
    let (code, unknown) = said(ben, &["thread", "show", id]);
    assert!(code == 1 && unknown.contains(&format!("hint: run `rye thread fetch origin {id}`")), "{unknown}");
    let (code, unknown) = said(ben, &["thread", "show", &name]);
    assert!(code == 1 && unknown.contains(&format!("hint: run `rye thread fetch origin {id}`")), "{unknown}");
    let fetched = done(ben, &["thread", "fetch"]);
    assert_eq!(
        (&fetched["threads"][0]["name"], &fetched["threads"][0]["status"]),
        (&name.as_str().into(), &"new".into())
    );
    assert_eq!(done(ben, &["thread", "fetch", "origin", id])["threads"][0]["status"], "unchanged");
    let (_, only) = said(ben, &["thread", "show", id]);
    assert!(only.contains(&format!("hint: name it with its remote: `rye thread show {name}`")), "{only}");
    let hint = format!("no use for turns for key `{key}`");
    let (code, list) = said(ben, &["thread", "list", "--remote"]);
    assert!(code == 0 && list.contains("not verified") && list.contains(&key) && list.contains(&hint), "{list}");
    assert!(list.contains("claims Ada <ada@example.org>") && list.contains("`rye trust accept`"), "{list}");
    // Reading shows, and says so; what relies on the record refuses.
    for args in [&["show"][..], &["log"], &["diff"], &["export"]] {
        let (code, told) = said(ben, &[&["thread"], args, &[&name]].concat());
        assert!(code == 0 && told.contains(&hint) && told.contains("--use turns`"), "{args:?}: {told}");
    }
    for args in [&["replay", &name][..], &["accept", &name, "--yes"], &["rerun", &name]] {
        let (code, told) = said(ben, &[&["thread"], args].concat());
        assert!(code == 3 && told.contains("no use for turns") && told.contains("--use turns`"), "{args:?}: {told}");
    }
    let accepted = said(ben, &["trust", "accept", "--yes"]).1;
    assert!(accepted.contains(&format!("+ key {key} ")), "{accepted}");
    assert!(accepted.contains("rye-agent:ada@example.org: turns of threads"), "{accepted}");
    let shown = done(ben, &["thread", "show", &name]);
    assert_eq!(shown["signatures"]["verified"], true, "{shown}");
    assert_eq!(shown["signatures"]["signers"][0]["agent_of"], "rye-agent:ada@example.org");
    let list = said(ben, &["thread", "list", "--remote"]).1;
    assert!(list.contains("rye-agent:ada@example.org") && !list.contains("Ada <"), "{list}");
    assert_eq!(done(ben, &["thread", "list", "--remote"])["threads"][0].get("claimed_committer"), None);
    assert_eq!((&shown["remote"], &shown["status"]), (&"origin".into(), &"completed".into()));
    assert_eq!(done(ben, &["thread", "replay", &name])["status"], "same");
    continuing_is_refused(ben, &name, &key);
    let taken = done(ben, &["thread", "accept", &format!("origin/{}", &id[..id.len() - 2]), "--yes"]);
    assert!(taken["commit_id"].is_string(), "{taken}");
    assert_eq!((ben.read("src/a.txt"), ben.git(&["log", "-1", "--format=%an"])), ("b\n".to_owned(), "Ben".to_owned()));
    // The page goes on with what Ben can do, under the name that he has.
    let page = said(ben, &["thread", "show", "origin/@latest"]).1;
    assert!(page.contains(&format!("rye thread diff {name}")) && !page.contains("rye thread resume"), "{page}");
}

/// Returns the id of the key of Ada's agent.
fn ben_sees_key(both: &Both) -> String {
    let keys = done(&both.ada, &["key", "list"]);
    let is_agents = |key: &&Value| key["name"] == "agent";
    keys["keys"].as_array().unwrap().iter().find(is_agents).unwrap()["key_id"].as_str().unwrap().to_owned()
}

/// The next turn is the own agent's alone, wherever the branch is.
fn continuing_is_refused(ben: &World, name: &str, key: &str) {
    let id = name.trim_start_matches("origin/");
    let local = format!("rye/threads/{id}");
    let refused = |name: &str| {
        for args in [&["resume", name][..], &["fork", name, "--turn", "0"]] {
            let (code, told) = said(ben, &[&["thread"], args].concat());
            let sentence = format!("error: cannot continue thread `{name}` with your own agent's key: commit `");
            assert!(code == 3 && told.contains(&sentence), "{told}");
            assert!(told.contains(&format!("it is signed by the key `{key}`")), "{told}");
        }
    };
    refused(name);
    ben.git(&["branch", "-q", "--no-track", &local, &format!("origin/{local}")]);
    let before = ben.git(&["rev-parse", &local]);
    let (code, told) = said(ben, &["thread", "fork", id, "--turn", "0"]);
    assert!(code == 3 && told.contains("with your own agent's key: commit `"), "{told}");
    assert_eq!(ben.git(&["rev-parse", &local]), before);
    ben.git(&["branch", "-q", "-D", &local]);
    for verb in ["tail", "rm"] {
        let (code, told) = said(ben, &["thread", verb, name]);
        assert!(code == 1 && told.contains(&format!("is not here; `{name}` was fetched")), "{told}");
    }
}

/// With the key of Ada's agent for turns, everything else that it signs is refused.
#[test]
fn the_agent_of_a_colleague_is_trusted_for_turns_and_for_nothing_else() {
    let Both { ada, ben, .. } = &Both::new();
    done(ben, &["trust", "accept", "--yes"]);
    assert_eq!(ben.rye_json(&["verify"]).0, 0);
    ada.write(".ai/directives/demo/other.md", &directive("other", FILES, r#"turns="3""#, ""));
    ada.sign(KeyName::Agent, "demo/other");
    let agent = ada.path("home/.config/rye/keys/agent").display().to_string();
    ada.git(&["add", "-A"]);
    let setting = format!("user.signingKey={agent}");
    ada.git(&["-c", "gpg.format=ssh", "-c", &setting, "commit", "-q", "-S", "-m", "by the agent"]);
    ada.git(&["push", "-q", "origin", "main"]);
    ben.git(&["pull", "-q"]);
    let (code, told) = said(ben, &["verify"]);
    assert!(code == 3 && told.contains("RYE-S006"), "{told}");
    let (code, told) = said(ben, &["verify", "--commits", "--range", "HEAD~1..HEAD"]);
    assert!(code == 3 && told.contains("RYE-C004"), "{told}");
    // Nor does its signature change whom the project trusts, or what its configuration says.
    ada.write(".ai/config.toml", "[permissions]\ndeny = []\n");
    let (code, told) = said(ada, &["trust", "propose", "--key", &agent, "--yes"]);
    assert!(code != 0, "{told}");
    // Stock git knows no such use.
    let signers = std::fs::read_dir(ben.path("home/.config/rye/trust/projects")).unwrap();
    for project in signers {
        for place in std::fs::read_dir(project.unwrap().path()).unwrap() {
            let git = std::fs::read_to_string(place.unwrap().path().join("git_allowed_signers")).unwrap();
            assert!(git.contains("ada@example.org") && !git.contains("rye-agent:ada"), "{git}");
        }
    }
}

#[test]
fn an_agent_s_key_is_exported_and_added_with_its_use_alone() {
    let Both { ada, ben, thread } = &Both::new();
    let line = done(ada, &["key", "export", "agent"])["text"].as_str().unwrap().to_owned();
    assert!(line.starts_with("rye-agent:ada@example.org namespaces=\"git-turns\" ssh-ed25519 "), "{line}");
    for form in ["openssh", "pem"] {
        let (code, told) = said(ada, &["key", "export", "agent", "--as", form]);
        assert!(code == 2 && told.contains("hint: run `rye key export agent`"), "{told}");
    }
    let uses = |args: &[&str]| done(ben, &[&["trust", "add"], args].concat())["keys"][0]["reach"].clone();
    ben.write_at(&ben.path("line"), &line);
    let (code, told) = said(ben, &["trust", "add", "../line", "--use", "commits"]);
    assert!(code == 2 && told.contains("names other uses: git-turns"), "{told}");
    assert_eq!(uses(&["../line"]), "git-turns");
    let name = format!("origin/{}", thread.thread_id);
    assert_eq!(done(ben, &["thread", "show", &name])["signatures"]["verified"], true);
    // The file itself says that the key is an agent's; another plain key counts for what is asked.
    done(ben, &["trust", "remove", "rye-agent:ada@example.org"]);
    let public = std::fs::read_to_string(ada.path("home/.config/rye/keys/agent.pub")).unwrap();
    ben.write_at(&ben.path("agent.pub"), &public);
    assert_eq!(uses(&["../agent.pub", "--principal", "rye-agent:ada@example.org"]), "git-turns");
    done(ben, &["trust", "remove", "rye-agent:ada@example.org"]);
    let bare = public.split(' ').take(2).collect::<Vec<_>>().join(" ");
    ben.write_at(&ben.path("bare.pub"), &format!("{bare}\n"));
    assert_eq!(uses(&["../bare.pub", "--use", "turns", "--principal", "ada-agent"]), "git-turns");
    assert_eq!(done(ben, &["thread", "replay", &name])["status"], "same");
}

/// A further signature below the same version does not change it, and an agent's line comes with a new one.
#[test]
fn a_proposal_carries_the_proposer_s_agent_once() {
    let Both { ada, .. } = &Both::new();
    let signers = || ada.read(".ai/trust/allowed_signers");
    let first = signers();
    assert_eq!(first.matches("rye-agent:ada@example.org namespaces=\"git-turns\" ").count(), 1, "{first}");
    assert_eq!(done(ada, &["trust", "propose", "--yes"])["status"], "unchanged");
    assert_eq!(signers(), first);
}

#[test]
fn what_a_remote_says_of_one_s_own_thread_is_another_thread() {
    let both = Both::new();
    let (ben, theirs) = (&both.ben, both.thread.commit_id.as_str());
    done(ben, &["trust", "accept", "--yes"]);
    let own = ben.run(&[text("Done.")]);
    let id = own.thread_id.as_str();
    both.origin(&["update-ref", &format!("refs/heads/rye/threads/{id}"), theirs]);
    done(ben, &["thread", "fetch"]);
    assert_eq!(ben.git(&["rev-parse", &own.branch]), own.commit_id.as_str());
    let shown = done(ben, &["thread", "show", id]);
    assert_eq!((&shown["commit_id"], shown.get("remote")), (&own.commit_id.as_str().into(), None));
    let (code, told) = said(ben, &["thread", "show", &format!("origin/{id}")]);
    assert!(code == 1 && told.contains("unknown thread"), "{told}");
    let (code, told) = said(ben, &["thread", "accept", &format!("origin/{id}"), "--yes"]);
    assert!(code == 1, "{told}");
    let list = done(ben, &["thread", "list", "--remote=origin"]);
    assert_eq!(list["unreadable"], serde_json::json!([format!("origin/{id}")]));
    // A run of this person's own agent that only the remote still has can be had back.
    both.origin(&["update-ref", "-d", &format!("refs/heads/rye/threads/{id}")]);
    done(ben, &["thread", "push", "origin", id, "--yes"]);
    done(ben, &["thread", "rm", id, "--yes"]);
    ben.git(&["update-ref", "-d", &format!("refs/remotes/origin/rye/threads/{id}")]);
    done(ben, &["thread", "fetch", "origin", id]);
    let (code, told) = said(ben, &["thread", "fork", &format!("origin/{id}"), "--turn", "0"]);
    let back = format!("`git branch rye/threads/{id} remotes/origin/rye/threads/{id}`");
    assert!(code == 1 && told.contains(&back), "{told}");
}

#[test]
fn a_verb_for_own_threads_says_so_of_a_fetched_one() {
    let both = Both::new();
    let (ben, name) = (&both.ben, both.name());
    done(ben, &["thread", "fetch"]);
    for args in [&["rm", &name, "--yes"][..], &["tail", &name], &["push", "origin", &name, "--yes"]] {
        let (code, told) = said(ben, &[&["thread"], args].concat());
        let sentence = format!("`{name}` was fetched, and this command works only on threads of this repository");
        assert!(code == 1 && told.contains(&sentence) && told.contains("`rye thread list`"), "{args:?}: {told}");
        assert!(!told.contains("name it with its remote"), "{args:?}: {told}");
    }
    assert_eq!(both.fetched(), both.thread.commit_id.as_str());
}

#[test]
fn what_a_remote_rewrote_or_lost_stays_as_it_was_fetched() {
    let both = Both::new();
    let (ben, branch) = (&both.ben, both.thread.branch.as_str());
    let tip = both.thread.commit_id.as_str();
    ben.git(&["config", "fetch.prune", "true"]);
    ben.git(&["config", "remote.origin.prune", "true"]);
    done(ben, &["thread", "fetch"]);
    assert_eq!(both.fetched(), tip);
    both.origin(&["update-ref", branch, &both.origin(&["rev-parse", &format!("{branch}~1")])]);
    let (code, told) = said(ben, &["thread", "fetch"]);
    assert!(code == 3 && told.contains("`origin` rewrote thread `"), "{told}");
    assert_eq!(both.fetched(), tip);
    both.origin(&["update-ref", branch, "main"]);
    assert_eq!(ben.rye_json(&["thread", "fetch"]).1["threads"][0]["status"], "rewritten");
    assert_eq!(both.fetched(), tip);
    both.origin(&["update-ref", "-d", branch]);
    let (code, told) = said(ben, &["thread", "fetch"]);
    assert!(code == 0 && told.contains("`origin` has no threads"), "{told}");
    assert_eq!(both.fetched(), tip);
    // What comes on top is an update.
    both.origin(&["update-ref", branch, tip]);
    ben.git(&["update-ref", &format!("refs/remotes/origin/{}", &branch["refs/heads/".len()..]), &format!("{tip}~1")]);
    assert_eq!(done(ben, &["thread", "fetch"])["threads"][0]["status"], "updated");
}

#[test]
fn the_noise_of_a_remote_is_bounded_and_none_of_its_names_reaches_the_terminal() {
    let both = Both::new();
    let (ben, thread) = (&both.ben, &both.thread);
    let main = both.origin(&["rev-parse", "main"]);
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    let mut names: Vec<String> =
        (0..100_000).map(|number| format!("refs/heads/rye/threads/noise-20200101-000000-{number:08}")).collect();
    names.push("refs/heads/rye/threads/\u{202e}evil\u{9b}31m".to_owned());
    names.sort();
    names.iter().for_each(|name| packed += &format!("{main} {name}\n"));
    ben.write_at(&both.ada.path("origin.git/packed-refs"), &packed);
    let (code, told) = said(ben, &["thread", "fetch", "origin"]);
    assert_eq!(code, 0, "{}", &told[..told.len().min(2000)]);
    assert!(told.contains("`origin` has 99001 older threads"), "{}", &told[told.len().saturating_sub(600)..]);
    assert!(told.contains("skipped 1 branch of `origin`") && !told.contains(['\u{202e}', '\u{9b}']));
    let fetched = ben.git(&["for-each-ref", "--format=%(refname)", "refs/remotes/origin/rye/threads/"]);
    assert_eq!(fetched.lines().count(), 1000);
    assert_eq!(both.fetched(), thread.commit_id.as_str(), "the newest come first");
    let list = done(ben, &["thread", "list", "--remote"]);
    let count = |name: &str| list[name].as_array().map_or(0, Vec::len);
    assert_eq!((count("threads"), count("unreadable"), &list["more"]), (1, 99, &900.into()));
    // A whole id beyond the newest is fetched by its name.
    let named = "noise-20200101-000000-00000001";
    assert_eq!(done(ben, &["thread", "fetch", "origin", named])["threads"][0]["status"], "new");
    for name in ["nothing", "noise-2020", "../x", "--upload-pack=x", "*"] {
        let (code, told) = said(ben, &["thread", "fetch", "origin", "--", name]);
        assert!(code == 1, "{name}: {told}");
    }
}
