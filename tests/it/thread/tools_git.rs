//! What git commands of a tool can do in a thread's tree: they read all of the history, and change nothing of the person's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rye::thread::{Outcome, Status};
use serde_json::json;

use super::world::{World, call, result_in_turn, text};

const ALL: &str = r#"<execute><tool>demo.*</tool></execute><write resource="filesystem" path="**" />"#;

/// Returns the path of git itself.
pub(super) fn real_git() -> PathBuf {
    let path = std::env::var("PATH").unwrap();
    path.split(':').map(|folder| Path::new(folder).join("git")).find(|file| file.is_file()).unwrap()
}

/// Runs a script as a tool of a thread: how the thread ended, and what the script printed.
fn run(world: &World, script: &str) -> (Outcome, String) {
    world.tool("demo/one", script);
    world.directive(ALL, r#"turns="5""#, "");
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    let result = result_in_turn(&world.events(&outcome), 1).clone();
    let printed = result["output"].as_str().map(str::to_owned);
    (outcome, printed.unwrap_or_else(|| panic!("{result}")))
}

/// All files below a folder, by path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(here) = folders.pop() {
        for entry in std::fs::read_dir(&here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The person's git folder without the places of threads.
fn persons(world: &World) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = files(&world.in_project(".git"));
    let own = ["rye", "worktrees", "refs/heads/rye", "logs/refs/heads/rye"];
    found.retain(|path, _| !own.iter().any(|own| path.starts_with(own)));
    found
}

#[test]
fn git_commands_of_a_tool_change_nothing_of_the_person_s_repository() {
    let world = World::new();
    world.git(&["branch", "other"]);
    world.git(&["tag", "-a", "-m", "one", "v1"]);
    world.git(&["remote", "add", "origin", "https://ada:secret@example.org/a.git"]);
    world.git(&["config", "credential.helper", "store"]);
    for text in ["one\n", "two\n"] {
        world.write("src/a.txt", text);
        world.git(&["stash", "-q"]);
    }
    world.write("lost", "lost\n");
    world.git(&["hash-object", "-w", "lost"]);
    std::fs::remove_file(world.in_project("lost")).unwrap();
    let before = persons(&world);
    let commands = "stash pop;stash drop;stash clear;stash push -q;stash pop -q;branch evil;branch -D other;tag -d v1;tag evil;update-ref refs/heads/main HEAD~0;\
                    update-ref -d refs/stash;config user.name evil;config --unset credential.helper;add -A;commit -qm x;gc --prune=now -q;\
                    prune;worktree prune;reflog expire --expire=now --all;remote remove origin;pack-refs --all;checkout -qb mine";
    let script = format!(
        "echo b > src/a.txt\nIFS=';'\nfor git in git {}; do\nfor command in {}; do (IFS=' '; $git $command); done\ndone >/dev/null 2>&1\n{} branch --show-current",
        real_git().display(),
        commands.split(';').map(|command| format!("'{command}'")).collect::<Vec<_>>().join(" "),
        real_git().display(),
    );
    let (outcome, printed) = run(&world, &script);
    let after = persons(&world);
    assert_eq!(printed.trim(), "mine", "by its path, git worked");
    for (path, bytes) in &before {
        assert!(after.get(path) == Some(bytes), "{} changed", path.display());
    }
    let new: Vec<&PathBuf> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(new.iter().all(|path| path.starts_with("objects")), "{new:?}");
    assert_eq!(world.git(&["stash", "list"]).lines().count(), 2);
    assert_eq!(world.changed(&outcome)[1], ["src/a.txt"]);
    assert!(!world.in_project(".git/worktrees").join(format!("rye-{}", outcome.thread_id)).exists());
}

#[test]
fn git_commands_that_read_work_and_others_are_refused_in_one_sentence() {
    let world = World::new();
    world.git(&["tag", "-a", "-m", "one", "v1"]);
    world.write("src/a.txt", "stashed\n");
    world.git(&["stash", "-q"]);
    let script = "echo b >>src/a.txt; echo new >new.txt
        git status --porcelain -- src new.txt; git log --format=%s -3; git diff -- src | tail -1; git grep -n hello HEAD; git show HEAD:README.md
        git ls-files src; git blame -s README.md | cut -d' ' -f2-; git describe; git branch --all --format='%(refname)' | grep ^refs; git tag -l 'v*'; git stash list
        git symbolic-ref -q HEAD; git config user.name; git -C src --no-pager rev-parse --show-prefix; env | grep ^GIT_ | sort
        exec 2>&1; for c in add commit stash 'branch x' 'tag x' 'config user.name x' '-C src -c a.b=c reset' init; do git $c; echo $?; done
        git init -q -b main \"$TMPDIR/own\"; cd \"$TMPDIR/own\"; echo 1 >a; git add a; git -c user.name=x -c user.email=x commit -qm own; git log --format=%s; git branch x && echo made";
    let (_, printed) = run(&world, script);
    let read = "M src/a.txt\n?? new.txt\nfirst\n+b\nHEAD:README.md:1:# hello\n# hello\nsrc/a.txt\n1) # hello\nv1\n\
                refs/heads/main\nv1\nAda\nsrc/\nGIT_CONFIG_NOSYSTEM=1\nGIT_OPTIONAL_LOCKS=0\nGIT_TERMINAL_PROMPT=0\n";
    let refused = |verb: &str| {
        format!(
            "error: `git {verb}` is not available to tools of a thread; Rye commits the files that a tool changes\n128\n"
        )
    };
    let refusals: String = ["add", "commit", "stash", "branch", "tag", "config", "reset", "init"].map(refused).concat();
    assert_eq!(printed.trim_end(), format!("{read}{refusals}own\nmade"));
}

#[test]
fn no_credential_is_in_the_configuration_that_tools_see() {
    let world = World::new();
    for (name, value) in [
        ("remote.origin.url", "https://ada:secret1@example.org/a.git?token=secret2"),
        ("remote.origin.pushurl", "https://ada:secret3@example.org/a.git"),
        ("http.https://example.org/.extraHeader", "Authorization: secret4"),
        ("url.https://x:secret5@example.org/.insteadOf", "gh:"),
        ("credential.helper", "!echo secret6"),
        ("core.sshCommand", "ssh -i secret7"),
        ("alias.st", "!echo secret8"),
        ("user.signingKey", "secret9"),
        ("core.hooksPath", "secret10"),
        ("core.quotePath", "false"),
        ("diff.x.xfuncname", "a \"b\" \\ c"),
    ] {
        world.git(&["config", name, value]);
    }
    let tool = format!(
        "for git in git {}; do $git config --list; done; cat \"$(git rev-parse --git-dir)/config\"",
        real_git().display()
    );
    let (_, printed) = run(&world, &tool);
    assert!(!printed.contains("secret"), "{printed}");
    for line in [
        "remote.origin.url=https://example.org/a.git",
        "core.quotepath=false",
        "diff.x.xfuncname=a \"b\" \\ c",
        "user.name=Ada",
    ] {
        assert_eq!(printed.lines().filter(|found| *found == line).count(), 2, "{line}: {printed}");
    }
}

/// A tool's git reads all of the history in whatever state the repository is.
#[test]
fn git_commands_of_a_tool_read_in_repositories_of_all_states() {
    let script = "git status --porcelain; git log --format=%s; git show HEAD:src/a.txt; git ls-files src; git rev-parse --verify -q main >/dev/null && echo main";
    let whole = "second\nfirst\nb\nsrc/a.txt\nmain";
    for (name, clone, expected) in [
        ("plain", &[][..], whole),
        ("shallow", &["--depth=1"], "second\nb\nsrc/a.txt\nmain"),
        ("borrowing", &["--shared"], whole),
        ("separate", &["--separate-git-dir=separate.git"], whole),
        ("partial", &["--filter=blob:none"], whole),
        ("sparse", &["--sparse"], whole),
        ("linked", &[], whole),
        ("sha256", &[], whole),
    ] {
        let mut world = World::with(if name == "sha256" { &["--object-format=sha256"] } else { &[] });
        world.git(&["config", "uploadpack.allowFilter", "true"]);
        world.tool("demo/one", script);
        world.directive(ALL, r#"turns="5""#, "");
        world.write("src/a.txt", "b\n");
        world.commit("second");
        if name == "linked" {
            world.git(&["worktree", "add", "-q", "--detach", "../clone"]);
        } else {
            let from = format!("file://{}", world.path("project").display());
            let from = if name == "borrowing" { "project" } else { &from };
            world.git_in(".", &[&["clone", "-q"], clone, &[from, "clone"]].concat());
        }
        world.project = "clone";
        if name == "sparse" {
            world.git(&["sparse-checkout", "set", "src", ".ai"]);
        }
        world.git(&["config", "user.name", "Ada"]);
        world.git(&["config", "user.email", "ada@example.org"]);
        let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
        assert_eq!(outcome.status, Status::Completed, "{name}: {:?}", outcome.error);
        let result = result_in_turn(&world.events(&outcome), 1).clone();
        assert_eq!(result["output"], expected, "{name}: {result}");
    }
}
