//! Attacks by whoever hosts a registry, or can push to it: each is refused with exit 3 and a rule of its own, and nothing is
//! written. Attacks that need no repository are tested next to the code: `registry/log/tests.rs` of `rye-registry`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{another, as_bob, json, publish, shared};
use crate::support::template::all_files;
use crate::support::{Person, Sandbox};

const BOB: Person = Person::new("bob");

/// A registry with two items that Bob has seen, and a clone of it in `evil`.
struct Attacked {
    sandbox: Sandbox,
    good: String,
}

impl Attacked {
    fn new() -> Self {
        let (sandbox, _) = shared(&BOB);
        publish(&sandbox, "team/runbook", "1.0.0", "One.");
        publish(&sandbox, "team/second", "1.0.0", "Two.");
        as_bob(&sandbox, &BOB, &["pull", "team/second", "--yes", "-q"]).succeeds();
        sandbox.git(&["clone", "-q", "../team.git", "../evil"]);
        let good = sandbox.git(&["-C", "../evil", "rev-parse", "HEAD"]).trim().to_owned();
        Self { sandbox, good }
    }

    /// Changes the registry's files, and pushes what comes of it.
    fn push(&self, change: impl FnOnce(&Path)) {
        self.sandbox.git(&["-C", "../evil", "reset", "-q", "--hard", &self.good]);
        self.sandbox.git(&["-C", "../evil", "clean", "-qfdx"]);
        change(&self.sandbox.path("evil"));
        self.sandbox.git(&["-C", "../evil", "add", "-A"]);
        self.sandbox.git(&["-C", "../evil", "commit", "-q", "--allow-empty", "-m", "evil"]);
        self.sandbox.git(&["-C", "../evil", "push", "-q", "-f", "origin", "HEAD:main"]);
    }

    /// Demands that a run of Bob's fails with exit 3 and a rule, and that it writes nothing.
    fn refused(&self, args: &[&str], rule: &str) {
        let place = self.sandbox.path("bob");
        let before = fs::read(place.join("rye.lock")).unwrap();
        let seen = as_bob(&self.sandbox, &BOB, &[args, &["--json"]].concat()).transcript();
        assert!(seen.contains(&format!("\"rule\":\"{rule}\"")) && seen.ends_with("[exit 3]\n"), "{rule}: {seen}");
        assert_eq!(fs::read(place.join("rye.lock")).unwrap(), before);
        assert!(!place.join(".ai/knowledge/team/runbook.md").exists(), "{rule}: {seen}");
    }
}

const PULL: &[&str] = &["pull", "team/runbook", "--yes"];
const VERIFY: &[&str] = &["registry", "verify", "team"];

fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true if entry.ends_with(".git") => {}
            true => files(&entry, found),
            false => found.push(entry),
        }
    }
}

#[test]
fn a_flipped_bit_in_any_file_of_a_registry_is_noticed() {
    let attacked = Attacked::new();
    let mut all = Vec::new();
    files(&attacked.sandbox.path("evil"), &mut all);
    assert!(all.len() > 10, "{all:?}");
    for path in all {
        attacked.push(|_| {
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(&path, bytes).unwrap();
        });
        let seen = as_bob(&attacked.sandbox, &BOB, &[VERIFY, &["--json"]].concat()).transcript();
        assert!(seen.contains("\"rule\":\"RYE-R0") && seen.ends_with("[exit 3]\n"), "{}: {seen}", path.display());
    }
    attacked.push(|_| {});
    as_bob(&attacked.sandbox, &BOB, VERIFY).succeeds();
}

