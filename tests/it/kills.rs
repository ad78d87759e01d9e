//! `kill -9` during `sign`, `commit` and `notes sync`: the result is the old state or the new one, and the next run
//! goes on from there.
//!
//! At every other point the program alone is killed, and what it started goes on without it; at the others everything is,
//! as when a machine stops. `KILL_POINTS` says at how many points (`.ci/slow` takes 100).

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::commit::{ECHO, NOTES, note};
use crate::support::Sandbox;
use crate::support::killing::{killed, points, rye, unlock};

/// Measures a whole run, which `prepare` prepares.
fn measured(sandbox: &Sandbox, args: &[&str], prepare: impl Fn(u32)) -> Duration {
    let run = |round| {
        prepare(round);
        let begun = Instant::now();
        assert!(rye(sandbox, args).status().unwrap().success());
        begun.elapsed()
    };
    (1000..1003).map(run).max().unwrap()
}

/// Checks that every ref leads to whole objects. A `git fetch` that was killed may leave objects nothing leads to, without
/// those they name; `git fsck` reports them, `git gc` removes them.
fn assert_complete(sandbox: &Sandbox, repository: &str) {
    let (code, said) = sandbox.try_git(&["-C", repository, "rev-list", "--objects", "--all", "--quiet"]);
    assert!(code == 0 && said.is_empty(), "{said}");
}

fn assert_sound(sandbox: &Sandbox, repository: &str) {
    let (code, said) = sandbox.try_git(&["-C", repository, "fsck", "--strict", "--no-dangling"]);
    let said: Vec<&str> = said.lines().filter(|line| !line.starts_with("notice: ")).collect();
    assert!(code == 0 && said.is_empty(), "{said:?}");
}

#[test]
fn a_killed_sign_leaves_every_file_as_it_was_or_signed() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let read = |path: &str| fs::read_to_string(sandbox.project().join(path)).unwrap();
    let paths = [ECHO, NOTES];
    let unsigned = paths.map(read);
    let reset = |_| paths.iter().zip(&unsigned).for_each(|(path, text)| sandbox.put(path, text));
    let whole = measured(&sandbox, &["sign", "--all"], reset);
    let signed = paths.map(read);
    for point in 0..points() {
        reset(point);
        killed(&sandbox, &["sign", "--all"], whole, point);
        for ((path, unsigned), signed) in paths.iter().zip(&unsigned).zip(&signed) {
            let found = read(path);
            assert!(found == *unsigned || found == *signed, "{found}");
        }
    }
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.rye(&["verify", "-q"]).succeeds();
}

/// Without the notes a commit is as a kill before their commit point leaves it.
#[test]
fn a_commit_killed_before_its_notes_gets_them_from_the_same_command() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["init", "-q"]).succeeds();
    sandbox.git(&["add", "-A"]);
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    sandbox.git(&["update-ref", "-d", "refs/notes/rye"]);
    let again = sandbox.rye(&["commit", "--yes", "-m", "first"]).transcript();
    assert!(again.contains("nothing to commit; wrote missing notes of the last commits"));
    let last = sandbox.git(&["rev-parse", "HEAD"]);
    assert!(!note(&sandbox, last.trim()).is_empty(), "{again}");
    let third = sandbox.rye(&["commit", "--yes", "-m", "first"]).transcript();
    assert!(third.contains("nothing to commit\n"), "{third}");
}

#[test]
fn a_killed_commit_is_made_or_not_and_the_next_one_goes_on() {
    let sandbox = Sandbox::with_items();
    // What `init` has git ignore: a temporary file may be left next to an item.
    sandbox.rye(&["init", "-q"]).succeeds();
    sandbox.git(&["add", "-A"]);
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    let text = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    let prepare = |round: u32| sandbox.put(NOTES, &text.replace("short", &format!("short in round {round}")));
    let args = ["commit", "--yes", "-qm", "killed"];
    let whole = measured(&sandbox, &args, prepare);
    let git_dir = sandbox.project().join(".git");
    let (mut made, mut unmade) = (0, 0);
    for point in 0..points() {
        prepare(point);
        let before = sandbox.git(&["rev-parse", "HEAD"]);
        killed(&sandbox, &args, whole, point);
        assert_sound(&sandbox, ".");
        let after = sandbox.git(&["rev-parse", "HEAD"]);
        unlock(&git_dir);
        let wanted = format!("Greetings are short in round {point}.");
        let here = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
        assert!(here.contains(&wanted), "{here}");
        let next = sandbox.rye(&["commit", "--yes", "-m", "next"]).transcript();
        if before == after {
            unmade += 1;
            assert!(next.ends_with("[exit 0]\n"), "{next}");
        } else {
            made += 1;
            assert_eq!(sandbox.git(&["rev-parse", "HEAD~"]), before);
            assert!(next.contains("nothing to commit"), "{next}");
            let last = sandbox.git(&["rev-parse", "HEAD"]);
            assert!(!note(&sandbox, last.trim()).is_empty(), "the same command did not write the notes: {next}");
        }
        assert_eq!(sandbox.git(&["status", "--porcelain"]), "", "{next}");
        assert!(sandbox.git(&["show", &format!("HEAD:{NOTES}")]).contains(&wanted));
        sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
    }
    // Every commit has its notes in the end, whatever was killed.
    sandbox.edit(NOTES, "Greetings", "Salutations");
    sandbox.rye(&["commit", "--yes", "-qm", "last"]).succeeds();
    for commit in sandbox.git(&["rev-list", "HEAD"]).lines() {
        assert!(!note(&sandbox, commit).is_empty(), "{commit}");
    }
    assert!(made > 0 || unmade > 0);
}