/// A pull reads a part of the registry, and nothing of that part can change.
#[test]
fn a_flipped_bit_in_any_file_that_a_pull_reads_is_noticed_by_it() {
    let attacked = Attacked::new();
    let evil = attacked.sandbox.path("evil");
    let mut all = Vec::new();
    files(&evil, &mut all);
    let show = ["show", "team/runbook@1.0.0"];
    let mut refused = Vec::new();
    for path in &all {
        attacked.push(|_| {
            let mut bytes = fs::read(path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(path, bytes).unwrap();
        });
        let seen = as_bob(&attacked.sandbox, &BOB, &[&show[..], &["--json"]].concat()).transcript();
        if seen.ends_with("[exit 3]\n") {
            attacked.refused(PULL, seen.split("\"rule\":\"").nth(1).unwrap().split('"').next().unwrap());
            refused.push(path.strip_prefix(&evil).unwrap().display().to_string());
        } else {
            assert!(seen.ends_with("[exit 0]\n"), "{}: {seen}", path.display());
        }
    }
    let count = |folder: &str| refused.iter().filter(|path| path.starts_with(folder)).count();
    for (folder, number) in [("checkpoint", 1), ("config.toml", 1), ("index/", 3), ("tables/", 4), ("tile/", 1)] {
        assert_eq!(count(folder), number, "{folder}: {refused:?}");
    }
    assert_eq!((count("objects/"), count("namespaces/")), (2, 0), "{refused:?}");
    // The recorded state moved on, and this checks no line of others.
    attacked.push(|_| {});
    let state = attacked.sandbox.path("home-bob/.local/state/rye/registries/team");
    fs::remove_file(state.join("checked")).unwrap();
    as_bob(&attacked.sandbox, &BOB, PULL).succeeds();
    assert!(state.join("checkpoint").exists() && !state.join("checked").exists());
    as_bob(&attacked.sandbox, &BOB, VERIFY).succeeds();
    assert!(state.join("checked").exists());
}

#[test]
fn a_registry_that_was_rolled_back_is_refused_and_so_is_publishing_to_it() {
    let attacked = Attacked::new();
    attacked.sandbox.git(&["-C", "../evil", "push", "-q", "-f", "origin", "HEAD~1:main"]);
    attacked.refused(PULL, "RYE-R022");
    let seen = attacked.sandbox.rye(&["publish", "knowledge", "team/second", "--yes"]).transcript();
    assert!(seen.contains("its log was truncated from 4 lines to 3"), "{seen}");
    assert!(seen.contains("hint: do not use it, and ask its host why") && seen.ends_with("[exit 3]\n"), "{seen}");
    // Whoever never saw the later state cannot know; whoever did still can.
    attacked.push(|_| {});
    as_bob(&attacked.sandbox, &BOB, PULL).succeeds();
}

#[test]
fn a_registry_that_was_made_anew_or_forked_is_refused() {
    let attacked = Attacked::new();
    let sandbox = &attacked.sandbox;
    // The owner's own key makes another history.
    sandbox.rye(&["registry", "init", "../fork/team.git", "-q"]).succeeds();
    sandbox.git(&["-C", "../evil", "fetch", "-q", "../fork/team.git", "main"]);
    sandbox.git(&["-C", "../evil", "push", "-q", "-f", "origin", "FETCH_HEAD:main"]);
    attacked.refused(PULL, "RYE-R022");
    sandbox.rye(&["registry", "remove", "team", "-q"]).succeeds();
    sandbox.rye(&["registry", "add", "team", "../team.git", "-q"]).succeeds();
    publish(sandbox, "team/third", "1.0.0", "Other.");
    publish(sandbox, "team/fourth", "1.0.0", "Other.");
    attacked.refused(PULL, "RYE-R023");
    publish(sandbox, "team/fifth", "1.0.0", "Other.");
    attacked.refused(PULL, "RYE-R024");
}

#[test]
fn links_objects_out_of_place_and_replacements_in_a_registry_are_refused() {
    let attacked = Attacked::new();
    let object = {
        let mut all = Vec::new();
        files(&attacked.sandbox.path("evil/objects"), &mut all);
        all
    };
    attacked.push(|dir| {
        fs::remove_file(dir.join("checkpoint")).unwrap();
        symlink("/etc/passwd", dir.join("checkpoint")).unwrap();
    });
    attacked.refused(PULL, "RYE-R020");
    attacked.push(|dir| fs::write(dir.join("index/team/extra.txt"), "x").unwrap());
    attacked.refused(VERIFY, "RYE-R003");
    attacked.push(|dir| fs::write(dir.join("tile/0/001"), "x").unwrap());
    attacked.refused(VERIFY, "RYE-R019");
    attacked.push(|dir| {
        fs::remove_file(dir.join("index/team/owners.jsonl")).unwrap();
        symlink("../registry.jsonl", dir.join("index/team/owners.jsonl")).unwrap();
    });
    attacked.refused(PULL, "RYE-R020");
    attacked.push(|dir| fs::write(dir.join("index/team/owners.jsonl"), vec![b'x'; 9 * 1024 * 1024]).unwrap());
    attacked.refused(PULL, "RYE-R021");
    attacked.push(|dir| fs::remove_file(dir.join("config.toml")).unwrap());
    attacked.refused(PULL, "RYE-R001");
    attacked.push(|_| object.iter().for_each(|path| fs::remove_file(path).unwrap()));
    attacked.refused(PULL, "RYE-R026");
    attacked.push(|_| object.iter().for_each(|path| fs::write(path, vec![b'x'; 2 * 1024 * 1024]).unwrap()));
    attacked.refused(PULL, "RYE-R021");
    attacked.push(|_| object.iter().for_each(|path| fs::write(path, "x").unwrap()));
    attacked.refused(PULL, "RYE-R027");
    attacked.push(|dir| fs::write(dir.join("objects/aa"), "x").unwrap());
    attacked.refused(VERIFY, "RYE-R019");
    attacked.push(|dir| fs::write(dir.join("README.md"), "For people.").unwrap());
    as_bob(&attacked.sandbox, &BOB, VERIFY).succeeds();
    // Replacements are not fetched; one in the mirror is refused.
    let mirror = attacked.sandbox.path("home-bob/.cache/rye/registries/team").display().to_string();
    let (one, other) = (attacked.good.clone(), format!("{}~1", attacked.good));
    attacked.sandbox.git(&["-C", &mirror, "replace", &one, &other]);
    attacked.refused(PULL, "RYE-R032");
}

/// The mirror is derived; the record of the seen state is not, and is not part of it.
#[test]
fn a_damaged_mirror_is_made_again_and_still_notices_a_registry_that_went_back() {
    let attacked = Attacked::new();
    let mirror = attacked.sandbox.path("home-bob/.cache/rye/registries/team");
    // Whoever reads one item has it made again, and so has whoever reads everything.
    let damage = |what: &dyn Fn(&Path)| {
        for args in [&["show", "team/runbook@1.0.0"][..], VERIFY] {
            let mut all = Vec::new();
            files(&mirror, &mut all);
            all.iter().for_each(|path| what(path));
            let seen = as_bob(&attacked.sandbox, &BOB, args).transcript();
            assert!(seen.ends_with("[exit 0]\n"), "{args:?}: {seen}");
        }
    };
    let is_object = |path: &Path| path.to_string_lossy().contains("/objects/");
    let write = |path: &Path, bytes: &[u8]| {
        fs::remove_file(path).unwrap();
        fs::write(path, bytes).unwrap();
    };
    damage(&|path| {
        if is_object(path) {
            write(path, b"damaged")
        }
    });
    damage(&|path| {
        if is_object(path) {
            fs::remove_file(path).unwrap()
        }
    });
    damage(&|path| {
        if path.ends_with("HEAD") {
            write(path, b"damaged")
        }
    });
    damage(&|path| {
        if path.ends_with("config") {
            write(path, b"[damaged")
        }
    });
    let mut all = Vec::new();
    files(&mirror, &mut all);
    all.iter().filter(|path| is_object(path)).for_each(|path| write(path, b"damaged"));
    let seen = as_bob(&attacked.sandbox, &BOB, &["pull", "team/runbook", "--offline", "--yes"]).transcript();
    assert!(
        seen.contains("the local copy of the registry `team` is damaged") && seen.ends_with("[exit 1]\n"),
        "{seen}"
    );
    attacked.sandbox.git(&["-C", "../evil", "push", "-q", "-f", "origin", "HEAD~1:main"]);
    attacked.refused(PULL, "RYE-R022");
}

/// Whoever hosts a registry can show each person another history; people who compare notice.
#[test]
fn people_who_compare_checkpoints_notice_that_they_see_different_histories() {
    let attacked = Attacked::new();
    let sandbox = &attacked.sandbox;
    let note = String::from_utf8(sandbox.rye(&["registry", "checkpoint", "team"]).stdout()).unwrap();
    assert_eq!(note.as_bytes(), fs::read(sandbox.path("evil/checkpoint")).unwrap());
    fs::write(sandbox.path("bob/theirs"), &note).unwrap();
    let compare = ["registry", "checkpoint", "team", "--compare", "theirs"];
    let seen = as_bob(sandbox, &BOB, &compare).transcript();
    assert!(seen.contains("continues that checkpoint of 4 lines") && seen.ends_with("[exit 0]\n"), "{seen}");
    publish(sandbox, "team/third", "1.0.0", "Three.");
    as_bob(sandbox, &BOB, &compare).succeeds();
    let note = String::from_utf8(sandbox.rye(&["registry", "checkpoint", "team"]).stdout()).unwrap();
    fs::write(sandbox.path("bob/theirs"), &note).unwrap();
    sandbox.git(&["-C", "../team.git", "update-ref", "refs/heads/main", "main~1"]);
    // Bob has seen no more than this; Ada has.
    sandbox.rye(&["registry", "remove", "team", "-q"]).succeeds();
    sandbox.rye(&["registry", "add", "team", "../team.git", "-q"]).succeeds();
    publish(sandbox, "team/fourth", "1.0.0", "Four.");
    as_bob(sandbox, &BOB, &["registry", "remove", "team", "-q"]).succeeds();
    as_bob(sandbox, &BOB, &["registry", "add", "team", "../team.git", "-q"]).succeeds();
    attacked_rule(&as_bob(sandbox, &BOB, &[&compare[..], &["--json"]].concat()).transcript(), "RYE-R023");
    fs::write(sandbox.path("bob/theirs"), "x").unwrap();
    let seen = as_bob(sandbox, &BOB, &compare).transcript();
    assert!(seen.contains("`theirs` is not a checkpoint") && seen.ends_with("[exit 2]\n"), "{seen}");
}

fn attacked_rule(seen: &str, rule: &str) {
    assert!(seen.contains(&format!("\"rule\":\"{rule}\"")) && seen.ends_with("[exit 3]\n"), "{rule}: {seen}");
}

/// A pack has one large blob once, however many names it has.
#[test]
fn one_large_file_under_many_names_is_refused_before_it_is_read() {
    let attacked = Attacked::new();
    let many = |folder: &str, bytes: Vec<u8>| {
        attacked.push(|dir| {
            fs::create_dir_all(dir.join(folder)).unwrap();
            for number in 0..60 {
                fs::write(dir.join(folder).join(format!("{number}.jsonl")), &bytes).unwrap();
            }
        });
        let begun = std::time::Instant::now();
        (attacked.refused(VERIFY, if folder == "namespaces" { "RYE-R021" } else { "RYE-R019" }), begun.elapsed()).1
    };
    let took = many("index/evil", vec![b'x'; 8 * 1024 * 1024]);
    assert!(took.as_secs() < 15, "{took:?}");
    many("namespaces", vec![b'x'; 8 * 1024]);
}

#[test]
fn a_folder_that_cannot_be_a_registry_is_told_from_one_that_can() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.put("full/notes.txt", "x");
    let seen = sandbox.rye(&["registry", "init", "full"]).transcript();
    assert!(seen.contains("error: `[SANDBOX]/project/full` is neither empty nor an empty git repository"), "{seen}");
    assert!(!seen.contains("fsck") && seen.ends_with("[exit 1]\n"), "{seen}");
    sandbox.git(&["init", "-q", "--bare", "-b", "main", "--object-format=sha256", "../sha256.git"]);
    let git = |args: &[&str]| sandbox.git(&[&["-C", "../sha256.git"], args].concat()).trim().to_owned();
    let tree = git(&["hash-object", "-w", "-t", "tree", "/dev/null"]);
    git(&["update-ref", "refs/heads/main", &git(&["commit-tree", &tree, "-m", "first"])]);
    let said = "is a git repository with SHA-256 objects, and a registry needs SHA-1 objects";
    for args in [&["registry", "init", "../sha256.git"][..], &["registry", "add", "x", "../sha256.git"]] {
        let seen = sandbox.rye(args).transcript();
        assert!(seen.contains(said) && seen.ends_with("[exit 1]\n"), "{seen}");
    }
}

/// Its folder may have any name, and its work tree lie anywhere; asked from inside of the project and from outside of all.
#[test]
fn no_git_folder_of_a_work_tree_becomes_a_registry() {
    let sandbox = Sandbox::empty();
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.git(&["init", "-q", "-b", "work", "."]);
    let outside = |name: &str| sandbox.path(name).display().to_string();
    for name in ["born", "unborn", "staged"] {
        sandbox.git(&[
            "init",
            "-q",
            "-b",
            "work",
            "--separate-git-dir",
            &outside(name),
            &outside(&format!("{name}-tree")),
        ]);
    }
    sandbox.git(&["-C", &outside("born-tree"), "commit", "-q", "--allow-empty", "-m", "first"]);
    fs::write(sandbox.path("staged-tree/a"), "a").unwrap();
    sandbox.git(&["-C", &outside("staged-tree"), "add", "a"]);
    // By `GIT_DIR` and `core.worktree`, and of another branch than that of registries.
    sandbox.git(&["init", "-q", "--bare", "-b", "work", &outside("elsewhere")]);
    sandbox.git(&["-C", &outside("elsewhere"), "config", "core.worktree", &outside("born-tree")]);
    sandbox.git(&["clone", "-q", "--bare", &outside("born-tree"), &outside("filled")]);
    fs::create_dir(sandbox.path("empty-folder")).unwrap();
    sandbox.git(&["init", "-q", "--bare", "-b", "work", &outside("empty")]);
    for folder in ["project", "empty-folder"] {
        for name in ["born", "unborn", "staged", "elsewhere", "filled"] {
            let before = all_files(&sandbox.path(name));
            for git_dir in [None, Some(outside(name))] {
                let (at, from) = (outside(name), outside(folder));
                let mut run = sandbox.rye(&["-C", &from, "registry", "init", &at]);
                if let Some(git_dir) = git_dir {
                    run = run.env("GIT_DIR", &git_dir);
                }
                let seen = run.transcript();
                assert!(seen.contains("error: ") && !seen.ends_with("[exit 0]\n"), "{name} from {folder}: {seen}");
            }
            assert_eq!(all_files(&sandbox.path(name)), before, "{name} from {folder}");
        }
    }
    sandbox.rye(&["registry", "init", &outside("empty"), "-q"]).succeeds();
}