#[test]
fn a_killed_sync_of_notes_loses_no_line() {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    sandbox.git(&["init", "-q", "--bare", "-b", "main", "../remote.git"]);
    sandbox.git(&["remote", "add", "origin", "../remote.git"]);
    sandbox.git(&["clone", "-q", ".", "../other"]);
    sandbox.git(&["-C", "../other", "remote", "set-url", "origin", "../remote.git"]);
    let (remote, other) = (sandbox.path("remote.git"), sandbox.path("other"));
    let other = other.to_str().unwrap();
    // Each round both sides have something new.
    let prepare = |round: u32| {
        for (side, name) in [(".", "here"), (other, "there")] {
            sandbox.git(&["-C", side, "notes", "--ref=rye", "append", "-m", &format!("{name} {round}"), "HEAD"]);
        }
        sandbox.rye(&["-C", other, "notes", "sync", "-q"]).succeeds();
    };
    let args = ["notes", "sync", "-q"];
    let whole = measured(&sandbox, &args, prepare);
    for point in 0..points() {
        prepare(point);
        killed(&sandbox, &args, whole, point);
        assert_complete(&sandbox, ".");
        assert_complete(&sandbox, "../remote.git");
        unlock(&sandbox.project().join(".git"));
        unlock(&remote);
        assert!(note(&sandbox, "HEAD").contains(&format!("here {point}")));
        sandbox.rye(&args).succeeds();
        let (_, there) = sandbox.try_git(&[
            "-C",
            "../remote.git",
            "notes",
            "--ref=rye",
            "show",
            sandbox.git(&["rev-parse", "HEAD"]).trim(),
        ]);
        let rounds = (1000..1003).chain(0..=point);
        let missing = rounds.flat_map(|round| [format!("here {round}"), format!("there {round}")]);
        let missing: Vec<String> = missing.filter(|line| !there.lines().any(|it| it == line)).collect();
        assert_eq!(missing, Vec::<String>::new());
    }
}

/// A `.git` that was half made stopped every later `init`.
#[test]
fn a_killed_init_is_repeated() {
    let sandbox = Sandbox::empty();
    let fresh = |_| {
        let project = sandbox.project();
        fs::remove_dir_all(&project).unwrap();
        fs::create_dir(&project).unwrap();
    };
    let whole = measured(&sandbox, &["init"], fresh);
    for point in 0..4 * points() {
        fresh(point);
        // The repository is made at the beginning of the run.
        killed(&sandbox, &["init"], whole / 3, point);
        sandbox.rye(&["init", "-q"]).succeeds();
        assert_sound(&sandbox, ".");
        let left = fs::read_dir(sandbox.project()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = left.filter(|name| name.to_str().unwrap().starts_with(".rye-tmp")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn what_a_killed_writer_left_is_removed_by_the_next_one() {
    let sandbox = Sandbox::with_items();
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let folder = Path::new(ECHO).parent().unwrap().display().to_string();
    let left = |process: u32| format!("{folder}/.rye-tmp-{process}-0");
    let others =
        [left(std::process::id()), format!("{folder}/.rye-tmp-mine"), format!("{folder}/.rye-tmp-{}-x", gone.id())];
    others.iter().chain([&left(gone.id())]).for_each(|path| sandbox.put(path, ""));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    assert!(!sandbox.project().join(left(gone.id())).exists());
    assert!(others.iter().all(|path| sandbox.project().join(path).exists()));
}