/// Only root can give a folder to another user; there git refuses it as in a shared folder.
#[test]
fn a_folder_of_another_user_is_told_with_the_command_that_helps() {
    let attacked = Attacked::new();
    let team = attacked.sandbox.path("team.git");
    if std::os::unix::fs::chown(&team, Some(12_345), None).is_err() {
        return;
    }
    let seen = as_bob(&attacked.sandbox, &BOB, PULL).transcript();
    assert!(
        seen.contains("error: git does not read the registry `team`: `[SANDBOX]/team.git` belongs to another user"),
        "{seen}"
    );
    assert!(seen.contains("run `git config --global --add safe.directory [SANDBOX]/team.git`"), "{seen}");
}

#[test]
fn a_namespace_is_not_taken_from_another_registry_than_before() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/runbook", "1.0.0", "One.");
    as_bob(&sandbox, &BOB, &["pull", "team/runbook", "--yes", "-q"]).succeeds();
    // Another person claims the same namespace elsewhere, with a higher version.
    let mallory = Person::new("mallory");
    let other = another(&sandbox, "mallory");
    let home = sandbox.path("home-mallory").display().to_string();
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).by(&mallory).env("HOME", &home);
    run(&["key", "generate", "-q"]).succeeds();
    run(&["registry", "init", "../public.git", "-q"]).succeeds();
    run(&["registry", "add", "public", "../public.git", "-q"]).succeeds();
    fs::create_dir_all(sandbox.path("mallory/.ai/knowledge/team")).unwrap();
    for (id, version) in [("runbook", "9.0.0"), ("second", "1.0.0")] {
        let text = fs::read_to_string(sandbox.project().join(".ai/knowledge/team/runbook.md")).unwrap();
        let text =
            text.split_once('\n').unwrap().1.replace("1.0.0", version).replace("\"runbook\"", &format!("\"{id}\""));
        fs::write(sandbox.path(&format!("mallory/.ai/knowledge/team/{id}.md")), text).unwrap();
        run(&["sign", "knowledge", &format!("team/{id}"), "-q"]).succeeds();
        run(&["publish", "knowledge", &format!("team/{id}"), "--yes", "-q"]).succeeds();
    }
    let bobs = |args: &[&str]| as_bob(&sandbox, &BOB, args);
    bobs(&["registry", "add", "public", "../public.git", "-q"]).succeeds();
    let outcome = json(&bobs(&["pull", "team/runbook", "--json"]).stdout());
    assert_eq!(
        (&outcome["pulled"][0]["version"], &outcome["pulled"][0]["registry"]),
        (&"1.0.0".into(), &"team".into())
    );
    let seen = bobs(&["pull", "team/second"]).transcript();
    assert!(seen.contains("unknown item `team/second` in `team`") && seen.ends_with("[exit 1]\n"), "{seen}");
    let seen = bobs(&["pull", "team/second", "--registry", "public", "--yes"]).transcript();
    assert!(seen.contains("the namespace `team` comes from the registry `team`, not from `public`"), "{seen}");
    assert!(seen.ends_with("[exit 3]\n"), "{seen}");
    // A project's lock does not lead it elsewhere, either.
    let lock = sandbox.path("bob/rye.lock");
    let text = fs::read_to_string(&lock).unwrap();
    let format_1 = text.lines().filter(|line| !line.starts_with("registry_key")).collect::<Vec<_>>().join("\n");
    let format_1 = format_1.replace("format = 2", "format = 1");
    fs::write(&lock, format_1.replace("registry = \"team\"", "registry = \"public\"")).unwrap();
    for args in [&["pull", "team/second", "--yes"][..], &["pull", "--locked"], &["update", "--yes"]] {
        let seen = bobs(args).transcript();
        assert!(seen.contains("the namespace `team` comes from the registry `team`, not from `public`"), "{seen}");
        assert!(seen.ends_with("[exit 3]\n"), "{seen}");
    }
    // Whoever has no history with it is asked which one is meant.
    sandbox.rye(&["registry", "add", "public", "../public.git", "-q"]).succeeds();
    let carol = another(&sandbox, "carol");
    // Who published in it has one.
    let outcome = json(&sandbox.rye(&["-C", &carol, "pull", "team/runbook", "--json"]).stdout());
    assert_eq!(outcome["pulled"][0]["registry"], "team");
    fs::remove_dir_all(&carol).unwrap();
    let (carol, dora) = (another(&sandbox, "carol"), Person::new("dora"));
    sandbox.key_id(&dora);
    for name in ["team", "public"] {
        let url = format!("../{name}.git");
        sandbox.rye(&["-C", &carol, "registry", "add", name, &url, "-q"]).by(&dora).succeeds();
    }
    let seen = sandbox.rye(&["-C", &carol, "pull", "team/runbook"]).by(&dora).transcript();
    assert!(
        seen.contains("the namespace `team` is in several registries: `public`, `team`")
            || seen.contains("`team`, `public`"),
        "{seen}"
    );
    assert!(seen.ends_with("[exit 2]\n"), "{seen}");
}

/// What an item needs is a name that its author chose: it does not say where a namespace comes from.
#[test]
fn a_needed_item_is_not_taken_from_where_what_needs_it_is() {
    let (sandbox, _) = shared(&BOB);
    publish(&sandbox, "team/manners", "1.0.0", "Be kind.");
    let (eve, other) = (Person::new("eve"), another(&sandbox, "eve"));
    sandbox.key_id(&eve);
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).by(&eve);
    run(&["registry", "init", "../public.git", "-q"]).succeeds();
    run(&["registry", "add", "public", "../public.git", "-q"]).succeeds();
    let manners = fs::read_to_string(sandbox.project().join(".ai/knowledge/team/manners.md")).unwrap();
    let greet = include_str!("greet.md");
    let greet = greet.replace("<category>team", "<category>eve").replace("team/hello", "rye/file-system/read");
    for (path, text) in
        [("knowledge/team/manners.md", manners.split_once('\n').unwrap().1), ("directives/eve/greet.md", &greet)]
    {
        let path = sandbox.path("eve/.ai").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    run(&["sign", "--all", "-q"]).succeeds();
    run(&["publish", "directive", "eve/greet", "--yes", "-q"]).succeeds();
    as_bob(&sandbox, &BOB, &["registry", "add", "public", "../public.git", "-q"]).succeeds();
    let seen = as_bob(&sandbox, &BOB, &["pull", "eve/greet", "--yes"]).transcript();
    assert!(seen.contains("the namespace `team` is in several registries"), "{seen}");
    assert!(seen.ends_with("[exit 2]\n") && !sandbox.path("bob/.ai").exists(), "{seen}");
    // Who publishes in the namespace has said where it comes from.
    sandbox.rye(&["registry", "add", "public", "../public.git", "-q"]).succeeds();
    let ada = another(&sandbox, "ada");
    let outcome = json(&sandbox.rye(&["-C", &ada, "pull", "eve/greet", "--yes", "--json"]).stdout());
    assert_eq!(outcome["pulled"][0]["registry"], "team", "{outcome}");
}

#[test]
fn addresses_that_run_something_or_hold_a_password_are_no_registries() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    for url in ["ext::sh -c touch% ../pwned", "https://ada:secret@example.org/x", "http://example.org/x", "nowhere"] {
        let seen = sandbox.rye(&["registry", "add", "team", url]).transcript();
        let said = seen.split_once('\n').unwrap().1;
        assert!(said.contains("cannot be the address of a registry") && said.ends_with("[exit 2]\n"), "{seen}");
        assert!(!said.contains("secret"), "{seen}");
    }
    sandbox.git(&["init", "-q", "--bare", "-b", "main", "../empty.git"]);
    let seen = sandbox.rye(&["registry", "add", "team", "../empty.git"]).transcript();
    assert!(seen.contains("has no branch `main`, so it is not a registry") && seen.ends_with("[exit 1]\n"), "{seen}");
    let seen = sandbox.rye(&["registry", "add", "team", "file:///nowhere.git"]).transcript();
    assert!(seen.contains("cannot reach the registry `team`") && seen.ends_with("[exit 6]\n"), "{seen}");
    assert!(!sandbox.path("config/rye/registries.toml").exists() && !sandbox.path("pwned").exists());
}
